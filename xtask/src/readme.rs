//! Checking that the commands in the READMEs work, and print what is shown.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::outcome::Outcome;
use crate::report::Report;
use crate::server::{Server, Settings, log_file};
use crate::workshop::Workshop;
use crate::workspace::root;
use crate::{interop_stores, programs};

/// Line that stands for omitted lines of output.
const LEFT_OUT: &str = "…";

/// Bucket of the examples, on a server that is started for them.
const BUCKET: &str = "weather";

/// A shell command, and its output if that is shown.
#[derive(Debug, PartialEq, Eq)]
struct Example<'a> {
    command: &'a str,
    printed: Option<Vec<&'a str>>,
}

/// Runs the commands of all READMEs, compares their output with what is shown, and runs the Rust example of the main
/// README as a test.
pub(crate) fn check(report: &mut Report) -> Outcome {
    let built = programs::build_sql()?;
    programs::keep_sql(&built)?;
    let path = programs::path_with(&programs::tdb_with_sql()?)?;
    let workshop = Workshop::open()?;
    let (_server, settings) = interop_stores::moto(&workshop, &workshop.scratch().join("stores"))?;
    interop_stores::make_bucket(&workshop, BUCKET, &settings)?;
    let mut compared = 0;
    let mut started = Vec::new();
    for page in pages()? {
        let text = fs::read_to_string(root().join(&page))?;
        for example in examples(&text) {
            let command = example.command;
            if let Some(command) = command.strip_suffix(" &") {
                started.push(start(command, &path, &settings)?);
                continue;
            }
            run(&example, &path, &settings)
                .map_err(|error| format!("{page}, `{command}`: {error}"))?;
            compared += usize::from(example.printed.is_some());
        }
    }
    println!("{compared} outputs are as they are shown");
    if compared == 0 {
        return Err("no README shows what a command prints".into());
    }
    rust_example(built.messages(), report)
}

/// Returns the paths of the READMEs, relative to the root.
fn pages() -> Result<Vec<String>, Box<dyn Error>> {
    let mut pages = vec!["README.md".to_owned()];
    for entry in fs::read_dir(root().join("crates"))? {
        let name = entry?.file_name();
        pages.push(format!("crates/{}/README.md", name.to_string_lossy()));
    }
    pages.retain(|page| root().join(page).exists());
    pages.sort();
    Ok(pages)
}

/// Returns the shell that runs a command.
fn shell(command: &str, path: &OsStr, settings: &Settings) -> Command {
    let mut shell = Command::new("sh");
    shell.current_dir(root()).env("PATH", path);
    shell.envs(settings.iter().cloned());
    shell.args(["-c", command]);
    shell
}

/// Starts a background command, and waits until it listens at the port that it names.
fn start(command: &str, path: &OsStr, settings: &Settings) -> Result<Server, Box<dyn Error>> {
    let mut ports = command.split_whitespace().filter_map(|word| {
        let (_, port) = word.rsplit_once(':')?;
        port.parse().ok()
    });
    let port = ports
        .next()
        .ok_or_else(|| format!("`{command}` goes on, and names no port"))?;
    let log = log_file(
        &Workshop::open()?.scratch().join("readme"),
        &format!("at-{port}"),
    )?;
    Server::at(
        &log,
        port,
        shell(&format!("exec {command}"), path, settings),
    )
}

/// Runs an example, and compares its output.
fn run(example: &Example<'_>, path: &OsStr, settings: &Settings) -> Outcome {
    let done = shell(example.command, path, settings).output()?;
    if !done.status.success() {
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(format!("{}: {errors}", done.status).into());
    }
    let printed = String::from_utf8(done.stdout)?;
    let printed: Vec<&str> = printed.lines().collect();
    match &example.printed {
        Some(shown) if !is_shown(shown, &printed) => {
            let (shown, printed) = (shown.join("\n"), printed.join("\n"));
            Err(format!("it shows\n{shown}\nand what is printed is\n{printed}").into())
        }
        _ => Ok(()),
    }
}

