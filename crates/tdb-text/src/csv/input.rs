//! Comma-separated values, from a reader of bytes to columns.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::Read;

use tdb_cells::files::{BatchReader, ColumnGuess, Input, InputError, InputOptions, by_name};
use tdb_cells::{Batch, FieldInfo, threads};
use tdb_tile::Bug;

use super::block::Found;
use super::pieces::{Piece, Pieces};
use super::records::Records;
use crate::text::cell::{CellReader, Refusal, take_batch, zoned};
use crate::text::missing::Missing;
use crate::text::row_lines::RowLines;
use crate::text::token::Token;
use crate::text::typed::ColumnLook;

/// Bytes of records whose columns are read side by side: they and their places stay in the cache.
const BLOCK: usize = 1 << 15;

/// A file of comma-separated values with the names of the columns in its first line.
///
/// Nothing between two commas is null, and `""` an empty text, or null where the field has no empty cells. Lines end
/// with a line feed, with a carriage return before it or not; empty ones are passed over, unless there is one column
/// alone.
///
/// [`InputOptions::delimiter`], if there is none, is what of `,`, `;`, a tabulator and `|` divides the first lines into
/// as many fields each. [`InputOptions::missing`] are texts for missing cells.
pub struct CsvInput<R> {
    pieces: Pieces<R>,
    /// The names of the columns that are read.
    names: Vec<String>,
    /// Which columns of the file those are.
    kept: Vec<bool>,
    options: InputOptions,
}

impl<R: Read> CsvInput<R> {
    /// Reads the first line.
    ///
    /// # Errors
    /// No names, or one twice; columns that are chosen and not there; where the input fails.
    pub fn try_new(input: R, options: InputOptions) -> Result<Self, InputError> {
        let mut pieces = Pieces::new(input, &options);
        if options.delimiter.is_none() {
            pieces.sniff()?;
        }
        let Some(mut names) = pieces.first()? else {
            return Err(InputError::Unfit {
                what: "the input is empty".to_owned(),
                hint: "the first line has the names of the columns",
            });
        };
        // The null of a single column has nothing around it.
        if names.len() == 1 {
            pieces.take_empty_lines();
        }
        name_columns(&mut names, &options);
        let chosen = options.columns.names(&names)?;
        Ok(Self {
            pieces,
            kept: chosen.iter().map(Option::is_some).collect(),
            names: chosen.into_iter().flatten().collect(),
            options,
        })
    }
}

/// Names columns that have no name, as pandas leaves those of an index: the first one gets the name for that, others that
/// of their place, from 1.
fn name_columns(names: &mut [String], options: &InputOptions) {
    let columns = &options.columns;
    let Some(index) = columns.index.as_ref().filter(|_| !columns.mentions("")) else {
        return;
    };
    for place in 0..names.len() {
        let name = if place == 0 {
            index.clone()
        } else {
            format!("column_{}", place.saturating_add(1))
        };
        let is_free = !names.contains(&name);
        if let Some(nameless) = names
            .get_mut(place)
            .filter(|name| name.is_empty() && is_free)
        {
            *nameless = name;
        }
    }
}

impl<R: Read + Send> Input for CsvInput<R> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn cells<'a>(
        self: Box<Self>,
        fields: &[FieldInfo],
    ) -> Result<Box<dyn BatchReader + 'a>, InputError>
    where
        Self: 'a,
    {
        let places = by_name(&self.names, fields)?;
        let columns = places.iter().filter_map(|place| fields.get(*place));
        let missing = Missing::of(&self.options);
        let reader =
            |field| CellReader::new(field, self.options.ticks).with_missing(missing.clone());
        let columns: Vec<CellReader> = columns.map(reader).collect();
        Ok(Box::new(CsvCells {
            size: Sizes::of(&self.options),
            pieces: self.pieces,
            layout: Layout {
                kept: self.kept,
                names: self.names,
            },
            workers: vec![Worker::new(columns)],
            ready: VecDeque::new(),
            wrong: None,
            lines: RowLines::default(),
            rows: 0,
        }))
    }

    fn guess(self: Box<Self>) -> Result<Vec<ColumnGuess>, InputError> {
        let Self {
            mut pieces,
            names,
            kept,
            options,
        } = *self;
        let missing = Missing::of(&options);
        let fresh = || {
            let look = |name: &String| ColumnLook::new(name, &options, missing.clone());
            names.iter().map(look).collect::<Vec<_>>()
        };
        let layout = Layout {
            kept,
            names: names.clone(),
        };
        let size = Sizes::of(&options);
        let (mut guesses, mut rows) = (fresh(), 0_u64);
        let mut workers: Vec<Worker<ColumnLook>> = Vec::new();
        let mut here = pieces.some(size.pieces(), size.bytes)?;
        while !here.is_empty() {
            while workers.len() < here.len() {
                workers.push(Worker::new(fresh()));
            }
            let work: Vec<_> = workers.iter_mut().zip(&here).collect();
            let look = |(worker, piece): (&mut Worker<ColumnLook>, &Piece)| {
                Ok::<_, Infallible>(worker.take(piece, &layout, ColumnLook::see))
            };
            let (seen, next) = threads::both(
                || threads::map(work, look),
                || pieces.some(size.pieces(), size.bytes),
            );
            let Ok(seen) = seen;
            // In the order of the file, which decides what is wrong first.
            for (seen, worker) in seen.into_iter().zip(&mut workers) {
                rows = rows.saturating_add(seen?.rows as u64);
                let looks = std::mem::replace(&mut worker.states, fresh());
                for (guess, look) in guesses.iter_mut().zip(looks) {
                    guess.join(look)?;
                }
            }
            for piece in std::mem::replace(&mut here, next?) {
                pieces.give_back(piece, size.bytes);
            }
        }
        let guesses = guesses.into_iter().map(|guess| guess.finish(rows));
        Ok(guesses.collect::<Result<_, Bug>>()?)
    }
}

