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

    /// Puts a link to our library where the wheel has its own.
    fn link(&self, library: &Path) -> Outcome {
        let folder = self.packages()?.join("tiledb.libs");
        let mut files = fs::read_dir(&folder)?.filter_map(std::result::Result::ok);
        let wheels = files.find(|file| {
            let name = file.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libtiledb-") && name.ends_with(".so.2.30")
        });
        let place = wheels
            .ok_or("TileDB-Py's wheel holds no library of 2.30")?
            .path();
        // A link under another name first, so that the place is never empty.
        let half = folder.join("half");
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
        let mut python = Command::new(self.python());
        let said = output(python.arg("-B").arg(root().join("xtask/clients/engine.py")))?;
        for line in said.lines().take(2) {
            println!("   {line}");
        }
        if said.contains(OURS) == self.is_ours {
            return Ok(());
        }
        Err(format!("not the library that was to be loaded:\n{said}").into())
    }
}

fn requirements() -> Result<String> {
    let path = root().join("xtask/clients/requirements.txt");
    Ok(fs::read_to_string(path)?)
}