/// True if the shown lines are the printed ones, apart from omitted lines.
fn is_shown(shown: &[&str], printed: &[&str]) -> bool {
    let mut parts = shown.split(|line| *line == LEFT_OUT);
    let (first, last) = (parts.next().unwrap_or_default(), parts.next_back());
    match last {
        None => first == printed,
        Some(last) => {
            let fits = first.len() + last.len() <= printed.len();
            fits && printed.starts_with(first) && printed.ends_with(last)
        }
    }
}

/// Returns the commands in `sh` blocks, and those after a `$` in `text` blocks with the output shown.
fn examples(page: &str) -> Vec<Example<'_>> {
    let mut language = None;
    let mut examples = Vec::new();
    for line in page.lines() {
        if let Some(fence) = line.strip_prefix("```") {
            language = language.is_none().then_some(fence);
            continue;
        }
        let is_ours = |line: &str| line.starts_with("tdb ") || line.starts_with("mkdir ");
        match (language, line.strip_prefix("$ ")) {
            (Some("sh"), _) if is_ours(line) => examples.push(Example {
                command: line,
                printed: None,
            }),
            (Some("text"), Some(command)) => examples.push(Example {
                command,
                printed: Some(Vec::new()),
            }),
            (Some("text"), None) => {
                if let Some(Example {
                    printed: Some(printed),
                    ..
                }) = examples.last_mut()
                {
                    printed.push(line);
                }
            }
            _ => {}
        }
    }
    examples
}

/// Runs the Rust example with the libraries built for the program.
fn rust_example(built: &[Value], report: &mut Report) -> Outcome {
    let libraries = libraries(built);
    let mut folders = libraries.values().filter_map(|file| file.parent());
    let folder = folders.find(|folder| folder.ends_with("deps"));
    let folder = folder.ok_or("cargo built no library")?;
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
    report.run("README.md", &mut rustdoc)
}

/// Returns the workspace libraries among what cargo built, by name.
fn libraries(built: &[Value]) -> BTreeMap<String, PathBuf> {
    let libraries = built.iter().filter_map(|message| {
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
    libraries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_lines_for_the_shell_and_what_they_print() {
        let page = "tdb no\n```sh\ncargo run\ntdb info x # why\n\n```\n```rust\ntdb no\n```\n\
            ```text\n$ tdb a\n1\n2\n$ tdb b\n```\n```text\nno\n```\n";
        let example = |command, printed| Example { command, printed };
        assert_eq!(
            examples(page),
            [
                example("tdb info x # why", None),
                example("tdb a", Some(vec!["1", "2"])),
                example("tdb b", Some(vec!["no"])),
            ]
        );
    }

    #[test]
    fn an_output_that_is_not_what_is_shown_is_found() {
        let command = "printf 'a  b\\n1  2\\n3  4\\n'";
        let check = |shown: &[&'static str]| {
            let printed = Some(shown.to_vec());
            let path = OsStr::new("/usr/bin:/bin");
            run(&Example { command, printed }, path, &Settings::new())
        };
        assert!(check(&["a  b", "1  2", "3  4"]).is_ok());
        assert!(check(&["a  b", "…"]).is_ok());
        assert!(check(&["a  b", "…", "3  4"]).is_ok());
        for wrong in [
            &["a  b", "1  2"][..],
            &["a", "1", "3"],
            &["a  b", "1  2", "3  4", "5  6"],
            &["1  2", "…"],
            &["a  b", "1  2", "…", "1  2", "3  4"],
            &[],
        ] {
            assert!(check(wrong).is_err(), "{wrong:?}");
        }
        let failing = Example {
            command: "exit 3",
            printed: None,
        };
        assert!(run(&failing, OsStr::new("/bin"), &Settings::new()).is_err());
    }
}
