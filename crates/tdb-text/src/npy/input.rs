//! Reads `.npy` files.

use std::io::Read;

use tdb_cells::files::{
    BatchReader, ColumnGuess, Input, InputError, InputOptions, SeenRange, by_name,
};
use tdb_cells::{Batch, FieldInfo};
use tdb_schema::FieldKind;

use super::convert::CellConverter;
use super::dtype::Values;
use super::header::{NpyShape, read_header, unfit};

const FORMAT: &str = ".npy";

/// A `.npy` file as one column; cells come in the order of the file.
///
/// Numbers can be read into fields of other number types, and dates and times into other units, if no cell loses
/// information. Texts (`S` and `U`) end before their trailing zeros.
#[derive(Debug)]
pub struct NpyInput<R> {
    file: R,
    names: [String; 1],
    values: Values,
    inner: u32,
    shape: NpyShape,
    /// Number of cells in the file.
    cells: u64,
    options: InputOptions,
}

impl<R: Read> NpyInput<R> {
    /// Opens a file as one column with this name.
    ///
    /// With `inner` greater than one, the last axis must have this length and becomes the values within a cell.
    ///
    /// # Errors
    /// [`InputError::Unfit`] if this is not a `.npy` file, or TileDB has no datatype for its values.
    pub fn try_new(
        mut file: R,
        name: &str,
        inner: u32,
        options: InputOptions,
    ) -> Result<Self, InputError> {
        let header = read_header(&mut file)?;
        let values = Values::parse(&header.descr)?;
        let mut shape = header.shape;
        if inner > 1 && (shape.axes.pop() != Some(u64::from(inner)) || shape.is_column_major) {
            let what =
                format!("the last axis of the file is not one of {inner} values, as a cell has");
            return Err(unfit(what));
        }
        let mut sides = shape.axes.iter();
        let cells = sides
            .try_fold(1_u64, |cells, side| cells.checked_mul(*side))
            .ok_or_else(|| unfit("more cells than can be counted".to_owned()))?;
        Ok(Self {
            file,
            names: [name.to_owned()],
            values,
            inner: inner.max(1),
            shape,
            cells,
            options,
        })
    }

    /// The shape of the box, without an axis of values within cells.
    #[must_use]
    pub fn shape(&self) -> &NpyShape {
        &self.shape
    }

    fn converted(self, field: &FieldInfo) -> Result<NpyCells<R>, InputError> {
        let converter = CellConverter::try_new(self.values, self.inner, field)?;
        Ok(NpyCells {
            file: self.file,
            rows: self.options.batch_rows(converter.cell_size() as u64),
            converter,
            done: 0,
            left: self.cells,
        })
    }
}

impl<R: Read + Send> Input for NpyInput<R> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn cells<'a>(
        self: Box<Self>,
        fields: &[FieldInfo],
    ) -> Result<Box<dyn BatchReader + 'a>, InputError>
    where
        Self: 'a,
    {
        by_name(&self.names, fields)?;
        let [field] = fields else {
            return Err(unfit("a .npy file holds one column".to_owned()));
        };
        Ok(Box::new(self.converted(field)?))
    }

    fn guess(self: Box<Self>) -> Result<Vec<ColumnGuess>, InputError> {
        let [name] = self.names.clone();
        let natural = self.values.natural_type(self.inner);
        let (datatype, cell_val_num) = natural.ok_or_else(|| {
            InputError::column(&name, format!("TileDB has no datatype for {}", self.values))
        })?;
        let mut guess = ColumnGuess {
            name,
            datatype,
            cell_val_num,
            nullable: false,
            is_ascii: true,
            range: None,
            labels: None,
            cells: self.cells,
        };
        let mut cells = self.converted(&guess.field(FieldKind::Attribute(0)))?;
        let mut range = SeenRange::default();
        while let Some(batch) = cells.next()? {
            for column in &batch.columns {
                guess.is_ascii &= column.values.is_ascii();
                range.see(column);
            }
        }
        guess.range = range.finish();
        Ok(vec![guess])
    }
}

/// Reads the cells of a file into a known field.
#[derive(Debug)]
struct NpyCells<R> {
    file: R,
    converter: CellConverter,
    /// Number of cells per batch.
    rows: usize,
    /// Number of cells read.
    done: u64,
    /// Number of cells left.
    left: u64,
}

impl<R: Read> NpyCells<R> {
    /// Reads the next cells; there must be at least one left.
    fn batch(&mut self) -> Result<Batch, InputError> {
        // If the number does not fit into `usize`, there are more cells than in a batch.
        let rows = usize::try_from(self.left).map_or(self.rows, |left| left.min(self.rows));
        // A batch of more than one row has at most the bytes of a batch: `batch_rows`.
        let len = rows * self.converter.cell_size();
        let mut bytes = Vec::new();
        (&mut self.file).take(len as u64).read_to_end(&mut bytes)?;
        if bytes.len() != len {
            return Err(InputError::Library {
                format: FORMAT,
                source: "the file ends before its last cell".into(),
            });
        }
        let column = self.converter.column(bytes, rows, self.done)?;
        self.done += rows as u64;
        self.left -= rows as u64;
        Ok(Batch {
            rows,
            columns: vec![column],
        })
    }
}

impl<R: Read + Send> BatchReader for NpyCells<R> {
    fn next(&mut self) -> Result<Option<Batch>, InputError> {
        if self.left == 0 {
            return Ok(None);
        }
        let batch = self.batch();
        if batch.is_err() {
            self.left = 0;
        }
        batch.map(Some)
    }

    fn line(&self, _: u64) -> Option<u64> {
        None
    }
}
