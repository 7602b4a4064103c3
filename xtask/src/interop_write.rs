//! `cargo xtask interop-write`: checks that TileDB reads from tdb's writes what it would have written itself.
//!
//! TileDB 2.30 creates random arrays twice (`xtask/interop/random_writes.py`), omitting some writes the second time;
//! tdb makes those writes here. Then TileDB reads and compares both, also after consolidating them, and its results
//! for the second are compared with `tdb read`.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::commands::output;
use crate::interop::{Options, compare, parse};
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

/// Default number of random arrays per round with an older release.
const PER_RELEASE: &str = "12";

/// A release of TileDB that creates arrays and checks what tdb made of them.
struct Judge<'a> {
    options: &'a Options,
    workshop: &'a Workshop,
    library: PathBuf,
    /// Format version that the release writes, if it is an older one.
    version: Option<u64>,
    folder: PathBuf,
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workshop = &Workshop::open()?;
    let options = &parse(arguments, workshop)?;
    let folder = options
        .folder
        .with_file_name(format!("writes-{}", options.seed));
    let judge = Judge {
        options,
        workshop,
        library: workshop.library(JUDGE.0, JUDGE.1)?,
        version: None,
        folder,
    };
    let writes = judge.round()?;
    println!("{writes} writes by tdb, compared with those of TileDB");
    let program = programs::tdb()?;
    compare(&program, &judge.folder, &[])?;
    let merged = judge.merge()?;
    println!("{merged} arrays whose fragments tdb merged, read as before");
    compare(&program, &judge.folder, &[])
}

/// `cargo xtask interop --releases 7,21`: arrays of older releases to which tdb wrote, read by the same release and by
/// 2.30.
pub(crate) fn releases(options: &Options, workshop: &Workshop, wanted: &str) -> Outcome {
    let known = workshop.releases()?;
    let written = |version: u64| (7..22).contains(&version);
    let all = known.iter().filter(|release| written(release.version));
    let chosen: Vec<_> = all
        .filter(|release| {
            let mut names = wanted.split(',');
            names.any(|name| name == "all" || name == release.version.to_string())
        })
        .collect();
    if chosen.is_empty() {
        return Err("--releases takes format versions from 7 to 21, or `all`".into());
    }
    let mut options = options.clone();
    options.count = options.given.clone().unwrap_or(PER_RELEASE.to_owned());
    let mut differ = Vec::new();
    for release in chosen {
        let name = format!("release-{}-{}", release.version, options.seed);
        let judge = Judge {
            options: &options,
            workshop,
            library: workshop.library(&release.wheel, &release.python)?,
            version: Some(release.version),
            folder: options.folder.with_file_name(name),
        };
        print!("format {}, tiledb=={}: ", release.version, release.wheel);
        let newest = workshop.library(JUDGE.0, JUDGE.1)?;
        match judge.round_and_merge(newest) {
            Ok((writes, merged)) => {
                println!(
                    "{writes} writes by tdb, read the same as its own, also by 2.30; {merged} arrays merged, too"
                )
            }
            Err(error) => differ.push(format!("format {}: {error}", release.version)),
        }
    }
    if differ.is_empty() {
        Ok(())
    } else {
        Err(differ.join("\n").into())
    }
}

impl Judge<'_> {
    /// Has the release create arrays, tdb write to them, and the release compare. Returns the number of writes.
    fn round(&self) -> Result<u64, Box<dyn Error>> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)?;
        }
        self.ask("make")?;
        let writes = self.engine("write")?;
        self.check("check")?;
        Ok(writes)
    }

    /// Runs a round, and has the newest release compare too, before and after tdb has merged fragments.
    fn round_and_merge(self, newest: PathBuf) -> Result<(u64, u64), Box<dyn Error>> {
        let writes = self.round()?;
        let newest = Judge {
            library: newest,
            folder: self.folder.clone(),
            ..self
        };
        newest.check("check")?;
        let merged = self.merge()?;
        newest.check("merged")?;
        Ok((writes, merged))
    }

    /// Has tdb merge the fragments of all arrays, and TileDB compare again. Returns the number of arrays with
    /// fragments to merge.
    fn merge(&self) -> Result<u64, Box<dyn Error>> {
        let merged = self.engine("merge")?;
        self.check("merged")?;
        Ok(merged)
    }

    /// Has tdb do its part for all arrays. Returns the number that it prints.
    fn engine(&self, verb: &str) -> Result<u64, Box<dyn Error>> {
        let said = output(
            Command::new(programs::engine()?)
                .arg(verb)
                .arg(&self.folder),
        )?;
        Ok(said.trim().parse()?)
    }

    fn check(&self, phase: &str) -> Outcome {
        let said = self.ask(phase)?;
        let differences: Vec<&str> = said.lines().filter(|l| l.starts_with("seed")).collect();
        if differences.is_empty() {
            return Ok(());
        }
        let differences = differences.join("\n");
        Err(
            format!("{phase}: TileDB does not find what it would have written\n{differences}")
                .into(),
        )
    }

    fn ask(&self, phase: &str) -> Result<String, Box<dyn Error>> {
        let said = output(
            Command::new(self.workshop.python())
                .arg("-B")
                .arg(root().join("xtask/interop/random_writes.py"))
                .arg(&self.library)
                .arg(root().join("fixtures/recipes"))
                .arg(&self.folder)
                .args([&self.options.seed, &self.options.count])
                .arg(phase)
                .args(self.version.map(|version| version.to_string())),
        )?;
        print!("{said}");
        Ok(said)
    }
}
