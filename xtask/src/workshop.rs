//! The workshop of the judges: Python with the packages that judge, made once below the target folder, and releases of TileDB.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::commands::{first_line, output, succeed};
use crate::outcome::{Missing, Outcome};
use crate::workspace::{self, root};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// TileDB's release that judges, by its wheel, and the wheel's Python tag.
pub(crate) const JUDGE: (&str, &str) = ("0.36.1", "cp311");

/// A release of TileDB, by its wheel.
pub(crate) struct Release {
    /// The format version that it writes.
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

/// The folders and the Python that recipes run in.
pub(crate) struct Workshop {
    fixtures: PathBuf,
    /// Downloads, unpacked wheels and what `--check` makes.
    scratch: PathBuf,
}

/// `cargo xtask python`: makes the environment, if it is not there, and says where it is.
pub(crate) fn run(_arguments: &[String]) -> Outcome {
    println!("{}", Workshop::open()?.python().display());
    Ok(())
}

impl Workshop {
    /// The workshop as it is, or as it is made now: once, from `xtask/requirements.txt`. An environment that was left half made is
    /// made anew.
    ///
    /// Fails with [`Missing`] where there is no Python, or no way to its packages.
    pub(crate) fn open() -> Result<Self> {
        let workshop = Self {
            fixtures: root().join("fixtures"),
            scratch: workspace::target()?.join("fixtures"),
        };
        fs::create_dir_all(&workshop.scratch)?;
        // Another process may be making it.
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

    /// The Python of the judges.
    pub(crate) fn python(&self) -> PathBuf {
        self.venv().join(if cfg!(windows) {
            "Scripts/python.exe"
        } else {
            "bin/python"
        })
    }

    /// The folder of golden arrays and their recipes.
    pub(crate) fn fixtures(&self) -> &Path {
        &self.fixtures
    }

    /// A folder for what is made on the way.
    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// The shared library inside a wheel, which is fetched if it is not here yet.
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

    /// The folder of shared libraries, by the versions of their wheels.
    pub(crate) fn libraries(&self) -> PathBuf {
        self.scratch.join("libs")
    }

    /// Runs the recipes' entry point and gives what it printed.
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

    /// The releases that recipes know, oldest first.
    pub(crate) fn releases(&self) -> Result<Vec<Release>> {
        releases(&serde_json::from_str(&self.recipes(&["list"])?)?)
    }

    /// Downloads and unpacks each wheel once.
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
        // Python 3.7 wheels carry the old tag with an `m`.
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
        // Its name is there once all of it is.
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

/// The line that says what went wrong, as pip and Python end with it.
fn last_line(told: &str) -> &str {
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
