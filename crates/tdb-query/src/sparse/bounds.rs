//! Bounds of all cells of a fragment in the order of a result, derived from its non-empty domain before any tile is
//! read.

use tdb_array::Snapshot;
use tdb_schema::CellOrder;
use tdb_schema::order::CellComparator;
use tdb_tile::{Bug, Range};

use super::corner::Corner;
use super::plan::SparsePlan;
use crate::options::ResultOrder;

/// Lowest and highest corner of the box around all cells of a fragment.
#[derive(Clone, Debug)]
pub(super) struct FragmentBounds {
    lo: Corner,
    hi: Corner,
}

impl FragmentBounds {
    /// Returns the bounds of each planned fragment; `None` if they are unknown.
    ///
    /// The lowest corner of a box comes before all of its cells in any order by coordinates or by space tiles, but
    /// not along the Hilbert curve.
    pub(super) fn of(plan: &SparsePlan, array: &Snapshot) -> Result<Vec<Option<Self>>, Bug> {
        let by_coordinates = match plan.request.merge_order() {
            ResultOrder::RowMajor | ResultOrder::ColumnMajor => true,
            ResultOrder::Global | ResultOrder::Unordered => {
                plan.schema.cell_order != CellOrder::Hilbert
            }
        };
        let fragments = plan.fragments.iter();
        let bounds = fragments.map(|planned| {
            let metadata = &array.fragment(planned.fragment)?.metadata;
            let dimensions = &plan.schema.dimensions;
            let ranges = dimensions.iter().zip(&metadata.non_empty_domain);
            let mut corners = (Vec::new(), Vec::new());
            for (dimension, range) in ranges.filter(|_| by_coordinates) {
                // Bounds of strings may be in another order than the cells, and so may cells outside the domain.
                let datatype = dimension.datatype;
                let is_within = |domain: &Range| {
                    domain.contains(datatype, &range.lo) && domain.contains(datatype, &range.hi)
                };
                let domain = dimension.domain.as_ref();
                let is_known = range.is_ordered(datatype) && domain.is_some_and(is_within);
                if dimension.cell_val_num.is_var() || !is_known {
                    return Ok(None);
                }
                corners.0.push((range.lo.to_vec(), false));
                corners.1.push((range.hi.to_vec(), false));
            }
            Ok((corners.0.len() == dimensions.len()).then(|| Self {
                lo: Corner::new(corners.0),
                hi: Corner::new(corners.1),
            }))
        });
        bounds.collect()
    }

    /// Returns a corner that no cell precedes.
    pub(super) fn lo(&self) -> &Corner {
        &self.lo
    }

    /// Returns the bounds that end later.
    pub(super) fn farther<'a>(
        &'a self,
        other: Option<&'a Self>,
        comparator: &CellComparator,
    ) -> &'a Self {
        let is_farther = |other: &&Self| other.hi.compare(&self.hi, comparator).is_gt();
        other.filter(is_farther).unwrap_or(self)
    }

    /// True if all cells come after those within `other`.
    pub(super) fn is_behind(&self, other: &Self, comparator: &CellComparator) -> bool {
        self.lo.compare(&other.hi, comparator).is_gt()
    }
}
