use bytes::Bytes;
use tdb_array::Array;
use tdb_cells::Column;
use tdb_open::{Error, Result};
use tdb_schema::value::{holds_bytes, is_padded, parse};
use tdb_schema::{CellValNum, Enumeration, Field};
use tdb_tile::{Code, Datatype, Physical, Scalar};

/// How the values of a Rust type relate to the datatype of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers of this type; booleans are bytes of 0 and 1.
    Numbers(Physical),
    /// Text: strings, labels of enumerated attributes, dates and times as ISO 8601.
    Text,
}

/// A Rust type for one cell: a number, a boolean, text, a list of numbers, or an `Option` of one of these.
pub trait Element {
    /// Kind of the values in the cell.
    const KIND: Kind;
    /// Bytes per cell; `None` if cells vary in size.
    const SIZE: Option<usize>;

    /// Appends the bytes of the cell; a null cell of fixed size becomes zero bytes.
    fn append(&self, out: &mut Vec<u8>);

    /// True if the cell is null.
    fn is_null(&self) -> bool {
        false
    }
}

macro_rules! numbers {
    ($($native:ty),*) => {$(
        impl Element for $native {
            const KIND: Kind = Kind::Numbers(<$native as Scalar>::PHYSICAL);
            const SIZE: Option<usize> = Some(<$native as Scalar>::SIZE);

            fn append(&self, out: &mut Vec<u8>) {
                self.write(out);
            }
        }

        impl Element for Vec<$native> {
            const KIND: Kind = Kind::Numbers(<$native as Scalar>::PHYSICAL);
            const SIZE: Option<usize> = None;

            fn append(&self, out: &mut Vec<u8>) {
                for value in self {
                    value.write(out);
                }
            }
        }
    )*};
}

numbers!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

impl Element for bool {
    const KIND: Kind = Kind::Numbers(Physical::U8);
    const SIZE: Option<usize> = Some(1);

    fn append(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
}

macro_rules! texts {
    ($($native:ty),*) => {$(
        impl Element for $native {
            const KIND: Kind = Kind::Text;
            const SIZE: Option<usize> = None;

            fn append(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(self.as_bytes());
            }
        }
    )*};
}

texts!(&str, String, &String);

impl<E: Element> Element for Option<E> {
    const KIND: Kind = E::KIND;
    const SIZE: Option<usize> = E::SIZE;

    fn append(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.append(out),
            None => out.extend(std::iter::repeat_n(0, E::SIZE.unwrap_or(0))),
        }
    }

    fn is_null(&self) -> bool {
        self.as_ref().is_none_or(Element::is_null)
    }
}

/// The cells of one field as Rust values: a `Vec`, a slice or an array of numbers, booleans, texts or lists, or of
/// `Option`s of these, whose `None` is a null cell.
pub trait IntoColumn {
    /// Returns the cells in a form that does not depend on the field they are written to.
    fn into_cells(self) -> GivenCells;
}

impl<E: Element> IntoColumn for &[E] {
    fn into_cells(self) -> GivenCells {
        GivenCells::of(self)
    }
}

impl<E: Element> IntoColumn for &Vec<E> {
    fn into_cells(self) -> GivenCells {
        GivenCells::of(self)
    }
}

impl<E: Element> IntoColumn for Vec<E> {
    fn into_cells(self) -> GivenCells {
        GivenCells::of(&self)
    }
}

impl<E: Element, const N: usize> IntoColumn for [E; N] {
    fn into_cells(self) -> GivenCells {
        GivenCells::of(&self)
    }
}

impl<E: Element, const N: usize> IntoColumn for &[E; N] {
    fn into_cells(self) -> GivenCells {
        GivenCells::of(self)
    }
}

impl IntoColumn for GivenCells {
    fn into_cells(self) -> GivenCells {
        self
    }
}

/// Cells not yet assigned to a field.
#[derive(Clone, Debug)]
pub struct GivenCells {
    kind: Kind,
    /// Bytes per cell; `None` if cells vary in size.
    size: Option<usize>,
    values: Vec<u8>,
    /// End of each cell in `values`, if cells vary in size; otherwise empty.
    ends: Vec<u64>,
    pub(crate) valid: Option<Vec<bool>>,
}

