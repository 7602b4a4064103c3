//! Verbs that answer questions about cells.

use crate::common::{failure, run, stdout, told};

const TOUR: &str = "v22_tour/array";

#[test]
fn cells_are_counted_as_they_are_read() {
    assert_eq!(stdout(&format!("count {TOUR}")), "80\n");
    assert_eq!(stdout(&format!("count {TOUR} --range station=BGN")), "16\n");
    assert_eq!(stdout(&format!("count {TOUR} --at 2024-04-11")), "48\n");
    assert_eq!(
        stdout(&format!("count {TOUR} --json")),
        "{\n  \"cells\": 80\n}\n"
    );
    for array in [
        "v22_deletes",
        "v22_deletes_dups",
        "v22_dense_basics",
        "v22_current_domain_dense",
    ] {
        let lines = stdout(&format!("read {array}/array --format csv"))
            .lines()
            .count();
        let counted = stdout(&format!("count {array}/array"));
        assert_eq!(counted, format!("{}\n", lines - 1), "{array}");
    }
}

#[test]
fn conditions_are_counted() {
    let output = run("count v22_tour/array --where temperature>10");
    insta::assert_snapshot!(told(&output), @r#"
    37
    exit status 0
    "#);
    insta::assert_snapshot!(failure("count v22_tour/array --where temprature>10"), @r#"
    error: there is no field "temprature"
      temprature>10
      ^
    hint: did you mean "temperature"? the fields are station, hour, temperature, pressure, sky, remark
    exit status 2
    "#);
}

/// What is asked of the store, by `--profile`.
fn profiled(arguments: &str) -> String {
    let output = run(&format!("{arguments} --profile"));
    let text = String::from_utf8(output.stderr).expect("text");
    let is_reads = |line: &&str| line.contains("decoded") || line.contains("tiles");
    text.lines().filter(is_reads).collect::<Vec<_>>().join("\n")
}

#[test]
fn counting_what_metadata_tell_decodes_nothing() {
    assert_eq!(profiled("count v22_dense_basics/array"), "");
    // Fragments that overlap: coordinates decide, and no attribute is read.
    insta::assert_snapshot!(profiled("count v22_tour/array"), @r#"
    tiles read               18
    bytes decoded         924 B
    cells decoded           168
    "#);
}

#[test]
fn the_first_cells_are_shown() {
    insta::assert_snapshot!(stdout("head v22_tour/array 2 --attrs sky"), @r#"
    station,hour,sky
    BGN,2024-04-10T00,rain
    BGN,2024-04-10T03,snow
    "#);
    assert_eq!(stdout("head v22_tour/array").lines().count(), 11);
    insta::assert_snapshot!(stdout("head v22_dense_basics/array 3 --attrs i32"), @r#"
    row,col,i32
    1,-2,-2147483648
    1,-1,-39
    1,0,-210
    "#);
    insta::assert_snapshot!(stdout("head v22_dense_basics/array 3 --attrs i32 --range row=2"), @r#"
    row,col,i32
    2,-2,0
    2,-1,-2147483648
    2,0,119
    "#);
    insta::assert_snapshot!(failure("head v22_tour/array x"), @r#"
    error: invalid value 'x' for '[N]': invalid digit found in string

    For more information, try '--help'.
    exit status 2
    "#);
}
