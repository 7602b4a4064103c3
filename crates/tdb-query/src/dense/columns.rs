//! Reads the cells of a batch: every field and every band of it a task of its own.

use rayon::prelude::*;
use tdb_schema::ArraySchema;
use tdb_tile::Limits;

use super::block::Block;
use super::coordinates::fill_coordinates;
use super::fixed::{FixedBrush, ValidityBrush};
use super::fragments::DenseFragment;
use super::paint::{TileShape, paint};
use super::runs::Runs;
use super::scatter::index;
use super::var::{Sources, VarBrush};
use super::visits::BlockTiles;
use crate::QueryError;
use crate::field::{Field, unit_size};
use crate::fragment_tiles::FragmentTiles;
use crate::session::Session;
use crate::sparse::gather::buffer;
use crate::sparse::load::{fill_is_valid, fill_of};
use crate::sparse::table::TableColumn;
use crate::tiles::{FieldTiles, Worker};

/// A part of the result that is read by one task for each field.
#[derive(Debug)]
pub(crate) struct Band {
    pub(crate) blocks: Vec<(Block, BlockTiles)>,
    pub(crate) rows: usize,
}

/// What a dense read works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight<'a> {
    pub(crate) session: &'a Session,
    pub(crate) schema: &'a ArraySchema,
    pub(crate) shape: &'a TileShape,
    pub(crate) runs: &'a [Runs],
    /// The newest first.
    pub(crate) fragments: &'a [DenseFragment],
    /// Their tiles, in the same order.
    pub(crate) tiles: &'a [FragmentTiles],
}

/// One field, and what its tasks need to know of it.
struct FieldPlan<'a> {
    field: Field,
    cell_size: usize,
    tiles: Vec<Option<&'a FieldTiles>>,
    fill: &'a [u8],
    fill_valid: bool,
}

/// A task: the cells of one band of one field, and the memory that they go to.
enum Task<'a> {
    Values {
        plan: &'a FieldPlan<'a>,
        band: &'a Band,
        out: &'a mut [u8],
    },
    Validity {
        plan: &'a FieldPlan<'a>,
        band: &'a Band,
        out: &'a mut [u8],
    },
    Sources {
        plan: &'a FieldPlan<'a>,
        band: &'a Band,
        sources: &'a mut Sources,
        ends: &'a mut [u64],
    },
    Coordinates {
        dimension: usize,
        band: &'a Band,
        out: &'a mut [u8],
    },
}

/// A column that is being read, and for var-sized fields where the values of each band come from.
struct Draft<'a> {
    plan: FieldPlan<'a>,
    column: TableColumn,
    sources: Vec<Sources>,
}

/// The cells of all bands, a column for each field.
pub(crate) fn read_columns(
    sight: Sight<'_>,
    bands: &[Band],
    fields: &[Field],
) -> Result<Vec<(Field, TableColumn)>, QueryError> {
    let mut drafts = fields
        .iter()
        .map(|&field| draft(sight, bands, field))
        .collect::<Result<Vec<_>, _>>()?;
    let tasks = drafts
        .iter_mut()
        .flat_map(|draft| tasks(draft, bands))
        .collect();
    for_each(sight.session, tasks, |task, worker| {
        run(sight, task, worker)
    })?;
    for draft in drafts.iter_mut().filter(|draft| !draft.sources.is_empty()) {
        gather(sight.session, draft)?;
    }
    Ok(drafts
        .into_iter()
        .map(|draft| (draft.plan.field, draft.column))
        .collect())
}

/// Runs tasks on the session's threads.
pub(crate) fn for_each<T: Send>(
    session: &Session,
    tasks: Vec<T>,
    run: impl Fn(T, &mut Worker) -> Result<(), QueryError> + Send + Sync,
) -> Result<(), QueryError> {
    if session.threads() == 1 || tasks.len() < 2 {
        let mut worker = session.worker();
        return tasks
            .into_iter()
            .try_for_each(|task| run(task, &mut worker));
    }
    session.install(|| {
        tasks
            .into_par_iter()
            .with_max_len(1)
            .try_for_each(|task| run(task, &mut session.worker()))
    })
}

/// Memory for a column.
fn draft<'a>(sight: Sight<'a>, bands: &[Band], kind: Field) -> Result<Draft<'a>, QueryError> {
    let schema = sight.schema;
    let Some(field) = schema.field_of(kind) else {
        return Err(QueryError::invalid(format!(
            "the array has no field {kind:?}"
        )));
    };
    let rows: usize = bands.iter().map(|band| band.rows).sum();
    let cell_size = unit_size(&field);
    let fill = fill_of(schema, kind);
    let is_var = field.is_var();
    let values = if is_var {
        0
    } else {
        rows.saturating_mul(cell_size)
    };
    let column = TableColumn {
        values: buffer(values)?,
        cell_size,
        offsets: is_var.then(|| vec![0; rows.saturating_add(1)]),
        validity: field.nullable.then(|| vec![0; rows]),
        missing: Vec::new(),
    };
    let sources = if is_var {
        bands
            .iter()
            .map(|band| Sources::new(band.rows, fill))
            .collect()
    } else {
        Vec::new()
    };
    let tiles = sight.tiles.iter().map(|tiles| tiles.field(kind)).collect();
    let plan = FieldPlan {
        field: kind,
        cell_size,
        tiles,
        fill,
        fill_valid: fill_is_valid(schema, kind),
    };
    Ok(Draft {
        plan,
        column,
        sources,
    })
}

