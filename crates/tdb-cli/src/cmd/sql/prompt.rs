//! The interactive prompt, with history and completion.

use std::env;
use std::io::Write;
use std::path::PathBuf;

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Context, Editor, Helper, Highlighter, Hinter, Validator};
use tdb::ErrorKind;

use super::statements::Statements;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{self, Output};

/// Words offered for completion.
const WORDS: &[&str] = &[
    "select",
    "from",
    "where",
    "group by",
    "order by",
    "limit",
    "join",
    "having",
    "with",
    "union all",
    "distinct",
    "count(*)",
    "sum(",
    "avg(",
    "min(",
    "max(",
    "between",
    "is null",
    "is not null",
    "like",
    "insert into",
    "delete from",
    "values",
    "create external table",
    "stored as tiledb location",
    "copy",
    "explain",
    "describe",
    "show tables",
];

/// Maximum number of statements in the history.
const KEPT: usize = 1000;

/// Reads and runs statements until the end of input.
pub(super) fn run(statements: &mut Statements<'_>) -> Result<(), Failure> {
    let config = Config::builder()
        .max_history_size(KEPT)
        .map_err(failed)?
        .completion_type(CompletionType::List)
        .build();
    let mut editor: Editor<SqlHelper, FileHistory> = Editor::with_config(config).map_err(failed)?;
    editor.set_helper(Some(SqlHelper {
        files: FilenameCompleter::new(),
    }));
    let history = history_file();
    if let Some(history) = &history {
        // The file does not exist before the first session.
        let _ = editor.load_history(history);
    }
    println!(
        "Statements end with a semicolon. 'path or URI' is a table; describe 'PATH' shows its columns. \\q ends."
    );
    let mut statement = String::new();
    loop {
        let prompt = if statement.is_empty() {
            "tdb> "
        } else {
            "...> "
        };
        match editor.readline(prompt) {
            Ok(line) if statement.is_empty() && is_end(&line) => break,
            Ok(line) => {
                statement.push_str(&line);
                statement.push('\n');
                if statement.trim().is_empty() {
                    statement.clear();
                } else if line.trim_end().ends_with(';') {
                    let _ = editor.add_history_entry(statement.trim());
                    answer(statements, &statement)?;
                    statement.clear();
                }
            }
            // Ctrl-C discards the statement typed so far.
            Err(ReadlineError::Interrupted) if statement.is_empty() => {}
            Err(ReadlineError::Interrupted) => statement.clear(),
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(error)),
        }
    }
    if let Some(history) = &history {
        let _ = editor.save_history(history);
    }
    Ok(())
}

/// Runs a statement and prints its error, if any; the prompt then continues.
fn answer(statements: &mut Statements<'_>, statement: &str) -> Result<(), Failure> {
    let (out, _) = Output::begin(statements.global())?;
    let answered = statements.run(statement, out);
    match answered {
        Ok(()) => {}
        Err(_) if interrupt::is_told() => {}
        Err(failure) => {
            let messages = output::messages(statements.global().color);
            failure.write(&mut std::io::stderr(), output::on_screen(messages))?;
        }
    }
    interrupt::renew();
    Ok(std::io::stdout().flush()?)
}

fn is_end(line: &str) -> bool {
    let word = line.trim().trim_end_matches(';').to_lowercase();
    matches!(word.as_str(), "\\q" | "quit" | "exit" | ".quit" | ".exit")
}

/// Path of the history file, by the XDG rules for state; creates its folder.
fn history_file() -> Option<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute());
    let folder = state
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".local/state")))?
        .join("tdb");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("sql_history"))
}

fn failed(error: ReadlineError) -> Failure {
    Failure::new(ErrorKind::Store, format!("terminal: {error}"))
}

/// Completes SQL words, and paths inside quotes.
#[derive(Helper, Hinter, Highlighter, Validator)]
struct SqlHelper {
    files: FilenameCompleter,
}

impl Completer for SqlHelper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..at).unwrap_or(line);
        let quotes = typed.matches('\'').count();
        if quotes % 2 == 1 {
            return self.files.complete(line, at, context);
        }
        let start = typed
            .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map_or(0, |before| before + 1);
        let word = typed.get(start..).unwrap_or("").to_lowercase();
        let fitting = WORDS
            .iter()
            .filter(|known| !word.is_empty() && known.starts_with(&word))
            .map(|known| Pair {
                display: (*known).to_owned(),
                replacement: (*known).to_owned(),
            });
        Ok((start, fitting.collect()))
    }
}
