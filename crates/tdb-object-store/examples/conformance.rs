//! Checks that a folder of an object store fulfils the contract of [`tdb_store::Store`]: `cargo run --example
//! conformance -- s3://bucket/folder`. The folder must not contain an entry called `conformance`.

use std::error::Error;

use tdb_object_store::{Runtime, Settings};
use tdb_store::conformance;

fn main() -> Result<(), Box<dyn Error>> {
    let uri = std::env::args().nth(1).ok_or("the URI of a folder")?;
    let settings = Settings::of_environment(std::env::vars_os());
    let store = tdb_object_store::open(&uri, &settings, &Runtime::start()?)?;
    conformance::check(&store)?;
    println!("{uri}: a store for tdb");
    Ok(())
}
