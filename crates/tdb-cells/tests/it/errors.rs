//! Message, class and hint of each error.

use std::io;

use tdb_cells::files::{ConversionError, InputError, InputPlace};
use tdb_cells::{CellProblem, CellType, CellsError, ColumnProblem, TileError};
use tdb_schema::CellValNum;
use tdb_schema::names::UnknownName;
use tdb_store::StoreError;
use tdb_tile::{Bug, Datatype, ErrorKind, LimitError};

const LIMIT: LimitError = LimitError {
    what: "memory",
    setting: "memory budget",
    asked: 7,
    allowed: 5,
};

#[test]
fn places_in_files_are_lines_or_rows() {
    let what = |place| InputError::record(place, "an odd quote").to_string();
    assert_eq!(what(InputPlace::Line(3)), "line 3: an odd quote");
    assert_eq!(what(InputPlace::Row(0)), "row 0: an odd quote");
    let cell = InputError::Cell {
        field: "rain".to_owned(),
        place: InputPlace::Line(9),
        what: "\"x\" is not a valid int32".to_owned(),
        hint: Some("a number"),
    };
    assert_eq!(
        cell.to_string(),
        r#"line 9, field "rain": "x" is not a valid int32"#
    );
    assert_eq!(
        (cell.kind(), cell.hint()),
        (ErrorKind::Invalid, Some("a number"))
    );
}

#[test]
fn errors_of_input_are_told_with_what_would_help() {
    let place = InputPlace::Line(1);
    let error = || UnknownName::new("field", "x", ["y"]);
    let limit = InputError::TooLarge { place, limit: 9 };
    let window = InputError::Window {
        format: "zstd",
        allowed: 8,
    };
    let unfit = InputError::Unfit {
        what: "nothing".to_owned(),
        hint: "try",
    };
    let column = InputError::column("a", "is there twice");
    let library = InputError::Library {
        format: "Parquet",
        source: "odd".into(),
    };
    let none = InputError::NoDatatype {
        column: "a".to_owned(),
        data_type: "Map".to_owned(),
        hint: "leave it out".to_owned(),
    };
    let latin = Some("iconv -f LATIN1 -t UTF-8 makes UTF-8 of it, if it is Latin-1");
    let is_there = Some("the fields are y");
    for (found, text, kind, hint) in [
        (
            InputError::NotUtf8 { place },
            "line 1: not UTF-8",
            ErrorKind::Invalid,
            latin,
        ),
        (
            column,
            r#"column "a": is there twice"#,
            ErrorKind::Invalid,
            None,
        ),
        (
            none,
            r#"column "a": TileDB has no datatype for Map"#,
            ErrorKind::Invalid,
            Some("leave it out"),
        ),
        (
            InputError::Names(error()),
            r#"there is no field "x""#,
            ErrorKind::Invalid,
            is_there,
        ),
        (
            InputError::Key {
                place,
                error: error(),
            },
            r#"line 1: there is no field "x""#,
            ErrorKind::Invalid,
            is_there,
        ),
        (unfit, "nothing", ErrorKind::Invalid, Some("try")),
        (
            limit,
            "line 1: more than 9 bytes in one record",
            ErrorKind::Limit,
            None,
        ),
        (
            window,
            "zstd data with a window of more than 8 bytes (memory budget)",
            ErrorKind::Memory,
            None,
        ),
        (
            LIMIT.into(),
            "memory of 7 is over the limit of 5 (memory budget)",
            ErrorKind::Memory,
            None,
        ),
        (
            library,
            "not a valid Parquet file",
            ErrorKind::Invalid,
            None,
        ),
    ] {
        assert_eq!(
            (found.to_string().as_str(), found.kind(), found.hint()),
            (text, kind, hint)
        );
    }
    assert_eq!(InputError::from(Bug::new("odd")).kind(), ErrorKind::Bug);
}

#[test]
fn an_error_of_input_comes_through_a_reader_as_it_was() {
    let inner = InputError::TooLarge {
        place: InputPlace::Row(4),
        limit: 1,
    };
    let through = InputError::from(io::Error::other(inner));
    assert!(matches!(
        through,
        InputError::TooLarge {
            place: InputPlace::Row(4),
            limit: 1
        }
    ));
    let own = |kind: io::ErrorKind| InputError::from(io::Error::new(kind, "gone"));
    assert_eq!(own(io::ErrorKind::NotFound).to_string(), "input: gone");
    assert_eq!(own(io::ErrorKind::NotFound).kind(), ErrorKind::Store);
    assert_eq!(own(io::ErrorKind::InvalidData).kind(), ErrorKind::Invalid);
}

#[test]
fn errors_of_output_are_told_with_what_would_help() {
    let field = || "day".to_owned();
    let range = ConversionError::DateRange {
        field: field(),
        cell: 3,
        datatype: Datatype::DateTimeDay,
        ticks: 9,
        type_name: "Date32".to_owned(),
    };
    let value = ConversionError::ValueNotUtf8 {
        enumeration: "e".to_owned(),
        value: 2,
    };
    let unfit = ConversionError::Unfit {
        what: "nothing".to_owned(),
        hint: "try",
    };
    let column = ConversionError::column("day", "too short");
    let bytes = Some("--binary-strings gives the bytes");
    for (found, text, kind, hint) in [
        (
            ConversionError::NotUtf8 {
                field: field(),
                cell: 0,
            },
            r#"field "day", cell 0 of the result: not UTF-8"#,
            ErrorKind::Corrupt,
            bytes,
        ),
        (
            value,
            r#"enumeration "e", value 2: not UTF-8"#,
            ErrorKind::Corrupt,
            bytes,
        ),
        (
            range,
            r#"field "day", cell 3 of the result: datetime_day 9 is beyond Date32"#,
            ErrorKind::Unsupported,
            Some("--ticks gives the raw number"),
        ),
        (unfit, "nothing", ErrorKind::Invalid, Some("try")),
        (
            column,
            r#"field "day": too short"#,
            ErrorKind::Corrupt,
            None,
        ),
        (
            io::Error::other("full").into(),
            "output: full",
            ErrorKind::Store,
            None,
        ),
        (
            ConversionError::library("Arrow", "odd"),
            "Arrow",
            ErrorKind::Store,
            None,
        ),
    ] {
        assert_eq!(
            (found.to_string().as_str(), found.kind(), found.hint()),
            (text, kind, hint)
        );
    }
}

