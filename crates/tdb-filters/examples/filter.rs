//! Filters a tile and undoes it: `cargo run -p tdb-filters --example filter`

use tdb_filters::{Datatype, Description, FilterError, FilterList, FormatVersion};
use tdb_filters::{Limits, Pipeline, Registry, Scratch, TileKind};

fn main() -> Result<(), FilterError> {
    let (version, filters) = (FormatVersion::WRITTEN, Registry::builtin());
    let list = FilterList::new(vec![Description::new("zstd").record(version, filters)?]);
    let kind = TileKind::new(version, Datatype::Float64);
    let pipeline = Pipeline::new(&list, version, kind, None, filters)?;
    let values = [1.5_f64.to_le_bytes(); 1000].concat();
    let (mut stored, mut scratch, limits) = (Vec::new(), Scratch::default(), Limits::default());
    pipeline.encode_tile(&values, None, &mut stored, &mut scratch, &limits)?;
    let back = pipeline.decode_tile_to_vec(&stored, None, &mut scratch, &limits)?;
    println!("{} bytes, the same: {}", stored.len(), back == values);
    Ok(())
}
