//! Writing rows of types that implement serde's `Serialize`.

use serde::Serialize;
use serde::ser::{Error as _, Impossible, SerializeMap, SerializeStruct, Serializer};
use tdb_cells::{Batch, Column};
use tdb_change::WrittenCells;
use tdb_open::{Error, Result};
use tdb_schema::names::UnknownName;
use tdb_tile::Bug;
use tdb_write::input_fields;

use super::WriteBuilder;
use super::cell::CellSerializer;
use super::draft::{Draft, Problem};

/// Approximate size of the batches that are pushed, in bytes.
const BATCH: usize = 8 << 20;

impl WriteBuilder {
    /// Writes rows, each a struct or a map with a member per field: numbers as numbers that the field can hold, dates
    /// and times as ISO 8601 text or as ticks, enumerated attributes as their labels, `None` as null. A nullable
    /// attribute without a member is null.
    ///
    /// ```no_run
    /// #[derive(serde::Serialize)]
    /// struct Weather {
    ///     station: &'static str,
    ///     day: &'static str,
    ///     temp: Option<f32>,
    /// }
    ///
    /// let rows = [Weather { station: "KEF", day: "2024-01-01", temp: Some(-3.5) }];
    /// let written = tdb::open("weather")?.write().rows(rows)?;
    /// assert_eq!(written.cells, 1);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails, without storing anything, if a member is not a field, if a field has no member, or if a field cannot
    /// hold a value, with the number of the row. Other errors are those of [`WriteBuilder::commit`].
    pub fn rows<T: Serialize>(self, rows: impl IntoIterator<Item = T>) -> Result<WrittenCells> {
        let array = self.array.clone();
        let engine = array.now()?;
        let replaces = self.replaces;
        let mut stream = self.stream_into(&engine)?;
        let mut drafts: Option<Vec<Draft>> = None;
        let (mut waiting, mut number) = (0_usize, 0_u64);
        for row in rows {
            let at = number;
            let failed = |error: Problem| Error::invalid(format!("row {at}: {error}"));
            let drafts = match &mut drafts {
                Some(drafts) => drafts,
                None => {
                    // The first row determines the fields of all rows.
                    let names = row.serialize(Names).map_err(failed)?;
                    let mut fields = input_fields(&engine, &names, false)?;
                    if replaces {
                        fields.retain(|field| names.contains(&field.name));
                    }
                    drafts.insert(fields.into_iter().map(Draft::new).collect())
                }
            };
            row.serialize(RowSerializer { drafts }).map_err(failed)?;
            waiting += 1;
            number += 1;
            for draft in drafts.iter_mut() {
                draft.end_row(waiting).map_err(failed)?;
            }
            if drafts.iter().map(Draft::bytes).sum::<usize>() >= BATCH {
                stream.push(&batch(drafts, waiting)?)?;
                waiting = 0;
            }
        }
        if let Some(mut drafts) = drafts.filter(|_| waiting > 0) {
            stream.push(&batch(&mut drafts, waiting)?)?;
        }
        stream.finish()
    }
}

fn batch(drafts: &mut [Draft], rows: usize) -> Result<Batch> {
    let columns: Vec<Column> = drafts
        .iter_mut()
        .map(Draft::take)
        .collect::<std::result::Result<_, Bug>>()?;
    Ok(Batch { rows, columns })
}

/// Returns the name of a map's member.
fn name_of<T: Serialize + ?Sized>(key: &T) -> std::result::Result<String, Problem> {
    match serde_json::to_value(key) {
        Ok(serde_json::Value::String(name)) => Ok(name),
        _ => Err(Problem::custom("a member whose name is no text")),
    }
}

/// Reports a value that cannot be a row.
fn no_row<T>() -> std::result::Result<T, Problem> {
    Err(Problem::custom(
        "a row is a struct or a map with a member for each field",
    ))
}

