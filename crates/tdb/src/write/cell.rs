//! One cell of a row, as serde gives it.

use serde::Serialize;
use serde::ser::{
    Error as _, Impossible, SerializeSeq, SerializeStruct, SerializeTuple, Serializer,
};
use tdb_cells::files::{write_float, write_whole};
use tdb_cells::{Column, FieldInfo, Gathered};
use tdb_schema::value::{holds_bytes, parse};
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::{Bug, Code, Datatype};

pub(super) type Problem = serde::de::value::Error;

type Done = Result<(), Problem>;

/// The cells of a field so far.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) field: FieldInfo,
    values: Vec<u8>,
    /// Where each cell ends.
    ends: Vec<usize>,
    valid: Vec<bool>,
}

impl Draft {
    pub(super) fn new(field: FieldInfo) -> Self {
        Self {
            field,
            values: Vec::new(),
            ends: Vec::new(),
            valid: Vec::new(),
        }
    }

    /// Bytes of its cells.
    pub(super) fn bytes(&self) -> usize {
        self.values.len()
    }

    /// Ends a row, which has one cell of each field: a member that is not there is null.
    pub(super) fn end_row(&mut self, rows: usize) -> Done {
        let name = &self.field.name;
        if self.ends.len() > rows {
            return Err(Problem::custom(format!("there are two members {name:?}")));
        }
        if self.ends.len() < rows {
            if !self.field.nullable {
                return Err(Problem::custom(format!("there is no member {name:?}")));
            }
            self.null()?;
        }
        Ok(())
    }

    /// The cells, which are taken out.
    pub(super) fn take(&mut self) -> Result<Column, Bug> {
        let ends = std::mem::take(&mut self.ends);
        let starts = std::iter::once(0).chain(ends);
        let offsets = starts.flat_map(|start| (start as u64).to_le_bytes());
        let is_var = self.field.cell_val_num == CellValNum::Var;
        let mut validity = None;
        if self.valid.contains(&false) {
            let mut bits = vec![0_u8; self.valid.len().div_ceil(8)];
            for (row, _) in self.valid.iter().enumerate().filter(|(_, valid)| **valid) {
                let byte = bits.get_mut(row / 8);
                *byte.ok_or_else(|| Bug::new("a row behind the bits of all rows"))? |=
                    1 << (row % 8);
            }
            validity = Some(bits.into());
        }
        let gathered = Gathered {
            values: std::mem::take(&mut self.values).into(),
            offsets: is_var.then(|| offsets.collect()),
            validity,
        };
        self.valid.clear();
        Ok(gathered.column(&self.field))
    }

    fn null(&mut self) -> Done {
        if !self.field.nullable {
            return Err(Problem::custom("there are no null cells in the field"));
        }
        if let CellValNum::Fixed(values) = self.field.cell_val_num {
            let size = self.field.datatype.size().saturating_mul(values as usize);
            self.values
                .resize(self.values.len().saturating_add(size), 0);
        }
        self.end(false)
    }

    /// Ends a cell, which must have the size that cells of the field have.
    fn end(&mut self, is_valid: bool) -> Done {
        let start = self.ends.last().copied().unwrap_or(0);
        let size = self.values.len().saturating_sub(start);
        if let CellValNum::Fixed(values) = self.field.cell_val_num {
            let unit = self.field.datatype.size();
            if size != unit.saturating_mul(values as usize) {
                let given = size.checked_div(unit).unwrap_or(0);
                let what = format!("{given} values are given, and a cell holds {values}");
                return Err(Problem::custom(what));
            }
        }
        self.ends.push(self.values.len());
        self.valid.push(is_valid);
        Ok(())
    }

    fn whole(&mut self, value: i128) -> Done {
        let datatype = self.field.datatype;
        self.check_number()?;
        if datatype == Datatype::Bool {
            return Err(Problem::custom(format!("{value} is not a valid bool")));
        }
        write_whole(value, datatype, &mut self.values).map_err(Problem::custom)
    }

    fn flag(&mut self, value: bool) -> Done {
        if self.field.datatype == Datatype::Bool && self.field.enumeration.is_none() {
            self.values.push(value.into());
            return Ok(());
        }
        let name = self.field.datatype.name();
        Err(Problem::custom(format!(
            "{value} is given, and the field holds {name}"
        )))
    }

    fn float(&mut self, value: f64) -> Done {
        self.check_number()?;
        write_float(value, self.field.datatype, &mut self.values).map_err(Problem::custom)
    }

    fn check_number(&self) -> Done {
        if self.field.enumeration.is_some() {
            return Err(Problem::custom(
                "a number is given, and the field holds labels",
            ));
        }
        let datatype = self.field.datatype;
        if holds_bytes(datatype) && self.field.datatype.size() == 1 {
            let name = datatype.name();
            return Err(Problem::custom(format!(
                "a number is given, and the field holds {name}"
            )));
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Done {
        let datatype = self.field.datatype;
        if let Some(labels) = self.field.enumeration.clone() {
            return self.label(text.as_bytes(), text, &labels);
        }
        if datatype.is_datetime() || datatype.is_time() {
            return parse(datatype, text, &mut self.values).map_err(Problem::custom);
        }
        if holds_bytes(datatype) && datatype.size() == 1 {
            self.values.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        let name = datatype.name();
        Err(Problem::custom(format!(
            "text is given, and the field holds {name}"
        )))
    }

    fn raw(&mut self, bytes: &[u8]) -> Done {
        if holds_bytes(self.field.datatype) && self.field.enumeration.is_none() {
            self.values.extend_from_slice(bytes);
            return Ok(());
        }
        let name = self.field.datatype.name();
        Err(Problem::custom(format!(
            "bytes are given, and the field holds {name}"
        )))
    }

    fn label(&mut self, label: &[u8], shown: &str, labels: &Enumeration) -> Done {
        let index = labels.index_of(label).ok_or_else(|| {
            let name = labels.name();
            Problem::custom(format!("the enumeration {name:?} has no value {shown:?}"))
        })?;
        write_whole(index as i128, self.field.datatype, &mut self.values).map_err(Problem::custom)
    }
}

/// Adds a cell to those of a field.
pub(super) struct CellSerializer<'a> {
    pub(super) draft: &'a mut Draft,
}

/// Adds values to a cell of several.
pub(super) struct Values<'a> {
    draft: &'a mut Draft,
}

/// Adds one value to a cell of several.
struct ValueSerializer<'a> {
    draft: &'a mut Draft,
}

