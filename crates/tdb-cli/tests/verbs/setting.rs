//! `tdb set`: values of cells as they are typed.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use crate::changing::of_schema;
use crate::common::{run, stdout, tdb, told};

const BYTES: &str = r#"{
    "type": "sparse",
    "dimensions": [{"name": "x", "datatype": "int32", "domain": [0, 9], "extent": 10}],
    "attributes": [
        {"name": "b", "datatype": "blob", "cell_val_num": "var"},
        {"name": "g", "datatype": "geom_wkb", "cell_val_num": "var"},
        {"name": "u", "datatype": "string_utf16", "cell_val_num": "var"},
        {"name": "c", "datatype": "char", "cell_val_num": "var"},
        {"name": "s", "datatype": "string_utf8", "cell_val_num": "var"}
    ]
}"#;

const DATES: &str = r#"{
    "type": "sparse",
    "dimensions": [{"name": "x", "datatype": "int32", "domain": [0, 9], "extent": 10}],
    "attributes": [
        {"name": "day", "datatype": "datetime_day"},
        {"name": "ms", "datatype": "datetime_ms"},
        {"name": "year", "datatype": "datetime_year"},
        {"name": "days", "datatype": "datetime_day", "cell_val_num": "var"}
    ]
}"#;

const UNNAMED: &str = r#"{
    "type": "dense",
    "dimensions": [{"name": "x", "datatype": "int32", "domain": [0, 2], "extent": 3}],
    "attributes": [{"name": "", "datatype": "float64"}]
}"#;

/// Writes cells from CSV.
fn write(folder: &Path, array: &str, csv: &str) {
    let file = folder.join("cells.csv");
    fs::write(&file, csv).unwrap();
    stdout(&format!("write {array} {} -q", file.display()));
}

/// Runs `set` on the cell with x = 1.
fn set(array: &str, values: &[&str]) -> String {
    let mut command = tdb(&format!("set {array}"));
    told(&command.arg("x = 1").args(values).output().unwrap())
}

