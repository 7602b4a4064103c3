#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod advice;
mod applicable_options;
mod args;
mod cmd;
mod config;
mod context;
mod failure;
mod file_extensions;
mod global;
mod interrupt;
mod machine;
mod names;
mod open;
mod output;
mod overview;
mod paint;
mod panics;
mod parse;
mod profile;
mod request_file;
mod svg;
mod value_format;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches};
use tdb::Stores;

use crate::args::{Cli, Verb};
use crate::failure::Failure;
use crate::global::{Global, When};
use crate::output::Output;

fn main() -> ExitCode {
    panics::listen();
    let look = output::on_screen(output::messages(When::Auto));
    panics::noticed(program, &mut io::stderr(), look).into()
}

/// Runs the command line and returns the exit status.
fn program() -> u8 {
    let matches = applicable_options::command().try_get_matches();
    let parsed = matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => advice::harmless(error).exit(),
    };
    let messages = output::messages(cli.global.color);
    let json = cli.global.json;
    let counts = cli.global.counts.clone();
    let (quiet, is_profiled) = (cli.global.quiet, cli.global.profile);
    let result = counts.stage("all", || run(cli, &matches));
    if let Some(warning) = counts.warning().filter(|_| !quiet) {
        output::warn(messages, &warning);
    }
    if !quiet {
        for note in counts.notes() {
            output::note(messages, &note);
        }
    }
    if is_profiled {
        // If standard error is closed, there is nowhere left to report that.
        let _ = if json {
            counts.write_json(&mut io::stderr())
        } else {
            counts.write(&mut io::stderr(), messages)
        };
    }
    match result {
        Ok(()) => 0,
        Err(_) if interrupt::is_told() => interrupt::STATUS,
        Err(failure) => {
            // If standard error is closed, there is nowhere left to report that.
            let _ = failure.write(&mut io::stderr(), output::on_screen(messages));
            failure.status()
        }
    }
}

fn run(cli: Cli, matches: &ArgMatches) -> Result<(), Failure> {
    let Cli { verb, mut global } = cli;
    let is_change = applicable_options::check(matches, &verb, &mut global)?;
    if let Verb::Export(arguments) = &verb
        && !arguments.is_folder()
    {
        global.output = Some(arguments.file.clone());
    }
    let what = left_by_interrupt(&verb, is_change);
    interrupt::listen(what, output::messages(global.color));
    let (out, file) = Output::begin(&global)?;
    config::apply(&mut global, &out)?;
    let to = match &verb {
        Verb::Restore(arguments) => Some(arguments.to),
        _ => None,
    };
    for (option, moment) in [
        ("--at", global.at()),
        ("--since", global.since),
        ("--to", to),
    ] {
        if let Some(hint) = parse::number_hint(option, moment) {
            out.warn(&hint);
        }
    }
    let is_written = carry_out(verb, &global, out)?;
    // A change without output neither creates nor replaces the file.
    match file {
        Some(file) if is_written || !is_change => Ok(file.finish()?),
        _ => Ok(()),
    }
}

/// Messages for an interruption of the verb.
fn left_by_interrupt(verb: &Verb, is_change: bool) -> interrupt::InterruptMessages {
    let text = match verb {
        Verb::Rm(_) | Verb::Vacuum(_) | Verb::Clean(_) => {
            "interrupted: run the same command again to remove the rest"
        }
        Verb::Rewrite(_) => "interrupted: run the same command again to continue",
        _ if is_change => "interrupted: no change is left half done",
        _ => "interrupted",
    };
    // All other changes are atomic, however the program ends.
    let unnoticed = match verb {
        Verb::Import(_) => {
            "interrupted: the array is incomplete; run the same import again, or remove it with tdb rm"
        }
        Verb::Cp(_) | Verb::Mv(_) => {
            "interrupted: an incomplete copy may remain; remove it with tdb rm"
        }
        _ => text,
    };
    interrupt::InterruptMessages { text, unnoticed }
}

