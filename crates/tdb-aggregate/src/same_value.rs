//! A canonical form for equal values: +0.0 for both zeros, and a single NaN.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tdb_cells::FieldInfo;
use tdb_cells::files::read_index;
use tdb_tile::{Datatype, Physical, Scalar};

/// Converts the cells of a field to their canonical form.
#[derive(Debug)]
pub(crate) enum SameValue {
    /// Values are equal if their bytes are.
    Bytes,
    Float32,
    Float64,
    /// Indexes of labels that are floats. Each index maps to the first one whose label is equal.
    Labels {
        first: Vec<usize>,
        is_signed: bool,
    },
}

impl SameValue {
    pub(crate) fn new(field: &FieldInfo) -> Self {
        let Some(labels) = &field.enumeration else {
            return Self::of_type(field.datatype);
        };
        let same = Self::of_type(labels.datatype());
        if matches!(same, Self::Bytes) {
            return same;
        }
        let mut known: BTreeMap<Cow<'_, [u8]>, usize> = BTreeMap::new();
        let labels = labels.iter().enumerate();
        let first = labels.map(|(index, label)| *known.entry(same.of(label)).or_insert(index));
        Self::Labels {
            first: first.collect(),
            is_signed: field.datatype.is_signed(),
        }
    }

    /// Returns the conversion for values of this type that are not indexes.
    pub(crate) fn of_type(datatype: Datatype) -> Self {
        match datatype.physical() {
            Physical::F32 => Self::Float32,
            Physical::F64 => Self::Float64,
            _ => Self::Bytes,
        }
    }

    /// Returns the canonical form of a cell, which is the same for all equal cells.
    pub(crate) fn of<'c>(&self, cell: &'c [u8]) -> Cow<'c, [u8]> {
        match self {
            Self::Bytes => Cow::Borrowed(cell),
            Self::Float32 => each(cell, |value: f32| {
                let is_other = value == 0.0 && value.is_sign_negative() || value.is_nan();
                is_other.then(|| if value.is_nan() { f32::NAN } else { 0.0 })
            }),
            Self::Float64 => each(cell, |value: f64| {
                let is_other = value == 0.0 && value.is_sign_negative() || value.is_nan();
                is_other.then(|| if value.is_nan() { f64::NAN } else { 0.0 })
            }),
            Self::Labels { first, is_signed } => {
                let index = read_index(cell, *is_signed).and_then(|i| usize::try_from(i).ok());
                let same = index.and_then(|index| Some((index, *first.get(index)?)));
                match same.filter(|(index, first)| index != first) {
                    None => Cow::Borrowed(cell),
                    // The index of the first equal label is not greater, so it fits in as many bytes.
                    Some((_, first)) => {
                        let bytes = first.to_le_bytes().into_iter().chain(std::iter::repeat(0));
                        Cow::Owned(bytes.take(cell.len()).collect())
                    }
                }
            }
        }
    }
}

/// Replaces the values for which `other` returns a value; borrows the cell if there are none.
fn each<T: Scalar>(cell: &[u8], other: impl Fn(T) -> Option<T>) -> Cow<'_, [u8]> {
    if !T::read_all(cell).any(|value| other(value).is_some()) {
        return Cow::Borrowed(cell);
    }
    let mut out = Vec::with_capacity(cell.len());
    for value in T::read_all(cell) {
        other(value).unwrap_or(value).write(&mut out);
    }
    Cow::Owned(out)
}
