//! The workshop of the judges: a Python environment with their packages, created once in the target folder, and
//! releases of TileDB.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::commands::{first_line, output, succeed};
use crate::outcome::{Missing, Outcome};
use crate::workspace::{self, root};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The release of TileDB that judges, by the version and the Python tag of its wheel.
pub(crate) const JUDGE: (&str, &str) = ("0.36.1", "cp311");

/// A release of TileDB, by its wheel.
pub(crate) struct Release {
    /// Format version that the release writes.
    pub(crate) version: u64,
    pub(crate) wheel: String,
    pub(crate) python: String,
}

fn releases(listing: &Value) -> Result<Vec<Release>> {
    let wheels = listing.get("wheels").and_then(Value::as_array);
    let release = |wheel: &Value| {
        Some(Release {
            version: wheel.get("version")?.as_u64()?,
            wheel: wheel.get("wheel")?.as_str()?.to_owned(),
            python: wheel.get("python")?.as_str()?.to_owned(),
        })
    };
    let all = wheels.into_iter().flatten().map(release);
    Ok(all
        .collect::<Option<_>>()
        .ok_or("a wheel without its version")?)
}

/// Folders and the Python environment for the recipes.
pub(crate) struct Workshop {
    fixtures: PathBuf,
    /// Folder for downloads, unpacked wheels and results of `--check`.
    scratch: PathBuf,
}

/// `cargo xtask python`: creates the environment if necessary, and prints its path.
pub(crate) fn run(_arguments: &[String]) -> Outcome {
    println!("{}", Workshop::open()?.python().display());
    Ok(())
}

impl Workshop {
    /// Returns the workshop. The environment is created once, from `xtask/requirements.txt`; an incomplete one is
    /// created again.
    ///
    /// Fails with [`Missing`] if there is no Python, or if its packages cannot be installed.
    pub(crate) fn open() -> Result<Self> {
        let workshop = Self {
            fixtures: root().join("fixtures"),
            scratch: workspace::target()?.join("fixtures"),
        };
        fs::create_dir_all(&workshop.scratch)?;
        // Another process may be creating it.
        let lock = fs::File::create(workshop.scratch.join("lock"))?;
        lock.lock()?;
        let wanted = fs::read_to_string(root().join("xtask/requirements.txt"))?;
        let complete = workshop.venv().join("complete");
        if fs::read_to_string(&complete).ok().as_ref() != Some(&wanted) {
            workshop.make_environment()?;
            fs::write(complete, wanted)?;
        }
        Ok(workshop)
    }

    fn make_environment(&self) -> Outcome {
        let venv = self.venv();
        println!(
            "   making Python's environment for the judges, once: {}",
            venv.display()
        );
        let mut make = Command::new("python3");
        make.args(["-m", "venv", "--clear"]).arg(&venv);
        succeed(&mut make).map_err(|error| {
            Missing(format!(
                "no Python that makes environments: install Python 3.11 or later, with venv ({})",
                last_line(&error.to_string())
            ))
        })?;
        let mut pip = Command::new(self.python());
        pip.args(["-m", "pip", "install", "--quiet", "--requirement"]);
        succeed(pip.arg(root().join("xtask/requirements.txt"))).map_err(|error| {
            Missing(format!(
                "packages of xtask/requirements.txt that pip cannot install here ({})",
                last_line(&error.to_string())
            ))
        })?;
        Ok(())
    }

    fn venv(&self) -> PathBuf {
        self.scratch.join("venv")
    }

    /// Returns the path of the judges' Python.
    pub(crate) fn python(&self) -> PathBuf {
        self.venv().join(if cfg!(windows) {
            "Scripts/python.exe"
        } else {
            "bin/python"
        })
    }

    /// Returns the folder of golden arrays and their recipes.
    pub(crate) fn fixtures(&self) -> &Path {
        &self.fixtures
    }

