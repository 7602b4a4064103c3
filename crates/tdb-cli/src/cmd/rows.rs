//! Writes tables of results as files that programs read.

use tdb::engine::arrow::{IpcFileWriter, ParquetWriter};
use tdb::engine::cells::files::{BatchWriter, ConversionError, OutputOptions};
use tdb::engine::cells::{Batch, Buffer, Column, FieldInfo};
use tdb::engine::schema::{CellValNum, FieldKind};
use tdb::engine::text::{CsvWriter, JsonLinesWriter};
use tdb::engine::tile::{Datatype, Exact};

use crate::failure::Failure;
use crate::file_extensions::RowFormat;
use crate::global::Global;
use crate::output::Output;

/// A column of a result table.
#[derive(Debug)]
pub(super) struct ResultColumn {
    pub(super) name: String,
    pub(super) datatype: Datatype,
    pub(super) cell_val_num: CellValNum,
    /// Cells in stored form; `None` is null.
    pub(super) cells: Vec<Option<Vec<u8>>>,
}

impl ResultColumn {
    /// Creates a column of strings.
    pub(super) fn of_texts(name: &str, cells: impl Iterator<Item = Option<String>>) -> Self {
        Self {
            name: name.to_owned(),
            datatype: Datatype::StringUtf8,
            cell_val_num: CellValNum::Var,
            cells: cells.map(|cell| cell.map(String::into_bytes)).collect(),
        }
    }

    /// Creates a column of counts.
    pub(super) fn of_counts(name: &str, cells: impl Iterator<Item = Option<u64>>) -> Self {
        let cells = cells.map(|cell| cell.map(|number| number.to_le_bytes().to_vec()));
        Self::of_numbers(name, Datatype::UInt64, cells.collect())
    }

    /// Creates a column of floats.
    pub(super) fn of_floats(name: &str, cells: impl Iterator<Item = Option<f64>>) -> Self {
        let cells = cells.map(|cell| cell.map(|number| number.to_le_bytes().to_vec()));
        Self::of_numbers(name, Datatype::Float64, cells.collect())
    }

    fn of_numbers(name: &str, datatype: Datatype, cells: Vec<Option<Vec<u8>>>) -> Self {
        Self {
            name: name.to_owned(),
            datatype,
            cell_val_num: CellValNum::Fixed(1),
            cells,
        }
    }

    fn info(&self, number: usize) -> FieldInfo {
        FieldInfo {
            name: self.name.clone(),
            datatype: self.datatype,
            cell_val_num: self.cell_val_num,
            nullable: true,
            enumeration: None,
            field: FieldKind::Attribute(number),
        }
    }

    /// Converts the cells to a column of a batch. Fixed-size nulls take as many bytes as other cells.
    fn column(&self) -> Result<Column, Failure> {
        let null = match self.cell_val_num {
            CellValNum::Var => Vec::new(),
            CellValNum::Fixed(n) => vec![0; self.datatype.size().exact_mul(n as usize)?],
        };
        let (mut values, mut offsets) = (Vec::new(), vec![0_u64]);
        let mut validity = vec![0_u8; self.cells.len().div_ceil(8)];
        for (row, cell) in self.cells.iter().enumerate() {
            values.extend_from_slice(cell.as_ref().unwrap_or(&null));
            offsets.push(values.len() as u64);
            if let Some(byte) = validity.get_mut(row / 8).filter(|_| cell.is_some()) {
                *byte |= 1 << (row % 8);
            }
        }
        let offsets: Vec<u8> = offsets.iter().flat_map(|end| end.to_le_bytes()).collect();
        let is_var = self.cell_val_num == CellValNum::Var;
        Ok(Column {
            name: self.name.clone(),
            datatype: self.datatype,
            cell_val_num: self.cell_val_num,
            nullable: true,
            values: aligned(&values)?,
            offsets: if is_var {
                Some(aligned(&offsets)?)
            } else {
                None
            },
            validity: Some(aligned(&validity)?),
            enumeration: None,
        })
    }
}

fn aligned(bytes: &[u8]) -> Result<bytes::Bytes, Failure> {
    let mut buffer = Buffer::zeroed(bytes.len())?;
    buffer.as_mut_slice().copy_from_slice(bytes);
    Ok(buffer.freeze())
}

/// Writes columns of equal length as a file in the given format.
pub(super) fn write(
    format: RowFormat,
    columns: &[ResultColumn],
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut rows = RowWriter::begin(format, columns, global, out)?;
    rows.write(columns)?;
    rows.finish()
}

/// Writes a file in several batches.
pub(super) struct RowWriter<'a>(Box<dyn BatchWriter + 'a>);

impl<'a> RowWriter<'a> {
    /// Starts a file with these columns; their cells are ignored.
    pub(super) fn begin(
        format: RowFormat,
        columns: &[ResultColumn],
        global: &Global,
        out: &'a mut Output,
    ) -> Result<Self, Failure> {
        let fields: Vec<FieldInfo> = columns
            .iter()
            .enumerate()
            .map(|(number, column)| column.info(number))
            .collect();
        let options = OutputOptions::default()
            .ticks(global.ticks)
            .binary_strings(false);
        Ok(Self(writer(format, &fields, options, out)?))
    }

    /// Writes the cells of the columns, which must have equal lengths.
    pub(super) fn write(&mut self, columns: &[ResultColumn]) -> Result<(), Failure> {
        let made = columns.iter().map(ResultColumn::column);
        let batch = Batch {
            rows: columns.first().map_or(0, |column| column.cells.len()),
            columns: made.collect::<Result<Vec<Column>, Failure>>()?,
        };
        if batch.rows > 0 {
            self.0.write(&batch)?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        Ok(self.0.finish()?)
    }
}

fn writer<'a>(
    format: RowFormat,
    fields: &[FieldInfo],
    options: OutputOptions,
    out: &'a mut Output,
) -> Result<Box<dyn BatchWriter + 'a>, ConversionError> {
    Ok(match format {
        RowFormat::Csv => Box::new(CsvWriter::try_new(out, fields, options)?),
        RowFormat::JsonLines => Box::new(JsonLinesWriter::try_new(out, fields, options)?),
        RowFormat::Arrow => Box::new(IpcFileWriter::try_new(out, fields, options, None)?),
        RowFormat::Parquet => Box::new(ParquetWriter::try_new(out, fields, options, None)?),
    })
}
