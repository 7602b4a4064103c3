//! Reads of whole arrays, of boxes, and of cells that meet a condition.

use std::num::NonZeroUsize;

use serde_json::Value;
use tdb_cells::{Batch, Session};
use tdb_condition::Condition;
use tdb_filters::EncryptionKey;
use tdb_query::{Failing, ReadOptions, Reader, ResultOrder};
use tdb_schema::ArraySchema;
use tdb_tile::Limits;

use crate::meter::{memory_at, timed};
use crate::outcome::Result;
use crate::place::{key_of, open, ranges, session};
use crate::sums::Sums;
use crate::workload::Workload;

pub(crate) fn run(workload: &Workload, threads: NonZeroUsize) -> Result<Value> {
    let before = memory_at("VmRSS:")?;
    let reading = Reading {
        workload,
        session: session(threads),
        key: key_of(workload)?,
        options: options(workload)?,
    };
    let mut sums = Sums::new(workload.ordered);
    let mut result = 0;
    reading.once(|batches| {
        result = result.max(bytes_of(batches));
        sums.add(batches)
    })?;
    let mut said = timed(workload, before, || Ok(()), || reading.once(|_| Ok(())))?
        .as_object()
        .cloned()
        .ok_or("no object")?;
    said.insert("sums".into(), sums.said());
    said.insert("result".into(), result.into());
    Ok(said.into())
}

/// A prepared workload, whose requests are built before the clock starts.
struct Reading<'a> {
    workload: &'a Workload,
    session: Session,
    key: Option<EncryptionKey>,
    options: Vec<ReadOptions>,
}

impl Reading<'_> {
    /// Opens the array and runs all queries, passing each result to `told`. Returns the number of cells, and the last
    /// result.
    fn once(&self, mut told: impl FnMut(&[Batch]) -> Result<()>) -> Result<(u64, Vec<Batch>)> {
        let mut cells = 0;
        let mut kept = Vec::new();
        for _ in 0..self.workload.times {
            let array = open(&self.workload.array, self.key.as_ref())?;
            for options in &self.options {
                kept.clear();
                for batch in Reader::open(&self.session, &array, options)? {
                    kept.push(batch?);
                }
                cells += kept.iter().map(|batch| batch.rows as u64).sum::<u64>();
                told(&kept)?;
            }
        }
        Ok((cells, kept))
    }
}

/// Returns the request of each query.
pub(crate) fn options(workload: &Workload) -> Result<Vec<ReadOptions>> {
    let key = key_of(workload)?;
    let array = open(&workload.array, key.as_ref())?;
    let of_kind = |are_dimensions: bool| -> Vec<String> {
        let is_one = |field: &&String| workload.dimensions.contains(field) == are_dimensions;
        workload.fields.iter().filter(is_one).cloned().collect()
    };
    let condition = workload
        .condition
        .as_deref()
        .map(|text| Condition::parse(text, &Limits::default()))
        .transpose()?;
    let order = match workload.layout.as_str() {
        "row" => ResultOrder::RowMajor,
        "global" => ResultOrder::Global,
        "any" => ResultOrder::Unordered,
        other => return Err(format!("no layout `{other}`").into()),
    };
    let schema: &ArraySchema = array.schema();
    let boxes = workload.boxes.iter().map(|bounds| {
        Ok(ReadOptions::default()
            .attributes(Some(of_kind(false)))
            .dimensions(Some(of_kind(true)))
            .ranges(ranges(schema, bounds)?)
            .condition(condition.clone())
            .order(Some(order))
            .failing(Failing::Fill))
    });
    boxes.collect()
}

/// Returns the size of a result in bytes.
fn bytes_of(batches: &[Batch]) -> u64 {
    let columns = batches.iter().flat_map(|batch| &batch.columns);
    let parts = columns.map(|column| {
        let others = [&column.offsets, &column.validity].into_iter().flatten();
        column.values.len() + others.map(|part| part.len()).sum::<usize>()
    });
    parts.sum::<usize>() as u64
}
