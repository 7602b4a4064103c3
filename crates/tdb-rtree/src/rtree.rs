use tdb_tile::{Bug, Code, Exact, FormatVersion, Range, Record, Walk, WireError, WireErrorKind};

use crate::column::Column;
use crate::level::Level;
use crate::{DimensionType, Mbr, RTreeError};

/// Number of children per node in every tree that TileDB writes.
const FANOUT: u32 = 10;

/// The MBRs of the tiles of a sparse fragment, and of the groups of tiles above them.
///
/// A tree is decoded and encoded as a [`Record`] whose context is the type of each dimension. Dense
/// fragments store a tree without levels. Stored form: `docs/format/fragments.md`, "R-tree".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RTree {
    fanout: u32,
    /// The levels from the root to the leaves.
    levels: Vec<Level>,
    dimensions: Vec<DimensionType>,
    /// The dimensions stored in a tree without levels if they are not those of the array; kept only
    /// so that encoding restores the stored bytes.
    stated: Option<TreeHeader>,
    /// True if an upper bound may be too small when the lower bound is the empty string.
    doubts_empty_strings: bool,
    /// True if bounds of dates may be wrong.
    doubts_dates: bool,
}

impl Default for RTree {
    fn default() -> Self {
        Self {
            fanout: FANOUT,
            levels: Vec::new(),
            dimensions: Vec::new(),
            stated: None,
            doubts_empty_strings: false,
            doubts_dates: false,
        }
    }
}

impl Record for RTree {
    const NAME: &'static str = "RTree";
    const MIN_SIZE: usize = 8;
    type Cx = [DimensionType];

    fn walk<W: Walk>(&mut self, w: &mut W, cx: &[DimensionType]) -> Result<(), WireError> {
        let version = w.version();
        let Self {
            fanout,
            levels,
            dimensions,
            stated,
            doubts_empty_strings,
            doubts_dates,
        } = self;
        *dimensions = cx.to_vec();
        *doubts_empty_strings = version.misstates_empty_string_bounds();
        *doubts_dates = version.misstates_date_bounds();
        let wanted = TreeHeader::of(cx).map_err(|bug| w.fail("dimension count", bug.into()))?;
        let mut header = stated.unwrap_or(wanted);
        if version.zips_coordinates() {
            w.scalar("dimension count", &mut header.dimension_count)?;
        }
        w.scalar("fanout", fanout)?;
        if version.zips_coordinates() {
            w.scalar("datatype", &mut header.datatype)?;
        }
        if *fanout < 2 {
            return Err(w.fail(
                "fanout",
                WireErrorKind::Invalid("a node of the tree must have room for 2 or more"),
            ));
        }
        let n = w.count::<u32>("level count", levels.len())?;
        w.list("levels", n, levels, cx)?;
        check_level_sizes(levels, *fanout).map_err(|kind| w.fail("levels", kind))?;
        if header != wanted {
            if n != 0 {
                let kind = WireErrorKind::Invalid("the tree has other dimensions than the array");
                return Err(w.fail("dimension count", kind));
            }
            *stated = Some(header);
        }
        Ok(())
    }
}

/// The dimension count and datatype that trees of formats 1 to 4 store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TreeHeader {
    dimension_count: u32,
    datatype: u8,
}

impl TreeHeader {
    fn of(dimensions: &[DimensionType]) -> Result<Self, Bug> {
        let count = u32::try_from(dimensions.len());
        Ok(Self {
            dimension_count: count.map_err(|_| Bug::new("more dimensions than a schema has"))?,
            datatype: dimensions.first().map_or(0, |d| d.datatype.code()),
        })
    }
}

/// Checks the sizes of the levels: the root level must have one node, and above a level of `n`
/// nodes there must be one of `n / fanout` nodes, rounded up.
fn check_level_sizes(levels: &[Level], fanout: u32) -> Result<(), WireErrorKind> {
    let mismatch = |wanted: usize, found: usize| WireErrorKind::Mismatch {
        what: "number of nodes in a level",
        wanted: wanted as u64,
        found: found as u64,
    };
    let Some(root) = levels.first() else {
        return Ok(());
    };
    if root.len != 1 {
        return Err(mismatch(1, root.len));
    }
    for (parents, children) in levels.iter().zip(levels.iter().skip(1)) {
        let wanted = children.len.div_ceil(fanout as usize);
        if parents.len != wanted {
            return Err(mismatch(wanted, parents.len));
        }
    }
    Ok(())
}

