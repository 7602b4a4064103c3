//! `tdb meta set` and `tdb meta rm`.

use clap::Args;
use serde_json::Value as Json;
use tdb_array::{ErrorKind, MetadataRecord, MetadataValue, ObjectType};
use tdb_schema::CellValNum;
use tdb_schema::json::cell_from_json;
use tdb_schema::value::holds_bytes;
use tdb_tile::Datatype;

use super::change;
use crate::access::{Change, session};
use crate::failure::Failure;
use crate::global::Global;
use tdb::place;

#[derive(Debug, Args)]
pub(crate) struct Set {
    /// An array or group
    uri: String,
    /// The key
    #[arg(allow_hyphen_values = true)]
    key: String,
    /// The value: JSON where it is a value of the type, else text
    #[arg(allow_hyphen_values = true)]
    value: String,
    /// The type, as `int32`; guessed where it is not given: of true and false, int64
    #[arg(long = "type", value_name = "T", value_parser = datatype)]
    datatype: Option<Datatype>,
}

#[derive(Debug, Args)]
pub(crate) struct Rm {
    /// An array or group
    uri: String,
    /// The key
    #[arg(allow_hyphen_values = true)]
    key: String,
}

pub(crate) fn datatype(name: &str) -> Result<Datatype, String> {
    Datatype::from_name(name).ok_or_else(|| format!("there is no datatype called {name:?}"))
}

pub(crate) fn set(arguments: &Set, global: &Global) -> Result<(), Failure> {
    let value = value(&arguments.value, arguments.datatype)?;
    let record = MetadataRecord {
        key: arguments.key.clone(),
        value: Some(value),
    };
    put(&arguments.uri, record, global)
}

pub(crate) fn remove(arguments: &Rm, global: &Global) -> Result<(), Failure> {
    let record = MetadataRecord {
        key: arguments.key.clone(),
        value: None,
    };
    put(&arguments.uri, record, global)
}

fn put(uri: &str, record: MetadataRecord, global: &Global) -> Result<(), Failure> {
    let change = Change::new(global, &session(global))?;
    let location = place::folder(uri, &global.counts)?;
    let absent = |known: bool| {
        if known || record.value.is_some() {
            Ok(())
        } else {
            let what = format!("there is no metadata under the key {:?}", record.key);
            let failure = Failure::new(ErrorKind::NotFound, what).at(uri);
            Err(failure.hint(format!("tdb meta ls {uri} lists the keys")))
        }
    };
    match location.object_type()? {
        ObjectType::Array => {
            let array = change::open_array(&location, &change.access)?;
            let known = array
                .metadata()
                .map_err(|error| Failure::in_place(error, &location))?;
            absent(known.get(&record.key).is_some())?;
            array.put_metadata(vec![record], &change.options)
        }
        ObjectType::Group => {
            let group = change::open_group_at(&location, &change)?;
            let known = group
                .metadata()
                .map_err(|error| Failure::in_place(error, &location))?;
            absent(known.get(&record.key).is_some())?;
            group.put_metadata(vec![record], &change.options)
        }
        ObjectType::Invalid => return Err(place::nothing(uri, "array or group").into()),
    }
    .map_err(|error| Failure::in_place(error, &location))
}

/// The value that a text stands for.
fn value(text: &str, datatype: Option<Datatype>) -> Result<MetadataValue, Failure> {
    let json: Option<Json> = serde_json::from_str(text).ok();
    let json = match datatype {
        Some(_) => json,
        None => json.map(without_truth),
    };
    let plain = Json::String(text.to_owned());
    let datatype = datatype.unwrap_or_else(|| json.as_ref().map_or(Datatype::StringUtf8, guess));
    let first = json.as_ref().unwrap_or(&plain);
    let cell = cell(datatype, first).or_else(|error| cell(datatype, &plain).map_err(|_| error));
    let bytes = cell.map_err(|error| Failure::invalid(error.to_string()))?;
    if datatype == Datatype::StringAscii && !bytes.is_ascii() {
        let failure = Failure::invalid(format!("VALUE: {text:?} is not ASCII"));
        return Err(failure.hint("string_utf8 takes any text"));
    }
    MetadataValue::try_new(datatype, bytes).map_err(|error| Failure::invalid(error.to_string()))
}

fn cell(datatype: Datatype, json: &Json) -> Result<Vec<u8>, tdb_schema::SchemaError> {
    let values = match json {
        _ if holds_bytes(datatype) => CellValNum::Var,
        Json::Array(list) if list.is_empty() => return Ok(Vec::new()),
        Json::Array(list) => CellValNum::Fixed(u32::try_from(list.len()).unwrap_or(u32::MAX)),
        _ => CellValNum::Fixed(1),
    };
    cell_from_json(datatype, values, json, "VALUE")
}

/// `true` and `false` as 1 and 0, which is what TileDB's Python package makes of them: it cannot read the type `bool`.
fn without_truth(json: Json) -> Json {
    match json {
        Json::Bool(truth) => Json::from(i64::from(truth)),
        Json::Array(list) if list.iter().all(Json::is_boolean) => {
            list.into_iter().map(without_truth).collect()
        }
        json => json,
    }
}

/// The type of a value that does not say.
fn guess(json: &Json) -> Datatype {
    let number = |json: &Json| match json {
        Json::Number(number) if number.is_i64() => Some(Datatype::Int64),
        Json::Number(number) if number.is_u64() => Some(Datatype::UInt64),
        Json::Number(_) => Some(Datatype::Float64),
        _ => None,
    };
    let text = Datatype::StringUtf8;
    match json {
        Json::Array(list) => {
            let types: Option<Vec<Datatype>> = list.iter().map(number).collect();
            match types.as_deref() {
                Some([first, others @ ..]) if others.iter().all(|other| other == first) => *first,
                Some([_, ..]) => Datatype::Float64,
                Some([]) | None => text,
            }
        }
        json => number(json).unwrap_or(text),
    }
}
