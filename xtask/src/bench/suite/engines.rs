//! Both engines, as programs that run one workload at a time.

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

/// Python packages that the scripts need, for TileDB and for alternatives that a user might choose.
const PACKAGES: [&str; 6] = ["numpy", "duckdb", "h5py", "pandas<3", "zarr", "zarrs"];

/// Installs the packages that the scripts need.
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

/// TileDB as a script with its library, tdb as a program, and the folder of the arrays.
pub(super) struct Engines {
    python: PathBuf,
    library: PathBuf,
    program: String,
    folder: PathBuf,
    scale: &'static str,
}

impl Engines {
    /// Sets up what is missing: Python with its packages, TileDB's library, and tdb's program.
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

    /// Returns all workloads, and writes them to a file for tdb's program.
    pub(super) fn list(&self) -> Result<Map<String, Value>> {
        let list = output(&mut self.script(&["list"]))?;
        fs::write(self.list_file(), &list)?;
        Ok(serde_json::from_str(&list)?)
    }

    /// Has TileDB create the arrays that these workloads need and that do not exist yet.
    pub(super) fn make(&self, names: &[&str]) -> Outcome {
        let mut make = self.script(&["make"]);
        let made = make.args(names).stderr(Stdio::inherit()).status()?;
        if made.success() {
            return Ok(());
        }
        Err("the arrays could not be made".into())
    }

    /// Returns the work that each workload must do at least.
    pub(super) fn limits(&self, names: &[&str]) -> Result<Map<String, Value>> {
        let limits = output(self.script(&["limits"]).args(names))?;
        Ok(serde_json::from_str(&limits)?)
    }

    /// Measures the current rates from which these limits are computed.
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

    /// Returns what TileDB finds in the arrays written by TileDB and by tdb, in this order, and removes them.
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

    /// Returns which other engines run which of these workloads, after creating their files.
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

    /// Runs a workload with another engine and one thread, and returns its result.
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
