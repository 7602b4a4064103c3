use std::mem;

use tdb_tile::{Bug, Exact, Limits};

use crate::chunk::{Chunk, Parts};
use crate::scratch::{Buffer, Contexts, Memory, Scratch};
use crate::stage::{Out, Stage, StageOutputs, StageTarget};
use crate::step::Step;
use crate::{FilterError, TileKind};

/// Runs the filters of a pipeline on one chunk after the other.
pub(crate) struct Run<'a> {
    steps: &'a [Step],
    kind: &'a TileKind,
    /// True if the first filter folds offsets into the data.
    folds: bool,
    memory: &'a mut Memory,
    contexts: &'a mut Contexts,
    limits: &'a Limits,
}

/// The data or the metadata of a chunk between two stages of a decode.
///
/// A stage reads the front buffer and writes the back buffer; then the two are swapped. Before the
/// first stage writes, the stored input takes the place of the front buffer, so that it is not
/// copied.
struct Flow<'a> {
    input: &'a [u8],
    is_input: bool,
    /// Start of the unread bytes; earlier ones were consumed.
    from: usize,
    front: &'a mut Buffer,
    back: &'a mut Buffer,
}

impl<'a> Flow<'a> {
    fn new(input: &'a [u8], buffers: &'a mut [Buffer; 2]) -> Self {
        let [front, back] = buffers;
        Self {
            input,
            is_input: true,
            from: 0,
            front,
            back,
        }
    }

    /// Returns the bytes to read, and the buffer to write.
    fn split(&mut self) -> Result<(&[u8], &mut Buffer), Bug> {
        let all = if self.is_input {
            self.input
        } else {
            self.front.filled()
        };
        let left = all
            .get(self.from..)
            .ok_or_else(|| Bug::new("a filter consumed more than there was"))?;
        Ok((left, self.back))
    }

    fn present(&mut self) -> Result<&[u8], Bug> {
        Ok(self.split()?.0)
    }

    /// Prepares for the next stage: it reads the bytes just written, or else the same bytes without
    /// the first `consumed`.
    fn advance(&mut self, was_written: bool, consumed: usize) -> Result<(), Bug> {
        if was_written {
            mem::swap(&mut self.front, &mut self.back);
            (self.is_input, self.from) = (false, 0);
        } else {
            self.from = self.from.exact_add(consumed)?;
        }
        Ok(())
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        steps: &'a [Step],
        kind: &'a TileKind,
        folds: bool,
        scratch: &'a mut Scratch,
        limits: &'a Limits,
    ) -> Self {
        let Scratch {
            memory, contexts, ..
        } = scratch;
        Self {
            steps,
            kind,
            folds,
            memory,
            contexts,
            limits,
        }
    }

    /// Runs the stages in reverse order, from the stored bytes of a chunk to its values in
    /// `result`.
    ///
    /// Data alternates between two buffers. The stage whose output is the result
    /// ([`Step::is_last`]) writes into `result` directly, which saves a copy of every chunk. The
    /// stages that run after it keep data; they read it there.
    pub(crate) fn decode(
        &mut self,
        metadata: &[u8],
        data: &[u8],
        result: &mut [u8],
        mut starts: Option<&mut Vec<u64>>,
    ) -> Result<(), FilterError> {
        let cap = self.decode_cap(result.len());
        let mut data = Flow::new(data, &mut self.memory.data);
        let mut metadata = Flow::new(metadata, &mut self.memory.metadata);
        let [header, _] = &mut self.memory.headers;
        let mut is_done = false;
        for (index, step) in self.steps.iter().enumerate().rev() {
            let is_folding = self.folds && index == 0;
            let mut stage = step.stage(self.kind, is_folding, self.limits, self.contexts);
            let (recorded, back_metadata) = metadata.split()?;
            let (input, back) = data.split()?;
            let to_result = step.is_last && !is_done;
            let (input, target) = if is_done {
                (&*result, StageTarget::Scratch(back))
            } else if to_result {
                (input, StageTarget::Caller(&mut *result))
            } else {
                (input, StageTarget::Scratch(back))
            };
            let mut out = Out {
                filter: step.name,
                limits: self.limits,
                cap,
                target,
                metadata: back_metadata,
                header,
                starts: starts.as_deref_mut().filter(|_| is_folding),
                made: StageOutputs::default(),
            };
            let (recorded_end, input_end) = ([recorded.len()], [input.len()]);
            let chunk = Chunk {
                metadata: Parts::one(recorded, &recorded_end),
                data: Parts::one(input, &input_end),
                starts: None,
            };
            step.filter.decode(chunk, &mut out, &mut stage)?;
            let made = out.made.checked(step.name)?;
            // Metadata that the stage does not pass on is consumed.
            let [all] = recorded_end;
            metadata.advance(made.metadata, made.keeps_metadata_from.unwrap_or(all))?;
            data.advance(made.data && !to_result, 0)?;
            if made.data {
                is_done = to_result;
            }
        }
        let left = metadata.present()?.len();
        if left > 0 {
            let what = "metadata that no filter wrote";
            return Err(FilterError::mismatch("pipeline", what, 0, left));
        }
        if is_done {
            return Ok(());
        }
        finish(data.present()?, result)
    }

