//! Rewriting of the cells of fragments to new fragments that replace them.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, TimestampedName};
use tdb_cells::{Column, Session};
use tdb_fragment::FragmentIndex;
use tdb_query::{ReadOptions, Reader};
use tdb_schema::{CellValNum, DELETE_CONDITION_INDEX, DELETE_TIMESTAMPS};
use tdb_tile::{Bug, Datatype};
use tdb_write::{CopiedFragment, WriteOptions, Writer};

use crate::MergeError;

/// Reads cells in global order and writes them again; calls `tell` with the number of cells written so far. Tiles that
/// need not be merged are copied: their filters are only reversed, to validate them and compute their statistics, but
/// not run again.
///
/// If the replacement in `write` requests delete times and the read has none, no cell is marked as deleted.
pub(crate) fn rewrite(
    session: &Session,
    array: &Arc<Array>,
    read: &ReadOptions,
    write: &WriteOptions,
    tell: &dyn Fn(u64),
) -> Result<Vec<TimestampedName>, MergeError> {
    let mut reader = Reader::open(session, array, read)?;
    let tells_deletions = reader.fields().iter().any(|f| f.name == DELETE_TIMESTAMPS);
    let mut write = write.clone();
    let mut adds_deletions = false;
    if let Some(replacement) = &mut write.replacement {
        adds_deletions = replacement.has_deletions && !tells_deletions;
        replacement.has_deletions |= tells_deletions;
    }
    let mut writer = Writer::open(session, array, &write)?;
    let mut fragments = HashMap::new();
    loop {
        if copy_tiles(&mut reader, &mut writer, &mut fragments)? {
            tell(writer.rows());
            continue;
        }
        let Some(batch) = reader.next() else {
            break;
        };
        let mut batch = batch?;
        if adds_deletions {
            batch.columns.extend(no_deletions(batch.rows));
        }
        writer.push(&batch)?;
        tell(writer.rows());
    }
    drop((reader, fragments));
    Ok(writer.finish()?)
}

/// Copies the next tiles, if possible; returns whether it did. Each fragment is opened only once.
fn copy_tiles(
    reader: &mut Reader,
    writer: &mut Writer,
    fragments: &mut HashMap<FragmentIndex, Option<CopiedFragment>>,
) -> Result<bool, MergeError> {
    if !writer.is_between_tiles() {
        return Ok(false);
    }
    let allows = &mut |fragment| -> Result<bool, MergeError> {
        if let Some(known) = fragments.get(&fragment) {
            return Ok(known.is_some());
        }
        let opened = CopiedFragment::open(writer, fragment)?;
        Ok(fragments.entry(fragment).or_insert(opened).is_some())
    };
    let Some(whole) = reader.whole_tiles(allows)? else {
        return Ok(false);
    };
    let from = fragments
        .get(&whole.fragment)
        .and_then(Option::as_ref)
        .ok_or_else(|| Bug::new("tiles of a fragment that was not opened"))?;
    writer.copy(from, &whole)?;
    Ok(true)
}

/// Returns the two columns that mark `rows` cells as not deleted.
fn no_deletions(rows: usize) -> [Column; 2] {
    [DELETE_TIMESTAMPS, DELETE_CONDITION_INDEX].map(|name| Column {
        name: name.to_owned(),
        datatype: Datatype::UInt64,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        values: Bytes::from(vec![[u8::MAX; 8]; rows].into_flattened()),
        offsets: None,
        validity: None,
        enumeration: None,
    })
}
