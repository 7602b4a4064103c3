//! A file that appears complete or not at all.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tdb_array::ErrorKind;
use tdb_open::{Error, Result};
use tempfile::{Builder, NamedTempFile};

use super::owned_place;

/// Prefix and suffix of the names of incomplete files.
const BEGINNING: &str = ".tdb-";
const ENDING: &str = ".part";

/// Maximum number of symbolic links to follow, as in the Linux kernel.
const LINKS: usize = 40;

/// A file that appears complete or not at all. If it is dropped before [`WholeFile::finish`], the old file remains.
#[derive(Debug)]
pub struct WholeFile(FileTarget);

#[derive(Debug)]
enum FileTarget {
    /// A pipe or a device: written bytes are visible at once.
    Direct,
    /// A temporary file next to the one that it will replace.
    Beside { file: NamedTempFile, place: PathBuf },
}

/// Writer whose errors name the file.
struct ResultWriter<W> {
    file: W,
    name: PathBuf,
}

impl WholeFile {
    /// Begins to write the file that the user calls `name`; also returns the writer for its bytes.
    ///
    /// # Errors
    /// Fails if `name` is a folder, if its parent folder does not exist, if it lies within an array, or without
    /// permission.
    pub fn begin(name: &Path) -> Result<(Self, Box<dyn Write + Send>)> {
        let writer = |file: File| {
            let name = name.to_owned();
            Box::new(ResultWriter { file, name })
        };
        if name == Path::new("/dev/stdout") {
            return Ok((Self(FileTarget::Direct), Box::new(io::stdout())));
        }
        let failed = |error: io::Error| failed(name, &error);
        let place = place(name)?;
        owned_place::check(name, &place)?;
        let there = there(&place).map_err(failed)?;
        match there {
            Some(there) if there.is_dir() => Err(is_folder(name)),
            Some(there) if is_written_directly(&place, &there) => {
                let file = File::options().append(true).open(&place);
                Ok((Self(FileTarget::Direct), writer(file.map_err(failed)?)))
            }
            there => {
                let file = beside(name, &place, there.as_ref())?;
                let handle = file.as_file().try_clone().map_err(failed)?;
                Ok((Self(FileTarget::Beside { file, place }), writer(handle)))
            }
        }
    }

    /// Returns the path of the incomplete file; `None` if it is written directly.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            FileTarget::Direct => None,
            FileTarget::Beside { file, .. } => Some(file.path()),
        }
    }

    /// Moves the complete file to its destination.
    ///
    /// # Errors
    /// Fails if the system fails.
    pub fn finish(self) -> Result<()> {
        let FileTarget::Beside { file, place } = self.0 else {
            return Ok(());
        };
        let failed = |error: io::Error| failed(&place, &error);
        // After a crash of the machine, either the old or the new file is there, never an empty one.
        if place.exists() {
            file.as_file().sync_all().map_err(failed)?;
        }
        file.persist(&place).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

/// Resolves the links of a name; the parent folder must exist.
fn place(name: &Path) -> Result<PathBuf> {
    if name.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(is_folder(name));
    }
    let mut path = name.to_owned();
    for _ in 0..LINKS {
        let Some(last) = path.file_name() else {
            return Err(is_folder(name));
        };
        let parent = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let folder = parent.canonicalize().map_err(|error| {
            let shown = parent.display();
            match error.kind() {
                io::ErrorKind::NotFound => {
                    let error = Error::new(
                        ErrorKind::NotFound,
                        format!("{}: there is no folder {shown}", name.display()),
                    );
                    error.with_hint(format!("create the folder first: `mkdir -p {shown}`"))
                }
                _ => failed(name, &error),
            }
        })?;
        let place = folder.join(last);
        // Open files of a process under /proc have no folder for a temporary file.
        if place.starts_with("/proc") {
            return Ok(place);
        }
        match place.read_link() {
            Ok(target) => path = folder.join(target),
            Err(_) => return Ok(place),
        }
    }
    let what = format!("{}: too many symbolic links", name.display());
    Err(Error::new(ErrorKind::Store, what))
}

/// Returns the metadata of a file, or `None` if there is nothing.
fn there(place: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(place) {
        Ok(there) => Ok(Some(there)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// True if the place cannot be replaced: a pipe, a device, or an open file of a process.
fn is_written_directly(place: &Path, there: &Metadata) -> bool {
    !there.is_file() || place.starts_with("/proc")
}

/// Creates a temporary file in the folder of `place`, with the permissions of the existing or of a new file.
fn beside(name: &Path, place: &Path, there: Option<&Metadata>) -> Result<NamedTempFile> {
    // A user without write permission for a file may not replace it either.
    if there.is_some() {
        let writable = File::options().write(true).open(place);
        writable.map_err(|error| failed(name, &error))?;
    }
    let mut builder = Builder::new();
    builder.prefix(BEGINNING).suffix(ENDING);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let folder = place.parent().unwrap_or(Path::new("/"));
    let file = builder.tempfile_in(folder).map_err(|error| {
        let cause = io::Error::from(error.kind());
        let what = format!(
            "{}: no file can be made in its folder: {cause}",
            name.display()
        );
        Error::new(ErrorKind::Store, what)
    })?;
    if let Some(there) = there {
        let kept = file.as_file().set_permissions(there.permissions());
        kept.map_err(|error| failed(name, &error))?;
    }
    Ok(file)
}

fn is_folder(name: &Path) -> Error {
    let what = format!("{}: is a folder; the result is a file", name.display());
    Error::new(ErrorKind::Store, what)
}

fn failed(name: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Store, format!("{}: {error}", name.display()))
}

impl<W: Write> Write for ResultWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        written.map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted | io::ErrorKind::BrokenPipe => error,
            kind => io::Error::new(kind, format!("{}: {error}", self.name.display())),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
