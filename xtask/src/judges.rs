//! Judges: the comparisons with TileDB, pandas, pyarrow and numpy that `cargo xtask test` and `ci` make, and how much
//! each must have compared.
//!
//! Cases are random, determined by a seed. A long judge has several seeds, of which a run takes one, chosen by the
//! commit; ten commits use all of them. `cargo xtask judges --whole` takes all seeds. A failure names its seed and
//! case.

use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Command;
use std::time::Instant;

use crate::outcome::Outcome;
use crate::programs::{self, KEPT};
use crate::report::Report;
use crate::side_by_side;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

/// Number of judges run at once; judges are programs that mostly wait for each other.
const AT_ONCE: usize = 2;

/// One comparison: an xtask command, and the minimum amounts that it must report.
struct Judge {
    arguments: &'static [&'static str],
    /// Seeds, of which a run takes one; empty for a judge without random cases.
    seeds: &'static [u64],
    /// Words in the output, and the minimum sum of the numbers before them, per seed.
    floors: &'static [(&'static str, u64)],
}

/// Judges of `cargo xtask test`.
const SHORT: &[Judge] = &[
    Judge {
        arguments: &["interop", "--count", "10"],
        seeds: &[101, 102, 103, 104],
        floors: &[("arrays,", 10), ("queries,", 40), ("cells compared", 1_000)],
    },
    Judge {
        arguments: &["interop-write", "--count", "8"],
        seeds: &[101, 102, 103, 104],
        floors: &[("writes by tdb", 8), ("cells compared", 500)],
    },
];

/// Further judges of `cargo xtask ci`, the longest first.
const LONG: &[Judge] = &[
    Judge {
        arguments: &["interop-stores", "--count", "2"],
        seeds: &[4, 5],
        floors: &[
            ("arrays in a store", 70),
            ("answers compared with", 250),
            ("lived", 2),
        ],
    },
    Judge {
        arguments: &["interop-life", "--count", "8"],
        seeds: &[1, 2],
        floors: &[("lived", 5), ("answers compared", 500)],
    },
    Judge {
        arguments: &["interop", "--count", "50"],
        seeds: &[1, 2],
        floors: &[
            ("arrays,", 50),
            ("queries,", 275),
            ("cells compared", 10_000),
        ],
    },
    Judge {
        arguments: &["interop-aggregates", "--count", "30"],
        seeds: &[1, 2],
        floors: &[("arrays,", 20), ("aggregates compared", 200)],
    },
    Judge {
        arguments: &["interop-write", "--count", "20"],
        seeds: &[2, 3],
        floors: &[("writes by tdb", 25), ("cells compared", 2_500)],
    },
    Judge {
        arguments: &["interop", "--releases", "7,17", "--count", "4"],
        seeds: &[3, 4],
        floors: &[("writes by tdb", 6), ("arrays merged", 1)],
    },
    Judge {
        arguments: &["interop-tables", "--count", "3"],
        seeds: &[1, 2],
        floors: &[("cases,", 80), ("comparisons", 12_500)],
    },
    Judge {
        arguments: &["interop-edges", "--count", "8"],
        seeds: &[1, 2, 3],
        floors: &[("cases,", 8), ("comparisons", 500)],
    },
    Judge {
        arguments: &["interop-mishaps", "--count", "10"],
        seeds: &[1, 2, 3],
        floors: &[
            ("cases,", 60),
            ("questions asked,", 600),
            ("of them refused,", 80),
        ],
    },
    Judge {
        arguments: &["interop-old", "--count", "4"],
        seeds: &[1, 2, 3],
        floors: &[("old arrays,", 15), ("rows compared,", 1_000)],
    },
    Judge {
        arguments: &["stress", "--seconds", "15"],
        seeds: &[],
        floors: &[
            ("cells written", 50),
            ("reads by tdb", 50),
            ("writes by TileDB beside", 40),
            ("killed imports", 10),
        ],
    },
    Judge {
        arguments: &["walkthrough"],
        seeds: &[],
        floors: &[("blocks of", 10)],
    },
    Judge {
        arguments: &["guide"],
        seeds: &[],
        floors: &[("blocks of", 10)],
    },
];

