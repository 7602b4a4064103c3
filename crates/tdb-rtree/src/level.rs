use bytes::Bytes;
use tdb_tile::{Bug, Range, Record, Walk, WireError, WireErrorKind};

use crate::DimensionType;
use crate::column::Column;
use crate::dimension_type::fixed_mbr_size;
use crate::mbr::walk_range;

/// The nodes of one level, in tile order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) len: usize,
    pub(crate) columns: Vec<Column>,
}

impl Record for Level {
    const NAME: &'static str = "RTreeLevel";
    const MIN_SIZE: usize = 8;
    type Cx = [DimensionType];

    fn walk<W: Walk>(&mut self, w: &mut W, dimensions: &[DimensionType]) -> Result<(), WireError> {
        let Self { len, columns } = self;
        let n = w.count::<u64>("node count", *len)?;
        if n == 0 || dimensions.is_empty() {
            return Err(w.fail(
                "node count",
                WireErrorKind::Invalid("a level of the tree has no nodes"),
            ));
        }
        if columns.is_empty() {
            *columns = dimensions.iter().map(|d| Column::new(*d)).collect();
        }
        let nodes = usize::try_from(n).map_err(|_| {
            let kind = WireErrorKind::Invalid("a level of the tree has more nodes than memory");
            w.fail("node count", kind)
        })?;
        if let Some(size) = fixed_mbr_size(dimensions) {
            let mut bytes = interleave(columns, *len).map_err(|bug| w.fail("mbrs", bug.into()))?;
            // Clamped: more bytes than there can be are refused like those that are not there.
            w.raw("mbrs", n.saturating_mul(size), &mut bytes)?;
            if *len != nodes {
                *columns = split(&bytes, dimensions);
            }
        } else {
            for index in 0..nodes {
                walk_node(w, index, columns, dimensions)?;
            }
        }
        *len = nodes;
        Ok(())
    }
}

/// Visits one node: encodes the node that the columns hold, or decodes a new one into them.
fn walk_node<W: Walk>(
    w: &mut W,
    index: usize,
    columns: &mut [Column],
    dimensions: &[DimensionType],
) -> Result<(), WireError> {
    for (column, dimension) in columns.iter_mut().zip(dimensions) {
        match column.get(index) {
            Some(mut range) => walk_range(w, &mut range, *dimension)?,
            None => {
                let mut range = Range::default();
                walk_range(w, &mut range, *dimension)?;
                column.push(&range.lo, &range.hi);
            }
        }
    }
    Ok(())
}

/// Joins the columns to rectangles as stored: node by node, dimension by dimension, lower and upper
/// end.
fn interleave(columns: &[Column], len: usize) -> Result<Bytes, Bug> {
    let mut out = Vec::new();
    for index in 0..len {
        for column in columns {
            let ends = column.ends(index);
            let (lo, hi) = ends.ok_or_else(|| Bug::new("a node has no range on a dimension"))?;
            out.extend_from_slice(lo);
            out.extend_from_slice(hi);
        }
    }
    Ok(out.into())
}

/// Undoes [`interleave`] for dimensions of fixed size.
fn split(bytes: &[u8], dimensions: &[DimensionType]) -> Vec<Column> {
    let size_of = |dimensions: &[DimensionType]| -> usize {
        let ends = dimensions.iter().flat_map(|d| [d.datatype.size(); 2]);
        ends.sum()
    };
    let stride = size_of(dimensions);
    let mut columns = Vec::with_capacity(dimensions.len());
    for (index, dimension) in dimensions.iter().enumerate() {
        let start = size_of(dimensions.split_at(index).0);
        let size = dimension.datatype.size();
        let (mut lo, mut hi) = (Vec::new(), Vec::new());
        for mbr in bytes.chunks_exact(stride.max(1)) {
            // Cannot panic: `stride` is the sum of the sizes of all dimensions, and `start` that of
            // the earlier ones.
            let (_, mbr) = mbr.split_at(start);
            let (low, mbr) = mbr.split_at(size);
            let (high, _) = mbr.split_at(size);
            lo.extend_from_slice(low);
            hi.extend_from_slice(high);
        }
        columns.push(Column::Fixed {
            datatype: dimension.datatype,
            lo,
            hi,
        });
    }
    columns
}

impl Level {
    /// Returns the level above this one; each of its nodes covers `fanout` nodes of this level.
    pub(crate) fn parents(&self, fanout: usize) -> Self {
        Self {
            len: self.len.div_ceil(fanout),
            columns: self
                .columns
                .iter()
                .map(|column| column.parents(fanout))
                .collect(),
        }
    }
}
