//! Opening arrays, with or without reading their metadata, and reading only their schema.

use serde_json::{Value, json};
use tdb_array::{OpenOptions, StoredSchema};

use crate::meter::{memory_at, timed};
use crate::outcome::Result;
use crate::place::{key_of, location, open};
use crate::workload::{Kind, Workload};

pub(crate) fn run(workload: &Workload) -> Result<Value> {
    let before = memory_at("VmRSS:")?;
    let key = key_of(workload)?;
    let once = || {
        let mut values = 0;
        for _ in 0..workload.times {
            if workload.kind == Kind::Schema {
                let location = location(&workload.array, key.as_ref())?;
                StoredSchema::open(&location, OpenOptions::default())?;
                continue;
            }
            let array = open(&workload.array, key.as_ref())?;
            if workload.kind == Kind::Metadata {
                values += array.metadata()?.iter().count() as u64;
            }
        }
        Ok((values, ()))
    };
    once()?;
    let mut said = timed(workload, before, || Ok(()), once)?
        .as_object()
        .cloned()
        .ok_or("no object")?;
    said.insert("sums".into(), json!({}));
    Ok(said.into())
}
