//! Creates an array without cells: `cargo run -p tdb --example schema -- target/stations`

use tdb::{Attribute, Datatype, Dimension, Filter, Schema};

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("where the array is to be");
    let day = Dimension::new("day", Datatype::DateTimeDay).domain("2000-01-01"..="2099-12-31");
    let temp = Attribute::new("temp", Datatype::Float32).nullable();
    let schema = Schema::sparse()
        .dimension(Dimension::new("station", Datatype::StringAscii))
        .dimension(day.tile(30))
        .attribute(temp.filter(Filter::zstd(5)))
        .capacity(10_000)
        .build()?;
    let array = tdb::create(&uri, &schema)?;
    println!("{} fields", array.schema().fields().count());
    Ok(())
}