fn tile(source: TileError) -> CellsError {
    CellsError::Tile {
        fragment: "f".to_owned(),
        field: "a".to_owned(),
        tile: 3,
        file: "a0.tdb".to_owned(),
        offset: 20,
        source: Box::new(source),
    }
}

#[test]
fn errors_of_tiles_tell_where_the_tile_is() {
    let gone = TileError::Store(StoreError::NotFound {
        key: "k".to_owned(),
    });
    let error = tile(gone);
    assert_eq!(
        error.to_string(),
        r#"fragment f, field "a", tile 3 (a0.tdb from byte 20 on)"#
    );
    assert_eq!((error.kind(), error.hint()), (ErrorKind::NotFound, None));
    assert_eq!(error.damaged_fragment(), Some("f"));
    // A limit that was exceeded does not count as damage.
    let error = tile(TileError::Limit(LIMIT));
    assert_eq!(
        (error.kind(), error.damaged_fragment()),
        (ErrorKind::Memory, None)
    );
    let lost = CellsError::LostTile {
        fragment: "f".to_owned(),
        tile: 5,
        lost_from: 4,
        tiles: 6,
        cells: "x 1..4".to_owned(),
    };
    let text = "fragment f lacks the cells x 1..4: its tiles from number 4 on, of 6, were lost when TileDB 2.0 to 2.2 wrote it";
    assert_eq!(lost.to_string(), text);
    assert_eq!(
        (lost.kind(), lost.damaged_fragment()),
        (ErrorKind::Corrupt, Some("f"))
    );
    assert!(
        lost.hint()
            .is_some_and(|hint| hint.starts_with("no file holds these cells"))
    );
}

#[test]
fn metadata_has_the_kind_of_what_is_wrong_with_it() {
    for (kind, damaged) in [
        (ErrorKind::Corrupt, Some("f")),
        (ErrorKind::Limit, None),
        (ErrorKind::Memory, None),
    ] {
        let error = CellsError::Metadata {
            key: "f/__fragment_metadata.tdb".to_owned(),
            fragment: "f".to_owned(),
            kind,
            source: "odd".into(),
        };
        assert_eq!((error.kind(), error.damaged_fragment()), (kind, damaged));
        assert_eq!(error.to_string(), "f/__fragment_metadata.tdb");
    }
    assert_eq!(CellsError::from(LIMIT).kind(), ErrorKind::Memory);
    assert_eq!(CellsError::from(Bug::new("odd")).kind(), ErrorKind::Bug);
    assert_eq!(CellsError::from(LIMIT).damaged_fragment(), None);
}

#[test]
fn problems_of_columns_are_told() {
    let of = |values| CellType(Datatype::Int32, values);
    let (wanted, found) = (of(CellValNum::Var), of(CellValNum::Fixed(3)));
    assert_eq!(of(CellValNum::Fixed(1)).to_string(), "int32");
    for (problem, text) in [
        (ColumnProblem::Missing, "there is no column for it"),
        (ColumnProblem::Twice, "there are two columns for it"),
        (
            ColumnProblem::Type { wanted, found },
            "its cells are any number of int32, the column has 3 values of int32",
        ),
        (
            ColumnProblem::Length {
                what: "offsets",
                wanted: 8,
                found: 9,
            },
            "offsets should be 8 bytes long and are 9",
        ),
        (
            ColumnProblem::Offsets { wanted: true },
            "offsets are missing",
        ),
        (
            ColumnProblem::Offsets { wanted: false },
            "offsets are given, and cells have a fixed size",
        ),
    ] {
        assert_eq!(problem.to_string(), text);
    }
}

#[test]
fn problems_of_cells_are_told() {
    let value = || "7".to_owned();
    for (problem, text) in [
        (
            CellProblem::OutsideDomain { value: value() },
            "7 lies outside the domain",
        ),
        (
            CellProblem::OutsideCurrentDomain { value: value() },
            "7 lies outside the current domain",
        ),
        (CellProblem::NotANumber, "a coordinate cannot be NaN"),
        (CellProblem::Null, "is null, and the field is not nullable"),
        (
            CellProblem::Offsets {
                start: 1,
                end: 9,
                size: 4,
            },
            "its offsets 1 to 9 do not lie in order within 4 bytes of values",
        ),
        (
            CellProblem::Fraction { len: 5, size: 4 },
            "5 bytes are not a whole number of values of 4 bytes",
        ),
        (
            CellProblem::Duplicate { other: 3 },
            "cell 3 has the same coordinates",
        ),
        (
            CellProblem::NotSorted { other: 3 },
            "comes before cell 3 in global order",
        ),
    ] {
        assert_eq!(problem.to_string(), text);
    }
    let unfit = CellProblem::Unfit {
        value: value(),
        filter: "delta",
        range: "0 to 5".to_owned(),
    };
    let text = "the filter delta of the field stores numbers from 0 to 5, which 7 is not";
    assert_eq!(unfit.to_string(), text);
}
