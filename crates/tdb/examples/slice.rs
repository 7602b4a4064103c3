//! Reads a slice of a dense array: `cargo run -p tdb --example slice -- fixtures/v22_dense_basics/array`

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("the array");
    let slice = tdb::open(&uri)?.read().range("row", 2..=3);
    println!("{:?}", slice.range("col", 1..3).to_vec::<i8>("i8")?);
    Ok(())
}
