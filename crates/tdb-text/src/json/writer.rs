//! JSON lines.

use std::io::Write;

use tdb_cells::files::{BatchWriter, ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};

use crate::text::lines::Lines;
use crate::text::quoting::append_json_text;
use crate::text::syntax::Syntax;

/// Writes JSON lines: an object per cell, with the fields as keys.
#[derive(Debug)]
pub struct JsonLinesWriter<W: Write> {
    lines: Lines<W>,
}

impl<W: Write> JsonLinesWriter<W> {
    /// A writer of these fields.
    ///
    /// # Errors
    /// None in practice: nothing is written yet.
    pub fn try_new(
        out: W,
        fields: &[FieldInfo],
        options: OutputOptions,
    ) -> Result<Self, ConversionError> {
        let keys = fields.iter().enumerate().map(|(column, field)| {
            let mut key = vec![if column == 0 { b'{' } else { b',' }];
            append_json_text(&field.name, &mut key);
            key.push(b':');
            key
        });
        let (keys, end): (_, &[u8]) = (keys.collect(), b"}\n");
        let end = if fields.is_empty() { b"{}\n" } else { end };
        Ok(Self {
            lines: Lines::new(out, fields, options, Syntax::Json, keys, end),
        })
    }
}

impl<W: Write> BatchWriter for JsonLinesWriter<W> {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        self.lines.write(batch)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        Ok(self.lines.out.flush()?)
    }
}
