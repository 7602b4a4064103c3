//! Opening the arrays that SQL statements name.

use std::error::Error as _;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatchReader;
use tdb_array::{Descendant, ObjectType, OpenOptions, TimeWindow};
use tdb_cells::Session;
use tdb_datafusion::{
    Arrays, BoxedError, ErrorText, Made, MadeKind, Member, ObjectStore, RowsOf, SqlError,
};
use tdb_tile::Bug;

use super::errors::told;
use super::history::Warnings;
use super::{made, replace};
use crate::place::Place;
use crate::{Array, Context, Error, ErrorKind, Group, Time, place};

/// Hint for a name that leads to no array.
const NO_TABLE: &str = "a name that no table has is taken for the path or URI of an array; in quotes it can be any: 's3://bucket/array'";

/// Opens arrays with the stores, the key and the session of a context.
#[derive(Debug)]
pub(super) struct OfContext {
    pub(super) context: Context,
    /// Start of the time window of reads.
    pub(super) since: Time,
    /// End of the time window of reads; `None` for the time at which a statement began.
    pub(super) until: Option<Time>,
    pub(super) began: AtomicU64,
    pub(super) warnings: Warnings,
}

/// Number of bytes of an encryption key.
const KEY_BYTES: u64 = 32;

impl OfContext {
    fn options(&self, window: TimeWindow) -> OpenOptions {
        OpenOptions {
            window,
            whole_history: self.warnings.whole_history.load(Ordering::Relaxed),
            ..OpenOptions::default()
        }
    }
}

impl OfContext {
    fn opened(&self, context: &Context, (uri, window): (&str, TimeWindow)) -> Opened {
        match context.open_with(uri, self.options(window)) {
            Ok(array) => {
                let is_past = self.since.0 > 0 || window.at < self.began.load(Ordering::SeqCst);
                self.warnings.of(&array, is_past)?;
                Ok(Ok(Arc::clone(array.engine())))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let hint = error.hint().is_none().then_some(NO_TABLE);
                Ok(Err(match hint {
                    Some(hint) => error.with_hint(hint).into(),
                    None => error.into(),
                }))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the direct members of a group, without descending into subgroups.
fn direct(group: &Group) -> Vec<Descendant> {
    let members = group.members().iter();
    let members = members.map(|member| Descendant {
        depth: 1,
        member: member.clone(),
        target: group.engine().target(member),
        uri: group.member_uri(member),
    });
    members.collect()
}

/// Result of opening an array. The inner error means that there is no array.
type Opened = Result<Result<Arc<tdb_array::Array>, BoxedError>, BoxedError>;

impl Arrays for OfContext {
    fn open(&self, uri: &str, window: TimeWindow) -> Opened {
        self.opened(&self.context, (uri, window))
    }

    fn open_with_key(&self, uri: &str, window: TimeWindow, key_file: &str) -> Opened {
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
        self.opened(&context, (uri, window))
    }

    fn describe(&self, error: BoxedError) -> ErrorText {
        let error = told(SqlError::of_query(error));
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

    fn absolute(&self, uri: &str) -> Result<String, BoxedError> {
        place::absolute(uri).ok_or_else(|| {
            Error::invalid("workers cannot use an array whose path is not UTF-8")
                .at(uri)
                .into()
        })
    }

    fn members(&self, uri: &str) -> Result<Option<Vec<Member>>, BoxedError> {
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

    fn time(&self, text: &str) -> Result<u64, BoxedError> {
        Ok(text.parse::<Time>()?.0)
    }

    fn begin_statement(&self) {
        self.began.store(Time::now().0, Ordering::SeqCst);
    }

    fn window(&self) -> TimeWindow {
        TimeWindow {
            since: self.since.0,
            at: self
                .until
                .map_or_else(|| self.began.load(Ordering::SeqCst), |until| until.0),
        }
    }

    fn is_past(&self) -> bool {
        self.until.is_some() || self.since > Time(0)
    }

    fn import(
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
        let mut import = self.context.import(file.path(), uri);
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

    fn replace(
        &self,
        array: &Arc<tdb_array::Array>,
        uri: &str,
        rows: &mut RowsOf<'_>,
    ) -> Result<u64, BoxedError> {
        let place = Place {
            location: array.location().clone(),
            ..place::array(uri, self.context.opener())?
        };
        let array = Array::of_engine(self.context.clone(), place, Arc::clone(array));
        replace::replace(&array, rows)
    }

    fn changed(&self, uri: &str, array: &tdb_array::Array) {
        if let Some(later) = array.later() {
            let warning = format!("{uri}: {later} will override this change from then on");
            self.warnings.tell(warning);
        }
    }

    fn make(&self, name: &Path, kind: MadeKind) -> Result<Box<dyn Made>, BoxedError> {
        Ok(match kind {
            MadeKind::File => made::file(name)?,
            MadeKind::Folder => made::folder(name)?,
        })
    }

    fn files(&self, root: &str) -> Result<Arc<dyn ObjectStore>, BoxedError> {
        Ok(self.context.opener().files(root)?)
    }

    fn session(&self) -> &Session {
        self.context.shared_session()
    }
}
