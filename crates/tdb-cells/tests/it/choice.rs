//! Selection and renaming of the columns of a file.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use tdb_cells::files::{ColumnChoice, InputError, by_name};
use tdb_tile::{Datatype, ErrorKind};

use crate::support::field;

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The names in the array of the columns of a file with three columns.
fn names(choice: &ColumnChoice) -> Result<Vec<Option<String>>, InputError> {
    choice.names(&owned(&["a", "b", "c"]))
}

/// The error of a choice of columns, and its hint.
fn told(choice: &ColumnChoice) -> (String, String) {
    let error = names(choice).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    (error.to_string(), error.hint().unwrap().to_owned())
}

fn renamed(from: &str, to: &str) -> ColumnChoice {
    ColumnChoice {
        renamed: vec![(from.to_owned(), to.to_owned())],
        ..ColumnChoice::default()
    }
}

#[test]
fn all_columns_are_read_where_nothing_is_said() {
    let all = names(&ColumnChoice::default()).unwrap();
    assert_eq!(all, ["a", "b", "c"].map(|name| Some(name.to_owned())));
    assert!(ColumnChoice::default().names(&[]).unwrap().is_empty());
}

#[test]
fn columns_are_chosen_left_out_and_renamed() {
    let mut choice = renamed("c", "b");
    choice.only = owned(&["c", "a"]);
    let chosen = vec![Some("a".to_owned()), None, Some("b".to_owned())];
    assert_eq!(names(&choice).unwrap(), chosen);
    choice.without = owned(&["a"]);
    assert_eq!(names(&choice).unwrap(), [None, None, Some("b".to_owned())]);
    assert_eq!((choice.name("c"), choice.name("a")), (Some("b"), None));
    // Names in the file count as mentioned, names in the array do not.
    assert_eq!(
        ["a", "b", "c"].map(|name| choice.mentions(name)),
        [true, false, true]
    );
}

#[test]
fn the_last_datatype_that_is_said_of_a_column_counts() {
    let mut choice = renamed("a", "x");
    let typed = |name: &str, datatype| (name.to_owned(), datatype);
    choice.types = vec![
        typed("x", Datatype::Int8),
        typed("b", Datatype::Int16),
        typed("x", Datatype::Int32),
    ];
    assert_eq!(choice.datatype("x"), Some(Datatype::Int32));
    assert_eq!(
        (choice.datatype("b"), choice.datatype("a")),
        (Some(Datatype::Int16), None)
    );
    assert!(names(&choice).is_ok());
}

#[test]
fn names_that_no_column_has_are_told() {
    let told_of = |choice| {
        let (text, hint) = told(&choice);
        assert!(hint.contains("the columns are a, b, c"), "{hint}");
        text
    };
    let unknown = owned(&["a", "d"]);
    let only = ColumnChoice {
        only: unknown.clone(),
        ..ColumnChoice::default()
    };
    let without = ColumnChoice {
        without: unknown,
        ..ColumnChoice::default()
    };
    for choice in [only, without, renamed("d", "a")] {
        assert_eq!(told_of(choice), r#"there is no column "d""#);
    }
}

#[test]
fn datatypes_of_columns_that_are_not_read_are_told() {
    let typed = |mut choice: ColumnChoice, name: &str| {
        choice.types = vec![(name.to_owned(), Datatype::Int8)];
        told(&choice)
    };
    let (text, hint) = typed(renamed("a", "x"), "a");
    assert_eq!(
        text,
        r#"a datatype is given for column "a", which is renamed to "x""#
    );
    assert_eq!(hint, "--type takes the new name");
    let without = ColumnChoice {
        without: owned(&["a"]),
        ..ColumnChoice::default()
    };
    let (text, hint) = typed(without, "a");
    assert_eq!(
        text,
        r#"a datatype is given for column "a", which is left out"#
    );
    assert_eq!(hint, "--columns and --exclude choose the columns");
    let (text, _) = typed(ColumnChoice::default(), "d");
    assert_eq!(text, r#"there is no column "d""#);
}

#[test]
fn a_choice_of_no_column_is_told() {
    let choice = ColumnChoice {
        without: owned(&["a", "b", "c"]),
        ..ColumnChoice::default()
    };
    let (text, hint) = told(&choice);
    assert_eq!(text, "all columns of the file are left out");
    assert_eq!(hint, "--columns and --exclude choose some of them");
}

#[test]
fn fields_are_found_by_the_names_of_columns() {
    let fields = ["x", "y", "z"].map(|name| field(name, Datatype::Int32));
    let found = |names: &[&str]| by_name(&owned(names), &fields);
    assert_eq!(found(&["z", "x", "y"]).unwrap(), [2, 0, 1]);
    let error = found(&["z", "x", "w"]).unwrap_err();
    assert_eq!(error.to_string(), r#"there is no field "w""#);
    assert!(error.hint().unwrap().ends_with("the fields are x, y, z"));
    let error = found(&["z", "x"]).unwrap_err();
    assert_eq!(error.to_string(), r#"there is no column "y""#);
    assert!(error.hint().unwrap().ends_with("the columns are z, x"));
    let error = found(&["z", "x", "z", "y"]).unwrap_err();
    assert_eq!(error.to_string(), r#"column "z": is there twice"#);
}
