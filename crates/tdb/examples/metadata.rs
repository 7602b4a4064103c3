//! Prints the properties of an array: `cargo run -p tdb --example metadata -- fixtures/v22_tour/array`

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("the array");
    let array = tdb::open(&uri)?;
    println!(
        "{} fragments, {} cells",
        array.fragments(),
        array.read().count()?
    );
    for dimension in &array.schema().dimensions {
        println!("dimension {}: {:?}", dimension.name, dimension.datatype);
    }
    for attribute in &array.schema().attributes {
        println!("attribute {}: {:?}", attribute.name, attribute.datatype);
    }
    for (key, value) in array.metadata()?.iter() {
        println!(
            "metadata {key}: {:?}, {} values",
            value.datatype, value.count
        );
    }
    Ok(())
}
