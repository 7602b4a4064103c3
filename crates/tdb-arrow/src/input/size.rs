//! Memory of a column's cells if they are expanded, where that can be much more than the column takes.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_schema::DataType;

/// Size of an offset, in bytes.
const OFFSET: u64 = 8;

/// Bytes that cells take after dictionaries, views, decimals as text and nulls are expanded; 0 for types that are not
/// expanded.
pub(super) fn unpacked_size(column: &ArrayRef) -> u64 {
    let rows = (column.len() as u64).saturating_mul(OFFSET);
    let Some(dictionary) = column.as_any_dictionary_opt() else {
        let cells = match column.data_type() {
            DataType::Null => 0,
            DataType::Utf8View | DataType::BinaryView => sum(lengths(column)),
            DataType::Decimal32(digits, scale)
            | DataType::Decimal64(digits, scale)
            | DataType::Decimal128(digits, scale)
            | DataType::Decimal256(digits, scale) => {
                // In text form, with sign, point and a leading zero.
                let length = u64::from(*digits) + u64::from(scale.unsigned_abs());
                (column.len() as u64).saturating_mul(length + 3)
            }
            _ => return 0,
        };
        return rows.saturating_add(cells);
    };
    let labels: Vec<u64> = lengths(dictionary.values()).collect();
    if labels.is_empty() {
        return rows;
    }
    let keys = dictionary.normalized_keys();
    let cells = keys.into_iter().map(|key| labels.get(key).copied());
    rows.saturating_add(sum(cells.flatten()))
}

fn sum(lengths: impl Iterator<Item = u64>) -> u64 {
    lengths.fold(0, u64::saturating_add)
}

/// Size of each value, in bytes.
fn lengths(values: &dyn Array) -> Box<dyn Iterator<Item = u64> + '_> {
    match values.data_type() {
        DataType::Utf8 => between(values.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => between(values.as_string::<i64>().value_offsets()),
        DataType::Binary => between(values.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => between(values.as_binary::<i64>().value_offsets()),
        DataType::Utf8View => of_views(values.as_string_view().views()),
        DataType::BinaryView => of_views(values.as_binary_view().views()),
        _ => {
            let size = values
                .get_buffer_memory_size()
                .div_ceil(values.len().max(1));
            Box::new(std::iter::repeat_n(size as u64, values.len()))
        }
    }
}

fn between<O: OffsetSizeTrait>(offsets: &[O]) -> Box<dyn Iterator<Item = u64> + '_> {
    let lengths = offsets.windows(2).map(|ends| match ends {
        [start, end] => (end.as_usize() - start.as_usize()) as u64,
        _ => 0,
    });
    Box::new(lengths)
}

fn of_views(views: &[u128]) -> Box<dyn Iterator<Item = u64> + '_> {
    // The first four bytes of a view are the length.
    Box::new(views.iter().map(|view| {
        let [a, b, c, d, ..] = view.to_le_bytes();
        u64::from(u32::from_le_bytes([a, b, c, d]))
    }))
}
