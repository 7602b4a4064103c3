//! Builds and tests a filter in a crate of its own, through the public interface only.
use std::path::Path;
use std::process::Command;

#[test]
fn a_crate_can_bring_a_filter() {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside-filter");
    let output = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--offline", "--manifest-path"])
        .arg(crate_dir.join("Cargo.toml"))
        .env(
            "CARGO_TARGET_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside"),
        )
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{told}\n{}",
        String::from_utf8_lossy(&output.stdout)
    );
}
