//! Running commands.

use std::process::Command;

use crate::outcome::Outcome;

/// Runs a command; if it fails, its output is the error.
pub(crate) fn succeed(command: &mut Command) -> Outcome {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    Err(format!("{out}{err}{command:?}: {}", output.status).into())
}

/// Returns the output of a command. Its error output is passed on, or is the error if the command fails.
pub(crate) fn output(command: &mut Command) -> Result<String, Box<dyn std::error::Error>> {
    let done = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if done.status.success() {
        eprint!("{}", String::from_utf8_lossy(&done.stderr));
        return Ok(String::from_utf8(done.stdout)?);
    }
    Err(String::from_utf8_lossy(&done.stderr).into_owned().into())
}

/// Returns the first line that is not blank.
pub(crate) fn first_line(told: &str) -> &str {
    let mut lines = told.lines().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or("")
}

/// True if a program can be started.
pub(crate) fn is_there(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}
