//! Aggregates computed from the tile statistics of fragments, where these are exact.

use tdb_array::{Array, Fragment};
use tdb_cells::files::read_index;
use tdb_cells::{Session, stored_field};
use tdb_fragment::{FragmentIndex, FragmentMetadata, MetadataPart, TileStatistics, TileSum};
use tdb_query::{LoneTiles, ReadOptions, Reader};
use tdb_schema::value::NOT_A_TIME;
use tdb_schema::{ArraySchema, Field, FieldKind};
use tdb_tile::{Bug, Grant};

use crate::AggregateError;
use crate::accumulator::{Accumulator, StoredStatistics, is_time};
use crate::field_states::FieldStates;

/// Number of fragments whose statistics are in memory at the same time.
const TOGETHER: usize = 256;

/// Aggregates of tiles that need not be read.
#[derive(Debug)]
pub(crate) struct KnownTiles {
    /// The tiles.
    pub(crate) tiles: Vec<LoneTiles>,
    /// The number of their cells.
    pub(crate) cells: u64,
    /// Their aggregates for each field, in the order of the given fields.
    pub(crate) fields: Vec<Accumulator>,
}

/// Source of the aggregates of a fragment's tiles for one field.
#[derive(Debug)]
enum Source {
    /// The number of cells suffices.
    Cells,
    Statistics(Box<TileStatistics>),
    /// The tiles must be read.
    None,
}

/// True if statistics can be used for a read.
pub(crate) fn may_tell(schema: &ArraySchema, options: &ReadOptions) -> bool {
    let names = || options.ranges.iter().map(|(name, _)| name);
    let is_single = |name: &String| names().filter(|other| *other == name).count() == 1;
    // Dense arrays must be read tile by tile for this, which is not possible with several ranges per dimension.
    let is_by_tiles = || {
        names().count() <= schema.dimensions.len()
            && options.label_ranges.is_empty()
            && names().all(is_single)
    };
    !options.looks_at_cells() && options.limit.is_none() && (!schema.is_dense() || is_by_tiles())
}

/// Finds tiles of a read whose statistics determine all requested aggregates. All other tiles must be read, including
/// those whose statistics cannot be read.
pub(crate) fn known_tiles(
    session: &Session,
    reader: &Reader,
    fields: &[FieldStates],
) -> Result<KnownTiles, AggregateError> {
    let mut known = KnownTiles {
        tiles: Vec::new(),
        cells: 0,
        fields: vec![Accumulator::default(); fields.len()],
    };
    if !fields
        .iter()
        .all(|field| is_just_counted(field) || is_summarized(field))
    {
        return Ok(known);
    }
    let array = reader.array();
    for together in reader.lone_tiles()?.chunks(TOGETHER) {
        let fragments = together
            .iter()
            .map(|lone| {
                let fragment = array.fragment(lone.fragment)?;
                Ok((lone.fragment, fragment))
            })
            .collect::<Result<Vec<(FragmentIndex, &Fragment)>, Bug>>()?;
        let Some((_held, mut sources)) = sources(session, array, &fragments, fields) else {
            continue;
        };
        for (lone, (_, fragment)) in together.iter().zip(&fragments) {
            let own: Vec<Source> = sources.by_ref().take(fields.len()).collect();
            known.add(lone, fragment, fields, &own)?;
        }
    }
    Ok(known)
}

/// True if only the number of cells of a field is requested.
fn is_just_counted(field: &FieldStates) -> bool {
    !field.needs_values() && !field.info.nullable && field.info.enumeration.is_none()
}

/// True if writers store tile statistics for a field.
fn is_summarized(field: &FieldStates) -> bool {
    matches!(field.info.field, FieldKind::Attribute(_))
}

impl KnownTiles {
    /// Adds the tiles of a fragment whose aggregates are all known.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are fewer than 2^64 cells, whose values have 64 bits each"
    )]
    fn add(
        &mut self,
        lone: &LoneTiles,
        fragment: &Fragment,
        fields: &[FieldStates],
        sources: &[Source],
    ) -> Result<(), AggregateError> {
        let mut tiles = Vec::new();
        for tile in &lone.tiles {
            let cells = fragment.metadata.tile_cells(tile.get());
            let Ok(number) = usize::try_from(tile.get()) else {
                continue;
            };
            let each = fields
                .iter()
                .zip(sources)
                .map(|(field, source)| source.tile(field, number, cells));
            let Some(each) = each.collect::<Option<Vec<StoredStatistics>>>() else {
                continue;
            };
            tiles.push(*tile);
            self.cells += cells;
            let states = self.fields.iter_mut().zip(fields);
            for ((state, field), tile) in states.zip(&each) {
                state.add_known(field.info.datatype, tile)?;
            }
        }
        if !tiles.is_empty() {
            self.tiles.push(LoneTiles {
                fragment: lone.fragment,
                tiles,
            });
        }
        Ok(())
    }
}

