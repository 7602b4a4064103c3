//! Reading the same cells from a Parquet file with arrow-rs, an alternative for users of Rust.

use std::fs::File;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{BooleanArray, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicate, ArrowPredicateFn, ParquetRecordBatchReaderBuilder, RowFilter,
};
use serde_json::Value;

use crate::meter::{memory_at, timed};
use crate::outcome::Result;
use crate::workload::Workload;

/// Number of rows per batch.
const ROWS: usize = 1 << 16;

pub(crate) fn run(workload: &Workload, file: &str) -> Result<Value> {
    let before = memory_at("VmRSS:")?;
    let once = || {
        let mut batches = Vec::new();
        for batch in reader(workload, file)?.build()? {
            batches.push(batch?);
        }
        let rows = batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        Ok((rows as u64, batches))
    };
    once()?;
    timed(workload, before, || Ok(()), once)
}

fn reader(workload: &Workload, file: &str) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(file)?)?;
    let columns =
        |names: &[&str]| ProjectionMask::columns(builder.parquet_schema(), names.iter().copied());
    let fields: Vec<&str> = workload.fields.iter().map(String::as_str).collect();
    let mut filters: Vec<Box<dyn ArrowPredicate>> = Vec::new();
    if let Some(condition) = &workload.condition {
        let [field, operator, value] = condition.split(' ').collect::<Vec<_>>()[..] else {
            return Err("a condition that is not understood".into());
        };
        if operator != ">" {
            return Err("a condition that is not understood".into());
        }
        let least: f64 = value.parse()?;
        filters.push(Box::new(ArrowPredicateFn::new(
            columns(&[field]),
            move |batch| {
                let values = batch.column(0).as_primitive::<Float64Type>().values();
                Ok(fitting(values.iter().map(|value| *value > least)))
            },
        )));
    }
    for (field, [low, high]) in workload.boxes.first().into_iter().flatten() {
        let (low, high): (i64, i64) = (low.parse()?, high.parse()?);
        filters.push(Box::new(ArrowPredicateFn::new(
            columns(&[field]),
            move |batch| {
                let values = batch.column(0).as_primitive::<Int64Type>().values();
                Ok(fitting(
                    values.iter().map(|value| low <= *value && *value <= high),
                ))
            },
        )));
    }
    let mask = columns(&fields);
    Ok(builder
        .with_projection(mask)
        .with_batch_size(ROWS)
        .with_row_filter(RowFilter::new(filters)))
}

fn fitting(rows: impl Iterator<Item = bool>) -> BooleanArray {
    BooleanArray::from(rows.collect::<Vec<_>>())
}
