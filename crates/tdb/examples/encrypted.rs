//! Creates an encrypted array, which opens only with its key: `cargo run -p tdb --example encrypted -- target/secret`

use tdb::{Attribute, Context, Datatype, Dimension, Schema};

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("where the array is to be");
    let schema = Schema::dense()
        .dimension(Dimension::new("x", Datatype::Int32).domain(1..=4).tile(4))
        .attribute(Attribute::new("a", Datatype::UInt8))
        .build()?;
    let context = Context::new().key(b"0123456789abcdef0123456789abcdef")?;
    context
        .create(&uri, &schema)?
        .write()
        .column("a", [1_u8, 2, 3, 4])
        .commit()?;
    println!("{:?}", context.open(&uri)?.read().to_vec::<u8>("a")?);
    if let Err(error) = tdb::open(&uri) {
        println!("without its key: {:?}", error.kind());
    }
    Ok(())
}
