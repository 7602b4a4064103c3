//! Opening the arrays that SQL statements name.

use std::error::Error as _;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatchReader;
use datafusion::object_store::ObjectStore;
use tdb_array::{Array, Descendant, ObjectType, OpenOptions, TimeWindow};
use tdb_cells::Session;
use tdb_files::import;
use tdb_open::place::{self, Place};
use tdb_open::{Context, Error, ErrorKind, Group, Result, Time};
use tdb_tile::Bug;

use crate::boxed_error::BoxedError;
use crate::error::SqlError;
use crate::error_text::ErrorText;
use crate::replace::{RowsOf, replace};
use crate::warnings::Warnings;

/// Hint for a name that leads to no array.
const NO_TABLE: &str = "a name that no table has is taken for the path or URI of an array; in quotes it can be any: 's3://bucket/array'";

/// Opens the arrays, groups and files that statements name, with the stores, the key and the session of a context. The
/// functions may wait for a store: they are called on threads that may block.
#[derive(Debug)]
pub struct Arrays {
    context: Context,
    /// Start of the time window of reads.
    since: Time,
    /// End of the time window of reads; `None` for the time at which a statement began.
    until: Option<Time>,
    began: AtomicU64,
    warnings: Warnings,
}

/// Number of bytes of an encryption key.
const KEY_BYTES: u64 = 32;

impl Arrays {
    /// Opens arrays as they are when a statement begins.
    #[must_use]
    pub fn new(context: Context) -> Self {
        Self {
            context,
            since: Time(0),
            until: None,
            began: AtomicU64::new(Time::now().0),
            warnings: Warnings::default(),
        }
    }

    /// Opens arrays with the writes from `since` to `until` only; `None` for the time at which a statement began.
    #[must_use]
    pub fn between(mut self, since: Time, until: Option<Time>) -> Self {
        self.since = since;
        self.until = until;
        self
    }

    /// Returns what is told about the arrays that statements read.
    #[must_use]
    pub fn warnings(&self) -> &Warnings {
        &self.warnings
    }

    fn options(&self, window: TimeWindow) -> OpenOptions {
        OpenOptions::default()
            .window(window)
            .whole_history(self.warnings.refuses_gaps())
    }

    /// Opens an array with the writes of a time window. If there is none at this place, the error is
    /// [`ErrorKind::NotFound`].
    ///
    /// # Errors
    /// Fails if there is no array, or if its stored data cannot be read.
    pub fn open(&self, uri: &str, window: TimeWindow) -> Result<Arc<Array>> {
        self.open_in(&self.context, uri, window)
    }

    fn open_in(&self, context: &Context, uri: &str, window: TimeWindow) -> Result<Arc<Array>> {
        let opened = context.open_with(uri, self.options(window));
        let array = opened.map_err(|error| {
            if error.kind() == ErrorKind::NotFound && error.hint().is_none() {
                error.with_hint(NO_TABLE)
            } else {
                error
            }
        })?;
        let is_past = self.since.0 > 0 || window.at < self.began.load(Ordering::SeqCst);
        self.warnings.of(&array, is_past)?;
        Ok(Arc::clone(array.engine()))
    }

    /// As [`Arrays::open`], for an array that is encrypted with the key in a local file.
    pub(crate) fn open_with_key(
        &self,
        uri: &str,
        window: TimeWindow,
        key_file: &str,
    ) -> Result<Arc<Array>> {
        let at_key =
            |error: std::io::Error| Error::invalid(format!("key file {key_file}: {error}"));
        let mut key = Vec::new();
        #[expect(clippy::disallowed_methods, reason = "a file of the user is no object")]
        let file = std::fs::File::open(key_file).map_err(at_key)?;
        // Reading one byte more shows whether the file is too long for a key.
        file.take(KEY_BYTES + 1)
            .read_to_end(&mut key)
            .map_err(at_key)?;
        let context = self
            .context
            .clone()
            .key(&key)
            .map_err(|error| error.within(&format!("key file {key_file}")))?;
        self.open_in(&context, uri, window)
    }

    /// Returns the text of an error that came out of a query.
    pub fn describe(&self, error: BoxedError) -> ErrorText {
        let error = Error::from(SqlError::of_query(error));
        let mut what = error.to_string();
        let causes = std::iter::successors(error.source(), |error| (**error).source());
        for cause in causes.map(ToString::to_string) {
            // Some error texts include their cause already.
            if !what.contains(&cause) {
                what = format!("{what}: {cause}");
            }
        }
        ErrorText {
            kind: error.kind(),
            what,
            hint: error.hint().map(str::to_owned),
        }
    }

    /// Returns the URI by which another process finds what `uri` names: with an absolute path.
    ///
    /// # Errors
    /// Fails for a path that is not UTF-8.
    pub fn absolute(&self, uri: &str) -> Result<String> {
        place::absolute(uri).ok_or_else(|| {
            Error::invalid("workers cannot use an array whose path is not UTF-8").at(uri)
        })
    }

