//! Suggestions for command lines that cannot be parsed.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Verbs that are harmless to suggest for a misspelt one. They change nothing themselves; `meta` and `group` only
/// contain subcommands that do.
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

/// Options that overwrite or remove something. They are never suggested for a misspelt option.
const HARMFUL: [&str; 14] = [
    "--output",
    "--apply",
    "--png",
    "--svg",
    "--fragments",
    "--with-nulls",
    "--by-coordinates",
    "--purge-deleted",
    "--no-timestamps",
    "--drop-attr",
    "--drop-enum",
    "--vacuum",
    "--replace",
    "--remove",
];

/// Verbs of other programs, with the equivalent here. For verbs that change data, only the help is suggested.
const OTHER_WORDS: [(&str, &str); 31] = [
    (
        "cat",
        "`tdb read` prints cells, `tdb dump` decodes a stored object",
    ),
    ("print", "`tdb read` prints cells"),
    (
        "query",
        "`tdb read --where EXPR` reads the cells that match a condition",
    ),
    (
        "select",
        "`tdb read --where EXPR` reads the cells that match a condition",
    ),
    (
        "filter",
        "`tdb read --where EXPR` reads the cells that match a condition",
    ),
    (
        "grep",
        "`tdb read --where \"a like '%text%'\"` reads the cells whose text matches a pattern",
    ),
    (
        "view",
        "`tdb head` and `tdb read` print cells, `tdb show` draws",
    ),
    ("sort", "`tdb read --sort A,-B` reads cells by their values"),
    ("tail", "`tdb read --tail N` reads the last cells"),
    (
        "size",
        "`tdb layout` shows how many bytes each part takes, `tdb count` counts cells",
    ),
    (
        "stat",
        "`tdb info` shows an array, `tdb stats` summarizes its fields",
    ),
    ("history", "`tdb log` shows the history"),
    ("graph", "`tdb map`, `tdb hist` and `tdb show` draw"),
    (
        "update",
        "see `tdb help set` and `tdb help write` (--replace) to change cells",
    ),
    (
        "upsert",
        "see `tdb help write` (--replace) and `tdb help import` (--key) to replace rows",
    ),
    (
        "insert",
        "see `tdb help write` and `tdb help import` to add cells",
    ),
    ("append", "see `tdb help import` (--append) to add cells"),
    ("alter", "see `tdb help evolve` to change the schema"),
    (
        "undo",
        "see `tdb help restore` to return to an earlier state",
    ),
    (
        "revert",
        "see `tdb help restore` to return to an earlier state",
    ),
    (
        "rollback",
        "see `tdb help restore` to return to an earlier state",
    ),
    ("compact", "see `tdb help consolidate` to merge fragments"),
    (
        "optimize",
        "`tdb advise` recommends filters and tiles; see `tdb help consolidate` to merge fragments",
    ),
    ("merge", "see `tdb help consolidate` to merge fragments"),
    (
        "fsck",
        "`tdb verify` checks all that is stored, `tdb clean` lists what interrupted writes left behind",
    ),
    (
        "repair",
        "`tdb verify` finds what is damaged; `tdb read --without-fragments` reads the rest",
    ),
    ("backup", "see `tdb help cp` to copy an array"),
    ("drop", "see `tdb help rm` to remove an array"),
    (
        "remove",
        "see `tdb help rm` to remove an array, `tdb help delete` to delete cells",
    ),
    ("copy", "see `tdb help cp` to copy an array"),
    ("move", "see `tdb help mv` to move an array"),
];

/// Suggests the equivalent of another program's verb.
fn with_known_words(error: &mut clap::Error) {
    let Some(ContextValue::String(verb)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let known = OTHER_WORDS.iter().find(|(word, _)| word == verb);
    if let Some((_, tip)) = known {
        error.remove(ContextKind::SuggestedSubcommand);
        let tip = StyledStr::from(*tip);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
}

/// Suggests the equivalent of `-n`, which is the number of lines in other programs.
fn with_known_options(error: &mut clap::Error) {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    if error.kind() == ErrorKind::UnknownArgument && option == "-n" {
        let tip = "use `tdb head ARRAY N` or `tdb read ARRAY --limit N` for the first cells";
        let tips = vec![StyledStr::from(tip)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// Removes the tip to pass an unknown option as a value: it is a mistake, not a value.
fn without_values(error: &mut clap::Error) {
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested) else {
        return;
    };
    let tips: Vec<StyledStr> = tips
        .into_iter()
        .filter(|tip| !tip.to_string().starts_with("to pass"))
        .collect();
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// Returns the error without suggestions that could turn a misspelling into a change of data.
pub(crate) fn harmless(mut error: clap::Error) -> clap::Error {
    without_values(&mut error);
    with_known_words(&mut error);
    with_known_options(&mut error);
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
        // The usage line names the option as well.
        error.remove(ContextKind::Usage);
    }
    error
}
