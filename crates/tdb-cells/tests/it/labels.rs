//! Labels of the cells of enumerated fields.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;

use proptest::prelude::*;
use tdb_cells::FieldInfo;
use tdb_cells::files::{Labels, indexes, labels_of, read_index, shown_type, wanted};
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::Datatype;

use crate::support::{cases, field};

fn skies() -> Arc<Enumeration> {
    let labels = ["clear", "grey", "dark"];
    let text = Datatype::StringUtf8;
    let skies = Enumeration::from_values("skies", "__skies", text, CellValNum::Var, false, labels);
    Arc::new(skies.unwrap())
}

fn with_labels(datatype: Datatype) -> FieldInfo {
    let mut field = field("sky", datatype);
    field.enumeration = Some(skies());
    field
}

#[test]
fn only_fields_of_one_integer_have_labels() {
    assert_eq!(labels_of(&with_labels(Datatype::UInt8)).unwrap().len(), 3);
    assert!(labels_of(&with_labels(Datatype::Int64)).is_some());
    assert!(labels_of(&field("sky", Datatype::UInt8)).is_none());
    for datatype in [Datatype::Bool, Datatype::Float32, Datatype::DateTimeDay] {
        assert!(labels_of(&with_labels(datatype)).is_none(), "{datatype}");
    }
    let mut pairs = with_labels(Datatype::UInt8);
    pairs.cell_val_num = CellValNum::Fixed(2);
    assert!(labels_of(&pairs).is_none());
    assert_eq!(shown_type(&pairs), (Datatype::UInt8, CellValNum::Fixed(2)));
    let shown = shown_type(&with_labels(Datatype::UInt8));
    assert_eq!(shown, (Datatype::StringUtf8, CellValNum::Var));
}

#[test]
fn labels_have_indexes_of_the_type_of_the_field() {
    for (datatype, dark) in [
        (Datatype::UInt8, &[2_u8][..]),
        (Datatype::Int32, &[2, 0, 0, 0]),
    ] {
        let indexes = indexes(&skies(), datatype);
        assert_eq!(indexes.len(), 3);
        assert_eq!(
            indexes.get(&b"dark"[..]).map(|index| &index[..]),
            Some(dark)
        );
        assert!(!indexes.contains_key(&b"red"[..]));
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn an_index_is_a_number_of_its_size_that_is_not_negative(
        number: i64, size in prop::sample::select(vec![1_usize, 2, 4, 8]),
    ) {
        let bytes = &number.to_le_bytes()[..size];
        let mut wide = [0; 16];
        wide[..size].copy_from_slice(bytes);
        let unsigned = u64::try_from(u128::from_le_bytes(wide)).unwrap();
        let is_negative = unsigned >= 1 << (8 * size - 1);
        prop_assert_eq!(read_index(bytes, false), Some(unsigned));
        prop_assert_eq!(read_index(bytes, true), (!is_negative).then_some(unsigned));
    }
}

#[test]
fn an_index_of_more_than_eight_bytes_is_none() {
    assert_eq!(read_index(&[0; 9], false), None);
    assert_eq!(read_index(&[], true), Some(0));
}

#[test]
fn what_a_field_takes_is_told_in_words() {
    let of = |datatype, values| {
        let mut field = field("a", datatype);
        field.cell_val_num = values;
        wanted(&field)
    };
    assert_eq!(of(Datatype::Int32, CellValNum::Fixed(1)), "int32");
    assert_eq!(
        of(Datatype::Int32, CellValNum::Fixed(3)),
        "3 values of int32 in each cell"
    );
    assert_eq!(of(Datatype::Int32, CellValNum::Var), "lists of int32");
    let text = of(Datatype::StringUtf8, CellValNum::Var);
    assert_eq!(text, format!("{} of any length", Datatype::StringUtf8));
    let labels = wanted(&with_labels(Datatype::UInt8));
    let text = Datatype::StringUtf8;
    assert_eq!(
        labels,
        format!(
            r#"labels of the enumeration "skies", which are {text} (or, with their codes, uint8)"#
        )
    );
}

#[test]
fn labels_are_the_same_whatever_their_names() {
    let labels = Labels {
        name: Some("skies".to_owned()),
        datatype: Datatype::StringUtf8,
        cell_val_num: CellValNum::Var,
        ordered: false,
        values: vec![b"clear".to_vec(), b"grey".to_vec()],
    };
    let changed = |change: fn(&mut Labels)| {
        let mut other = labels.clone();
        change(&mut other);
        labels.is_same(&other) && other.is_same(&labels)
    };
    assert!(changed(|_| ()) && changed(|other| other.name = None));
    assert!(!changed(|other| other.ordered = true));
    assert!(!changed(|other| other.datatype = Datatype::StringAscii));
    assert!(!changed(|other| other.cell_val_num = CellValNum::Fixed(5)));
    assert!(!changed(|other| other.values.reverse()));
    assert!(!changed(|other| other.values.truncate(1)));
}
