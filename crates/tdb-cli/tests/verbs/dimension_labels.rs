//! Cells chosen by labels of their dimensions: of `x` `name` (alpha, beta, delta, gamma, omega, zeta) and `depth` (10 down to -2.5),
//! of `y` `day`.
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
    // Nothing is both.
    assert_eq!(count("--label name=alpha..beta --label depth=-3..0"), "0\n");
    assert_eq!(count("--label name=alpha..beta --range x=3..5"), "0\n");
    // Labels of other dimensions are other sides of the box.
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
    // One that no label lies in adds nothing, and takes nothing.
    assert_eq!(count("--label name=alpha..beta --label name=aa..ab"), "8\n");
    assert_eq!(count("--label name=aa..ab"), "0\n");
    // So it is with ranges of the dimension.
    assert_eq!(count("--range x=0..1 --range x=4..5"), "16\n");
}

#[test]
fn a_file_says_which_labels_it_lacks() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.parquet");
    let output = run(&format!("export v22_labels/array {}", file.display()));
    let warning = "warning: the file has no labels of dimensions, and an array that is made of it has none either: labels name, depth, day";
    assert!(told(&output).starts_with(warning), "{}", told(&output));
    assert!(!told(&run("read v22_labels/array --format csv")).contains("warning"));
}