#[test]
fn bytes_are_set_as_they_are_written() {
    let (folder, array) = of_schema("set_bytes", BYTES);
    write(&folder, &array, "x,b,g,u,c,s\n1,cafe,cafe,6100,0xff01,t\n");
    let changed = "changed 1 cell where x = 1\nexit status 0";
    assert_eq!(
        set(
            &array,
            &["b=00ff", "g=00FF", "u=6200", "c=0xff02", "s=00ff"]
        ),
        changed
    );
    insta::assert_snapshot!(stdout(&format!("read {array} --format csv")), @"
    x,b,g,u,c,s
    1,00ff,00ff,6200,0xff02,00ff
    ");
    // Values can be set in the form in which they are read, also in JSON.
    let object = r#"{"hex":"0aff"}"#;
    let values = ["b", "g", "u", "c", "s"].map(|name| format!("{name}={object}"));
    assert_eq!(set(&array, &values.each_ref().map(String::as_str)), changed);
    insta::assert_snapshot!(stdout(&format!("read {array} --format csv")), @r#"
    x,b,g,u,c,s
    1,0aff,0aff,0aff,0x0aff,"{""hex"":""0aff""}"
    "#);
    // Quoted text is taken literally.
    assert_eq!(set(&array, &["b='00ff'", "c='0xff'", "g="]), changed);
    insta::assert_snapshot!(stdout(&format!("read {array} --format csv")), @r#"
    x,b,g,u,c,s
    1,30306666,"",0aff,0x30786666,"{""hex"":""0aff""}"
    "#);
    insta::assert_snapshot!(set(&array, &["b=text"]), @r#"
    error: attribute "b": "text" is not bytes in hexadecimal digits
    hint: write bytes in hexadecimal, like 00ff or {"hex":"00ff"}; put literal text in 'single quotes'
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["g=00f"]), @r#"
    error: attribute "g": "00f" is not bytes in hexadecimal digits
    hint: write bytes in hexadecimal, like 00ff or {"hex":"00ff"}; put literal text in 'single quotes'
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &[r#"b={"hex":"zz"}"#]), @r#"
    error: attribute "b": {"hex":"zz"} is not bytes in hexadecimal digits
    hint: write bytes in hexadecimal, like 00ff or {"hex":"00ff"}; put literal text in 'single quotes'
    exit status 2
    "#);
}

#[test]
fn a_year_is_a_date_wherever_one_is_given_as_text() {
    let (folder, array) = of_schema("set_years", DATES);
    write(
        &folder,
        &array,
        "x,day,ms,year,days\n1,2019,2019,2019,\"[2019]\"\n2,2019-01,2019-01-01,49,\"[\"\"2019-01-01\"\"]\"\n",
    );
    insta::assert_snapshot!(stdout(&format!("read {array} --format csv")), @r#"
    x,day,ms,year,days
    1,2019-01-01,2019-01-01T00:00:00.000,2019,"[""2019-01-01""]"
    2,2019-01-01,2019-01-01T00:00:00.000,2019,"[""2019-01-01""]"
    "#);
    let changed = "changed 1 cell where x = 1\nexit status 0";
    assert_eq!(
        set(
            &array,
            &["day=2020", "ms=2020", "year=2020", "days=[2020, 2021-02]"]
        ),
        changed
    );
    insta::assert_snapshot!(stdout(&format!("read {array} --range x=1 --format csv")), @r#"
    x,day,ms,year,days
    1,2020-01-01,2020-01-01T00:00:00.000,2020,"[""2020-01-01"",""2021-02-01""]"
    "#);
    assert_eq!(stdout(&format!("count {array} --where day='2020'")), "1\n");
    let ticks = [
        "day=2020",
        "ms=2020",
        "year=2020",
        "days=[2020, 2021]",
        "--ticks",
    ];
    assert_eq!(set(&array, &ticks), changed);
    let read = || stdout(&format!("read {array} --ticks --format csv"));
    insta::assert_snapshot!(read(), @r#"
    x,day,ms,year,days
    1,2020,2020,2020,"[2020,2021]"
    2,17897,1546300800000,49,[17897]
    "#);
    insta::assert_snapshot!(set(&array, &["day=2020-01-01", "--ticks"]), @r#"
    error: attribute "day": "2020-01-01" is not a number of ticks of datetime_day
    hint: with --ticks, dates and times are raw numbers; without, they are ISO 8601
    exit status 2
    "#);
    // Values written as ticks are read back as ticks.
    let before = read();
    for name in ["ticks.csv", "ticks.jsonl"] {
        let file = folder.join(name).display().to_string();
        stdout(&format!("read {array} --ticks -o {file}"));
        stdout(&format!("delete {array} --where x>=0"));
        stdout(&format!("write {array} {file} --ticks -q"));
        assert_eq!(read(), before, "{name}");
    }
}

#[test]
fn a_column_of_years_is_imported_as_dates() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("years.csv");
    fs::write(&file, "k,d\n1,2019\n2,2020\n").unwrap();
    let import = |name: &str, options: &str| {
        let array = folder.path().join(name).display().to_string();
        stdout(&format!("import {} {array} -q {options}", file.display()));
        stdout(&format!("read {array} --format csv"))
    };
    let days = "k,d\n1,2019-01-01\n2,2020-01-01\n";
    assert_eq!(import("days", "--type d=datetime_day"), days);
    assert_eq!(
        import("years", "--type d=datetime_year"),
        "k,d\n1,2019\n2,2020\n"
    );
    assert_eq!(
        import("ticks", "--type d=datetime_day --ticks"),
        "k,d\n1,1975-07-13\n2,1975-07-14\n"
    );
    assert_eq!(import("numbers", ""), "k,d\n1,2019\n2,2020\n");
}

#[test]
fn the_attribute_without_a_name_is_set_by_either_spelling() {
    let (folder, array) = of_schema("set_unnamed", UNNAMED);
    write(&folder, &array, "\"\"\n1\n2\n3\n");
    let changed = "changed 1 cell where x = 1\nexit status 0";
    assert_eq!(set(&array, &["\"\"=9"]), changed);
    assert_eq!(
        stdout(&format!("read {array} --no-dims --format csv")),
        "\"\"\n1.0\n9.0\n3.0\n"
    );
    assert_eq!(set(&array, &["=-0.5"]), changed);
    assert_eq!(
        stdout(&format!("read {array} --no-dims --format csv")),
        "\"\"\n1.0\n-0.5\n3.0\n"
    );
    // An unnamed attribute that does not exist is an error.
    let (_, named) = of_schema("set_named", DATES);
    insta::assert_snapshot!(set(&named, &["=9"]), @r#"
    error: there is no attribute ""
    hint: the attributes are day, ms, year, days
    exit status 2
    "#);
    insta::assert_snapshot!(told(&run(&format!("set {array} x=1 9"))), @r#"
    error: invalid value '9' for '<ATTR=VALUE>...': wanted ATTR=VALUE, like amount=12.5; a name with = stands in "double quotes"

    For more information, try '--help'.
    exit status 2
    "#);
}

const NUMBERS: &str = r#"{
    "type": "sparse",
    "dimensions": [{"name": "x", "datatype": "int32", "domain": [0, 9], "extent": 10}],
    "attributes": [
        {"name": "a", "datatype": "int64"},
        {"name": "small", "datatype": "uint8", "nullable": true},
        {"name": "f", "datatype": "float64"},
        {"name": "f32", "datatype": "float32"},
        {"name": "two words", "datatype": "int16"},
        {"name": "s", "datatype": "string_utf8", "cell_val_num": "var"},
        {"name": "day", "datatype": "datetime_day"}
    ]
}"#;

#[test]
fn numbers_are_worked_out_of_the_cell() {
    let (folder, array) = of_schema("set_numbers", NUMBERS);
    write(
        &folder,
        &array,
        "x,a,small,f,f32,two words,s,day\n1,10,200,2.5,1.5,7,t,2024-01-01\n2,9007199254740993,,0,2,-7,u,2024-01-01\n",
    );
    let changed = "changed 1 cell where x = 1\nexit status 0";
    // All expressions use the values from before the change; if an attribute is set twice, the last value counts.
    let swapped = [
        "a=-(a + 5) * 2 + x",
        "small=small / 8",
        "f=f*1.1",
        "f32=1",
        "f32=a / 4",
        "two words=\"two words\" + a",
    ];
    assert_eq!(set(&array, &swapped), changed);
    // For text attributes, an expression is plain text; numbers are plain values.
    assert_eq!(set(&array, &["s=a+1", "day=2024-02-29"]), changed);
    insta::assert_snapshot!(stdout(&format!("read {array} --range x=1 --format csv")), @"
    x,a,small,f,f32,two words,s,day
    1,-29,25,2.75,2.5,17,a+1,2024-02-29
    ");
    let all = |values: &[&str]| {
        let mut command = tdb(&format!("set {array} --max 2"));
        told(&command.arg("x > 0").args(values).output().unwrap())
    };
    // An expression over null is null; integers beyond 2^53 stay exact.
    assert_eq!(
        all(&["a=a+1", "small=small+1"]),
        "changed 2 cells where x > 0\nexit status 0"
    );
    insta::assert_snapshot!(stdout(&format!("read {array} --attrs a,small --format csv")), @"
    x,a,small
    1,-28,26
    2,9007199254740994,
    ");
    insta::assert_snapshot!(set(&array, &["small=small + 230"]), @r#"
    error: attribute "small" of the cell at x = 1: small + 230: 256 is no value of uint8
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["small=0 - small"]), @r#"
    error: attribute "small" of the cell at x = 1: 0 - small: -26 is no value of uint8
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["a=a / 3"]), @r#"
    error: attribute "a" of the cell at x = 1: a / 3: -9.333333333333334 is no value of int64
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["a=f * 3.5"]), @r#"
    error: attribute "a" of the cell at x = 1: f * 3.5: 9.625 is no value of int64
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["f=a / (x - 1)"]), @r#"
    error: attribute "f" of the cell at x = 1: a / (x - 1): a division by zero
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["f32=1e30 * 1e30"]), @r#"
    error: attribute "f32" of the cell at x = 1: 1e30 * 1e30: 1.0000000000000001e60 is too large for float32
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["a=9223372036854775807 + x"]), @r#"
    error: attribute "a" of the cell at x = 1: 9223372036854775807 + x: 9223372036854775808 is no value of int64
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["f=f * 1e308 * 1e10"]), @r#"
    error: attribute "f" of the cell at x = 1: f * 1e308 * 1e10: a number is too large
    exit status 2
    "#);
    insta::assert_snapshot!(all(&["f=a * 1.5 + 0.5"]), @"
    changed 2 cells where x > 0
    exit status 0
    ");
    insta::assert_snapshot!(all(&["a=small"]), @r#"
    error: attribute "a" of the cell at x = 2: small: a field in it is null, and the attribute cannot be
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["a=b + 1"]), @r#"
    error: attribute "a": "b" is neither a number nor a field
    hint: the fields are x, a, small, f, f32, two words, s, day
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["a=s + 1"]), @r#"
    error: attribute "a": cells of "s" hold no single number
    hint: arithmetic may use numbers, numeric fields, + - * / and parentheses
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["a=a +"]), @r#"
    error: attribute "a": "a +" is not a valid int64
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["a=1.5"]), @r#"
    error: attribute "a": "1.5" is not a valid int64
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["a=year(day)"]), @r#"
    error: attribute "a": cells of "day" hold no single number
    hint: arithmetic may use numbers, numeric fields, + - * / and parentheses
    exit status 2
    "#);
    insta::assert_snapshot!(set(&array, &["day=day + 1"]), @r#"
    error: attribute "day": "day + 1" is not a valid datetime_day (ISO 8601, or a number of ticks)
    exit status 2
    "#);
    insta::assert_snapshot!(stdout(&format!("read {array} --attrs a,small,f,f32 --format csv")), @"
    x,a,small,f,f32
    1,-28,26,-41.5,2.5
    2,9007199254740994,,1.3510798882111492e16,2.0
    ");
}

#[test]
fn a_dense_cell_is_worked_out_where_it_lies() {
    let (_folder, array) = of_schema("set_dense_number", UNNAMED);
    let mut command = tdb(&format!("set {array} --max 3"));
    let command = command.args(["x > 0", "=x * 1.5"]);
    let said = told(&command.output().unwrap());
    assert_eq!(said, "changed 2 cells where x > 0\nexit status 0");
    insta::assert_snapshot!(stdout(&format!("read {array} --format csv")), @r#"
    x,""
    0,NaN
    1,1.5
    2,3.0
    "#);
}
