//! `tdb sql`: SQL queries over arrays.

mod arguments;
#[cfg(feature = "sql")]
mod cluster;
#[cfg(feature = "sql")]
mod prompt;
#[cfg(feature = "sql")]
mod statements;

pub(crate) use arguments::Arguments;

use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;

#[cfg(feature = "sql")]
pub(crate) fn run(arguments: &Arguments, global: &Global, out: Output) -> Result<(), Failure> {
    use std::io::IsTerminal;

    let mut statements = statements::Statements::new(arguments, global, out.messages())?;
    if let Some(query) = &arguments.query {
        return statements.run(query, out);
    }
    let input = std::io::stdin();
    if input.is_terminal() {
        drop(out);
        return prompt::run(&mut statements);
    }
    statements.run(&piped(input.lock())?, out)
}

/// Reads the statements from a pipe, at most one byte more than a query may have.
#[cfg(feature = "sql")]
fn piped(input: impl std::io::Read) -> Result<String, Failure> {
    use std::io::Read;

    let mut query = Vec::new();
    let read = input.take(statements::MOST_SQL + 1).read_to_end(&mut query);
    read.map_err(|error| Failure::new(tdb::ErrorKind::Store, format!("standard input: {error}")))?;
    // Checked first, since the bytes may end within a character.
    statements::check_length(query.len())?;
    String::from_utf8(query).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::invalid(format!("standard input: byte {at} is not valid UTF-8"))
    })
}

#[cfg(not(feature = "sql"))]
pub(crate) fn run(arguments: &Arguments, _: &Global, _: Output) -> Result<(), Failure> {
    let Arguments {
        query: _,
        group: _,
        cluster: _,
        token: _,
        format: _,
        wide: _,
    } = arguments;
    let failure = Failure::new(
        tdb::ErrorKind::Unsupported,
        "this build of tdb does not support SQL",
    );
    Err(failure
        .hint("run `cargo install --path crates/tdb-cli --features sql` in the source of tdb"))
}
