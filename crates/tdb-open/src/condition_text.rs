//! Conditions as text, parsed against the fields of an array.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tdb_cells::FieldInfo;
use tdb_condition::{Condition, ConditionError, ConditionNode, UnknownLabel};
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, Enumeration};
use tdb_tile::Limits;

use crate::{Error, Result};

/// Condition for the cells that a read returns, built or as text.
#[derive(Clone, Debug)]
pub enum CellCondition {
    /// A condition made by [`Condition::field`].
    Condition(Condition),
    /// Text as on the command line: `temp < -5 and sky in ('snow', 'rain')`.
    Text(String),
}

impl From<Condition> for CellCondition {
    fn from(condition: Condition) -> Self {
        Self::Condition(condition)
    }
}

impl From<&str> for CellCondition {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for CellCondition {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl CellCondition {
    /// Returns the condition that both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Condition(one), Self::Condition(other)) => Self::Condition(one.and(other)),
            (one, other) => Self::Text(format!("({}) and ({})", one.text(), other.text())),
        }
    }

    /// Returns the condition on fields of the schema; text is parsed.
    ///
    /// # Errors
    /// As for [`parse_condition`].
    pub fn parsed(&self, schema: &ArraySchema, limits: &Limits) -> Result<Condition> {
        match self {
            Self::Condition(condition) => Ok(condition.clone()),
            Self::Text(text) => parse_condition(text, schema, limits),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Condition(condition) => condition.to_string(),
            Self::Text(text) => text,
        }
    }
}

/// Parses a condition on fields of the schema: `temp < -5 and sky in ('snow', 'rain')`.
///
/// A name that contains spaces is written in "double quotes". Before the first operator it may be written bare, if the
/// text there is exactly that name and has no other meaning: `order id = 377`.
///
/// # Errors
/// Fails if the text is not a condition, with the position of the mistake, and if it names a field that the array does
/// not have.
pub fn parse_condition(text: &str, schema: &ArraySchema, limits: &Limits) -> Result<Condition> {
    parse_as_it_stands(text, schema, limits).or_else(|error| match with_quoted_name(text, schema) {
        Some(quoted) => parse_as_it_stands(&quoted, schema, limits),
        None => Err(error),
    })
}

/// Operator words that may follow the name of a field.
const WORDS: [&str; 6] = ["in", "not", "is", "like", "between", "starts"];

/// Puts quotes around the field name at the start of the text, if exactly one name with odd characters is followed by
/// an operator.
fn with_quoted_name(text: &str, schema: &ArraySchema) -> Option<String> {
    let text = text.trim_start();
    // Only names with other characters than these need quotes.
    let is_odd = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
    let names = schema
        .fields()
        .map(|field| field.name)
        .filter(|name| name.contains(is_odd));
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

/// As [`parse_condition`], for an array: also refuses comparisons that do not fit their field, with their position in
/// the text.
///
/// # Errors
/// As [`parse_condition`]; fails also if a comparison does not fit its field, or if enumerations cannot be read.
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

/// Returns the labels in the condition that no cell of the array can have, each with the most similar label. Reads
/// warn of them anyway.
///
/// # Errors
/// Fails if the store fails, or if stored enumerations break the format.
pub fn unknown_labels(
    array: &tdb_array::Array,
    condition: &Condition,
) -> Result<Vec<UnknownLabel>> {
    Ok(condition.unknown_labels(&fields_of(array, condition)?))
}

/// Returns the fields of an array, with the labels of the enumerated attributes that the condition names.
fn fields_of(array: &tdb_array::Array, condition: &Condition) -> Result<Vec<FieldInfo>> {
    let schema = array.schema();
    let attributes = condition
        .fields()
        .filter_map(|name| schema.attributes.get(schema.attribute_index(name)?));
    let names: BTreeSet<&str> = attributes
        .filter_map(|attribute| attribute.enumeration.as_deref())
        .collect();
    // Together, so that they take one wait.
    let read = array.enumerations(names.iter().copied())?;
    let enumerations: HashMap<&str, Arc<Enumeration>> = names.into_iter().zip(read).collect();
    let known = |_, name: &str| enumerations.get(name).cloned();
    Ok(FieldInfo::of_schema(schema, known))
}
