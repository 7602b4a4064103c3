//! Choosing tile layouts to try.

use tdb_schema::{ArraySchema, CellOrder};

use super::sample::Sample;
use super::tiles::Tiles;

/// Tile capacities to try.
const CAPACITIES: [u64; 3] = [1_000, 10_000, 100_000];

/// Minimum number of tiles that the sample must fill for a capacity to be tried.
const TILES: u64 = 4;

/// Minimum number of cells per space tile; with fewer, the metadata of each tile would outweigh its cells.
const FEW: u64 = 256;

const ORDERS: [CellOrder; 3] = [
    CellOrder::RowMajor,
    CellOrder::ColumnMajor,
    CellOrder::Hilbert,
];

/// Returns the schema without parts that do not depend on tiles: dimension labels, and enumerations, since indexes are
/// stored.
pub(super) fn bare(schema: &ArraySchema) -> ArraySchema {
    let mut bare = schema.clone();
    bare.labels.clear();
    bare.enumerations.clear();
    for attribute in &mut bare.attributes {
        attribute.enumeration = None;
    }
    bare
}

/// Returns the layouts worth trying in addition to the current one.
pub(super) fn candidates(schema: &ArraySchema, sample: &Sample) -> Vec<Tiles> {
    let today = Tiles::of(schema);
    let mut all = if schema.is_dense() {
        dense(&today, sample)
    } else {
        sparse(&today, schema.dimensions.len(), sample)
    };
    let mut seen = vec![today];
    all.retain(|tiles| {
        let is_new = !seen.contains(tiles);
        seen.push(tiles.clone());
        is_new
    });
    all
}

fn sparse(today: &Tiles, dimensions: usize, sample: &Sample) -> Vec<Tiles> {
    let fits = |capacity: &u64| *capacity <= sample.cells / TILES;
    let capacities = CAPACITIES.into_iter().filter(fits).map(|capacity| Tiles {
        capacity: Some(capacity),
        ..today.clone()
    });
    // With one dimension, all orders are the same.
    let orders = ORDERS
        .into_iter()
        .filter(|_| dimensions > 1)
        .map(|order| Tiles {
            cell_order: Some(order),
            ..today.clone()
        });
    capacities.chain(orders).collect()
}

/// Returns tiles of half and a quarter of the extents, of two and four times the extents, and tiles closer to a cube.
fn dense(today: &Tiles, sample: &Sample) -> Vec<Tiles> {
    let with = |extent: &dyn Fn(u64, u64) -> u64| {
        let extents = today
            .extents
            .iter()
            .zip(&sample.shape)
            .map(|((name, today), side)| (name.clone(), extent(*today, *side)));
        Tiles {
            extents: extents.collect(),
            ..today.clone()
        }
    };
    // A tile larger than the sample cannot be measured.
    let larger = |by: u64| {
        move |extent: u64, side: u64| {
            if extent <= side / by {
                extent * by
            } else {
                extent
            }
        }
    };
    let smaller = |by: u64| move |extent: u64, _: u64| (extent / by).max(1);
    let has_many_cells = |tiles: &Tiles| {
        let mut extents = tiles.extents.iter().map(|(_, extent)| *extent);
        let cells = extents.try_fold(1, u64::checked_mul);
        // More cells than can be counted are many.
        cells.is_none_or(|cells| cells >= FEW)
    };
    let mut all = vec![with(&smaller(2)), with(&smaller(4))];
    all.retain(has_many_cells);
    all.extend([with(&larger(2)), with(&larger(4))]);
    all.extend(squarer(today, sample).map(|extents| Tiles {
        extents,
        ..today.clone()
    }));
    all
}

/// Returns tiles of about the same number of cells, closer to a cube, as far as the sample reaches: repeatedly doubles
/// the shortest side and halves the longest.
fn squarer(today: &Tiles, sample: &Sample) -> Option<Vec<(String, u64)>> {
    let mut sides: Vec<u64> = today.extents.iter().map(|(_, extent)| *extent).collect();
    loop {
        let can_grow = |(side, most): (&u64, &u64)| *side <= *most / 2;
        let growing = sides
            .iter()
            .zip(&sample.shape)
            .enumerate()
            .filter(|(_, pair)| can_grow(*pair));
        let shortest = growing.min_by_key(|(_, (side, _))| **side);
        let (short, _) = shortest?;
        let (long, _) = sides.iter().enumerate().max_by_key(|(_, side)| **side)?;
        let (shorter, longer) = (*sides.get(short)?, *sides.get(long)?);
        if shorter > longer / 4 {
            break;
        }
        *sides.get_mut(short)? = shorter * 2;
        *sides.get_mut(long)? = longer / 2;
    }
    let names = today.extents.iter().map(|(name, _)| name.clone());
    Some(names.zip(sides).collect())
}

/// Combines the capacity of one layout with the order of another.
pub(super) fn joined(capacity: &Tiles, order: &Tiles) -> Tiles {
    Tiles {
        capacity: capacity.capacity,
        cell_order: order.cell_order,
        extents: Vec::new(),
    }
}
