//! Whether what README.md shows can be done.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::ci::{Tests, succeed};
use crate::fixtures::output;
use crate::workspace::{cargo, root};
use crate::{Outcome, interop};

/// Runs the lines for the shell with the program, and the Rust example as a test.
pub(crate) fn check(tests: &mut Tests) -> Outcome {
    let readme = fs::read_to_string(root().join("README.md"))?;
    let path = path_with(interop::program()?)?;
    // Where the lines write to, should cargo build elsewhere.
    fs::create_dir_all(root().join("target"))?;
    for line in shell_lines(&readme) {
        let mut shell = Command::new("sh");
        shell
            .current_dir(root())
            .env("PATH", &path)
            .args(["-c", line]);
        succeed(&mut shell).map_err(|error| format!("README.md, `{line}`: {error}"))?;
    }
    let libraries = libraries()?;
    let folder = libraries
        .values()
        .next()
        .and_then(|file| file.parent())
        .ok_or("cargo built no library")?;
    let mut rustdoc = Command::new("rustdoc");
    rustdoc
        .current_dir(root())
        .args(["--test", "README.md", "--edition", "2024", "-L"]);
    let mut dependencies = OsString::from("dependency=");
    dependencies.push(folder);
    rustdoc.arg(dependencies);
    for (name, file) in &libraries {
        let mut library = OsString::from(format!("{name}="));
        library.push(file);
        rustdoc.arg("--extern").arg(library);
    }
    tests.run(&mut rustdoc)
}

/// The lines of the fenced blocks for the shell that begin with the program.
fn shell_lines(readme: &str) -> Vec<&str> {
    let mut in_shell = false;
    let mut lines = Vec::new();
    for line in readme.lines() {
        if let Some(language) = line.strip_prefix("```") {
            in_shell = language == "sh";
        } else if in_shell && line.starts_with("tdb ") {
            lines.push(line);
        }
    }
    lines
}

/// The search path with the folder of the program before all others.
pub(crate) fn path_with(program: PathBuf) -> Result<OsString, Box<dyn Error>> {
    let folder = program
        .parent()
        .ok_or("the program lies nowhere")?
        .to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths(
        std::iter::once(folder).chain(std::env::split_paths(&path)),
    )?)
}

/// The libraries of ours that tdb-query is built from, by name.
fn libraries() -> Result<BTreeMap<String, PathBuf>, Box<dyn Error>> {
    let mut build = cargo();
    build.args([
        "build",
        "--quiet",
        "--package",
        "tdb-query",
        "--message-format",
        "json-render-diagnostics",
    ]);
    let built = output(&mut build)?;
    let messages = built
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let libraries = messages.filter_map(|message| {
        let name = message.get("target")?.get("name")?.as_str()?;
        let mut files = message
            .get("filenames")?
            .as_array()?
            .iter()
            .filter_map(Value::as_str);
        let file = files.rfind(|file| file.ends_with(".rlib"))?;
        name.starts_with("tdb")
            .then(|| (name.replace('-', "_"), PathBuf::from(file)))
    });
    Ok(libraries.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_call_the_program_are_run() {
        let readme = "tdb no\n```sh\ncargo run\ntdb info x # why\n\n```\n```rust\ntdb no\n```\n";
        assert_eq!(shell_lines(readme), ["tdb info x # why"]);
    }
}
