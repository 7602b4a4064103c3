//! Members of structs as columns of their own.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};

/// Batches whose structs are taken apart, also those in structs: the member `b` of the column `a` is the column `a.b`. A
/// member is null where its struct is.
pub(super) struct Flattened {
    reader: Box<dyn RecordBatchReader + Send>,
    schema: SchemaRef,
}

impl Flattened {
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

    /// Whether there is a struct to be taken apart.
    pub(super) fn changes(schema: &Schema) -> bool {
        let mut fields = schema.fields().iter();
        fields.any(|field| matches!(field.data_type(), DataType::Struct(_)))
    }

    fn flattened(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let mut columns = Vec::new();
        // What is to be taken apart, the next one last: structs may lie in structs deeper than any stack.
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

impl Iterator for Flattened {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.and_then(|batch| self.flattened(&batch)))
    }
}

impl RecordBatchReader for Flattened {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// A member of a struct, null where the struct is.
fn under(member: &ArrayRef, members: &StructArray) -> Result<ArrayRef, ArrowError> {
    let Some(nulls) = members.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(Arc::clone(member));
    };
    let both = arrow_buffer::NullBuffer::union(member.nulls(), Some(nulls));
    let data = member.to_data().into_builder().nulls(both).build()?;
    Ok(arrow_array::make_array(data))
}

/// The fields of the columns, in their order.
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
