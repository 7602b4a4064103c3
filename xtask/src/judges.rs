//! The comparisons with TileDB, and with pandas, pyarrow and numpy, that `cargo xtask ci` makes, and how much each must have compared.

use std::process::Command;

use crate::fixtures::output;
use crate::outcome::Outcome;
use crate::workspace::root;

/// One comparison: a command of ours, and the least of what it says that it compared.
struct Judge {
    arguments: &'static [&'static str],
    /// Words, and the least that the numbers before them add up to.
    floors: &'static [(&'static str, u64)],
}

const JUDGES: &[Judge] = &[
    Judge {
        arguments: &["interop", "--seed", "1", "--count", "100"],
        floors: &[
            ("arrays,", 100),
            ("queries,", 550),
            ("cells compared", 40_000),
        ],
    },
    Judge {
        arguments: &["interop-aggregates", "--seed", "1", "--count", "60"],
        floors: &[("arrays,", 40), ("aggregates compared", 500)],
    },
    Judge {
        arguments: &["interop-life", "--seed", "1", "--count", "15"],
        floors: &[("lived", 10), ("answers compared", 1_000)],
    },
    Judge {
        arguments: &["interop-write", "--seed", "2", "--count", "40"],
        floors: &[("writes by tdb", 50), ("cells compared", 5_000)],
    },
    Judge {
        arguments: &[
            "interop",
            "--releases",
            "7,17",
            "--seed",
            "3",
            "--count",
            "8",
        ],
        floors: &[("writes by tdb", 12), ("arrays merged", 3)],
    },
    Judge {
        arguments: &["interop-stores", "--seed", "4", "--count", "4"],
        floors: &[
            ("arrays in a store", 70),
            ("answers compared with", 250),
            ("lived", 4),
        ],
    },
    Judge {
        arguments: &["interop-sql"],
        floors: &[
            ("arrays in SQL,", 15),
            ("rows compared,", 1_000_000),
            ("answers agree", 300),
        ],
    },
    Judge {
        arguments: &["interop-tables", "--seed", "1", "--count", "6"],
        floors: &[("cases,", 90), ("comparisons", 25_000)],
    },
    Judge {
        arguments: &["stress", "--seconds", "15"],
        floors: &[("cells written", 50), ("reads by tdb", 50)],
    },
    Judge {
        arguments: &["walkthrough"],
        floors: &[("blocks of", 10)],
    },
    Judge {
        arguments: &["guide"],
        floors: &[("blocks of", 10)],
    },
];

/// Runs all comparisons; prints what they say in the end.
pub(crate) fn check() -> Outcome {
    for judge in JUDGES {
        let mut command = Command::new(std::env::current_exe()?);
        let name = judge.arguments.join(" ");
        let said = output(command.current_dir(root()).args(judge.arguments));
        let said = said.map_err(|error| format!("{name}: {error}"))?;
        for line in said.lines().filter(|line| judge.is_told_in(line)) {
            println!("   {name}: {line}");
        }
        let short = judge.short_of(&said);
        if !short.is_empty() {
            return Err(format!("{name} compared too little: {}", short.join(", ")).into());
        }
    }
    Ok(())
}

impl Judge {
    fn is_told_in(&self, line: &str) -> bool {
        self.floors.iter().any(|(what, _)| amount(line, what) > 0)
    }

    /// What there is less of than there should be.
    fn short_of(&self, said: &str) -> Vec<String> {
        let short = self.floors.iter().filter_map(|(what, least)| {
            let found = amount(said, what);
            let what = what.trim_end_matches(',');
            (found < *least).then(|| format!("{found} {what}, at least {least} are expected"))
        });
        short.collect()
    }
}

/// The sum of the numbers that stand before some words.
fn amount(said: &str, what: &str) -> u64 {
    let words = format!(" {what}");
    let places = said.match_indices(&words);
    let numbers = places.map(|(at, _)| {
        let before = said.get(..at).unwrap_or_default();
        let word = before.rsplit([' ', '\n']).next().unwrap_or_default();
        word.parse::<u64>().unwrap_or(0)
    });
    numbers.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_compares_less_is_seen() {
        let judge = Judge {
            arguments: &[],
            floors: &[("arrays,", 3), ("cells compared", 10)],
        };
        let said =
            "v7: 9 of old\n2 arrays, 5 cells compared; 0 differ\n1 arrays, 4 cells compared\n";
        assert_eq!(amount(said, "arrays,"), 3);
        assert_eq!(
            judge.short_of(said),
            ["9 cells compared, at least 10 are expected"]
        );
        assert_eq!(judge.short_of(&said.replace("4 cells", "5 cells")), [""; 0]);
        assert_eq!(judge.short_of("nothing").len(), 2);
    }
}
