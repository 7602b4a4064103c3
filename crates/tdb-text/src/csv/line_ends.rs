//! Files whose lines end with a carriage return and no line feed, which would be one long line.

use tdb_cells::files::InputError;

use super::block::{Quotes, Span, part};

/// Fails where so many bytes at the start of a file have carriage returns, and no line feed.
pub(super) fn check_start(text: &[u8], least: usize) -> Result<(), InputError> {
    let is_plain = text.len() >= least && !text.contains(&b'"');
    if is_plain && !text.contains(&b'\n') && text.contains(&b'\r') {
        Err(carriages())
    } else {
        Ok(())
    }
}

/// Fails where a name of a column has a carriage return in it that is not in quotes.
pub(super) fn check_first(text: &[u8], names: &[Span]) -> Result<(), InputError> {
    for name in names.iter().filter(|name| name.quotes == Quotes::None) {
        if part(text, name.start..name.end)?.contains(&b'\r') {
            return Err(carriages());
        }
    }
    Ok(())
}

fn carriages() -> InputError {
    InputError::Unfit {
        what: "line 1: lines end with a carriage return and no line feed".to_owned(),
        hint: "tr '\\r' '\\n' makes line feeds of them",
    }
}
