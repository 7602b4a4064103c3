//! Facts about the machine and the commit that a table of figures must state.

use std::fs;
use std::process::{Command, Stdio};

use crate::commands::output;
use crate::workspace::root;

/// Returns the measured commit, with a mark if files differ from it.
pub(super) fn commit() -> Result<String, Box<dyn std::error::Error>> {
    let git = |arguments: &[&str]| output(Command::new("git").current_dir(root()).args(arguments));
    let commit = git(&["rev-parse", "--short=10", "HEAD"])?;
    // Pages and reasons describe results; they do not affect what is measured.
    let changed = git(&[
        "status",
        "--porcelain",
        "--untracked-files=no",
        "--",
        ".",
        ":!docs",
        ":!xtask/bench/suite/reasons.json",
    ])?;
    let mark = if changed.trim().is_empty() {
        ""
    } else {
        " with changes"
    };
    Ok(format!("{}{mark}", commit.trim()))
}

/// True if the measured programs and the benchmark code are the same at two commits, of which the second is checked
/// out.
pub(super) fn same_programs(before: &str, now: &str) -> bool {
    const PROGRAMS: [&str; 5] = [
        "crates",
        "bench",
        "Cargo.lock",
        "xtask/bench/suite/*.py",
        ":!*.md",
    ];
    let is_plain =
        |commit: &str| !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_plain(before) || !is_plain(now) {
        return false;
    }
    let mut git = Command::new("git");
    git.current_dir(root())
        .args(["diff", "--quiet", before, now, "--"]);
    // The command also fails if the commit does not exist.
    let status = git.args(PROGRAMS).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Describes processor, cores, memory and operating system.
pub(super) fn facts() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let value = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(':'))
            .map(|(_, value)| value.trim().to_owned())
    };
    let processor = value(&read("/proc/cpuinfo"), "model name");
    let memory = value(&read("/proc/meminfo"), "MemTotal")
        .and_then(|memory| memory.split(' ').next()?.parse::<f64>().ok());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}, {cores} cores, {:.0} GiB of memory, {}",
        processor.unwrap_or_else(|| "unknown processor".into()),
        memory.unwrap_or(0.0) / 1024.0 / 1024.0,
        std::env::consts::OS
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_the_same_at_one_commit_and_unknown_with_changes() {
        let now = output(
            Command::new("git")
                .current_dir(root())
                .args(["rev-parse", "HEAD"]),
        );
        let now = now.unwrap();
        let now = now.trim();
        assert!(same_programs(now, now));
        assert!(!same_programs(&format!("{now} with changes"), now));
        assert!(!same_programs("0123456789", now));
        assert!(!same_programs("", now));
    }
}