/// Judges that compare SQL queries.
const SQL: &[Judge] = &[
    Judge {
        arguments: &["interop-sql"],
        seeds: &[],
        floors: &[
            ("arrays in SQL,", 15),
            ("rows compared,", 1_000_000),
            ("answers agree", 300),
        ],
    },
    Judge {
        arguments: &["interop-sql-random", "--count", "150"],
        seeds: &[1, 2],
        floors: &[("answers equal,", 120)],
    },
];

/// Runs the short judges.
pub(crate) fn compare(report: &mut Report) -> Outcome {
    judge(&chosen(SHORT)?, report)
}

/// Runs a part of the cases of each long judge.
pub(crate) fn check(report: &mut Report) -> Outcome {
    judge(&chosen(LONG)?, report)
}

/// Runs the judges of SQL.
pub(crate) fn check_sql(report: &mut Report) -> Outcome {
    judge(&chosen(SQL)?, report)
}

/// `cargo xtask judges`: runs the judges that the arguments name, or all; with `--whole`, with all seeds.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_whole = arguments.iter().any(|argument| argument == "--whole");
    let names: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let names: Vec<&&str> = names.iter().filter(|name| **name != "--whole").collect();
    let wanted = |judge: &&Judge| {
        names.is_empty()
            || judge
                .arguments
                .first()
                .is_some_and(|name| names.contains(&name))
    };
    let all = SHORT.iter().chain(LONG).chain(SQL);
    let wanted: Vec<&Judge> = all.filter(wanted).collect();
    if wanted.is_empty() {
        return Err("no judge has such a name".into());
    }
    programs::tdb()?;
    programs::tdb_with_sql()?;
    let mut report = Report::default();
    let commands: Vec<Trial> = if is_whole {
        wanted.into_iter().flat_map(Judge::whole).collect()
    } else {
        let commit = commit()?;
        wanted
            .into_iter()
            .map(|judge| judge.part(&commit))
            .collect()
    };
    judge(&commands, &mut report)
}

/// A judge with the seed to use.
struct Trial {
    judge: &'static Judge,
    seed: Option<u64>,
}

impl Judge {
    /// Returns the part of the cases to run at a commit.
    fn part(&'static self, commit: &str) -> Trial {
        let mut hasher = DefaultHasher::new();
        (commit, self.arguments).hash(&mut hasher);
        let count = self.seeds.len().max(1);
        // The remainder is less than the number of seeds.
        let place = usize::try_from(hasher.finish() % count as u64).unwrap_or(0);
        Trial {
            judge: self,
            seed: self.seeds.get(place).copied(),
        }
    }

    /// Returns all cases.
    fn whole(&'static self) -> Vec<Trial> {
        if self.seeds.is_empty() {
            return vec![self.part("")];
        }
        let trial = |seed: &u64| Trial {
            judge: self,
            seed: Some(*seed),
        };
        self.seeds.iter().map(trial).collect()
    }

    fn is_told_in(&self, line: &str) -> bool {
        self.floors.iter().any(|(what, _)| amount(line, what) > 0)
    }

    /// Returns a message for each amount that is too small.
    fn short_of(&self, said: &str) -> Vec<String> {
        let short = self.floors.iter().filter_map(|(what, least)| {
            let found = amount(said, what);
            let what = what.trim_end_matches(',');
            (found < *least).then(|| format!("{found} {what}, at least {least} are expected"))
        });
        short.collect()
    }
}

impl Trial {
    fn arguments(&self) -> Vec<String> {
        let mut arguments: Vec<String> = self
            .judge
            .arguments
            .iter()
            .map(|&text| text.to_owned())
            .collect();
        if let Some(seed) = self.seed {
            arguments.extend(["--seed".to_owned(), seed.to_string()]);
        }
        arguments
    }

