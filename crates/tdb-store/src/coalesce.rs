use bytes::Bytes;

use crate::{ByteRange, Piece, Read, Store, StoreError};

/// Base of the limit on unwanted bytes between ranges: at most this plus the number of wanted bytes.
const BETWEEN: u64 = 8 << 20;

/// Like [`Store::read`], but joins bounded ranges of one object that are near each other into one request:
/// [`JoinedReads`].
///
/// If a joined request fails, its reads are repeated one by one, so each result is the same as without joining.
pub fn read_coalesced(
    store: &dyn Store,
    reads: &[Read],
    gap: u64,
    most: u64,
) -> Vec<Result<Piece, StoreError>> {
    JoinedReads::new(reads, gap, most).read(store)
}

/// Reads in which bounded ranges of one object that are near each other are joined into one request.
#[derive(Debug)]
pub struct JoinedReads {
    reads: Vec<Read>,
    runs: Vec<Run>,
}

impl JoinedReads {
    /// Joins ranges that are at most `gap` bytes apart, up to `most` bytes. Overlapping ranges are read once.
    ///
    /// About 64 KiB is a good gap for files, 512 KiB to 1 MiB for object stores. If there are many ranges, only the
    /// nearest are joined, so that the unwanted bytes do not exceed the wanted ones plus 8 MiB.
    #[must_use]
    pub fn new(reads: &[Read], gap: u64, most: u64) -> Self {
        let mut order: Vec<(usize, &Read)> = reads.iter().enumerate().collect();
        order.sort_by(|(_, a), (_, b)| (&a.key, start(a)).cmp(&(&b.key, start(b))));
        let gap = affordable(&order, gap);
        let runs = runs(order, gap, most);
        Self {
            reads: reads.to_vec(),
            runs,
        }
    }

    /// Returns the number of bytes to read, including those between joined ranges; reads without a known end count as
    /// 0.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.runs
            .iter()
            .map(|run| len(&run.read))
            .fold(0, u64::saturating_add)
    }

    /// Performs the reads, and returns one answer for each, in their order. The answers share memory: holding one
    /// holds its neighbours.
    pub fn read(&self, store: &dyn Store) -> Vec<Result<Piece, StoreError>> {
        let answers = store.read(&self.requests());
        let alone = self.alone(&answers);
        let repeated = if alone.is_empty() {
            Vec::new()
        } else {
            store.read(&alone)
        };
        self.split(answers, repeated)
    }

    /// Returns the joined ranges, for callers that do not wait in [`JoinedReads::read`].
    #[must_use]
    pub fn requests(&self) -> Vec<Read> {
        self.runs.iter().map(|run| run.read.clone()).collect()
    }

    /// Returns the reads that must be repeated one by one, because the request that joined them failed. `answers` are
    /// those to [`JoinedReads::requests`].
    #[must_use]
    pub fn alone(&self, answers: &[Result<Piece, StoreError>]) -> Vec<Read> {
        let failed = self.runs.iter().zip(answers).filter(|(run, answer)| {
            let is_joined = run.members.len() > 1;
            is_joined && answer.is_err()
        });
        failed
            .flat_map(|(run, _)| members(run, &self.reads).map(|(_, read)| read.clone()))
            .collect()
    }

    /// Returns one answer for each of the reads, in their order. `answers` are those to [`JoinedReads::requests`],
    /// `repeated` those to [`JoinedReads::alone`].
    #[must_use]
    pub fn split(
        &self,
        answers: Vec<Result<Piece, StoreError>>,
        repeated: Vec<Result<Piece, StoreError>>,
    ) -> Vec<Result<Piece, StoreError>> {
        let mut repeated = repeated.into_iter();
        let mut split: Vec<Option<Result<Piece, StoreError>>> = vec![None; self.reads.len()];
        for (run, answer) in self.runs.iter().zip(answers) {
            if let [only] = run.members.as_slice() {
                put(&mut split, *only, answer);
                continue;
            }
            for (index, read) in members(run, &self.reads) {
                let part = match &answer {
                    Ok(piece) => Some(cut(piece, read)),
                    Err(_) => repeated.next(),
                };
                if let Some(part) = part {
                    put(&mut split, index, part);
                }
            }
        }
        split
            .into_iter()
            .zip(&self.reads)
            .map(|(answer, read)| answer.unwrap_or_else(|| Err(StoreError::no_answer(&read.key))))
            .collect()
    }
}

/// Returns the largest gap, up to `gap`, that keeps the unwanted bytes within the limit. `order` is sorted by key and
/// start.
fn affordable(order: &[(usize, &Read)], gap: u64) -> u64 {
    let mut wanted = 0_u128;
    let mut between = Vec::new();
    // Furthest end in the object so far.
    let mut last: Option<(&Read, u64)> = None;
    for (_, read) in order {
        let (Some(start), Some(end)) = (start(read), end(read)) else {
            continue;
        };
        wanted += u128::from(len(read));
        let before = last
            .filter(|(other, _)| other.key == read.key)
            .map(|(_, end)| end);
        let apart = before.and_then(|before| start.checked_sub(before));
        between.extend(apart.filter(|apart| (1..=gap).contains(apart)));
        last = Some((read, before.map_or(end, |before| end.max(before))));
    }
    let mut left = u128::from(BETWEEN) + wanted;
    let all: u128 = between.iter().copied().map(u128::from).sum();
    if all <= left {
        return gap;
    }
    between.sort_unstable();
    let mut affordable = 0;
    for apart in between {
        let Some(less) = left.checked_sub(apart.into()) else {
            // Gaps of the same size are joined all or not at all, so the gap must stay below one that does not fit.
            return affordable.min(apart - 1);
        };
        (left, affordable) = (less, apart);
    }
    affordable
}

/// Reads that are performed as one request.
#[derive(Debug)]
struct Run {
    read: Read,
    /// End of the joined range; `None` if a range has no known end and must be read alone.
    end: Option<u64>,
    members: Vec<usize>,
}

/// Divides reads, sorted by key and start, into runs: each read can only extend the last run.
fn runs(order: Vec<(usize, &Read)>, gap: u64, most: u64) -> Vec<Run> {
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
    let is_far = start.checked_sub(run_end).is_some_and(|apart| apart > gap);
    if run.read.key != read.key || is_far || joined > most {
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

fn len(read: &Read) -> u64 {
    match read.range {
        ByteRange::Bounded { len, .. } => len.min(read.limit),
        _ => 0,
    }
}
