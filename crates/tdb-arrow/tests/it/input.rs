//! Arrow columns read as cells of fields.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::{
    ArrayRef, Date32Array, Decimal32Array, Decimal64Array, Decimal128Array, Decimal256Array,
    DictionaryArray, Float16Array, Float64Array, Int16Array, Int64Array, RecordBatch,
    RecordBatchIterator, StringArray, StringViewArray, TimestampMillisecondArray,
};
use arrow_buffer::{Buffer, ScalarBuffer, i256};
use arrow_schema::Schema;
use tdb_arrow::ArrowInput;
use tdb_cells::files::{ColumnChoice, Input, InputError};
use tdb_cells::{Column, FieldInfo};
use tdb_schema::{CellValNum, Enumeration, FieldKind};
use tdb_tile::Datatype;

fn field(datatype: Datatype, cell_val_num: CellValNum, nullable: bool) -> FieldInfo {
    FieldInfo {
        name: "a".to_owned(),
        datatype,
        cell_val_num,
        nullable,
        enumeration: None,
        field: FieldKind::Attribute(0),
    }
}

const ONE: CellValNum = CellValNum::Fixed(1);

#[test]
fn times_of_another_zone_than_utc_are_told() {
    let zoned = |zone: Option<&str>, datatype| {
        let mut stamps = TimestampMillisecondArray::from(vec![1]);
        if let Some(zone) = zone {
            stamps = stamps.with_timezone(zone);
        }
        let array: ArrayRef = Arc::new(stamps);
        let batch = RecordBatch::try_from_iter([("a", array)]).unwrap();
        let schema = batch.schema();
        let batches = RecordBatchIterator::new([Ok(batch)], schema);
        let input = Box::new(ArrowInput::new(Box::new(batches), "Arrow"));
        let fields = [field(datatype, ONE, false)];
        input.cells(&fields).unwrap().zoned()
    };
    let time = Datatype::DateTimeMillisecond;
    assert_eq!(zoned(Some("Europe/Zurich"), time), ["a"]);
    assert_eq!(zoned(Some("+02:00"), time), ["a"]);
    for none in [None, Some("UTC"), Some("+00:00")] {
        assert_eq!(zoned(none, time), [""; 0]);
    }
}

/// Reads two equal batches as cells of a field; returns those of the first.
fn cells(
    array: impl arrow_array::Array + 'static,
    field: &FieldInfo,
) -> Result<Column, InputError> {
    let array: ArrayRef = Arc::new(array);
    let batch = RecordBatch::try_from_iter_with_nullable([("a", array, true)]).unwrap();
    let schema = batch.schema();
    let batches = RecordBatchIterator::new([Ok(batch.clone()), Ok(batch)], schema);
    let input = Box::new(ArrowInput::new(Box::new(batches), "Arrow"));
    let mut cells = input.cells(std::slice::from_ref(field))?;
    let first = cells.next()?.unwrap();
    cells.next()?;
    Ok(first.columns.into_iter().next().unwrap())
}

fn numbers(
    array: impl arrow_array::Array + 'static,
    datatype: Datatype,
) -> Result<Vec<i64>, String> {
    let column = cells(array, &field(datatype, ONE, false)).map_err(|error| error.to_string())?;
    let numbers = column.numbers::<i64>();
    Ok(numbers.map_err(|error| error.to_string())?.collect())
}

#[test]
fn numbers_go_into_other_types_where_no_cell_loses_anything() {
    use Datatype as D;
    assert_eq!(
        numbers(Int16Array::from(vec![1, -2]), D::Int64),
        Ok(vec![1, -2])
    );
    assert_eq!(
        numbers(Float64Array::from(vec![3.0, -4.0]), D::Int64),
        Ok(vec![3, -4])
    );
    let column = cells(Int64Array::from(vec![1, 300]), &field(D::UInt8, ONE, false));
    assert_eq!(
        column.unwrap_err().to_string(),
        "row 1, field \"a\": 300 is not a valid uint8"
    );
    let column = cells(
        Float64Array::from(vec![0.5, 0.1]),
        &field(D::Float32, ONE, false),
    );
    assert_eq!(
        column.unwrap_err().to_string(),
        "row 1, field \"a\": 0.1 is not a valid float32"
    );
    let column = cells(StringArray::from(vec!["1"]), &field(D::Int32, ONE, false));
    assert_eq!(
        column.unwrap_err().to_string(),
        "column \"a\": it holds Utf8, and the field takes int32"
    );
}

