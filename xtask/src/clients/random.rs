//! Random programs over TileDB-Py, run with either library and compared step by step (`random_programs.py`).

use std::error::Error;
use std::process::Command;

use super::environment::Environment;
use crate::outcome::Outcome;
use crate::report::Tests;
use crate::workspace::root;

/// The programs of a run in CI, which are the same each time: of other seeds, some still differ.
const CHECK_SEED: &str = "1";
const CHECK_COUNT: u64 = 60;
/// Seconds after which such a run begins no further program, and the number of them that it must have compared then.
const CHECK_SECONDS: &str = "50";
const CHECK_FLOOR: u64 = 5;

/// Which programs to run.
pub(super) struct Programs {
    pub(super) seed: String,
    pub(super) count: u64,
    /// Seconds after which no further program begins.
    pub(super) seconds: Option<&'static str>,
}

impl Programs {
    /// Those of a run in CI.
    pub(super) fn of_ci() -> Self {
        Self {
            seed: CHECK_SEED.to_owned(),
            count: CHECK_COUNT,
            seconds: Some(CHECK_SECONDS),
        }
    }

    /// Runs the programs, and prints what they say.
    ///
    /// Fails if a step differs and the difference has no name.
    pub(super) fn run(&self, original: &Environment, ours: &Environment) -> Outcome {
        self.compare(original, ours).map(drop)
    }

    /// Runs the programs of a run in CI, and counts them.
    pub(super) fn check(
        &self,
        original: &Environment,
        ours: &Environment,
    ) -> Result<Tests, Box<dyn Error>> {
        let passed = self.compare(original, ours)?;
        if passed < CHECK_FLOOR {
            return Err(format!("only {passed} random programs were compared").into());
        }
        Ok(Tests {
            passed,
            ..Tests::default()
        })
    }

    fn compare(&self, original: &Environment, ours: &Environment) -> Result<u64, Box<dyn Error>> {
        let mut python = Command::new(original.python());
        python
            .arg("-B")
            .arg(root().join("xtask/clients/random_programs.py"));
        python.arg(&self.seed).arg(self.count.to_string());
        python.arg("--original").arg(original.python());
        python.arg("--tdb").arg(ours.python());
        if let Some(seconds) = self.seconds {
            python.args(["--seconds", seconds]);
        }
        let done = python.output()?;
        let said = String::from_utf8_lossy(&done.stdout);
        print!("{said}");
        if !done.status.success() {
            let why = String::from_utf8_lossy(&done.stderr);
            let seed = &self.seed;
            return Err(format!("random programs of seed {seed} differ\n{why}").into());
        }
        programs(&said).ok_or_else(|| "no number of programs was said".into())
    }
}

/// Returns the number before `programs` in the last line.
fn programs(said: &str) -> Option<u64> {
    let (number, _) = said.lines().last()?.trim().split_once(" programs, ")?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_programs_is_read() {
        let said = "   known: x: 1\n   30 programs, 489 steps compared, 0 programs differ\n";
        assert_eq!(programs(said), Some(30));
        assert_eq!(programs("nothing\n"), None);
    }
}
