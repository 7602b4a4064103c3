//! Checking the bans, licences and sources of all dependencies with cargo-deny.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::commands::{first_line, succeed};
use crate::outcome::{Missing, Outcome};
use crate::workspace::{cargo, root};

/// Version to install in `target/tools` if the machine has none.
const CARGO_DENY: &str = "0.20.2";

/// Checks the rules of `deny.toml`.
pub(crate) fn check() -> Outcome {
    let program = program()?;
    let mut command = Command::new(program);
    command.current_dir(root()).args([
        "--log-level",
        "error",
        "check",
        "bans",
        "licenses",
        "sources",
    ]);
    succeed(&mut command)?;
    println!(
        "   not checked: advisories, whose database is a git repository and no package; \
         `cargo deny check advisories` fetches it"
    );
    Ok(())
}

/// Returns the path of cargo-deny, installing it if necessary.
fn program() -> Result<PathBuf, Box<dyn std::error::Error>> {
    let tools = root().join("target/tools");
    let here = [tools.join("bin/cargo-deny"), PathBuf::from("cargo-deny")];
    if let Some(program) = here.iter().find(|program| answers(program)) {
        return Ok(program.clone());
    }
    let version = format!("cargo-deny@{CARGO_DENY}");
    println!("   installing {version} into target/tools");
    let mut install = cargo();
    // It runs for a second, so optimizing it would take much longer than it saves.
    install
        .args(["install", "--quiet", "--locked", "--debug", "--root"])
        .arg(&tools)
        .arg(&version)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
        .env("CARGO_INCREMENTAL", "0")
        // Uses its own temporary build folder, wherever else cargo may build.
        .env_remove("CARGO_TARGET_DIR");
    succeed(&mut install).map_err(|error| {
        let error = error.to_string();
        let why = first_line(&error);
        Missing(format!(
            "{version}, which `cargo install` cannot build here ({why})"
        ))
    })?;
    let [installed, _] = here;
    Ok(installed)
}

fn answers(program: &Path) -> bool {
    let version = Command::new(program)
        .arg("--version")
        .stderr(Stdio::null())
        .output();
    version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(CARGO_DENY))
}