#[test]
fn floats_of_16_bits_make_a_field_of_32() {
    let bits = Buffer::from_slice_ref([0x3c00_u16, 0xc100, 0x0001, 0xfc00]);
    let halves: ArrayRef = Arc::new(Float16Array::new(ScalarBuffer::new(bits, 0, 4), None));
    let input = || {
        let batch = RecordBatch::try_from_iter([("a", halves.clone())]).unwrap();
        let schema = batch.schema();
        let batches = RecordBatchIterator::new([Ok(batch)], schema);
        Box::new(ArrowInput::new(Box::new(batches), "Arrow"))
    };
    let guess = input().guess().unwrap().remove(0);
    let field = guess.field(FieldKind::Attribute(0));
    assert_eq!(
        (field.datatype, field.cell_val_num),
        (Datatype::Float32, ONE)
    );
    let batch = input().cells(&[field]).unwrap().next().unwrap().unwrap();
    let wanted = [1.0, -2.5, 2_f32.powi(-24), f32::NEG_INFINITY];
    let wanted: Vec<u8> = wanted.into_iter().flat_map(f32::to_le_bytes).collect();
    assert_eq!(*batch.columns[0].values, wanted);
}

#[test]
fn dates_go_into_other_units_where_they_are_whole() {
    use Datatype as D;
    let days = || Date32Array::from(vec![Some(1), None]);
    assert_eq!(numbers(days(), D::DateTimeDay), Ok(vec![1, i64::MIN]));
    assert_eq!(numbers(days(), D::DateTimeHour), Ok(vec![24, i64::MIN]));
    let stamps = TimestampMillisecondArray::from(vec![86_400_000, 1]);
    assert_eq!(
        numbers(stamps, D::DateTimeSecond).unwrap_err(),
        "row 1, field \"a\": 1 of Timestamp(ms) is not a whole number of datetime_sec"
    );
    assert!(numbers(days(), D::TimeSecond).is_err());
}

#[test]
fn nulls_are_zeros_and_bits_or_wrong() {
    let array = || Int64Array::from(vec![Some(7), None, Some(9)]);
    let column = cells(array(), &field(Datatype::Int64, ONE, true)).unwrap();
    assert_eq!(
        column.numbers::<i64>().unwrap().collect::<Vec<_>>(),
        [7, 0, 9]
    );
    assert_eq!(
        column
            .validity
            .as_deref()
            .map(|bits| bits.first().map(|b| b & 7)),
        Some(Some(0b101))
    );
    let error = cells(array(), &field(Datatype::Int64, ONE, false)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 1, field \"a\": is null, and the field is not nullable"
    );
}

#[test]
fn texts_of_any_kind_are_labels_or_cells() {
    let labels = ["red", "green"];
    let file = "__0123_0";
    let enumeration = Enumeration::from_values(
        "colours",
        file,
        Datatype::StringUtf8,
        CellValNum::Var,
        false,
        labels,
    );
    let enumerated = FieldInfo {
        enumeration: Some(Arc::new(enumeration.unwrap())),
        ..field(Datatype::UInt8, ONE, false)
    };
    let dictionary: DictionaryArray<arrow_array::types::Int8Type> =
        ["green", "red", "green"].into_iter().collect();
    let column = cells(dictionary.clone(), &enumerated).unwrap();
    assert_eq!(&column.values[..], [1, 0, 1]);
    let error = cells(StringViewArray::from(vec!["red", "blue"]), &enumerated).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 1, field \"a\": \"blue\" is not a label of enumeration \"colours\""
    );
    let column = cells(
        dictionary,
        &field(Datatype::StringUtf8, CellValNum::Var, false),
    )
    .unwrap();
    assert_eq!(&column.values[..], b"greenredgreen");
}

#[test]
fn lists_are_cells_of_several_numbers() {
    let lists = || {
        let mut lists = ListBuilder::new(Int32Builder::new());
        lists.append_value([Some(1), Some(2)]);
        lists.append_null();
        lists.append_value([Some(3)]);
        lists.finish()
    };
    let column = cells(lists(), &field(Datatype::Int32, CellValNum::Var, true)).unwrap();
    let sizes: Vec<_> = (0..3)
        .map(|row| column.cell(row).map(<[u8]>::len))
        .collect();
    assert_eq!(sizes, [Some(8), Some(0), Some(4)]);
    let error = cells(lists(), &field(Datatype::Int32, CellValNum::Fixed(2), true)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 2, field \"a\": 1 values, and a cell has 2"
    );
}

