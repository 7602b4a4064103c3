//! The rules by which writers cut tiles into chunks: `docs/format/tiles.md`, "Chunks".

use tdb_tile::{Bug, Exact};

/// Target size of a chunk in bytes in every release since 2.0, whatever size a pipeline stores.
const CHUNK: usize = 64 << 10;

/// Returns the chunk size for a tile of `size` bytes in cells of `cell` bytes: whole cells, at
/// least one.
pub(crate) fn chunk_size(size: usize, cell: usize) -> usize {
    let cell = cell.max(1);
    whole_cells(size.min(CHUNK), cell).max(cell)
}

/// Returns the greatest multiple of `cell`, which is not 0, that is at most `most`.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "a remainder is at most what was divided"
)]
pub(crate) fn whole_cells(most: usize, cell: usize) -> usize {
    most - most % cell
}

/// Cuts a tile of fixed-size cells; `ends` receives the end of every chunk.
pub(crate) fn cut_fixed(size: usize, cell: usize, ends: &mut Vec<usize>) {
    ends.clear();
    let chunk = chunk_size(size, cell);
    ends.extend((0..size).step_by(chunk).skip(1));
    if size > 0 {
        ends.push(size);
    }
}

/// Cuts a tile of var-sized cells that begin at `starts`; `ends` receives the end of every chunk.
///
/// Cuts lie between cells. The cell that makes a chunk exceed `chunk` bytes decides: the chunk ends
/// after it if the chunk was at most half full without it, or has at most one and a half times
/// `chunk` bytes with it. Otherwise the chunk ends before it, and a cell larger than `chunk`
/// becomes a chunk of its own.
pub(crate) fn cut_cells(
    size: usize,
    chunk: usize,
    starts: &[u64],
    ends: &mut Vec<usize>,
) -> Result<(), Bug> {
    ends.clear();
    if size == chunk {
        ends.push(size);
        return Ok(());
    }
    let half = chunk / 2;
    let most = chunk.exact_add(half)?;
    let mut filled = 0_usize;
    let place =
        |start: &u64| usize::try_from(*start).map_err(|_| Bug::new("a cell starts beyond memory"));
    let mut cells = starts.iter().peekable();
    while let Some(start) = cells.next() {
        let start = place(start)?;
        let next = cells.peek().map(|next| place(next)).transpose()?;
        let end = next.unwrap_or(size);
        let cell = end.exact_sub(start)?;
        let with = filled.exact_add(cell)?;
        if with <= chunk {
            filled = with;
        } else if filled <= half || with <= most {
            ends.push(end);
            filled = 0;
        } else {
            ends.push(start);
            let alone = cell > chunk;
            if alone && next.is_some() {
                ends.push(end);
            }
            filled = if alone { 0 } else { cell };
        }
    }
    // The last chunk may be empty; readers accept that.
    ends.push(size);
    Ok(())
}
