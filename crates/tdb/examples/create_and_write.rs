//! Creates an array and writes cells into it: `cargo run -p tdb --example create_and_write -- target/ships`

use tdb::{Attribute, Datatype, Dimension, Filter, Schema};

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("where the array is to be");
    let time = Dimension::new("time", Datatype::DateTimeSecond).domain("2000-01-01"..="2099-12-31");
    let schema = Schema::sparse()
        .dimension(Dimension::new("ship", Datatype::StringAscii))
        .dimension(time.tile(86_400))
        .attribute(
            Attribute::new("knots", Datatype::Float32)
                .nullable()
                .filter(Filter::zstd(5)),
        )
        .build()?;
    let ships = tdb::create(&uri, &schema)?;
    let write = ships.write().column("ship", ["Ada", "Ada", "Zoe"]);
    let write = write.column(
        "time",
        ["2024-03-01T12:00", "2024-03-01T12:10", "2024-03-01T12:00"],
    );
    let written = write
        .column("knots", [Some(11.5_f32), None, Some(9.0)])
        .commit()?;
    println!(
        "{} cells in {} fragment",
        written.cells,
        written.fragments.len()
    );
    Ok(())
}
