//! Determines which fragments are visible in a space tile.

use std::sync::Arc;

use tdb_cells::dense::TileSet;
use tdb_fragment::FragmentIndex;
use tdb_schema::grid::{CellBox, TileBox};

use super::sparse_cells::SparseCells;

/// Position of a layer among those of a read, newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LayerIndex(usize);

impl LayerIndex {
    /// Returns the position, counted from 0.
    pub(crate) fn get(self) -> usize {
        self.0
    }
}

/// Iterates over the layers, each with its position.
pub(crate) fn numbered(layers: &[Layer]) -> impl Iterator<Item = (LayerIndex, &Layer)> {
    let numbered = layers.iter().enumerate();
    numbered.map(|(at, layer)| (LayerIndex(at), layer))
}

/// Fragment as one of the layers of a dense array.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// Index of the fragment.
    pub(crate) index: FragmentIndex,
    /// Box of its cells: the non-empty domain.
    pub(crate) cells: CellBox,
    pub(crate) stored: LayerSource,
    /// Tiles of the layer that the condition rules out.
    pub(super) ruled_out: Arc<TileSet>,
}

/// How a fragment of a dense array stores its cells.
#[derive(Clone, Debug)]
pub(crate) enum LayerSource {
    /// All cells of these space tiles.
    Tiles(TileBox),
    /// Single cells with coordinates, as TileDB before 2.4 could write.
    Cells(Arc<SparseCells>),
}

impl Layer {
    /// True if the layer has every cell of its box.
    pub(crate) fn is_solid(&self) -> bool {
        matches!(self.stored, LayerSource::Tiles(_))
    }

    /// True if the layer has every cell of the given box.
    pub(crate) fn covers(&self, cells: &CellBox) -> bool {
        self.is_solid() && self.cells.covers(cells)
    }
}

/// Layer whose box meets a block, with its position.
pub(crate) type Near<'a> = (LayerIndex, &'a Layer);

/// Collects the fragments whose cells are visible in a tile, newest first.
///
/// A fragment is hidden if a newer one contains all of its cells in the tile, even if the newer one lacks some
/// fields; TileDB does the same.
pub(crate) fn visible<'a>(among: &[Near<'a>], tile: &CellBox, out: &mut Vec<Near<'a>>) {
    out.clear();
    for near in among.iter().filter(|near| meets(&near.1.cells, tile)) {
        let layer = near.1;
        let hides = |(_, newer): &Near<'_>| {
            newer.is_solid() && covers_within(&newer.cells, &layer.cells, tile)
        };
        if out.iter().any(hides) {
            continue;
        }
        out.push(*near);
        if layer.covers(tile) {
            return;
        }
    }
}

/// True if two boxes have cells in common.
pub(crate) fn meets(a: &CellBox, b: &CellBox) -> bool {
    let (a, b) = (a.lo.iter().zip(&a.hi), b.lo.iter().zip(&b.hi));
    a.zip(b)
        .all(|((a_lo, a_hi), (b_lo, b_hi))| a_lo <= b_hi && b_lo <= a_hi)
}

/// True if `a` contains all cells of `b` that lie in `tile`.
fn covers_within(a: &CellBox, b: &CellBox, tile: &CellBox) -> bool {
    let (a, b) = (a.lo.iter().zip(&a.hi), b.lo.iter().zip(&b.hi));
    let tile = tile.lo.iter().zip(&tile.hi);
    a.zip(b)
        .zip(tile)
        .all(|(((a_lo, a_hi), (b_lo, b_hi)), (lo, hi))| {
            a_lo <= b_lo.max(lo) && a_hi >= b_hi.min(hi)
        })
}

/// Returns the tiles that lie in both boxes.
pub(super) fn common(a: &TileBox, b: &TileBox) -> Option<TileBox> {
    let cells = |tiles: &TileBox| CellBox {
        lo: tiles.first().to_vec(),
        hi: tiles.last().to_vec(),
    };
    let CellBox { lo, hi } = cells(a).intersection(&cells(b))?;
    Some(TileBox::new(lo, hi, a.order()))
}

#[cfg(test)]
mod tests {
    use tdb_schema::Order;

    use super::*;

    fn layer(lo: u64, hi: u64) -> Layer {
        let tiles = TileBox::new(vec![lo / 5], vec![hi / 5], Order::RowMajor);
        Layer {
            index: FragmentIndex::new(0),
            cells: CellBox {
                lo: vec![lo],
                hi: vec![hi],
            },
            stored: LayerSource::Tiles(tiles),
            ruled_out: Arc::default(),
        }
    }

    #[test]
    fn a_fragment_is_hidden_by_a_newer_one_with_all_its_cells_of_the_tile() {
        // Newest first; tiles of five cells.
        let layers = [layer(3, 7), layer(0, 5), layer(0, 9)];
        let seen = |lo, hi| {
            let tile = CellBox {
                lo: vec![lo],
                hi: vec![hi],
            };
            let near: Vec<Near<'_>> = numbered(&layers).collect();
            let mut out = Vec::new();
            visible(&near, &tile, &mut out);
            out.iter().map(|(at, _)| at.get()).collect::<Vec<_>>()
        };
        assert_eq!(seen(0, 4), [0, 1]);
        assert_eq!(seen(5, 9), [0, 2]);
    }
}
