//! A test suite for filters, those of this crate and any other: `check` runs a filter through all
//! of it.
//!
//! - Options that are written and read again are the same.
//! - Values of any type, in any number of parts, decode to the same values, and so does the
//!   metadata of earlier filters. A lossy filter must be able to encode its own output again.
//! - The decoded data fills exactly the memory that the filter is lent; memory of another size is
//!   refused.
//! - Truncated and damaged input makes the filter fail or return other data; the filter never
//!   panics.
//!
//! A filter may refuse values, with [`FilterError::Values`] or [`FilterError::InvalidPipeline`].
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "the numbers are those of the test, not of a file"
)]

mod input;

use std::fmt;

use tdb_tile::{Bug, Datatype, FormatVersion, Limits};

use input::{Pattern, Pieces, Random, input, is_text};

use crate::chunk::{Chunk, Parts};
use crate::filter::{Filter, Options};
use crate::scratch::{Buffer, Contexts};
use crate::stage::{Out, Stage, StageOutputs, StageTarget};
use crate::{Description, EncryptionKey, Entry, FilterError};

/// Counts of the inputs that were tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Inputs that were decoded again.
    pub round_trips: u64,
    /// Inputs that the filter refused to encode.
    pub refusals: u64,
    /// Damaged inputs that the filter rejected.
    pub noticed: u64,
    /// Damaged inputs that were decoded without an error.
    pub unnoticed: u64,
}

/// The rule that a filter breaks, and the input that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    rule: &'static str,
    case: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.case)
    }
}

impl std::error::Error for Failure {}

/// Checks a filter with its default options.
///
/// # Errors
/// The first rule that the filter breaks.
pub fn check(entry: &'static Entry) -> Result<Report, Failure> {
    check_with(entry, &Description::new(entry.name))
}

/// Checks a filter with these options.
///
/// # Errors
/// The first rule that the filter breaks.
pub fn check_with(entry: &'static Entry, options: &Description) -> Result<Report, Failure> {
    let filter = read_back(entry, options)?;
    let mut bench = Bench {
        entry,
        filter,
        limits: Limits::default(),
        contexts: Contexts::default(),
        report: Report::default(),
    };
    for &datatype in Datatype::ALL {
        bench.round_trips(datatype)?;
        bench.damage(datatype)?;
    }
    Ok(bench.report)
}

/// Builds the filter from its options, stores the options and parses them; fails if the result
/// differs.
fn read_back(entry: &'static Entry, options: &Description) -> Result<Box<dyn Filter>, Failure> {
    let fail = |rule, case: &dyn fmt::Debug| Failure {
        rule,
        case: format!("{options}: {case:?}"),
    };
    let version = FormatVersion::WRITTEN;
    let built = (entry.build)(options).map_err(|e| fail("options can be built", &e))?;
    let key = EncryptionKey::new(&[7; 32]).map_err(|e| fail("a key is 32 bytes", &e))?;
    let stored = built.options(version);
    let parsed = (entry.parse)(&Options {
        filter: entry.name,
        bytes: &stored,
        version,
        key: Some(&key),
    })
    .map_err(|e| fail("stored options can be parsed", &e))?;
    if parsed.options(version) != stored {
        let found = parsed.options(version);
        return Err(fail("options are stored as they were", &found));
    }
    if parsed.describe() != built.describe() {
        return Err(fail(
            "options are described as they were",
            &parsed.describe(),
        ));
    }
    Ok(parsed)
}

/// A filter and the state to run it.
struct Bench {
    entry: &'static Entry,
    filter: Box<dyn Filter>,
    limits: Limits,
    contexts: Contexts,
    report: Report,
}

impl Bench {
    fn round_trips(&mut self, datatype: Datatype) -> Result<(), Failure> {
        let full = (64 << 10) / datatype.size();
        for cells in [0, 1, 2, 7, 8, 9, 1001, full - 1, full, full + 1] {
            for pattern in Pattern::ALL {
                for split in 0..4 {
                    // Large inputs are slow, so they run for few types and for one part only.
                    let others = !stands_for_others(datatype) && cells > 2;
                    if others || (cells > 1001 && split > 0) {
                        continue;
                    }
                    self.round_trip(datatype, &input(datatype, cells, pattern, split))?;
                }
            }
        }
        Ok(())
    }

