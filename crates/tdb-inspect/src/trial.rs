//! Trying filter pipelines on a part of a field's cells: the size on disk, and the speed.

use std::time::{Duration, Instant};

use tdb_array::ErrorKind;
use tdb_cells::{Batch, Column, unit_size};
use tdb_filters::{FilterList, OptionValue, Pipeline, Registry, Scratch, TileKind, describe};
use tdb_open::{Array, Error, Filter, Result, filter_list};
use tdb_query::{MOST_WALKED, ReadOptions, ResultOrder, named_ranges, narrow_walk};
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, Field, FieldKind};
use tdb_tile::{Bug, Exact, FormatVersion, Limits};

use crate::batches::batches;

/// Default size of the sample, in bytes of cells.
const SAMPLE: u64 = 16 << 20;

/// The sample takes at most the memory budget divided by this number.
const TRIED: u64 = 12;

/// Results of trying filter pipelines on a sample of a field's cells.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trials {
    /// Name of the field.
    pub field: String,
    /// Number of cells in the sample: the first ones in storage order.
    pub cells: u64,
    /// Bytes of their values without filters.
    pub bytes: u64,
    /// Result of each filter pipeline, the smallest first.
    pub trials: Vec<Trial>,
}

/// Result of one filter pipeline on the values of the sample. Offsets and validity have pipelines of their own, which
/// are not tried.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trial {
    /// The filters, in the syntax of `tdb rewrite --filters`: `byteshuffle,zstd:5`, `none`.
    pub filters: String,
    /// True if this is the field's current pipeline.
    pub is_current: bool,
    /// Bytes after filtering.
    pub stored: u64,
    /// Time that one thread took to filter.
    pub writing: Duration,
    /// Time that one thread took to undo the filters.
    pub reading: Duration,
}

impl Trials {
    /// Returns the result of the field's current pipeline.
    #[must_use]
    pub fn current(&self) -> Option<&Trial> {
        self.trials.iter().find(|trial| trial.is_current)
    }

    /// Returns the smallest result among pipelines that decode in at most 1.5 times the current time, or at 1 GB/s or
    /// more. Returns the current pipeline if nothing saves at least a tenth.
    #[must_use]
    pub fn advised(&self) -> Option<&Trial> {
        let current = self.current()?;
        let nanoseconds = |trial: &Trial| trial.reading.as_nanos();
        // One byte per nanosecond is 1 GB/s, which is fast enough in any case.
        let most = (nanoseconds(current) * 3 / 2).max(self.bytes.into());
        let smallest = (self.trials.iter()).find(|trial| nanoseconds(trial) <= most)?;
        let stored = |trial: &Trial| u128::from(trial.stored);
        let is_worth_it = stored(smallest) * 10 <= stored(current) * 9;
        Some(if is_worth_it { smallest } else { current })
    }
}

/// Returns the names of fields on which filters can be tried: those whose cells are stored.
pub fn filtered_fields(array: &Array) -> impl Iterator<Item = &str> {
    let schema = array.schema();
    let stored = schema.fields().filter(|field| is_stored(schema, field));
    stored.map(|field| field.name)
}

/// Tries filter pipelines on the first cells of a field, in tiles of the array's size: the current pipeline, and
/// others that suit the datatype. The sample has at most `bytes` bytes of cells, 16 MiB by default, and at most a
/// twelfth of the memory.
///
/// # Errors
/// Fails if the array has no such field, if a dense array does not store it, or if reading fails.
pub fn try_filters(array: &Array, field: &str, bytes: Option<u64>) -> Result<Trials> {
    let schema = array.schema();
    let known = || schema.fields().map(|field| field.name);
    let found = schema
        .field(field)
        .ok_or_else(|| Error::from(UnknownName::new("field", field, known())))?;
    if !is_stored(schema, &found) {
        let what = format!("dimension {field:?}: a dense array stores no coordinates");
        return Err(Error::invalid(what).with_hint("attributes have filters that are at work"));
    }
    let tiles = tiles(array, &found, tried_at_most(array, bytes.unwrap_or(SAMPLE)))?;
    let mut trials = Vec::new();
    let limits = array.context().shared_session().limits();
    for list in lists(&found)? {
        trials.extend(tried(&tiles, &found, &list, limits)?);
    }
    trials.sort_by_key(|trial: &Trial| trial.stored);
    Ok(Trials {
        field: field.to_owned(),
        cells: tiles.iter().map(|tile| tile.cells).sum(),
        bytes: tiles.iter().map(|tile| tile.values.len() as u64).sum(),
        trials,
    })
}