impl Source {
    /// Returns what is known about a tile of `cells` cells; `None` if that does not suffice.
    fn tile(&self, field: &FieldStates, tile: usize, cells: u64) -> Option<StoredStatistics> {
        let statistics = match self {
            Self::None => return None,
            Self::Cells => {
                return Some(StoredStatistics {
                    count: cells,
                    ..StoredStatistics::default()
                });
            }
            Self::Statistics(statistics) => statistics,
        };
        let nulls = statistics.known_nulls(tile)?;
        let mut known = StoredStatistics {
            count: cells.checked_sub(nulls)?,
            nulls,
            ..StoredStatistics::default()
        };
        if known.count == 0 {
            return Some(known);
        }
        if let Some(labels) = &field.info.enumeration {
            let (least, greatest) = statistics.extremes(tile, cells)?;
            // An index without a label is null, but not included in the null count.
            let is_signed = field.info.datatype.is_signed();
            let is_label = |index| read_index(index, is_signed) < Some(labels.len() as u64);
            read_index(least, is_signed)?;
            read_index(greatest, is_signed).filter(|_| is_label(greatest))?;
        }
        if field.needs_extremes {
            let (least, greatest) = statistics.extremes(tile, cells)?;
            let not_a_time = NOT_A_TIME.to_le_bytes();
            // NaT is not a minimum, and hides the real one.
            if is_time(field.info.datatype) && least == not_a_time {
                return None;
            }
            known.extremes = Some((least.to_vec(), greatest.to_vec()));
        }
        if field.needs_sum {
            match statistics.known_sum(tile, cells)? {
                TileSum::Signed(sum) => known.whole = sum.into(),
                TileSum::Unsigned(sum) => known.whole = sum.into(),
                TileSum::Float(sum) => known.float = sum,
            }
        }
        Some(known)
    }
}

/// Returns the sources for all fields of the first fragment, then of the next, and so on. Returns `None` if the
/// statistics cannot be read or do not fit in memory.
fn sources(
    session: &Session,
    array: &Array,
    fragments: &[(FragmentIndex, &Fragment)],
    fields: &[FieldStates],
) -> Option<(Grant, impl Iterator<Item = Source>)> {
    let wanted: Vec<StatisticsRequest<'_>> = fragments
        .iter()
        .flat_map(|(index, fragment)| {
            let wanted = |field| StatisticsRequest::of(array.schema(), *index, fragment, field);
            fields.iter().map(wanted)
        })
        .collect();
    let parts = wanted.iter().flat_map(StatisticsRequest::parts);
    let parts = array.snapshot().find_parts(parts).ok()?;
    let (_fetched, pieces) = array.fetch(parts.reads()).ok()?;
    let opened = array.snapshot().open_parts(parts, pieces).ok()?;
    let bytes = opened
        .iter()
        .map(|part| part.payload.len() as u64)
        .fold(0, u64::saturating_add);
    let held = session.limits().budget.take(bytes).ok()?;
    let limits = session.limits().clone();
    let mut payloads = opened.into_iter().map(|part| part.payload);
    let sources: Vec<Source> = wanted
        .into_iter()
        .map(|wanted| match wanted {
            StatisticsRequest::Cells => Source::Cells,
            StatisticsRequest::None => Source::None,
            StatisticsRequest::Statistics { fragment, view, .. } => {
                let own: Vec<_> = payloads.by_ref().take(4).collect();
                let own = <[_; 4]>::try_from(own).ok();
                let statistics = own.and_then(|own| {
                    let metadata = &fragment.metadata;
                    metadata.tile_statistics(&view, &own, &limits).ok()
                });
                statistics.map_or(Source::None, |s| Source::Statistics(Box::new(s)))
            }
        })
        .collect();
    Some((held, sources.into_iter()))
}

/// The statistics to read for a field of a fragment.
enum StatisticsRequest<'a> {
    Cells,
    Statistics {
        index: FragmentIndex,
        fragment: &'a Fragment,
        view: Field<'a>,
    },
    None,
}

impl<'a> StatisticsRequest<'a> {
    fn of(
        schema: &ArraySchema,
        index: FragmentIndex,
        fragment: &'a Fragment,
        field: &FieldStates,
    ) -> Self {
        if is_just_counted(field) {
            return Self::Cells;
        }
        let is_stored = fragment.metadata.version.stores_tile_statistics();
        let view = stored_field(schema, fragment.stored(), field.info.field);
        match view.filter(|_| is_stored) {
            Some(view) => Self::Statistics {
                index,
                fragment,
                view,
            },
            None => Self::None,
        }
    }

    fn parts(&self) -> impl Iterator<Item = (FragmentIndex, MetadataPart)> + use<> {
        let parts = match self {
            Self::Statistics { index, view, .. } => {
                let parts = FragmentMetadata::tile_statistics_parts(view.kind);
                Some(parts.map(|part| (*index, part)))
            }
            Self::Cells | Self::None => None,
        };
        parts.into_iter().flatten()
    }
}
