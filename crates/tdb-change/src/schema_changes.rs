//! Differences between two schemas, in words.

use std::sync::Arc;

use tdb_open::{Array, Result};
use tdb_schema::value::{Cell, Value, read_cell};
use tdb_schema::{ArraySchema, Attribute, CellValNum, Enumeration, EnumerationRef};
use tdb_tile::Code;

/// Returns the differences between two schemas, each as a short phrase without a full stop: `added attribute "a"
/// (int32)`. Filters, capacity, orders and enumerations are not compared; [`enumeration_changes`] compares the last.
fn schema_changes(old: &ArraySchema, new: &ArraySchema) -> Vec<String> {
    let mut changes = Vec::new();
    let find = |schema: &'_ ArraySchema, name: &str| -> Option<Attribute> {
        let index = schema.attribute_index(name)?;
        schema.attributes.get(index).cloned()
    };
    for attribute in &new.attributes {
        match find(old, &attribute.name) {
            None => changes.push(format!(
                "added attribute {:?} ({})",
                attribute.name,
                described(attribute)
            )),
            Some(before) if described(&before) != described(attribute) => changes.push(format!(
                "attribute {:?} was {}, is {}",
                attribute.name,
                described(&before),
                described(attribute)
            )),
            Some(_) => {}
        }
    }
    let dropped = old
        .attributes
        .iter()
        .filter(|attribute| find(new, &attribute.name).is_none());
    changes.extend(dropped.map(|attribute| format!("dropped attribute {:?}", attribute.name)));
    if old.current_domain != new.current_domain {
        changes.push(match current_domain(new) {
            Some(domain) => format!("current domain is {domain}"),
            None => "there is no current domain".to_owned(),
        });
    }
    if old.version != new.version {
        changes.push(format!(
            "format version was {}, is {}",
            old.version, new.version
        ));
    }
    changes
}

/// Returns the changes of enumerations; `change` describes how an enumeration that both schemas have differs, or
/// returns `None`.
fn enumeration_changes(
    old: &ArraySchema,
    new: &ArraySchema,
    mut change: impl FnMut(&EnumerationRef, &EnumerationRef) -> Result<Option<&'static str>>,
) -> Result<Vec<String>> {
    let mut changes = Vec::new();
    for entry in &new.enumerations {
        let mut before = old.enumerations.iter();
        let what = match before.find(|before| before.name == entry.name) {
            None => Some("added"),
            Some(before) => change(before, entry)?,
        };
        changes.extend(what.map(|what| format!("{what} enumeration {:?}", entry.name)));
    }
    let is_gone = |name: &str| new.enumerations.iter().all(|entry| entry.name != name);
    let dropped = old.enumerations.iter().filter(|entry| is_gone(&entry.name));
    changes.extend(dropped.map(|entry| format!("dropped enumeration {:?}", entry.name)));
    Ok(changes)
}

/// Returns the differences between the schemas of two arrays. Enumerations are equal if their labels are.
pub(crate) fn array_changes(old: &Array, new: &Array) -> Result<Vec<String>> {
    let mut changes = schema_changes(old.schema(), new.schema());
    let labels = |array: &Array, name: &str| -> Result<Arc<Enumeration>> {
        let read = array.engine().enumeration(name);
        read.map_err(|error| array.failed(error))
    };
    let change = |before: &EnumerationRef, entry: &EnumerationRef| {
        let before = labels(old, &before.name)?;
        let now = labels(new, &entry.name)?;
        Ok(match (now.extends(&before), before.extends(&now)) {
            (true, true) => None,
            (true, false) => Some("extended"),
            (false, _) => Some("changed"),
        })
    };
    changes.extend(enumeration_changes(old.schema(), new.schema(), change)?);
    Ok(changes)
}

/// Returns the changes from one schema of an array to the next. An enumeration stored in another file was extended.
pub(crate) fn evolution(old: &ArraySchema, new: &ArraySchema) -> Result<Vec<String>> {
    let mut changes = schema_changes(old, new);
    let change = |before: &EnumerationRef, entry: &EnumerationRef| {
        Ok((before.file != entry.file).then_some("extended"))
    };
    changes.extend(enumeration_changes(old, new, change)?);
    Ok(changes)
}

/// Describes the type of an attribute: `int32, nullable`.
pub(crate) fn described(attribute: &Attribute) -> String {
    let mut text = attribute.datatype.name().to_owned();
    match attribute.cell_val_num {
        CellValNum::Fixed(1) => {}
        CellValNum::Fixed(count) => text.push_str(&format!(", {count} per cell")),
        CellValNum::Var => text.push_str(", var"),
    }
    if attribute.nullable {
        text.push_str(", nullable");
    }
    if let Some(name) = &attribute.enumeration {
        text.push_str(&format!(", labels of {name:?}"));
    }
    text
}

/// Describes the current domain: `day 1 .. 40, station "a" .. "z"`. `None` if there is none.
fn current_domain(schema: &ArraySchema) -> Option<String> {
    let sides = schema.current_domain.as_ref()?.iter();
    let ranges = sides.zip(&schema.dimensions).map(|(range, dimension)| {
        let end = |bytes: &[u8]| match read_cell(dimension.datatype, dimension.cell_val_num, bytes)
        {
            Cell::One(Value::Text(text)) => format!("{text:?}"),
            Cell::One(value) => value.to_string(),
            // Not reached: dimensions have one value per cell.
            Cell::Many(values) => format!("{} values", values.len()),
        };
        let (lo, hi) = (end(&range.lo), end(&range.hi));
        format!("{} {lo} .. {hi}", dimension.name)
    });
    Some(ranges.collect::<Vec<String>>().join(", "))
}
