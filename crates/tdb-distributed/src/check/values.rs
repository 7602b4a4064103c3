//! Checks of types and literal values that the engine would decode or allocate for without checking their size.

use arrow_ipc::{Message, MessageHeader, root_as_message};
use datafusion::config::ParquetOptions;
use datafusion_proto::protobuf::{ArrowType, ScalarValue, UnnestOptions};
use datafusion_proto_common::protobuf_common::arrow_type::ArrowTypeEnum;
use datafusion_proto_common::protobuf_common::scalar_value::Value;
use datafusion_proto_common::protobuf_common::{ScalarNestedValue, TableParquetOptions};

use super::Walk;
use super::refusal::Refusal;
use super::steps::Steps;

/// Marker before the length of each message in an Arrow IPC stream.
const CONTINUATION: u32 = 0xffff_ffff;

impl Walk<'_> {
    /// Checks a type. Fixed-length types are limited, since they take their full length for every row, even for
    /// nulls.
    pub(super) fn datatype<'p>(
        &mut self,
        datatype: &'p ArrowType,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        let datatype = datatype.arrow_type_enum.as_ref();
        match datatype.ok_or(Refusal::Unset("a type"))? {
            ArrowTypeEnum::FixedSizeBinary(bytes) => self.fixed(*bytes)?,
            ArrowTypeEnum::FixedSizeList(list) => {
                self.fixed(list.list_size)?;
                steps.field(list.field_type.as_deref());
            }
            ArrowTypeEnum::List(list)
            | ArrowTypeEnum::LargeList(list)
            | ArrowTypeEnum::ListView(list)
            | ArrowTypeEnum::LargeListView(list) => steps.field(list.field_type.as_deref()),
            ArrowTypeEnum::Struct(fields) => steps.fields(&fields.sub_field_types),
            ArrowTypeEnum::Map(map) => steps.field(map.field_type.as_deref()),
            ArrowTypeEnum::Dictionary(dictionary) => {
                steps.datatype(dictionary.key.as_deref());
                steps.datatype(dictionary.value.as_deref());
            }
            ArrowTypeEnum::Union(_) => return Err(Refusal::Node("a type of unions")),
            ArrowTypeEnum::RunEndEncoded(_) => return Err(Refusal::Node("a type of runs")),
            _ => {}
        }
        Ok(())
    }

    fn fixed(&self, length: i32) -> Result<(), Refusal> {
        let length =
            u64::try_from(length).map_err(|_| Refusal::Odd("a type of negative length"))?;
        Refusal::above(
            "bytes or elements of a type",
            length,
            self.rules.limits.fixed,
        )
    }

    /// Checks a literal value.
    pub(super) fn value<'p>(
        &mut self,
        value: &'p ScalarValue,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        match value.value.as_ref().ok_or(Refusal::Unset("a value"))? {
            Value::NullValue(datatype) => steps.datatype(Some(datatype)),
            Value::FixedSizeBinaryValue(bytes) => self.fixed(bytes.length)?,
            Value::LargeListValue(nested)
            | Value::ListValue(nested)
            | Value::FixedSizeListValue(nested)
            | Value::ListViewValue(nested)
            | Value::LargeListViewValue(nested)
            | Value::StructValue(nested)
            | Value::MapValue(nested) => self.nested(nested, steps)?,
            Value::DictionaryValue(dictionary) => {
                steps.datatype(dictionary.index_type.as_ref());
                steps.value(dictionary.value.as_deref());
            }
            // The engine panics if bytes are missing.
            Value::Decimal32Value(decimal) => length(&decimal.value, 4)?,
            Value::Decimal64Value(decimal) => length(&decimal.value, 8)?,
            Value::Decimal128Value(decimal) => length(&decimal.value, 16)?,
            Value::Decimal256Value(decimal) => length(&decimal.value, 32)?,
            Value::UnionValue(_) => return Err(Refusal::Node("a value of unions")),
            Value::RunEndEncodedValue(_) => return Err(Refusal::Node("a value of runs")),
            _ => {}
        }
        Ok(())
    }

    /// Checks a nested value, encoded as Arrow IPC.
    fn nested<'p>(
        &mut self,
        nested: &'p ScalarNestedValue,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        steps.schema(nested.schema.as_ref());
        let dictionaries = nested
            .dictionaries
            .iter()
            .map(|part| (&part.ipc_message, &part.arrow_data));
        let own = (&nested.ipc_message, &nested.arrow_data);
        for (message, data) in dictionaries.chain([own]) {
            self.bytes(message.len().saturating_add(data.len()))?;
            let message = root_as_message(message).map_err(Refusal::undecodable)?;
            plain(&message)?;
        }
        Ok(())
    }

    /// Counts bytes of inline values against the limit.
    pub(super) fn bytes(&mut self, bytes: usize) -> Result<(), Refusal> {
        let left = self.values.checked_sub(bytes);
        self.values = left.ok_or(Refusal::TooMuch {
            what: "bytes of values",
            most: self.rules.limits.values as u64,
        })?;
        Ok(())
    }
}

