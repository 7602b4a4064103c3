//! Reads the columns of a batch, with one task for each field of each band.

use tdb_cells::{Decoding, Session, TableColumn, TileBytes, Worker, threads, unit_size};
use tdb_schema::{Field, FieldKind};
use tdb_tile::{Bug, Exact};

use super::bands::{Band, Bands, all_written, cut};
use super::coordinates::fill_coordinates;
use super::fixed::{FixedBrush, ValidityBrush};
use super::paint::paint;
use super::plan::DensePlan;
use super::shared_tiles::SharedTiles;
use super::source::Sources;
use super::var_band::{VarBand, VarReading};
use super::var_runs::VarOutput;
use crate::QueryError;
use crate::load::{fill_is_valid, fill_of};
use crate::scatter::index;

/// Inputs that all tasks of a batch share.
#[derive(Clone, Copy)]
struct Sight<'a> {
    session: &'a Session,
    bytes: &'a dyn TileBytes,
    plan: &'a DensePlan,
}

impl<'a> Sight<'a> {
    /// Returns the settings for decoding tiles.
    fn how(&self) -> Decoding<'a> {
        Decoding {
            limits: self.session.limits(),
            bytes: self.bytes,
            counters: self.session.counters(),
        }
    }
}

/// A field and the facts that its tasks need.
struct FieldPlan<'a> {
    field: FieldKind,
    cell_size: usize,
    sources: Sources<'a>,
    fill: &'a [u8],
    fill_valid: bool,
}

/// Task that reads the cells of one band and one field into the memory for them.
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
    Var {
        plan: &'a FieldPlan<'a>,
        band: &'a Band,
        into: &'a mut Option<VarBand>,
        starts: &'a mut [u64],
    },
    Coordinates {
        dimension: usize,
        band: &'a Band,
        out: &'a mut [u8],
    },
}

/// Column that is being read; `var` has the source of the values of each band of a var-sized field.
struct Draft<'a> {
    plan: FieldPlan<'a>,
    column: TableColumn,
    var: Vec<Option<VarBand>>,
}

/// Reads the cells of all bands into a column for each field.
pub(crate) fn read_columns(
    plan: &DensePlan,
    session: &Session,
    bytes: &dyn TileBytes,
    bands: &Bands,
    fields: &[FieldKind],
) -> Result<Vec<(FieldKind, TableColumn)>, QueryError> {
    let shared = SharedTiles::new(plan, bands, fields, bytes)?;
    let sight = Sight {
        session,
        bytes: &shared,
        plan,
    };
    let decoded = bands.bytes;
    let bands = &bands.bands;
    let mut drafts = fields
        .iter()
        .map(|&field| draft(sight, bands, field))
        .collect::<Result<Vec<_>, _>>()?;
    let mut all = Vec::new();
    for draft in &mut drafts {
        all.extend(tasks(draft, bands)?);
    }
    let work = |task, worker: &mut Worker| run(sight, task, worker);
    for_each(sight.session, all, decoded, work)?;
    for draft in drafts.iter_mut().filter(|draft| !draft.var.is_empty()) {
        write_var(sight, draft, bands)?;
    }
    Ok(drafts
        .into_iter()
        .map(|draft| (draft.plan.field, draft.column))
        .collect())
}

/// Memory for the values of one field.
pub(crate) struct FieldValues<'m> {
    pub(crate) field: FieldKind,
    pub(crate) memory: &'m mut [u8],
}

/// Reads the values of all bands of one field into memory, which they fill. The cells have a fixed size and are
/// never null.
pub(crate) fn read_values(
    plan: &DensePlan,
    session: &Session,
    bytes: &dyn TileBytes,
    bands: &Bands,
    values: FieldValues<'_>,
) -> Result<(), QueryError> {
    let FieldValues { field, mut memory } = values;
    let shared = SharedTiles::new(plan, bands, &[field], bytes)?;
    let sight = Sight {
        session,
        bytes: &shared,
        plan,
    };
    let plan = field_plan(sight, field)?;
    let mut tasks = Vec::with_capacity(bands.bands.len());
    for band in &bands.bands {
        let out = cut(&mut memory, band.rows.exact_mul(plan.cell_size)?)?;
        tasks.push(match field {
            FieldKind::Dimension(dimension) => Task::Coordinates {
                dimension,
                band,
                out,
            },
            _ => Task::Values {
                plan: &plan,
                band,
                out,
            },
        });
    }
    all_written(memory)?;
    let work = |task, worker: &mut Worker| run(sight, task, worker);
    for_each(session, tasks, bands.bytes, work)
}