    /// Runs the judge. Returns the text to print, and the things that could not be checked.
    fn run(&self) -> Result<(String, Vec<String>), Box<dyn Error>> {
        let begun = Instant::now();
        let name = self.arguments().join(" ");
        let mut command = Command::new(std::env::current_exe()?);
        command
            .current_dir(root())
            .env(KEPT, "yes")
            .args(self.arguments());
        let done = command.output()?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        if !done.status.success() {
            let errors = String::from_utf8_lossy(&done.stderr);
            return Err(format!("{errors}{name} failed; again by `cargo xtask {name}`").into());
        }
        let short = self.judge.short_of(&said);
        if !short.is_empty() {
            return Err(format!("{said}\n{name} compared too little: {}", short.join(", ")).into());
        }
        let mut told = String::new();
        for line in said.lines().filter(|line| self.judge.is_told_in(line)) {
            told += &format!("   {name}: {line}\n");
        }
        told += &format!("   {name}: {:.1} s", begun.elapsed().as_secs_f64());
        let missing = said
            .lines()
            .filter_map(|line| line.strip_prefix("NOT CHECKED: "));
        Ok((told, missing.map(str::to_owned).collect()))
    }
}

/// Returns, for each judge, the cases to run at this commit.
fn chosen(judges: &'static [Judge]) -> Result<Vec<Trial>, Box<dyn Error>> {
    let commit = commit()?;
    Ok(judges.iter().map(|judge| judge.part(&commit)).collect())
}

/// Returns the name of the commit; empty without git.
pub(crate) fn commit() -> Result<String, Box<dyn Error>> {
    let mut git = Command::new("git");
    let said = git.current_dir(root()).args(["rev-parse", "HEAD"]).output();
    Ok(match said {
        Ok(said) if said.status.success() => String::from_utf8(said.stdout)?.trim().to_owned(),
        _ => String::new(),
    })
}

/// Runs comparisons, several at a time, and prints the output of each when it ends.
fn judge(trials: &[Trial], report: &mut Report) -> Outcome {
    // The environment is set up once, before the judges need it at the same time.
    let workshop = Workshop::open()?;
    workshop.library(JUDGE.0, JUDGE.1)?;
    let done = side_by_side::each(trials, AT_ONCE, |trial| {
        let outcome = trial.run().map_err(|error| error.to_string());
        if let Ok((told, _)) = &outcome {
            println!("{told}");
        }
        (trial, outcome)
    })?;
    let mut failures = Vec::new();
    for (trial, outcome) in done {
        match outcome {
            Ok((_, missing)) => {
                let name = trial.arguments().join(" ");
                let missing = missing.iter();
                missing.for_each(|missing| report.not_checked(&name, missing));
            }
            Err(error) => failures.push(error),
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(failures.join("\n").into())
}

/// Returns the sum of the numbers that precede some words.
fn amount(said: &str, what: &str) -> u64 {
    let words = format!(" {what}");
    let places = said.match_indices(&words);
    let numbers = places.map(|(at, _)| {
        let before = said.get(..at).unwrap_or("");
        let word = before.rsplit([' ', '\n']).next().unwrap_or("");
        word.parse::<u64>().unwrap_or(0)
    });
    numbers.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const JUDGE: Judge = Judge {
        arguments: &["a"],
        seeds: &[5, 6, 7],
        floors: &[("arrays,", 3), ("cells compared", 10)],
    };

    #[test]
    fn a_run_that_compares_less_is_seen() {
        let said =
            "v7: 9 of old\n2 arrays, 5 cells compared; 0 differ\n1 arrays, 4 cells compared\n";
        assert_eq!(amount(said, "arrays,"), 3);
        assert_eq!(
            JUDGE.short_of(said),
            ["9 cells compared, at least 10 are expected"]
        );
        assert_eq!(JUDGE.short_of(&said.replace("4 cells", "5 cells")), [""; 0]);
        assert_eq!(JUDGE.short_of("nothing").len(), 2);
    }

    #[test]
    fn ten_commits_see_all_seeds() {
        static LAST: Judge = JUDGE;
        let at = |commit: u64| LAST.part(&format!("{commit:040x}")).seed;
        assert_eq!(at(1), at(1));
        let seen: std::collections::BTreeSet<_> = (0..10).map(at).collect();
        assert_eq!(seen, [Some(5), Some(6), Some(7)].into());
        assert_eq!(LAST.whole().len(), 3);
    }

    #[test]
    fn one_without_seeds_runs_as_it_is() {
        static STRESS: Judge = Judge {
            seeds: &[],
            ..JUDGE
        };
        assert_eq!(STRESS.part("x").arguments(), ["a"]);
        assert_eq!(STRESS.whole().len(), 1);
    }
}
