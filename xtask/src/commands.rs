//! Running commands.

use std::process::Command;

use crate::outcome::Outcome;

/// Runs a command; what it printed is the error when it fails.
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

/// What a command prints; what it says of errors is passed on, and is the error when it fails.
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

/// The first line of what was told that says anything.
pub(crate) fn first_line(told: &str) -> &str {
    let mut lines = told.lines().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or("")
}

/// Whether a program runs at all.
pub(crate) fn is_there(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}
