//! `tdb create`: creates an array.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use tdb::engine::array::{Array, ArrayError, ErrorKind, NameSource};
use tdb::engine::schema::json::schema_from_json;
use tdb::engine::schema::{ArraySchema, Enumeration};

use super::{change, write_json};
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::plural;
use crate::request_file;
use tdb::place;

/// A valid schema, for the help text.
const EXAMPLE: &str = r#"{"type": "dense",
 "dimensions": [{"name": "day", "datatype": "datetime_day",
                 "domain": ["2024-01-01", "2024-12-31"], "extent": 7}],
 "attributes": [{"name": "rain", "datatype": "float32", "filters": [{"name": "zstd"}]}]}"#;

#[derive(Debug, Args)]
#[command(after_help = format!("Examples:\n  \
    tdb schema fixtures/v22_tour/array --json -o target/weather.json\n  \
    tdb create target/weather --schema target/weather.json\n\nA short schema:\n\n{EXAMPLE}"))]
pub(crate) struct Arguments {
    /// URI of the new array
    uri: String,
    /// Schema, as `tdb schema --json` prints it; members with a default may be omitted
    #[arg(long, value_name = "FILE.json")]
    schema: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let change = change::options(global)?;
    let json = request_file::json(&arguments.schema)?;
    let file = arguments.schema.display().to_string();
    let (schema, enumerations) = schema(&json, &*change.names).map_err(|failure| {
        failure
            .within(&file)
            .hint("see tdb schema --json for the format, and tdb create --help for a short example")
    })?;
    let location = place::vacant(&arguments.uri, &global.counts)?;
    let place = context(global)?.location(&location);
    Array::create(&place, &schema, &enumerations, &change).map_err(|error| match error {
        // An invalid schema is an error in the file.
        ArrayError::Object {
            ref source,
            kind: ErrorKind::Invalid,
            ..
        } => Failure::invalid(source.to_string()).within(&file),
        error => change::failed(&location, error),
    })?;
    tell(&location.uri, &schema, global, out)
}

/// Prints what was created.
fn tell(uri: &str, schema: &ArraySchema, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let kind = if schema.is_dense() { "dense" } else { "sparse" };
    let dimensions: Vec<&String> = schema
        .dimensions
        .iter()
        .map(|dimension| &dimension.name)
        .collect();
    let attributes: Vec<&String> = schema
        .attributes
        .iter()
        .map(|attribute| &attribute.name)
        .collect();
    if global.json {
        let told = json!({
            "uri": uri,
            "type": kind,
            "dimensions": dimensions,
            "attributes": attributes,
        });
        return write_json(out, &told);
    }
    let dimensions = plural(dimensions.len() as u64, "dimension");
    let attributes = plural(attributes.len() as u64, "attribute");
    out.note(&format!("made {uri}: {kind}, {dimensions}, {attributes}"));
    Ok(())
}

/// Decodes a schema from JSON. Its enumerations get new object names from `names`.
pub(crate) fn schema(
    json: &Value,
    names: &dyn NameSource,
) -> Result<(ArraySchema, Vec<Enumeration>), Failure> {
    let mut nameless = None;
    let result = schema_from_json(json, || {
        names.enumeration().unwrap_or_else(|error| {
            nameless = Some(error);
            String::new()
        })
    });
    match nameless {
        Some(error) => Err(error.into()),
        None => result.map_err(|error| Failure::invalid(error.to_string())),
    }
}
