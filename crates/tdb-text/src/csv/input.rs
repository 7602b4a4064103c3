//! Reads comma-separated values.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::Read;

use tdb_cells::files::{BatchReader, ColumnGuess, Input, InputError, InputOptions, by_name};
use tdb_cells::{Batch, FieldInfo, threads};
use tdb_tile::Bug;

use super::block::RecordFields;
use super::pieces::{Piece, Pieces};
use super::records::Records;
use crate::text::cell::{CellReader, Refusal, take_batch, zoned};
use crate::text::missing::Missing;
use crate::text::row_lines::RowLines;
use crate::text::token::Token;
use crate::text::typed::ColumnLook;

/// Size in bytes of a group of records that are read column by column: small enough for the CPU cache.
const BLOCK: usize = 1 << 15;

/// A file of comma-separated values, with the names of the columns in its first line.
///
/// An empty field is null. `""` is an empty text, or null if the field has no empty cells. Lines end with a line feed
/// or with carriage return and line feed. Empty lines are skipped, unless there is only one column.
///
/// Without [`InputOptions::delimiter`], the delimiter is the one of `,`, `;`, tab and `|` that splits the first lines
/// into equal numbers of fields. [`InputOptions::missing`] has texts that represent missing cells.
pub struct CsvInput<R> {
    pieces: Pieces<R>,
    /// Names of the columns that are read.
    names: Vec<String>,
    /// For each column of the file, whether it is read.
    kept: Vec<bool>,
    options: InputOptions,
}

impl<R: Read> CsvInput<R> {
    /// Reads the first line.
    ///
    /// # Errors
    /// The first line has no names, or a name twice; a chosen column does not exist; the input fails.
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
        // In a single column, null is an empty line.
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

/// Names columns without a name, which is how pandas writes an index: the first column gets the name given for the
/// index, others `column_N`, counted from 1.
fn name_columns(names: &mut [String], options: &InputOptions) {
    let columns = &options.columns;
    let Some(index) = columns.index.as_ref().filter(|_| !columns.mentions("")) else {
        return;
    };
    for place in 0..names.len() {
        let name = if place == 0 {
            index.clone()
        } else {
            format!("column_{}", place + 1)
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
            // In the order of the file, so that the first error in the file is reported.
            for (seen, worker) in seen.into_iter().zip(&mut workers) {
                rows += seen?.rows as u64;
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
    /// For each column of the file, whether it is read.
    kept: Vec<bool>,
    /// Names of the columns that are read.
    names: Vec<String>,
}

/// Amount of a file that is in memory at a time.
#[derive(Clone, Copy)]
struct Sizes {
    /// Size of a piece, in bytes.
    bytes: usize,
    /// Maximum number of pieces, as limited by memory.
    most: usize,
}

impl Sizes {
    fn of(options: &InputOptions) -> Self {
        let bytes = (options.batch_bytes / 4).max(1);
        // A piece, the next one, and its cells, which may be twice as large.
        let most = options.memory / 4 / 4 / bytes as u64;
        Self {
            bytes,
            most: usize::try_from(most).unwrap_or(1).max(1),
        }
    }

    /// Number of pieces that are read in parallel.
    fn pieces(self) -> usize {
        threads::count().min(self.most)
    }
}

/// Reads one piece at a time, on any thread.
struct Worker<T> {
    /// The state of each column.
    states: Vec<T>,
    found: RecordFields,
}

/// Number and lines of the rows in a piece.
struct PieceRows {
    rows: usize,
    lines: RowLines,
}

impl<T> Worker<T> {
    fn new(states: Vec<T>) -> Self {
        Self {
            states,
            found: RecordFields::default(),
        }
    }

    /// Reads the cells of a piece, column by column.
    fn take(
        &mut self,
        piece: &Piece,
        layout: &Layout,
        take: impl Fn(&mut T, Token<'_>) -> Result<(), Refusal>,
    ) -> Result<PieceRows, InputError> {
        let mut records = Records::new(piece.text()?, piece.line, &mut self.found);
        let (mut rows, mut lines) = (0_usize, RowLines::default());
        while let Some(block) = records.block(layout.kept.len(), BLOCK)? {
            block.columns(&layout.kept, &layout.names, &mut self.states, &take)?;
            for line in block.lines() {
                lines.note(rows as u64, *line);
                rows += 1;
            }
        }
        Ok(PieceRows { rows, lines })
    }
}

/// Reads the cells of a file into known fields.
struct CsvCells<R> {
    pieces: Pieces<R>,
    size: Sizes,
    layout: Layout,
    /// At least one worker, with readers for all columns.
    workers: Vec<Worker<CellReader>>,
    /// Batches of the pieces that were read last.
    ready: VecDeque<(Batch, RowLines)>,
    /// The error that follows these batches, if any.
    wrong: Option<InputError>,
    lines: RowLines,
    rows: u64,
}

impl<R: Read + Send> CsvCells<R> {
    /// Reads the next pieces in parallel, on the threads of the current session; returns false if there are none.
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
                self.rows += batch.rows as u64;
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
