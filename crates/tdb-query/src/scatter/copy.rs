//! Copies cells from tiles to their positions in a result.

use std::ops::Range;

use tdb_tile::Bug;

use super::pass::{Pass, Runs};

/// Copies the needed cells of one tile into a result, while the tile's bytes arrive in pieces.
#[derive(Debug)]
pub(crate) struct Scatter<'a> {
    runs: Runs<'a>,
    cell_size: usize,
    stride: usize,
    /// Bytes of the current run that were copied already: a piece may end within a cell.
    done: u64,
    wanted: Range<u64>,
    out: &'a mut [u8],
    /// The first error, reported by [`Scatter::finish`].
    failed: Option<Bug>,
}

impl<'a> Scatter<'a> {
    /// Prepares to copy along `pass` into `out`, whose cells take `cell_size` bytes each.
    ///
    /// # Errors
    /// A stride does not fit into memory.
    pub(crate) fn new(
        pass: &'a mut Pass,
        cell_size: usize,
        out: &'a mut [u8],
    ) -> Result<Self, Bug> {
        let size = cell_size as u64;
        let (start, end) = pass.bounds();
        let stride = index(pass.dest_stride())?;
        Ok(Self {
            runs: pass.runs(),
            cell_size,
            stride,
            done: 0,
            wanted: start * size..end * size,
            out,
            failed: None,
        })
    }

    /// Checks that all needed cells were copied.
    ///
    /// # Errors
    /// A piece did not belong to the tile, or the tile ended early.
    pub(crate) fn finish(self) -> Result<(), Bug> {
        if let Some(bug) = self.failed {
            return Err(bug);
        }
        if self.runs.current().is_some() {
            return Err(Bug::new(
                "a tile ended before the cells that are wanted of it",
            ));
        }
        self.runs.check_end()
    }

    /// Range of the tile's bytes that contains all needed cells, including gaps between them.
    pub(crate) fn wanted(&self) -> Range<u64> {
        self.wanted.clone()
    }

    /// Copies needed cells out of `piece`, whose first byte is at `first` in the tile, and returns the offset of the
    /// next needed byte. Pieces must come in order.
    pub(crate) fn take(&mut self, first: u64, piece: &[u8]) -> u64 {
        if let Err(bug) = self.copy(first, piece) {
            self.failed = Some(bug);
            return u64::MAX;
        }
        let next = self.runs.current();
        next.map_or(u64::MAX, |run| {
            run.source * self.cell_size as u64 + self.done
        })
    }

    fn copy(&mut self, first: u64, piece: &[u8]) -> Result<(), Bug> {
        let size = self.cell_size as u64;
        let piece_end = first + piece.len() as u64;
        while let Some(run) = self.runs.current() {
            let start = run.source * size + self.done;
            let end = (run.source + run.len) * size;
            if start >= piece_end {
                return Ok(());
            }
            let stop = end.min(piece_end);
            let before = Bug::new("a piece of a tile came before those in front of it");
            let from = start.checked_sub(first).ok_or(before)?;
            let cells = piece
                .get(index(from)?..index(stop - first)?)
                .ok_or(before)?;
            let dest = index(run.dest)?;
            let done = index(self.done)?;
            if self.stride == 1 {
                let at = dest * self.cell_size + done;
                let place = self.out.get_mut(at..at + cells.len());
                place.ok_or_else(outside)?.copy_from_slice(cells);
            } else {
                self.spread(cells, dest, done)?;
            }
            if stop < end {
                self.done += cells.len() as u64;
                return Ok(());
            }
            self.done = 0;
            self.runs.advance();
        }
        Ok(())
    }

    /// Copies cells that are not adjacent in the result; `done` bytes of the run were copied before.
    fn spread(&mut self, cells: &[u8], dest: usize, done: usize) -> Result<(), Bug> {
        let (size, stride) = (self.cell_size, self.stride);
        let is_whole = done.is_multiple_of(size) && cells.len().is_multiple_of(size);
        let place = dest + done / size * stride;
        match size {
            1 if is_whole => spread::<1>(cells, self.out, place, stride),
            2 if is_whole => spread::<2>(cells, self.out, place, stride),
            4 if is_whole => spread::<4>(cells, self.out, place, stride),
            8 if is_whole => spread::<8>(cells, self.out, place, stride),
            _ => {
                let (mut rest, mut done) = (cells, done);
                while !rest.is_empty() {
                    let within = done % size;
                    let (part, behind) = rest.split_at(rest.len().min(size - within));
                    let at = (dest + done / size * stride) * size + within;
                    let place = self.out.get_mut(at..at + part.len());
                    place.ok_or_else(outside)?.copy_from_slice(part);
                    done += part.len();
                    rest = behind;
                }
                Ok(())
            }
        }
    }
}

