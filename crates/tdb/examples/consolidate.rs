//! Merges the fragments of many writes: `cargo run -p tdb --example consolidate -- target/log`

use tdb::{Attribute, Datatype, Dimension, Schema};

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("where the array is to be");
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("n", Datatype::UInt64)
                .domain(0..1_000_000)
                .tile(1000),
        )
        .attribute(Attribute::new("text", Datatype::StringUtf8))
        .build()?;
    let log = tdb::create(&uri, &schema)?;
    for n in 0..20_u64 {
        log.write()
            .column("n", [n])
            .column("text", [format!("line {n}")])
            .commit()?;
    }
    let before = log.reopen()?.fragments();
    log.consolidate()?;
    let log = log.reopen()?;
    println!(
        "{before} fragments are {}, {} cells",
        log.fragments(),
        log.read().count()?
    );
    Ok(())
}
