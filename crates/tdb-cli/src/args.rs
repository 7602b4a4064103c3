//! The command line, as plain structs.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tdb_consolidate::MergeOptions;

use crate::parse::{Moment, Size, moment, size, threads};
use crate::profile::Profile;
use crate::{cmd, machine};

/// Makes, reads and keeps TileDB arrays.
#[derive(Debug, Parser)]
#[command(
    name = "tdb",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Results go to standard output, everything else to standard error.\n\n\
    Examples:\n  tdb info fixtures/v22_tour/array\n  tdb read fixtures/v22_tour/array --limit 5"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// Options that mean the same in every verb.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// The array as of T, now by default: milliseconds since 1970, or RFC 3339
    #[arg(long, value_name = "T", global = true, value_parser = moment, allow_hyphen_values = true)]
    pub(crate) at: Option<Moment>,
    /// Only what was written from T on
    #[arg(long, value_name = "T", global = true, value_parser = moment, allow_hyphen_values = true)]
    pub(crate) since: Option<Moment>,
    /// Encryption key: a file of 32 raw bytes
    #[arg(long, value_name = "FILE", global = true, env = "TDB_KEY_FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// At most so many threads, and no more than 1024
    #[arg(long, value_name = "N", global = true, value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// At most so much memory: 200MB, 2GiB
    #[arg(long, value_name = "SIZE", global = true, value_parser = size)]
    pub(crate) memory: Option<Size>,
    /// A setting by TileDB's name; ignored ones are said
    #[arg(long, value_name = "KEY=VALUE", global = true)]
    pub(crate) config: Vec<String>,
    /// Machine-readable output of a stable shape
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Dates and times as raw 64-bit numbers
    #[arg(long, global = true)]
    pub(crate) ticks: bool,
    /// Where to write the result
    #[arg(short, long, value_name = "FILE", global = true)]
    pub(crate) output: Option<PathBuf>,
    /// What was read and decoded, and time by stage, on standard error
    #[arg(long, global = true)]
    pub(crate) profile: bool,
    /// Leave out warnings
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say what is being done
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Colours in what people read
    #[arg(long, value_name = "WHEN", global = true, value_enum, default_value_t)]
    pub(crate) color: When,
    /// When the program was started: what `--at` is by default
    #[arg(skip = machine::now())]
    pub(crate) now: Moment,
    /// How fragments are merged, as far as settings by TileDB's names say
    #[arg(skip)]
    pub(crate) merging: MergeOptions,
    /// What the verb asks of stores
    #[arg(skip)]
    pub(crate) counts: Profile,
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

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// One screen about an array or group
    Info(cmd::info::Arguments),
    /// The schema of an array
    Schema(cmd::schema::Arguments),
    /// Arrays and groups below a folder
    Ls(cmd::ls::Arguments),
    /// All arrays and groups below, as a tree
    Tree(cmd::tree::Arguments),
    /// The cells of an array
    Read(Box<cmd::read::Arguments>),
    /// The fragments of an array, one line each
    Fragments(cmd::fragments::Arguments),
    /// Cells of a file, written into an array
    Write(cmd::write::Arguments),
    /// A new array from a file, or its cells added to one
    Import(Box<cmd::import::Arguments>),
    /// The schema of an array, changed
    Evolve(cmd::evolve::Arguments),
    /// Cells that fit a condition, or fragments of a span of time, deleted
    Delete(cmd::delete::Arguments),
    /// What an array or group is stored in, merged
    Consolidate(cmd::consolidate::Arguments),
    /// What was merged, removed
    Vacuum(cmd::vacuum::Arguments),
    /// What abandoned writes have left, listed and removed
    Clean(cmd::vacuum::CleanArguments),
    /// An array or group, copied
    Cp(cmd::objects::CopyArguments),
    /// An array or group, moved
    #[command(after_help = "Example:\n  tdb mv target/weather-copy target/weather-moved")]
    Mv(cmd::objects::MoveArguments),
    /// An array or group, removed
    Rm(cmd::objects::RemoveArguments),
    /// Metadata of an array or group
    #[command(subcommand)]
    Meta(cmd::meta::Verb),
    /// A new array
    Create(cmd::create::Arguments),
    /// A group: members, and a new one
    #[command(subcommand)]
    Group(cmd::group::Verb),
    /// Any stored object, byte range by byte range, decoded
    Dump(cmd::dump::Arguments),
    /// Every filter there is
    #[command(subcommand_negates_reqs = true)]
    Filters(cmd::filters::Arguments),
}
