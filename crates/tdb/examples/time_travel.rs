//! Reads an array as of earlier times: `cargo run -p tdb --example time_travel -- fixtures/v22_tour/array`

use tdb::Time;

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("the array");
    for day in ["2024-04-11", "2024-04-12", "2024-05-01"] {
        let weather = tdb::open_at(&uri, day.parse::<Time>()?)?;
        println!("{day}: {} cells", weather.read().count()?);
    }
    Ok(())
}
