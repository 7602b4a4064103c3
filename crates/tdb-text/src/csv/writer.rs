//! Comma-separated values.

use std::io::Write;

use tdb_cells::files::{BatchWriter, ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};

use crate::text::lines::Lines;
use crate::text::quoting::append_quoted;
use crate::text::syntax::Syntax;

/// Writes comma-separated values, with the names of the fields in the first line.
///
/// An empty field is null, and `""` is an empty text. Bytes are hexadecimal digits (but `char` is text, or `0x…` if it
/// is not valid text), lists are written as in JSON.
#[derive(Debug)]
pub struct CsvWriter<W: Write> {
    lines: Lines<W>,
}

impl<W: Write> CsvWriter<W> {
    /// Writes the line with names.
    ///
    /// # Errors
    /// The output fails.
    pub fn try_new(
        mut out: W,
        fields: &[FieldInfo],
        options: OutputOptions,
    ) -> Result<Self, ConversionError> {
        let mut names = Vec::new();
        for (column, field) in fields.iter().enumerate() {
            names.extend_from_slice(separator(column));
            append_quoted(field.name.as_bytes(), &mut names);
        }
        names.push(b'\n');
        out.write_all(&names)?;
        let before = (0..fields.len())
            .map(|column| separator(column).to_vec())
            .collect();
        Ok(Self {
            lines: Lines::new(out, fields, options, Syntax::Csv, before, b"\n"),
        })
    }
}

impl<W: Write> BatchWriter for CsvWriter<W> {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        self.lines.write(batch)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        Ok(self.lines.out.flush()?)
    }
}

fn separator(column: usize) -> &'static [u8] {
    if column == 0 { b"" } else { b"," }
}
