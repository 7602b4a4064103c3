//! Findings of the parts of a run: tests by crate, and things that could not be checked.

use std::collections::BTreeMap;
use std::process::Command;

use crate::outcome::Outcome;

/// Numbers of tests that passed, failed and were ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tests {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
}

impl Tests {
    /// Counts the tests in lines such as `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
    pub(crate) fn counted(output: &str) -> Self {
        let mut tests = Self::default();
        let lines = output.lines();
        for line in lines.filter(|line| line.starts_with("test result:")) {
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
            tests.add(Self {
                passed: before("passed"),
                failed: before("failed"),
                ignored: before("ignored"),
            });
        }
        tests
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }

    pub(crate) fn run(self) -> u64 {
        self.passed + self.failed
    }
}

/// Findings of one part.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Tests that ran, by crate.
    pub(crate) tests: BTreeMap<String, Tests>,
    /// Things that could not be checked, with the reason.
    pub(crate) not_checked: Vec<String>,
    /// Things that could not be checked and that even a complete run may omit, with the reason.
    pub(crate) told: Vec<String>,
}

impl Report {
    /// Adds tests of a crate.
    pub(crate) fn count(&mut self, name: &str, tests: Tests) {
        self.tests.entry(name.to_owned()).or_default().add(tests);
    }

    /// Runs a command that runs tests of a crate, and counts them.
    pub(crate) fn run(&mut self, name: &str, command: &mut Command) -> Outcome {
        let output = command.output()?;
        let out = String::from_utf8_lossy(&output.stdout);
        self.count(name, Tests::counted(&out));
        if output.status.success() {
            return Ok(());
        }
        let err = String::from_utf8_lossy(&output.stderr);
        Err(format!("{out}{err}{command:?}: {}", output.status).into())
    }

    /// Records and prints that something cannot be checked on this machine.
    pub(crate) fn not_checked(&mut self, what: &str, missing: &str) {
        self.not_checked.push(not_checked(what, missing));
    }

    /// As `not_checked`, for things that even a complete run may omit.
    pub(crate) fn told(&mut self, what: &str, missing: &str) {
        self.told.push(not_checked(what, missing));
    }

    /// Adds the findings of another part.
    pub(crate) fn add(&mut self, other: Self) {
        for (name, tests) in other.tests {
            self.count(&name, tests);
        }
        self.not_checked.extend(other.not_checked);
        self.told.extend(other.told);
    }

    /// Returns the tests of all crates together.
    pub(crate) fn total(&self) -> Tests {
        let mut total = Tests::default();
        self.tests.values().for_each(|tests| total.add(*tests));
        total
    }
}

fn not_checked(what: &str, missing: &str) -> String {
    let line = format!("{what}: {missing}");
    println!("   NOT CHECKED: {line}");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_over_all_binaries() {
        let tests = Tests::counted(
            "running 2 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
             noise 9 passed\ntest result: FAILED. 3 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out\n",
        );
        let wanted = Tests {
            passed: 5,
            failed: 4,
            ignored: 1,
        };
        assert_eq!(tests, wanted);
        let mut report = Report::default();
        report.count("a", tests);
        report.count("a", tests);
        report.count("b", tests);
        assert_eq!(report.total().passed, 15);
        assert_eq!(report.tests.get("a").unwrap().run(), 18);
    }
}
