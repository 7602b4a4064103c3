//! Writes a column and reads it: `cargo run -p tdb --example write -- target/temperatures`

use tdb::{Attribute, Datatype, Dimension, Schema};

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("where the array is to be");
    let x = Dimension::new("x", Datatype::Int32).domain(0..1000);
    let temp = Attribute::new("temp", Datatype::Float64);
    let schema = Schema::dense().dimension(x.tile(100)).attribute(temp);
    let temps: Vec<f64> = (0..1000).map(|x| f64::from(x) / 10.0).collect();
    let array = tdb::create(&uri, &schema.build()?)?;
    let written = array.write().column("temp", &temps).commit()?;
    let same = tdb::open(&uri)?.read().to_vec::<f64>("temp")? == temps;
    println!("{} cells, the same when read: {same}", written.cells);
    Ok(())
}
