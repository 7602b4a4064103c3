//! Decodes tiles of many fields and fragments straight into the columns of a table.

use std::collections::BTreeMap;

use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, Grant};

use crate::{
    CellTable, CellsError, Decoding, FieldTiles, FragmentTiles, Session, TableColumn, TileBytes,
    Worker, ZippedTiles, buffer, threads, unit_size,
};

/// One tile of one field and the memory that its cells go to.
enum Job<'a> {
    Fixed {
        tiles: &'a FieldTiles,
        tile: usize,
        cells: usize,
        values: &'a mut [u8],
        validity: &'a mut [u8],
    },
    Var {
        tiles: &'a FieldTiles,
        tile: usize,
        base: u64,
        starts: &'a mut [u64],
        values: &'a mut [u8],
        validity: &'a mut [u8],
    },
    /// Coordinates of all dimensions in one tile.
    Zipped {
        tiles: &'a ZippedTiles,
        tile: usize,
        dimensions: Vec<(usize, &'a mut [u8])>,
    },
}

/// What loading goes by.
#[derive(Clone, Copy)]
pub struct Loading<'a> {
    /// Whose threads and memory are used.
    pub session: &'a Session,
    /// What names the fields.
    pub schema: &'a ArraySchema,
    /// What gives the stored bytes.
    pub bytes: &'a dyn TileBytes,
}

/// Adds columns with these fields to `table`; none of them may be there yet. `find` gives the tiles of a fragment by its
/// position.
///
/// # Errors
/// [`CellsError::Tile`]; a [limit](CellsError::Limit).
pub fn load<'t>(
    how: Loading<'_>,
    table: &mut CellTable,
    fields: &[FieldKind],
    find: &dyn Fn(usize) -> Option<&'t FragmentTiles>,
) -> Result<(), CellsError> {
    let mut columns = Vec::with_capacity(fields.len());
    for &field in fields {
        let (column, held) = reserve(how, table, field, find)?;
        columns.push((field, column));
        table.hold(held);
    }
    let mut jobs = Vec::new();
    let mut zipped: BTreeMap<(usize, usize), ZippedJobs<'_>> = BTreeMap::new();
    for (field, column) in &mut columns {
        push_jobs(how, table, *field, column, find, &mut jobs, &mut zipped);
    }
    jobs.extend(zipped.into_iter().map(|((_, tile), z)| Job::Zipped {
        tiles: z.tiles,
        tile,
        dimensions: z.dimensions,
    }));
    let decoding = Decoding {
        limits: how.session.limits(),
        bytes: how.bytes,
        counters: how.session.counters(),
    };
    threads::for_each(jobs, |job| run(job, &mut how.session.worker(), decoding))?;
    for (field, column) in columns {
        table.insert(field, column);
    }
    Ok(())
}

/// Memory for a column: zeroed, of the size that the fragments' metadata tells, if the session has so much.
fn reserve<'t>(
    how: Loading<'_>,
    table: &CellTable,
    kind: FieldKind,
    find: &dyn Fn(usize) -> Option<&'t FragmentTiles>,
) -> Result<(TableColumn, Grant), CellsError> {
    let schema = how.schema;
    let Some(field) = schema.field_of(kind) else {
        return Err(Bug::new("a field that is to be loaded is not in the schema").into());
    };
    let cell_size = unit_size(&field);
    let mut missing = Vec::new();
    let mut var_bytes = 0_u64;
    for segment in &table.segments {
        let fragment = find(segment.fragment);
        let fragment = fragment.ok_or_else(|| Bug::new("tiles of a fragment that is not known"))?;
        match fragment.field(kind) {
            Some(tiles) => {
                let wanted = segment.tiles.iter().filter(|tile| tile.wanted);
                let sizes = wanted.map(|tile| tiles.var_size(tile.tile));
                var_bytes = sizes.fold(var_bytes, u64::saturating_add);
            }
            None if matches!(kind, FieldKind::Dimension(_)) => {}
            None => {
                missing.push(segment.rows.clone());
                let fill = fill_of(schema, kind).len() as u64;
                var_bytes =
                    var_bytes.saturating_add(fill.saturating_mul(segment.rows.len() as u64));
            }
        }
    }
    let bytes = if field.is_var() {
        usize::try_from(var_bytes).unwrap_or(usize::MAX)
    } else {
        table.rows.saturating_mul(cell_size)
    };
    let beside = usize::from(field.is_var()) * size_of::<u64>() + usize::from(field.nullable);
    let all = bytes.saturating_add(table.rows.saturating_mul(beside));
    let held = how.session.limits().budget.take(all as u64)?;
    let column = TableColumn {
        values: buffer(bytes)?,
        cell_size,
        offsets: field
            .is_var()
            .then(|| vec![0; table.rows.saturating_add(1)]),
        validity: field.nullable.then(|| vec![0; table.rows]),
        missing,
    };
    Ok((column, held))
}

