//! Copies cells batch by batch from one array to another, without holding them all in memory:
//! `cargo run -p tdb --example stream -- fixtures/v22_tour/array target/copy`

use tdb::Context;

fn main() -> tdb::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (from, to) = (
        arguments.next().expect("the array"),
        arguments.next().expect("the copy"),
    );
    let context = Context::new().memory(256 << 20).threads(2);
    let source = context.open(&from)?;
    let copy = context.create(&to, &source.newest_schema()?)?;
    let mut stream = copy.write().stream()?;
    for batch in source.read().enumeration_codes().batches()? {
        stream.push(&batch?)?;
    }
    println!("{} cells", stream.finish()?.cells);
    Ok(())
}
