//! Creates an array from a file, and prints its schema: `cargo run -p tdb --example import -- orders.csv
//! target/orders`

fn main() -> tdb::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a file of cells");
    let uri = arguments.next().expect("where the array is to be");
    let imported = tdb::import(&file, &uri)?;
    println!("{} cells", imported.cells);
    for field in tdb::open(&uri)?.schema().fields() {
        println!("{}: {}", field.name, field.datatype);
    }
    Ok(())
}
