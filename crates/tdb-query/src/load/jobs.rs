//! Decoding jobs: which tiles are decoded, and into which memory.

use std::collections::BTreeMap;

use tdb_cells::{
    CellTable, CellsError, Decoding, FieldTiles, FragmentTiles, TableColumn, TileRows, Worker,
    ZippedTiles,
};
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, Exact, length};

use super::fill::{fill_is_valid, fill_of};
use crate::scatter::repeat;

/// Looks up the tiles of a fragment; `None` if the fragment is unknown.
pub(crate) type FindTiles<'a, 't> = &'a dyn Fn(FragmentIndex) -> Option<&'t FragmentTiles>;

/// One tile of one field, and the memory for its cells.
pub(super) enum Job<'a> {
    Fixed {
        tiles: &'a FieldTiles,
        tile: TileNumber,
        cells: usize,
        values: &'a mut [u8],
        validity: &'a mut [u8],
    },
    Var {
        tiles: &'a FieldTiles,
        tile: TileNumber,
        base: u64,
        starts: &'a mut [u64],
        values: &'a mut [u8],
        validity: &'a mut [u8],
    },
    /// One tile that contains the coordinates of all dimensions.
    Zipped {
        tiles: &'a ZippedTiles,
        tile: TileNumber,
        dimensions: Vec<(usize, &'a mut [u8])>,
    },
}

/// All decoding jobs of a load.
#[derive(Default)]
pub(super) struct Jobs<'a> {
    jobs: Vec<Job<'a>>,
    /// Jobs for coordinates that are stored together, by fragment and tile.
    zipped: BTreeMap<(FragmentIndex, TileNumber), ZippedJobs<'a>>,
}

/// Memory for the coordinates of one tile, by dimension.
struct ZippedJobs<'a> {
    tiles: &'a ZippedTiles,
    dimensions: Vec<(usize, &'a mut [u8])>,
}

/// The part of a column's memory that is not assigned to tiles yet.
struct Places<'a> {
    values: &'a mut [u8],
    starts: &'a mut [u64],
    validity: &'a mut [u8],
    has_offsets: bool,
    has_validity: bool,
    /// Start of the next var-sized cell in the column's values.
    base: u64,
}

/// Memory of one tile in a column, without its values.
struct TilePlaces<'a> {
    starts: &'a mut [u64],
    validity: &'a mut [u8],
}

/// The field whose column is being filled.
struct ColumnFill<'s> {
    schema: &'s ArraySchema,
    kind: FieldKind,
    cell_size: usize,
}

impl<'a> Jobs<'a> {
    /// Adds the jobs that fill a column of a table.
    pub(super) fn add_column<'t: 'a>(
        &mut self,
        schema: &ArraySchema,
        table: &CellTable,
        kind: FieldKind,
        column: &'a mut TableColumn,
        find: FindTiles<'_, 't>,
    ) -> Result<(), CellsError> {
        let filling = ColumnFill {
            schema,
            kind,
            cell_size: column.cell_size,
        };
        let mut places = Places {
            has_offsets: column.offsets.is_some(),
            has_validity: column.validity.is_some(),
            values: column.values.as_mut_slice(),
            starts: column.offsets.as_deref_mut().unwrap_or(&mut []),
            validity: column.validity.as_deref_mut().unwrap_or(&mut []),
            base: 0,
        };
        for segment in &table.segments {
            let fragment = find(segment.fragment)
                .ok_or_else(|| Bug::new("tiles of a fragment that is not known"))?;
            let of_tiles = segment.tiles.iter().map(|tile| tile.rows.len());
            if of_tiles.sum::<usize>() != segment.rows.len() {
                return Err(Bug::new("a field is loaded of cells that were picked").into());
            }
            for tile in &segment.tiles {
                self.add_tile(&filling, segment.fragment, fragment, tile, &mut places)?;
            }
        }
        places.end()
    }

    /// Adds the job that fills the cells of one tile: decoding the tile, or the tile with all coordinates, or copying
    /// the fill value if the fragment lacks the field. Tiles that are not wanted are not read.
    fn add_tile<'t: 'a>(
        &mut self,
        filling: &ColumnFill<'_>,
        index: FragmentIndex,
        fragment: &'t FragmentTiles,
        tile: &TileRows,
        places: &mut Places<'a>,
    ) -> Result<(), CellsError> {
        let ColumnFill {
            schema,
            kind,
            cell_size,
        } = *filling;
        let cells = tile.rows.len();
        let own = places.tile(cells)?;
        let is_var = places.has_offsets;
        let fixed = cells.exact_mul(cell_size)?;
        match (fragment.field(kind), fragment.zipped(), kind) {
            (Some(_), ..) if is_var && !tile.wanted => own.starts.fill(places.base),
            _ if !is_var && !tile.wanted => {
                places.values(fixed)?;
            }
            (Some(tiles), ..) if is_var => self.add_var(tiles, tile, places, own)?,
            (Some(tiles), ..) => self.jobs.push(Job::Fixed {
                tiles,
                tile: tile.tile,
                cells,
                values: places.values(fixed)?,
                validity: own.validity,
            }),
            (None, Some(tiles), FieldKind::Dimension(dimension)) => {
                let job = self
                    .zipped
                    .entry((index, tile.tile))
                    .or_insert_with(|| ZippedJobs {
                        tiles,
                        dimensions: Vec::new(),
                    });
                job.dimensions.push((dimension, places.values(fixed)?));
            }
            (None, ..) => {
                let constant = constant(fragment, kind);
                let fill = constant.as_ref().map_or(fill_of(schema, kind), |c| &c[..]);
                let size = if is_var { fill.len() } else { cell_size };
                own.validity.fill(u8::from(fill_is_valid(schema, kind)));
                places.fill(fill, size, cells, own.starts)?;
            }
        }
        Ok(())
    }

