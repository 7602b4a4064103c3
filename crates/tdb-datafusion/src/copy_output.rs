//! Files that `COPY` creates.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tdb_array::ErrorKind;
use tempfile::{Builder, TempDir};

use tdb_files::{WholeFile, check_place};
use tdb_open::{Error, Result};

/// File or folder that `COPY` is writing: not visible before it is complete, and removed if dropped before that.
pub(crate) enum CopyOutput {
    /// One file.
    File(PartialFile),
    /// A folder of files.
    Folder(PartialFolder),
}

impl CopyOutput {
    /// Begins a file.
    pub(crate) fn file(name: &Path) -> Result<Self> {
        file(name).map(Self::File)
    }

    /// Begins a folder of files.
    pub(crate) fn folder(name: &Path) -> Result<Self> {
        folder(name).map(Self::Folder)
    }

    /// Returns the path at which it is written.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::File(file) => &file.path,
            Self::Folder(folder) => &folder.files,
        }
    }

    /// Moves the complete output into its place.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::File(file) => file.finish(),
            Self::Folder(folder) => folder.finish(),
        }
    }
}

/// A file that is moved to its destination when complete.
pub(crate) struct PartialFile {
    whole: WholeFile,
    path: PathBuf,
    permissions: fs::Permissions,
}

/// Begins a file.
fn file(name: &Path) -> Result<PartialFile> {
    let (whole, _) = WholeFile::begin(name)?;
    let Some(path) = whole.path().map(Path::to_owned) else {
        let what = format!("{}: COPY can only write regular files", name.display());
        return Err(Error::invalid(what)
            .with_hint("use -o to write the rows of a query to pipes and devices"));
    };
    // DataFusion replaces the temporary file by one of its own, so the permissions are restored at the end.
    let permissions = fs::metadata(&path)
        .map_err(|error| failed(name, &error))?
        .permissions();
    Ok(PartialFile {
        whole,
        path,
        permissions,
    })
}

impl PartialFile {
    fn finish(self) -> Result<()> {
        let kept = fs::set_permissions(&self.path, self.permissions);
        kept.map_err(|error| failed(&self.path, &error))?;
        self.whole.finish()
    }
}

/// A folder that is moved to its destination when all its files are complete.
pub(crate) struct PartialFolder {
    beside: TempDir,
    files: PathBuf,
    place: PathBuf,
}

/// Begins a folder of files.
fn folder(name: &Path) -> Result<PartialFolder> {
    let failed = |error: io::Error| failed(name, &error);
    let absolute = std::path::absolute(name).map_err(failed)?;
    let Some((within, last)) = absolute.parent().zip(absolute.file_name()) else {
        return Err(failed(io::ErrorKind::InvalidInput.into()));
    };
    let within = within.canonicalize().map_err(failed)?;
    let place = within.join(last);
    check_place(name, &place)?;
    match fs::read_dir(&place).map(|mut files| files.next().is_some()) {
        Ok(false) => {}
        Ok(true) => {
            let error = Error::invalid(format!(
                "{}: there are files in this folder",
                name.display()
            ));
            return Err(error.with_hint("choose a new or an empty folder"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let mut builder = Builder::new();
    let beside = builder
        .prefix(".tdb-")
        .suffix(".part")
        .tempdir_in(&within)
        .map_err(failed)?;
    let files = beside.path().join("whole");
    fs::create_dir(&files).map_err(failed)?;
    Ok(PartialFolder {
        beside,
        files,
        place,
    })
}

impl PartialFolder {
    fn finish(self) -> Result<()> {
        fs::rename(&self.files, &self.place).map_err(|error| failed(&self.place, &error))?;
        // The remaining temporary folder is empty.
        self.beside
            .close()
            .map_err(|error| failed(&self.place, &error))?;
        Ok(())
    }
}

fn failed(name: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Store, format!("{}: {error}", name.display()))
}
