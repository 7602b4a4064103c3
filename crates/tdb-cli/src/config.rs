//! TileDB's settings, as far as they mean something here.

use std::num::NonZeroUsize;

use crate::args::Global;
use crate::failure::Failure;
use crate::output::Output;
use crate::parse::Size;

/// The number of threads.
const THREADS: [&str; 2] = ["sm.compute_concurrency_level", "sm.io_concurrency_level"];
/// Bytes of memory.
const MEMORY: [&str; 2] = ["sm.mem.total_budget", "sm.memory_budget"];
/// A key on the command line could be read by others.
const KEY: &str = "sm.encryption_key";

/// Takes the settings that mean something over into the options, which win, and says which
/// others have no effect.
pub(crate) fn apply(global: &mut Global, out: &Output) -> Result<(), Failure> {
    for setting in std::mem::take(&mut global.config) {
        let wrong = |what: &str| Failure::invalid(format!("--config {setting}: {what}"));
        let Some((name, value)) = setting.split_once('=') else {
            return Err(wrong("not of the form KEY=VALUE"));
        };
        if THREADS.contains(&name) {
            let threads: NonZeroUsize = value.parse().map_err(|_| wrong("no number of threads"))?;
            global.threads.get_or_insert(threads);
        } else if MEMORY.contains(&name) {
            let bytes: u64 = value.parse().map_err(|_| wrong("no number of bytes"))?;
            global.memory.get_or_insert(Size(bytes));
        } else if name == KEY {
            out.warn(&format!("{name} is ignored: --key-file gives the key"));
        } else {
            out.warn(&format!("{name} is ignored"));
        }
    }
    Ok(())
}
