//! Reads into an Arrow record batch: `cargo run -p tdb --example arrow -- fixtures/v22_tour/array`

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("the array");
    let batch = tdb::open(&uri)?
        .read()
        .condition("sky = 'snow'")
        .to_arrow()?;
    println!("{} rows", batch.num_rows());
    for field in batch.schema().fields() {
        println!("{}: {}", field.name(), field.data_type());
    }
    Ok(())
}
