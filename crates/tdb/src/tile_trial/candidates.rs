//! Which tiles are tried.

use tdb_schema::{ArraySchema, CellOrder};

use super::sample::Sample;
use super::tiles::Tiles;

/// Capacities that are tried.
const CAPACITIES: [u64; 3] = [1_000, 10_000, 100_000];

/// Tiles that a sample must have of a capacity for it to tell anything.
const TILES: u64 = 4;

/// Cells of a space tile below which no smaller one is tried: what is stored of each tile would outweigh them.
const FEW: u64 = 256;

const ORDERS: [CellOrder; 3] = [
    CellOrder::RowMajor,
    CellOrder::ColumnMajor,
    CellOrder::Hilbert,
];

/// The schema without what tiles have nothing to do with: labels of dimensions, and enumerations, of which the indexes are stored.
pub(super) fn bare(schema: &ArraySchema) -> ArraySchema {
    let mut bare = schema.clone();
    bare.labels.clear();
    bare.enumerations.clear();
    for attribute in &mut bare.attributes {
        attribute.enumeration = None;
    }
    bare
}

/// The tiles that are worth a trial beside those of today.
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
    let fits = |capacity: &u64| capacity.saturating_mul(TILES) <= sample.cells;
    let capacities = CAPACITIES.into_iter().filter(fits).map(|capacity| Tiles {
        capacity: Some(capacity),
        ..today.clone()
    });
    // Along one dimension there is one order.
    let orders = ORDERS.into_iter().filter(|_| dimensions > 1);
    let orders = orders.map(|order| Tiles {
        cell_order: Some(order),
        ..today.clone()
    });
    capacities.chain(orders).collect()
}

/// Tiles of half the extents, of twice the extents, and those whose sides are more alike.
fn dense(today: &Tiles, sample: &Sample) -> Vec<Tiles> {
    let with = |extent: &dyn Fn(u64, u64) -> u64| {
        let extents = today.extents.iter().zip(&sample.shape);
        let extents = extents.map(|((name, today), side)| (name.clone(), extent(*today, *side)));
        Tiles {
            extents: extents.collect(),
            ..today.clone()
        }
    };
    // What is larger than the sample cannot be told by it.
    let larger = |by: u64| {
        move |extent: u64, side: u64| {
            let larger = extent.saturating_mul(by);
            if larger <= side { larger } else { extent }
        }
    };
    let smaller = |by: u64| move |extent: u64, _: u64| (extent / by).max(1);
    let cells = |tiles: &Tiles| {
        let extents = tiles.extents.iter().map(|(_, extent)| *extent);
        extents.fold(1, u64::saturating_mul)
    };
    let mut all = vec![with(&smaller(2)), with(&smaller(4))];
    all.retain(|tiles| cells(tiles) >= FEW);
    all.extend([with(&larger(2)), with(&larger(4))]);
    all.extend(squarer(today, sample).map(|extents| Tiles {
        extents,
        ..today.clone()
    }));
    all
}

/// About as many cells in a tile whose sides are alike, as far as the sample is wide enough: the longest side is halved for
/// the shortest to be doubled.
fn squarer(today: &Tiles, sample: &Sample) -> Option<Vec<(String, u64)>> {
    let mut sides: Vec<u64> = today.extents.iter().map(|(_, extent)| *extent).collect();
    loop {
        let can_grow = |(side, most): (&u64, &u64)| side.saturating_mul(2) <= *most;
        let growing = sides.iter().zip(&sample.shape).enumerate();
        let growing = growing.filter(|(_, pair)| can_grow(*pair));
        let shortest = growing.min_by_key(|(_, (side, _))| **side);
        let (short, _) = shortest?;
        let (long, _) = sides.iter().enumerate().max_by_key(|(_, side)| **side)?;
        let (shorter, longer) = (*sides.get(short)?, *sides.get(long)?);
        if shorter.saturating_mul(4) > longer {
            break;
        }
        *sides.get_mut(short)? = shorter.saturating_mul(2);
        *sides.get_mut(long)? = longer / 2;
    }
    let names = today.extents.iter().map(|(name, _)| name.clone());
    Some(names.zip(sides).collect())
}

/// The capacity of one and the order of the other.
pub(super) fn joined(capacity: &Tiles, order: &Tiles) -> Tiles {
    Tiles {
        capacity: capacity.capacity,
        cell_order: order.cell_order,
        extents: Vec::new(),
    }
}
