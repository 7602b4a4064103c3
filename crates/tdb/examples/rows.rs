//! Reads cells as values of a struct: `cargo run -p tdb --example rows -- fixtures/v22_tour/array`

#[derive(Debug, serde::Deserialize)]
struct Weather {
    station: String,
    hour: String,
    temperature: f32,
    pressure: Option<u16>,
    sky: String,
}

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("the array");
    for weather in tdb::open(&uri)?.read().limit(2).rows::<Weather>()? {
        let Weather {
            station,
            hour,
            temperature,
            pressure,
            sky,
        } = weather?;
        println!("{station} {hour}: {temperature} degrees, {pressure:?} hPa, {sky}");
    }
    Ok(())
}
