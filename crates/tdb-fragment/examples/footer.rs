//! Shows the footer of a fragment: `cargo run -p tdb-fragment --example footer --
//! ARRAY/__schema/NAME ARRAY/__fragments/NAME`

use tdb_fragment::{ArraySchema, FragmentMetadata, GenericTile, Limits, open_generic_tile};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argument = |n| std::env::args().nth(n).ok_or("wanted a schema, a fragment");
    let limits = Limits::default();
    let tile = GenericTile::parse(&std::fs::read(argument(1)?)?.into(), &limits)?;
    let schema = ArraySchema::decode(&open_generic_tile(&tile, None, &limits)?, &limits)?;
    let fragment = argument(2)?;
    let (_, version) = fragment.rsplit_once('_').ok_or("no name of a fragment")?;
    let version = version.parse::<u32>()?.into();
    let file = std::fs::read(format!("{fragment}/__fragment_metadata.tdb"))?.into();
    let footer = FragmentMetadata::read_file(&file, version, &schema, &limits)?;
    println!("{footer:#?}");
    Ok(())
}
