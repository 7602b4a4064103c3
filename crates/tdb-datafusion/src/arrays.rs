//! Who opens arrays by URI: the front door, with its stores, keys and settings.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use datafusion::object_store::ObjectStore;
use tdb_array::{Array, TimeWindow};
use tdb_cells::Session;
use tdb_tile::ErrorKind;

use crate::error_text::ErrorText;

/// An error of whoever opens arrays, as it tells it.
pub type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// What rows are there, of an array as a change of it sees it.
pub type RowsOf<'a> =
    dyn FnMut(&Arc<Array>) -> Result<Box<dyn RecordBatchReader + Send>, BoxedError> + 'a;

/// Opens arrays and groups for SQL, which knows only how they are called. Its functions may wait for a store: they are called on
/// threads that may wait.
pub trait Arrays: Debug + Send + Sync {
    /// Opens an array with what was written within a span of time. The inner error is of a place where there is none.
    ///
    /// # Errors
    /// Where what is stored cannot be read.
    fn open(
        &self,
        uri: &str,
        window: TimeWindow,
    ) -> Result<Result<Arc<Array>, BoxedError>, BoxedError>;

    /// As [`Arrays::open`], of an array that is encrypted with the key in a file of this machine. Without this function, no table has a key
    /// of its own.
    ///
    /// # Errors
    /// As for [`Arrays::open`]; a file that holds no key.
    fn open_with_key(
        &self,
        uri: &str,
        window: TimeWindow,
        key_file: &str,
    ) -> Result<Result<Arc<Array>, BoxedError>, BoxedError> {
        let _ = window;
        Err(format!("{uri}: no keys are read here, and {key_file} would be one").into())
    }

    /// What an error says, of those that came out of a query and of those of this trait.
    fn describe(&self, error: BoxedError) -> ErrorText {
        ErrorText {
            kind: ErrorKind::Invalid,
            what: error.to_string(),
            hint: None,
        }
    }

    /// The URI by which another process finds what `uri` names: with an absolute path.
    ///
    /// # Errors
    /// What no other process can find.
    fn absolute(&self, uri: &str) -> Result<String, BoxedError>;

    /// The arrays of a group and of the groups in its folder; `None` where there is something else, or nothing.
    ///
    /// # Errors
    /// Where what is stored cannot be read.
    fn members(&self, uri: &str) -> Result<Option<Vec<Member>>, BoxedError>;

    /// A time, in milliseconds since 1970, out of the text of an option.
    ///
    /// # Errors
    /// Text that is no time.
    fn time(&self, text: &str) -> Result<u64, BoxedError>;

    /// A statement begins: the span of time that ends now ends now for all that it opens.
    fn begin_statement(&self);

    /// The span of time of what queries see, where they do not say another.
    fn window(&self) -> TimeWindow;

    /// Whether that is another span than all up to now: statements do not change what they do not see.
    fn is_past(&self) -> bool;

    /// Makes an array of the rows of a query, and says how many cells it has. The options are those of the statement.
    ///
    /// # Errors
    /// Where something is in the way; rows that no array can hold.
    fn import(
        &self,
        rows: Box<dyn RecordBatchReader + Send>,
        uri: &str,
        options: &[(String, String)],
    ) -> Result<u64, BoxedError>;

    /// Gives attributes of cells other values, and says of how many cells. `rows` tells of which, by the array as the change sees it:
    /// the coordinates of the cells, and the values; it is asked again where others have changed the array meanwhile. Without this
    /// function, `UPDATE` is refused.
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

    /// Begins a file of this machine, or a folder of files, that a statement makes. Without this function, statements make none.
    ///
    /// # Errors
    /// A place within an array; a folder that is not there.
    fn make(&self, name: &Path, kind: MadeKind) -> Result<Box<dyn Made>, BoxedError> {
        let _ = kind;
        Err(format!("{}: no files are made here", name.display()).into())
    }

    /// The files of a bucket, container or server, which is what `root` names, for DataFusion to read and write those that are no
    /// arrays. Without this function, files are those of this machine.
    ///
    /// # Errors
    /// A kind of store that there is not; settings that lead to no store.
    fn files(&self, root: &str) -> Result<Arc<dyn ObjectStore>, BoxedError> {
        Err(format!("{root}: files are read and written on this machine alone").into())
    }

    /// Threads and memory.
    fn session(&self) -> &Session;
}

/// What a statement makes of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeKind {
    /// One file.
    File,
    /// A folder of files.
    Folder,
}

/// A file or a folder that is being made: nobody sees it before it is whole. Dropped before that, it goes.
pub trait Made: Send {
    /// Where it is made.
    fn path(&self) -> &Path;

    /// Puts it, which is whole now, into its place.
    ///
    /// # Errors
    /// As the system reports.
    fn finish(self: Box<Self>) -> Result<(), BoxedError>;
}

/// An array that is a member of a group, or of a group in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name: the one that the group gives it, or else the last part of its URI. Before it stand those of the groups within which it is,
    /// with a dot behind each: `ms.RNA.var`.
    pub name: String,
    /// Where it is.
    pub uri: String,
}
