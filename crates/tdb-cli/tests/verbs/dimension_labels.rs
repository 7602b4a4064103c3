//! Cells selected by dimension labels. Dimension `x` has the labels `name` (alpha, beta, delta, gamma, omega, zeta)
//! and `depth` (10 down to -2.5); `y` has `day`.
use crate::common::{run, stdout, told};

fn count(selection: &str) -> String {
    stdout(&format!("count v22_labels/array {selection}"))
}

#[test]
fn labels_of_one_dimension_and_its_ranges_hold_together() {
    // x 1..4 and x 2..4
    assert_eq!(count("--label name=beta..omega --label depth=0..5"), "12\n");
    assert_eq!(count("--label name=beta..omega --range x=0..2"), "8\n");
    let sum = stdout("agg v22_labels/array sum(a) --label name=beta..omega --range x=0..2");
    assert_eq!(sum.lines().last().map(str::trim), Some("860"));
    let read = stdout(
        "read v22_labels/array --label name=beta..omega --label depth=0..5 --range x=4 --format csv",
    );
    assert_eq!(read, "x,y,a\n4,1,116\n4,2,117\n4,3,118\n4,4,119\n");
    // No cell satisfies both.
    assert_eq!(count("--label name=alpha..beta --label depth=-3..0"), "0\n");
    assert_eq!(count("--label name=alpha..beta --range x=3..5"), "0\n");
    // Labels of different dimensions select a box.
    let box_of_both = "--label name=beta --label day=2019-04-14..2019-04-15";
    assert_eq!(count(box_of_both), "2\n");
}

#[test]
fn ranges_of_one_label_add_up() {
    let both = "--label name=alpha..beta --label name=omega..zeta";
    assert_eq!(count(both), "16\n");
    assert_eq!(
        count(&format!("{both} --label depth=-3..0 --range x=0..4")),
        "4\n"
    );
    // An interval that contains no label adds nothing and removes nothing.
    assert_eq!(count("--label name=alpha..beta --label name=aa..ab"), "8\n");
    assert_eq!(count("--label name=aa..ab"), "0\n");
    // The same holds for ranges of the dimension.
    assert_eq!(count("--range x=0..1 --range x=4..5"), "16\n");
}

#[test]
fn labels_are_columns_beside_the_cells() {
    let read = |more: &str| stdout(&format!("read v22_labels/array --format csv {more}"));
    assert_eq!(
        read("--attrs name,a,day --range x=1..2 --range y=4"),
        "x,y,name,a,day\n1,4,beta,107,2019-04-21\n2,4,delta,111,2019-04-21\n"
    );
    // Without dimensions, with columns in another order, sorted and limited.
    assert_eq!(
        read("--attrs a,depth --no-dims --sort=-a --limit 2"),
        "a,depth\n123,-2.5\n122,-2.5\n"
    );
    assert_eq!(
        read("--attrs name --dims y --label name=beta..delta --label depth=0..5"),
        "y,name\n1,delta\n2,delta\n3,delta\n4,delta\n"
    );
    assert_eq!(read("--attrs name --where a>1000"), "x,y,name\n");
    let json = stdout("read v22_labels/array --format jsonl --attrs depth,name --limit 1");
    assert_eq!(
        json,
        "{\"x\":0,\"y\":1,\"depth\":10.0,\"name\":\"alpha\"}\n"
    );
    let refused = told(&run("read v22_labels/array --attrs nam"));
    assert!(
        refused.contains("there is no attribute \"nam\""),
        "{refused}"
    );
}

#[test]
fn a_file_has_the_labels_that_are_asked_for_and_says_which_it_lacks() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).display().to_string();
    for ending in ["parquet", "arrow", "csv"] {
        let file = place(&format!("a.{ending}"));
        let output = told(&run(&format!("export v22_labels/array {file}")));
        let warning = "warning: the file does not contain the dimension labels name, depth, day, nor will an array imported from it; use --attrs";
        assert!(output.starts_with(warning), "{output}");
        let file = place(&format!("b.{ending}"));
        let output = run(&format!(
            "export v22_labels/array {file} --attrs name,a,depth,day"
        ));
        assert!(!told(&output).contains("warning"), "{}", told(&output));
        let made = place(&format!("made_{ending}"));
        stdout(&format!("import {file} {made} --dim x,y --sparse -q"));
        let read = stdout(&format!("read {made} --limit 1 --format csv"));
        assert_eq!(
            read, "x,y,name,a,depth,day\n0,1,alpha,100,10.0,2019-04-14\n",
            "{ending}"
        );
    }
    assert!(!told(&run("read v22_labels/array --format csv")).contains("warning"));
}