impl GivenCells {
    fn of<E: Element>(cells: &[E]) -> Self {
        let mut given = Self {
            kind: E::KIND,
            size: E::SIZE,
            values: Vec::with_capacity(cells.len().saturating_mul(E::SIZE.unwrap_or(8))),
            ends: Vec::new(),
            valid: None,
        };
        for cell in cells {
            cell.append(&mut given.values);
            if E::SIZE.is_none() {
                given.ends.push(given.values.len() as u64);
            }
        }
        if cells.iter().any(Element::is_null) {
            given.valid = Some(cells.iter().map(|cell| !cell.is_null()).collect());
        }
        given
    }

    /// Iterates over cells of varying size.
    fn cells(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let end = usize::try_from(*end).unwrap_or(self.values.len());
            // The conversion cannot fail: each end was the length of `values` when it was pushed.
            let cell = self.values.get(start..end).unwrap_or(&[]);
            start = end;
            cell
        })
    }

    /// Converts the cells to a column of a field of the array.
    pub(crate) fn column(self, field: &Field<'_>, array: &Array) -> Result<Column> {
        let name = field.name;
        let enumeration = match field.kind {
            tdb_schema::FieldKind::Attribute(index) => {
                let attribute = array.newest_schema().attributes.get(index);
                attribute.and_then(|attribute| attribute.enumeration.as_deref())
            }
            _ => None,
        };
        let cells = match (self.kind, enumeration) {
            (Kind::Text, Some(enumeration)) => {
                let enumeration = array.newest_enumeration(enumeration)?;
                self.indexes(field, &enumeration)?
            }
            (Kind::Text, None) if field.datatype.is_datetime() || field.datatype.is_time() => {
                self.times(field)?
            }
            (Kind::Text, None) if holds_bytes(field.datatype) => self,
            (Kind::Numbers(physical), _) if physical == field.datatype.physical() => self,
            (kind, _) => {
                let (given, wanted) = (kind.shown(), field.datatype.name());
                let what = format!("column {name:?}: got {given}, expected {wanted}");
                return Err(Error::invalid(what));
            }
        };
        cells.shaped(field)
    }

    /// Converts the cells, whose values already have the field's datatype, to a column of the field.
    fn shaped(mut self, field: &Field<'_>) -> Result<Column> {
        let name = field.name;
        if self.size.is_none() && is_padded(field.datatype, field.cell_val_num) {
            self.fill_up(field);
        }
        let (rows, offsets) = match (field.cell_size(), self.size) {
            (Some(size), given) => {
                // A cell size that does not fit into `usize` becomes 0, which is refused below.
                let size = usize::try_from(size).unwrap_or(0);
                let wrong = match given {
                    _ if size == 0 => true,
                    Some(_) => !self.values.len().is_multiple_of(size),
                    None => self.cells().any(|cell| cell.len() != size),
                };
                if wrong {
                    let wanted = field.cell_val_num.fixed().unwrap_or(1);
                    return Err(Error::invalid(format!(
                        "column {name:?}: expected {wanted} values of type {} per cell",
                        field.datatype.name()
                    )));
                }
                (self.values.len().checked_div(size).unwrap_or(0), None)
            }
            (None, Some(size)) => {
                let rows = self.values.len().checked_div(size).unwrap_or(0);
                let starts = (0..=rows).map(|row| (row * size) as u64);
                (rows, Some(starts.collect::<Vec<u64>>()))
            }
            (None, None) => {
                let starts = std::iter::once(0).chain(self.ends.iter().copied());
                (self.ends.len(), Some(starts.collect()))
            }
        };
        if let Some(valid) = self.valid.as_ref().filter(|valid| valid.len() != rows) {
            let given = valid.len();
            return Err(Error::invalid(format!(
                "column {name:?}: {rows} cells, but validity for {given}"
            )));
        }
        let validity = self.valid.map(|valid| {
            let mut bits = vec![0_u8; rows.div_ceil(8)];
            for (row, _) in valid.iter().enumerate().filter(|(_, valid)| **valid) {
                if let Some(byte) = bits.get_mut(row / 8) {
                    *byte |= 1 << (row % 8);
                }
            }
            Bytes::from(bits)
        });
        let offsets = offsets.map(|offsets| {
            let bytes = offsets.iter().flat_map(|offset| offset.to_le_bytes());
            bytes.collect::<Vec<u8>>().into()
        });
        Ok(Column {
            name: name.to_owned(),
            datatype: field.datatype,
            cell_val_num: field.cell_val_num,
            nullable: field.nullable,
            values: self.values.into(),
            offsets,
            validity,
            enumeration: None,
        })
    }

    /// Pads texts with NUL bytes up to the cell size of a field of fixed size.
    fn fill_up(&mut self, field: &Field<'_>) {
        let size = field
            .cell_size()
            .and_then(|size| usize::try_from(size).ok())
            .unwrap_or(0);
        let (mut values, mut ends) = (Vec::new(), Vec::new());
        for cell in self.cells() {
            values.extend_from_slice(cell);
            values.extend(std::iter::repeat_n(0, size.saturating_sub(cell.len())));
            ends.push(values.len() as u64);
        }
        (self.values, self.ends) = (values, ends);
    }

    /// Parses dates and times into ticks of the field's unit.
    fn times(self, field: &Field<'_>) -> Result<Self> {
        let one = |text: &[u8], out: &mut Vec<u8>| {
            let text = String::from_utf8_lossy(text);
            let parsed = parse(field.datatype, &text, out);
            parsed.map_err(|error| Error::invalid(format!("column {:?}: {error}", field.name)))
        };
        self.each(field.datatype, one)
    }

    /// Replaces labels by their indexes in the enumeration.
    fn indexes(self, field: &Field<'_>, labels: &Enumeration) -> Result<Self> {
        let one = |label: &[u8], out: &mut Vec<u8>| {
            let shown = || String::from_utf8_lossy(label).into_owned();
            let index = labels.index_of(label).ok_or_else(|| {
                let what = format!(
                    "column {:?}: the enumeration {:?} has no value {:?}",
                    field.name,
                    labels.name(),
                    shown()
                );
                Error::invalid(what)
                    .with_hint("use `Array::extend_enumeration` to add values to it")
            })?;
            let index = tdb_schema::value::parse_number(field.datatype, &index.to_string(), out);
            index.map_err(|error| Error::invalid(format!("column {:?}: {error}", field.name)))
        };
        self.each(field.datatype, one)
    }

    /// Converts each text cell to a number of the datatype. Null cells become zero bytes.
    fn each(
        self,
        datatype: Datatype,
        one: impl Fn(&[u8], &mut Vec<u8>) -> Result<()>,
    ) -> Result<Self> {
        let mut values = Vec::with_capacity(self.ends.len().saturating_mul(datatype.size()));
        for (row, text) in self.cells().enumerate() {
            let is_valid = |valid: &Vec<bool>| valid.get(row).is_some_and(|valid| *valid);
            if self.valid.as_ref().is_none_or(is_valid) {
                one(text, &mut values)?;
            } else {
                values.extend(std::iter::repeat_n(0, datatype.size()));
            }
        }
        Ok(Self {
            kind: Kind::Numbers(datatype.physical()),
            size: Some(datatype.size()),
            values,
            ends: Vec::new(),
            valid: self.valid,
        })
    }
}

impl Kind {
    fn shown(self) -> String {
        match self {
            Self::Numbers(physical) => format!("numbers of the type {}", shown(physical)),
            Self::Text => "texts".to_owned(),
        }
    }
}

/// Returns the Rust name of a number type.
fn shown(physical: Physical) -> &'static str {
    match physical {
        Physical::I8 => "i8",
        Physical::I16 => "i16",
        Physical::I32 => "i32",
        Physical::I64 => "i64",
        Physical::U8 => "u8",
        Physical::U16 => "u16",
        Physical::U32 => "u32",
        Physical::U64 => "u64",
        Physical::F32 => "f32",
        Physical::F64 => "f64",
    }
}

/// Returns the number of rows of a column.
pub(crate) fn rows(column: &Column) -> usize {
    match column.cell_val_num {
        CellValNum::Var => column.offset_values().len().saturating_sub(1),
        CellValNum::Fixed(_) => {
            let size = column.cell_size().unwrap_or(1);
            column.values.len().checked_div(size).unwrap_or(0)
        }
    }
}
