//! Makes an array in memory, and reads it: `cargo run -p tdb --example memory`

use std::sync::Arc;
use tdb::{Attribute, Context, Datatype, Dimension, MemoryStores, Schema};

fn main() -> tdb::Result<()> {
    let context = Context::new().stores(Arc::new(MemoryStores::default()));
    let x = Dimension::new("x", Datatype::Int32).domain(0..4);
    let a = Attribute::new("a", Datatype::Int32);
    let schema = Schema::dense().dimension(x.tile(2)).attribute(a).build()?;
    let array = context.create("mem://numbers", &schema)?;
    array.write().column("a", [4, 3, 2, 1]).commit()?;
    let read = context.open("mem://numbers")?.read().range("x", 1..3);
    println!("{:?}", read.to_vec::<i32>("a")?);
    Ok(())
}