    fn add_var(
        &mut self,
        tiles: &'a FieldTiles,
        tile: &TileRows,
        places: &mut Places<'a>,
        own: TilePlaces<'a>,
    ) -> Result<(), CellsError> {
        let size = tiles.var_size(tile.tile);
        self.jobs.push(Job::Var {
            tiles,
            tile: tile.tile,
            base: places.base,
            starts: own.starts,
            values: places.values(length(size)?)?,
            validity: own.validity,
        });
        places.base = places.base.exact_add(size)?;
        Ok(())
    }

    pub(super) fn all(self) -> Vec<Job<'a>> {
        let mut jobs = self.jobs;
        let zipped = self.zipped.into_iter();
        jobs.extend(zipped.map(|((_, tile), zipped)| Job::Zipped {
            tiles: zipped.tiles,
            tile,
            dimensions: zipped.dimensions,
        }));
        jobs
    }
}

impl<'a> Places<'a> {
    /// Takes the offsets and validity of the next tile, which has `cells` cells.
    fn tile(&mut self, cells: usize) -> Result<TilePlaces<'a>, Bug> {
        let offsets = if self.has_offsets { cells } else { 0 };
        let validity = if self.has_validity { cells } else { 0 };
        Ok(TilePlaces {
            starts: cut(&mut self.starts, offsets)?,
            validity: cut(&mut self.validity, validity)?,
        })
    }

    fn values(&mut self, bytes: usize) -> Result<&'a mut [u8], Bug> {
        cut(&mut self.values, bytes)
    }

    /// Fills the next `cells` cells with one value of `size` bytes.
    fn fill(
        &mut self,
        fill: &[u8],
        size: usize,
        cells: usize,
        starts: &mut [u64],
    ) -> Result<(), Bug> {
        if fill.len() != size {
            return Err(Bug::new("a fill value of another size than the cells"));
        }
        repeat(fill, self.values(cells.exact_mul(size)?)?);
        for start in starts {
            *start = self.base;
            self.base = self.base.exact_add(size as u64)?;
        }
        Ok(())
    }

    /// Writes the end of the last var-sized cell, after checking that tiles fill all of the column's memory.
    fn end(self) -> Result<(), CellsError> {
        match self.starts {
            [] => {}
            [end] => *end = self.base,
            _ => return Err(Bug::new("a column has more offsets than cells").into()),
        }
        if !self.values.is_empty() || !self.validity.is_empty() {
            return Err(Bug::new("a column has more memory than its tiles fill").into());
        }
        Ok(())
    }
}

/// Constant value of timestamp and delete fields in a fragment that does not store them.
fn constant(fragment: &FragmentTiles, kind: FieldKind) -> Option<[u8; 8]> {
    match kind {
        FieldKind::Timestamps => Some(fragment.time().to_le_bytes()),
        FieldKind::DeleteTimestamps | FieldKind::DeleteConditionIndex => {
            Some(u64::MAX.to_le_bytes())
        }
        _ => None,
    }
}

/// Splits the first `n` elements off a slice.
fn cut<'a, T>(rest: &mut &'a mut [T], n: usize) -> Result<&'a mut [T], Bug> {
    let cut = std::mem::take(rest).split_at_mut_checked(n);
    let (first, behind) =
        cut.ok_or_else(|| Bug::new("a column has less memory than its tiles take"))?;
    *rest = behind;
    Ok(first)
}

pub(super) fn run(job: Job<'_>, worker: &mut Worker, how: Decoding<'_>) -> Result<(), CellsError> {
    match job {
        Job::Fixed {
            tiles,
            tile,
            cells,
            values,
            validity,
        } => {
            tiles.read_fixed(tile, cells as u64, values, worker, how)?;
            tiles.read_validity(tile, validity, worker, how)
        }
        Job::Var {
            tiles,
            tile,
            base,
            starts,
            values,
            validity,
        } => {
            // No cell starts beyond the values of its tile, so the sums are in range if the last possible one is.
            base.exact_add(values.len() as u64)?;
            tiles.read_var(tile, starts, values, worker, how)?;
            for start in starts {
                *start = start.wrapping_add(base);
            }
            tiles.read_validity(tile, validity, worker, how)
        }
        Job::Zipped {
            tiles,
            tile,
            mut dimensions,
        } => tiles.read(tile, &mut dimensions, worker, how),
    }
}
