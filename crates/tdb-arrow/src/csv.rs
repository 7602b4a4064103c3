//! Comma-separated values.

use std::io::{self, Write};

use tdb_query::{Batch, FieldInfo};
use tdb_schema::value::{Cell, Value};

use crate::{BatchWriter, ConversionError, Options, cell_of, write_json};

/// Writes comma-separated values, with the names of the fields in the first line.
///
/// Nothing between two commas is null, and `""` an empty text. Bytes are hexadecimal digits, lists
/// are those of JSON.
#[derive(Debug)]
pub struct CsvWriter<W: Write> {
    out: W,
    options: Options,
    cells: u64,
    scratch: Vec<u8>,
}

impl<W: Write> CsvWriter<W> {
    /// Begins with the line of names.
    ///
    /// # Errors
    /// Where the output fails.
    pub fn try_new(
        mut out: W,
        fields: &[FieldInfo],
        options: Options,
    ) -> Result<Self, ConversionError> {
        for (column, field) in fields.iter().enumerate() {
            separate(column, &mut out)?;
            write_quoted(field.name.as_bytes(), &mut out)?;
        }
        out.write_all(b"\n")?;
        Ok(Self {
            out,
            options,
            cells: 0,
            scratch: Vec::new(),
        })
    }

    fn write_cell(&mut self, cell: Option<&Cell<'_>>) -> io::Result<()> {
        match cell {
            None => Ok(()),
            Some(Cell::One(Value::Text(text))) => write_quoted(text.as_bytes(), &mut self.out),
            Some(Cell::One(Value::Bytes([]))) => write_quoted(b"", &mut self.out),
            Some(Cell::One(value)) => write!(self.out, "{value}"),
            Some(Cell::Many(_)) => {
                self.scratch.clear();
                write_json(cell, &mut self.scratch)?;
                write_quoted(&self.scratch, &mut self.out)
            }
        }
    }
}

impl<W: Write> BatchWriter for CsvWriter<W> {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        for row in 0..batch.rows {
            for (number, column) in batch.columns.iter().enumerate() {
                separate(number, &mut self.out)?;
                let cell = cell_of(column, row, self.cells, self.options)?;
                self.write_cell(cell.as_ref())?;
            }
            self.out.write_all(b"\n")?;
            self.cells = self.cells.saturating_add(1);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        Ok(self.out.flush()?)
    }
}

fn separate(column: usize, out: &mut impl Write) -> io::Result<()> {
    if column == 0 {
        Ok(())
    } else {
        out.write_all(b",")
    }
}

/// A text in quotes where it needs them; a quote within becomes two.
fn write_quoted(text: &[u8], out: &mut impl Write) -> io::Result<()> {
    let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    let spaced = text.first() == Some(&b' ') || text.last() == Some(&b' ');
    if !text.is_empty() && !spaced && !text.iter().any(special) {
        return out.write_all(text);
    }
    out.write_all(b"\"")?;
    for (number, piece) in text.split(|&byte| byte == b'"').enumerate() {
        if number > 0 {
            out.write_all(b"\"\"")?;
        }
        out.write_all(piece)?;
    }
    out.write_all(b"\"")
}