/// Runs tasks on the session's threads; `bytes` is the number of bytes that all tasks handle together.
pub(crate) fn for_each<T: Send>(
    session: &Session,
    tasks: Vec<T>,
    bytes: u64,
    run: impl Fn(T, &mut Worker) -> Result<(), QueryError> + Send + Sync,
) -> Result<(), QueryError> {
    let run = |task| run(task, &mut session.worker());
    if tasks.len() < 2 {
        return tasks.into_iter().try_for_each(run);
    }
    session.install_for(bytes, || threads::for_each(tasks, run))
}

/// Collects the facts that the tasks of a field need.
fn field_plan<'a>(sight: Sight<'a>, kind: FieldKind) -> Result<FieldPlan<'a>, QueryError> {
    let schema = &*sight.plan.schema;
    let field = planned(sight, kind)?;
    let cell_size = unit_size(&field);
    let fill = fill_of(schema, kind);
    let is_stored = !matches!(kind, FieldKind::Dimension(_));
    if is_stored && !field.is_var() && fill.len() != cell_size {
        return Err(Bug::new("a fill value of another size than the cells").into());
    }
    Ok(FieldPlan {
        field: kind,
        cell_size,
        sources: sight.plan.sources(kind),
        fill,
        fill_valid: fill_is_valid(schema, kind),
    })
}

fn planned<'a>(sight: Sight<'a>, kind: FieldKind) -> Result<Field<'a>, Bug> {
    let field = sight.plan.schema.field_of(kind);
    field.ok_or_else(|| Bug::new("a planned field is not one of the array"))
}

/// Allocates the memory of a column.
fn draft<'a>(sight: Sight<'a>, bands: &[Band], kind: FieldKind) -> Result<Draft<'a>, QueryError> {
    let field = planned(sight, kind)?;
    let plan = field_plan(sight, kind)?;
    let cell_size = plan.cell_size;
    let rows: usize = bands.iter().map(|band| band.rows).sum();
    let is_var = field.is_var();
    let values = if is_var {
        0
    } else {
        rows.exact_mul(cell_size)?
    };
    let column = TableColumn {
        values: sight.session.buffer(values)?,
        cell_size,
        offsets: is_var.then(|| vec![0; rows + 1]),
        validity: field.nullable.then(|| vec![0; rows]),
        missing: Vec::new(),
    };
    let var = bands.iter().filter(|_| is_var).map(|_| None);
    Ok(Draft {
        plan,
        column,
        var: var.collect(),
    })
}

/// Returns the tasks that fill a column.
fn tasks<'a>(draft: &'a mut Draft<'_>, bands: &'a [Band]) -> Result<Vec<Task<'a>>, Bug> {
    let Draft { plan, column, var } = draft;
    let plan = &*plan;
    let mut values = column.values.as_mut_slice();
    let mut validity = column.validity.as_deref_mut().unwrap_or(&mut []);
    let mut starts = column.offsets.as_deref_mut().unwrap_or(&mut []);
    let mut var = var.iter_mut();
    let mut tasks = Vec::new();
    for band in bands {
        // The values of var-sized fields have no memory yet.
        let size = band.rows.exact_mul(plan.cell_size)?;
        let out = cut(&mut values, if var.len() > 0 { 0 } else { size })?;
        match (plan.field, var.next()) {
            (FieldKind::Dimension(dimension), _) => tasks.push(Task::Coordinates {
                dimension,
                band,
                out,
            }),
            (_, Some(into)) => {
                let starts = cut(&mut starts, band.rows)?;
                tasks.push(Task::Var {
                    plan,
                    band,
                    into,
                    starts,
                });
            }
            (_, None) => tasks.push(Task::Values { plan, band, out }),
        }
        if !validity.is_empty() {
            let out = cut(&mut validity, band.rows)?;
            tasks.push(Task::Validity { plan, band, out });
        }
    }
    Ok(tasks)
}