/// The bytes of a cell that no fragment holds.
#[must_use]
pub fn fill_of(schema: &ArraySchema, kind: FieldKind) -> &[u8] {
    match kind {
        FieldKind::Attribute(index) => schema.attributes.get(index).map_or(&[], |a| &a.fill),
        _ => &[],
    }
}

/// Where the coordinates of one tile go, by its fragment and its number.
struct ZippedJobs<'a> {
    tiles: &'a ZippedTiles,
    dimensions: Vec<(usize, &'a mut [u8])>,
}

fn push_jobs<'a, 't: 'a>(
    how: Loading<'a>,
    table: &CellTable,
    kind: FieldKind,
    column: &'a mut TableColumn,
    find: &dyn Fn(usize) -> Option<&'t FragmentTiles>,
    jobs: &mut Vec<Job<'a>>,
    zipped: &mut BTreeMap<(usize, usize), ZippedJobs<'a>>,
) {
    let schema = how.schema;
    let cell_size = column.cell_size;
    let is_var = column.offsets.is_some();
    let mut values = column.values.as_mut_slice();
    let mut starts = column.offsets.as_deref_mut().unwrap_or(&mut []);
    let mut validity = column.validity.as_deref_mut().unwrap_or(&mut []);
    let mut base = 0_u64;
    for segment in &table.segments {
        let Some(fragment) = find(segment.fragment) else {
            continue;
        };
        for tile in &segment.tiles {
            let cells = tile.rows.len();
            let validity = cut(&mut validity, cells);
            let starts = cut(&mut starts, cells);
            match fragment.field(kind) {
                Some(_) if is_var && !tile.wanted => starts.fill(base),
                _ if !is_var && !tile.wanted => {
                    cut(&mut values, cells.saturating_mul(cell_size));
                }
                Some(tiles) if is_var => {
                    let size = usize::try_from(tiles.var_size(tile.tile)).unwrap_or(usize::MAX);
                    let values = cut(&mut values, size);
                    jobs.push(Job::Var {
                        tiles,
                        tile: tile.tile,
                        base,
                        starts,
                        values,
                        validity,
                    });
                    base = base.saturating_add(size as u64);
                }
                Some(tiles) => {
                    let values = cut(&mut values, cells.saturating_mul(cell_size));
                    jobs.push(Job::Fixed {
                        tiles,
                        tile: tile.tile,
                        cells,
                        values,
                        validity,
                    });
                }
                None => {
                    if let (Some(tiles), FieldKind::Dimension(dimension)) =
                        (fragment.zipped(), kind)
                    {
                        let values = cut(&mut values, cells.saturating_mul(cell_size));
                        let job = zipped.entry((segment.fragment, tile.tile));
                        let job = job.or_insert_with(|| ZippedJobs {
                            tiles,
                            dimensions: Vec::new(),
                        });
                        job.dimensions.push((dimension, values));
                        continue;
                    }
                    let constant = constant(fragment, kind);
                    let fill = match &constant {
                        Some(constant) => &constant[..],
                        None => fill_of(schema, kind),
                    };
                    let size = if is_var { fill.len() } else { cell_size };
                    let values = cut(&mut values, cells.saturating_mul(size));
                    fill_cells(values, fill);
                    for start in starts {
                        *start = base;
                        base = base.saturating_add(size as u64);
                    }
                    validity.fill(u8::from(fill_is_valid(schema, kind)));
                }
            }
        }
    }
    if let [end] = starts {
        *end = base;
    }
}

/// What the fields that TileDB keeps for itself hold in a fragment without them.
fn constant(fragment: &FragmentTiles, kind: FieldKind) -> Option<[u8; 8]> {
    match kind {
        FieldKind::Timestamps => Some(fragment.time().to_le_bytes()),
        FieldKind::DeleteTimestamps | FieldKind::DeleteConditionIndex => {
            Some(u64::MAX.to_le_bytes())
        }
        _ => None,
    }
}

/// Whether a cell that no fragment holds is not null.
#[must_use]
pub fn fill_is_valid(schema: &ArraySchema, kind: FieldKind) -> bool {
    match kind {
        FieldKind::Attribute(index) => schema.attributes.get(index).is_some_and(|a| a.fill_valid),
        _ => true,
    }
}

fn fill_cells(values: &mut [u8], fill: &[u8]) {
    if fill.is_empty() {
        return;
    }
    for cell in values.chunks_mut(fill.len()) {
        cell.copy_from_slice(fill.get(..cell.len()).unwrap_or(fill));
    }
}

/// Cuts the first `n` off a slice; fewer where it is shorter.
fn cut<'a, T>(rest: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let whole = std::mem::take(rest);
    let n = n.min(whole.len());
    let (first, behind) = whole.split_at_mut(n);
    *rest = behind;
    first
}

fn run(job: Job<'_>, worker: &mut Worker, how: Decoding<'_>) -> Result<(), CellsError> {
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
            tiles.read_var(tile, starts, values, worker, how)?;
            for start in starts {
                *start = start.saturating_add(base);
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