/// What `serde_json` calls a number that it keeps as text, which it gives as a struct of that text.
const JSON_NUMBER: &str = "$serde_json::private::Number";

/// A number of JSON, kept as text.
pub(super) struct JsonNumber<'a> {
    draft: &'a mut Draft,
    /// Whether it is a cell by itself.
    is_cell: bool,
}

impl SerializeStruct for JsonNumber<'_> {
    type Ok = ();
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Done {
        let text = serde_json::to_value(value).map_err(Problem::custom)?;
        let text = text
            .as_str()
            .ok_or_else(|| Problem::custom("a number that is no text"))?;
        match (text.parse::<i128>(), text.parse::<f64>()) {
            (Ok(value), _) => self.draft.whole(value),
            (_, Ok(value)) => self.draft.float(value),
            _ => Err(Problem::custom(format!("{text} is no number"))),
        }
    }

    fn end(self) -> Done {
        if self.is_cell {
            self.draft.end(true)
        } else {
            Ok(())
        }
    }
}

/// The kinds of values that a cell can have, each ended by `$end`, for cells or for values of cells.
macro_rules! values {
    ($is_cell:expr, $end:expr) => {
        values!($end;
            serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
            serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64
        );

        type Ok = ();
        type Error = Problem;
        type SerializeTupleStruct = Impossible<(), Problem>;
        type SerializeTupleVariant = Impossible<(), Problem>;
        type SerializeMap = Impossible<(), Problem>;
        type SerializeStruct = JsonNumber<'a>;
        type SerializeStructVariant = Impossible<(), Problem>;

        fn serialize_bool(self, value: bool) -> Done {
            self.draft.flag(value)?;
            $end(self.draft)
        }

        fn serialize_f32(self, value: f32) -> Done {
            self.draft.float(value.into())?;
            $end(self.draft)
        }

        fn serialize_f64(self, value: f64) -> Done {
            self.draft.float(value)?;
            $end(self.draft)
        }

        fn serialize_char(self, value: char) -> Done {
            self.serialize_str(value.encode_utf8(&mut [0; 4]))
        }

        fn serialize_str(self, value: &str) -> Done {
            self.draft.text(value)?;
            $end(self.draft)
        }

        fn serialize_bytes(self, value: &[u8]) -> Done {
            self.draft.raw(value)?;
            $end(self.draft)
        }

        fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
            value.serialize(self)
        }

        fn serialize_unit(self) -> Done {
            self.serialize_none()
        }

        fn serialize_unit_struct(self, _: &'static str) -> Done {
            self.serialize_none()
        }

        fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Done {
            self.serialize_str(name)
        }

        fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
            value.serialize(self)
        }

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Done {
            no_cell()
        }

        fn serialize_tuple_struct(
            self,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeTupleStruct, Problem> {
            no_cell()
        }

        fn serialize_tuple_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeTupleVariant, Problem> {
            no_cell()
        }

        fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Problem> {
            no_cell()
        }

        fn serialize_struct(self, name: &'static str, _: usize) -> Result<JsonNumber<'a>, Problem> {
            if name != JSON_NUMBER {
                return no_cell();
            }
            Ok(JsonNumber {
                draft: self.draft,
                is_cell: $is_cell,
            })
        }

        fn serialize_struct_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeStructVariant, Problem> {
            no_cell()
        }
    };
    ($end:expr; $($method:ident: $t:ty),*) => {
        $(fn $method(self, value: $t) -> Done {
            self.draft.whole(value.into())?;
            $end(self.draft)
        })*
    };
}

fn no_cell<T>() -> Result<T, Problem> {
    Err(Problem::custom(
        "a cell is a number, text, bytes, or a list of numbers",
    ))
}

impl<'a> Serializer for CellSerializer<'a> {
    type SerializeSeq = Values<'a>;
    type SerializeTuple = Values<'a>;

    values!(true, |draft: &mut Draft| draft.end(true));

    fn serialize_none(self) -> Done {
        self.draft.null()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Values<'a>, Problem> {
        let draft = self.draft;
        Ok(Values { draft })
    }

    fn serialize_tuple(self, _: usize) -> Result<Values<'a>, Problem> {
        let draft = self.draft;
        Ok(Values { draft })
    }
}

impl<'a> Serializer for ValueSerializer<'a> {
    type SerializeSeq = Impossible<(), Problem>;
    type SerializeTuple = Impossible<(), Problem>;

    values!(false, |_: &mut Draft| Ok(()));

    fn serialize_none(self) -> Done {
        Err(Problem::custom("null within a list"))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Problem> {
        no_cell()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Problem> {
        no_cell()
    }
}

impl SerializeSeq for Values<'_> {
    type Ok = ();
    type Error = Problem;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        let draft = &mut *self.draft;
        value.serialize(ValueSerializer { draft })
    }

    fn end(self) -> Done {
        self.draft.end(true)
    }
}

impl SerializeTuple for Values<'_> {
    type Ok = ();
    type Error = Problem;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Done {
        SerializeSeq::end(self)
    }
}