/// Runs the verb. Returns whether it has written output.
fn carry_out(verb: Verb, global: &Global, mut output: Output) -> Result<bool, Failure> {
    let out = &mut output;
    match verb {
        Verb::Info(arguments) => cmd::info::run(&arguments, global, out),
        Verb::Schema(arguments) => cmd::schema::run(&arguments, global, out),
        Verb::Ls(arguments) => cmd::ls::run(&arguments, global, out),
        Verb::Tree(arguments) => cmd::tree::run(&arguments, global, out),
        Verb::Read(arguments) => {
            return cmd::read::run(*arguments, global, output).map(|()| true);
        }
        Verb::Sql(arguments) => {
            return cmd::sql::run(&arguments, global, output).map(|()| true);
        }
        Verb::Head(arguments) => {
            return cmd::read::head(*arguments, global, output).map(|()| true);
        }
        Verb::Sample(arguments) => {
            return cmd::read::sample(*arguments, global, output).map(|()| true);
        }
        Verb::Export(arguments) => {
            return cmd::read::export(*arguments, global, output).map(|()| true);
        }
        Verb::Agg(arguments) => cmd::agg::run(&arguments, global, out),
        Verb::Stats(arguments) => cmd::stats::run(&arguments, global, out),
        Verb::Hist(arguments) => cmd::hist::run(&arguments, global, out),
        Verb::Distinct(arguments) => cmd::agg::distinct(&arguments, global, out),
        Verb::Explain(arguments) => cmd::explain::run(&arguments, global, out),
        Verb::Map(arguments) => cmd::map::run(&arguments, global, out),
        Verb::Layout(arguments) => cmd::layout::run(&arguments, global, out),
        Verb::Show(arguments) => cmd::show::run(&arguments, global, out),
        Verb::Verify(arguments) => cmd::verify::run(&arguments, global, out),
        Verb::Log(arguments) => cmd::log::run(&arguments, global, out),
        Verb::Diff(arguments) => cmd::compare::diff(&arguments, global, out),
        Verb::Compare(arguments) => cmd::compare::run(&arguments, global, out),
        Verb::Count(arguments) => cmd::count::run(&arguments, global, out),
        Verb::Fragments(arguments) => cmd::fragments::run(&arguments, global, out),
        Verb::Create(arguments) => cmd::create::run(&arguments, global, out),
        Verb::Write(arguments) => cmd::write::run(&arguments, global, out),
        Verb::Import(arguments) => cmd::import::run(&arguments, global, out),
        Verb::Evolve(arguments) => cmd::evolve::run(&arguments, global, out),
        Verb::Set(arguments) => cmd::set::run(&arguments, global, out),
        Verb::Restore(arguments) => cmd::restore::run(&arguments, global, out),
        Verb::Rewrite(arguments) => cmd::rewrite::run(&arguments, global, out),
        Verb::Delete(arguments) => cmd::delete::run(&arguments, global, out),
        Verb::Consolidate(arguments) => cmd::consolidate::run(&arguments, global, out),
        Verb::Vacuum(arguments) => cmd::vacuum::run(&arguments, global, out),
        Verb::Clean(arguments) => cmd::vacuum::clean(&arguments, global, out),
        Verb::Cp(arguments) => cmd::objects::copy(&arguments, global, out),
        Verb::Mv(arguments) => cmd::objects::rename(&arguments, global, out),
        Verb::Rm(arguments) => cmd::objects::remove(&arguments, global, out),
        Verb::Meta(verb) => cmd::meta::run(&verb, global, out),
        Verb::Group(verb) => cmd::group::run(&verb, global, out),
        Verb::Dump(arguments) => cmd::dump::run(&arguments, global, out),
        Verb::Advise(arguments) => cmd::advise::run(&arguments, global, out),
        Verb::Filters(arguments) => cmd::filters::run(&arguments, global, out),
        Verb::Doctor(arguments) => cmd::doctor::run(&arguments, global, out),
        Verb::Worker(arguments) => cmd::worker::run(&arguments, global, out),
        Verb::Completions(arguments) => {
            cmd::completions::run(&arguments, applicable_options::exact(), out)
        }
        Verb::Man(arguments) => cmd::completions::man(&arguments, applicable_options::exact()),
    }?;
    for note in global.zone_notes() {
        output.note(&note);
    }
    output.flush()?;
    Ok(output.is_written)
}
