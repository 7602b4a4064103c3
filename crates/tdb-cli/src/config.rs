//! TileDB settings, as far as they have an equivalent in tdb.

mod names;
mod remote;

use std::num::NonZeroUsize;
use std::str::FromStr;

use tdb::engine::consolidate::{History, MergeOptions};
use tdb::engine::schema::names::UnknownName;

use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::parse::Size;
use remote::{RemoteSettings, SettingUse};

/// Number of threads.
const THREADS: [&str; 2] = ["sm.compute_concurrency_level", "sm.io_concurrency_level"];
/// Memory limits, in bytes.
const MEMORY: [&str; 2] = ["sm.mem.total_budget", "sm.memory_budget"];
/// Prefix of the settings for merging fragments.
const MERGING: &str = "sm.consolidation.";
/// How ranges outside the domain are treated.
const RANGES: &str = "sm.read_range_oob";
/// Whether a gap in the history at the time of a read is a warning or an error. This setting is tdb's own.
const HISTORY: &str = "tdb.incomplete_history";
/// Ignored: other users could read a key on the command line.
const KEY: &str = "sm.encryption_key";

/// Applies the settings to the options, which take precedence, and warns about settings without effect.
pub(crate) fn apply(global: &mut Global, out: &Output) -> Result<(), Failure> {
    let mut remote = RemoteSettings::of_environment();
    for setting in std::mem::take(&mut global.config) {
        let wrong = |what: &str| Failure::invalid(format!("--config {setting}: {what}"));
        let Some((name, value)) = setting.split_once('=') else {
            return Err(wrong("not of the form KEY=VALUE"));
        };
        if THREADS.contains(&name) {
            let threads: NonZeroUsize = value
                .parse()
                .map_err(|_| wrong("not a number of threads"))?;
            global.threads.get_or_insert(threads);
        } else if MEMORY.contains(&name) {
            let bytes: u64 = value.parse().map_err(|_| wrong("not a number of bytes"))?;
            global.memory.get_or_insert(Size(bytes));
        } else if let Some(name) = name.strip_prefix(MERGING) {
            match merging(&mut global.merging, name, value) {
                Some(true) => {}
                Some(false) => return Err(wrong("invalid value for this setting")),
                None => out.warn(&format!("{MERGING}{name} is ignored")),
            }
        } else if name == RANGES {
            global.stays_in_domain = match value {
                "error" => true,
                "warn" => false,
                _ => return Err(wrong("expected error or warn")),
            };
        } else if name == HISTORY {
            global.whole_history = match value {
                "error" => true,
                "warn" => false,
                _ => return Err(wrong("expected error or warn")),
            };
        } else if name == KEY {
            out.warn(&format!("{name} is ignored: use --key-file for the key"));
        } else {
            match remote.set(name, value) {
                SettingUse::Used => {}
                SettingUse::Unused => out.warn(&format!("{name} is ignored")),
                SettingUse::Unknown => return Err(unknown(name)),
            }
        }
    }
    remote.open_with(&global.counts);
    Ok(())
}

/// Error for a setting that TileDB does not have.
fn unknown(name: &str) -> Failure {
    let stores = RemoteSettings::names();
    let all = names::SETTINGS
        .into_iter()
        .chain(stores.iter().map(String::as_str));
    let unknown = UnknownName::new("setting", name, all);
    // Listing all names would fill the screen.
    let nearest = unknown.hint().split_once("? ").map(|(nearest, _)| nearest);
    let failure = Failure::invalid(format!("--config {name}: TileDB has no such setting"));
    match nearest {
        Some(nearest) => failure.hint(format!("{nearest}?")),
        None => failure
            .hint("settings begin with sm., vfs., rest. or ssl., such as sm.mem.total_budget"),
    }
}

/// Applies a setting for merging fragments. Returns whether the value is valid; `None` if there is no such setting.
fn merging(options: &mut MergeOptions, name: &str, value: &str) -> Option<bool> {
    let policy = &mut options.policy;
    Some(match name {
        "steps" => set(&mut policy.steps, value),
        "step_min_frags" => set(&mut policy.min_fragments, value),
        "step_max_frags" => set(&mut policy.max_fragments, value),
        "step_size_ratio" => set(&mut policy.size_ratio, value),
        "amplification" => set(&mut policy.amplification, value),
        "max_fragment_size" => {
            let mut bytes = 0;
            let is_number = set(&mut bytes, value);
            options.max_fragment_bytes = Some(bytes);
            is_number
        }
        "purge_deleted_cells" => {
            if value == "true" {
                options.history = History::WithoutDeleted;
            }
            ["true", "false"].contains(&value)
        }
        "timestamp_start" => set(&mut options.since, value),
        "timestamp_end" => {
            let mut until = 0;
            let is_number = set(&mut until, value);
            options.until = Some(until);
            is_number
        }
        _ => return None,
    })
}

fn set<T: FromStr>(place: &mut T, value: &str) -> bool {
    let Ok(value) = value.parse() else {
        return false;
    };
    *place = value;
    true
}
