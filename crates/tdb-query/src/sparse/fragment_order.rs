//! Facts about the fragments of a sparse read before any tile is read, and the order in which the read begins with
//! them.

use tdb_array::Snapshot;
use tdb_schema::order::CellComparator;
use tdb_tile::Bug;

use super::bounds::FragmentBounds;
use super::plan_index::PlanIndex;
use super::weights::Supply;
use crate::QueryError;
use crate::cell_sizes::bytes_of_tiles;

/// Facts about fragments before any tile is read.
#[derive(Debug)]
pub(super) struct Outset {
    /// Fragments in the order in which they begin: first those of unknown bounds, then the others by their first
    /// cell. If cells are not sorted, in the order of the plan.
    pub(super) order: Vec<PlanIndex>,
    /// Position of each fragment in `order`.
    ranks: Vec<usize>,
    /// Bounds of the cells of each fragment, if known.
    pub(super) bounds: Vec<Option<FragmentBounds>>,
    /// Weight of all tiles of each fragment.
    weights: Vec<u64>,
    /// Weight of all tiles of all fragments.
    pub(super) weight: u64,
}

impl Outset {
    pub(super) fn new(array: &Snapshot, supply: Supply<'_>) -> Result<Self, QueryError> {
        let plan = supply.plan;
        let weights = plan
            .numbered()
            .map(|(at, fragment)| {
                let tiles = 0..fragment.tiles.len();
                supply.weight(at, tiles)
            })
            .collect::<Result<Vec<u64>, QueryError>>()?;
        let weight = bytes_of_tiles(weights.iter().copied().map(u128::from).sum())?;
        let bounds = if plan.sorts && plan.can_stop() {
            FragmentBounds::of(plan, array)?
        } else {
            vec![None; plan.fragments.len()]
        };
        let comparator = CellComparator::new(&plan.schema, plan.request.merge_order().sort_order());
        let mut order: Vec<_> = plan.numbered().zip(&bounds).collect();
        order.sort_by(|(_, a), (_, b)| match (a, b) {
            (Some(a), Some(b)) => a.lo().compare(b.lo(), &comparator),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        let order: Vec<PlanIndex> = order.into_iter().map(|((at, _), _)| at).collect();
        let mut ranks = vec![0; order.len()];
        for (rank, at) in order.iter().enumerate() {
            if let Some(place) = ranks.get_mut(at.get()) {
                *place = rank;
            }
        }
        Ok(Self {
            order,
            ranks,
            bounds,
            weights,
            weight,
        })
    }

    pub(super) fn rank(&self, at: PlanIndex) -> Result<usize, Bug> {
        self.ranks.get(at.get()).copied().ok_or_else(unplanned)
    }

    pub(super) fn bounds(&self, at: PlanIndex) -> Result<Option<&FragmentBounds>, Bug> {
        let bounds = self.bounds.get(at.get()).ok_or_else(unplanned)?;
        Ok(bounds.as_ref())
    }

    pub(super) fn weight(&self, at: PlanIndex) -> Result<u64, Bug> {
        self.weights.get(at.get()).copied().ok_or_else(unplanned)
    }
}

fn unplanned() -> Bug {
    Bug::new("a cursor of a fragment that was not planned")
}
