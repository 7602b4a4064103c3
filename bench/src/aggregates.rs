//! Aggregates: counts, sums, minima and maxima.

use std::num::NonZeroUsize;

use serde_json::{Map, Value};
use tdb_aggregate::{Aggregate, Outcome, aggregate};

use crate::meter::{memory_at, timed};
use crate::outcome::Result;
use crate::place::{key_of, open, session};
use crate::reads::options;
use crate::workload::Workload;

pub(crate) fn run(workload: &Workload, threads: NonZeroUsize) -> Result<Value> {
    let before = memory_at("VmRSS:")?;
    let (key, session) = (key_of(workload)?, session(threads));
    let boxes = options(workload)?;
    let options = boxes.first().ok_or("an aggregate of no box")?;
    let field = workload.fields.first().ok_or("an aggregate of no field")?;
    let asked = workload
        .functions
        .iter()
        .map(|function| {
            let text = if function == "count" { "*" } else { field };
            format!("{function}({text})").parse()
        })
        .collect::<std::result::Result<Vec<Aggregate>, _>>()?;
    let once = || {
        let mut answer = None;
        for _ in 0..workload.times {
            let array = open(&workload.array, key.as_ref())?;
            answer = Some(aggregate(&session, &array, options, &asked, &[])?);
        }
        Ok((1, answer))
    };
    let (_, answer) = once()?;
    let answer = answer.as_ref().and_then(|table| table.groups.first());
    let values = &answer.ok_or("an aggregate without an answer")?.values;
    let names = workload.functions.iter().cloned();
    let texts: Map<String, Value> = names.zip(values.iter().map(said)).collect();
    let mut said = timed(workload, before, || Ok(()), once)?
        .as_object()
        .cloned()
        .ok_or("no object")?;
    said.insert("sums".into(), texts.into());
    Ok(said.into())
}

/// Returns the bits of an answer as text. A sum of floats, which depends on the order of its terms, is returned as a
/// number.
fn said(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Unsigned(number) => format!("{number:016x}").into(),
        Outcome::Signed(number) => format!("{number:016x}").into(),
        Outcome::Float(number) => (*number).into(),
        Outcome::Value(_, bytes) => {
            let digits = bytes.iter().rev().map(|byte| format!("{byte:02x}"));
            format!("{:0>16}", digits.collect::<String>()).into()
        }
        other => format!("{other:?}").into(),
    }
}
