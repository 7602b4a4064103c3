//! Cells sorted piece by piece, kept outside of memory, and merged.

use std::cmp::Ordering;
use std::sync::Arc;

use bytes::Bytes;
use tdb_array::ArrayError;
use tdb_schema::ArraySchema;
use tdb_schema::order::{CellComparator, Column, SortOrder};
use tdb_store::{Store, read_one};

use crate::WriteError;
use crate::coordinates::columns;
use crate::gather::pick_from;
use crate::input::{Cells, Input};

/// Sorted runs of cells in a store, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Runs {
    store: Arc<dyn Store>,
    /// What the keys of these runs begin with.
    prefix: String,
    runs: Vec<Run>,
}

/// One run: an object of blocks.
#[derive(Debug)]
struct Run {
    key: String,
    /// The cells of each block, and its bytes.
    blocks: Vec<(usize, u64)>,
}

impl Drop for Runs {
    fn drop(&mut self) {
        let keys: Vec<&str> = self.runs.iter().map(|run| run.key.as_str()).collect();
        // Best effort: the folder is a temporary one.
        drop(self.store.remove_many(&keys));
    }
}

impl Runs {
    pub(crate) fn new(store: Arc<dyn Store>, prefix: String) -> Self {
        Self {
            store,
            prefix,
            runs: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Writes the next run: these cells, which are in order, in blocks.
    pub(crate) fn add(&mut self, blocks: impl Iterator<Item = Cells>) -> Result<(), WriteError> {
        let key = format!("{}-{}", self.prefix, self.runs.len());
        let mut object = self.store.create(&key).map_err(ArrayError::from)?;
        let mut run = Run {
            key,
            blocks: Vec::new(),
        };
        for cells in blocks {
            let bytes = to_bytes(&cells);
            object.write(&bytes).map_err(ArrayError::from)?;
            run.blocks.push((cells.rows, bytes.len() as u64));
        }
        object.finish().map_err(ArrayError::from)?;
        self.runs.push(run);
        Ok(())
    }

    /// Hands out the cells of all runs in global order, those of earlier runs first where they are equal.
    pub(crate) fn merge(
        &self,
        schema: &ArraySchema,
        mut take: impl FnMut(&Cells) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        let comparator = CellComparator::new(schema, SortOrder::Global);
        let mut cursors: Vec<Cursor<'_>> = Vec::new();
        for run in &self.runs {
            let mut cursor = Cursor::new(&*self.store, run);
            if cursor.load(schema)? {
                cursors.push(cursor);
            }
        }
        while !cursors.is_empty() {
            let (picks, exhausted) = round(schema, &comparator, &cursors);
            let blocks: Vec<&Cells> = cursors.iter().map(|cursor| &cursor.block).collect();
            take(&pick_from(&blocks, &picks))?;
            for (run, row) in &picks {
                if let Some(cursor) = cursors.get_mut(*run) {
                    cursor.row = cursor.row.max(row.saturating_add(1));
                }
            }
            let Some(cursor) = cursors.get_mut(exhausted) else {
                break;
            };
            if !cursor.load(schema)? {
                cursors.remove(exhausted);
            }
        }
        Ok(())
    }
}

/// Which cells come next, until the block of one run is used up; and which run that is.
fn round(
    schema: &ArraySchema,
    comparator: &CellComparator,
    cursors: &[Cursor<'_>],
) -> (Vec<(usize, usize)>, usize) {
    let columns: Vec<Vec<Column<'_>>> = cursors
        .iter()
        .map(|cursor| columns(schema, &cursor.block))
        .collect();
    let compare = |a: &(usize, usize), b: &(usize, usize)| -> Ordering {
        match (columns.get(a.0), columns.get(b.0)) {
            (Some(left), Some(right)) => comparator
                .compare_rows(left, a.1, right, b.1)
                .then(a.0.cmp(&b.0)),
            _ => Ordering::Equal,
        }
    };
    // The next cell of each run, the first of them last.
    let mut heads: Vec<(usize, usize)> = cursors.iter().map(|c| c.row).enumerate().collect();
    heads.sort_by(|a, b| compare(b, a));
    let mut picks = Vec::new();
    while let Some((run, row)) = heads.pop() {
        picks.push((run, row));
        let next = (run, row.saturating_add(1));
        if cursors
            .get(run)
            .is_none_or(|cursor| next.1 >= cursor.block.rows)
        {
            return (picks, run);
        }
        let place = heads.partition_point(|head| compare(head, &next).is_gt());
        heads.insert(place, next);
    }
    (picks, usize::MAX)
}

/// Where the reading of a run is.
struct Cursor<'a> {
    store: &'a dyn Store,
    run: &'a Run,
    next: usize,
    offset: u64,
    block: Cells,
    row: usize,
}

impl<'a> Cursor<'a> {
    fn new(store: &'a dyn Store, run: &'a Run) -> Self {
        Self {
            store,
            run,
            next: 0,
            offset: 0,
            block: Cells::default(),
            row: 0,
        }
    }

    /// Reads the next block; `false` where there is none.
    fn load(&mut self, schema: &ArraySchema) -> Result<bool, WriteError> {
        let Some((rows, len)) = self.run.blocks.get(self.next).copied() else {
            return Ok(false);
        };
        let read = tdb_store::Read::bounded(self.run.key.as_str(), self.offset, len);
        let bytes = read_one(self.store, read).map_err(ArrayError::from)?.bytes;
        self.block = from_bytes(schema, rows, &bytes)
            .ok_or_else(|| WriteError::invalid("sorted cells changed on the disk"))?;
        self.offset = self.offset.saturating_add(len);
        self.next += 1;
        self.row = 0;
        Ok(true)
    }
}

/// Cells as a run keeps them: for each field the length of its parts, then the parts.
fn to_bytes(cells: &Cells) -> Vec<u8> {
    let mut out = Vec::with_capacity(cells.size_in_memory());
    for input in &cells.fields {
        for part in input.parts() {
            let len = part.map_or(u64::MAX, |part| part.len() as u64);
            out.extend_from_slice(&len.to_le_bytes());
        }
        for part in input.parts().into_iter().flatten() {
            out.extend_from_slice(part);
        }
    }
    out
}

fn from_bytes(schema: &ArraySchema, rows: usize, bytes: &Bytes) -> Option<Cells> {
    let mut at = 0_usize;
    let mut next = |len: usize| {
        let end = at.checked_add(len)?;
        let part = (end <= bytes.len()).then(|| bytes.slice(at..end))?;
        at = end;
        Some(part)
    };
    let kinds = crate::input::written_fields(schema);
    let views = kinds.into_iter().filter_map(|kind| schema.field_of(kind));
    let field = |view: tdb_schema::Field<'_>| -> Option<Input> {
        let mut lens = [0_u64; 3];
        for len in &mut lens {
            *len = u64::from_le_bytes(next(8)?.as_ref().try_into().ok()?);
        }
        let mut parts = [const { None }; 3];
        for (part, len) in parts.iter_mut().zip(lens) {
            if len != u64::MAX {
                *part = Some(next(usize::try_from(len).ok()?)?);
            }
        }
        Some(Input::of_parts(&view, parts))
    };
    Some(Cells {
        rows,
        fields: views.map(field).collect::<Option<_>>()?,
    })
}
