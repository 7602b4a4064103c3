//! What readers and writers of files share: a format is a crate's own, what it gives and takes is here.
//!
//! A reader of a format is an [`Input`]: it knows the names of its columns, and goes on, with the fields of an array, as a
//! [`BatchReader`], or guesses fields that take its columns. A writer is a [`BatchWriter`]. What the cells of files are to
//! fields is the same in every format: [`labels_of`], [`write_whole`], [`write_float`] and [`Recount`] say what goes
//! into which type.

mod choice;
mod conversion_error;
mod guess;
mod input_error;
mod labels;
mod numbers;

use std::collections::HashMap;

use tdb_schema::names::UnknownName;

use crate::{Batch, FieldInfo, Session, threads};

pub use choice::ColumnChoice;
pub use conversion_error::ConversionError;
pub use guess::{ColumnGuess, Labels, SeenRange};
pub use input_error::{InputError, InputPlace};
pub use labels::{has_value, indexes, labels_of, read_index, shown_type, wanted};
pub use numbers::{Recount, write_float, write_whole};

/// How files are read.
#[derive(Clone, Debug)]
pub struct InputOptions {
    /// Dates and times are raw 64-bit numbers.
    pub ticks: bool,
    /// What stands between the fields of CSV; found out from the first lines where it is `None`.
    pub delimiter: Option<u8>,
    /// Texts that stand for a missing cell in CSV. Where it is `None`, the usual ones do in all fields but those of
    /// text: `NA`, `N/A`, `NaN`, `null` and `NULL`; a `NaN` of floats is a number.
    pub missing: Option<Vec<String>>,
    /// Which columns are read.
    pub columns: ColumnChoice,
    /// Bytes of cells that a batch has at most, more or less.
    pub batch_bytes: usize,
    /// Bytes that one line of text may have.
    pub record_bytes: usize,
    /// Bytes that one batch of Arrow or Parquet may take: its cells one by one, and what they are unpacked from.
    pub memory: u64,
    /// Whether a stream of Arrow may end without its end marker. The format lets writers leave it out, but a stream whose writer failed
    /// midway looks the same.
    pub allow_unended: bool,
    /// Whether members of structs are columns of their own: `a.b` of the member `b` of the column `a`.
    pub flatten: bool,
}

impl Default for InputOptions {
    fn default() -> Self {
        Self {
            ticks: false,
            delimiter: None,
            missing: None,
            columns: ColumnChoice::default(),
            batch_bytes: 8 << 20,
            record_bytes: 64 << 20,
            memory: 1 << 30,
            allow_unended: false,
            flatten: false,
        }
    }
}

impl InputOptions {
    /// Rows of a batch, where a row has so many bytes.
    #[must_use]
    pub fn batch_rows(&self, size: u64) -> usize {
        let rows = (self.batch_bytes as u64)
            .checked_div(size)
            .unwrap_or(u64::MAX);
        // Very wide rows come one by one, very narrow ones not all at once.
        usize::try_from(rows.clamp(1, 1 << 20)).unwrap_or(1 << 20)
    }
}

/// Choices in how cells are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputOptions {
    /// Dates and times as raw 64-bit numbers.
    pub ticks: bool,
    /// Var-sized text as bytes, whether it is UTF-8 or not.
    pub binary_strings: bool,
}

/// A file whose columns are known by name, and nothing else of it.
pub trait Input: Send {
    /// The names of the columns, in the order of the file.
    fn names(&self) -> &[String];

    /// The schema of the array that the file was written from, as JSON, where the file tells it.
    fn array_schema(&self) -> Option<&str> {
        None
    }

    /// The columns that pandas had as the index of the table, by the names that they get, where the file tells them.
    fn index(&self) -> &[String] {
        &[]
    }

    /// Goes on to read cells of these fields, one for each column.
    ///
    /// # Errors
    /// A column that is no field, a field that has no column, and types that do not fit.
    fn cells<'a>(
        self: Box<Self>,
        fields: &[FieldInfo],
    ) -> Result<Box<dyn BatchReader + 'a>, InputError>
    where
        Self: 'a;

    /// Reads all of the file to tell what fields would take its columns.
    ///
    /// # Errors
    /// What no field would take, and a file that does not hold together.
    fn guess(self: Box<Self>) -> Result<Vec<ColumnGuess>, InputError>;
}

/// Cells of a file, batch by batch. On the threads of a session, as [`Session::install`](crate::Session::install) runs it, a
/// file of text is read by several of them.
pub trait BatchReader: Send {
    /// The next batch, of which there is one at least for every file with a cell.
    ///
    /// # Errors
    /// Cells that are none of their field, and a file that does not hold together.
    fn next(&mut self) -> Result<Option<Batch>, InputError>;

    /// The line of the text at which a row begins, where the input is text and rows have been read so far.
    fn line(&self, row: u64) -> Option<u64>;

    /// Whether batches may come of work of other threads. No thread of a session waits for them: it could be the one that the
    /// work waits for.
    fn waits(&self) -> bool {
        false
    }