/// Implements the methods of serializers that accept only structs and maps.
macro_rules! rows_alone {
    () => {
        rows_alone!(
            serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
            serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_f32: f32,
            serialize_f64: f64, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8]
        );

        type Error = Problem;
        type SerializeSeq = Impossible<Self::Ok, Problem>;
        type SerializeTuple = Impossible<Self::Ok, Problem>;
        type SerializeTupleStruct = Impossible<Self::Ok, Problem>;
        type SerializeTupleVariant = Impossible<Self::Ok, Problem>;
        type SerializeStructVariant = Impossible<Self::Ok, Problem>;

        fn serialize_none(self) -> std::result::Result<Self::Ok, Problem> {
            no_row()
        }

        fn serialize_some<T: Serialize + ?Sized>(
            self,
            value: &T,
        ) -> std::result::Result<Self::Ok, Problem> {
            value.serialize(self)
        }

        fn serialize_unit(self) -> std::result::Result<Self::Ok, Problem> {
            no_row()
        }

        fn serialize_unit_struct(
            self,
            _: &'static str,
        ) -> std::result::Result<Self::Ok, Problem> {
            no_row()
        }

        fn serialize_unit_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
        ) -> std::result::Result<Self::Ok, Problem> {
            no_row()
        }

        fn serialize_newtype_struct<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            value: &T,
        ) -> std::result::Result<Self::Ok, Problem> {
            value.serialize(self)
        }

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> std::result::Result<Self::Ok, Problem> {
            no_row()
        }

        fn serialize_seq(
            self,
            _: Option<usize>,
        ) -> std::result::Result<Self::SerializeSeq, Problem> {
            no_row()
        }

        fn serialize_tuple(self, _: usize) -> std::result::Result<Self::SerializeTuple, Problem> {
            no_row()
        }

        fn serialize_tuple_struct(
            self,
            _: &'static str,
            _: usize,
        ) -> std::result::Result<Self::SerializeTupleStruct, Problem> {
            no_row()
        }

        fn serialize_tuple_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> std::result::Result<Self::SerializeTupleVariant, Problem> {
            no_row()
        }

        fn serialize_struct_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> std::result::Result<Self::SerializeStructVariant, Problem> {
            no_row()
        }
    };
    ($($method:ident: $t:ty),*) => {
        $(fn $method(self, _: $t) -> std::result::Result<Self::Ok, Problem> {
            no_row()
        })*
    };
}

/// Serializer that collects the names of a row's members.
struct Names;

/// Names collected so far.
struct NamesOfRow(Vec<String>);

impl Serializer for Names {
    type Ok = Vec<String>;
    type SerializeMap = NamesOfRow;
    type SerializeStruct = NamesOfRow;

    rows_alone!();

    fn serialize_map(self, _: Option<usize>) -> std::result::Result<NamesOfRow, Problem> {
        Ok(NamesOfRow(Vec::new()))
    }

    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> std::result::Result<NamesOfRow, Problem> {
        Ok(NamesOfRow(Vec::new()))
    }
}

impl SerializeStruct for NamesOfRow {
    type Ok = Vec<String>;
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        _: &T,
    ) -> std::result::Result<(), Problem> {
        self.0.push(name.to_owned());
        Ok(())
    }

    fn end(self) -> std::result::Result<Vec<String>, Problem> {
        Ok(self.0)
    }
}

impl SerializeMap for NamesOfRow {
    type Ok = Vec<String>;
    type Error = Problem;

    fn serialize_key<T: Serialize + ?Sized>(
        &mut self,
        key: &T,
    ) -> std::result::Result<(), Problem> {
        self.0.push(name_of(key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(
        &mut self,
        _: &T,
    ) -> std::result::Result<(), Problem> {
        Ok(())
    }

    fn end(self) -> std::result::Result<Vec<String>, Problem> {
        Ok(self.0)
    }
}

/// Serializer that appends a row to the columns.
struct RowSerializer<'a> {
    drafts: &'a mut [Draft],
}

/// Appends the members of a row one by one.
struct Members<'a> {
    drafts: &'a mut [Draft],
    key: Option<String>,
}

impl<'a> Serializer for RowSerializer<'a> {
    type Ok = ();
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;

    rows_alone!();

    fn serialize_map(self, _: Option<usize>) -> std::result::Result<Members<'a>, Problem> {
        let drafts = self.drafts;
        Ok(Members { drafts, key: None })
    }

    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> std::result::Result<Members<'a>, Problem> {
        let drafts = self.drafts;
        Ok(Members { drafts, key: None })
    }
}

impl Members<'_> {
    fn add<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> std::result::Result<(), Problem> {
        let draft = self
            .drafts
            .iter_mut()
            .find(|draft| draft.field.name == name);
        let Some(draft) = draft else {
            let known = self.drafts.iter().map(|draft| &*draft.field.name);
            let unknown = UnknownName::new("field", name, known);
            return Err(Problem::custom(format!("{unknown}: {}", unknown.hint())));
        };
        let added = value.serialize(CellSerializer { draft });
        added.map_err(|error| Problem::custom(format!("field {name:?}: {error}")))
    }
}

impl SerializeStruct for Members<'_> {
    type Ok = ();
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> std::result::Result<(), Problem> {
        self.add(name, value)
    }

    fn end(self) -> std::result::Result<(), Problem> {
        Ok(())
    }
}

impl SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Problem;

    fn serialize_key<T: Serialize + ?Sized>(
        &mut self,
        key: &T,
    ) -> std::result::Result<(), Problem> {
        self.key = Some(name_of(key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> std::result::Result<(), Problem> {
        let key = self
            .key
            .take()
            .ok_or_else(|| Problem::custom("a value without a key"))?;
        self.add(&key, value)
    }

    fn end(self) -> std::result::Result<(), Problem> {
        Ok(())
    }
}
