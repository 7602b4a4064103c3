//! Splitting batches by the values of fields, for partitioned folders of files.

use std::collections::HashMap;
use std::fmt::Write;

use tdb_cells::files::read_index;
use tdb_cells::{Batch, Column, FieldInfo};
use tdb_open::{Error, Result};
use tdb_query::rows_of;
use tdb_schema::names::UnknownName;
use tdb_schema::value::{Cell, Value, read_cell};
use tdb_tile::Bug;

/// Folder name of a null value, as in Hive, Arrow, DuckDB and Spark.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Splits batches into parts whose cells have equal values in some fields. Folders are named as in Hive, Arrow, DuckDB
/// and Spark: `contig=chr1/sample=3`.
///
/// ```no_run
/// use tdb_query::{ReadOptions, Reader};
///
/// let variants = tdb_open::Context::new().open("variants")?;
/// let session = variants.context().shared_session();
/// let cells = Reader::open(session, variants.engine(), &ReadOptions::default())?;
/// let partitioning = tdb_files::Partitioning::new(cells.fields(), &["contig"])?;
/// for batch in cells {
///     for part in partitioning.cut(&batch?)? {
///         println!("{} cells for the folder {}", part.batch.rows, part.folder);
///     }
/// }
/// # Ok::<(), tdb_open::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Partitioning {
    /// Indexes of the partition fields among the fields of the batches.
    by: Vec<usize>,
}

/// Cells of a batch with equal values of the partition fields.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part {
    /// Folder, with one level per partition field; empty if there are none.
    pub folder: String,
    /// The cells, without the partition fields.
    pub batch: Batch,
}

impl Partitioning {
    /// Creates a partitioning by the fields named in `by`.
    ///
    /// # Errors
    /// Fails if a name is unknown, or if no field would be left for the files.
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

    /// Returns the fields that the parts contain.
    #[must_use]
    pub fn fields(&self, fields: &[FieldInfo]) -> Vec<FieldInfo> {
        let kept = fields
            .iter()
            .enumerate()
            .filter(|(place, _)| !self.by.contains(place));
        kept.map(|(_, field)| field.clone()).collect()
    }

    /// Splits a batch into parts, in the order of their first cells.
    ///
    /// # Errors
    /// Fails if a value cannot name a folder, such as a cell of several numbers.
    pub fn cut(&self, batch: &Batch) -> Result<Vec<Part>> {
        let by = self
            .by
            .iter()
            .map(|place| batch.columns.get(*place))
            .collect::<Option<Vec<&Column>>>()
            .ok_or_else(lost)?;
        let mut groups: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        let (mut key, mut last) = (Vec::new(), None);
        for row in 0..batch.rows {
            let before = std::mem::take(&mut key);
            append_key(&by, row, &mut key)?;
            let group = match last.filter(|_| before == key) {
                Some(group) => group,
                None => *groups.entry(key.clone()).or_insert_with(|| {
                    let group = rows.len();
                    rows.push(Vec::new());
                    group
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

/// Appends a key of the row that is equal for equal cells only.
fn append_key(by: &[&Column], row: usize, key: &mut Vec<u8>) -> Result<(), Bug> {
    for column in by {
        let is_valid = column.is_valid(row);
        let cell = column
            .cell(row)
            .filter(|_| is_valid)
            .or((!is_valid).then_some(&[]))
            .ok_or_else(lost)?;
        key.push(u8::from(is_valid));
        key.extend((cell.len() as u64).to_le_bytes());
        key.extend_from_slice(cell);
    }
    Ok(())
}

/// Returns the folder name for the values of a row.
fn folder(by: &[&Column], row: usize) -> Result<String> {
    let levels = by
        .iter()
        .map(|column| {
            let mut level = escaped(column.name.as_bytes());
            level.push('=');
            match cell_text(column, row)? {
                Some(text) => level.push_str(&escaped(&text)),
                None => level.push_str(NULL),
            }
            Ok(level)
        })
        .collect::<Result<Vec<String>>>()?;
    Ok(levels.join("/"))
}

/// Returns a cell as text for a folder name; `None` for null.
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
            // An index outside of the enumeration counts as null.
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

/// Escapes text like a URI: letters, digits and a few signs stay, all other bytes become `%XX`.
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
