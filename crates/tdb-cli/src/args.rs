//! The command line as structs.

use crate::cmd;
use crate::global::Global;
use clap::{Parser, Subcommand};

/// Creates, reads, writes and maintains TileDB arrays.
#[derive(Debug, Parser)]
#[command(
    name = "tdb",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Examples:\n  tdb info fixtures/v22_tour/array\n  tdb read fixtures/v22_tour/array --limit 5"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Show an array or a group on one screen
    Info(cmd::info::Arguments),
    /// Show the schema of an array
    Schema(cmd::schema::Arguments),
    /// List arrays and groups below a folder
    #[command(alias = "list")]
    Ls(cmd::ls::Arguments),
    /// Show all arrays and groups below as a tree
    Tree(cmd::tree::Arguments),
    /// Read cells of an array
    Read(Box<cmd::read::Arguments>),
    /// Show the first cells of an array
    Head(Box<cmd::read::HeadArguments>),
    /// Show cells chosen at random
    Sample(Box<cmd::read::SampleArguments>),
    /// Write cells of an array to a file
    Export(Box<cmd::read::ExportArguments>),
    /// Count the cells of an array, or of a part of it
    Count(cmd::count::Arguments),
    /// Compute counts, sums, means, minima and maxima, of all cells or by group
    #[command(alias = "aggregate")]
    Agg(cmd::agg::Arguments),
    /// Summarize each field: nulls, distinct values, minimum, maximum, mean, quartiles
    #[command(aliases = ["describe", "summary", "summarize"])]
    Stats(cmd::stats::Arguments),
    /// Draw a histogram of a field
    Hist(cmd::hist::Arguments),
    /// List the distinct values of fields
    #[command(alias = "unique")]
    Distinct(cmd::agg::DistinctArguments),
    /// Query and change arrays in SQL
    Sql(cmd::sql::Arguments),
    /// Show which tiles a read decodes, and why it skips the others
    #[command(alias = "plan")]
    Explain(cmd::explain::Arguments),
    /// Show how many bytes fields, fragments and metadata take
    #[command(alias = "du")]
    Layout(cmd::layout::Arguments),
    /// Show where fragments and tiles lie in the domain
    Map(cmd::map::Arguments),
    /// Try filters and tiles, and recommend those that suit an array
    Advise(cmd::advise::Arguments),
    /// Draw two dimensions of a dense array
    #[command(aliases = ["draw", "plot"])]
    Show(Box<cmd::show::Arguments>),
    /// Decode all of an array, and list what is damaged
    #[command(aliases = ["validate", "check"])]
    Verify(cmd::verify::Arguments),
    /// Show the cells in which an array differs between two times
    Diff(Box<cmd::compare::DiffArguments>),
    /// Show the cells in which two arrays differ
    Compare(Box<cmd::compare::Arguments>),
    /// Show the history of an array or a group
    Log(cmd::log::Arguments),
    /// List the fragments of an array
    Fragments(cmd::fragments::Arguments),
    /// Write cells of a file into an array
    Write(cmd::write::Arguments),
    /// Create an array from a file, or append its rows to one
    Import(Box<cmd::import::Arguments>),
    /// Change the schema of an array
    Evolve(cmd::evolve::Arguments),
    /// Change the values of cells
    Set(cmd::set::Arguments),
    /// Restore an array to what it was at an earlier time
    Restore(cmd::restore::Arguments),
    /// Copy an array into one with other tiles, filters, orders, fields or key
    Rewrite(Box<cmd::rewrite::Arguments>),
    /// Delete cells by a condition, or fragments by time
    Delete(cmd::delete::Arguments),
    /// Merge fragments, commits or metadata
    Consolidate(cmd::consolidate::Arguments),
    /// Remove fragments and objects that a merge replaced
    Vacuum(cmd::vacuum::Arguments),
    /// List or remove what interrupted writes left behind
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
    /// List all filters, or try them on a field
    Filters(cmd::filters::Arguments),
    /// Show which store a URI leads to, by which settings, and what works there
    Doctor(cmd::doctor::Arguments),
    /// Answer parts of queries that clients on other machines ask
    Worker(cmd::worker::Arguments),
    /// Print a completion script for a shell
    Completions(cmd::completions::Arguments),
    /// Write the manual pages
    Man(cmd::completions::ManArguments),
}
