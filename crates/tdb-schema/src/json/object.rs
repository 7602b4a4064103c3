use serde_json::{Map, Value as Json};

use crate::error::meant;
use crate::{CellValNum, Problem, SchemaError};
use tdb_tile::Datatype;

/// A JSON object and its place in the document, for reading member by member.
pub(super) struct Object<'a> {
    place: String,
    members: &'a Map<String, Json>,
}

impl<'a> Object<'a> {
    /// Fails if `json` is not an object, or has unknown members.
    pub(super) fn new(
        json: &'a Json,
        place: impl Into<String>,
        known: &'static [&'static str],
    ) -> Result<Self, SchemaError> {
        let place = place.into();
        let Some(members) = json.as_object() else {
            return Err(unexpected(&place, json, "an object".to_owned()));
        };
        if let Some(key) = members.keys().find(|key| !known.contains(&key.as_str())) {
            let problem = Problem::UnknownMember {
                name: key.clone(),
                known,
            };
            return Err(SchemaError::invalid(or_whole(&place), problem));
        }
        Ok(Self { place, members })
    }

    /// Returns the place of a member in the document, for errors.
    pub(super) fn place(&self, key: &str) -> String {
        match self.place.as_str() {
            "" => key.to_owned(),
            place => format!("{place}.{key}"),
        }
    }

    /// Returns a member; null counts as absent.
    pub(super) fn member(&self, key: &str) -> Option<&'a Json> {
        self.members.get(key).filter(|json| !json.is_null())
    }

    pub(super) fn missing(&self, key: &str) -> SchemaError {
        SchemaError::invalid(self.place(key), Problem::Missing)
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, SchemaError> {
        self.typed(key, "text", Json::as_str)
    }

    pub(super) fn required_text(&self, key: &str) -> Result<&'a str, SchemaError> {
        self.text(key)?.ok_or_else(|| self.missing(key))
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool, SchemaError> {
        Ok(self
            .typed(key, "true or false", Json::as_bool)?
            .unwrap_or(false))
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<u64>, SchemaError> {
        self.typed(key, "a whole number", Json::as_u64)
    }

    /// Returns the values of a list; an absent list is empty.
    pub(super) fn list(&self, key: &str) -> Result<&'a [Json], SchemaError> {
        let list = self.typed(key, "a list", |json| json.as_array().map(Vec::as_slice))?;
        Ok(list.unwrap_or(&[]))
    }

    /// Returns the enumeration member that a text names.
    pub(super) fn name<T>(
        &self,
        key: &str,
        what: &'static str,
        from_name: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, SchemaError> {
        self.typed(key, what, |json| json.as_str().and_then(from_name))
    }

    pub(super) fn datatype(&self, key: &str) -> Result<Datatype, SchemaError> {
        let name = self.required_text(key)?;
        Datatype::from_name(name).ok_or_else(|| {
            let names: Vec<&str> = Datatype::ALL
                .iter()
                .map(|known| tdb_tile::Code::name(*known))
                .collect();
            let (found, wanted) = (format!("{name:?}"), "the name of a datatype".to_owned());
            let wanted = wanted + &meant(name, &names);
            SchemaError::invalid(self.place(key), Problem::Unexpected { found, wanted })
        })
    }

    pub(super) fn cell_val_num(&self, key: &str) -> Result<Option<CellValNum>, SchemaError> {
        self.typed(key, "a number of values, or \"var\"", |json| {
            match json.as_str() {
                Some("var") => Some(CellValNum::Var),
                Some(_) => None,
                None => u32::try_from(json.as_u64()?).ok().map(CellValNum::Fixed),
            }
        })
    }

    fn typed<T>(
        &self,
        key: &str,
        wanted: &'static str,
        read: impl FnOnce(&'a Json) -> Option<T>,
    ) -> Result<Option<T>, SchemaError> {
        match self.member(key) {
            None => Ok(None),
            Some(json) => match read(json) {
                Some(value) => Ok(Some(value)),
                None => Err(unexpected(&self.place(key), json, wanted.to_owned())),
            },
        }
    }
}

/// Creates an error for JSON of the wrong kind; the error quotes the JSON if it is short.
pub(super) fn unexpected(place: &str, json: &Json, wanted: String) -> SchemaError {
    let found = match json {
        Json::Array(_) => "a list".to_owned(),
        Json::Object(_) => "an object".to_owned(),
        Json::String(text) if text.len() > 40 => "text".to_owned(),
        other => other.to_string(),
    };
    SchemaError::invalid(or_whole(place), Problem::Unexpected { found, wanted })
}

/// Returns the place, or `schema` for the document itself.
fn or_whole(place: &str) -> &str {
    match place {
        "" => "schema",
        place => place,
    }
}

pub(super) fn unexpected_kind(place: &str, wanted: &str) -> SchemaError {
    let (found, wanted) = ("an object".to_owned(), wanted.to_owned());
    SchemaError::invalid(place, Problem::Unexpected { found, wanted })
}
