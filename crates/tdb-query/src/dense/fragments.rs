//! Which fragments a space tile takes its cells from.

use tdb_array::Array;
use tdb_schema::grid::{CellBox, SpaceTileGrid, TileBox};

/// Where a dense fragment has cells.
#[derive(Clone, Debug)]
pub(crate) struct DenseFragment {
    /// Position in the array's list.
    pub(crate) index: usize,
    /// The cells that were written: the non-empty domain.
    pub(crate) cells: CellBox,
    /// The tiles that it stores.
    pub(crate) tiles: TileBox,
}

/// The dense fragments of an array that have any of these cells, the newest first.
pub(crate) fn dense_fragments(
    array: &Array,
    grid: &SpaceTileGrid,
    wanted: &CellBox,
) -> Vec<DenseFragment> {
    let fragments = array
        .fragments()
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, fragment)| fragment.metadata.dense);
    fragments
        .filter_map(|(index, fragment)| {
            let cells = grid.clipped_box(&fragment.metadata.non_empty_domain)?;
            cells.intersection(wanted)?;
            let tiles = grid.tiles_of(&cells);
            Some(DenseFragment {
                index,
                cells,
                tiles,
            })
        })
        .collect()
}

/// The fragments whose cells can be seen in a tile, the newest first.
///
/// One is hidden where a newer one has all its cells of the tile, whatever fields that one has: so does TileDB.
pub(crate) fn visible(
    fragments: &[DenseFragment],
    among: &[usize],
    tile: &CellBox,
    out: &mut Vec<usize>,
) {
    out.clear();
    for &place in among {
        let Some(fragment) = fragments
            .get(place)
            .filter(|fragment| meets(&fragment.cells, tile))
        else {
            continue;
        };
        let covers = |newer: &usize| {
            fragments
                .get(*newer)
                .is_some_and(|newer| covers_within(&newer.cells, &fragment.cells, tile))
        };
        if out.iter().any(covers) {
            continue;
        }
        out.push(place);
        if fragment.cells.covers(tile) {
            return;
        }
    }
}

/// Whether two boxes have cells in common.
pub(crate) fn meets(a: &CellBox, b: &CellBox) -> bool {
    let (a, b) = (a.lo.iter().zip(&a.hi), b.lo.iter().zip(&b.hi));
    a.zip(b)
        .all(|((a_lo, a_hi), (b_lo, b_hi))| a_lo <= b_hi && b_lo <= a_hi)
}

/// Whether `a` has all those cells of `b` that lie in `tile`.
fn covers_within(a: &CellBox, b: &CellBox, tile: &CellBox) -> bool {
    let (a, b) = (a.lo.iter().zip(&a.hi), b.lo.iter().zip(&b.hi));
    let tile = tile.lo.iter().zip(&tile.hi);
    a.zip(b)
        .zip(tile)
        .all(|(((a_lo, a_hi), (b_lo, b_hi)), (lo, hi))| {
            a_lo <= b_lo.max(lo) && a_hi >= b_hi.min(hi)
        })
}

#[cfg(test)]
mod tests {
    use tdb_schema::Order;

    use super::*;

    fn fragment(lo: u64, hi: u64) -> DenseFragment {
        let tiles = TileBox::new(vec![lo / 5], vec![hi / 5], Order::RowMajor);
        DenseFragment {
            index: 0,
            cells: CellBox {
                lo: vec![lo],
                hi: vec![hi],
            },
            tiles,
        }
    }

    #[test]
    fn a_fragment_is_hidden_by_a_newer_one_with_all_its_cells_of_the_tile() {
        // The newest first; tiles of five cells.
        let fragments = [fragment(3, 7), fragment(0, 5), fragment(0, 9)];
        let seen = |lo, hi| {
            let mut out = Vec::new();
            visible(
                &fragments,
                &[0, 1, 2],
                &CellBox {
                    lo: vec![lo],
                    hi: vec![hi],
                },
                &mut out,
            );
            out
        };
        assert_eq!(seen(0, 4), [0, 1]);
        assert_eq!(seen(5, 9), [0, 2]);
    }
}
