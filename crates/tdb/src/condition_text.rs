//! Conditions as text, read against the fields of an array.

use std::collections::HashMap;

use tdb_cells::FieldInfo;
use tdb_condition::{Condition, ConditionError, ConditionNode, UnknownLabel};
use tdb_schema::ArraySchema;
use tdb_schema::names::UnknownName;
use tdb_tile::Limits;

use crate::{Error, Result};

/// Which cells a read returns: a condition of the builder, or as text.
#[derive(Clone, Debug)]
pub enum Where {
    /// Made by [`field`](crate::field).
    Condition(Condition),
    /// As on the command line: `temp < -5 and sky in ('snow', 'rain')`.
    Text(String),
}

impl From<Condition> for Where {
    fn from(condition: Condition) -> Self {
        Self::Condition(condition)
    }
}

impl From<&str> for Where {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Where {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl Where {
    /// What both hold for.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Condition(one), Self::Condition(other)) => Self::Condition(one.and(other)),
            (one, other) => Self::Text(format!("({}) and ({})", one.text(), other.text())),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Condition(condition) => condition.to_string(),
            Self::Text(text) => text,
        }
    }
}

/// The condition that a text says, on fields that the schema has: `temp < -5 and sky in ('snow', 'rain')`.
///
/// A name that holds spaces stands in "double quotes". Before the first operator it may stand bare, if what stands there is just
/// that name and means nothing else: `order id = 377`.
///
/// # Errors
/// A text that is none, with the place of the mistake; a field that the array does not have.
pub fn parse_condition(text: &str, schema: &ArraySchema, limits: &Limits) -> Result<Condition> {
    parse_as_it_stands(text, schema, limits).or_else(|error| match with_quoted_name(text, schema) {
        Some(quoted) => parse_as_it_stands(&quoted, schema, limits),
        None => Err(error),
    })
}

/// Words that may follow the name of a field.
const WORDS: [&str; 6] = ["in", "not", "is", "like", "between", "starts"];

/// The text with its first name in quotes, if that is a field's and an operator follows.
fn with_quoted_name(text: &str, schema: &ArraySchema) -> Option<String> {
    let text = text.trim_start();
    // Other names need no quotes.
    let is_odd = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
    let names = schema.fields().map(|field| field.name);
    let names = names.filter(|name| name.contains(is_odd));
    let rests = names.filter_map(|name| Some((name, text.strip_prefix(name)?)));
    let mut found = rests.filter(|(_, rest)| begins_with_operator(rest));
    let (name, rest) = found.next()?;
    let name = name.replace('"', "\"\"");
    found.next().is_none().then(|| format!("\"{name}\"{rest}"))
}

fn begins_with_operator(text: &str) -> bool {
    let trimmed = text.trim_start();
    if trimmed.starts_with(['=', '!', '<', '>']) {
        return true;
    }
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let word: String = trimmed.chars().take_while(|c| is_of_word(*c)).collect();
    trimmed.len() < text.len() && WORDS.contains(&word.to_ascii_lowercase().as_str())
}

fn parse_as_it_stands(text: &str, schema: &ArraySchema, limits: &Limits) -> Result<Condition> {
    let condition = Condition::parse(text, limits).map_err(|error| match error {
        ConditionError::Text { at, .. } | ConditionError::TooLarge { at, .. } => {
            Error::from(error).in_text(text, at)
        }
        error => error.into(),
    })?;
    let known = || schema.fields().map(|field| field.name);
    let is_unknown = |name: &&str| known().all(|known| known != *name);
    let unknown = condition.fields().find(is_unknown).map(str::to_owned);
    let Some(name) = unknown.as_deref() else {
        return Ok(condition);
    };
    let unknown = UnknownName::new("field", name, known());
    let is_compared = |node: &ConditionNode| match node {
        ConditionNode::Comparison(comparison) => {
            comparison.right.fields().any(|field| field == name)
        }
        _ => false,
    };
    let hint = if condition.nodes().iter().any(is_compared) {
        format!("{}; text stands in 'single quotes'", unknown.hint())
    } else {
        unknown.hint().to_owned()
    };
    let error = Error::from(unknown).with_hint(&hint);
    Err(match Condition::place_of(text, name) {
        Some(at) => error.in_text(text, at),
        None => error,
    })
}

/// As [`parse_condition`], of an array: a test that a field cannot be asked is refused here, with its place in the text.
///
/// # Errors
/// As [`parse_condition`]; a test that does not fit its field; enumerations that cannot be read.
pub fn parse_condition_of(
    array: &tdb_array::Array,
    text: &str,
    limits: &Limits,
) -> Result<Condition> {
    let condition = parse_condition(text, array.schema(), limits)?;
    let fields = fields_of(array, &condition)?;
    match condition.resolve(&fields, limits) {
        Ok(_) => Ok(condition),
        Err(error) => {
            let place = |text: &str| Condition::place_of_unfit(text, &fields, limits);
            let quoted = || with_quoted_name(text, array.schema());
            let error = Error::from(error);
            Err(match (place(text), quoted()) {
                (Some(at), _) => error.in_text(text, at),
                (None, Some(text)) => match place(&text) {
                    Some(at) => error.in_text(&text, at),
                    None => error,
                },
                (None, None) => error,
            })
        }
    }
}

/// The labels that a condition names and no cell of the array can have, each with the nearest. Reads warn of them themselves.
///
/// # Errors
/// As the store reports; enumerations that break the format.
pub fn unknown_labels(
    array: &tdb_array::Array,
    condition: &Condition,
) -> Result<Vec<UnknownLabel>> {
    Ok(condition.unknown_labels(&fields_of(array, condition)?))
}

/// The fields of an array, with the labels of those that a condition names.
fn fields_of(array: &tdb_array::Array, condition: &Condition) -> Result<Vec<FieldInfo>> {
    let schema = array.schema();
    let mut enumerations = HashMap::new();
    for name in condition.fields() {
        let index = schema.attribute_index(name);
        let attribute = index.and_then(|index| schema.attributes.get(index));
        let enumeration = attribute.and_then(|attribute| attribute.enumeration.as_deref());
        if let Some(name) = enumeration.filter(|name| !enumerations.contains_key(name)) {
            enumerations.insert(name, array.enumeration(name)?);
        }
    }
    let known = |_, name: &str| enumerations.get(name).cloned();
    Ok(FieldInfo::of_schema(schema, known))
}
