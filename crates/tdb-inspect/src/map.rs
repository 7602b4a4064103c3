//! Positions of fragments and their tiles in the domain of an array.

use tdb_array::Fragment;
use tdb_fragment::FragmentIndex;
use tdb_open::{Array, Result};
use tdb_schema::ArraySchema;
use tdb_schema::value::{Value, holds_bytes, read};
use tdb_tile::{Datatype, Range};

/// Positions of all fragments, relative to the bounding box of all written cells.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Map {
    /// Names of the dimensions.
    pub dimensions: Vec<String>,
    /// Bounding box of all written cells; `None` if there is no fragment.
    pub domain: Option<Vec<Range>>,
    /// Fragments, oldest first.
    pub fragments: Vec<MappedFragment>,
    /// Number of sparse fragments whose tiles were omitted because the limit on tiles was reached.
    pub without_tiles: usize,
}

/// Position and size of a fragment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MappedFragment {
    /// Name of the fragment.
    pub name: String,
    /// First and last time at which its cells were written, in milliseconds since 1970.
    pub timestamps: (u64, u64),
    /// Number of cells; for dense fragments the cells of all its tiles.
    pub cells: u64,
    /// Number of tiles.
    pub tiles: u64,
    /// Position of the fragment.
    pub place: MapBox,
    /// MBR of each tile of a sparse fragment; empty if the tiles were omitted.
    pub tile_places: Vec<MapBox>,
}

/// A box relative to the bounding box of all cells: start and end per dimension, from 0 to 1.
///
/// The position of text is given by the first eight bytes after the prefix that the whole array shares.
pub type MapBox = Vec<(f64, f64)>;

/// Returns the positions of the fragments, and of at most `tiles` tiles of sparse fragments.
///
/// # Errors
/// Fails if the store fails or if R-trees break the format.
pub fn map(array: &Array, tiles: u64) -> Result<Map> {
    let engine = array.engine();
    let schema = engine.schema();
    let dimensions = schema.dimensions.iter();
    let mut map = Map {
        dimensions: dimensions.map(|dimension| dimension.name.clone()).collect(),
        domain: engine.non_empty_domain(),
        fragments: Vec::new(),
        without_tiles: 0,
    };
    let Some(domain) = map.domain.clone() else {
        return Ok(map);
    };
    let axes = axes(schema, &domain);
    let mut left = tiles;
    let mut numbered: Vec<(usize, &Fragment)> = engine.fragments().iter().enumerate().collect();
    numbered.sort_by_key(|(_, fragment)| (fragment.timestamps(), fragment.name.as_str()));
    for (index, fragment) in numbered {
        let metadata = &fragment.metadata;
        let mut mapped = MappedFragment {
            name: fragment.name.as_str().to_owned(),
            timestamps: fragment.timestamps(),
            cells: metadata.cell_count(),
            tiles: metadata.tile_count(),
            place: place(&axes, &metadata.non_empty_domain),
            tile_places: Vec::new(),
        };
        if !metadata.dense {
            match left.checked_sub(mapped.tiles) {
                Some(rest) => {
                    left = rest;
                    mapped.tile_places = tile_places(array, index, &axes)?;
                }
                None => map.without_tiles += 1,
            }
        }
        map.fragments.push(mapped);
    }
    Ok(map)
}

fn tile_places(array: &Array, fragment: usize, axes: &[MapAxis]) -> Result<Vec<MapBox>> {
    let index = FragmentIndex::new(fragment);
    let tree = array
        .engine()
        .rtree(index)
        .map_err(|error| array.failed(error))?;
    let mbrs = (0..tree.tile_count()).filter_map(|tile| tree.mbr(tile));
    Ok(mbrs.map(|mbr| place(axes, &mbr.0)).collect())
}

/// One side of the bounding box of all cells.
#[derive(Debug)]
struct MapAxis {
    datatype: Datatype,
    /// For text: number of leading bytes that all values share.
    shared: usize,
    /// Distance from a value to the end of its cell: 1 for integers, otherwise 0.
    step: f64,
    lo: f64,
    hi: f64,
}

impl MapAxis {
    fn of(datatype: Datatype, range: &Range) -> Self {
        let same = range.lo.iter().zip(range.hi.iter());
        let shared = same.take_while(|(lo, hi)| lo == hi).count();
        let is_whole = !datatype.is_real() && !holds_bytes(datatype);
        let axis = Self {
            datatype,
            shared,
            step: if is_whole { 1.0 } else { 0.0 },
            lo: 0.0,
            hi: 0.0,
        };
        Self {
            lo: axis.number(&range.lo),
            hi: axis.number(&range.hi) + axis.step,
            ..axis
        }
    }

    /// Converts a coordinate to a number that sorts like it.
    fn number(&self, bytes: &[u8]) -> f64 {
        match read(self.datatype, bytes).map(|value| value.as_ticks()) {
            Some(Value::Signed(value)) => value as f64,
            Some(Value::Unsigned(value)) => value as f64,
            Some(Value::Float32(value)) => value.into(),
            Some(Value::Float64(value)) => value,
            _ => {
                let mut first = [0; 8];
                let rest = bytes.get(self.shared..).unwrap_or(&[]);
                for (place, byte) in first.iter_mut().zip(rest) {
                    *place = *byte;
                }
                u64::from_be_bytes(first) as f64
            }
        }
    }

    /// Returns the position of a range, from 0 to 1.
    fn place(&self, range: &Range) -> (f64, f64) {
        let width = self.hi - self.lo;
        let at = |number: f64| {
            let part = (number - self.lo) / width;
            // A side of a single point fills the whole axis.
            part.is_finite().then(|| part.clamp(0.0, 1.0))
        };
        match (
            at(self.number(&range.lo)),
            at(self.number(&range.hi) + self.step),
        ) {
            (Some(lo), Some(hi)) => (lo, hi),
            _ => (0.0, 1.0),
        }
    }
}

fn axes(schema: &ArraySchema, domain: &[Range]) -> Vec<MapAxis> {
    let dimensions = schema.dimensions.iter().zip(domain);
    let axes = dimensions.map(|(dimension, range)| MapAxis::of(dimension.datatype, range));
    axes.collect()
}

fn place(axes: &[MapAxis], ranges: &[Range]) -> MapBox {
    let sides = axes.iter().zip(ranges);
    sides.map(|(axis, range)| axis.place(range)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_parts_of_the_whole() {
        let whole = Range::of(10_i32, 29);
        let axis = MapAxis::of(Datatype::Int32, &whole);
        assert_eq!(axis.place(&whole), (0.0, 1.0));
        assert_eq!(axis.place(&Range::of(15_i32, 19)), (0.25, 0.5));
        let floats = MapAxis::of(Datatype::Float64, &Range::of(-1.0, 1.0));
        assert_eq!(floats.place(&Range::of(0.0, 0.5)), (0.5, 0.75));
        let point = MapAxis::of(Datatype::Int32, &Range::of(7_i32, 7));
        assert_eq!(point.place(&Range::of(7_i32, 7)), (0.0, 1.0));
        let text = |lo: &str, hi: &str| Range::new(lo.as_bytes().to_vec(), hi.as_bytes().to_vec());
        let axis = MapAxis::of(Datatype::StringAscii, &text("chr1", "chr9"));
        let (lo, hi) = axis.place(&text("chr1", "chr5"));
        assert!(lo == 0.0 && (hi - 0.5).abs() < 0.001, "{hi}");
    }
}
