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
    use std::io::{IsTerminal, Read};

    let mut statements = statements::Statements::new(arguments, global, out.messages())?;
    if let Some(query) = &arguments.query {
        return statements.run(query, out);
    }
    let input = std::io::stdin();
    if input.is_terminal() {
        drop(out);
        return prompt::run(&mut statements);
    }
    let mut query = String::new();
    let most = statements::MOST_SQL;
    input.lock().take(most + 1).read_to_string(&mut query)?;
    statements.run(&query, out)
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
    let failure = Failure::new(tdb::ErrorKind::Unsupported, "this build of tdb has no SQL");
    Err(failure.hint("cargo install --path crates/tdb-cli --features sql, in the source of tdb"))
}
