//! Changes to the JSON form of a schema, for the new array.

use serde_json::{Value, json};
use tdb::engine::schema::names::UnknownName;

use crate::failure::Failure;
use crate::names::Names;
use crate::parse;

/// Filters for one field; for all fields if `field` is `None`.
#[derive(Clone, Debug)]
pub(super) struct Filters {
    pub(super) field: Option<String>,
    pub(super) list: Value,
}

/// Tile extent of a dimension.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) dimension: String,
    pub(super) extent: Value,
}

/// All requested changes to a schema.
pub(super) struct Changes<'a> {
    pub(super) filters: &'a [Filters],
    pub(super) tiles: &'a [Tile],
    pub(super) attributes: Option<Names>,
    /// Members of the schema's JSON object to replace.
    pub(super) members: Vec<(&'static str, Value)>,
}

/// Parses `zstd:5`, `byteshuffle,zstd`, `temperature=zstd` or `[{"name": "zstd"}]`.
pub(super) fn filters(text: &str) -> Result<Filters, String> {
    let (field, list) = split_field(text);
    if list.starts_with(['[', '{']) {
        let list = serde_json::from_str(list).map_err(|error| format!("no JSON: {error}"))?;
        return Ok(Filters { field, list });
    }
    let filters = list
        .split(',')
        .map(str::trim)
        .map(|filter| {
            let Some((name, level)) = filter.split_once(':') else {
                return Ok(json!({ "name": filter }));
            };
            let level: i32 = level
                .parse()
                .map_err(|_| format!("{level:?} is not a level: expected a form such as zstd:5"))?;
            Ok(json!({ "name": name, "level": level }))
        })
        .collect::<Result<Vec<Value>, String>>()?;
    let is_none = filters.len() == 1 && filters.first() == Some(&json!({ "name": "none" }));
    Ok(Filters {
        field,
        list: Value::Array(if is_none { Vec::new() } else { filters }),
    })
}

/// Parses `x=100`.
pub(super) fn tile(text: &str) -> Result<Tile, String> {
    let (Some(dimension), extent) = split_field(text) else {
        return Err("expected DIM=EXTENT, such as x=100".to_owned());
    };
    let number = serde_json::from_str::<Value>(extent)
        .ok()
        .filter(Value::is_number);
    let extent = number.ok_or_else(|| format!("{extent:?} is not a number"))?;
    Ok(Tile { dimension, extent })
}

/// Splits off the field before the first `=`. A name that contains `=` is enclosed in double quotes.
fn split_field(text: &str) -> (Option<String>, &str) {
    if text.starts_with('"')
        && let Some((name, rest)) = parse::named(text)
    {
        return (Some(name), rest);
    }
    if text.starts_with(['[', '{']) {
        return (None, text);
    }
    match text.split_once('=') {
        Some((name, rest)) => (Some(name.to_owned()), rest),
        None => (None, text),
    }
}

/// Returns the schema with the changes applied.
pub(super) fn changed(mut schema: Value, changes: &Changes<'_>) -> Result<Value, Failure> {
    let Some(members) = schema.as_object_mut() else {
        return Err(Failure::invalid("a schema is a JSON object"));
    };
    // The new array has the newest format version.
    members.shift_remove("version");
    for (name, value) in &changes.members {
        members.insert((*name).to_owned(), value.clone());
    }
    if let Some(attributes) = &changes.attributes {
        keep_attributes(&mut schema, attributes)?;
    }
    for tile in changes.tiles {
        let dimension = named(&mut schema, &["dimensions"], "dimension", &tile.dimension)?;
        dimension.insert("extent".to_owned(), tile.extent.clone());
    }
    for filters in changes.filters {
        if let Some(name) = &filters.field {
            let field = named(&mut schema, &["dimensions", "attributes"], "field", name)?;
            field.insert("filters".to_owned(), filters.list.clone());
            continue;
        }
        for list in ["dimensions", "attributes"] {
            let fields = schema
                .get_mut(list)
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten();
            for field in fields.filter_map(Value::as_object_mut) {
                field.insert("filters".to_owned(), filters.list.clone());
            }
        }
    }
    Ok(schema)
}

/// Removes all other attributes, and the enumerations that no remaining attribute uses.
fn keep_attributes(schema: &mut Value, wanted: &[String]) -> Result<(), Failure> {
    for name in wanted {
        named(schema, &["attributes"], "attribute", name)?;
    }
    let mut labels = Vec::new();
    if let Some(attributes) = schema.get_mut("attributes").and_then(Value::as_array_mut) {
        let place = |attribute: &Value| wanted.iter().position(|name| attribute["name"] == **name);
        attributes.retain(|attribute| place(attribute).is_some());
        attributes.sort_by_key(|attribute| place(attribute));
        labels.extend(attributes.iter().map(|a| a["enumeration"].clone()));
    }
    let enumerations = schema.get_mut("enumerations");
    if let Some(enumerations) = enumerations.and_then(Value::as_array_mut) {
        enumerations.retain(|enumeration| labels.contains(&enumeration["name"]));
    }
    Ok(())
}

/// Finds the field with this name in the given lists of the schema.
fn named<'a>(
    schema: &'a mut Value,
    lists: &[&str],
    kind: &'static str,
    name: &str,
) -> Result<&'a mut serde_json::Map<String, Value>, Failure> {
    let of = |list: &&str| schema.get(*list).and_then(Value::as_array);
    let known: Vec<String> = lists
        .iter()
        .filter_map(of)
        .flatten()
        .filter_map(|field| field["name"].as_str().map(str::to_owned))
        .collect();
    let found = lists.iter().find_map(|list| {
        let fields = schema.get(*list)?.as_array()?;
        let place = fields.iter().position(|field| field["name"] == *name)?;
        Some((*list, place))
    });
    let field = found.and_then(|(list, place)| {
        let fields = schema.get_mut(list)?.as_array_mut()?;
        fields.get_mut(place)?.as_object_mut()
    });
    field.ok_or_else(|| {
        let known = known.iter().map(String::as_str);
        UnknownName::new(kind, name, known).into()
    })
}