    /// The columns, by the names of their fields, of which times were read so far that are those of another clock than that
    /// of UTC: what is stored is UTC, and the zone is lost.
    fn zoned(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A batch of more bytes than this, which has very large cells, is alone in memory.
const MOST_BESIDE_ANOTHER: usize = 16 << 20;

/// Where batches are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeOn {
    /// On the threads of the session, which share the work.
    Session,
    /// On the thread of the caller, since making one may wait for other threads, and these for those of the session.
    Caller,
}

impl MadeOn {
    /// Where the batches of a reader are made.
    #[must_use]
    pub fn of(reader: &dyn BatchReader) -> Self {
        if reader.waits() {
            Self::Caller
        } else {
            Self::Session
        }
    }
}

/// Gives each batch to `take`, on the threads of the session, while the next one is made. At most two are in memory; a
/// batch of very large cells is the only one, and is made and taken on the thread of the caller, which gives the memory
/// for one of them to the next.
///
/// # Errors
/// The first of either, by the number of the batch.
pub fn for_each_batch<E: Send>(
    session: &Session,
    made_on: MadeOn,
    mut next: impl FnMut() -> Result<Option<Batch>, E> + Send,
    mut take: impl FnMut(&Batch) -> Result<(), E> + Send,
) -> Result<(), E> {
    while let Some(mut batch) = next()? {
        if !is_large(&batch) {
            let large = match made_on {
                MadeOn::Session => session.install(|| {
                    let both = |batch: &Batch| threads::both(|| take(batch), &mut next);
                    take_small(batch, both)
                }),
                MadeOn::Caller => {
                    let both = |batch: &Batch| {
                        let mut taken = Ok(());
                        let following = session.beside(|| taken = take(batch), &mut next);
                        (taken, following)
                    };
                    take_small(batch, both)
                }
            }?;
            let Some(large) = large else { return Ok(()) };
            batch = large;
        }
        take(&batch)?;
    }
    Ok(())
}

fn is_large(batch: &Batch) -> bool {
    batch.value_bytes() > MOST_BESIDE_ANOTHER
}

/// Takes batches, each while the next one is made, up to the first large one, which it returns.
fn take_small<E>(
    mut batch: Batch,
    mut both: impl FnMut(&Batch) -> (Result<(), E>, Result<Option<Batch>, E>),
) -> Result<Option<Batch>, E> {
    loop {
        let (taken, following) = both(&batch);
        taken?;
        match following? {
            Some(following) if !is_large(&following) => batch = following,
            last => return Ok(last),
        }
    }
}

/// Takes a result batch by batch and writes it in some format.
pub trait BatchWriter {
    /// Writes the next batch.
    ///
    /// # Errors
    /// What does not fit the format, and where the output fails.
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError>;

    /// Writes what stands at the end, and everything still held back.
    ///
    /// # Errors
    /// Where the output fails; where the format needs more than was written.
    fn finish(self: Box<Self>) -> Result<(), ConversionError>;
}

/// Which field each of the names is of: its number.
///
/// # Errors
/// [`InputError::Names`] for a name that no field has, and a field that has no name among these; [`InputError::Column`]
/// for one that is there twice.
pub fn by_name(names: &[String], fields: &[FieldInfo]) -> Result<Vec<usize>, InputError> {
    let known = || fields.iter().map(|field| field.name.as_str());
    let by_name: HashMap<&str, usize> = known().zip(0..).collect();
    let mut is_there = vec![false; fields.len()];
    let mut places = Vec::new();
    for name in names {
        let place = by_name.get(name.as_str()).copied();
        let Some((place, seen)) = place.and_then(|place| Some((place, is_there.get_mut(place)?)))
        else {
            let error = UnknownName::new("field", name, known());
            return Err(InputError::Names(error));
        };
        if std::mem::replace(seen, true) {
            return Err(InputError::column(name, "is there twice"));
        }
        places.push(place);
    }
    for (is_there, field) in is_there.iter().zip(fields) {
        if !is_there {
            let known = names.iter().map(String::as_str);
            let error = UnknownName::new("column", &field.name, known);
            return Err(InputError::Names(error));
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::*;
    use crate::SessionOptions;

    /// A thread of a session that shares its work may be given other work while it waits for its share: where that waited for
    /// the next batch, it would wait for what lies below it.
    #[test]
    fn batches_may_come_of_work_on_the_same_threads() {
        for threads in [1, 2] {
            let session = Session::new(SessionOptions {
                threads: NonZeroUsize::new(threads),
                ..SessionOptions::default()
            });
            for pause in (0..3000).step_by(20).map(Duration::from_micros) {
                let (sender, batches) = sync_channel(0);
                let source = session.clone();
                let made = std::thread::spawn(move || {
                    for rows in 1..4_usize {
                        let numbers = 0..100_000_usize;
                        let mut numbers: Vec<usize> = numbers.map(|n| n * rows % 9973).collect();
                        source.install(|| threads::sort_by(&mut numbers, Ord::cmp));
                        let columns = Vec::new();
                        sender.send(Batch { rows, columns }).unwrap();
                    }
                });
                let next = move || {
                    let batch = batches.recv().ok();
                    // The next one is on its way.
                    std::thread::sleep(pause);
                    Ok::<_, ()>(batch)
                };
                let mut taken = Vec::new();
                let take = |batch: &Batch| {
                    taken.push(batch.rows);
                    Ok(())
                };
                for_each_batch(&session, MadeOn::Caller, next, take).unwrap();
                made.join().unwrap();
                assert_eq!(taken, [1, 2, 3]);
            }
        }
    }

    #[test]
    fn what_goes_wrong_first_is_told() {
        let session = Session::new(SessionOptions::default());
        for made_on in [MadeOn::Session, MadeOn::Caller] {
            let mut made = 0..5;
            let mut next = || {
                let rows = made.next().ok_or("no third batch")?;
                let columns = Vec::new();
                Ok(Some(Batch { rows, columns }))
            };
            let taken = for_each_batch(&session, made_on, &mut next, |batch| {
                if batch.rows == 2 {
                    Err("the third batch")
                } else {
                    Ok(())
                }
            });
            assert_eq!(taken, Err("the third batch"));
            let taken = for_each_batch(&session, made_on, &mut next, |_| Ok(()));
            assert_eq!(taken, Err("no third batch"));
        }
    }
}