fn run(sight: Sight<'_>, task: Task<'_>, worker: &mut Worker) -> Result<(), QueryError> {
    match task {
        Task::Coordinates {
            dimension,
            band,
            out,
        } => coordinates(sight, dimension, band, out),
        Task::Values { plan, band, out } => values(sight, plan, band, out, worker),
        Task::Validity { plan, band, out } => validity(sight, plan, band, out, worker),
        Task::Var {
            plan,
            band,
            into,
            starts,
        } => {
            let mut reading = var_reading(sight, plan, worker);
            *into = Some(reading.find(band, starts)?);
            Ok(())
        }
    }
}

fn coordinates(
    sight: Sight<'_>,
    dimension: usize,
    band: &Band,
    mut out: &mut [u8],
) -> Result<(), QueryError> {
    let axis = sight.plan.shape.grid.axes().get(dimension);
    let along = axis.zip(sight.plan.runs.get(dimension));
    let unknown = Bug::new("coordinates of a dimension that the array does not have");
    let (axis, runs) = along.ok_or(unknown)?;
    let size = axis.datatype().size();
    for (block, _) in &band.blocks {
        let out = cut(&mut out, index(block.rows())?.exact_mul(size)?)?;
        fill_coordinates(axis, runs, block, dimension, out)?;
    }
    Ok(all_written(out)?)
}

fn values(
    sight: Sight<'_>,
    plan: &FieldPlan,
    band: &Band,
    mut out: &mut [u8],
    worker: &mut Worker,
) -> Result<(), QueryError> {
    let cell_size = plan.cell_size;
    for (_, block) in &band.blocks {
        let out = cut(&mut out, index(block.rows())?.exact_mul(cell_size)?)?;
        let mut brush = FixedBrush {
            sources: &plan.sources,
            tile_cells: sight.plan.shape.cells,
            cell_size,
            fill: plan.fill,
            out,
            worker,
            how: sight.how(),
        };
        paint(&sight.plan.shape, &sight.plan.layers, block, &mut brush)?;
    }
    Ok(all_written(out)?)
}

fn validity(
    sight: Sight<'_>,
    plan: &FieldPlan,
    band: &Band,
    mut out: &mut [u8],
    worker: &mut Worker,
) -> Result<(), QueryError> {
    let mut kept = Vec::new();
    for (_, block) in &band.blocks {
        let mut brush = ValidityBrush {
            sources: &plan.sources,
            tile_cells: sight.plan.shape.cells,
            fill_valid: plan.fill_valid,
            out: cut(&mut out, index(block.rows())?)?,
            tile: std::mem::take(&mut kept),
            worker,
            how: sight.how(),
        };
        paint(&sight.plan.shape, &sight.plan.layers, block, &mut brush)?;
        kept = brush.tile;
    }
    Ok(())
}

fn var_reading<'a>(
    sight: Sight<'a>,
    plan: &'a FieldPlan<'_>,
    worker: &'a mut Worker,
) -> VarReading<'a> {
    VarReading {
        plan: sight.plan,
        sources: &plan.sources,
        fill: plan.fill,
        worker,
        how: sight.how(),
    }
}

/// Writes the values of a var-sized column. The number of bytes of each band is known by now.
fn write_var(sight: Sight<'_>, draft: &mut Draft<'_>, bands: &[Band]) -> Result<(), QueryError> {
    let Draft { plan, column, var } = draft;
    let (end, mut starts) = column
        .offsets
        .as_deref_mut()
        .and_then(<[u64]>::split_last_mut)
        .ok_or_else(|| Bug::new("strings without offsets"))?;
    let found: Vec<VarBand> = var.drain(..).flatten().collect();
    for band in &found {
        *end = end.exact_add(band.bytes()?)?;
    }
    column.values = sight.session.buffer(index(*end)?)?;
    let mut values = column.values.as_mut_slice();
    let mut tasks = Vec::with_capacity(found.len());
    let mut base = 0_u64;
    for (found, band) in found.into_iter().zip(bands) {
        let bytes = found.bytes()?;
        let starts = cut(&mut starts, band.rows)?;
        let out = cut(&mut values, index(bytes)?)?;
        tasks.push((
            found,
            VarOutput {
                starts,
                values: out,
                base,
            },
        ));
        base = base.exact_add(bytes)?;
    }
    if !starts.is_empty() {
        return Err(Bug::new("a band of strings that nobody has read").into());
    }
    let plan = &*plan;
    for_each(sight.session, tasks, base, |(found, output), worker| {
        var_reading(sight, plan, worker).write(&found, output)
    })
}
