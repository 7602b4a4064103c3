//! Replaces structs by columns of their members.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};

/// Batches in which structs, also nested ones, are replaced by their members: the member `b` of the column `a` becomes
/// the column `a.b`. A member is null if its struct is.
pub(super) struct FlatReader {
    reader: Box<dyn RecordBatchReader + Send>,
    schema: SchemaRef,
}

impl FlatReader {
    pub(super) fn new(reader: Box<dyn RecordBatchReader + Send>) -> Self {
        let before = reader.schema();
        let mut fields = Vec::new();
        add_fields(before.fields(), &mut fields);
        let schema = Schema::new_with_metadata(fields, before.metadata().clone());
        Self {
            reader,
            schema: Arc::new(schema),
        }
    }

    /// Whether any column is a struct.
    pub(super) fn changes(schema: &Schema) -> bool {
        let mut fields = schema.fields().iter();
        fields.any(|field| matches!(field.data_type(), DataType::Struct(_)))
    }

    fn flattened(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let mut columns = Vec::new();
        // A stack of columns to expand, in reverse order, because structs may be nested deeper than the call stack
        // allows.
        let mut waiting: Vec<ArrayRef> = batch.columns().iter().rev().cloned().collect();
        while let Some(column) = waiting.pop() {
            match column.as_any().downcast_ref::<StructArray>() {
                None => columns.push(column),
                Some(members) => {
                    for member in members.columns().iter().rev() {
                        waiting.push(under(member, members)?);
                    }
                }
            }
        }
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

impl Iterator for FlatReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.and_then(|batch| self.flattened(&batch)))
    }
}

impl RecordBatchReader for FlatReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Returns a member of a struct, with nulls where the struct is null.
fn under(member: &ArrayRef, members: &StructArray) -> Result<ArrayRef, ArrowError> {
    let Some(nulls) = members.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(Arc::clone(member));
    };
    let both = arrow_buffer::NullBuffer::union(member.nulls(), Some(nulls));
    let data = member.to_data().into_builder().nulls(both).build()?;
    Ok(arrow_array::make_array(data))
}

/// Appends the fields of the resulting columns, in order.
fn add_fields(fields: &Fields, out: &mut Vec<Field>) {
    let fields = fields.iter().rev();
    let mut waiting: Vec<_> = fields
        .map(|field| (field.name().clone(), false, Arc::clone(field)))
        .collect();
    while let Some((name, nullable, field)) = waiting.pop() {
        let nullable = nullable || field.is_nullable();
        match field.data_type() {
            DataType::Struct(members) => {
                let members = members.iter().rev();
                let named = |member: &Field| format!("{name}.{}", member.name());
                waiting.extend(members.map(|member| (named(member), nullable, Arc::clone(member))));
            }
            _ => out.push(Field::clone(&field).with_name(name).with_nullable(nullable)),
        }
    }
}
