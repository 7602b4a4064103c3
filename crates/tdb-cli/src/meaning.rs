//! Which of the options that all verbs take mean something to a verb that changes things. One that means nothing is
//! refused: whoever gives it expects something else to be done.

use crate::args::{Global, Verb};
use crate::cmd::{group, meta};
use crate::failure::Failure;

/// What a verb that changes something makes of the options of all verbs.
struct Meaning {
    verb: &'static str,
    /// Whether it happens at a time.
    at: bool,
    since: bool,
    json: bool,
    /// Whether it prints anything but messages.
    prints: bool,
}

impl Meaning {
    /// A verb that knows none of these options.
    fn none(verb: &'static str) -> Self {
        Self {
            verb,
            at: false,
            since: false,
            json: false,
            prints: false,
        }
    }

    /// A verb that changes what is as of a time; `--since` is refused with a hint of its own.
    fn timed(verb: &'static str) -> Self {
        Self {
            at: true,
            since: true,
            ..Self::none(verb)
        }
    }

    fn prints(self, prints: bool) -> Self {
        Self { prints, ..self }
    }

    /// `None` for verbs that describe.
    fn of(verb: &Verb) -> Option<Self> {
        Some(match verb {
            Verb::Create(_) => Self::timed("create"),
            Verb::Write(_) => Self::timed("write"),
            Verb::Import(arguments) => Self {
                json: arguments.dry_run,
                ..Self::timed("import").prints(arguments.dry_run)
            },
            Verb::Evolve(_) => Self::timed("evolve"),
            Verb::Delete(arguments) => {
                let prints = arguments.dry_run || arguments.fragments;
                Self::timed("delete").prints(prints)
            }
            Verb::Consolidate(_) => Self::timed("consolidate").prints(true),
            Verb::Vacuum(_) => Self::none("vacuum").prints(true),
            Verb::Clean(_) => Self::none("clean").prints(true),
            Verb::Cp(arguments) => Self::none("cp").prints(arguments.dry_run),
            Verb::Mv(arguments) => Self::none("mv").prints(arguments.dry_run),
            Verb::Rm(arguments) => Self::none("rm").prints(arguments.dry_run),
            Verb::Meta(meta::Verb::Set(_)) => Self::timed("meta set"),
            Verb::Meta(meta::Verb::Rm(_)) => Self::timed("meta rm"),
            Verb::Group(group::Verb::Create(_)) => Self::timed("group create"),
            Verb::Group(group::Verb::Add(_)) => Self::timed("group add"),
            Verb::Group(group::Verb::Rm(_)) => Self::timed("group rm"),
            _ => return None,
        })
    }
}

/// Fails where an option means nothing to a verb that changes something; says whether it is one.
pub(crate) fn check(verb: &Verb, global: &Global) -> Result<bool, Failure> {
    let Some(meaning) = Meaning::of(verb) else {
        return Ok(false);
    };
    let verb = meaning.verb;
    let refused = |option: &str| Failure::invalid(format!("{option} means nothing to {verb}"));
    if global.at.is_some() && !meaning.at {
        return Err(refused("--at"));
    }
    if global.since.is_some() && !meaning.since {
        return Err(refused("--since"));
    }
    // A profile is printed as JSON, too.
    if global.json && !meaning.json && !global.profile {
        return Err(refused("--json"));
    }
    if global.output.is_some() && !meaning.prints {
        return Err(refused("-o").hint("there is no result to write to a file"));
    }
    Ok(true)
}
