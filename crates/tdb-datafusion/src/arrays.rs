//! The interface through which arrays are opened by URI: implemented by the front door, with its stores, keys and
//! settings.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use datafusion::object_store::ObjectStore;
use tdb_array::{Array, TimeWindow};
use tdb_cells::Session;
use tdb_tile::ErrorKind;

use crate::error_text::ErrorText;

/// Error of the code that opens arrays, in its own type.
pub type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// Function that returns the rows of an array as a change sees it.
pub type RowsOf<'a> =
    dyn FnMut(&Arc<Array>) -> Result<Box<dyn RecordBatchReader + Send>, BoxedError> + 'a;

/// Opens arrays and groups for SQL, which knows only their names. The functions may wait for a store: they are called
/// on threads that may block.
pub trait Arrays: Debug + Send + Sync {
    /// Opens an array with the writes of a time window. The inner error means that there is no array at this place.
    ///
    /// # Errors
    /// Stored data that cannot be read.
    fn open(
        &self,
        uri: &str,
        window: TimeWindow,
    ) -> Result<Result<Arc<Array>, BoxedError>, BoxedError>;

    /// Like [`Arrays::open`], for an array that is encrypted with the key in a local file. Without this function, no
    /// table has a key of its own.
    ///
    /// # Errors
    /// As for [`Arrays::open`]; a file without a key.
    fn open_with_key(
        &self,
        uri: &str,
        window: TimeWindow,
        key_file: &str,
    ) -> Result<Result<Arc<Array>, BoxedError>, BoxedError> {
        let _ = window;
        Err(format!("{uri}: no keys are read here, and {key_file} would be one").into())
    }

    /// Returns the text of an error that came out of a query or of this trait.
    fn describe(&self, error: BoxedError) -> ErrorText {
        ErrorText {
            kind: ErrorKind::Invalid,
            what: error.to_string(),
            hint: None,
        }
    }

    /// Returns the URI by which another process finds what `uri` names: with an absolute path.
    ///
    /// # Errors
    /// A place that no other process can find.
    fn absolute(&self, uri: &str) -> Result<String, BoxedError>;

    /// Returns the arrays of a group and of the groups in its folder; `None` if there is something else, or nothing.
    ///
    /// # Errors
    /// Stored data that cannot be read.
    fn members(&self, uri: &str) -> Result<Option<Vec<Member>>, BoxedError>;

    /// Parses the text of an option as a time, in milliseconds since 1970.
    ///
    /// # Errors
    /// Text that is not a time.
    fn time(&self, text: &str) -> Result<u64, BoxedError>;

    /// Called when a statement begins: a time window that ends now then has one fixed end for everything that the
    /// statement opens.
    fn begin_statement(&self);

    /// Returns the default time window of queries.
    fn window(&self) -> TimeWindow;

    /// True if the window is not everything up to now. Statements then cannot change arrays, since they might not see
    /// all cells.
    fn is_past(&self) -> bool;

    /// Makes an array of the rows of a query, and returns the number of its cells. The options are those of the
    /// statement.
    ///
    /// # Errors
    /// Something that already exists at the place; rows that no array can hold.
    fn import(
        &self,
        rows: Box<dyn RecordBatchReader + Send>,
        uri: &str,
        options: &[(String, String)],
    ) -> Result<u64, BoxedError>;

    /// Replaces attribute values of cells, and returns the number of cells. Given the array as the change sees it,
    /// `rows` returns the coordinates of the cells and the new values; it is called again if others changed the array
    /// meanwhile. Without this function, `UPDATE` is refused.
    ///
    /// # Errors
    /// Values that the attributes cannot hold; errors of reading and storing. Nothing is changed then.
    fn replace(
        &self,
        array: &Arc<Array>,
        uri: &str,
        rows: &mut RowsOf<'_>,
    ) -> Result<u64, BoxedError> {
        let _ = (array, rows);
        Err(format!("{uri}: cells are changed nowhere here").into())
    }

    /// Called after a statement has changed an array, with the array as of about that time.
    fn changed(&self, uri: &str, array: &Array) {
        let _ = (uri, array);
    }

    /// Begins a local file, or a folder of files, that a statement writes. Without this function, statements write no
    /// files.
    ///
    /// # Errors
    /// A place within an array; a folder that does not exist.
    fn make(&self, name: &Path, kind: MadeKind) -> Result<Box<dyn Made>, BoxedError> {
        let _ = kind;
        Err(format!("{}: no files are made here", name.display()).into())
    }

    /// Returns the files of a bucket, container or server, named by `root`, through which DataFusion reads and writes
    /// files that are not arrays. Without this function, only local files are available.
    ///
    /// # Errors
    /// An unknown kind of store; settings that lead to no store.
    fn files(&self, root: &str) -> Result<Arc<dyn ObjectStore>, BoxedError> {
        Err(format!("{root}: files are read and written on this machine alone").into())
    }

    /// Returns the session with its threads and memory.
    fn session(&self) -> &Session;
}

/// Kind of output of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeKind {
    /// One file.
    File,
    /// A folder of files.
    Folder,
}

/// File or folder that is being written: not visible before it is complete, and removed if dropped before that.
pub trait Made: Send {
    /// Returns the path at which it is written.
    fn path(&self) -> &Path;

    /// Moves the complete output into its place.
    ///
    /// # Errors
    /// Errors of the system.
    fn finish(self: Box<Self>) -> Result<(), BoxedError>;
}

/// Array that is a member of a group, or of a group in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name in the group, or the last part of the URI if it has none; prefixed by the names of the groups it is in,
    /// each followed by a dot: `ms.RNA.var`.
    pub name: String,
    /// URI of the array.
    pub uri: String,
}
