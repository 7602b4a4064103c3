//! Fields that a fragment lacks are filled with the value of cells that were never written.

use tdb_cells::{
    CellTable, CellsError, FetchedBytes, FragmentTiles, RowRange, Segment, Session, TileRows,
};
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension, FieldKind};
use tdb_tile::Datatype;

use super::{Loading, fill_is_valid, fill_of, load};
use crate::cell_sizes::CellSizes;
use crate::test_support::{first, row, session_of_memory};

/// Attributes with two values per cell, a nullable text, and a number whose fill value is null.
fn schema() -> ArraySchema {
    let mut pair = Attribute::new("pair", Datatype::Int16).with_cell_val_num(CellValNum::Fixed(2));
    pair.fill = vec![1, 2, 3, 4].into();
    let mut text = Attribute::new("text", Datatype::StringUtf8).with_cell_val_num(CellValNum::Var);
    text.fill = "none".into();
    text.nullable = true;
    text.fill_valid = true;
    let mut number = Attribute::new("number", Datatype::Int32);
    number.nullable = true;
    let dimension = Dimension::numbers("x", Datatype::Int32, (0, 99), 10);
    ArraySchema::new(ArrayType::Sparse, vec![dimension], vec![pair, text, number])
}

/// Two tiles of one fragment and one tile of another.
fn table() -> CellTable {
    let tile = |number, rows, wanted| TileRows {
        tile: TileNumber::new(number),
        rows,
        full: true,
        wanted,
    };
    let segment = |fragment, rows, tiles| Segment {
        fragment: FragmentIndex::new(fragment),
        rows,
        tiles,
    };
    let (one, two, three) = (
        first(3),
        first(3).next(2).unwrap(),
        first(5).next(4).unwrap(),
    );
    CellTable::new(vec![
        segment(
            0,
            one.until(two),
            vec![tile(0, one, true), tile(7, two, true)],
        ),
        segment(2, three, vec![tile(1, three, true)]),
    ])
}

fn attributes() -> Vec<FieldKind> {
    (0..3).map(FieldKind::Attribute).collect()
}

/// Loads fields of a table whose fragments have none of them.
fn loaded(session: &Session, fields: &[FieldKind]) -> Result<CellTable, CellsError> {
    let (mut table, tiles, schema) = (table(), FragmentTiles::default(), schema());
    let how = Loading {
        session,
        schema: &schema,
        bytes: &FetchedBytes::default(),
    };
    load(how, &mut table, fields, &|_| Some(&tiles))?;
    Ok(table)
}

#[test]
fn fields_that_a_fragment_lacks_are_filled() {
    let session = session_of_memory(1 << 20);
    let table = loaded(&session, &attributes()).unwrap();
    let column = |attribute| table.column(FieldKind::Attribute(attribute)).unwrap();
    let (pair, text, number) = (column(0), column(1), column(2));
    for row in 0..9 {
        assert_eq!(pair.cell(row).unwrap(), [1, 2, 3, 4]);
        assert_eq!(text.cell(row).unwrap(), b"none");
        assert_eq!(number.cell(row).unwrap(), i32::MIN.to_le_bytes());
    }
    assert!(pair.cell(9).is_err() && text.cell(9).is_err());
    assert_eq!((&pair.validity, &text.validity), (&None, &Some(vec![1; 9])));
    assert_eq!(number.validity, Some(vec![0; 9]));
    let rows: Vec<RowRange> = table.segments.iter().map(|segment| segment.rows).collect();
    assert_eq!(pair.missing, rows);
    assert!(pair.lacks(rows[0]) && pair.lacks(rows[1]) && !pair.lacks(first(3)));
    // No tile was read.
    assert_eq!(session.profile().tiles_read, 0);
}

#[test]
fn loaded_cells_count_as_long_as_their_table_is_there() {
    // Pairs; offsets, validity and values of texts; values and validity of numbers.
    let bytes = 9 * (4 + (8 + 1 + 4) + (4 + 1));
    let session = session_of_memory(bytes);
    let table = loaded(&session, &attributes()).unwrap();
    assert_eq!(
        (session.limits().budget.used(), table.bytes_held()),
        (bytes, bytes)
    );
    assert!(loaded(&session, &attributes()).is_err());
    assert_eq!(session.limits().budget.used(), bytes);
    drop(table);
    assert_eq!(session.limits().budget.used(), 0);
    assert!(loaded(&session_of_memory(bytes - 1), &attributes()).is_err());
}

#[test]
fn times_that_a_fragment_does_not_store_are_its_own() {
    let kinds = [FieldKind::Timestamps, FieldKind::DeleteTimestamps];
    let table = loaded(&session_of_memory(1 << 20), &kinds).unwrap();
    let time = |kind| table.column(kind).unwrap().u64_at(row(8)).unwrap();
    // Without a fragment the time is 0, and no cell is deleted.
    assert_eq!(kinds.map(time), [FragmentTiles::default().time(), u64::MAX]);
}

#[test]
fn what_cannot_be_loaded_is_told() {
    let (session, schema) = (session_of_memory(1 << 20), schema());
    let error = loaded(&session, &[FieldKind::Attribute(3)]).unwrap_err();
    assert!(error.to_string().contains("not in the schema"), "{error}");
    let how = Loading {
        session: &session,
        schema: &schema,
        bytes: &FetchedBytes::default(),
    };
    let (mut table, tiles) = (table(), FragmentTiles::default());
    let unknown = load(how, &mut table, &attributes(), &|_| None).unwrap_err();
    assert!(
        unknown
            .to_string()
            .contains("tiles of a fragment that is not known"),
        "{unknown}"
    );
    table.segments[0].tiles.pop();
    let picked = load(how, &mut table, &attributes(), &|_| Some(&tiles)).unwrap_err();
    assert!(
        picked.to_string().contains("of cells that were picked"),
        "{picked}"
    );
    assert!(!table.has(FieldKind::Attribute(0)));
}

#[test]
fn sizes_of_cells_are_known_before_they_are_loaded() {
    let schema = schema();
    let sizes = CellSizes::new(&schema, &attributes());
    assert_eq!(sizes.per_row(), 4 + (8 + 1) + (4 + 1));
    let tile = sizes.of_tile(&FragmentTiles::default(), TileNumber::new(0), 10);
    assert_eq!(tile, 10 * u128::from(sizes.per_row() + 4));
    let none = CellSizes::new(&schema, &[FieldKind::Attribute(9)]);
    assert_eq!((none.per_row(), CellSizes::default().per_row()), (0, 0));
    assert_eq!(
        CellSizes::new(&schema, &[FieldKind::Dimension(0)]).per_row(),
        4
    );
}

#[test]
fn fill_values_are_those_of_the_attribute() {
    let schema = schema();
    let fills = [0, 1, 2, 3].map(|attribute| fill_of(&schema, FieldKind::Attribute(attribute)));
    assert_eq!(
        fills,
        [&[1, 2, 3, 4][..], b"none", &i32::MIN.to_le_bytes(), &[]]
    );
    let valid =
        [0, 1, 2, 3].map(|attribute| fill_is_valid(&schema, FieldKind::Attribute(attribute)));
    assert_eq!(valid, [false, true, false, false]);
    assert!(fill_of(&schema, FieldKind::Dimension(0)).is_empty());
    assert!(fill_is_valid(&schema, FieldKind::Dimension(0)));
}
