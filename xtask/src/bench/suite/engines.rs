//! Both engines, as programs that are asked for one workload at a time.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use super::options::Options;
use crate::bench::built::built;
use crate::commands::output;
use crate::outcome::Outcome;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What the scripts need beside TileDB's library: for TileDB, and for what a user might take instead.
const PACKAGES: [&str; 6] = ["numpy", "duckdb", "h5py", "pandas<3", "zarr", "zarrs"];

/// Installs what the scripts need.
pub(super) fn install_packages(workshop: &Workshop) -> Outcome {
    let mut pip = Command::new(workshop.python());
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    output(pip.args(PACKAGES))?;
    Ok(())
}

/// TileDB by a script and its library, tdb by a program; and where the arrays are.
pub(super) struct Engines {
    python: PathBuf,
    library: PathBuf,
    program: String,
    folder: PathBuf,
    scale: &'static str,
}

impl Engines {
    /// Sets up what is not there yet: the Python with its packages, TileDB's library, the program of tdb.
    pub(super) fn open(options: &Options) -> Result<Self> {
        let workshop = Workshop::open()?;
        install_packages(&workshop)?;
        let folder = workshop.scratch().join("bench");
        fs::create_dir_all(folder.join(options.scale()))?;
        Ok(Self {
            python: workshop.python().to_owned(),
            library: workshop.library(JUDGE.0, JUDGE.1)?,
            program: built("--bin", "tdb-bench")?,
            folder,
            scale: options.scale(),
        })
    }

    /// All workloads; tdb's program reads the same list.
    pub(super) fn list(&self) -> Result<Map<String, Value>> {
        let list = output(&mut self.script(&["list"]))?;
        fs::write(self.list_file(), &list)?;
        Ok(serde_json::from_str(&list)?)
    }

    /// Has TileDB make what these workloads need and is not there.
    pub(super) fn make(&self, names: &[&str]) -> Outcome {
        let mut make = self.script(&["make"]);
        let made = make.args(names).stderr(Stdio::inherit()).status()?;
        if made.success() {
            return Ok(());
        }
        Err("the arrays could not be made".into())
    }

    /// What each workload must do at least.
    pub(super) fn limits(&self, names: &[&str]) -> Result<Map<String, Value>> {
        let limits = output(self.script(&["limits"]).args(names))?;
        Ok(serde_json::from_str(&limits)?)
    }

    /// The rates of this moment that these limits are made of.
    pub(super) fn rates(&self, needs: &Map<String, Value>) -> Result<Value> {
        let mut stored: Vec<&Value> = Vec::new();
        let lists = needs
            .values()
            .filter_map(|need| need.get("jobs")?.as_array());
        for job in lists.flatten() {
            if !stored.contains(&job) {
                stored.push(job);
            }
        }
        let jobs = self.folder.join(self.scale).join("jobs.json");
        let all = json!({ "machine": true, "stored": stored });
        fs::write(&jobs, all.to_string())?;
        let mut rates = Command::new(&self.program);
        rates
            .arg("rates")
            .arg(jobs)
            .arg(self.folder.join(self.scale));
        said(&output(&mut rates)?)
    }

    pub(super) fn tiledb(&self, name: &str, threads: u64) -> Result<Value> {
        said(&output(&mut self.script(&[
            "run",
            name,
            &threads.to_string(),
        ]))?)
        .map_err(|error| format!("{name}: {error}").into())
    }

    pub(super) fn tdb(&self, name: &str, threads: u64) -> Result<Value> {
        let mut run = Command::new(&self.program);
        run.arg("run").arg(self.list_file());
        run.args([name, &threads.to_string()]);
        let line = output(run.arg(self.folder.join(self.scale)));
        said(&line.map_err(|error| format!("{name}: {error}"))?)
    }

    /// What TileDB finds in what both have written, which goes then: its own, ours.
    pub(super) fn check(&self, name: &str) -> Result<[Value; 2]> {
        let found = ["tiledb", "tdb"].map(|engine| {
            let file = format!("{}.{engine}", name.replace(':', "-"));
            let path = self.folder.join(self.scale).join("written").join(file);
            let mut check = self.script(&["check", name]);
            let found = said(&output(check.arg(&path))?)?;
            fs::remove_dir_all(path)?;
            Ok::<Value, Box<dyn Error>>(found)
        });
        let [theirs, ours] = found;
        Ok([theirs?, ours?])
    }

    /// Which other engines do which of these workloads, once their files are there.
    pub(super) fn others(&self, names: &[&str]) -> Result<Map<String, Value>> {
        let list = output(&mut self.other(&["list"]))?;
        let mut list: Map<String, Value> = serde_json::from_str(&list)?;
        list.retain(|name, _| names.contains(&name.as_str()));
        let mut make = self.other(&["make"]);
        let made = make.args(list.keys()).stdout(Stdio::null());
        if !made.stderr(Stdio::inherit()).status()?.success() {
            return Err("the files of other engines could not be made".into());
        }
        Ok(list)
    }

    /// What another engine takes, with one thread.
    pub(super) fn by_other(&self, name: &str, engine: &str) -> Result<Value> {
        if engine != "arrow-rs" {
            return said(&output(&mut self.other(&["run", name, engine]))?);
        }
        let array = name
            .split(':')
            .next_back()
            .ok_or("a name without an array")?;
        let folder = self.folder.join(self.scale).join("others");
        let mut run = Command::new(&self.program);
        run.arg("parquet").arg(self.list_file()).arg(name);
        said(&output(run.arg(folder.join(format!("{array}.parquet"))))?)
    }

    fn other(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.python);
        command
            .arg("-B")
            .arg(root().join("xtask/bench/suite/others.py"))
            .arg(&self.folder)
            .arg(self.scale)
            .args(arguments);
        command
    }

    fn list_file(&self) -> PathBuf {
        self.folder.join(self.scale).join("workloads.json")
    }

    fn script(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.python);
        command
            .arg("-B")
            .arg(root().join("xtask/bench/suite/suite.py"))
            .arg(&self.library)
            .arg(root().join("fixtures/recipes"))
            .arg(&self.folder)
            .arg(self.scale)
            .args(arguments);
        command
    }
}

fn said(line: &str) -> Result<Value> {
    Ok(serde_json::from_str(line.trim())?)
}
