use bytes::Bytes;
use tdb_tile::{Range, Record, Walk, WireError, WireErrorKind};

use crate::DimensionType;
use crate::column::Column;
use crate::dimension_type::fixed_mbr_size;
use crate::mbr::walk_range;

/// The nodes of one level, from the first tiles to the last.
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
        if let Some(size) = fixed_mbr_size(dimensions) {
            let mut bytes = interleave(columns, *len);
            w.raw("mbrs", n.saturating_mul(size), &mut bytes)?;
            if *len as u64 != n {
                *columns = split(&bytes, dimensions);
            }
        } else {
            for index in 0..n {
                walk_node(
                    w,
                    usize::try_from(index).unwrap_or(usize::MAX),
                    columns,
                    dimensions,
                )?;
            }
        }
        // Each node took bytes, so that there are no more than fit in memory.
        *len = usize::try_from(n).unwrap_or(usize::MAX);
        Ok(())
    }
}

/// One node: taken from the columns where they hold it, else put there.
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

/// The rectangles as stored: for each node, dimension by dimension, lower and upper end.
fn interleave(columns: &[Column], len: usize) -> Bytes {
    let mut out = Vec::new();
    for index in 0..len {
        for (lo, hi) in columns.iter().filter_map(|column| column.ends(index)) {
            out.extend_from_slice(lo);
            out.extend_from_slice(hi);
        }
    }
    out.into()
}

/// Undoes [`interleave`] for dimensions of fixed size.
fn split(bytes: &[u8], dimensions: &[DimensionType]) -> Vec<Column> {
    let stride: usize = dimensions.iter().map(|d| d.datatype.size()).sum();
    let stride = stride.saturating_mul(2);
    let mut start = 0_usize;
    let mut columns = Vec::with_capacity(dimensions.len());
    for dimension in dimensions {
        let size = dimension.datatype.size();
        let (middle, end) = (
            start.saturating_add(size),
            start.saturating_add(size.saturating_mul(2)),
        );
        let (mut lo, mut hi) = (Vec::new(), Vec::new());
        for mbr in bytes.chunks_exact(stride.max(1)) {
            lo.extend_from_slice(mbr.get(start..middle).unwrap_or_default());
            hi.extend_from_slice(mbr.get(middle..end).unwrap_or_default());
        }
        columns.push(Column::Fixed {
            datatype: dimension.datatype,
            lo,
            hi,
        });
        start = end;
    }
    columns
}

impl Level {
    /// The level above this one; each node covers `fanout` of these.
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