/// Returns `bytes`, or less if memory is small: the sample is in memory several times, and most copies do not
/// count against the budget.
pub(crate) fn tried_at_most(array: &Array, bytes: u64) -> u64 {
    let memory = array.context().shared_session().limits().budget.limit();
    bytes.min(memory / TRIED)
}

/// Reads the first cells of a field, and cuts them into tiles.
fn tiles(array: &Array, field: &Field<'_>, most: u64) -> Result<Vec<Tile>> {
    let schema = array.schema();
    let cells = if schema.is_dense() {
        SpaceTileGrid::new(schema).and_then(|grid| grid.cells_per_tile())
    } else {
        Some(schema.capacity)
    };
    let full = |tile: &Tile| cells.is_some_and(|cells| tile.cells >= cells.max(1));
    let mut tiles: Vec<Tile> = Vec::new();
    let mut left = most;
    let (dimensions, attributes) = match field.kind {
        FieldKind::Dimension(_) => (vec![field.name.to_owned()], Vec::new()),
        _ => (Vec::new(), vec![field.name.to_owned()]),
    };
    let mut options = ReadOptions::default()
        .dimensions(Some(dimensions))
        .attributes(Some(attributes))
        .order(Some(ResultOrder::Global))
        .enumeration_codes(true)
        .batch_bytes(Some(1 << 20));
    // Unwritten parts of a large domain are not worth reading.
    narrow_to_written(array.engine(), &mut options)?;
    for batch in batches(array, &options)? {
        let Batch { rows, columns } = batch?;
        let Some(column) = columns.first() else {
            break;
        };
        for row in 0..rows {
            let Some(cell) = column.cell(row) else {
                break;
            };
            if left == 0 {
                return Ok(tiles);
            }
            left = left.saturating_sub(cell.len().max(1) as u64);
            if tiles.last().is_none_or(full) {
                tiles.push(Tile::default());
            }
            if let Some(tile) = tiles.last_mut() {
                tile.push(cell, column);
            }
        }
    }
    Ok(tiles)
}

fn is_stored(schema: &ArraySchema, field: &Field<'_>) -> bool {
    !(schema.is_dense() && matches!(field.kind, FieldKind::Dimension(_)))
}

/// The values of one tile.
#[derive(Debug, Default)]
struct Tile {
    cells: u64,
    values: Vec<u8>,
    /// Var-sized fields: start of each cell in `values`.
    starts: Vec<u64>,
}

impl Tile {
    fn push(&mut self, cell: &[u8], column: &Column) {
        if column.cell_val_num.is_var() {
            self.starts.push(self.values.len() as u64);
        }
        self.values.extend_from_slice(cell);
        self.cells += 1;
    }
}

/// Returns the pipelines to try: the current one first, then each other one once.
fn lists(field: &Field<'_>) -> Result<Vec<FilterList>> {
    let datatype = field.datatype;
    let zstd = Filter::zstd;
    let mut all: Vec<Vec<Filter>> = vec![vec![], vec![Filter::lz4()]];
    all.extend([1, 5, 12].map(|level| vec![zstd(level)]));
    all.push(vec![Filter::bzip2(9)]);
    let is_text = field.is_var() && datatype.size() == 1;
    if is_text {
        all.push(vec![Filter::dictionary()]);
        all.push(vec![Filter::rle()]);
    }
    if datatype.size() > 1 {
        let shuffles = [Filter::byteshuffle(), Filter::bitshuffle()];
        for shuffle in shuffles {
            let behind = [Filter::lz4(), zstd(1), zstd(5), zstd(12)];
            all.extend(behind.map(|codec| vec![shuffle.clone(), codec]));
        }
    }
    if !is_text && !datatype.is_real() {
        for packed in ["double_delta", "delta", "bit_width_reduction"] {
            all.push(vec![Filter::named(packed), zstd(5)]);
        }
        all.push(vec![Filter::rle()]);
    }
    if datatype.is_real() {
        all.push(vec![Filter::named("xor"), Filter::byteshuffle(), zstd(5)]);
    }
    let mut lists = vec![field.filters.clone()];
    for filters in &all {
        let list = filter_list(filters, field.name)?;
        if !lists.iter().any(|other| other.filters == list.filters) {
            lists.push(list);
        }
    }
    Ok(lists)
}