impl RTree {
    /// Builds a tree over tiles with these MBRs, in tile order.
    ///
    /// # Errors
    /// Fails if an MBR does not fit the dimensions.
    pub fn build<M: AsRef<[Range]>>(
        dimensions: &[DimensionType],
        leaves: impl IntoIterator<Item = M>,
    ) -> Result<Self, RTreeError> {
        let mut columns: Vec<Column> = dimensions.iter().map(|d| Column::new(*d)).collect();
        let mut len = 0_usize;
        for leaf in leaves {
            check_ranges(dimensions, leaf.as_ref())?;
            for (column, range) in columns.iter_mut().zip(leaf.as_ref()) {
                column.push(&range.lo, &range.hi);
            }
            len = len.exact_add(1)?;
        }
        let mut tree = Self {
            dimensions: dimensions.to_vec(),
            ..Self::default()
        };
        if len == 0 || dimensions.is_empty() {
            return Ok(tree);
        }
        let fanout = tree.fanout as usize;
        let mut level = Level { len, columns };
        while level.len > 1 {
            let parents = level.parents(fanout);
            tree.levels.push(std::mem::replace(&mut level, parents));
        }
        tree.levels.push(level);
        tree.levels.reverse();
        Ok(tree)
    }

    /// Returns the same tree, which then distrusts the bounds that writers of `version` got wrong.
    ///
    /// A decoded tree already does so for its own version; a built one trusts all bounds.
    #[must_use]
    pub fn written_by(mut self, version: FormatVersion) -> Self {
        self.doubts_empty_strings = version.misstates_empty_string_bounds();
        self.doubts_dates = version.misstates_date_bounds();
        self
    }

    /// The types of the dimensions.
    #[must_use]
    pub fn dimensions(&self) -> &[DimensionType] {
        &self.dimensions
    }

    /// The number of tiles that the tree covers.
    #[must_use]
    pub fn tile_count(&self) -> usize {
        self.leaves().map_or(0, |level| level.len)
    }

    /// The number of levels, root and leaves included.
    #[must_use]
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// Returns the stored range of a tile along a dimension; `None` if there is no such tile or
    /// dimension.
    #[must_use]
    pub fn leaf(&self, tile: usize, dimension: usize) -> Option<Range> {
        self.leaves()?.columns.get(dimension)?.get(tile)
    }

    /// Returns the stored MBR of a tile; `None` if there is no such tile.
    #[must_use]
    pub fn mbr(&self, tile: usize) -> Option<Mbr> {
        let columns = &self.leaves()?.columns;
        columns
            .iter()
            .map(|column| column.get(tile))
            .collect::<Option<_>>()
            .map(Mbr)
    }

    /// Returns the MBR of a tile if it surely bounds all cells of the tile. `None` if bounds are
    /// out of order, if an upper bound may be too small, or if bounds of dates may be wrong.
    /// [`RTree::search`] trusts more bounds, as TileDB does.
    #[must_use]
    pub fn believed_mbr(&self, tile: usize) -> Option<Mbr> {
        let mbr = self.mbr(tile)?;
        let mut ranges = mbr.0.iter().zip(&self.dimensions);
        let is_believed = ranges.all(|(range, dimension)| {
            let is_doubted = self.doubts_empty_strings && dimension.is_var && range.lo.is_empty()
                || self.doubts_dates && dimension.datatype.is_datetime();
            range.is_ordered(dimension.datatype) && !is_doubted
        });
        is_believed.then_some(mbr)
    }

    /// Returns the MBR of all tiles, computed from the leaves; `None` if there are no tiles.
    #[must_use]
    pub fn bounding_mbr(&self) -> Option<Mbr> {
        let leaves = self.leaves()?;
        leaves
            .columns
            .iter()
            .map(|column| column.parents(leaves.len.max(1)).get(0))
            .collect::<Option<_>>()
            .map(Mbr)
    }

    pub(crate) fn leaves(&self) -> Option<&Level> {
        self.levels.last()
    }

    pub(crate) fn doubts_empty_strings(&self) -> bool {
        self.doubts_empty_strings
    }
}

impl AsRef<[Range]> for Mbr {
    fn as_ref(&self) -> &[Range] {
        &self.0
    }
}

fn check_ranges(dimensions: &[DimensionType], ranges: &[Range]) -> Result<(), RTreeError> {
    if ranges.len() != dimensions.len() {
        return Err(RTreeError::DimensionCount {
            wanted: dimensions.len(),
            found: ranges.len(),
        });
    }
    ranges
        .iter()
        .zip(dimensions)
        .enumerate()
        .try_for_each(|(index, (range, dimension))| check_range(index, *dimension, range))
}

pub(crate) fn check_range(
    index: usize,
    dimension: DimensionType,
    range: &Range,
) -> Result<(), RTreeError> {
    match dimension.coordinate_size() {
        Some(wanted) if range.lo.len() != wanted || range.hi.len() != wanted => {
            Err(RTreeError::CoordinateSize {
                dimension: index,
                wanted,
                lo: range.lo.len(),
                hi: range.hi.len(),
            })
        }
        _ => Ok(()),
    }
}