/// The tasks that fill a column.
fn tasks<'a>(draft: &'a mut Draft<'_>, bands: &'a [Band]) -> Vec<Task<'a>> {
    let Draft {
        plan,
        column,
        sources,
    } = draft;
    let plan = &*plan;
    let mut values = column.values.as_mut_slice();
    let mut validity = column.validity.as_deref_mut().unwrap_or(&mut []);
    let mut ends = column
        .offsets
        .as_deref_mut()
        .and_then(|o| o.get_mut(1..))
        .unwrap_or(&mut []);
    let mut sources = sources.iter_mut();
    let mut tasks = Vec::new();
    for band in bands {
        let out = cut(&mut values, band.rows.saturating_mul(plan.cell_size));
        match (plan.field, sources.next()) {
            (Field::Dimension(dimension), _) => tasks.push(Task::Coordinates {
                dimension,
                band,
                out,
            }),
            (_, Some(sources)) => {
                let ends = cut(&mut ends, band.rows);
                tasks.push(Task::Sources {
                    plan,
                    band,
                    sources,
                    ends,
                });
            }
            (_, None) => tasks.push(Task::Values { plan, band, out }),
        }
        if !validity.is_empty() {
            let out = cut(&mut validity, band.rows);
            tasks.push(Task::Validity { plan, band, out });
        }
    }
    tasks
}

/// Cuts the first `n` off a slice; fewer where it is shorter.
fn cut<'a, T>(rest: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let whole = std::mem::take(rest);
    let (first, behind) = whole.split_at_mut(n.min(whole.len()));
    *rest = behind;
    first
}

fn run(sight: Sight<'_>, task: Task<'_>, worker: &mut Worker) -> Result<(), QueryError> {
    let limits: &Limits = sight.session.limits();
    let tile_cells = sight.shape.cells;
    match task {
        Task::Coordinates {
            dimension,
            band,
            mut out,
        } => {
            if let (Some(axis), Some(runs)) = (
                sight.shape.grid.axes().get(dimension),
                sight.runs.get(dimension),
            ) {
                let size = axis.datatype().size();
                for (block, _) in &band.blocks {
                    let out = cut(&mut out, index(block.rows()).saturating_mul(size));
                    fill_coordinates(axis, runs, block, dimension, out);
                }
            }
            Ok(())
        }
        Task::Values {
            plan,
            band,
            mut out,
        } => band.blocks.iter().try_for_each(|(_, block)| {
            let out = cut(&mut out, index(block.rows()).saturating_mul(plan.cell_size));
            let FieldPlan {
                tiles,
                cell_size,
                fill,
                ..
            } = plan;
            let mut brush = FixedBrush {
                tiles,
                tile_cells,
                cell_size: *cell_size,
                fill,
                out,
                worker,
                limits,
            };
            paint(sight.shape, sight.fragments, block, &mut brush)
        }),
        Task::Validity {
            plan,
            band,
            mut out,
        } => {
            let mut tile = Vec::new();
            band.blocks.iter().try_for_each(|(_, block)| {
                let out = cut(&mut out, index(block.rows()));
                let FieldPlan {
                    tiles, fill_valid, ..
                } = plan;
                let kept = std::mem::take(&mut tile);
                let mut brush = ValidityBrush {
                    tiles,
                    tile_cells,
                    fill_valid: *fill_valid,
                    out,
                    tile: kept,
                    worker,
                    limits,
                };
                let result = paint(sight.shape, sight.fragments, block, &mut brush);
                tile = brush.tile;
                result
            })
        }
        Task::Sources {
            plan,
            band,
            sources,
            ends,
        } => {
            let (slots, mut rows) = sources.parts();
            for (_, block) in &band.blocks {
                let rows = cut(&mut rows, index(block.rows()));
                let mut brush = VarBrush {
                    tiles: &plan.tiles,
                    tile_cells,
                    slots,
                    rows,
                    worker,
                    limits,
                };
                paint(sight.shape, sight.fragments, block, &mut brush)?;
            }
            sources.ends(ends);
            Ok(())
        }
    }
}

/// Puts the values of a var-sized column in their place: the bands have counted theirs from 0.
fn gather(session: &Session, draft: &mut Draft<'_>) -> Result<(), QueryError> {
    let offsets = draft.column.offsets.as_deref_mut().unwrap_or(&mut []);
    let mut ends = offsets.get_mut(1..).unwrap_or_default();
    let mut sizes = Vec::with_capacity(draft.sources.len());
    let mut total = 0_u64;
    for sources in &draft.sources {
        let ends = cut(&mut ends, sources.rows());
        let base = total;
        for end in ends {
            *end = end.saturating_add(base);
            total = *end;
        }
        sizes.push(total - base);
    }
    draft.column.values = buffer(index(total))?;
    let mut values = draft.column.values.as_mut_slice();
    let parts = sizes.into_iter().zip(draft.sources.drain(..));
    let tasks = parts
        .map(|(size, sources)| (cut(&mut values, index(size)), sources))
        .collect();
    for_each(session, tasks, |(out, sources): (&mut [u8], Sources), _| {
        sources.gather(out);
        Ok(())
    })
}
