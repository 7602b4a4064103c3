//! Writes JSON lines, and arrays of the same objects.

use std::io::{self, Write};

use tdb_cells::files::{BatchWriter, ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};

use crate::text::lines::Lines;
use crate::text::quoting::append_json_text;
use crate::text::syntax::Syntax;

/// Writes JSON lines: one object per cell, with the fields as keys.
#[derive(Debug)]
pub struct JsonLinesWriter<W: Write> {
    lines: Lines<W>,
}

impl<W: Write> JsonLinesWriter<W> {
    /// Creates a writer for these fields.
    ///
    /// # Errors
    /// None in practice, because nothing is written yet.
    pub fn try_new(
        out: W,
        fields: &[FieldInfo],
        options: OutputOptions,
    ) -> Result<Self, ConversionError> {
        let lines = objects(out, fields, options, &LINES);
        Ok(Self { lines })
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

/// Writes one JSON array: one object per cell, with the fields as keys, each on a line of its own.
#[derive(Debug)]
pub struct JsonArrayWriter<W: Write> {
    lines: Lines<BracketWriter<W>>,
}

impl<W: Write> JsonArrayWriter<W> {
    /// Creates a writer for these fields.
    ///
    /// # Errors
    /// None in practice, because nothing is written yet.
    pub fn try_new(
        out: W,
        fields: &[FieldInfo],
        options: OutputOptions,
    ) -> Result<Self, ConversionError> {
        let out = BracketWriter {
            out,
            is_open: false,
        };
        let lines = objects(out, fields, options, &ELEMENTS);
        Ok(Self { lines })
    }
}

impl<W: Write> BatchWriter for JsonArrayWriter<W> {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        self.lines.write(batch)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        let BracketWriter { out, is_open } = &mut self.lines.out;
        out.write_all(if *is_open { b"\n]\n" } else { b"[]\n" })?;
        Ok(out.flush()?)
    }
}

/// The texts around an object.
struct ObjectSyntax {
    begin: &'static [u8],
    end: &'static [u8],
    /// The text of an object without fields.
    empty: &'static [u8],
}

const LINES: ObjectSyntax = ObjectSyntax {
    begin: b"{",
    end: b"}\n",
    empty: b"{}\n",
};

const ELEMENTS: ObjectSyntax = ObjectSyntax {
    begin: b",\n{",
    end: b"}",
    empty: b",\n{}",
};

/// Creates a writer of rows as objects.
fn objects<W: Write>(
    out: W,
    fields: &[FieldInfo],
    options: OutputOptions,
    syntax: &ObjectSyntax,
) -> Lines<W> {
    let keys = fields.iter().enumerate().map(|(column, field)| {
        let mut key = if column == 0 {
            syntax.begin.to_vec()
        } else {
            vec![b',']
        };
        append_json_text(&field.name, &mut key);
        key.push(b':');
        key
    });
    let end = if fields.is_empty() {
        syntax.empty
    } else {
        syntax.end
    };
    Lines::new(out, fields, options, Syntax::Json, keys.collect(), end)
}

/// Replaces the first byte written, which is the comma before the first object, by the opening bracket of the array.
#[derive(Debug)]
struct BracketWriter<W> {
    out: W,
    is_open: bool,
}

impl<W: Write> Write for BracketWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_open || bytes.is_empty() {
            return self.out.write(bytes);
        }
        self.out.write_all(b"[")?;
        self.is_open = true;
        Ok(1)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
