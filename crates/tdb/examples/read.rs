//! Reads one field of the cells that match, batch by batch: `cargo run -p tdb --example read -- fixtures/v22_tour/array`

use tdb::{Order, field};

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("the array");
    let weather = tdb::open(&uri)?;
    let cold = weather
        .read()
        .attrs(["temperature"])
        .range("station", "A"..="K")
        .condition(field("temperature").lt(2))
        .order(Order::Row);
    for batch in cold.batches()? {
        let batch = batch?;
        let temperature = batch.column("temperature").expect("it was asked for");
        let celsius: Vec<f32> = temperature.numbers()?.collect();
        println!("{} cells: {celsius:?}", batch.rows);
    }
    Ok(())
}