fn length(bytes: &[u8], wanted: usize) -> Result<(), Refusal> {
    if bytes.len() != wanted {
        return Err(Refusal::Odd(
            "a decimal value whose length does not match its type",
        ));
    }
    Ok(())
}

/// Checks an Arrow IPC stream: each message must be as long as its header states, since the reader allocates that
/// length before it reads the message.
pub(super) fn stream(bytes: &[u8]) -> Result<(), Refusal> {
    let cut = || Refusal::Odd("rows that end within a message");
    let mut rest = bytes;
    while !rest.is_empty() {
        let (first, after) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        let mut length = u32::from_le_bytes(*first);
        rest = after;
        if length == CONTINUATION {
            let (second, after) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
            length = u32::from_le_bytes(*second);
            rest = after;
        }
        if length == 0 {
            return Ok(());
        }
        let length = usize::try_from(length).map_err(|_| cut())?;
        let (message, after) = rest.split_at_checked(length).ok_or_else(cut)?;
        let message = root_as_message(message).map_err(Refusal::undecodable)?;
        plain(&message)?;
        let body = usize::try_from(message.bodyLength()).map_err(|_| cut())?;
        let (_, after) = after.split_at_checked(body).ok_or_else(cut)?;
        rest = after;
    }
    Ok(())
}

/// Refuses compressed Arrow IPC messages: their header alone decides how much memory decompression takes.
fn plain(message: &Message<'_>) -> Result<(), Refusal> {
    let batch = match message.header_type() {
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => message
            .header_as_dictionary_batch()
            .and_then(|dictionary| dictionary.data()),
        _ => None,
    };
    if batch.is_some_and(|batch| batch.compression().is_some()) {
        return Err(Refusal::Odd("compressed values"));
    }
    Ok(())
}

/// Checks Parquet options, which the engine assumes to be valid.
pub(super) fn parquet_options(options: Option<&TableParquetOptions>) -> Result<(), Refusal> {
    let Some(options) = options else {
        return Ok(());
    };
    let global = options
        .global
        .as_ref()
        .ok_or(Refusal::Unset("the options of Parquet"))?;
    let parsed = ParquetOptions::try_from(global);
    parsed.map(drop).map_err(Refusal::undecodable)
}

/// Checks unnest options: the engine assumes that each recursion names its input and output column.
pub(super) fn unnest_options(options: Option<&UnnestOptions>) -> Result<(), Refusal> {
    let recursions = options.map_or(&[][..], |options| &options.recursions);
    let is_named = |recursion: &datafusion_proto::protobuf::RecursionUnnestOption| {
        recursion.input_column.is_some() && recursion.output_column.is_some()
    };
    if recursions.iter().all(is_named) {
        return Ok(());
    }
    Err(Refusal::Unset("a column that is unnested"))
}
