//! Decodes all that an array is stored as, and lists what cannot be.

use tdb_array::{Array, ArrayError, ErrorKind, Fragment, Location, OpenOptions};
use tdb_cells::{Activity, Progress, Session};
use tdb_schema::FieldKind;

use crate::MergeError;
use crate::StoredField;

/// What is wrong with something that is stored.
#[derive(Debug)]
#[non_exhaustive]
pub struct Damage {
    /// The fragment in which it is.
    pub fragment: String,
    /// The field, if it is one's.
    pub field: Option<String>,
    /// The tile, if it is one.
    pub tile: Option<u64>,
    /// What is wrong with it.
    pub error: MergeError,
}

/// What was decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Fragments that the array has, sound or not.
    pub fragments: u64,
    /// Tiles of fields that were tried.
    pub tiles: u64,
    /// Damages that were told.
    pub damages: u64,
}

/// Reads and decodes every tile of every field of every fragment of an array, and tells each that cannot be: also of
/// cells that others overwrite, and in fragments that keep the array from being opened. The session
/// [tells](Session::with_progress) how many tiles are done.
///
/// What can be decoded and is wrong all the same is not found: data without a checksum that was changed to other data.
///
/// # Errors
/// An array that cannot be opened, whichever fragments are left out; too little memory; a defect of this library.
pub fn verify(
    session: &Session,
    location: &Location,
    options: &OpenOptions,
    tell: &mut dyn FnMut(Damage),
) -> Result<Verified, MergeError> {
    let mut work = Verifying {
        session,
        verified: Verified::default(),
        total: None,
        tell,
    };
    let array = work.open(location, options)?;
    let tiles = array.fragments().iter().map(tiles_of_fields);
    work.total = Some(tiles.fold(0, u64::saturating_add));
    for fragment in array.fragments() {
        work.verified.fragments = work.verified.fragments.saturating_add(1);
        work.fragment(&array, fragment)?;
    }
    Ok(work.verified)
}

struct Verifying<'a> {
    session: &'a Session,
    verified: Verified,
    /// Tiles of fields that will be tried, once they are known.
    total: Option<u64>,
    tell: &'a mut dyn FnMut(Damage),
}

impl Verifying<'_> {
    /// Opens the array without the fragments that keep it from being opened.
    fn open(&mut self, location: &Location, options: &OpenOptions) -> Result<Array, MergeError> {
        let mut options = options.clone();
        loop {
            let error = match Array::open_location(location, options.clone()) {
                Ok(array) => return Ok(array),
                Err(error) => error,
            };
            let Some(name) = damaged_fragment(&error, &options) else {
                return Err(error.into());
            };
            options.without_fragments.push(name.clone());
            self.verified.fragments = self.verified.fragments.saturating_add(1);
            self.found(name, None, None, error.into())?;
        }
    }

    fn fragment(&mut self, array: &Array, fragment: &Fragment) -> Result<(), MergeError> {
        for kind in kinds(fragment) {
            match StoredField::open(self.session, array, fragment, kind) {
                Ok(None) => {}
                Ok(Some(field)) => self.field(fragment, &field)?,
                Err(error) => {
                    let name = fragment.schema.field_of(kind).map(|f| f.name.to_owned());
                    self.found(name_of(fragment), name, None, error)?;
                }
            }
        }
        Ok(())
    }

    fn field(&mut self, fragment: &Fragment, field: &StoredField<'_>) -> Result<(), MergeError> {
        for tile in 0..fragment.metadata.tile_count() {
            self.verified.tiles = self.verified.tiles.saturating_add(1);
            let progress = Progress::new(Activity::Verifying, self.verified.tiles);
            self.session.tell(&progress.of(self.total));
            if let Err(error) = field.read(tile) {
                let name = Some(field.field().name.to_owned());
                self.found(name_of(fragment), name, Some(tile), error.into())?;
            }
        }
        Ok(())
    }

    /// Tells a damage. Too little memory and a defect of the library say nothing of what is stored.
    fn found(
        &mut self,
        fragment: String,
        field: Option<String>,
        tile: Option<u64>,
        error: MergeError,
    ) -> Result<(), MergeError> {
        if error.kind() == ErrorKind::Bug || is_out_of_memory(&error) {
            return Err(error);
        }
        self.verified.damages = self.verified.damages.saturating_add(1);
        (self.tell)(Damage {
            fragment,
            field,
            tile,
            error,
        });
        Ok(())
    }
}

/// Whether the memory of the session was too little: a size beyond any other limit is one that no sound array has.
fn is_out_of_memory(error: &MergeError) -> bool {
    let mut next: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = next {
        // Many kinds of errors carry this one; all end with its text.
        if error.to_string().ends_with("(memory budget)") {
            return true;
        }
        next = error.source();
    }
    false
}

/// The fields that a fragment may have.
fn kinds(fragment: &Fragment) -> impl Iterator<Item = FieldKind> {
    let kept = [
        FieldKind::Timestamps,
        FieldKind::DeleteTimestamps,
        FieldKind::DeleteConditionIndex,
    ];
    let fields = fragment.schema.fields().map(|field| field.kind);
    fields.chain(kept)
}

/// How many tiles the fields of a fragment have together.
fn tiles_of_fields(fragment: &Fragment) -> u64 {
    let metadata = &fragment.metadata;
    let is_stored = |kind: &FieldKind| metadata.field_in(&fragment.schema, *kind).is_some();
    let fields = kinds(fragment).filter(is_stored).count() as u64;
    fields.saturating_mul(metadata.tile_count())
}

fn name_of(fragment: &Fragment) -> String {
    fragment.name.as_str().to_owned()
}

/// The fragment that keeps an array from being opened; one that is left out already cannot be it.
fn damaged_fragment(error: &ArrayError, options: &OpenOptions) -> Option<String> {
    let name = error.damaged_fragment()?.to_owned();
    (!options.without_fragments.contains(&name)).then_some(name)
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "fragment {}", self.fragment)?;
        if let Some(field) = &self.field {
            write!(f, ", field {field:?}")?;
        }
        if let Some(tile) = self.tile {
            write!(f, ", tile {tile}")?;
        }
        Ok(())
    }
}
