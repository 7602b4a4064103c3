//! Options that have the same meaning for all verbs.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use tdb::Time;
use tdb::engine::consolidate::MergeOptions;

use crate::file_extensions::RowFormat;
use crate::parse::{Size, moment, size, threads};
use crate::profile::Profile;

/// Options that mean the same in every verb.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// The array as of T: milliseconds since 1970, RFC 3339, a date, now or -2h [default: now]
    #[arg(id = "at", long = "at", value_name = "T", global = true, value_parser = moment, allow_hyphen_values = true)]
    pub(crate) times: Vec<Time>,
    /// Only what was written at T or later
    #[arg(long, value_name = "T", global = true, value_parser = moment, allow_hyphen_values = true)]
    pub(crate) since: Option<Time>,
    /// Encryption key: a file of 32 raw bytes
    #[arg(long, value_name = "FILE", global = true, env = "TDB_KEY_FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Maximum number of threads, up to 1024 [default: one per processor]
    #[arg(long, value_name = "N", global = true, value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Maximum memory, such as 200MB or 2GiB [default: a quarter of the machine's]
    #[arg(long, value_name = "SIZE", global = true, value_parser = size)]
    pub(crate) memory: Option<Size>,
    /// Folder for data that does not fit into memory [default: the system's temporary folder]
    #[arg(long, value_name = "FOLDER", global = true)]
    pub(crate) temp: Option<PathBuf>,
    /// A setting by its TileDB name; a setting that is ignored prints a warning
    #[arg(long, value_name = "KEY=VALUE", global = true)]
    pub(crate) config: Vec<String>,
    /// Print JSON of a stable shape
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Dates and times as raw 64-bit numbers
    #[arg(long, global = true)]
    pub(crate) ticks: bool,
    /// Write the result to this file, which appears only when it is complete
    #[arg(short, long, value_name = "FILE", global = true)]
    pub(crate) output: Option<PathBuf>,
    /// Print to standard error what was read and decoded, and the time that each stage took
    #[arg(long, global = true)]
    pub(crate) profile: bool,
    /// Suppress warnings and notes
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print what is being done
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", global = true, value_enum, default_value_t)]
    pub(crate) color: When,
    /// When the program was started: what `--at` is by default
    #[arg(skip = Time::now())]
    pub(crate) now: Time,
    /// How fragments are merged, as far as settings by TileDB's names say
    #[arg(skip)]
    pub(crate) merging: MergeOptions,
    /// How the rows of a table are written to the file of `-o`, if not as text
    #[arg(skip)]
    pub(crate) rows: Option<RowFormat>,
    /// Whether ranges that reach out of the domain are an error
    #[arg(skip)]
    pub(crate) stays_in_domain: bool,
    /// Whether times of which something can no longer be read are an error
    #[arg(skip)]
    pub(crate) whole_history: bool,
    /// Columns of files whose times had zones
    #[arg(skip)]
    pub(crate) zoned: Mutex<Vec<String>>,
    /// What the verb asks of stores
    #[arg(skip)]
    pub(crate) counts: Profile,
}

impl Global {
    /// The given time; only `diff` accepts two.
    pub(crate) fn at(&self) -> Option<Time> {
        self.times.first().copied()
    }

    /// Records columns whose times had time zones, for a note at the end.
    pub(crate) fn note_zoned(&self, columns: &[String]) {
        let mut zoned = self.zoned.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<String> = columns
            .iter()
            .filter(|name| !zoned.contains(name))
            .cloned()
            .collect();
        zoned.extend(new);
    }

    /// Notes about columns whose times had time zones.
    pub(crate) fn zone_notes(&self) -> Vec<String> {
        let zoned = self.zoned.lock().unwrap_or_else(PoisonError::into_inner);
        let notes = zoned
            .iter()
            .map(|name| format!("note: column {name:?}: times with zones are stored as UTC"));
        notes.collect()
    }
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On terminals
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
