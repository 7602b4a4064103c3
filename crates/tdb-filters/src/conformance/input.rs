//! The inputs for filters: values of every kind, in parts.

use tdb_tile::Datatype;

/// The input of a filter, or its output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    pub(super) metadata: Vec<u8>,
    pub(super) metadata_ends: Vec<usize>,
    pub(super) data: Vec<u8>,
    pub(super) data_ends: Vec<usize>,
    pub(super) starts: Option<Vec<u64>>,
}

impl Pieces {
    pub(super) fn summary(&self, datatype: Datatype) -> String {
        format!(
            "{datatype}, data parts end at {:?}, metadata parts at {:?}",
            self.data_ends, self.metadata_ends
        )
    }
}

/// True for types whose offsets can be folded into the data.
pub(super) fn is_text(datatype: Datatype) -> bool {
    matches!(datatype, Datatype::StringAscii | Datatype::StringUtf8)
}

/// The sequence of values in an input.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pattern {
    Zero,
    Ascending,
    Random,
}

impl Pattern {
    pub(super) const ALL: [Self; 3] = [Self::Zero, Self::Ascending, Self::Random];
}

/// Creates an input of `cells` values. By `split`, the data is one part, two halves, a short part
/// and the rest, or parts that cut values; the metadata has parts that earlier filters could have
/// left. Text has offsets if it is one part.
pub(super) fn input(datatype: Datatype, cells: usize, pattern: Pattern, split: usize) -> Pieces {
    let size = datatype.size();
    let mut random = Random(42);
    let mut data = Vec::with_capacity(cells * size);
    for cell in 0..cells as u64 {
        let value = match pattern {
            Pattern::Zero => 0,
            Pattern::Ascending => cell / 3,
            Pattern::Random => random.next(),
        };
        data.extend(value.to_le_bytes().iter().take(size));
    }
    let len = data.len();
    let data_ends = match split {
        0 => vec![len],
        1 => vec![(cells / 2) * size, len],
        2 => vec![size.min(len), len],
        _ => vec![len / 3, len / 2, len],
    };
    let metadata_ends = match split {
        0 => vec![],
        1 => vec![8],
        2 => vec![16, 24],
        _ => vec![8, 11],
    };
    let metadata = (0..metadata_ends.last().copied().unwrap_or(0)).map(|i| i as u8 * 5);
    let starts = (is_text(datatype) && split == 0).then(|| {
        let mut at = 0;
        let steps = std::iter::from_fn(|| {
            let start = at;
            at += random.below(4) as u64;
            (start <= len as u64).then_some(start)
        });
        steps.collect()
    });
    Pieces {
        metadata: metadata.collect(),
        metadata_ends,
        data,
        data_ends,
        starts,
    }
}

/// A generator of the same pseudorandom numbers in every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or(0)
    }
}
