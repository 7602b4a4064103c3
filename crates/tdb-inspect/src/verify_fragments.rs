//! Decodes the tiles of fragments; in a remote store, of several fragments at the same time, since each tile has to be
//! waited for.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use tdb_array::{Array, ArrayError, ErrorKind, Fragment};
use tdb_cells::{Activity, Column, Progress, Session};
use tdb_query::QueryError;
use tdb_schema::FieldKind;
use tdb_store::Distance;
use tdb_tile::Datatype;

use crate::StoredField;

/// Maximum number of fragments checked at the same time in a remote store.
const AT_ONCE: usize = 32;

/// The findings in one fragment.
#[derive(Debug, Default)]
pub(crate) struct FragmentCheck {
    /// The number of tiles checked, over all fields.
    pub(crate) tiles: u64,
    /// For each damage: the field, the tile, and the error.
    pub(crate) damages: Vec<(Option<String>, Option<u64>, QueryError)>,
}

/// The check of an array's fragments.
#[derive(Debug)]
pub(crate) struct Check<'a> {
    session: &'a Session,
    array: &'a Array,
    /// The number of tiles checked so far, for the progress report.
    done: AtomicU64,
    total: Option<u64>,
}

impl<'a> Check<'a> {
    /// Creates a check; `done` tiles have been checked before, of `total`.
    pub(crate) fn new(
        session: &'a Session,
        array: &'a Array,
        done: u64,
        total: Option<u64>,
    ) -> Self {
        Self {
            session,
            array,
            done: AtomicU64::new(done),
            total,
        }
    }

    /// Checks all fragments; returns the findings for each.
    pub(crate) fn all(&self, fragments: &[&Fragment]) -> Vec<FragmentCheck> {
        let is_far = self.array.location().store().distance() != Distance::Near;
        if !is_far {
            return fragments
                .iter()
                .map(|fragment| self.fragment(fragment))
                .collect();
        }
        let found: Vec<Mutex<Option<FragmentCheck>>> =
            fragments.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let (Some(fragment), Some(place)) = (fragments.get(number), found.get(number))
                else {
                    return;
                };
                let checked = self.fragment(fragment);
                *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(checked);
            }
        };
        thread::scope(|scope| {
            for _ in 1..AT_ONCE.min(fragments.len()) {
                // If no thread can be started, this one checks all fragments.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let found = found.into_iter().zip(fragments);
        found
            .map(|(checked, fragment)| {
                // Several fragments at the same time may exceed the memory budget: check this one again on its own.
                let checked = checked
                    .into_inner()
                    .unwrap_or_else(PoisonError::into_inner)
                    .filter(|checked| !is_too_much(checked));
                checked.unwrap_or_else(|| self.fragment(fragment))
            })
            .collect()
    }

    fn fragment(&self, fragment: &Fragment) -> FragmentCheck {
        let mut checked = FragmentCheck::default();
        if !fragment.metadata.dense
            && let Err(error) = self.array.rtree_of(fragment)
        {
            checked.damages.push((None, None, error.into()));
        }
        for kind in kinds(fragment) {
            match StoredField::open(self.session, self.array, fragment, kind) {
                Ok(None) => {}
                Ok(Some(field)) => self.field(fragment, &field, &mut checked),
                Err(error) => {
                    let name = fragment.schema.field_of(kind).map(|f| f.name.to_owned());
                    checked.damages.push((name, None, error));
                }
            }
        }
        checked
    }

    fn field(&self, fragment: &Fragment, field: &StoredField<'_>, checked: &mut FragmentCheck) {
        for tile in 0..fragment.metadata.tile_count() {
            checked.tiles += 1;
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            let progress = Progress::new(Activity::Verifying, done);
            self.session.tell(&progress.of(self.total));
            let read = field.read(tile).map_err(QueryError::from);
            if let Err(error) = read.and_then(|columns| check_text(fragment, &columns)) {
                let name = Some(field.field().name.to_owned());
                checked.damages.push((name, Some(tile), error));
            }
        }
    }
}

fn is_too_much(checked: &FragmentCheck) -> bool {
    let mut damages = checked.damages.iter();
    damages.any(|(_, _, error)| error.kind() == ErrorKind::Memory)
}

/// A cell of a text field that is not valid UTF-8: exports of cells would refuse it.
#[derive(Debug, thiserror::Error)]
#[error("cell {0} of the tile is text, and not UTF-8")]
struct NotText(usize);

/// Fails if a cell of a text field is not valid UTF-8.
fn check_text(fragment: &Fragment, columns: &[Column]) -> Result<(), QueryError> {
    // Not checked for ASCII, as which TileDB stores any bytes.
    let is_text =
        |column: &&Column| column.datatype == Datatype::StringUtf8 && column.cell_val_num.is_var();
    for column in columns.iter().filter(is_text) {
        if column.values.is_ascii() {
            continue;
        }
        let mut cells = (0..).map_while(|row| column.cell(row));
        if let Some(row) = cells.position(|cell| std::str::from_utf8(cell).is_err()) {
            let error = ArrayError::Object {
                key: fragment.name.as_str().to_owned(),
                kind: ErrorKind::Corrupt,
                source: Box::new(NotText(row)),
            };
            return Err(error.into());
        }
    }
    Ok(())
}

/// Returns the fields that a fragment may have.
pub(crate) fn kinds(fragment: &Fragment) -> impl Iterator<Item = FieldKind> {
    let kept = [
        FieldKind::Timestamps,
        FieldKind::DeleteTimestamps,
        FieldKind::DeleteConditionIndex,
    ];
    let fields = fragment.schema.fields().map(|field| field.kind);
    fields.chain(kept)
}
