//! Scans the cells that match, batch by batch: `cargo run -p tdb --example scan -- fixtures/v22_tour/array`

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("the array");
    let read = tdb::open(&uri)?.read().attrs(["temperature", "sky"]);
    for batch in read.condition("temperature < 0 and sky = 'snow'").arrow()? {
        println!("{} rows", batch?.num_rows());
    }
    Ok(())
}
