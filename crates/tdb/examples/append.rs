//! Appends rows of a struct, and reads all: `cargo run -p tdb --example append -- target/log`

#[derive(Debug, serde::Deserialize, serde::Serialize)]
struct Line {
    n: u64,
    text: String,
}

fn main() -> tdb::Result<()> {
    let log = tdb::open(&std::env::args().nth(1).expect("the array"))?;
    let text = "appended".to_owned();
    log.write().rows([Line { n: 20, text }])?;
    let last = log.reopen()?.read().tail(1);
    println!("{:?}", last.rows::<Line>()?.next().transpose()?);
    Ok(())
}
