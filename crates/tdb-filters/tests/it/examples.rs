//! Runs the program of `examples/` and compares its output.

use std::process::Command;

#[test]
fn a_tile_is_filtered_and_the_filter_undone() {
    let tests = std::env::current_exe().expect("the path of the test");
    let built = tests.ancestors().nth(2).expect("what is built");
    let output = Command::new(built.join("examples/filter")).output();
    let output = output.expect("cargo builds examples together with tests");
    assert!(output.status.success(), "{output:?}");
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stdout), @"64 bytes, the same: true");
}
