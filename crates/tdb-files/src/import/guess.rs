//! Deriving the schema of a new array from the contents of a file.

use std::fs::File;

use serde_json::Value as Json;
use tdb_array::NameSource;
use tdb_cells::files::ColumnGuess;
use tdb_open::{Error, Result, Schema};
use tdb_schema::ArrayType;
use tdb_schema::json::schema_from_json;
use tdb_write::Duplicates;

use super::exported_schema;
use super::notice::ImportNotice;
use super::request::ImportBuilder;
use super::schema::{Kind, RequestedArray};

/// Returns the schema of an array that can hold everything in the file.
pub(super) fn guessed(
    import: &ImportBuilder,
    kept: Option<&File>,
    tell: &mut dyn FnMut(&ImportNotice),
) -> Result<Schema> {
    let (file, session) = (&import.file, import.context.shared_session());
    let input = file.open(import.becoming(), kept, session)?;
    let axes = input.axes().map(<[u64]>::to_vec);
    let remembered = input
        .array_schema()
        .filter(|_| import.takes_what_it_was())
        .map(str::to_owned);
    let index = input.index().to_vec();
    let guesses = input.guess(session).map_err(|error| file.failed(error))?;
    if let Some(remembered) = remembered {
        match as_it_was(import, &remembered, &guesses) {
            Ok(schema) => {
                tell(&ImportNotice::Remembered);
                return Ok(schema);
            }
            Err(why) => tell(&ImportNotice::NotRemembered(why)),
        }
    }
    let wanted = RequestedArray {
        kind: kind(import, axes)?,
        dimensions: import.chosen(),
        index: &index,
        domains: &import.domains,
        allows_duplicates: import.duplicates == Some(Duplicates::Keep),
        ticks: file.counts_ticks(),
    };
    let json = wanted
        .schema(&guesses)
        .map_err(|error| error.within(&file.name()))?;
    described(&json, &*import.names)
}

/// Returns the kind of array for a file with these axes.
fn kind(import: &ImportBuilder, axes: Option<Vec<u64>>) -> Result<Kind> {
    match (import.array_type, axes) {
        (Some(ArrayType::Sparse), Some(_)) => {
            Err(Error::invalid("a .npy file makes a dense array"))
        }
        (_, Some(axes)) => Ok(Kind::Box(axes)),
        (Some(ArrayType::Dense), None) if import.dimensions.is_empty() => Ok(Kind::Rows),
        (Some(ArrayType::Dense), None) => Ok(Kind::Dense),
        (Some(ArrayType::Sparse) | None, None) => Ok(Kind::Sparse),
    }
}

/// Returns the schema of the array that the file was exported from, or why it cannot be used.
fn as_it_was(
    import: &ImportBuilder,
    remembered: &str,
    columns: &[ColumnGuess],
) -> Result<Schema, String> {
    let json = exported_schema::schema(remembered, columns)?;
    described(&json, &*import.names).map_err(|error| error.to_string())
}

/// Parses a schema from JSON, giving its enumerations new names.
fn described(json: &Json, names: &dyn NameSource) -> Result<Schema> {
    let mut nameless = None;
    let read = schema_from_json(json, || {
        names.enumeration().unwrap_or_else(|error| {
            nameless = Some(error);
            String::new()
        })
    });
    if let Some(error) = nameless {
        return Err(error.into());
    }
    let (schema, enumerations) = read.map_err(|error| Error::invalid(error.to_string()))?;
    Ok(Schema::of(schema, enumerations))
}
