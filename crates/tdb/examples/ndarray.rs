//! Reads a box of a dense array: `cargo run -p tdb --features ndarray --example ndarray -- target/image`

use tdb::{Attribute, Datatype, Dimension, Schema};

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("where the array is to be");
    let y = Dimension::new("y", Datatype::UInt8).domain(0..99).tile(9);
    let x = Dimension::new("x", Datatype::UInt8).domain(0..99).tile(9);
    let light = Attribute::new("light", Datatype::UInt8);
    let schema = Schema::dense().dimension(y).dimension(x).attribute(light);
    let cells: Vec<u8> = (0..99 * 99).map(|cell| (cell % 251) as u8).collect();
    let image = tdb::create(&uri, &schema.build()?)?;
    image.write().column("light", cells).commit()?;
    let read = tdb::open(&uri)?.read().range("y", 10..20).range("x", 0..4);
    let part = read.to_ndarray::<u8>("light")?;
    println!("{:?}, the brightest {:?}", part.shape(), part.iter().max());
    Ok(())
}
