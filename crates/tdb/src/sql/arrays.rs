//! Opens what statements name.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatchReader;
use tdb_array::{ObjectType, OpenOptions, TimeWindow};
use tdb_cells::Session;
use tdb_datafusion::{Arrays, BoxedError, Made, MadeKind, Member, ObjectStore};

use super::history::Warnings;
use super::made;
use crate::{Context, Error, ErrorKind, Time, place};

/// What is said where a name leads nowhere.
const NO_TABLE: &str = "a name that no table has is taken for the path or URI of an array; in quotes it can be any: 's3://bucket/array'";

/// Arrays by the stores, the key and the session of a context.
#[derive(Debug)]
pub(super) struct OfContext {
    pub(super) context: Context,
    /// The first time that is read.
    pub(super) since: Time,
    /// The last time that is read; without one, the time at which a statement began.
    pub(super) until: Option<Time>,
    pub(super) began: AtomicU64,
    pub(super) warnings: Warnings,
}

impl OfContext {
    fn options(&self, window: TimeWindow) -> OpenOptions {
        OpenOptions {
            window,
            whole_history: self.warnings.whole_history.load(Ordering::Relaxed),
            ..OpenOptions::default()
        }
    }
}

impl Arrays for OfContext {
    fn open(
        &self,
        uri: &str,
        window: TimeWindow,
    ) -> Result<Result<Arc<tdb_array::Array>, BoxedError>, BoxedError> {
        match self.context.open_with(uri, self.options(window)) {
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

    fn absolute(&self, uri: &str) -> Result<String, BoxedError> {
        place::absolute(uri).ok_or_else(|| {
            Error::invalid("no other process finds an array with this name")
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
        let arrays = group.members().iter();
        let arrays = arrays.filter(|member| member.object_type == ObjectType::Array);
        let members = arrays.map(|member| {
            let uri = group.member_uri(member);
            let last = uri
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .map(str::to_owned);
            Member {
                name: member.name.clone().or(last).unwrap_or_else(|| uri.clone()),
                uri,
            }
        });
        Ok(Some(members.collect()))
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
        // What the columns hold is known once all rows were seen, and then they are read again.
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
                    let hint = "there are 'dim' and 'key', with names of columns, and 'dense' and 'sparse', which are true";
                    return Err(error.with_hint(hint).into());
                }
            };
        }
        Ok(import.run()?.cells)
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