/// The columns of a file.
struct Layout {
    /// Which are read.
    kept: Vec<bool>,
    /// The names of those.
    names: Vec<String>,
}

/// How much of a file is in memory.
#[derive(Clone, Copy)]
struct Sizes {
    /// Bytes of a piece.
    bytes: usize,
    /// Pieces at a time that memory allows.
    most: usize,
}

impl Sizes {
    fn of(options: &InputOptions) -> Self {
        let bytes = (options.batch_bytes / 4).max(1);
        // The piece, the next one, and the cells of it, which can be larger.
        let size = (bytes as u64).saturating_mul(4);
        let most = (options.memory / 4).checked_div(size).unwrap_or(1);
        Self {
            bytes,
            most: usize::try_from(most).unwrap_or(1).max(1),
        }
    }

    /// Pieces that are read side by side.
    fn pieces(self) -> usize {
        threads::count().min(self.most)
    }
}

/// Reads one piece at a time, on whichever thread.
struct Worker<T> {
    /// What is made of each column.
    states: Vec<T>,
    found: Found,
}

/// What there was in a piece.
struct Taken {
    rows: usize,
    lines: RowLines,
}

impl<T> Worker<T> {
    fn new(states: Vec<T>) -> Self {
        Self {
            states,
            found: Found::default(),
        }
    }

    /// Takes the cells of a piece, column by column.
    fn take(
        &mut self,
        piece: &Piece,
        layout: &Layout,
        take: impl Fn(&mut T, Token<'_>) -> Result<(), Refusal>,
    ) -> Result<Taken, InputError> {
        let mut records = Records::new(piece.text()?, piece.line, &mut self.found);
        let (mut rows, mut lines) = (0_usize, RowLines::default());
        while let Some(block) = records.block(layout.kept.len(), BLOCK)? {
            block.columns(&layout.kept, &layout.names, &mut self.states, &take)?;
            for line in block.lines() {
                lines.note(rows as u64, *line);
                rows = rows.saturating_add(1);
            }
        }
        Ok(Taken { rows, lines })
    }
}

/// The cells of a file, once it is known what they are to be.
struct CsvCells<R> {
    pieces: Pieces<R>,
    size: Sizes,
    layout: Layout,
    /// One at least, with the readers of all columns.
    workers: Vec<Worker<CellReader>>,
    /// Cells of the pieces that were read last.
    ready: VecDeque<(Batch, RowLines)>,
    /// What is wrong behind those.
    wrong: Option<InputError>,
    lines: RowLines,
    rows: u64,
}

impl<R: Read + Send> CsvCells<R> {
    /// Reads the next pieces, side by side on the threads of the session that this runs on; `false` where there is none.
    fn read_on(&mut self) -> Result<bool, InputError> {
        let Self {
            pieces,
            workers,
            layout,
            size,
            ..
        } = self;
        let here = pieces.some(size.pieces(), size.bytes)?;
        while workers.len() < here.len() {
            let like = workers.first().map(|worker| worker.states.clone());
            let states = like.ok_or_else(|| Bug::new("no cells are read of a file"))?;
            workers.push(Worker::new(states));
        }
        let work: Vec<_> = workers.iter_mut().zip(&here).collect();
        let Ok(taken) = threads::map(work, |(worker, piece)| {
            let taken = worker.take(piece, layout, CellReader::append);
            let batch = taken.map(|taken| {
                let batch = take_batch(&mut worker.states, taken.rows);
                batch.map(|batch| (batch, taken.lines))
            });
            Ok::<_, Infallible>(batch)
        });
        let is_any = !here.is_empty();
        for piece in here {
            pieces.give_back(piece, size.bytes);
        }
        for taken in taken {
            match taken {
                Ok(batch) => self.ready.extend(batch),
                Err(wrong) => {
                    self.wrong = Some(wrong);
                    break;
                }
            }
        }
        Ok(is_any)
    }
}

impl<R: Read + Send> BatchReader for CsvCells<R> {
    fn next(&mut self) -> Result<Option<Batch>, InputError> {
        loop {
            if let Some((batch, lines)) = self.ready.pop_front() {
                self.lines.extend(self.rows, &lines);
                self.rows = self.rows.saturating_add(batch.rows as u64);
                return Ok(Some(batch));
            }
            if let Some(wrong) = self.wrong.take() {
                return Err(wrong);
            }
            if !self.read_on()? {
                return Ok(None);
            }
        }
    }

    fn line(&self, row: u64) -> Option<u64> {
        self.lines.of(row)
    }

    fn zoned(&self) -> Vec<String> {
        zoned(self.workers.iter().map(|worker| &worker.states[..]))
    }
}
