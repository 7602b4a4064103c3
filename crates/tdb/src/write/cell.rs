//! Serializing one cell of a row with serde.

use serde::Serialize;
use serde::ser::{
    Error as _, Impossible, SerializeSeq, SerializeStruct, SerializeTuple, Serializer,
};

use super::draft::{CellResult, Draft, Problem};

/// Adds a cell to a field.
pub(super) struct CellSerializer<'a> {
    pub(super) draft: &'a mut Draft,
}

/// Adds values to a cell of several values.
pub(super) struct Values<'a> {
    draft: &'a mut Draft,
}

/// Adds a single value to a cell of several values.
struct ValueSerializer<'a> {
    draft: &'a mut Draft,
}

/// Name of the struct under which `serde_json` passes a number that it keeps as text.
const JSON_NUMBER: &str = "$serde_json::private::Number";

/// A JSON number kept as text.
pub(super) struct JsonNumber<'a> {
    draft: &'a mut Draft,
    /// True if the number is a whole cell, not one value of several.
    is_cell: bool,
}

impl SerializeStruct for JsonNumber<'_> {
    type Ok = ();
    type Error = Problem;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> CellResult {
        let number = serde_json::to_value(value).map_err(Problem::custom)?;
        let text = number
            .as_str()
            .ok_or_else(|| Problem::custom("a number that is no text"))?;
        match (text.parse::<i128>(), text.parse::<f64>()) {
            (Ok(value), _) => self.draft.whole(value),
            (_, Ok(value)) => self.draft.float(value),
            _ => Err(Problem::custom(format!("{text} is not a number"))),
        }
    }

    fn end(self) -> CellResult {
        if self.is_cell {
            self.draft.end(true)
        } else {
            Ok(())
        }
    }
}

/// Implements the kinds of values that a cell can have. `$end` completes each: a cell, or a value of a cell.
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

        fn serialize_bool(self, value: bool) -> CellResult {
            self.draft.flag(value)?;
            $end(self.draft)
        }

        fn serialize_f32(self, value: f32) -> CellResult {
            self.draft.float(value.into())?;
            $end(self.draft)
        }

        fn serialize_f64(self, value: f64) -> CellResult {
            self.draft.float(value)?;
            $end(self.draft)
        }

        fn serialize_char(self, value: char) -> CellResult {
            self.serialize_str(value.encode_utf8(&mut [0; 4]))
        }

        fn serialize_str(self, value: &str) -> CellResult {
            self.draft.text(value)?;
            $end(self.draft)
        }

        fn serialize_bytes(self, value: &[u8]) -> CellResult {
            self.draft.raw(value)?;
            $end(self.draft)
        }

        fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> CellResult {
            value.serialize(self)
        }

        fn serialize_unit(self) -> CellResult {
            self.serialize_none()
        }

        fn serialize_unit_struct(self, _: &'static str) -> CellResult {
            self.serialize_none()
        }

        fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> CellResult {
            self.serialize_str(name)
        }

        fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> CellResult {
            value.serialize(self)
        }

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> CellResult {
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
        $(fn $method(self, value: $t) -> CellResult {
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

    fn serialize_none(self) -> CellResult {
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

    fn serialize_none(self) -> CellResult {
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

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> CellResult {
        let draft = &mut *self.draft;
        value.serialize(ValueSerializer { draft })
    }

    fn end(self) -> CellResult {
        self.draft.end(true)
    }
}

impl SerializeTuple for Values<'_> {
    type Ok = ();
    type Error = Problem;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> CellResult {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> CellResult {
        SerializeSeq::end(self)
    }
}
