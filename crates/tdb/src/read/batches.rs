//! Running a read batch by batch.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tdb_cells::{Batch, Column, FieldInfo};
use tdb_open::{Error, Result};
use tdb_query::{ArrangedCells, Reader};

use super::ReadBuilder;
use super::label_columns::LabelColumns;
use crate::Array;

/// Batches whose cells are kept for sorting or sampling take 1/PART of the memory, and at most this number of bytes.
const MOST_KEPT_AT_ONCE: u64 = 16 << 20;
const PART: u64 = 32;

impl ReadBuilder {
    /// Reads batch by batch. Each batch fits the memory of the context; together they are the result, in order.
    ///
    /// # Errors
    /// As for [`ReadBuilder::options`]; fails also if the array does not allow the request.
    pub fn batches(self) -> Result<Batches> {
        let mut options = self.options()?;
        let labels = LabelColumns::take(&self.array, &mut options)?;
        let schema = self.array.schema();
        let prepared = self.arrangement.clone().prepare(schema, &mut options)?;
        let session = self.array.context().shared_session();
        if self.arrangement.takes_all() && options.batch_bytes.is_none() {
            // The kept cells are cut into batches again, so the batches of the read may be small.
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
                expected: tdb_aggregate::expected_count(self.array.engine(), &options)
                    .map(|cells| self.arrangement.given(cells)),
                is_arranged: self.arrangement.changes_cells(),
                options,
            },
            array: self.array,
        })
    }

    /// Reads the whole result into one batch, if it fits the memory of the context.
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; fails also if the result does not fit.
    pub fn all(mut self) -> Result<Batch> {
        self.options.batch_bytes = Some(u64::MAX);
        let mut batches = self.batches()?;
        let fields = batches.fields().to_vec();
        let first = batches.next().transpose()?;
        if batches.next().transpose()?.is_some() {
            let error = Error::new(
                tdb_array::ErrorKind::Memory,
                "the result is larger than what the memory of the context holds at a time",
            );
            let hint = "read it batch by batch, or give the context more memory";
            return Err(error.at(batches.array.uri()).with_hint(hint));
        }
        Ok(first.unwrap_or_else(|| no_cells(&fields)))
    }
}

/// Iterator over the batches of a read.
#[derive(Debug)]
pub struct Batches {
    pub(super) fields: Vec<FieldInfo>,
    warnings: Vec<String>,
    cells: ArrangedCells<Source, Error>,
    labels: Option<LabelColumns>,
    /// Number of cells with fill values so far, as the reader counts them.
    filled: Arc<AtomicU64>,
    #[cfg(any(feature = "arrow", feature = "text"))]
    pub(super) asked: AskedCells,
    pub(super) array: Array,
}

/// Properties of a read that the layout of output files depends on.
#[cfg(any(feature = "arrow", feature = "text"))]
#[derive(Debug)]
pub(super) struct AskedCells {
    /// Number of cells of the result, if known in advance.
    pub(super) expected: Option<u64>,
    /// True if the cells of the read are reordered, sampled or cut.
    pub(super) is_arranged: bool,
    /// Options of the read.
    pub(super) options: tdb_query::ReadOptions,
}

/// The engine's reader, with errors that name the array.
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
    /// Returns the fields of the columns in each batch.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// Returns the number of cells so far that have fill values because the condition fails or no point matches, in a
    /// read that [fills](ReadBuilder::fill).
    #[must_use]
    pub fn filled(&self) -> u64 {
        self.filled.load(Ordering::Relaxed)
    }

    /// Iterates over oddities of the request that are no reason to refuse it, such as ranges that reach beyond the
    /// domain.
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

/// Returns an empty batch with columns for all fields.
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
