//! Merges fragments, and tells how far it is: `cargo run -p tdb --example progress -- target/log`

fn main() -> tdb::Result<()> {
    let uri = std::env::args().nth(1).expect("the array");
    let log = tdb::open(&uri)?.progress(|merging| {
        let (done, total) = (merging.done, merging.total);
        eprintln!("{} {done} of {total:?}", merging.activity);
    });
    let merged = log.consolidate()?;
    println!("{} new fragment", merged.fragments.len());
    Ok(())
}
