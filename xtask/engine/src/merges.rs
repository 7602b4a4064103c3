//! Merging the fragments of planned arrays, so that TileDB can compare its reads before and after.

use std::error::Error;
use std::path::Path;

use tdb_cells::{Session, SessionOptions};
use tdb_consolidate::{MergeOptions, plan_merge};

use crate::chain::chain;
use crate::plan::Planned;

/// Memory budget in bytes, too small for all cells of an array.
const MEMORY: u64 = 4 << 20;

/// Merges the fragments of all arrays in a folder, and prints how many arrays had fragments to merge.
pub(crate) fn run(folder: &Path) -> Result<(), Box<dyn Error>> {
    let session = Session::new(SessionOptions::default().memory(Some(MEMORY)));
    let mut merged = 0;
    for planned in Planned::all(folder)? {
        let array = planned.open()?;
        let uri = format!("file://{}", planned.folder.join("array").display());
        let options = MergeOptions::default().uri(Some(uri));
        let plan = plan_merge(&array, &options)?;
        merged += u64::from(!plan.is_empty());
        plan.merge(&session, &array, &options)
            .map_err(|error| format!("{}: merge: {}", planned.folder.display(), chain(&error)))?;
    }
    println!("{merged}");
    Ok(())
}