    /// Returns the maximum number of bytes that a stage of a decode may output, so that damaged
    /// metadata cannot claim arbitrary memory.
    ///
    /// Filters enlarge data at most a few times when they encode, so 64 times the original size
    /// leaves ample room. Folded offsets come on top of the data; then only the limit applies.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "64 times a length in memory has fewer than 128 bits"
    )]
    fn decode_cap(&self, original: usize) -> usize {
        // A limit beyond the address space is no limit.
        let limit = usize::try_from(self.limits.data_tile).unwrap_or(usize::MAX);
        if self.folds {
            return limit;
        }
        let cap = original as u128 * 64 + (1 << 20);
        usize::try_from(cap).map_or(limit, |cap| cap.min(limit))
    }

    /// Runs the stages in order; returns the metadata and the data to be stored.
    pub(crate) fn encode<'b>(
        &'b mut self,
        data: &'b [u8],
        starts: Option<&[u64]>,
    ) -> Result<(&'b [u8], &'b [u8]), FilterError> {
        let Memory {
            data: buffers,
            metadata: [unused, _],
            headers,
            ends,
        } = &mut *self.memory;
        headers.iter_mut().for_each(Vec::clear);
        ends.iter_mut().for_each(Vec::clear);
        let mut in_scratch = false;
        for (index, step) in self.steps.iter().enumerate() {
            let is_folding = self.folds && index == 0;
            let mut stage = step.stage(self.kind, is_folding, self.limits, self.contexts);
            let [front, back] = &mut *buffers;
            let [header, new_header] = &mut *headers;
            let [parts, new_parts] = &mut *ends;
            let input = if in_scratch { front.filled() } else { data };
            let mut out = Out {
                filter: step.name,
                limits: self.limits,
                cap: u32::MAX as usize,
                target: StageTarget::Scratch(back),
                metadata: &mut *unused,
                header: &mut *new_header,
                starts: None,
                made: StageOutputs::default(),
            };
            let input_end = [input.len()];
            let chunk = Chunk {
                metadata: Parts::new(header, parts)
                    .ok_or_else(|| Bug::new("metadata ends elsewhere than its parts"))?,
                data: Parts::one(input, &input_end),
                starts: starts.filter(|_| is_folding),
            };
            step.filter.encode(chunk, &mut out, &mut stage)?;
            let made = out.made.checked(step.name)?;
            let own = new_header.len();
            new_parts.extend((own > 0).then_some(own));
            if made.keeps_metadata_from.is_some() {
                new_header.extend_from_slice(header);
                for end in &*parts {
                    new_parts.push(end.exact_add(own)?);
                }
            }
            header.clear();
            parts.clear();
            headers.swap(0, 1);
            ends.swap(0, 1);
            if made.data {
                buffers.swap(0, 1);
                in_scratch = true;
            }
        }
        let ([metadata, _], [stored, _]) = (headers, buffers);
        let stored = if in_scratch { stored.filled() } else { data };
        Ok((metadata, stored))
    }
}

impl Step {
    fn stage<'a>(
        &self,
        kind: &TileKind,
        folds_offsets: bool,
        limits: &'a Limits,
        contexts: &'a mut Contexts,
    ) -> Stage<'a> {
        Stage {
            version: kind.version,
            datatype: self.datatype,
            cell_size: kind.cell_size,
            folds_offsets,
            limits,
            contexts,
        }
    }
}

/// Copies data that no filter wrote to the result.
fn finish(decoded: &[u8], result: &mut [u8]) -> Result<(), FilterError> {
    let (wanted, found) = (result.len(), decoded.len());
    if wanted != found {
        return Err(FilterError::mismatch(
            "pipeline",
            "decoded size",
            wanted,
            found,
        ));
    }
    result.copy_from_slice(decoded);
    Ok(())
}
