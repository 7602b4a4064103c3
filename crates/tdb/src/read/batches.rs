//! A read, batch by batch.

use tdb_cells::{Batch, Column, FieldInfo};
use tdb_query::Reader;

use super::ReadBuilder;
use crate::{Arranged, Array, Error, Result};

impl ReadBuilder {
    /// Reads batch by batch: each fits the memory of the context, together they are the result, in order.
    ///
    /// # Errors
    /// As for [`ReadBuilder::options`]; a request that the array does not allow.
    pub fn batches(self) -> Result<Batches> {
        let mut options = self.options()?;
        let schema = self.array.schema();
        let prepared = self.arrangement.prepare(schema, &mut options)?;
        let session = self.array.context().shared_session();
        let reader = Reader::open(session, self.array.engine(), &options)
            .map_err(|error| self.array.failed(error))?;
        let fields = prepared.fields(reader.fields());
        let warnings = reader.warnings().to_vec();
        let array = self.array.clone();
        let source = Source { reader, array };
        Ok(Batches {
            fields,
            warnings,
            cells: prepared.apply(session, source),
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
    fields: Vec<FieldInfo>,
    warnings: Vec<String>,
    cells: Arranged<Source, Error>,
    array: Array,
}

/// The reader of the engine beneath, with its errors told as of the array.
#[derive(Debug)]
struct Source {
    reader: Reader,
    array: Array,
}

impl Iterator for Source {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.map_err(|error| self.array.failed(error)))
    }
}

impl Batches {
    /// What the columns of each batch hold.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// What is odd about the request, and no reason to refuse it: ranges that reach beyond the domain.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().map(AsRef::as_ref)
    }
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.cells.next()
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