/// Runs a pipeline on the tiles; `None` if the pipeline does not apply to the field.
fn tried(
    tiles: &[Tile],
    field: &Field<'_>,
    list: &FilterList,
    limits: &Limits,
) -> Result<Option<Trial>> {
    let version = FormatVersion::WRITTEN;
    let kind = TileKind::new(version, field.datatype);
    let kind = if field.is_var() {
        kind.var()
    } else {
        kind.with_cell_size(unit_size(field))
    };
    let pipeline = Pipeline::new(list, version, kind, None, Registry::builtin());
    let Ok(pipeline) = pipeline else {
        return Ok(None);
    };
    let mut scratch = Scratch::default();
    let (mut writing, mut reading, mut stored) = (Duration::ZERO, Duration::ZERO, 0_u64);
    let (mut out, mut back, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for tile in tiles {
        let starts = field.is_var().then_some(&tile.starts[..]);
        out.clear();
        let begun = Instant::now();
        let filtered = pipeline.encode_tile(&tile.values, starts, &mut out, &mut scratch, limits);
        if filtered.is_err() {
            return Ok(None);
        }
        writing += begun.elapsed();
        stored = stored.exact_add(out.len() as u64)?;
        back.resize(tile.values.len(), 0);
        let begun = Instant::now();
        let starts = pipeline.folds_offsets().then_some(&mut found);
        let undone = pipeline.decode_tile(&out, &mut back, starts, &mut scratch, limits);
        undone.map_err(|error| Error::invalid(error.to_string()))?;
        reading += begun.elapsed();
        // The current pipeline may be lossy.
        if back != tile.values && list.filters != field.filters.filters {
            return Err(Bug::new("filters give back other values than they took").into());
        }
    }
    Ok(Some(Trial {
        filters: written(list)?,
        is_current: list.filters == field.filters.filters,
        stored,
        writing,
        reading,
    }))
}

/// Formats a pipeline in the syntax of `tdb rewrite --filters`.
fn written(list: &FilterList) -> Result<String> {
    let version = FormatVersion::WRITTEN;
    let described = list
        .filters
        .iter()
        .map(|filter| {
            let described = describe(filter, version, Registry::builtin());
            described.map_err(|error| Error::invalid(error.to_string()))
        })
        .collect::<Result<Vec<_>>>()?;
    if described.is_empty() {
        return Ok("none".to_owned());
    }
    let filters = described.iter().map(|filter| {
        let level = filter.options.iter().find_map(|(name, value)| match value {
            OptionValue::Integer(level) if name == "level" && *level >= 0 => Some(*level),
            _ => None,
        });
        match level {
            Some(level) => format!("{}:{level}", filter.name),
            None => filter.name.clone(),
        }
    });
    Ok(filters.collect::<Vec<_>>().join(","))
}

/// Narrows a read of a domain too large to walk to what was written, or failing that to the box of the last fragment.
fn narrow_to_written(array: &tdb_array::Array, options: &mut ReadOptions) -> Result<()> {
    match narrow_walk(array, options, MOST_WALKED, false) {
        Err(error) if error.kind() == ErrorKind::Limit => {}
        narrowed => return Ok(narrowed.map(drop)?),
    }
    match array.fragments().last() {
        Some(last) => {
            let written = &last.metadata.non_empty_domain;
            options.ranges = named_ranges(&array.schema().dimensions, written);
        }
        None => options.reads_nothing = true,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_advised_takes_less_and_is_read_as_fast() {
        let trial = |filters: &str, stored, reading| Trial {
            filters: filters.to_owned(),
            is_current: filters == "today",
            stored,
            writing: Duration::ZERO,
            reading: Duration::from_millis(reading),
        };
        let advised = |others: &[(&str, u64, u64)]| {
            let mut trials: Vec<Trial> = others.iter().map(|(f, s, r)| trial(f, *s, *r)).collect();
            trials.push(trial("today", 1000, 20));
            trials.sort_by_key(|trial| trial.stored);
            let trials = Trials {
                field: String::new(),
                cells: 1,
                // At 1 GB/s these bytes take 10 ms.
                bytes: 10_000_000,
                trials,
            };
            trials.advised().expect("a trial").filters.clone()
        };
        assert_eq!(advised(&[]), "today");
        assert_eq!(advised(&[("a", 901, 1)]), "today");
        assert_eq!(advised(&[("a", 900, 30)]), "a");
        assert_eq!(advised(&[("a", 100, 31), ("b", 200, 30)]), "b");
        assert_eq!(advised(&[("a", 100, 31), ("b", 950, 3)]), "today");
    }
}
