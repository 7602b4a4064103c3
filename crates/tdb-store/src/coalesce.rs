use bytes::Bytes;

use crate::{ByteRange, Piece, Read, Store, StoreError};

/// Reads like [`Store::read`], but joins bounded ranges of one object that are at most `gap` bytes apart into one
/// request. No joined request is longer than `most` bytes.
///
/// Good gaps are about 64 KiB for files, 512 KiB to 1 MiB for object stores. Overlapping ranges are read once. The
/// pieces of one request share memory: each keeps all of it alive.
///
/// If a joined request fails, its reads are repeated one by one, so each result is the same as without joining.
pub fn read_coalesced(
    store: &dyn Store,
    reads: &[Read],
    gap: u64,
    most: u64,
) -> Vec<Result<Piece, StoreError>> {
    let runs = runs(reads, gap, most);
    let joined: Vec<Read> = runs.iter().map(|run| run.read.clone()).collect();
    let mut answers: Vec<Option<Result<Piece, StoreError>>> = vec![None; reads.len()];
    for (run, answer) in runs.iter().zip(store.read(&joined)) {
        if let [only] = run.members.as_slice() {
            put(&mut answers, *only, answer);
            continue;
        }
        let alone: Vec<Read> = members(run, reads).map(|(_, read)| read.clone()).collect();
        let parts = match &answer {
            Ok(piece) => alone.iter().map(|read| cut(piece, read)).collect(),
            Err(_) => store.read(&alone),
        };
        for ((index, _), part) in members(run, reads).zip(parts) {
            put(&mut answers, index, part);
        }
    }
    answers
        .into_iter()
        .zip(reads)
        .map(|(answer, read)| answer.unwrap_or_else(|| Err(StoreError::no_answer(&read.key))))
        .collect()
}

/// Reads that are performed as one request.
struct Run {
    read: Read,
    /// End of the joined range; `None` if a range has no known end and must be read alone.
    end: Option<u64>,
    members: Vec<usize>,
}

/// Divides the reads into runs. They are sorted by key and start, so each read can only extend the last run.
fn runs(reads: &[Read], gap: u64, most: u64) -> Vec<Run> {
    let mut order: Vec<(usize, &Read)> = reads.iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| (&a.key, start(a)).cmp(&(&b.key, start(b))));
    let mut runs: Vec<Run> = Vec::new();
    for (index, read) in order {
        if let Some(run) = runs.last_mut()
            && try_join(run, read, gap, most)
        {
            run.members.push(index);
            continue;
        }
        runs.push(Run {
            read: read.clone(),
            end: end(read),
            members: vec![index],
        });
    }
    runs
}

/// Extends the run by `read` if both are bounded, near each other, and small enough together; returns whether it did.
fn try_join(run: &mut Run, read: &Read, gap: u64, most: u64) -> bool {
    let ByteRange::Bounded { start: first, .. } = run.read.range else {
        return false;
    };
    let ByteRange::Bounded { start, len } = read.range else {
        return false;
    };
    let (Some(run_end), Some(end)) = (run.end, start.checked_add(len)) else {
        return false;
    };
    let end = end.max(run_end);
    let joined = end - first;
    if run.read.key != read.key || start > run_end.saturating_add(gap) || joined > most {
        return false;
    }
    // Each member was within its own limit; the gaps between members count against none of them.
    if len > read.limit || run.read.limit < run_end - first {
        return false;
    }
    run.end = Some(end);
    run.read.range = ByteRange::Bounded {
        start: first,
        len: joined,
    };
    run.read.limit = u64::MAX;
    true
}

fn cut(piece: &Piece, read: &Read) -> Result<Piece, StoreError> {
    let (Some(start), Some(end)) = (start(read), end(read)) else {
        return Err(StoreError::no_answer(&read.key));
    };
    let within = |at: u64| usize::try_from(at.checked_sub(piece.offset)?).ok();
    match (within(start), within(end)) {
        (Some(from), Some(to)) if to <= piece.bytes.len() => Ok(Piece {
            offset: start,
            bytes: Bytes::slice(&piece.bytes, from..to),
        }),
        _ => Err(StoreError::no_answer(&read.key)),
    }
}

fn members<'a>(run: &'a Run, reads: &'a [Read]) -> impl Iterator<Item = (usize, &'a Read)> {
    run.members
        .iter()
        .filter_map(|&index| Some((index, reads.get(index)?)))
}

fn put(
    answers: &mut [Option<Result<Piece, StoreError>>],
    index: usize,
    answer: Result<Piece, StoreError>,
) {
    if let Some(slot) = answers.get_mut(index) {
        *slot = Some(answer);
    }
}

fn start(read: &Read) -> Option<u64> {
    match read.range {
        ByteRange::Bounded { start, .. } => Some(start),
        _ => None,
    }
}

fn end(read: &Read) -> Option<u64> {
    match read.range {
        ByteRange::Bounded { start, len } => start.checked_add(len),
        _ => None,
    }
}
