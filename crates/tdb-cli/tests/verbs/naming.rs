//! Names with spaces: bare where unambiguous, or in double quotes.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use crate::changing::of_schema;
use crate::common::{stdout, tdb, told};

const SCHEMA: &str = r#"{"type": "sparse",
    "dimensions": [{"name": "order id", "datatype": "int32", "domain": [1, 1000], "extent": 10}],
    "attributes": [{"name": "amount", "datatype": "float64"},
                   {"name": "line no", "datatype": "int32"},
                   {"name": "note", "datatype": "string_utf8", "cell_val_num": "var"}]}"#;

fn array(name: &str) -> String {
    let (folder, array) = of_schema(name, SCHEMA);
    let file = folder.join("rows.csv");
    let rows = "order id,amount,line no,note\n376,1,7,a\n377,2,8,b\n378,3,9,c\n";
    fs::write(&file, rows).unwrap();
    stdout(&format!("write {array} {} --at 110", file.display()));
    array
}

/// Runs a verb and returns its output and messages; arguments may contain spaces.
fn said(verb: &str, array: &str, arguments: &[&str]) -> String {
    let output = tdb(verb).arg(array).args(arguments).output().unwrap();
    told(&output).replace(array, "ARRAY")
}

#[test]
fn set_takes_the_names_of_fields_as_they_are() {
    let array = array("naming_set");
    let done = said("set --at 120", &array, &["order id=377", "amount=12.5"]);
    insta::assert_snapshot!(done, @r"
    changed 1 cell where order id=377
    exit status 0
    ");
    let done = said(
        "set --at 130",
        &array,
        &[
            "\"order id\"=376 and amount < 2",
            " line no = 70",
            "note= x",
        ],
    );
    insta::assert_snapshot!(done, @r#"
    changed 1 cell where "order id"=376 and amount < 2
    exit status 0
    "#);
    let done = said(
        "set --at 140",
        &array,
        &["line no in (9)", "\"line no\"=90", "note=' y'"],
    );
    insta::assert_snapshot!(done, @r"
    changed 1 cell where line no in (9)
    exit status 0
    ");
    insta::assert_snapshot!(stdout(&format!("read {array}")), @r#"
    order id,amount,line no,note
    376,1.0,70,x
    377,12.5,8,b
    378,3.0,90," y"
    "#);
    insta::assert_snapshot!(said("set", &array, &["amount>0", "amount=5"]), @r"
    error: 3 cells match, and at most 1 may be changed
    hint: use --max 3 to change them all
    exit status 2
    ");
    insta::assert_snapshot!(said("set", &array, &["line=9", "amount=5"]), @r#"
    error: there is no field "line"
      line=9
      ^
    hint: the fields are order id, amount, line no, note
    exit status 2
    "#);
}

#[test]
fn conditions_and_ranges_take_them_bare_or_in_quotes() {
    let array = array("naming_read");
    for arguments in [
        ["--where", "order id=377"],
        ["--where", " order id = 377 and amount > 0"],
        ["--where", "line no between 8 and 8"],
        ["--where", "amount > 0 and \"line no\" = 8"],
        ["--range", "order id=377"],
        ["--range", "\"order id\"=377"],
        ["--range", "order id = 377..377"],
    ] {
        let told = said("read", &array, &arguments);
        assert_eq!(
            told, "order id,amount,line no,note\n377,2.0,8,b\nexit status 0",
            "{arguments:?}"
        );
    }
    insta::assert_snapshot!(said("count", &array, &["--where", "order id = 1 and line no = 2"]), @r#"
    error: condition at character 25: wanted an operator such as `=` or `in`, found the name `no`; a name with spaces stands in "double quotes"
      "order id" = 1 and line no = 2
                              ^
    exit status 2
    "#);
    insta::assert_snapshot!(said("count", &array, &["--where", "line = 2"]), @r#"
    error: there is no field "line"
      line = 2
      ^
    hint: the fields are order id, amount, line no, note
    exit status 2
    "#);
    insta::assert_snapshot!(said("count", &array, &["--where", "amount > 'x"]), @r"
    error: condition at character 10: the ' is never closed
      amount > 'x
               ^
    exit status 2
    ");
}
