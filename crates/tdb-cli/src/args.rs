//! The command line, as plain structs.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tdb_consolidate::MergeOptions;

use crate::cmd;
use crate::parse::{Size, moment, size, threads};
use crate::profile::Profile;
use tdb::Time;

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
    /// The array as of T: milliseconds since 1970, RFC 3339, a date, now (the default), or -2h
    #[arg(long, value_name = "T", global = true, value_parser = moment, allow_hyphen_values = true)]
    pub(crate) at: Option<Time>,
    /// Only what was written from T on
    #[arg(long, value_name = "T", global = true, value_parser = moment, allow_hyphen_values = true)]
    pub(crate) since: Option<Time>,
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
    /// A file for the result; it appears whole or not at all
    #[arg(short, long, value_name = "FILE", global = true)]
    pub(crate) output: Option<PathBuf>,
    /// Tell what was read and decoded, and time by stage, on standard error
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
    #[arg(skip = Time::now())]
    pub(crate) now: Time,
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
    /// Show an array or a group on one screen
    Info(cmd::info::Arguments),
    /// Show the schema of an array
    Schema(cmd::schema::Arguments),
    /// List arrays and groups below a folder
    Ls(cmd::ls::Arguments),
    /// Show all arrays and groups below as a tree
    Tree(cmd::tree::Arguments),
    /// Read cells of an array
    Read(Box<cmd::read::Arguments>),
    /// Show the first cells of an array
    Head(Box<cmd::read::HeadArguments>),
    /// Count the cells of an array, or of a part of it
    Count(cmd::count::Arguments),
    /// List the fragments of an array
    Fragments(cmd::fragments::Arguments),
    /// Write cells of a file into an array
    Write(cmd::write::Arguments),
    /// Make an array of a file, or add its cells to one
    Import(Box<cmd::import::Arguments>),
    /// Change the schema of an array
    Evolve(cmd::evolve::Arguments),
    /// Delete cells by a condition, or fragments by time
    Delete(cmd::delete::Arguments),
    /// Merge fragments, commits or metadata
    Consolidate(cmd::consolidate::Arguments),
    /// Remove what was merged
    Vacuum(cmd::vacuum::Arguments),
    /// List or remove what abandoned writes have left
    Clean(cmd::vacuum::CleanArguments),
    /// Copy an array or group
    Cp(cmd::objects::CopyArguments),
    /// Move an array or group
    #[command(after_help = "Example:\n  tdb mv target/weather-copy target/weather-moved")]
    Mv(cmd::objects::MoveArguments),
    /// Remove an array or group
    Rm(cmd::objects::RemoveArguments),
    /// Show or change metadata of an array or group
    #[command(subcommand)]
    Meta(cmd::meta::Verb),
    /// Create an array from a schema
    Create(cmd::create::Arguments),
    /// Show, create or change groups
    #[command(subcommand)]
    Group(cmd::group::Verb),
    /// Decode any stored object, byte range by byte range
    Dump(cmd::dump::Arguments),
    /// List all filters
    #[command(subcommand_negates_reqs = true)]
    Filters(cmd::filters::Arguments),
}
