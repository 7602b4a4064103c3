//! House checks, golden fixtures, interoperability runs and benchmarks.
//!
//! `cargo xtask COMMAND [options]`; one module per command.

mod bench;
mod capi;
mod cells;
mod checks;
mod ci;
mod clients;
mod commands;
mod damage;
mod deny;
mod disk;
mod door;
mod essence;
#[cfg(test)]
mod example_programs;
mod feature_sets;
mod fixtures;
mod fuzz;
mod interop;
mod interop_aggregates;
mod interop_life;
mod interop_mishaps;
mod interop_read;
mod interop_sql;
mod interop_sql_random;
mod interop_stores;
mod interop_tables;
mod interop_write;
mod judges;
mod layers;
mod network;
mod outcome;
mod package;
mod pages;
mod parts;
mod programs;
mod proxy;
mod readme;
mod release;
mod report;
mod requests;
mod sbom;
mod server;
mod side_by_side;
mod stress;
mod targets;
mod test;
mod test_programs;
mod versions;
mod walkthrough;
mod workshop;
mod workspace;

use std::process::ExitCode;

use outcome::Outcome;

/// A command: its name, its description, and the function that takes its arguments.
struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Outcome,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "bench",
        about: "tdb against TileDB and the limits of the machine [--quick] [--only PART[,PART]] [--rounds N] [--threads 1,2] [--write] [--page] [--far]; or questions, stores, a part of them",
        run: bench::run,
    },
    Command {
        name: "capi",
        about: "the library of the C interface: built, its names, its header, installed [--release] [--features F] [--prefix FOLDER] [--bless]",
        run: capi::run,
    },
    Command {
        name: "ci",
        about: "everything that must hold before a change is taken [--only PART[,PART]] [--keep-going] [--complete] [--rest]",
        run: ci::run,
    },
    Command {
        name: "clients",
        about: "clients over tdb's library: the suite of TileDB-Py, a tenth by the commit or all of it, tiledbsoma [--whole] [--bless] [--original], or random programs [--random N] [--seed S]",
        run: clients::run,
    },
    Command {
        name: "damage",
        about: "golden arrays with something broken in them [--seed S] [--count N]",
        run: damage::run,
    },
    Command {
        name: "fixtures",
        about: "make the golden arrays with real TileDB releases [--only NAME[,NAME]] [--check]",
        run: fixtures::run,
    },
    Command {
        name: "fuzz",
        about: "kept inputs of the fuzz targets, then a search for others [--seconds N] [--only TARGET[,TARGET]]",
        run: fuzz::run,
    },
    Command {
        name: "interop",
        about: "random arrays by TileDB, read by both; with --releases all or 7,21: writes by tdb, read by older releases [--seed S] [--count N]",
        run: interop_read::run,
    },
    Command {
        name: "interop-aggregates",
        about: "aggregates of random arrays by TileDB, told by both [--seed S] [--count N]",
        run: interop_aggregates::run,
    },
    Command {
        name: "interop-life",
        about: "random lives of arrays and groups, by TileDB and by both in turns [--seed S] [--count N]",
        run: interop_life::run,
    },
    Command {
        name: "interop-stores",
        about: "golden arrays and lives on real servers of S3, Azure and HTTP, by TileDB and tdb [--seed S] [--count N]",
        run: interop_stores::run,
    },
    Command {
        name: "interop-sql",
        about: "questions in SQL over files, S3, workers and Parquet, beside what TileDB reads",
        run: interop_sql::run,
    },
    Command {
        name: "interop-sql-random",
        about: "random questions in SQL, beside what DuckDB says of the cells that TileDB reads",
        run: interop_sql_random::run,
    },
    Command {
        name: "interop-tables",
        about: "random tables of pandas, pyarrow and numpy, through arrays and back, and what is told of them [--seed S] [--count N] [--case NUMBER]",
        run: interop_tables::run,
    },
    Command {
        name: "interop-edges",
        about: "random cells that stand for no value (labels, NaT, NaN, zeros, padded text) through every verb and file [--seed S] [--count N] [--case NUMBER]",
        run: interop_tables::run_edges,
    },
    Command {
        name: "interop-mishaps",
        about: "cut streams, misplaced results, huge domains, damage, lost history and clocks that are off, at random [--seed S] [--count N] [--kind A,B] [--case NUMBER] [--program FILE]",
        run: interop_mishaps::run,
    },
    Command {
        name: "interop-old",
        about: "random arrays by TileDB 2.0 to 2.4, read by tdb and by TileDB 2.30 [--seed S] [--count N] [--program FILE]",
        run: interop_mishaps::run_old,
    },
    Command {
        name: "interop-write",
        about: "random writes by tdb, read by TileDB, which made them too [--seed S] [--count N]",
        run: interop_write::run,
    },
    Command {
        name: "judges",
        about: "the comparisons of test and ci [NAME…], at this commit's seeds or, with --whole, at all",
        run: judges::run,
    },
    Command {
        name: "door",
        about: "whether the crate tdb exports each type of its public signatures, and of those of what it exports",
        run: |_| door::check(),
    },
    Command {
        name: "layers",
        about: "whether manifests, modules and counts keep to the rules; --bless writes counts that have shrunk",
        run: layers::run,
    },
    Command {
        name: "python",
        about: "make Python's environment for the judges, and say where it is",
        run: workshop::run,
    },
    Command {
        name: "release",
        about: "the program tdb for Linux, as it is given to others: size, C library, and --twice the same bytes [--features F]",
        run: release::run,
    },
    Command {
        name: "sbom",
        about: "the packages that are in the program tdb, with versions, licences and checksums, as CycloneDX [--features F]",
        run: sbom::run,
    },
    Command {
        name: "stress",
        about: "processes of tdb and TileDB at one array, writing, merging, vacuuming and reading at once [--seconds N]",
        run: stress::run,
    },
    Command {
        name: "test",
        about: "what is run before a change is sent, in minutes [--only PART[,PART]] [--keep-going] [--complete]",
        run: test::run,
    },
    Command {
        name: "walkthrough",
        about: "docs/walkthrough.md as it is told, tdb and TileDB taking turns [--bless]",
        run: walkthrough::run,
    },
    Command {
        name: "guide",
        about: "docs/guide.md as it is told: from an unknown array to an answer, a picture and a file [--bless]",
        run: walkthrough::guide,
    },
    Command {
        name: "versions",
        about: "write docs/versions.md: which fields are stored in which format versions [--check]",
        run: versions::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        eprintln!("cargo xtask COMMAND\n{}", usage());
        return ExitCode::from(2);
    };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("error: no command `{name}`\n{}", usage());
        return ExitCode::from(2);
    };
    match (command.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let line = |command: &Command| format!("  {:<18} {}\n", command.name, command.about);
    COMMANDS.iter().map(line).collect()
}