    fn round_trip(&mut self, datatype: Datatype, input: &Pieces) -> Result<(), Failure> {
        let filter = self.entry.name;
        let fail = |rule, case: String| Failure {
            rule,
            case: format!("{filter}, {}: {case}", input.summary(datatype)),
        };
        let stored = match self.encode(datatype, input) {
            Ok(stored) => stored,
            Err(FilterError::Values { .. } | FilterError::InvalidPipeline { .. }) => {
                self.report.refusals += 1;
                return Ok(());
            }
            Err(error) => return Err(fail("a refusal says why", error.to_string())),
        };
        let folds = input.starts.is_some();
        let len = input.data.len();
        let back = self
            .decode(datatype, &stored, folds, len)
            .map_err(|error| fail("what was encoded decodes", error.to_string()))?;
        if back.metadata != input.metadata {
            let case = format!("{:02x?} became {:02x?}", input.metadata, back.metadata);
            return Err(fail("metadata comes back", case));
        }
        if !self.filter.is_lossy() && back.data != input.data {
            return Err(fail("data comes back", difference(&input.data, &back.data)));
        }
        if back.starts.is_some() && back.starts != input.starts {
            return Err(fail("offsets come back", format!("{:?}", back.starts)));
        }
        if self.filter.is_lossy() {
            let again = Pieces {
                data: back.data.clone(),
                ..input.clone()
            };
            self.encode(datatype, &again)
                .and_then(|stored| self.decode(datatype, &stored, folds, len))
                .map_err(|error| fail("what was decoded encodes again", error.to_string()))?;
        }
        let wrong = match len {
            0 => 0..2,
            1..2000 => len - 1..len + 2,
            _ => 0..0,
        };
        for wrong in wrong {
            let decoded = self.decode(datatype, &stored, folds, wrong);
            if wrong != len && decoded.is_ok() {
                return Err(fail("memory of another size is refused", wrong.to_string()));
            }
        }
        self.report.round_trips += 1;
        Ok(())
    }

    fn damage(&mut self, datatype: Datatype) -> Result<(), Failure> {
        if !stands_for_others(datatype) {
            return Ok(());
        }
        for pattern in Pattern::ALL {
            let split = if is_text(datatype) { 0 } else { 2 };
            let input = input(datatype, 19, pattern, split);
            let Ok(stored) = self.encode(datatype, &input) else {
                continue;
            };
            let mut random = Random(7);
            let folds = input.starts.is_some();
            let len = input.data.len();
            for keep in 0..stored.metadata.len() {
                let mut damaged = stored.clone();
                damaged.metadata.truncate(keep);
                self.try_damaged(datatype, &damaged, folds, len);
            }
            for keep in 0..stored.data.len() {
                let mut damaged = stored.clone();
                damaged.data.truncate(keep);
                self.try_damaged(datatype, &damaged, folds, len);
            }
            for _ in 0..200 {
                let mut damaged = stored.clone();
                let all = damaged.metadata.iter_mut().chain(&mut damaged.data);
                let at = random.below(stored.metadata.len() + stored.data.len());
                if let Some(byte) = all.into_iter().nth(at) {
                    *byte ^= 1 << random.below(8);
                }
                self.try_damaged(datatype, &damaged, folds, len);
            }
        }
        Ok(())
    }

    fn try_damaged(&mut self, datatype: Datatype, damaged: &Pieces, folds: bool, len: usize) {
        match self.decode(datatype, damaged, folds, len) {
            Ok(_) => self.report.unnoticed += 1,
            Err(_) => self.report.noticed += 1,
        }
    }

