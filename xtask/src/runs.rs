//! Running commands, and counting the tests that they run.

use std::process::Command;

use crate::outcome::Outcome;

/// What the tests came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tests {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
}

impl Tests {
    /// Runs a command that runs tests, and counts them.
    pub(crate) fn run(&mut self, command: &mut Command) -> Outcome {
        let output = command.output()?;
        let out = String::from_utf8_lossy(&output.stdout);
        self.count(&out);
        if output.status.success() {
            return Ok(());
        }
        let err = String::from_utf8_lossy(&output.stderr);
        Err(format!("{out}{err}{command:?}: {}", output.status).into())
    }

    /// Adds what other tests came to.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.ignored = self.ignored.saturating_add(other.ignored);
    }

    /// Adds what the lines `test result: ok. 12 passed; 0 failed; 1 ignored; …` say.
    fn count(&mut self, output: &str) {
        for line in output
            .lines()
            .filter(|line| line.starts_with("test result:"))
        {
            let words: Vec<&str> = line
                .split([' ', ';'])
                .filter(|word| !word.is_empty())
                .collect();
            let before = |what: &str| -> u64 {
                let number = words.windows(2).find_map(|pair| match pair {
                    [number, word] if *word == what => number.parse().ok(),
                    _ => None,
                });
                number.unwrap_or(0)
            };
            self.passed = self.passed.saturating_add(before("passed"));
            self.failed = self.failed.saturating_add(before("failed"));
            self.ignored = self.ignored.saturating_add(before("ignored"));
        }
    }
}

/// Runs a command; what it printed is the error when it fails.
pub(crate) fn succeed(command: &mut Command) -> Outcome {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    Err(format!("{out}{err}{command:?}: {}", output.status).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_over_all_binaries() {
        let mut tests = Tests::default();
        tests.count(
            "running 2 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
             noise 9 passed\ntest result: FAILED. 3 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out\n",
        );
        assert_eq!(
            tests,
            Tests {
                passed: 5,
                failed: 4,
                ignored: 1
            }
        );
    }
}
