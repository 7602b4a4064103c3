use tdb_cells::{Batch, Column, FieldInfo};
use tdb_open::{Array, Result};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_tile::{Budget, Bug, Exact, Grant};

use super::cells::{ColumnCells, Row, RowOf, order_of, same_cells};
use super::form::Form;

/// Number of rows compared at once while the reads are expected to be equal.
const BLOCK: usize = 1024;

/// One of the two reads, with its current position.
#[derive(Debug)]
pub(super) struct Side {
    array: Array,
    reader: Reader,
    /// How each column is compared.
    forms: Vec<Form>,
    batch: Option<Batch>,
    next: usize,
}

impl Side {
    /// Opens a read; `forms` states how each attribute is compared.
    pub(super) fn open(
        array: Array,
        options: ReadOptions,
        attributes: &[String],
        forms: impl Iterator<Item = Form>,
    ) -> Result<Self> {
        let dimensions = array.schema().dimensions.iter().map(|_| Form::Stored);
        let forms = dimensions.chain(forms).collect();
        let names = array.schema().dimensions.iter();
        let options = options
            .dimensions(Some(
                names.map(|dimension| dimension.name.clone()).collect(),
            ))
            .attributes(Some(attributes.to_vec()))
            .order(Some(ResultOrder::RowMajor))
            .enumeration_codes(false)
            .limit(None);
        let session = array.context().shared_session();
        let reader =
            Reader::open(session, array.engine(), &options).map_err(|error| array.failed(error))?;
        Ok(Self {
            array,
            reader,
            forms,
            batch: None,
            next: 0,
        })
    }

    pub(super) fn fields(&self) -> &[FieldInfo] {
        self.reader.fields()
    }

    /// Reads the next batch if all cells were taken. Returns false at the end of the read.
    pub(super) fn fill(&mut self) -> Result<bool> {
        while self.left()? == 0 {
            // Dropping the batch first frees its memory for the next one.
            self.batch = None;
            self.next = 0;
            match self.reader.next() {
                None => return Ok(false),
                Some(batch) => {
                    self.batch = Some(batch.map_err(|error| self.array.failed(error))?);
                }
            }
        }
        Ok(true)
    }

    fn left(&self) -> Result<usize, Bug> {
        let rows = self.batch.as_ref().map_or(0, |batch| batch.rows);
        rows.exact_sub(self.next)
    }

    pub(super) fn skip(&mut self, rows: usize) {
        self.next += rows;
    }

    fn columns(&self) -> &[Column] {
        self.batch.as_ref().map_or(&[], |batch| &batch.columns)
    }

    /// Returns the next cell, without taking it.
    pub(super) fn row(&self) -> RowOf<'_> {
        RowOf {
            columns: self.columns(),
            row: self.next,
        }
    }

    /// Returns how many of the next cells are equal on both sides, up to the end of the shorter batch.
    ///
    /// Large blocks are compared first; a block that differs is halved until the first different row is found, so
    /// equal stretches cost one comparison per column and block.
    pub(super) fn same_rows(&self, other: &Self) -> Result<usize, Bug> {
        let most = self.left()?.min(other.left()?);
        let mut same = 0;
        let is_same = |from: usize, rows: usize| -> Result<bool, Bug> {
            let columns = self.columns().iter().zip(&self.forms);
            let mut pairs = columns.zip(other.columns().iter().zip(&other.forms));
            let (one, two) = (self.next + from, other.next + from);
            pairs.try_fold(true, |same, ((a, a_form), (b, b_form))| {
                let one = ColumnCells {
                    column: a,
                    row: one,
                    form: *a_form,
                };
                let two = ColumnCells {
                    column: b,
                    row: two,
                    form: *b_form,
                };
                Ok(same && same_cells(one, two, rows)?)
            })
        };
        let mut block = BLOCK;
        while same < most {
            let rows = block.min(most - same);
            if is_same(same, rows)? {
                same += rows;
            } else if rows == 1 {
                break;
            } else {
                block = rows / 2;
            }
        }
        Ok(same)
    }

    /// Takes the next cell.
    pub(super) fn take(&mut self) -> Result<Row, Bug> {
        let row = self.row().to_row(&self.forms)?;
        self.skip(1);
        Ok(row)
    }

    /// Takes the next cell, and all further cells with the same coordinates if the array allows duplicates.
    pub(super) fn take_equal(
        &mut self,
        dimensions: &[FieldInfo],
        budget: &Budget,
        held: &mut Vec<Grant>,
    ) -> Result<Vec<Row>> {
        let first = self.take()?;
        let mut rows = vec![first];
        if !self.array.schema().allows_duplicates {
            return Ok(rows);
        }
        while self.fill()? {
            let next = self.row();
            let is_equal = rows
                .first()
                .map(|first| order_of(dimensions, first.borrowed(), next));
            if !is_equal.transpose()?.is_some_and(std::cmp::Ordering::is_eq) {
                break;
            }
            let row = self.take()?;
            let grant = budget.take(row.bytes());
            held.push(
                grant.map_err(|error| self.array.failed(tdb_cells::CellsError::from(error)))?,
            );
            rows.push(row);
        }
        Ok(rows)
    }
}
