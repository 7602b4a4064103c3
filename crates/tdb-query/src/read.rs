use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::{Batch, FieldInfo, Session, WholeTiles};
use tdb_schema::FieldKind;

use crate::dense::DenseReader;
use crate::options::ReadOptions;
use crate::request::Request;
use crate::sparse::SparseReader;
use crate::{QueryError, labels};

/// The cells of a read, batch by batch.
///
/// Each batch fits the session's memory; together they are the result, in its order.
pub struct Reader {
    fields: Vec<FieldInfo>,
    warnings: Vec<String>,
    left: u64,
    /// What a dense read said last.
    filled: u64,
    source: Source,
    session: Session,
    /// Columns whose cells are stored.
    stored: u64,
}

enum Source {
    Dense(Box<DenseReader>),
    Sparse(Box<SparseReader>),
    /// Nothing more, or nothing after an error.
    Done,
}

/// Resolves what is asked for; reads what that takes: enumerations and labels.
pub(crate) fn resolve(
    session: &Session,
    array: &Arc<Array>,
    options: &ReadOptions,
    warnings: &mut Vec<String>,
) -> Result<Request, QueryError> {
    let enumerations = enumerations(array)?;
    if options.label_ranges.is_empty() {
        return Request::new(array, options, &enumerations, session.limits());
    }
    let mut options = options.clone();
    let mut is_empty = false;
    for (name, range) in std::mem::take(&mut options.label_ranges) {
        match labels::to_range(session, array, &name, &range, warnings)? {
            Some(range) => options.ranges.push(range),
            None => is_empty = true,
        }
    }
    let mut request = Request::new(array, &options, &enumerations, session.limits())?;
    if is_empty {
        request.read_nothing();
    }
    Ok(request)
}

impl Reader {
    /// Begins to read an array, with the threads and the memory of a session.
    ///
    /// # Errors
    /// [`QueryError::Invalid`] where the request does not fit the array; what opening its fragments finds.
    pub fn open(
        session: &Session,
        array: &Arc<Array>,
        options: &ReadOptions,
    ) -> Result<Self, QueryError> {
        let plan = &session.counters().plan;
        plan.time(|| Self::plan(session, array, options))
    }

    fn plan(
        session: &Session,
        array: &Arc<Array>,
        options: &ReadOptions,
    ) -> Result<Self, QueryError> {
        array.directory().check_commits()?;
        let mut warnings = Vec::new();
        let request = resolve(session, array, options, &mut warnings)?;
        let fields = request.fields.clone();
        warnings.extend_from_slice(request.subarray.warnings());
        let left = request.limit;
        let (session, array) = (session.clone(), Arc::clone(array));
        let is_dense = array.schema().is_dense();
        let is_stored =
            |info: &&FieldInfo| !(is_dense && matches!(info.field, FieldKind::Dimension(_)));
        let stored = fields.iter().filter(is_stored).count() as u64;
        let source = if is_dense {
            Source::Dense(Box::new(DenseReader::new(session.clone(), array, request)?))
        } else {
            Source::Sparse(Box::new(SparseReader::new(
                session.clone(),
                array,
                request,
            )?))
        };
        Ok(Self {
            fields,
            warnings,
            left,
            filled: 0,
            source,
            session,
            stored,
        })
    }

    /// What the columns of each batch are.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// What was asked for and cannot be given; what is odd about labels that were read.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How many cells so far have fill values because they failed the condition: [`Failing::Fill`](crate::Failing::Fill).
    #[must_use]
    pub fn filled(&self) -> u64 {
        self.filled
    }
}

impl Reader {
    /// The next cells, if they are whole tiles of one fragment that `allows` says yes to: of a read in global order,
    /// between two batches. They are not given out again.
    ///
    /// # Errors
    /// Those of reading, and of `allows`.
    pub fn whole_tiles<E: From<QueryError>>(
        &mut self,
        allows: &mut dyn FnMut(usize) -> Result<bool, E>,
    ) -> Result<Option<WholeTiles>, E> {
        match &mut self.source {
            Source::Dense(reader) => reader.whole_tiles(allows),
            Source::Sparse(reader) => reader.whole_tiles(allows),
            Source::Done => Ok(None),
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Batch, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.left == 0 {
                self.source = Source::Done;
            }
            let counters = self.session.counters();
            let next = counters.batches.time(|| match &mut self.source {
                Source::Dense(reader) => reader.next_batch(),
                Source::Sparse(reader) => reader.next_batch(),
                Source::Done => Ok(None),
            });
            if let Source::Dense(reader) = &self.source {
                self.filled = reader.filled();
            }
            match next {
                Ok(Some(batch)) if batch.rows == 0 => {}
                Ok(Some(batch)) => {
                    let batch = batch.first(self.left);
                    self.left -= batch.rows as u64;
                    counters.add_given((batch.rows as u64).saturating_mul(self.stored));
                    return Some(Ok(batch));
                }
                Ok(None) => {
                    self.source = Source::Done;
                    return None;
                }
                Err(error) => {
                    self.source = Source::Done;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// The enumeration of each attribute that has one.
fn enumerations(array: &Array) -> Result<Vec<Option<Arc<tdb_schema::Enumeration>>>, QueryError> {
    let of = |a: &tdb_schema::Attribute| {
        a.enumeration
            .as_deref()
            .map(|name| array.enumeration(name))
            .transpose()
    };
    Ok(array
        .schema()
        .attributes
        .iter()
        .map(of)
        .collect::<Result<_, _>>()?)
}