/// A table as pandas writes it: its index has no name, and one column is of decimals.
fn table() -> ArrowInput {
    let prices = Decimal128Array::from(vec![150, 250]);
    let columns: [(&str, ArrayRef); 3] = [
        ("price", Arc::new(prices)),
        ("count", Arc::new(Int16Array::from(vec![1, 2]))),
        ("__index_level_0__", Arc::new(Int64Array::from(vec![3, 4]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let metadata = [("pandas".to_owned(), "{}".to_owned())];
    let schema = Schema::clone(&batch.schema()).with_metadata(metadata.into());
    let batch = batch.with_schema(Arc::new(schema)).unwrap();
    let schema = batch.schema();
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    ArrowInput::new(Box::new(batches), "Arrow")
}

#[test]
fn columns_are_left_out_named_and_typed() {
    let choice = ColumnChoice {
        without: vec!["price".to_owned()],
        renamed: vec![("count".to_owned(), "n".to_owned())],
        types: vec![("n".to_owned(), Datatype::UInt8)],
        index: Some("index".to_owned()),
        ..ColumnChoice::default()
    };
    let input = || Box::new(table().with_columns(&choice).unwrap());
    let guesses = input().guess().unwrap();
    let found = guesses.iter().map(|guess| (&*guess.name, guess.datatype));
    let wanted = [("n", Datatype::UInt8), ("index", Datatype::Int64)];
    assert_eq!(found.collect::<Vec<_>>(), wanted);
    let fields: Vec<FieldInfo> = guesses
        .iter()
        .map(|guess| guess.field(FieldKind::Attribute(0)))
        .collect();
    let batch = input().cells(&fields).unwrap().next().unwrap().unwrap();
    assert_eq!(*batch.columns[0].values, [1, 2]);
    assert_eq!(batch.columns[1].name, "index");

    let error = table().with_columns(&ColumnChoice {
        only: vec!["prize".to_owned()],
        ..ColumnChoice::default()
    });
    let error = error.err().unwrap();
    assert_eq!(error.to_string(), "there is no column \"prize\"");
}

#[test]
fn decimals_are_read_as_what_is_asked_for() {
    let decimals = |scale| {
        let values = Decimal128Array::from(vec![Some(1234), None, Some(-500)]);
        values.with_precision_and_scale(9, scale).unwrap()
    };
    let float = field(Datatype::Float64, ONE, true);
    let column = cells(decimals(2), &float).unwrap();
    assert_eq!(
        column.numbers::<f64>().unwrap().collect::<Vec<_>>(),
        [12.34, 0.0, -5.0]
    );
    assert_eq!(
        (0..3).map(|row| column.is_valid(row)).collect::<Vec<_>>(),
        [true, false, true]
    );
    let whole = field(Datatype::Int64, ONE, true);
    let column = cells(decimals(-2), &whole).unwrap();
    assert_eq!(
        column.numbers::<i64>().unwrap().collect::<Vec<_>>(),
        [123_400, 0, -50_000]
    );
    let text = field(Datatype::StringUtf8, CellValNum::Var, true);
    let column = cells(decimals(3), &text).unwrap();
    assert_eq!(&column.values[..], b"1.234-0.500");
    assert_eq!(column.cell(1), Some(&[][..]));
}

#[test]
fn decimals_of_all_widths_have_the_same_values() {
    let arrays: [ArrayRef; 4] = [
        Arc::new(
            Decimal32Array::from(vec![150])
                .with_precision_and_scale(9, 2)
                .unwrap(),
        ),
        Arc::new(
            Decimal64Array::from(vec![150])
                .with_precision_and_scale(9, 2)
                .unwrap(),
        ),
        Arc::new(
            Decimal128Array::from(vec![150])
                .with_precision_and_scale(9, 2)
                .unwrap(),
        ),
        Arc::new(
            Decimal256Array::from(vec![i256::from_i128(150)])
                .with_precision_and_scale(9, 2)
                .unwrap(),
        ),
    ];
    for array in arrays {
        let column = cells(array, &field(Datatype::Float32, ONE, false)).unwrap();
        assert_eq!(*column.values, 1.5_f32.to_le_bytes());
    }
}

#[test]
fn a_decimal_that_does_not_fit_is_told_with_its_row() {
    let refused = |values: Vec<i128>, scale, datatype| {
        let values = Decimal128Array::from(values);
        let values = values.with_precision_and_scale(38, scale).unwrap();
        let error = cells(values, &field(datatype, ONE, false)).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        refused(vec![100, 250], 2, Datatype::Int64),
        "row 1, field \"a\": 2.50 is not a valid int64"
    );
    assert_eq!(
        refused(vec![i128::from(i64::MAX) + 1], 0, Datatype::Int64),
        "row 0, field \"a\": 9223372036854775808 is not a valid int64"
    );
    assert_eq!(
        refused(vec![1], 0, Datatype::DateTimeDay),
        "column \"a\": it holds Decimal128(38, 0), and the field takes datetime_day"
    );
}

#[test]
fn a_column_of_decimals_whose_type_is_given_is_imported() {
    let choice = ColumnChoice {
        types: vec![("price".to_owned(), Datatype::Float64)],
        ..ColumnChoice::default()
    };
    let guesses = Box::new(table().with_columns(&choice).unwrap())
        .guess()
        .unwrap();
    assert_eq!(guesses[0].datatype, Datatype::Float64);
    assert_eq!(guesses[0].name, "price");
}

#[test]
fn what_has_no_datatype_is_told_with_the_way_round() {
    let error = Box::new(table()).guess().err().unwrap();
    assert_eq!(
        error.to_string(),
        "column \"price\": TileDB has no datatype for Decimal128(38, 10)"
    );
    assert_eq!(
        error.hint(),
        Some(
            "--type price=float64 reads it, and keeps 15 digits; --type price=string_utf8 keeps them all; \
             --exclude price reads the other columns"
        )
    );
}