/// Copies cells of `N` bytes to `place` and every `stride`-th place after it.
fn spread<const N: usize>(
    cells: &[u8],
    out: &mut [u8],
    place: usize,
    stride: usize,
) -> Result<(), Bug> {
    let (cells, _) = cells.as_chunks::<N>();
    let (places, _) = out.as_chunks_mut::<N>();
    for (place, cell) in every(places, place, stride, cells.len())?.zip(cells) {
        *place = *cell;
    }
    Ok(())
}

/// Returns `count` places, each `stride` after the previous one.
fn every<T>(
    places: &mut [T],
    first: usize,
    stride: usize,
    count: usize,
) -> Result<impl Iterator<Item = &mut T>, Bug> {
    let behind = count
        .checked_sub(1)
        .map_or(first, |last| first + last * stride + 1);
    let places = places.get_mut(first..behind).ok_or_else(outside)?;
    Ok(places.iter_mut().step_by(stride))
}

/// Writes `value` into every destination cell of `pass`.
///
/// # Errors
/// The pass leads out of `out`.
pub(crate) fn fill(pass: &mut Pass, value: &[u8], out: &mut [u8]) -> Result<(), Bug> {
    let stride = index(pass.dest_stride())?;
    let mut runs = pass.runs();
    while let Some(run) = runs.current() {
        let (dest, len) = (index(run.dest)?, index(run.len)?);
        if stride == 1 {
            let at = dest * value.len();
            let place = out.get_mut(at..at + len * value.len());
            repeat(value, place.ok_or_else(outside)?);
        } else {
            for cell in 0..len {
                let at = (dest + cell * stride) * value.len();
                let place = out.get_mut(at..at + value.len());
                repeat(value, place.ok_or_else(outside)?);
            }
        }
        runs.advance();
    }
    runs.check_end()
}

/// Fills `out` with copies of `value`.
pub(crate) fn repeat(value: &[u8], out: &mut [u8]) {
    match value.len() {
        0 => {}
        1 => repeat_sized::<1>(value, out),
        2 => repeat_sized::<2>(value, out),
        4 => repeat_sized::<4>(value, out),
        8 => repeat_sized::<8>(value, out),
        size => out
            .chunks_exact_mut(size)
            .for_each(|place| place.copy_from_slice(value)),
    }
}

fn repeat_sized<const N: usize>(value: &[u8], out: &mut [u8]) {
    if let Some(value) = value.first_chunk::<N>() {
        out.as_chunks_mut::<N>().0.fill(*value);
    }
}

/// Writes the number of each source cell, plus `base`, to the cell's destination.
///
/// # Errors
/// The pass leads out of `out`.
pub(crate) fn number(pass: &mut Pass, base: u64, out: &mut [u64]) -> Result<(), Bug> {
    let stride = index(pass.dest_stride())?;
    let mut runs = pass.runs();
    while let Some(run) = runs.current() {
        let places = every(out, index(run.dest)?, stride, index(run.len)?)?;
        for (place, cell) in places.zip(run.source..run.source + run.len) {
            *place = base + cell;
        }
        runs.advance();
    }
    runs.check_end()
}

/// Writes `value` to every destination of `pass`.
///
/// # Errors
/// The pass leads out of `out`.
pub(crate) fn fill_numbers(pass: &mut Pass, value: u64, out: &mut [u64]) -> Result<(), Bug> {
    let stride = index(pass.dest_stride())?;
    let mut runs = pass.runs();
    while let Some(run) = runs.current() {
        let places = every(out, index(run.dest)?, stride, index(run.len)?)?;
        places.for_each(|place| *place = value);
        runs.advance();
    }
    runs.check_end()
}

/// Converts a number of rows or bytes of a result in memory.
///
/// # Errors
/// The number is larger than memory can be.
pub(crate) fn index(count: u64) -> Result<usize, Bug> {
    usize::try_from(count).map_err(|_| Bug::new("a result that is larger than memory can be"))
}

/// The error for cells whose destination is outside the memory of their result.
#[must_use]
#[track_caller]
pub(crate) fn outside() -> Bug {
    Bug::new("cells outside of the part of a result that they belong to")
}