    /// Returns the arrays of a group and of the groups in its folder; `None` if there is something else, or nothing.
    pub(crate) fn members(&self, uri: &str) -> Result<Option<Vec<Member>>> {
        let place = place::group(uri, self.context.opener())?;
        if place.object_type()? != ObjectType::Group {
            return Ok(None);
        }
        let group = self
            .context
            .open_group_with(uri, self.options(self.window()))?;
        let walked = group.engine().walk();
        let descendants = walked.unwrap_or_else(|error| {
            let what = "arrays in nested groups are not available as tables";
            self.warnings.tell(format!("{uri}: {what}: {error}"));
            direct(&group)
        });
        let mut above: Vec<String> = Vec::new();
        let mut members = Vec::new();
        for Descendant {
            depth, member, uri, ..
        } in descendants
        {
            let last = uri.trim_end_matches('/').rsplit('/').next();
            let name = member.name.as_deref().or(last).unwrap_or(&uri).to_owned();
            let groups = depth.checked_sub(1);
            above.truncate(groups.ok_or_else(|| Bug::new("a member above its group"))?);
            above.push(name);
            if member.object_type == ObjectType::Array {
                let name = above.join(".");
                members.push(Member { name, uri });
            }
        }
        Ok(Some(members))
    }

    /// Parses the text of an option as a time, in milliseconds since 1970.
    pub(crate) fn time(&self, text: &str) -> Result<u64> {
        Ok(text.parse::<Time>()?.0)
    }

    /// Begins a statement: a time window that ends now then has one fixed end for everything that the statement
    /// opens.
    pub(crate) fn begin_statement(&self) {
        self.began.store(Time::now().0, Ordering::SeqCst);
    }

    /// Returns the default time window of queries.
    #[must_use]
    pub fn window(&self) -> TimeWindow {
        TimeWindow {
            since: self.since.0,
            at: self
                .until
                .map_or_else(|| self.began.load(Ordering::SeqCst), |until| until.0),
        }
    }

    /// True if the window is not everything up to now. Statements then cannot change arrays, since they might not see
    /// all cells.
    pub(crate) fn is_past(&self) -> bool {
        self.until.is_some() || self.since > Time(0)
    }

    /// Makes an array of the rows of a query, and returns the number of its cells. The options are those of the
    /// statement.
    pub(crate) fn import(
        &self,
        rows: Box<dyn RecordBatchReader + Send>,
        uri: &str,
        options: &[(String, String)],
    ) -> Result<u64, BoxedError> {
        // Guessing the schema needs all rows first, so they are stored in a file and read twice.
        let mut file = tempfile::NamedTempFile::with_suffix(".arrows")?;
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut file, &rows.schema())?;
        for batch in rows {
            writer.write(&batch?)?;
        }
        writer.finish()?;
        drop(writer);
        let mut import = import(&self.context, file.path(), uri);
        for (name, value) in options {
            let names = || value.split(',').map(str::trim);
            import = match name.as_str() {
                "dim" => import.dimensions(names()),
                "key" => import.key(names()),
                "dense" if value == "true" => import.dense(),
                "sparse" if value == "true" => import.sparse(),
                other => {
                    let error = Error::invalid(format!("there is no option {other:?}"));
                    let hint = "the options are 'dim' and 'key' with column names, and 'dense' and 'sparse' with true";
                    return Err(error.with_hint(hint).into());
                }
            };
        }
        let imported = import.run().map_err(|error| match error.hint() {
            // The hint names an option of the command line.
            Some(hint) if hint.starts_with("--append") => {
                error.with_hint("use INSERT INTO to add rows to an array")
            }
            _ => error,
        });
        Ok(imported?.cells)
    }

    /// Replaces attribute values of cells, and returns the number of cells. Given the array as the change sees it,
    /// `rows` returns the coordinates of the cells and the new values; it is called again if others changed the array
    /// meanwhile.
    pub(crate) fn replace(
        &self,
        array: &Arc<Array>,
        uri: &str,
        rows: &mut RowsOf<'_>,
    ) -> Result<u64, BoxedError> {
        let place = Place {
            location: array.location().clone(),
            ..place::array(uri, self.context.opener())?
        };
        let array = tdb_open::Array::of_engine(self.context.clone(), place, Arc::clone(array));
        replace(&array, rows)
    }

    /// Warns of what will override a change that a statement made, given the array as of about that time.
    pub(crate) fn changed(&self, uri: &str, array: &Array) {
        if let Some(later) = array.later() {
            let warning = format!("{uri}: {later} will override this change from then on");
            self.warnings.tell(warning);
        }
    }

    /// Returns the files of a bucket, container or server, named by `root`, through which DataFusion reads and writes
    /// files that are not arrays.
    pub(crate) fn files(&self, root: &str) -> Result<Arc<dyn ObjectStore>> {
        self.context.opener().files(root)
    }

    /// Returns the session with its threads and memory.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.context.shared_session()
    }
}

/// Returns the direct members of a group, without descending into subgroups.
fn direct(group: &Group) -> Vec<Descendant> {
    let descendants = group.members().iter().map(|member| Descendant {
        depth: 1,
        member: member.clone(),
        target: group.engine().target(member),
        uri: group.member_uri(member),
    });
    descendants.collect()
}

/// Array that is a member of a group, or of a group in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Name in the group, or the last part of the URI if it has none; prefixed by the names of the groups it is in,
    /// each followed by a dot: `ms.RNA.var`.
    pub(crate) name: String,
    /// URI of the array.
    pub(crate) uri: String,
}
