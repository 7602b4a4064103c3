//! Deletes cells, and reads them as of an earlier time: `cargo run -p tdb --example delete -- target/numbers`

use tdb::{Attribute, Datatype, Dimension, Schema, Time, field};

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("where the array is to be");
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("n", Datatype::Int64)
                .domain(0..1000)
                .tile(100),
        )
        .attribute(Attribute::new("square", Datatype::Int64))
        .build()?;
    let (n, squares): (Vec<i64>, Vec<i64>) = (0..100).map(|n| (n, n * n)).unzip();
    let array = tdb::create(&uri, &schema)?;
    array
        .write()
        .column("n", n)
        .column("square", squares)
        .commit()?;
    let before = Time::now();
    std::thread::sleep(std::time::Duration::from_millis(5));
    let deletion = array.delete(&field("square").ge(50))?;
    let now = tdb::open(&uri)?.read().count()?;
    let then = tdb::open_at(&uri, before)?.read().count()?;
    println!(
        "{} of {} deleted, {now} left; there were {then}",
        deletion.taken, deletion.cells
    );
    Ok(())
}
