//! What the ending of the file that `-o` names says of a result: a name that promises another format is refused.

use std::path::Path;

use crate::failure::Failure;
use crate::global::Global;

/// How rows are written for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFormat {
    Csv,
    JsonLines,
    Arrow,
    Parquet,
}

/// The endings of files of rows.
const ROWS: [(&str, RowFormat); 7] = [
    ("csv", RowFormat::Csv),
    ("jsonl", RowFormat::JsonLines),
    ("ndjson", RowFormat::JsonLines),
    ("arrow", RowFormat::Arrow),
    ("feather", RowFormat::Arrow),
    ("ipc", RowFormat::Arrow),
    ("parquet", RowFormat::Parquet),
];

/// Verbs that know more formats than these, and look at endings themselves; of `completions`, shells say what files are called.
const OTHERS: [&str; 5] = ["read", "head", "sample", "export", "completions"];

/// Verbs whose result is a table of rows.
const OF_ROWS: [&str; 3] = ["agg", "stats", "distinct"];

/// Verbs with an option that draws into a file of this ending.
const DRAWINGS: [(&str, &str); 3] = [("hist", "svg"), ("map", "svg"), ("show", "png")];

/// Whether JSON is asked for, by the option or by the ending of the file.
pub(crate) fn asks_for_json(global: &Global) -> bool {
    let ending = global.output.as_deref().and_then(Path::extension);
    global.json || ending.is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// Takes over what the ending of the file says: `.json` asks for JSON, and others for rows. No ending and `.txt` are the text
/// as it is shown.
///
/// # Errors
/// An ending that the verb has no format for.
pub(crate) fn apply(verb: &str, has_json: bool, global: &mut Global) -> Result<(), Failure> {
    let Some(file) = global.output.as_deref().filter(|_| !OTHERS.contains(&verb)) else {
        return Ok(());
    };
    let Some(ending) = file.extension() else {
        return Ok(());
    };
    let ending = ending.to_string_lossy().to_ascii_lowercase();
    let rows = ROWS.iter().filter(|_| OF_ROWS.contains(&verb));
    let format = rows.clone().find(|(known, _)| *known == ending);
    match (ending.as_str(), format) {
        ("txt", _) => Ok(()),
        ("json", _) if has_json => {
            global.json = true;
            Ok(())
        }
        (_, Some(_)) if global.json => {
            let what = format!("{}: --json is no .{ending} file", file.display());
            Err(Failure::invalid(what)
                .hint("the ending says the format: .json, or leave --json out"))
        }
        (_, Some((_, format))) => {
            global.rows = Some(*format);
            Ok(())
        }
        (ending, None) => {
            let mut known = vec![".txt"];
            known.extend(has_json.then_some(".json"));
            let known = known.into_iter().map(str::to_owned);
            let known = known.chain(rows.map(|(known, _)| format!(".{known}")));
            Err(refusal(verb, file, ending, &known.collect::<Vec<String>>()))
        }
    }
}

fn refusal(verb: &str, file: &Path, ending: &str, known: &[String]) -> Failure {
    let what = format!(
        "{}: {verb} writes nothing that ends with .{ending}",
        file.display()
    );
    let known = known.join(", ");
    let mut drawings = DRAWINGS.iter();
    let failure = Failure::invalid(what);
    if drawings.any(|drawing| *drawing == (verb, ending)) {
        return failure.hint(format!(
            "--{ending} FILE draws; the endings of -o are {known}"
        ));
    }
    failure.hint(format!("the endings are {known}, or none for the text"))
}
