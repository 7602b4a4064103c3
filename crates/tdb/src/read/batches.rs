//! A read, batch by batch.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tdb_cells::{Batch, Column, FieldInfo};
use tdb_query::Reader;

use super::ReadBuilder;
use super::label_columns::LabelColumns;
use crate::{Arranged, Array, Error, Result};

/// Bytes of a batch of which cells are kept, at most; and the part of the memory that it is.
const MOST_KEPT_AT_ONCE: u64 = 16 << 20;
const PART: u64 = 32;

impl ReadBuilder {
    /// Reads batch by batch: each fits the memory of the context, together they are the result, in order.
    ///
    /// # Errors
    /// As for [`ReadBuilder::options`]; a request that the array does not allow.
    pub fn batches(self) -> Result<Batches> {
        let mut options = self.options()?;
        let labels = LabelColumns::take(&self.array, &mut options)?;
        let schema = self.array.schema();
        let prepared = self.arrangement.clone().prepare(schema, &mut options)?;
        let session = self.array.context().shared_session();
        if self.arrangement.takes_all() && options.batch_bytes.is_none() {
            // What is kept goes on as batches of its own.
            let memory = session.limits().budget.limit();
            options.batch_bytes = Some((memory / PART).min(MOST_KEPT_AT_ONCE));
        }
        let reader = Reader::open(session, self.array.engine(), &options)
            .map_err(|error| self.array.failed(error))?;
        let fields = prepared.fields(reader.fields());
        let fields = match &labels {
            Some(labels) => labels.fields(&fields),
            None => fields,
        };
        let warnings = reader.warnings().to_vec();
        let filled = Arc::new(AtomicU64::new(0));
        let source = Source {
            reader,
            array: self.array.clone(),
            filled: Arc::clone(&filled),
        };
        Ok(Batches {
            fields,
            warnings,
            cells: prepared.apply(session, source),
            labels,
            filled,
            #[cfg(any(feature = "arrow", feature = "text"))]
            asked: AskedCells {
                expected: super::expected(&self.array, &options)
                    .map(|cells| self.arrangement.given(cells)),
                is_arranged: self.arrangement.changes_cells(),
                options,
            },
            array: self.array,
        })
    }

    /// The whole result at once, where the memory of the context holds it.
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; a result that is larger.
    pub fn all(mut self) -> Result<Batch> {
        self.options.batch_bytes = Some(u64::MAX);
        let mut batches = self.batches()?;
        let fields = batches.fields().to_vec();
        let first = batches.next().transpose()?;
        if batches.next().transpose()?.is_some() {
            let error = Error::new(
                tdb_array::ErrorKind::Limit,
                "the result is larger than what the memory of the context holds at a time",
            );
            let hint = "read it batch by batch, or give the context more memory";
            return Err(error.at(batches.array.uri()).with_hint(hint));
        }
        Ok(first.unwrap_or_else(|| no_cells(&fields)))
    }
}

/// The batches of a read.
#[derive(Debug)]
pub struct Batches {
    pub(super) fields: Vec<FieldInfo>,
    warnings: Vec<String>,
    cells: Arranged<Source, Error>,
    labels: Option<LabelColumns>,
    /// Cells so far that stand for others, as the reader counts them.
    filled: Arc<AtomicU64>,
    #[cfg(any(feature = "arrow", feature = "text"))]
    pub(super) asked: AskedCells,
    pub(super) array: Array,
}

/// What files take into account of a read.
#[cfg(any(feature = "arrow", feature = "text"))]
#[derive(Debug)]
pub(super) struct AskedCells {
    /// The number of all cells, where it is known.
    pub(super) expected: Option<u64>,
    /// Whether these are other cells than those of the read, or in another order.
    pub(super) is_arranged: bool,
    /// What was read.
    pub(super) options: tdb_query::ReadOptions,
}

/// The reader of the engine beneath, with its errors told as of the array.
#[derive(Debug)]
struct Source {
    reader: Reader,
    array: Array,
    filled: Arc<AtomicU64>,
}

impl Iterator for Source {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        self.filled.store(self.reader.filled(), Ordering::Relaxed);
        Some(batch.map_err(|error| self.array.failed(error)))
    }
}

impl Batches {
    /// What the columns of each batch hold.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// Cells so far for which the condition fails, or that are at none of the points, and that have fill values: those of a
    /// read that [fills](ReadBuilder::fill).
    #[must_use]
    pub fn filled(&self) -> u64 {
        self.filled.load(Ordering::Relaxed)
    }

    /// What is odd about the request, and no reason to refuse it: ranges that reach beyond the domain.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().map(AsRef::as_ref)
    }
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.cells.next()?;
        Some(match &self.labels {
            Some(labels) => batch.and_then(|batch| labels.add(&batch)),
            None => batch,
        })
    }
}

/// A result without cells has its columns all the same.
fn no_cells(fields: &[FieldInfo]) -> Batch {
    let columns = fields.iter().map(|field| Column {
        name: field.name.clone(),
        datatype: field.datatype,
        cell_val_num: field.cell_val_num,
        nullable: field.nullable,
        values: bytes::Bytes::new(),
        offsets: field
            .cell_val_num
            .is_var()
            .then(|| bytes::Bytes::from_static(&[0; 8])),
        validity: None,
        enumeration: field.enumeration.clone(),
    });
    Batch {
        rows: 0,
        columns: columns.collect(),
    }
}
