use std::sync::Arc;

use tdb_array::Array;
use tdb_schema::ArraySchema;
use tdb_tile::Range;

use crate::column::Batch;
use crate::condition::ConditionField;
use crate::dense::{DenseQuery, DenseReader};
use crate::field::{Field, FieldInfo, chosen};
use crate::options::{ReadOptions, ResultOrder};
use crate::session::Session;
use crate::sparse::{Predicate, SparseQuery, SparseReader};
use crate::subarray::Subarray;
use crate::{QueryError, labels};

/// The cells of a read, batch by batch.
///
/// Each batch fits the session's memory; together they are the result, in its order.
pub struct Reader {
    fields: Vec<FieldInfo>,
    warnings: Vec<String>,
    left: u64,
    source: Source,
}

enum Source {
    Dense(Box<DenseReader>),
    Sparse(Box<SparseReader>),
    /// Nothing more, or nothing after an error.
    Done,
}

impl Session {
    /// Begins to read an array.
    ///
    /// # Errors
    /// [`QueryError::Invalid`] where the request does not fit the array; what opening its fragments finds.
    pub fn read(&self, array: &Arc<Array>, options: &ReadOptions) -> Result<Reader, QueryError> {
        let schema = array.schema();
        let fields = chosen(
            schema,
            options.dimensions.as_deref(),
            options.attributes.as_deref(),
        )?
        .into_iter()
        .map(|field| info(array, field, options.enumeration_codes))
        .collect::<Result<Vec<_>, _>>()?;
        let ranges = with_labels(self, array, options)?;
        let subarray = Subarray::new(schema, &ranges)?;
        let warnings = subarray.warnings().to_vec();
        let condition = match &options.condition {
            None => None,
            Some(condition) => {
                let enumerations = enumerations(array)?;
                let known = condition_fields(schema, &enumerations);
                Some(Arc::new(Predicate::new(
                    condition.resolve(&known, self.limits())?,
                    schema,
                )))
            }
        };
        let batch_bytes = options.batch_bytes.unwrap_or(u64::MAX);
        let source = if schema.is_dense() {
            let order = match options.order {
                None | Some(ResultOrder::Unordered) => ResultOrder::RowMajor,
                Some(order) => order,
            };
            let query = DenseQuery {
                subarray,
                order,
                condition,
                drop_failing: options.drop_failing,
                fields: fields.clone(),
                batch_bytes,
                limit: options.limit.unwrap_or(u64::MAX),
            };
            Source::Dense(Box::new(DenseReader::new(
                self.clone(),
                array.clone(),
                query,
            )?))
        } else {
            let order = options.order.unwrap_or(ResultOrder::Global);
            let query = SparseQuery {
                subarray,
                order,
                condition,
                fields: fields.clone(),
                batch_bytes,
            };
            Source::Sparse(Box::new(SparseReader::new(
                self.clone(),
                array.clone(),
                query,
            )?))
        };
        Ok(Reader {
            fields,
            warnings,
            left: options.limit.unwrap_or(u64::MAX),
            source,
        })
    }
}

impl Reader {
    /// What the columns of each batch are.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// What was asked for and cannot be given.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Iterator for Reader {
    type Item = Result<Batch, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.left == 0 {
                self.source = Source::Done;
            }
            let next = match &mut self.source {
                Source::Dense(reader) => reader.next_batch(),
                Source::Sparse(reader) => reader.next_batch(),
                Source::Done => return None,
            };
            match next {
                Ok(Some(batch)) if batch.rows == 0 => {}
                Ok(Some(batch)) => {
                    let batch = batch.first(self.left);
                    self.left -= batch.rows as u64;
                    return Some(Ok(batch));
                }
                Ok(None) => self.source = Source::Done,
                Err(error) => {
                    self.source = Source::Done;
                    return Some(Err(error));
                }
            }
        }
    }
}

fn info(array: &Array, kind: Field, codes: bool) -> Result<FieldInfo, QueryError> {
    let schema = array.schema();
    let Some(field) = schema.field_of(kind) else {
        return Err(QueryError::invalid(format!(
            "the array has no field {kind:?}"
        )));
    };
    let enumeration = match kind {
        Field::Attribute(index) if !codes => {
            let name = schema
                .attributes
                .get(index)
                .and_then(|a| a.enumeration.as_deref());
            name.map(|name| array.enumeration(name)).transpose()?
        }
        _ => None,
    };
    Ok(FieldInfo {
        name: field.name.to_owned(),
        datatype: field.datatype,
        cell_val_num: field.cell_val_num,
        nullable: field.nullable,
        enumeration,
        field: kind,
    })
}

/// The enumeration of each attribute that has one.
fn enumerations(array: &Array) -> Result<Vec<Option<Arc<tdb_schema::Enumeration>>>, QueryError> {
    let of = |a: &tdb_schema::Attribute| {
        a.enumeration
            .as_deref()
            .map(|name| array.enumeration(name))
            .transpose()
    };
    Ok(array
        .schema()
        .attributes
        .iter()
        .map(of)
        .collect::<Result<_, _>>()?)
}

pub(crate) fn condition_fields<'a>(
    schema: &'a ArraySchema,
    enumerations: &'a [Option<Arc<tdb_schema::Enumeration>>],
) -> Vec<ConditionField<'a>> {
    let with = |kind: Field| match kind {
        Field::Attribute(index) => enumerations.get(index).and_then(|e| e.as_deref()),
        _ => None,
    };
    schema
        .fields()
        .map(|field| ConditionField {
            name: field.name,
            datatype: field.datatype,
            cell_val_num: field.cell_val_num,
            nullable: field.nullable,
            enumeration: with(field.kind),
        })
        .collect()
}

/// The intervals asked for, those of labels turned into intervals of their dimensions.
fn with_labels(
    session: &Session,
    array: &Arc<Array>,
    options: &ReadOptions,
) -> Result<Vec<(String, Range)>, QueryError> {
    let mut ranges = options.ranges.clone();
    for (name, range) in &options.label_ranges {
        ranges.extend(labels::to_ranges(session, array, name, range)?);
    }
    Ok(ranges)
}
