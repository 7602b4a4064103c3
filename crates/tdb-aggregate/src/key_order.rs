//! The order of groups, and the labels of their keys.

use std::cmp::Ordering;

use tdb_cells::FieldInfo;
use tdb_cells::files::read_index;
use tdb_schema::Enumeration;
use tdb_schema::value::holds_bytes;
use tdb_tile::Datatype;

use crate::same_value::SameValue;

/// Replaces indexes by labels. An index without a label becomes null.
pub(crate) fn labelled(
    keys: Vec<Option<Box<[u8]>>>,
    fields: &[FieldInfo],
) -> Vec<Option<Box<[u8]>>> {
    let keys = keys
        .into_iter()
        .zip(fields)
        .map(|(key, field)| match &field.enumeration {
            None => key,
            Some(labels) => {
                let label = key.and_then(|key| label(labels, field, &key));
                label.map(|label| SameValue::of_type(labels.datatype()).of(label).into())
            }
        });
    keys.collect()
}

/// Compares two groups. Labels of an ordered enumeration are compared by index, others by value. Groups are equal only
/// if all values are.
pub(crate) fn by_keys<V: AsRef<[u8]>>(
    fields: &[FieldInfo],
    a: &[Option<V>],
    b: &[Option<V>],
) -> Ordering {
    let keys = fields.iter().zip(bytes(a).zip(bytes(b)));
    keys.map(|(field, (a, b))| match (a, b) {
        (Some(a), Some(b)) => match field.enumeration.as_deref() {
            Some(labels) if !labels.is_ordered() => {
                let (a, b) = (label(labels, field, a), label(labels, field, b));
                match (a, b) {
                    (Some(a), Some(b)) => by_value(labels.datatype(), a, b),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                }
            }
            _ => by_value(field.datatype, a, b),
        },
        (a, b) => b.is_some().cmp(&a.is_some()),
    })
    .find(|order| order.is_ne())
    .unwrap_or_else(|| bytes(a).cmp(bytes(b)))
}

fn bytes<V: AsRef<[u8]>>(values: &[Option<V>]) -> impl Iterator<Item = Option<&[u8]>> {
    values.iter().map(|value| value.as_ref().map(AsRef::as_ref))
}

/// Returns the label of an index; `None` if there is none.
fn label<'l>(labels: &'l Enumeration, field: &FieldInfo, index: &[u8]) -> Option<&'l [u8]> {
    let index = read_index(index, field.datatype.is_signed())?;
    labels.value(usize::try_from(index).ok()?)
}

/// Compares two cells value by value.
fn by_value(datatype: Datatype, a: &[u8], b: &[u8]) -> Ordering {
    if holds_bytes(datatype) {
        return a.cmp(b);
    }
    let size = datatype.size();
    let mut values = a.chunks(size).zip(b.chunks(size));
    let differing = values.find_map(|(a, b)| {
        let order = datatype.total_order(a, b);
        order.is_ne().then_some(order)
    });
    differing.unwrap_or_else(|| a.len().cmp(&b.len()))
}
