//! Derives the events and the merge options from bytes.

use arbitrary::{Result, Unstructured};
use tdb_consolidate::StepPolicy;

use crate::arrays::{Event, Kind};

const KINDS: [Kind; 5] = [
    Kind::Dense,
    Kind::Sparse,
    Kind::Duplicates,
    Kind::Hilbert,
    Kind::Text,
];

pub(crate) fn kind(u: &mut Unstructured<'_>) -> Result<Kind> {
    u.choose(&KINDS).copied()
}

/// Derives an event; deletes only for sparse arrays.
pub(crate) fn event(u: &mut Unstructured<'_>, kind: Kind) -> Result<Event> {
    match u.int_in_range(0..=8)? {
        0 => Ok(Event::Grow),
        1 if kind != Kind::Dense => Ok(Event::Delete(u.int_in_range(0..=49)?)),
        _ => {
            let cells = u.int_in_range(2..=6)?;
            let cells = (0..cells).map(|_| {
                let value = u.int_in_range(-9..=49)?;
                let (y, x) = (u.int_in_range(0..=9)?, u.int_in_range(0..=9)?);
                Ok((y, x, (value >= 0).then_some(value)))
            });
            Ok(Event::Write(cells.collect::<Result<_>>()?))
        }
    }
}

pub(crate) fn policy(u: &mut Unstructured<'_>) -> Result<StepPolicy> {
    if u.arbitrary()? {
        return Ok(StepPolicy::default());
    }
    let min = u.int_in_range(2..=3)?;
    Ok(StepPolicy {
        steps: u.int_in_range(1..=3)?,
        min_fragments: min,
        max_fragments: min + u.int_in_range(0..=3)?,
        size_ratio: f64::from(u.int_in_range(0..=5)?) / 10.0,
        amplification: f64::from(u.int_in_range(5..=40)?) / 10.0,
    })
}

/// Derives the maximum size of a fragment in bytes, if there is one.
pub(crate) fn size(u: &mut Unstructured<'_>) -> Result<Option<u64>> {
    let size = u.int_in_range(0..=2000)?;
    Ok((size > 200).then_some(size))
}
