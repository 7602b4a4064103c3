//! `tdb meta set` and `tdb meta rm`.

use std::io::Write;

use clap::Args;
use serde_json::{Value as Json, json};
use tdb::engine::array::{
    ChangeOptions, ErrorKind, LaterObjects, Metadata, MetadataRecord, MetadataValue,
};
use tdb::engine::schema::CellValNum;
use tdb::engine::schema::json::cell_from_json;
use tdb::engine::schema::value::holds_bytes;
use tdb::engine::tile::{Code, Datatype};

use super::{change, write_json};
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::{cut, visible};
use crate::value_format;
use tdb::place::{self, Place};
use tdb::{Array, Group};

#[derive(Debug, Args)]
pub(crate) struct Set {
    /// An array or group
    uri: String,
    /// The key
    #[arg(allow_hyphen_values = true)]
    key: String,
    /// The value: JSON if that fits the type, otherwise text
    #[arg(allow_hyphen_values = true)]
    value: String,
    /// Datatype, such as int32 [default: inferred; true and false become int64]
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
    /// Print what would be removed, without removing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Maximum number of characters of a value in a message.
const MESSAGE_VALUE: usize = 60;

pub(crate) fn datatype(name: &str) -> Result<Datatype, String> {
    Datatype::from_name(name).ok_or_else(|| format!("there is no datatype called {name:?}"))
}

pub(crate) fn set(arguments: &Set, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let (uri, key) = (&arguments.uri, &arguments.key);
    let value = value(&arguments.value, arguments.datatype)?;
    let object = Object::open(uri, global)?;
    let before = object.metadata()?.get(key).cloned();
    object.put(key, Some(value.clone()))?;
    change::tell_later(object.later(), global, out);
    if global.json {
        let told = json!({
            "key": key,
            "new": value_format::metadata_json(&value, global.ticks),
            "old": before.map(|value| value_format::metadata_json(&value, global.ticks)),
        });
        return write_json(out, &told);
    }
    let datatype = value.datatype.name();
    let was = before.map_or(String::new(), |value| format!(", was {}", shown(&value)));
    let value = shown(&value);
    out.note(&format!("set {key:?} to {value} ({datatype}){was}"));
    Ok(())
}

pub(crate) fn remove(arguments: &Rm, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let (uri, key, dry_run) = (&arguments.uri, &arguments.key, arguments.dry_run);
    let object = Object::open(uri, global)?;
    let Some(before) = object.metadata()?.get(key).cloned() else {
        let what = format!("there is no metadata under the key {key:?}");
        let failure = Failure::new(ErrorKind::NotFound, what).at(uri);
        return Err(failure.hint(format!("tdb meta ls {uri} lists the keys")));
    };
    if !dry_run {
        object.put(key, None)?;
    }
    change::tell_later(object.later(), global, out);
    if global.json {
        let told = json!({
            "dry_run": dry_run,
            "key": key,
            "old": value_format::metadata_json(&before, global.ticks),
        });
        return write_json(out, &told);
    }
    let before = shown(&before);
    if dry_run {
        writeln!(out, "would remove {key:?}: {}", visible(&before))?;
    } else {
        out.note(&format!("removed {key:?}, which was {before}"));
    }
    Ok(())
}

/// Formats a value for a message, truncated if it is long.
fn shown(value: &MetadataValue) -> String {
    cut(&value_format::metadata(value, false), MESSAGE_VALUE)
}

/// The array or group whose metadata is changed.
struct Object {
    location: Place,
    options: ChangeOptions,
    kind: Kind,
}

enum Kind {
    Array(Box<Array>),
    Group(Box<Group>),
}

impl Object {
    fn open(uri: &str, global: &Global) -> Result<Self, Failure> {
        let options = change::options(global)?;
        let location = place::folder(uri, &global.counts)?;
        let opener = change::opener(context(global)?, global);
        let kind = match opener.array_unless_group(&location)? {
            Some(array) => Kind::Array(Box::new(array)),
            None => Kind::Group(Box::new(opener.group(&location)?)),
        };
        Ok(Self {
            location,
            options,
            kind,
        })
    }

    fn metadata(&self) -> Result<Metadata, Failure> {
        Ok(match &self.kind {
            Kind::Array(array) => array.metadata()?,
            Kind::Group(group) => group.metadata()?,
        })
    }

    fn later(&self) -> Option<LaterObjects> {
        match &self.kind {
            Kind::Array(array) => array.engine().later_metadata(),
            Kind::Group(group) => group.engine().later_metadata(),
        }
    }

    fn put(&self, key: &str, value: Option<MetadataValue>) -> Result<(), Failure> {
        let key = key.to_owned();
        let (records, options) = (vec![MetadataRecord { key, value }], &self.options);
        let put = match &self.kind {
            Kind::Array(array) => array.engine().put_metadata(records, options),
            Kind::Group(group) => group.engine().put_metadata(records, options),
        };
        put.map_err(|error| Failure::in_place(error, &self.location))
    }
}

/// Parses a value: as JSON if that fits the type, else as text.
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
        return Err(failure.hint("use --type string_utf8 for any text"));
    }
    MetadataValue::try_new(datatype, bytes).map_err(|error| Failure::invalid(error.to_string()))
}

fn cell(datatype: Datatype, json: &Json) -> Result<Vec<u8>, tdb::engine::schema::SchemaError> {
    let values = match json {
        _ if holds_bytes(datatype) => CellValNum::Var,
        Json::Array(list) if list.is_empty() => return Ok(Vec::new()),
        Json::Array(list) => CellValNum::Fixed(u32::try_from(list.len()).unwrap_or(u32::MAX)),
        _ => CellValNum::Fixed(1),
    };
    cell_from_json(datatype, values, json, "VALUE")
}

/// Replaces `true` and `false` by 1 and 0, as TileDB's Python package does, which cannot read the type `bool`.
fn without_truth(json: Json) -> Json {
    match json {
        Json::Bool(truth) => Json::from(i64::from(truth)),
        Json::Array(list) if list.iter().all(Json::is_boolean) => {
            list.into_iter().map(without_truth).collect()
        }
        json => json,
    }
}

/// Guesses the type of a value given without one.
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
