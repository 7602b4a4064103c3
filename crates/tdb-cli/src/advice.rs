//! What is said of a command line that cannot be read.

use clap::error::{ContextKind, ContextValue};

/// Verbs that change nothing, or only hold such that do: the others are never offered for a misspelt one.
const HARMLESS: [&str; 30] = [
    "explain",
    "advise",
    "map",
    "info",
    "schema",
    "ls",
    "tree",
    "read",
    "head",
    "sample",
    "hist",
    "count",
    "agg",
    "distinct",
    "verify",
    "stats",
    "show",
    "layout",
    "completions",
    "log",
    "diff",
    "compare",
    "fragments",
    "dump",
    "filters",
    "meta",
    "group",
    "get",
    "help",
    "version",
];

/// Options that overwrite or remove something: never offered for a misspelt one.
const HARMFUL: [&str; 13] = [
    "--output",
    "--apply",
    "--png",
    "--svg",
    "--fragments",
    "--with-nulls",
    "--purge-deleted",
    "--no-timestamps",
    "--drop-attr",
    "--drop-enum",
    "--vacuum",
    "--replace",
    "--remove",
];

/// The error without advice that leads from a misspelt word to a change.
pub(crate) fn harmless(mut error: clap::Error) -> clap::Error {
    if let Some(advice) = error.remove(ContextKind::SuggestedSubcommand) {
        let names = match advice {
            ContextValue::Strings(names) => names,
            ContextValue::String(name) => vec![name],
            _ => Vec::new(),
        };
        let is_harmless = |name: &String| HARMLESS.contains(&name.as_str());
        let names: Vec<String> = names.into_iter().filter(is_harmless).collect();
        if names.is_empty() {
            error.remove(ContextKind::Suggested);
        } else {
            error.insert(
                ContextKind::SuggestedSubcommand,
                ContextValue::Strings(names),
            );
        }
    }
    let is_harmful = match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(name)) => HARMFUL.iter().any(|harmful| name.contains(harmful)),
        _ => false,
    };
    if is_harmful {
        error.remove(ContextKind::SuggestedArg);
        // The option was in there, too.
        error.remove(ContextKind::Usage);
    }
    error
}
