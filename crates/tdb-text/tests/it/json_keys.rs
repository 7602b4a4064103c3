//! JSON lines that have a key twice.
#![cfg(feature = "json")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use tdb_cells::FieldInfo;
use tdb_cells::files::{Input, InputOptions};
use tdb_schema::{CellValNum, FieldKind};
use tdb_text::JsonLinesInput;
use tdb_tile::Datatype;

/// The errors of a text, when its types are guessed and when its cells are read.
fn refused(text: &'static str) -> [String; 2] {
    let open = || JsonLinesInput::try_new(text.as_bytes(), InputOptions::default());
    let guessed = open().and_then(|input| Box::new(input).guess().map(drop));
    let field = FieldInfo {
        name: "a".to_owned(),
        datatype: Datatype::Int64,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        enumeration: None,
        field: FieldKind::Attribute(0),
    };
    let read = || {
        let mut cells = Box::new(open()?).cells(&[field])?;
        while cells.next()?.is_some() {}
        Ok(())
    };
    [guessed.unwrap_err(), Result::<(), _>::unwrap_err(read())].map(|error| error.to_string())
}

#[test]
fn a_key_that_is_twice_in_a_line_is_refused_with_line_and_key() {
    let first = "line 1, field \"a\": the key is there twice";
    assert_eq!(refused("{\"a\":1,\"a\":2}\n{\"a\":3}\n"), [first, first]);
    let later = "line 3, field \"a\": the key is there twice";
    let text = "{\"a\":1}\n{\"a\":3}\n{\"a\":3,\"\\u0061\":3}\n";
    assert_eq!(refused(text), [later, later]);
}
