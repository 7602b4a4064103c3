use serde_json::{Map, Value as Json, json};
use tdb_filters::{Description, FilterList, FilterRecord, OptionValue, Registry, describe};
use tdb_tile::FormatVersion;

use crate::json::cell::unhex;
use crate::json::object::{Object, unexpected};
use crate::{Problem, SchemaError};

/// Converts a pipeline to a list of filters, or to an object with `max_chunk` if that is not the
/// usual one.
///
/// An unknown filter is shown as its code and the bytes of its options.
#[must_use]
pub fn filters_to_json(list: &FilterList, version: FormatVersion) -> Json {
    let filters: Vec<Json> = list
        .filters
        .iter()
        .map(|record| filter_to_json(record, version))
        .collect();
    if list.max_chunk == FilterList::MAX_CHUNK {
        filters.into()
    } else {
        json!({ "max_chunk": list.max_chunk, "filters": filters })
    }
}

fn filter_to_json(record: &FilterRecord, version: FormatVersion) -> Json {
    let Ok(description) = describe(record, version, Registry::builtin()) else {
        let options: String = record
            .options
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        return json!({ "code": record.code, "options": { "hex": options } });
    };
    let name = ("name".to_owned(), description.name.into());
    let options = description.options.into_iter().map(|(name, value)| {
        let value = match value {
            OptionValue::Integer(v) => v.into(),
            OptionValue::Real(v) => v.into(),
            OptionValue::Flag(v) => v.into(),
            OptionValue::Text(v) => v.into(),
        };
        (name, value)
    });
    Json::Object(std::iter::once(name).chain(options).collect())
}

/// Converts JSON in the form of [`filters_to_json`] to a pipeline; errors name `place`.
///
/// # Errors
/// Fails if the JSON is not a pipeline, or if a filter or an option is unknown.
pub fn filters_from_json(
    json: &Json,
    version: FormatVersion,
    place: &str,
) -> Result<FilterList, SchemaError> {
    if let Some(filters) = json.as_array() {
        return read_filters(filters, version, place).map(FilterList::new);
    }
    let object = Object::new(json, place, &["max_chunk", "filters"])?;
    let filters = read_filters(object.list("filters")?, version, &object.place("filters"))?;
    let mut list = FilterList::new(filters);
    if let Some(found) = object.number("max_chunk")? {
        list.max_chunk = u32::try_from(found).map_err(|_| {
            let (found, wanted) = (
                found.to_string(),
                "a number of bytes below 4 GiB".to_owned(),
            );
            SchemaError::invalid(
                object.place("max_chunk"),
                Problem::Unexpected { found, wanted },
            )
        })?;
    }
    Ok(list)
}

fn read_filters(
    filters: &[Json],
    version: FormatVersion,
    place: &str,
) -> Result<Vec<FilterRecord>, SchemaError> {
    let filters = filters.iter().enumerate();
    filters
        .map(|(index, filter)| read_filter(filter, version, &format!("{place}[{index}]")))
        .collect()
}

fn read_filter(
    json: &Json,
    version: FormatVersion,
    place: &str,
) -> Result<FilterRecord, SchemaError> {
    let Some(members) = json.as_object() else {
        return Err(unexpected(place, json, "an object".to_owned()));
    };
    if members.contains_key("code") {
        return read_coded(json, place);
    }
    let Some(name) = members.get("name").and_then(Json::as_str) else {
        return Err(SchemaError::invalid(
            format!("{place}.name"),
            Problem::Missing,
        ));
    };
    let description = Description {
        name: name.to_owned(),
        options: options(members, place)?,
    };
    description
        .record(version, Registry::builtin())
        .map_err(|error| SchemaError::invalid(place, error.into()))
}

fn options(
    members: &Map<String, Json>,
    place: &str,
) -> Result<Vec<(String, OptionValue)>, SchemaError> {
    let members = members.iter().filter(|(key, _)| *key != "name");
    members
        .map(|(key, json)| {
            let integer = || json.as_i64().map(OptionValue::Integer);
            let value = match json {
                Json::Bool(v) => Some(OptionValue::Flag(*v)),
                Json::String(v) => Some(OptionValue::Text(v.clone())),
                Json::Number(_) => integer().or_else(|| json.as_f64().map(OptionValue::Real)),
                _ => None,
            };
            let place = format!("{place}.{key}");
            let value = value.ok_or_else(|| unexpected(&place, json, "an option".to_owned()));
            Ok((key.clone(), value?))
        })
        .collect()
}

fn read_coded(json: &Json, place: &str) -> Result<FilterRecord, SchemaError> {
    let object = Object::new(json, place, &["code", "options"])?;
    let code = object
        .number("code")?
        .and_then(|code| u8::try_from(code).ok())
        .ok_or_else(|| object.missing("code"))?;
    let options = match object.member("options") {
        None => Vec::new(),
        Some(options) => {
            let hex = options.get("hex").and_then(Json::as_str).and_then(unhex);
            hex.ok_or_else(|| object.missing("options.hex"))?
        }
    };
    Ok(FilterRecord::new(code, options))
}
