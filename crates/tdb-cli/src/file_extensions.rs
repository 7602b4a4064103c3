//! File name extensions with `-o`: they select the output format, and a name that promises another format is refused.

use std::path::Path;

use crate::failure::Failure;

/// File formats of result rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFormat {
    Csv,
    JsonLines,
    Arrow,
    Parquet,
}

/// Extensions of row formats.
const ROWS: [(&str, RowFormat); 7] = [
    ("csv", RowFormat::Csv),
    ("jsonl", RowFormat::JsonLines),
    ("ndjson", RowFormat::JsonLines),
    ("arrow", RowFormat::Arrow),
    ("feather", RowFormat::Arrow),
    ("ipc", RowFormat::Arrow),
    ("parquet", RowFormat::Parquet),
];

/// Verbs that check extensions themselves because they have more formats. For `completions`, the shell prescribes the
/// file name.
const OTHERS: [&str; 5] = ["read", "head", "sample", "export", "completions"];

/// Verbs whose result is a table of rows.
const OF_ROWS: [&str; 3] = ["agg", "stats", "distinct"];

/// Verbs that draw into a file with this extension, by the option of the same name.
const DRAWINGS: [(&str, &str); 3] = [("hist", "svg"), ("map", "svg"), ("show", "png")];

/// Output format selected by a file name extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtensionFormat {
    /// The default: text, unless options say otherwise.
    Nothing,
    Json,
    Rows(RowFormat),
}

/// True if the extension is `.json`.
pub(crate) fn asks_for_json(file: Option<&Path>) -> bool {
    let ending = file.and_then(Path::extension);
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// Determines which format the `-o` file's extension selects for a verb. `has_json` tells whether the verb supports
/// JSON, `is_json_asked` whether `--json` was given.
///
/// # Errors
/// An extension for which the verb has no format.
pub(crate) fn asked(
    verb: &str,
    file: Option<&Path>,
    has_json: bool,
    is_json_asked: bool,
) -> Result<ExtensionFormat, Failure> {
    let file = file.filter(|_| !OTHERS.contains(&verb));
    let Some((file, ending)) = file.and_then(|file| Some((file, file.extension()?))) else {
        return Ok(ExtensionFormat::Nothing);
    };
    let ending = ending.to_string_lossy().to_ascii_lowercase();
    let rows = ROWS.iter().filter(|_| OF_ROWS.contains(&verb));
    let format = rows.clone().find(|(known, _)| *known == ending);
    match (ending.as_str(), format) {
        ("txt", _) => Ok(ExtensionFormat::Nothing),
        ("json", _) if has_json => Ok(ExtensionFormat::Json),
        (_, Some(_)) if is_json_asked => {
            let what = format!(
                "{}: --json does not match the extension .{ending}",
                file.display()
            );
            let hint = "use the extension .json, or leave out --json";
            Err(Failure::invalid(what).hint(hint))
        }
        (_, Some((_, format))) => Ok(ExtensionFormat::Rows(*format)),
        (ending, None) => {
            let mut known = vec![".txt"];
            known.extend(has_json.then_some(".json"));
            let known: Vec<String> = known
                .into_iter()
                .map(str::to_owned)
                .chain(rows.map(|(row, _)| format!(".{row}")))
                .collect();
            Err(refusal(verb, file, ending, &known))
        }
    }
}

fn refusal(verb: &str, file: &Path, ending: &str, known: &[String]) -> Failure {
    let what = format!("{}: {verb} cannot write .{ending} files", file.display());
    let known = known.join(", ");
    let mut drawings = DRAWINGS.iter();
    let failure = Failure::invalid(what);
    if drawings.any(|drawing| *drawing == (verb, ending)) {
        return failure.hint(format!(
            "--{ending} FILE draws; the endings of -o are {known}"
        ));
    }
    failure.hint(format!("known extensions: {known}; none for text"))
}
