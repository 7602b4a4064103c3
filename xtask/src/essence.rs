//! The part of a fixture's manifest that must be the same when the fixture is made again, and comparing two manifests.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cells::Column;

/// Returns the repeatable part of a manifest: without random names and without the clock.
pub(crate) fn essence(mut manifest: Value) -> Value {
    let repeatable = manifest
        .get("repeatable")
        .and_then(Value::as_bool)
        .unwrap_or(true);
    if let Some(fields) = manifest.as_object_mut() {
        // Old releases read some cells from uninitialized memory, so their answers vary.
        fields.retain(|key, _| !key.starts_with("writer_"));
        let kept = ["name", "format_version", "features", "schema"];
        fields.retain(|key, _| repeatable || kept.contains(&key.as_str()));
    }
    let queries = manifest.get_mut("queries").and_then(Value::as_array_mut);
    for query in queries.into_iter().flatten() {
        if query.get("unordered") == Some(&Value::Bool(true)) {
            sort_rows(query);
        }
    }
    without_names(&mut manifest);
    manifest
}

/// Sorts the rows of an answer without an order.
fn sort_rows(answer: &mut Value) {
    let rows = answer.get("rows").and_then(Value::as_u64).unwrap_or(0);
    let rows = usize::try_from(rows).unwrap_or(0);
    let Some(parts) = answer.get_mut("columns").and_then(Value::as_array_mut) else {
        return;
    };
    let columns: Vec<Column> = parts
        .iter()
        .filter_map(|part| Column::new(part, rows).ok())
        .collect();
    let mut sorted: Vec<Vec<Option<String>>> = (0..rows)
        .map(|row| columns.iter().map(|column| column.raw(row)).collect())
        .collect();
    sorted.sort();
    for part in parts.iter_mut().filter_map(Value::as_object_mut) {
        part.retain(|key, _| !["data", "offsets", "validity"].contains(&key.as_str()));
    }
    parts.push(serde_json::json!(sorted));
}

fn without_names(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_name(text),
        Value::Array(items) => items.iter_mut().for_each(without_names),
        Value::Object(fields) => {
            fields.remove("bytes");
            fields.values_mut().for_each(without_names);
        }
        _ => {}
    }
}

/// Replaces `__t1_t2_uuid` by a placeholder.
fn without_name(text: &str) -> String {
    let is_name =
        |part: &str| part.starts_with("__") && part.split('_').any(|token| token.len() == 32);
    let parts = text
        .split('/')
        .map(|part| if is_name(part) { "<name>" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// Returns the path of the first place where two values differ.
pub(crate) fn first_difference(left: &Value, right: &Value, place: &str) -> Option<String> {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            keys.into_iter().find_map(|key| {
                let place = format!("{place}/{key}");
                match (left.get(key), right.get(key)) {
                    (Some(left), Some(right)) => first_difference(left, right, &place),
                    _ => Some(place),
                }
            })
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let pairs = left.iter().zip(right).enumerate();
            pairs
                .map(|(i, (left, right))| first_difference(left, right, &format!("{place}/{i}")))
                .find_map(|p| p)
        }
        _ => (left != right).then(|| place.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_names_do_not_count() {
        let left = serde_json::json!({"fragments": [{"name": "__110_110_0123456789abcdef0123456789abcdef_22"}]});
        let right = serde_json::json!({"fragments": [{"name": "__110_110_fedcba9876543210fedcba9876543210_22"}]});
        assert_eq!(first_difference(&essence(left), &essence(right), ""), None);
    }

    #[test]
    fn a_difference_is_named_by_its_path() {
        let left = serde_json::json!({"queries": [{"rows": 1}, {"rows": 2}]});
        let right = serde_json::json!({"queries": [{"rows": 1}, {"rows": 3}]});
        assert_eq!(
            first_difference(&left, &right, "").as_deref(),
            Some("/queries/1/rows")
        );
    }

    #[test]
    fn what_is_not_repeatable_compares_by_its_schema() {
        let left = serde_json::json!({"repeatable": false, "schema": 1, "queries": [1]});
        let right = serde_json::json!({"repeatable": false, "schema": 1, "queries": [2]});
        assert_eq!(essence(left), essence(right));
    }

    #[test]
    fn rows_without_an_order_compare_as_a_set() {
        let answer = |data: &str, unordered: bool| {
            let column = serde_json::json!({"name": "x", "datatype": "uint8", "cell_val_num": 1, "data": data});
            essence(
                serde_json::json!({"queries": [{"rows": 2, "unordered": unordered, "columns": [column]}]}),
            )
        };
        assert_eq!(answer("0102", true), answer("0201", true));
        assert_ne!(answer("0102", true), answer("0202", true));
        assert_ne!(answer("0102", false), answer("0201", false));
    }
}
