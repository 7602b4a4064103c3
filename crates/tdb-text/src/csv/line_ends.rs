//! Detects files whose lines end with a carriage return only, which would be read as one long line.

use tdb_cells::files::InputError;

use super::block::{Quotes, Span, part};

/// Fails if the first `least` bytes of a file contain a carriage return but no line feed.
pub(super) fn check_start(text: &[u8], least: usize) -> Result<(), InputError> {
    let is_plain = text.len() >= least && !text.contains(&b'"');
    if is_plain && !text.contains(&b'\n') && text.contains(&b'\r') {
        Err(carriages())
    } else {
        Ok(())
    }
}

/// Fails if the name of a column contains a carriage return outside of quotes.
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
