//! Types shared by readers and writers of files; each format has its own crate.
//!
//! A reader of a format is an [`Input`]. It knows the names of its columns and becomes a [`BatchReader`] if it is
//! given the fields of an array, or else guesses fields for its columns. A writer is a [`BatchWriter`]. The conversion
//! between values in files and values of fields is the same for every format: [`labels_of`], [`write_whole`],
//! [`write_float`] and [`Recount`] decide which values fit which type.

mod choice;
mod conversion_error;
mod guess;
mod input_error;
mod labels;
mod numbers;
mod options;

use std::collections::HashMap;

use tdb_schema::names::UnknownName;

use crate::{Batch, FieldInfo, Session, threads};

pub use choice::ColumnChoice;
pub use conversion_error::ConversionError;
pub use guess::{ColumnGuess, Labels, SeenRange};
pub use input_error::{InputError, InputPlace};
pub use labels::{has_value, indexes, labels_of, read_index, shown_type, wanted};
pub use numbers::{Recount, write_float, write_whole};
pub use options::{InputOptions, OutputOptions};

/// A file of which only the names of the columns are known yet.
pub trait Input: Send {
    /// Names of the columns, in the order of the file.
    fn names(&self) -> &[String];

    /// Schema of the array that the file was written from, as JSON, if the file stores it.
    fn array_schema(&self) -> Option<&str> {
        None
    }

    /// Names in the array of the columns that pandas used as the table's index, if the file stores them.
    fn index(&self) -> &[String] {
        &[]
    }

    /// Continues as a reader of cells of these fields, one for each column.
    ///
    /// # Errors
    /// A column has no field, a field has no column, or types do not match.
    fn cells<'a>(
        self: Box<Self>,
        fields: &[FieldInfo],
    ) -> Result<Box<dyn BatchReader + 'a>, InputError>
    where
        Self: 'a;

    /// Reads the whole file to find fields that can store its columns.
    ///
    /// # Errors
    /// No field can store a column, or the file is malformed.
    fn guess(self: Box<Self>) -> Result<Vec<ColumnGuess>, InputError>;
}

/// Reads the cells of a file, batch by batch. On the threads of a session (see
/// [`Session::install`](crate::Session::install)), text is parsed by several threads.
pub trait BatchReader: Send {
    /// Returns the next batch; `None` after the last. A file with at least one cell has at least one batch.
    ///
    /// # Errors
    /// A cell cannot be stored in its field, or the file is malformed.
    fn next(&mut self) -> Result<Option<Batch>, InputError>;

    /// Line at which a row begins, from 1; `None` if the input is not text or the row has not been read yet.
    fn line(&self, row: u64) -> Option<u64>;

    /// Whether making a batch may wait for other threads. Then it must not run on a session's thread: the other
    /// threads may be waiting for that very thread.
    fn waits(&self) -> bool {
        false
    }

    /// Names of the fields that had times of another zone than UTC, among the rows read so far. Times are stored in
    /// UTC, and the zone is lost.
    fn zoned(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Bytes above which a batch, whose cells are very large then, is taken before the next one is made.
const MOST_BESIDE_ANOTHER: usize = 16 << 20;

/// The thread on which batches are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeOn {
    /// The session's threads, which share the work.
    Session,
    /// The caller's thread, because making a batch may wait for other threads, which in turn wait for the session's
    /// threads.
    Caller,
}

impl MadeOn {
    /// Chooses the thread for a reader.
    #[must_use]
    pub fn of(reader: &dyn BatchReader) -> Self {
        if reader.waits() {
            Self::Caller
        } else {
            Self::Session
        }
    }
}

/// Passes each batch to `take`, on the session's threads, while the next batch is made. At most two batches are in
/// memory. A batch of very large cells is taken on the caller's thread, and its memory is free before the next batch
/// is made.
///
/// # Errors
/// The error of the earliest batch, of `next` or `take`.
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

/// Hands over each small batch while the next one is made. Returns the first large batch; `None` after the last one.
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

/// Writes a result in some format, batch by batch.
pub trait BatchWriter {
    /// Writes the next batch.
    ///
    /// # Errors
    /// A value cannot be represented in the format, or the output fails.
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError>;

    /// Writes all buffered cells and the end of the file.
    ///
    /// # Errors
    /// The output fails, or the format needs more than was written.
    fn finish(self: Box<Self>) -> Result<(), ConversionError>;
}

/// Maps each name to the number of the field with this name.
///
/// # Errors
/// [`InputError::Names`] for a name without a field or a field without a name; [`InputError::Column`] for a name that
/// occurs twice.
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

    /// While a session's thread waits for work that it shared, rayon may give it other work. If that other work waited
    /// for the next batch, it would wait for work further down its own stack.
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
                    // Gives the other thread time to start making the next batch.
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