    fn stage<'a>(
        datatype: Datatype,
        folds_offsets: bool,
        limits: &'a Limits,
        contexts: &'a mut Contexts,
    ) -> Stage<'a> {
        Stage {
            version: FormatVersion::WRITTEN,
            datatype,
            cell_size: datatype.size(),
            folds_offsets,
            limits,
            contexts,
        }
    }

    fn encode(&mut self, datatype: Datatype, input: &Pieces) -> Result<Pieces, FilterError> {
        let (mut data, mut unused, mut header) = (Buffer::default(), Buffer::default(), Vec::new());
        let folds = input.starts.is_some();
        let mut stage = Self::stage(datatype, folds, &self.limits, &mut self.contexts);
        let mut out = Out {
            filter: self.entry.name,
            limits: &self.limits,
            cap: u32::MAX as usize,
            target: StageTarget::Scratch(&mut data),
            metadata: &mut unused,
            header: &mut header,
            starts: None,
            made: StageOutputs::default(),
        };
        let chunk = Chunk {
            metadata: Parts::new(&input.metadata, &input.metadata_ends)
                .ok_or_else(|| Bug::new("a part of the test ends elsewhere"))?,
            data: Parts::new(&input.data, &input.data_ends)
                .ok_or_else(|| Bug::new("a part of the test ends elsewhere"))?,
            starts: input.starts.as_deref(),
        };
        self.filter.encode(chunk, &mut out, &mut stage)?;
        let made = out.made.checked(self.entry.name)?;
        if made.keeps_metadata_from.is_some() {
            header.extend_from_slice(&input.metadata);
        }
        let data = if made.keeps_data {
            input.data.clone()
        } else {
            data.filled().to_vec()
        };
        Ok(Pieces {
            metadata: header,
            data,
            ..Pieces::default()
        })
    }

    fn decode(
        &mut self,
        datatype: Datatype,
        stored: &Pieces,
        folds: bool,
        len: usize,
    ) -> Result<Pieces, FilterError> {
        let mut data = vec![0; len];
        let (mut metadata, mut header) = (Buffer::default(), Vec::new());
        let mut starts = Vec::new();
        let mut stage = Self::stage(datatype, folds, &self.limits, &mut self.contexts);
        let mut out = Out {
            filter: self.entry.name,
            limits: &self.limits,
            cap: 64 << 20,
            target: StageTarget::Caller(&mut data),
            metadata: &mut metadata,
            header: &mut header,
            starts: folds.then_some(&mut starts),
            made: StageOutputs::default(),
        };
        let (metadata_end, data_end) = ([stored.metadata.len()], [stored.data.len()]);
        let chunk = Chunk {
            metadata: Parts::one(&stored.metadata, &metadata_end),
            data: Parts::one(&stored.data, &data_end),
            starts: None,
        };
        self.filter.decode(chunk, &mut out, &mut stage)?;
        let made = out.made.checked(self.entry.name)?;
        let metadata = match made.keeps_metadata_from {
            _ if made.metadata => metadata.filled().to_vec(),
            Some(from) => stored
                .metadata
                .get(from..)
                .map(<[u8]>::to_vec)
                .ok_or_else(|| Bug::new("a filter keeps metadata that it was not given"))?,
            None => Vec::new(),
        };
        if made.keeps_data {
            // The pipeline makes the same check for data that no filter changed.
            if stored.data.len() != len {
                let found = stored.data.len();
                return Err(FilterError::mismatch(self.entry.name, "size", len, found));
            }
            data.clone_from(&stored.data);
        }
        Ok(Pieces {
            metadata,
            data,
            starts: (!starts.is_empty()).then_some(starts),
            ..Pieces::default()
        })
    }
}

/// True for one datatype of each kind that filters distinguish; slow tests run only for these.
fn stands_for_others(datatype: Datatype) -> bool {
    use Datatype::{
        DateTimeDay, Float32, Float64, Int8, Int32, Int64, StringAscii, UInt8, UInt16, UInt64,
    };
    matches!(
        datatype,
        DateTimeDay
            | Float32
            | Float64
            | Int8
            | Int32
            | Int64
            | StringAscii
            | UInt8
            | UInt16
            | UInt64
    )
}

fn difference(wanted: &[u8], found: &[u8]) -> String {
    let at = wanted.iter().zip(found).position(|(a, b)| a != b);
    let (wanted, found) = (wanted.len(), found.len());
    format!("{wanted} bytes became {found}, the first difference is at {at:?}")
}
