//! Filters tried on a part of the cells of a field: what they would take on the disk, and how fast they are.

use std::time::{Duration, Instant};

use tdb_array::ErrorKind;
use tdb_cells::{Batch, Column, unit_size};
use tdb_filters::{FilterList, OptionValue, Pipeline, Registry, Scratch, TileKind, describe};
use tdb_query::ReadOptions;
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, Field, FieldKind};
use tdb_tile::{Bug, FormatVersion, Limits};

use crate::difference::ranges_of;
use crate::filter::filter_list;
use crate::{Array, Error, Filter, MOST_WALKED, Order, Result, narrow_walk};

/// Bytes of cells that are tried, if nothing else is said.
const SAMPLE: u64 = 16 << 20;

/// Cells that are tried take at most the memory budget divided by this.
const TRIED: u64 = 12;

/// Filters tried on a part of the cells of a field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trials {
    /// The field.
    pub field: String,
    /// The cells that were tried: the first ones, in the order in which they are stored.
    pub cells: u64,
    /// The bytes of their values without filters.
    pub bytes: u64,
    /// What each list of filters made of them, the smallest first.
    pub trials: Vec<Trial>,
}

/// What a list of filters made of the values of some cells. Offsets and validity have filters of their own, and are not part of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trial {
    /// The filters, as `tdb rewrite --filters` takes them: `byteshuffle,zstd:5`, `none`.
    pub filters: String,
    /// Whether the field has these today.
    pub is_current: bool,
    /// Bytes on the disk.
    pub stored: u64,
    /// How long one thread took to filter them.
    pub writing: Duration,
    /// How long one thread took to undo that.
    pub reading: Duration,
}

impl Trials {
    /// The filters that the field has today.
    #[must_use]
    pub fn current(&self) -> Option<&Trial> {
        self.trials.iter().find(|trial| trial.is_current)
    }

    /// The filters that take least, of those that are read in at most one and a half times the time of today's, or a gigabyte in
    /// a second; those of today, if nothing takes a tenth less.
    #[must_use]
    pub fn advised(&self) -> Option<&Trial> {
        let current = self.current()?;
        let most = current.reading.saturating_mul(3) / 2;
        // A gigabyte in a second is fast enough in any case.
        let enough = Duration::from_nanos(self.bytes);
        let mut fast = self.trials.iter();
        let smallest = fast.find(|trial| trial.reading <= most.max(enough))?;
        let is_worth_it = smallest.stored.saturating_mul(10) <= current.stored.saturating_mul(9);
        Some(if is_worth_it { smallest } else { current })
    }
}

impl Array {
    /// The fields on which filters can be tried: those of which cells are stored.
    pub fn filtered_fields(&self) -> impl Iterator<Item = &str> {
        let schema = self.schema();
        let stored = schema.fields().filter(|field| is_stored(schema, field));
        stored.map(|field| field.name)
    }

    /// Tries filters on the first cells of a field, in tiles as the array has them: those that it has, and those that are worth a
    /// trial for values of its type. At most so many bytes of cells, 16 MiB by default, and a twelfth of the memory.
    ///
    /// ```no_run
    /// let trials = tdb::open("weather")?.try_filters("temp", None)?;
    /// for trial in &trials.trials {
    ///     println!("{}: {} of {} bytes", trial.filters, trial.stored, trials.bytes);
    /// }
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// A field that the array does not have; errors of reading.
    pub fn try_filters(&self, field: &str, bytes: Option<u64>) -> Result<Trials> {
        let schema = self.schema();
        let known = || schema.fields().map(|field| field.name);
        let found = schema.field(field);
        let found = found.ok_or_else(|| Error::from(UnknownName::new("field", field, known())))?;
        if !is_stored(schema, &found) {
            let what = format!("dimension {field:?}: a dense array stores no coordinates");
            return Err(Error::invalid(what).with_hint("attributes have filters that are at work"));
        }
        let tiles = self.tiles(&found, self.tried_at_most(bytes.unwrap_or(SAMPLE)))?;
        let mut trials = Vec::new();
        let limits = self.context().shared_session().limits();
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

    /// So many bytes, or fewer where the memory is little: cells that are tried are in it several times, and most of that does not
    /// count.
    pub(crate) fn tried_at_most(&self, bytes: u64) -> u64 {
        let memory = self.context().shared_session().limits().budget.limit();
        bytes.min(memory / TRIED)
    }

    /// The first cells of a field, cut into tiles.
    fn tiles(&self, field: &Field<'_>, most: u64) -> Result<Vec<Tile>> {
        let schema = self.schema();
        let cells = if schema.is_dense() {
            SpaceTileGrid::new(schema).and_then(|grid| grid.cells_per_tile())
        } else {
            Some(schema.capacity)
        };
        let full = |tile: &Tile| cells.is_some_and(|cells| tile.cells >= cells.max(1));
        let mut tiles: Vec<Tile> = Vec::new();
        let mut left = most;
        let read = self.read().only(field.name)?.order(Order::Global);
        // Beyond what was written, a large domain has nothing to try filters on.
        let mut options = read.options()?;
        narrow_to_written(self.engine(), &mut options)?;
        let read = read.with_options(options);
        for batch in read.enumeration_codes().batch_bytes(1 << 20).batches()? {
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
}

fn is_stored(schema: &ArraySchema, field: &Field<'_>) -> bool {
    !(schema.is_dense() && matches!(field.kind, FieldKind::Dimension(_)))
}

/// The values of a tile.
#[derive(Debug, Default)]
struct Tile {
    cells: u64,
    values: Vec<u8>,
    /// Var-sized: where each cell begins.
    starts: Vec<u64>,
}

impl Tile {
    fn push(&mut self, cell: &[u8], column: &Column) {
        if column.cell_val_num.is_var() {
            self.starts.push(self.values.len() as u64);
        }
        self.values.extend_from_slice(cell);
        self.cells = self.cells.saturating_add(1);
    }
}

/// What is tried: first the filters of today, then all others once.
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

/// What filters make of the tiles; `None` if values of the field cannot have them.
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
        writing = writing.saturating_add(begun.elapsed());
        stored = stored.saturating_add(out.len() as u64);
        back.resize(tile.values.len(), 0);
        let begun = Instant::now();
        let starts = pipeline.folds_offsets().then_some(&mut found);
        let undone = pipeline.decode_tile(&out, &mut back, starts, &mut scratch, limits);
        undone.map_err(|error| Error::invalid(error.to_string()))?;
        reading = reading.saturating_add(begun.elapsed());
        // The filters of today may keep less than all of a value.
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

/// Filters as `tdb rewrite --filters` takes them.
fn written(list: &FilterList) -> Result<String> {
    let version = FormatVersion::WRITTEN;
    let described = list.filters.iter().map(|filter| {
        let described = describe(filter, version, Registry::builtin());
        described.map_err(|error| Error::invalid(error.to_string()))
    });
    let described = described.collect::<Result<Vec<_>>>()?;
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

/// Of a domain that is too large to be walked over, what was written, or the last of it.
fn narrow_to_written(array: &tdb_array::Array, options: &mut ReadOptions) -> Result<()> {
    match narrow_walk(array, options, MOST_WALKED, false) {
        Err(error) if error.kind() == ErrorKind::Limit => {}
        narrowed => return narrowed.map(|_| ()),
    }
    match array.fragments().last() {
        Some(last) => {
            let written = &last.metadata.non_empty_domain;
            options.ranges = ranges_of(&array.schema().dimensions, written);
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
                // 10 ms are fast enough for these.
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
