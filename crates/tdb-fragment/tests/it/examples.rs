//! Runs the program of `examples/` and compares its output.

use std::path::Path;
use std::process::Command;

#[test]
fn the_footer_of_a_fragment_is_shown() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    // The example takes the version from the folder's name.
    let fragment = Path::new(env!("CARGO_TARGET_TMPDIR")).join("__100_100_0f_22");
    std::fs::create_dir_all(&fragment).expect("a folder");
    let metadata = fragment.join("__fragment_metadata.tdb");
    std::fs::copy(data.join("v22_sparse.metadata"), metadata).expect("a copy");
    let tests = std::env::current_exe().expect("the path of the test");
    let built = tests.ancestors().nth(2).expect("what is built");
    let mut command = Command::new(built.join("examples/footer"));
    let command = command.arg(data.join("v22_sparse.schema")).arg(fragment);
    let output = command
        .output()
        .expect("cargo builds examples together with tests");
    assert!(output.status.success(), "{output:?}");
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stdout));
}
