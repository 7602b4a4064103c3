//! Batches cut by the values of fields, as folders of files hold them.

use std::collections::HashMap;
use std::fmt::Write;

use tdb_cells::files::read_index;
use tdb_cells::{Batch, Column, FieldInfo};
use tdb_schema::names::UnknownName;
use tdb_schema::value::{Cell, Value, read_cell};
use tdb_tile::Bug;

use crate::arrangement::rows_of;
use crate::{Error, Result};

/// What stands for null in the name of a folder, as Hive, Arrow, DuckDB and Spark have it.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Cuts batches into parts whose cells have the same values of some fields: `contig=chr1/sample=3`, as Hive names folders,
/// and Arrow, DuckDB and Spark read them.
///
/// ```no_run
/// let variants = tdb::open("variants")?;
/// let mut batches = variants.read().batches()?;
/// let partitioning = tdb::Partitioning::new(batches.fields(), &["contig"])?;
/// for batch in &mut batches {
///     for part in partitioning.cut(&batch?)? {
///         println!("{} cells for the folder {}", part.batch.rows, part.folder);
///     }
/// }
/// # Ok::<(), tdb::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Partitioning {
    /// The places of the fields among those of the batches.
    by: Vec<usize>,
}

/// Cells with the same values of the fields that a batch is cut by.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part {
    /// The folder: a level for each of the fields; nothing where there is none.
    pub folder: String,
    /// The cells, without those fields.
    pub batch: Batch,
}

impl Partitioning {
    /// By these fields, which are among those of the batches.
    ///
    /// # Errors
    /// Names that no field has; cells of several numbers, which cannot name a folder; no field that would be left.
    pub fn new<N: AsRef<str>>(fields: &[FieldInfo], by: &[N]) -> Result<Self> {
        let place = |name: &N| {
            let name = name.as_ref();
            let at = fields.iter().position(|field| field.name == name);
            at.ok_or_else(|| {
                let known = fields.iter().map(|field| field.name.as_str());
                Error::from(UnknownName::new("field", name, known))
            })
        };
        let by = by.iter().map(place).collect::<Result<Vec<usize>>>()?;
        if by.len() >= fields.len() && !by.is_empty() {
            let what = "all fields name folders, so that the files would have none";
            return Err(Error::invalid(what));
        }
        Ok(Self { by })
    }

    /// The fields of the parts.
    #[must_use]
    pub fn fields(&self, fields: &[FieldInfo]) -> Vec<FieldInfo> {
        let kept = fields.iter().enumerate();
        let kept = kept.filter(|(place, _)| !self.by.contains(place));
        kept.map(|(_, field)| field.clone()).collect()
    }

    /// The parts of a batch, in the order of their first cells.
    ///
    /// # Errors
    /// A value that cannot name a folder.
    pub fn cut(&self, batch: &Batch) -> Result<Vec<Part>> {
        let by = self.by.iter().map(|place| batch.columns.get(*place));
        let by = by.collect::<Option<Vec<&Column>>>().ok_or_else(lost)?;
        let mut groups: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        let (mut key, mut last) = (Vec::new(), None);
        for row in 0..batch.rows {
            let before = std::mem::take(&mut key);
            append_key(&by, row, &mut key)?;
            let group = match last.filter(|_| before == key) {
                Some(group) => group,
                None => *groups.entry(key.clone()).or_insert_with(|| {
                    rows.push(Vec::new());
                    rows.len().saturating_sub(1)
                }),
            };
            last = Some(group);
            let number = u32::try_from(row).map_err(|_| lost())?;
            rows.get_mut(group).ok_or_else(lost)?.push(number);
        }
        let parts = rows.into_iter().map(|rows| {
            let first = rows.first().copied().ok_or_else(lost)?;
            let mut part = if rows.len() == batch.rows {
                batch.clone()
            } else {
                rows_of(batch, &rows)?
            };
            let mut place = 0_usize..;
            part.columns
                .retain(|_| place.next().is_some_and(|place| !self.by.contains(&place)));
            Ok(Part {
                folder: folder(&by, first as usize)?,
                batch: part,
            })
        });
        parts.collect()
    }
}

/// The first cells of a batch, and the others.
///
/// # Errors
/// Columns with fewer cells than the batch says.
pub fn split(batch: Batch, rows: u64) -> Result<(Batch, Option<Batch>)> {
    if rows >= batch.rows as u64 {
        return Ok((batch, None));
    }
    let others = rows..batch.rows as u64;
    let others = others.map(|row| u32::try_from(row).map_err(|_| lost()));
    let rest = rows_of(&batch, &others.collect::<Result<Vec<u32>, Bug>>()?)?;
    Ok((batch.first(rows)?, Some(rest)))
}

/// The cells of a row, so that rows with other cells have other bytes.
fn append_key(by: &[&Column], row: usize, key: &mut Vec<u8>) -> Result<(), Bug> {
    for column in by {
        let is_valid = column.is_valid(row);
        let cell = column.cell(row).filter(|_| is_valid);
        let cell = cell.or((!is_valid).then_some(&[])).ok_or_else(lost)?;
        key.push(u8::from(is_valid));
        key.extend((cell.len() as u64).to_le_bytes());
        key.extend_from_slice(cell);
    }
    Ok(())
}

/// The folder of the cells that are as those of this row.
fn folder(by: &[&Column], row: usize) -> Result<String> {
    let levels = by.iter().map(|column| {
        let mut level = escaped(column.name.as_bytes());
        level.push('=');
        match cell_text(column, row)? {
            Some(text) => level.push_str(&escaped(&text)),
            None => level.push_str(NULL),
        }
        Ok(level)
    });
    let levels = levels.collect::<Result<Vec<String>>>()?;
    Ok(levels.join("/"))
}

/// A cell as the name of a folder has it; `None` for null.
fn cell_text(column: &Column, row: usize) -> Result<Option<Vec<u8>>> {
    if !column.is_valid(row) {
        return Ok(None);
    }
    let cell = column.cell(row).ok_or_else(lost)?;
    let (datatype, values, cell) = match &column.enumeration {
        None => (column.datatype, column.cell_val_num, cell),
        Some(labels) => {
            let index = read_index(cell, column.datatype.is_signed());
            let label = index.and_then(|index| labels.value(usize::try_from(index).ok()?));
            // An index outside of the enumeration is null.
            let Some(label) = label else {
                return Ok(None);
            };
            (labels.datatype(), labels.cell_val_num(), label)
        }
    };
    match read_cell(datatype, values, cell) {
        Cell::One(Value::Text(_) | Value::Bytes(_)) => Ok(Some(cell.to_vec())),
        Cell::One(value) => Ok(Some(value.to_string().into_bytes())),
        Cell::Many(_) => {
            let what = format!(
                "cells of {:?} hold several numbers, which cannot name a folder",
                column.name
            );
            Err(Error::invalid(what))
        }
    }
}

/// Letters, digits and a few signs stay; all other bytes are written as in a URI.
fn escaped(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for &byte in text {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+') || byte == b'.' {
            out.push(byte.into());
        } else {
            // Writing to memory cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn lost() -> Bug {
    Bug::new("a batch of fewer columns or cells than it says")
}
