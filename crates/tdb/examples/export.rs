//! Exports cells to a file whose extension names the format: `cargo run -p tdb --example export --
//! fixtures/v22_tour/array target/snow.parquet "sky = 'snow'"`

fn main() -> tdb::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let uri = arguments.next().expect("the path of an array");
    let file = arguments.next().expect("a file for its cells");
    let mut read = tdb::open(&uri)?.read();
    if let Some(condition) = arguments.next() {
        read = read.condition(condition);
    }
    let read = read.progress(|progress| println!("{} {}", progress.activity, progress.done));
    let exported = read.export(&file)?;
    println!("{} cells in {} file", exported.cells, exported.files);
    Ok(())
}
