//! Which global options apply to which verb. Options that do not apply are hidden in the verb's help and refused,
//! since a user who gives one expects an effect.

use clap::builder::Arg;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory};

use crate::args::{Cli, Verb};
use crate::cmd::{group, meta};
use crate::failure::Failure;
use crate::file_extensions::{self, ExtensionFormat};
use crate::global::Global;
use crate::overview::with_overview;

/// A verb, and the global options that apply to it.
struct Meaning {
    verb: &'static str,
    options: &'static [&'static str],
    is_change: bool,
}

/// Options that apply to all verbs: they affect how a verb works, not what it does.
const ALWAYS: [&str; 5] = ["config", "profile", "quiet", "verbose", "color"];

/// Verbs for which `--at` ends a time window instead of being the time of the change.
const OF_WINDOWS: [&str; 2] = ["consolidate", "delete"];

const CHANGE_TIME: &str =
    "Time of the change: milliseconds since 1970, RFC 3339, a date, now or -2h [default: now]";

const fn look(verb: &'static str, options: &'static [&'static str]) -> Meaning {
    Meaning {
        verb,
        options,
        is_change: false,
    }
}

const fn change(verb: &'static str, options: &'static [&'static str]) -> Meaning {
    Meaning {
        verb,
        options,
        is_change: true,
    }
}

#[rustfmt::skip]
const VERBS: [Meaning; 52] = [
    look("info", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("schema", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("ls", &["at", "since", "key_file", "threads", "memory", "json", "output"]),
    look("tree", &["at", "since", "key_file", "threads", "memory", "json", "output"]),
    look("read", &["at", "since", "key_file", "threads", "memory", "temp", "json", "ticks", "output"]),
    look("head", &["at", "since", "key_file", "threads", "memory", "temp", "json", "ticks", "output"]),
    look("count", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("agg", &["at", "since", "key_file", "threads", "memory", "temp", "json", "ticks", "output"]),
    look("stats", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("distinct", &["at", "since", "key_file", "threads", "memory", "temp", "json", "ticks", "output"]),
    look("verify", &["at", "since", "key_file", "threads", "memory", "json", "output"]),
    look("explain", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("layout", &["at", "since", "key_file", "threads", "memory", "json", "output"]),
    look("doctor", &["json", "output"]),
    look("worker", &["key_file", "threads", "memory"]),
    look("completions", &["output"]),
    look("man", &[]),
    look("export", &["at", "since", "key_file", "threads", "memory", "temp", "ticks"]),
    look("fragments", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("sample", &["at", "since", "key_file", "threads", "memory", "temp", "json", "ticks", "output"]),
    look("hist", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("log", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("diff", &["at", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("compare", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("meta ls", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("meta get", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("group ls", &["at", "since", "key_file", "threads", "memory", "json", "output"]),
    look("dump", &["key_file", "threads", "memory", "ticks", "output"]),
    look("show", &["at", "since", "key_file", "threads", "memory", "json", "ticks", "output"]),
    look("filters", &["json", "output"]),
    look("filters try", &["at", "since", "key_file", "threads", "memory", "json", "output"]),
    look("map", &["at", "since", "key_file", "threads", "memory", "json", "output"]),
    look("advise", &["at", "since", "key_file", "threads", "memory", "json", "output"]),
    change("create", &["at", "key_file", "threads", "memory", "json", "output"]),
    change("write", &["at", "key_file", "threads", "memory", "temp", "json", "ticks", "output"]),
    change("import", &["at", "key_file", "threads", "memory", "temp", "json", "ticks", "output"]),
    change("evolve", &["at", "key_file", "threads", "memory", "json", "output"]),
    change("set", &["at", "key_file", "threads", "memory", "json", "ticks", "output"]),
    change("restore", &["at", "key_file", "threads", "memory", "json", "output"]),
    change("rewrite", &["at", "key_file", "threads", "memory", "temp", "json", "output"]),
    change("delete", &["at", "since", "key_file", "threads", "memory", "json", "output"]),
    change("consolidate", &["at", "since", "key_file", "threads", "memory", "json", "output"]),
    change("vacuum", &["key_file", "threads", "memory", "json", "output"]),
    change("clean", &["key_file", "threads", "memory", "json", "output"]),
    change("cp", &["key_file", "threads", "memory", "json", "output"]),
    change("mv", &["key_file", "threads", "memory", "json", "output"]),
    change("rm", &["key_file", "threads", "memory", "json", "output"]),
    change("meta set", &["at", "key_file", "threads", "memory", "json", "output"]),
    change("meta rm", &["at", "key_file", "threads", "memory", "json", "output"]),
    change("group create", &["at", "key_file", "threads", "memory", "json", "output"]),
    change("group add", &["at", "key_file", "threads", "memory", "json", "output"]),
    change("group rm", &["at", "key_file", "threads", "memory", "json", "output"]),
];

impl Meaning {
    fn of(verb: &str) -> Option<&'static Self> {
        VERBS.iter().find(|meaning| meaning.verb == verb)
    }

    fn knows(&self, option: &str) -> bool {
        ALWAYS.contains(&option) || self.options.contains(&option)
    }

    /// Returns an option with the help text for this verb.
    fn told(&self, arg: &Arg) -> Arg {
        let help = match arg.get_id().as_str() {
            "at" if OF_WINDOWS.contains(&self.verb) => "Only what was written up to T",
            "at" if self.is_change => CHANGE_TIME,
            _ => return arg.clone(),
        };
        arg.clone().help(help)
    }
}

/// The command line, with the global options that do not apply to a verb hidden in its help.
pub(crate) fn command() -> Command {
    let whole = Cli::command();
    let shared: Vec<Arg> = whole
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .cloned()
        .collect();
    with_overview(narrowed(whole, "", &shared))
}

/// The command line in which each verb has only the options that apply to it, for completions and manual pages.
pub(crate) fn exact() -> Command {
    let mut whole = Cli::command();
    let shared: Vec<Arg> = whole
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .cloned()
        .map(|arg| arg.global(false))
        .collect();
    for arg in &shared {
        let id = arg.get_id().clone();
        whole = whole.mut_arg(id, |arg| arg.global(false));
    }
    let mut whole = with_meant(whole, "", &shared).disable_help_subcommand(true);
    whole.build();
    whole
}

/// Adds the applicable global options to all verbs below `above`.
fn with_meant(command: Command, above: &str, shared: &[Arg]) -> Command {
    command.mut_subcommands(|verb| {
        let path = format!("{above} {}", verb.get_name());
        let name = path.trim_start();
        let verb = if verb.has_subcommands() {
            let verb = with_meant(verb, name, shared).disable_help_subcommand(true);
            if Meaning::of(name).is_none() {
                return verb;
            }
            verb
        } else {
            verb
        };
        let Some(meaning) = Meaning::of(name) else {
            return verb.args(shared);
        };
        let meant = shared
            .iter()
            .filter(|arg| meaning.knows(arg.get_id().as_str()));
        verb.args(meant.map(|arg| meaning.told(arg)))
    })
}

/// Hides the options that do not apply in the help of all verbs below `above`.
fn narrowed(command: Command, above: &str, shared: &[Arg]) -> Command {
    command.mut_subcommands(|verb| {
        let path = format!("{above} {}", verb.get_name());
        let name = path.trim_start();
        let verb = if verb.has_subcommands() {
            narrowed(verb, name, shared)
        } else {
            verb
        };
        let Some(meaning) = Meaning::of(name) else {
            return verb;
        };
        // Hiding is inherited by subcommands, so each verb sets it again for all options.
        let args = shared.iter().map(|arg| {
            let is_known = meaning.knows(arg.get_id().as_str());
            meaning.told(arg).hide(!is_known)
        });
        verb.args(args)
    })
}

/// Name of the verb, with its subcommand if any: `meta set`.
fn verb_of(matches: &ArgMatches) -> String {
    let mut names = Vec::new();
    let mut below = matches.subcommand();
    while let Some((name, matches)) = below {
        names.push(name);
        below = matches.subcommand();
    }
    names.join(" ")
}

/// Fails if an option was given that does not apply to the verb; returns whether the verb changes something. Applies
/// the format that the `-o` file's extension selects.
pub(crate) fn check(
    matches: &ArgMatches,
    verb: &Verb,
    global: &mut Global,
) -> Result<bool, Failure> {
    let name = verb_of(matches);
    if global.times.len() > 1 && name != "diff" {
        let failure = Failure::invalid("--at is given more than once");
        return Err(failure.hint("use tdb diff to compare an array at two times"));
    }
    let Some(meaning) = Meaning::of(&name) else {
        return Ok(false);
    };
    let given = |option: &str| matches.value_source(option) == Some(ValueSource::CommandLine);
    let command = Cli::command();
    let mut shared = command.get_arguments().filter(|arg| arg.is_global_set());
    let refused = shared.find(|arg| {
        let option = arg.get_id().as_str();
        // With `--profile`, `--json` affects the format of the profile.
        let is_for_profile = option == "json" && global.profile;
        given(option) && !meaning.knows(option) && !is_for_profile
    });
    if let Some(arg) = refused {
        return Err(refusal(arg, meaning));
    }
    check_file(&name, verb, meaning, global)?;
    if global.json
        && !global.profile
        && let Some(option) = speaks_only_with(verb)
    {
        let failure = Failure::invalid(format!(
            "--json cannot be used with {name} without {option}"
        ));
        return Err(failure.hint(format!("add {option}")));
    }
    Ok(meaning.is_change)
}

/// Fails if the verb has no output for the `-o` file, or not in the format of its extension; applies that format.
fn check_file(
    name: &str,
    verb: &Verb,
    meaning: &Meaning,
    global: &mut Global,
) -> Result<(), Failure> {
    let file = global.output.as_deref();
    let asks_for_json = global.json || file_extensions::asks_for_json(file);
    if global.output.is_some() && is_silent(verb) {
        return Err(Failure::invalid(format!("-o cannot be used with {name}")).hint(NO_RESULT));
    }
    if global.output.is_some() && !asks_for_json && is_silent_without_json(verb) {
        let failure = Failure::invalid(format!("-o cannot be used with {name} without --json"));
        return Err(
            failure.hint("add --json; without it, the result is only a message on the terminal")
        );
    }
    match file_extensions::asked(name, file, meaning.knows("json"), global.json)? {
        ExtensionFormat::Nothing => {}
        ExtensionFormat::Json => global.json = true,
        ExtensionFormat::Rows(format) => global.rows = Some(format),
    }
    Ok(())
}

const NO_RESULT: &str = "there is no result to write to a file";

fn refusal(arg: &Arg, meaning: &Meaning) -> Failure {
    let verb = meaning.verb;
    let long = arg.get_long().unwrap_or("");
    let failure = |option: &str| Failure::invalid(format!("{option} cannot be used with {verb}"));
    match long {
        "output" if verb == "export" => failure("-o").hint("the cells are written to FILE"),
        "output" => failure("-o").hint(NO_RESULT),
        "at" if verb == "cp" => {
            failure("--at").hint("use tdb rewrite A B --at T to copy an array as of a time")
        }
        "since" if meaning.knows("at") => {
            failure("--since").hint("use --at to set the time of the change")
        }
        "json" if verb == "dump" => failure("--json")
            .hint("use tdb info, schema, fragments or meta ls to describe an array as JSON"),
        long => failure(&format!("--{long}")),
    }
}

/// The missing option without which the verb has no JSON output.
fn speaks_only_with(verb: &Verb) -> Option<&'static str> {
    match verb {
        Verb::Import(arguments) if !arguments.dry_run => Some("--dry-run"),
        _ => None,
    }
}

/// True if the verb, with these arguments, prints only messages.
fn is_silent(verb: &Verb) -> bool {
    match verb {
        Verb::Import(arguments) => !arguments.dry_run,
        Verb::Cp(arguments) => !arguments.dry_run,
        Verb::Mv(arguments) => !arguments.dry_run,
        Verb::Rm(arguments) => !arguments.dry_run,
        _ => false,
    }
}

/// True if the verb, with these arguments, prints only messages unless `--json` is given.
fn is_silent_without_json(verb: &Verb) -> bool {
    match verb {
        Verb::Create(_) => true,
        Verb::Write(arguments) => !(arguments.replace || arguments.dry_run),
        Verb::Evolve(arguments) => !arguments.dry_run,
        Verb::Meta(verb) => match verb {
            meta::Verb::Ls(_) | meta::Verb::Get(_) => false,
            meta::Verb::Set(_) => true,
            meta::Verb::Rm(arguments) => !arguments.dry_run,
        },
        Verb::Group(verb) => match verb {
            group::Verb::Ls(_) => false,
            group::Verb::Create(_) | group::Verb::Add(_) => true,
            group::Verb::Rm(arguments) => !arguments.dry_run,
        },
        _ => false,
    }
}
