//! Reads a box of a dense array: `cargo run -p tdb --features ndarray --example ndarray -- target/image`

use tdb::{Attribute, Datatype, Dimension, Schema};

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("where the array is to be");
    let schema = Schema::dense()
        .dimension(
            Dimension::new("y", Datatype::UInt32)
                .domain(0..200)
                .tile(64),
        )
        .dimension(
            Dimension::new("x", Datatype::UInt32)
                .domain(0..300)
                .tile(64),
        )
        .attribute(Attribute::new("light", Datatype::UInt8))
        .build()?;
    let light: Vec<u8> = (0..200 * 300).map(|cell| (cell % 251) as u8).collect();
    tdb::create(&uri, &schema)?
        .write()
        .column("light", light)
        .commit()?;
    let part = tdb::open(&uri)?.read().range("y", 10..20).range("x", 0..4);
    let part = part.to_ndarray::<u8>("light")?;
    println!("{:?}, the brightest {:?}", part.shape(), part.iter().max());
    Ok(())
}
