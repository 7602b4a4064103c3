//! The dimension along which slabs follow each other, and the ranges of tiles along it.

use tdb_array::{At, OpenedPart, Snapshot};
use tdb_rtree::RTree;
use tdb_tile::{Bug, Datatype, Range, length};

use super::fragment_plan::{FragmentPlan, PlannedTile};
use super::plan::SparsePlan;
use crate::QueryError;
use crate::options::ResultOrder;

/// Dimension that changes slowest in the order of a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlowestDimension {
    pub(super) index: usize,
    pub(super) datatype: Datatype,
}

impl SlowestDimension {
    /// Returns the dimension that changes slowest; `None` if the result is in global order.
    pub(super) fn of(plan: &SparsePlan) -> Option<Self> {
        let dimensions = &plan.schema.dimensions;
        let index = match plan.request.merge_order() {
            ResultOrder::RowMajor => 0,
            ResultOrder::ColumnMajor => dimensions.len().checked_sub(1)?,
            ResultOrder::Global | ResultOrder::Unordered => return None,
        };
        Some(Self {
            index,
            datatype: dimensions.get(index)?.datatype,
        })
    }

    /// True if the bounds of a fragment's tiles along the dimension can be trusted.
    pub(super) fn is_bounded(self, array: &Snapshot, plan: &FragmentPlan) -> Result<bool, Bug> {
        let version = array.fragment(plan.fragment)?.metadata.version;
        let dimension = array.schema().dimensions.get(self.index);
        let is_string = dimension.is_some_and(|dimension| dimension.cell_val_num.is_var());
        Ok(!is_string || !version.misstates_empty_string_bounds())
    }

    /// Returns the range of each tile of a fragment along the dimension; `None` if unknown. `opened` is the fragment's
    /// R-tree.
    pub(super) fn ranges(
        self,
        array: &Snapshot,
        plan: &FragmentPlan,
        opened: Option<OpenedPart>,
    ) -> Result<Vec<Option<Range>>, QueryError> {
        let opened = opened.ok_or_else(|| Bug::new("an R-tree that was asked for is not there"))?;
        let fragment = array.fragment(plan.fragment)?;
        let tree: RTree = fragment
            .metadata
            .rtree(&opened.payload, array.limits())
            .at(&fragment.metadata_key)?;
        let range = |tile: &PlannedTile| {
            let number = length(tile.tile.get())?;
            let range = tree.leaf(number, self.index);
            // Ranges in the wrong order prove nothing.
            Ok(range.filter(|range| range.is_ordered(self.datatype)))
        };
        plan.tiles.iter().map(range).collect()
    }
}
