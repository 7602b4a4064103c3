//! The command line, as plain structs.

use crate::cmd;
use crate::global::Global;
use clap::{Parser, Subcommand};

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
    /// Work out sums, means, least and greatest values, for all cells or by group
    #[command(alias = "aggregate")]
    Agg(cmd::agg::Arguments),
    /// Summarize each field: nulls, values, least, greatest, mean, quartiles
    #[command(aliases = ["describe", "summary", "summarize"])]
    Stats(cmd::stats::Arguments),
    /// Draw how the values of a field are spread
    Hist(cmd::hist::Arguments),
    /// List the values that fields have
    #[command(alias = "unique")]
    Distinct(cmd::agg::DistinctArguments),
    /// Ask arrays in SQL: select, join, insert, delete
    Sql(cmd::sql::Arguments),
    /// Tell which tiles a read takes, and why the others fall out
    #[command(alias = "plan")]
    Explain(cmd::explain::Arguments),
    /// Show what the bytes of an array are spent on
    #[command(alias = "du")]
    Layout(cmd::layout::Arguments),
    /// Show where fragments and tiles lie
    Map(cmd::map::Arguments),
    /// Say which filters would serve an array better
    Advise(cmd::advise::Arguments),
    /// Draw two dimensions of a dense array
    #[command(aliases = ["draw", "plot"])]
    Show(Box<cmd::show::Arguments>),
    /// Decode all of an array, and list what cannot be
    #[command(aliases = ["validate", "check"])]
    Verify(cmd::verify::Arguments),
    /// Show the cells in which an array differs between two times
    Diff(Box<cmd::compare::DiffArguments>),
    /// Show the cells in which two arrays differ
    Compare(Box<cmd::compare::Arguments>),
    /// Tell what happened to an array or a group
    Log(cmd::log::Arguments),
    /// List the fragments of an array
    Fragments(cmd::fragments::Arguments),
    /// Write cells of a file into an array
    Write(cmd::write::Arguments),
    /// Make an array of a file, or add its cells to one
    Import(Box<cmd::import::Arguments>),
    /// Change the schema of an array
    Evolve(cmd::evolve::Arguments),
    /// Change the values of cells
    Set(cmd::set::Arguments),
    /// Make an array what it was at an earlier time
    Restore(cmd::restore::Arguments),
    /// Make an array anew, with other tiles, filters, orders or fields
    Rewrite(Box<cmd::rewrite::Arguments>),
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
    /// List all filters, or try them on a field
    Filters(cmd::filters::Arguments),
    /// Say where a URI leads, and what can be done there
    Doctor(cmd::doctor::Arguments),
    /// Do parts of queries that are asked on other machines
    Worker(cmd::worker::Arguments),
    /// Print what makes a shell complete verbs and options
    Completions(cmd::completions::Arguments),
    /// Write the manual pages
    Man(cmd::completions::ManArguments),
}