    /// Returns the folder for temporary results.
    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Returns the path of the shared library of a wheel, which is fetched if necessary.
    pub(crate) fn library(&self, version: &str, python: &str) -> Result<PathBuf> {
        let folder = self.libraries().join(version);
        if !folder.exists() {
            self.fetch_wheel(version, python)?;
        }
        let files = fs::read_dir(folder.join("tiledb.libs"))?.filter_map(std::result::Result::ok);
        let mut libraries = files.map(|file| file.path()).filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("libtiledb"))
        });
        Ok(libraries.next().ok_or("the wheel holds no library")?)
    }

    /// Returns the folder of shared libraries, by the versions of their wheels.
    pub(crate) fn libraries(&self) -> PathBuf {
        self.scratch.join("libs")
    }

    /// Runs `recipes/build.py`, and returns its output.
    pub(crate) fn recipes(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(self.python());
        command
            .arg("-B")
            .arg(self.fixtures.join("recipes/build.py"));
        output(
            command
                .arg("--wheels")
                .arg(self.libraries())
                .args(arguments),
        )
    }

    /// Returns the releases that recipes know, oldest first.
    pub(crate) fn releases(&self) -> Result<Vec<Release>> {
        releases(&serde_json::from_str(&self.recipes(&["list"])?)?)
    }

    /// Downloads and unpacks each wheel that is not there yet.
    pub(crate) fn fetch_wheels(&self, listing: &Value) -> Outcome {
        for release in releases(listing)? {
            if !self.libraries().join(&release.wheel).exists() {
                self.fetch_wheel(&release.wheel, &release.python)?;
            }
        }
        Ok(())
    }

    fn fetch_wheel(&self, version: &str, python: &str) -> Outcome {
        println!("fetching tiledb=={version}");
        let downloads = self.scratch.join("wheels").join(version);
        // Python 3.7 wheels have the old ABI tag with an `m`.
        let abi = if python == "cp37" { "cp37m" } else { python };
        let mut pip = Command::new(self.python());
        pip.args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
        ]);
        pip.args([
            "--implementation",
            "cp",
            "--python-version",
            python.trim_start_matches("cp"),
            "--abi",
            abi,
        ]);
        for platform in [
            "manylinux1",
            "manylinux2010",
            "manylinux2014",
            "manylinux_2_17",
            "manylinux_2_28",
        ] {
            pip.arg("--platform").arg(format!("{platform}_x86_64"));
        }
        output(
            pip.arg("--dest")
                .arg(&downloads)
                .arg(format!("tiledb=={version}")),
        )
        .map_err(|error| {
            Missing(format!(
                "tiledb=={version}, which pip cannot fetch here ({})",
                last_line(&error.to_string())
            ))
        })?;
        let wheel = fs::read_dir(&downloads)?
            .next()
            .ok_or("pip downloaded nothing")??
            .path();
        // The final name appears only when everything is unpacked.
        let (unpacked, half) = (
            self.libraries().join(version),
            self.libraries().join(format!("{version}.half")),
        );
        let mut unzip = Command::new(self.python());
        succeed(unzip.args(["-m", "zipfile", "-e"]).arg(wheel).arg(&half))?;
        fs::rename(half, unpacked)?;
        Ok(())
    }
}

/// Returns the line that states what went wrong: the last one in the output of pip and Python.
pub(crate) fn last_line(told: &str) -> &str {
    let lines = told.lines().map(str::trim);
    let mut errors = lines.filter(|line| line.starts_with("ERROR") || line.contains("Error"));
    errors.next_back().unwrap_or_else(|| first_line(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pip_says_last_is_told() {
        let told = "WARNING: Retrying\nERROR: Could not find a version\nERROR: No matching distribution\nsh: exit 1\n";
        assert_eq!(last_line(told), "ERROR: No matching distribution");
        assert_eq!(
            last_line("no program\n\"python3\": exit status: 127"),
            "no program"
        );
    }
}
