//! Reading cells as Rust values of types that implement serde's `Deserialize`.

use std::marker::PhantomData;

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use tdb_cells::files::read_index;
use tdb_cells::{Batch, Column};
use tdb_open::{Error, Result};
use tdb_schema::CellValNum;
use tdb_schema::value::{Cell, Value, read_cell, unpadded};
use tdb_tile::Datatype;

use crate::{Batches, ReadBuilder};

type Problem = serde::de::value::Error;

impl ReadBuilder {
    /// Reads cell by cell, each as a value of a type with a member per column: numbers as numbers, dates and times as
    /// ISO 8601 text, enumerated attributes as their labels, null cells as `None`.
    ///
    /// ```no_run
    /// #[derive(serde::Deserialize)]
    /// struct Weather {
    ///     station: String,
    ///     temp: Option<f32>,
    /// }
    ///
    /// for row in tdb::open("weather")?.read().rows::<Weather>()? {
    ///     let Weather { station, temp } = row?;
    ///     println!("{station}: {temp:?}");
    /// }
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]. The iterator returns errors of reading, and of cells that do not fit the type.
    pub fn rows<T: DeserializeOwned>(self) -> Result<Rows<T>> {
        Ok(Rows {
            batches: self.batches()?,
            batch: Batch::default(),
            row: 0,
            seen: 0,
            made: PhantomData,
        })
    }
}

/// Iterator over the cells of a read, as values of `T`.
#[derive(Debug)]
pub struct Rows<T> {
    batches: Batches,
    batch: Batch,
    /// Index of the next cell in the batch.
    row: usize,
    seen: u64,
    made: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Iterator for Rows<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.row >= self.batch.rows {
            match self.batches.next()? {
                Ok(batch) => self.batch = batch,
                Err(error) => return Some(Err(error)),
            }
            self.row = 0;
        }
        let row = Row {
            batch: &self.batch,
            row: self.row,
        };
        let made = T::deserialize(row);
        let cell = self.seen;
        self.row += 1;
        self.seen += 1;
        Some(made.map_err(|error| Error::invalid(format!("cell {cell} of the result: {error}"))))
    }
}

/// One cell, with all its columns.
#[derive(Clone, Copy)]
struct Row<'a> {
    batch: &'a Batch,
    row: usize,
}

impl<'de> Deserializer<'de> for Row<'_> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let columns = self.batch.columns.iter();
        let members = columns.map(|column| {
            let member = Member {
                column,
                row: self.row,
            };
            (column.name.as_str(), member)
        });
        visitor.visit_map(MapDeserializer::new(members))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// One cell of one column.
#[derive(Clone, Copy)]
struct Member<'a> {
    column: &'a Column,
    row: usize,
}

impl<'de> IntoDeserializer<'de, Problem> for Member<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Member<'_> {
    /// Passes the value of the cell to the visitor.
    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let Self { column, row } = self;
        let Some(bytes) = column.cell(row) else {
            return Err(Problem::custom("the cell is not there"));
        };
        let label = match &column.enumeration {
            None => None,
            Some(labels) => {
                let index = read_index(bytes, column.datatype.is_signed());
                let value = index.and_then(|index| labels.value(usize::try_from(index).ok()?));
                Some((labels, value))
            }
        };
        match label {
            // An index outside of the enumeration counts as null.
            Some((_, None)) => visitor.visit_none(),
            Some((labels, Some(value))) => visit_cell(
                shown(labels.datatype(), labels.cell_val_num(), value),
                visitor,
            ),
            None => visit_cell(shown(column.datatype, column.cell_val_num, bytes), visitor),
        }
    }
}

impl<'de> Deserializer<'de> for Member<'_> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let visited = if self.column.is_valid(self.row) {
            self.visit(visitor)
        } else {
            visitor.visit_none()
        };
        let name = &self.column.name;
        visited.map_err(|problem| Problem::custom(format!("column {name:?}: {problem}")))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        if self.column.is_valid(self.row) {
            visitor.visit_some(self)
        } else {
            visitor.visit_none()
        }
    }

    /// A newtype is deserialized from the value it wraps.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        visitor.visit_newtype_struct(self)
    }

    /// Labels and other texts name the variants of an enum.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        let text: String = serde::Deserialize::deserialize(self)?;
        let variant: StrDeserializer<'_, Problem> = text.as_str().into_deserializer();
        variant.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Decodes a cell; trailing NUL bytes of fixed-size text are dropped.
fn shown(datatype: Datatype, values: CellValNum, cell: &[u8]) -> Cell<'_> {
    read_cell(datatype, values, unpadded(datatype, values, cell))
}

fn visit_cell<'de, V: Visitor<'de>>(cell: Cell<'_>, visitor: V) -> Result<V::Value, Problem> {
    match cell {
        Cell::One(value) => visit_value(value, visitor),
        Cell::Many(values) => {
            let values = values.into_iter().map(One);
            visitor.visit_seq(SeqDeserializer::new(values))
        }
    }
}

fn visit_value<'de, V: Visitor<'de>>(value: Value<'_>, visitor: V) -> Result<V::Value, Problem> {
    match value {
        Value::Bool(value) => visitor.visit_bool(value),
        Value::Signed(value) => visitor.visit_i64(value),
        Value::Unsigned(value) => visitor.visit_u64(value),
        Value::Float32(value) => visitor.visit_f32(value),
        Value::Float64(value) => visitor.visit_f64(value),
        Value::Time(..) => visitor.visit_string(value.to_string()),
        Value::NotATime => visitor.visit_none(),
        Value::Text(text) => visitor.visit_str(text),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => visitor.visit_str(text),
            Err(_) => visitor.visit_bytes(bytes),
        },
    }
}

/// One of the values of a cell that has several.
struct One<'a>(Value<'a>);

impl<'de> IntoDeserializer<'de, Problem> for One<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for One<'_> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visit_value(self.0, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
