//! Decodes everything that is stored for an array, and reports what cannot be decoded.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use tdb_array::directory::FRAGMENT_FOLDER;
use tdb_array::{
    Array, ArrayError, ErrorKind, Fragment, Group, Location, OpenOptions, Unsound, Warning,
};
use tdb_cells::Session;
use tdb_consolidate::verify_commits;
use tdb_query::{QueryError, ReadOptions, Reader};
use tdb_schema::FieldKind;
use tdb_tile::Exact;

use crate::verify_fragments::{Check, kinds};

/// A damaged part of an array or group.
#[derive(Debug)]
#[non_exhaustive]
pub struct Damage {
    /// The location of the damage.
    pub place: DamagedPlace,
    /// The damaged field, if the damage is in one.
    pub field: Option<String>,
    /// The index of the damaged tile, if the damage is in one.
    pub tile: Option<u64>,
    /// The error of decoding it.
    pub error: QueryError,
}

/// The location of a damage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamagedPlace {
    /// In the fragment of this name: the rest of the array can be read without it.
    Fragment(String),
    /// In the fragment of this name, which was merged but still exists: reads of earlier times need it.
    Replaced(String),
    /// In an object or a folder with this key, relative to the array or group: metadata, an enumeration, or the array
    /// of a dimension label.
    Object(String),
}

/// The extent of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// The number of fragments, damaged or not, including replaced ones that still exist.
    pub fragments: u64,
    /// The number of tiles checked, over all fields.
    pub tiles: u64,
    /// The number of damages reported.
    pub damages: u64,
    /// Irregularities that are not damages: files of other programs, which are ignored, and fragments without a commit
    /// that were written less than ten minutes ago.
    pub warnings: Vec<Warning>,
}

/// Reads and decodes everything that any read of an array uses, and reports each damage. This includes every tile of
/// every field of every fragment, also overwritten cells, merged fragments that still exist, and fragments that
/// prevent the array from being opened; commits and their names, metadata, the enumerations of all schemas, and the
/// arrays of dimension labels. The session [reports](Session::with_progress) the number of tiles done.
///
/// Data that decodes, but is wrong, is not found: for example, modified bytes of a tile without a checksum.
///
/// # Errors
/// If there is no array, the store fails, memory is too small, or tdb has a defect.
pub fn verify(
    session: &Session,
    location: &Location,
    options: &OpenOptions,
    tell: &mut dyn FnMut(Damage),
) -> Result<Verification, QueryError> {
    let mut work = Verifying {
        session,
        verified: Verification::default(),
        total: None,
        within: String::new(),
        tell,
    };
    if let Some(array) = work.array(location, options)? {
        work.labels(&array, options)?;
    }
    Ok(work.verified)
}

/// Reads and decodes the objects of a group itself, not of its members, and reports each damage.
///
/// # Errors
/// As [`verify`].
pub fn verify_group(
    location: &Location,
    store_uri: &str,
    options: &OpenOptions,
    tell: &mut dyn FnMut(Damage),
) -> Result<Verification, QueryError> {
    let found = Group::unsound_objects(location, store_uri, options.clone())?;
    let mut verified = Verification {
        damages: found.len() as u64,
        ..Verification::default()
    };
    if found.is_empty() {
        let group = Group::open_location(location, store_uri, options.clone())?;
        verified.warnings = strays(group.warnings());
    }
    for Unsound { key, error, .. } in found {
        tell(Damage {
            place: DamagedPlace::Object(key),
            field: None,
            tile: None,
            error: error.into(),
        });
    }
    Ok(verified)
}

/// Returns the warnings about files of other programs; the other warnings are reported as damages.
fn strays(warnings: &[Warning]) -> Vec<Warning> {
    let strays = warnings
        .iter()
        .filter(|warning| matches!(warning, Warning::Stray { .. }));
    strays.cloned().collect()
}

struct Verifying<'a> {
    session: &'a Session,
    verified: Verification,
    /// The total number of tiles to check, for the progress report; `None` if it is not known.
    total: Option<u64>,
    /// The folder of the label's array that is being checked; empty for the array itself.
    within: String,
    tell: &'a mut dyn FnMut(Damage),
}

impl Verifying<'_> {
    /// Checks an array without its labels; returns `None` if it cannot be opened.
    fn array(
        &mut self,
        location: &Location,
        options: &OpenOptions,
    ) -> Result<Option<Arc<Array>>, QueryError> {
        let damages = self.verified.damages;
        let Some(array) = self.open(location, options)? else {
            return Ok(None);
        };
        let array = Arc::new(array);
        self.verified.warnings.extend(strays(array.warnings()));
        for Unsound { key, error, .. } in array.unsound_objects()? {
            self.found(DamagedPlace::Object(key), None, None, error.into())?;
        }
        self.commits(location, damages)?;
        let replaced = self.open_replaced(&array)?;
        let all = array.fragments().iter().chain(&replaced);
        let mut tiles = all.map(tiles_of_fields);
        self.total = tiles.try_fold(self.verified.tiles, |total, tiles| {
            total.checked_add(tiles?)
        });
        let live: Vec<&Fragment> = array.fragments().iter().collect();
        self.fragments(&array, &live, &DamagedPlace::Fragment)?;
        let replaced: Vec<&Fragment> = replaced.iter().collect();
        self.fragments(&array, &replaced, &DamagedPlace::Replaced)?;
        // Finally check that all parts fit together.
        if self.verified.damages == damages
            && let Err(error) = plan(self.session, &array)
        {
            let folder = DamagedPlace::Object(".".to_owned());
            self.found(folder, None, None, error)?;
        }
        Ok(Some(array))
    }

    /// Compares the commits with the existing fragments.
    fn commits(&mut self, location: &Location, damages: u64) -> Result<(), QueryError> {
        let found = match verify_commits(location) {
            Ok(found) => found,
            // The damaged lists have been reported already.
            Err(error) if error.kind() == ErrorKind::Corrupt && self.verified.damages > damages => {
                return Ok(());
            }
            Err(error) => return self.not_opened(error),
        };
        self.verified.warnings.extend(found.warnings);
        for (key, error) in found.damages {
            self.found(DamagedPlace::Object(key), None, None, error.into())?;
        }
        Ok(())
    }

    /// Checks the arrays of the dimension labels of all schemas.
    fn labels(&mut self, array: &Array, options: &OpenOptions) -> Result<(), QueryError> {
        let options = options.clone().without_fragments(Vec::new());
        let mut seen = BTreeSet::new();
        for label in array.schemas().flat_map(|(_, schema)| &schema.labels) {
            if !seen.insert(label.uri.clone()) {
                continue;
            }
            self.within.clear();
            let within = label.uri.trim_start_matches('/').to_owned();
            match array.label_location(label) {
                Ok(location) => {
                    self.within = within;
                    self.array(&location, &options)?;
                }
                Err(error) => {
                    let key = DamagedPlace::Object(within);
                    self.found(key, None, None, error.into())?;
                }
            }
        }
        Ok(())
    }

    /// Opens the array without the fragments that prevent it from being opened.
    fn open(
        &mut self,
        location: &Location,
        options: &OpenOptions,
    ) -> Result<Option<Array>, QueryError> {
        let mut options = options.clone();
        loop {
            let error = match Array::open_location(location, options.clone()) {
                Ok(array) => return Ok(Some(array)),
                Err(error) => error,
            };
            let Some(name) = damaged_fragment(&error, &options.without_fragments) else {
                return self.not_opened(error).map(|()| None);
            };
            options.without_fragments.push(name.clone());
            self.verified.fragments = self.verified.fragments.exact_add(1)?;
            self.found(DamagedPlace::Fragment(name), None, None, error.into())?;
        }
    }

    /// Reports why an array cannot be opened, if it is due to a damage.
    fn not_opened(&mut self, error: ArrayError) -> Result<(), QueryError> {
        let is_label = !self.within.is_empty();
        let is_missing_label = is_label && error.kind() == ErrorKind::NotFound;
        // The array may open with another key or a newer program.
        let is_damage = matches!(
            error.kind(),
            ErrorKind::Corrupt | ErrorKind::EscapesRoot | ErrorKind::Cycle | ErrorKind::Limit
        );
        if !(is_damage || is_missing_label) {
            return Err(error.into());
        }
        let key = error.object_key().unwrap_or(".").to_owned();
        self.found(DamagedPlace::Object(key), None, None, error.into())
    }

    /// Opens the fragments that others replace, which reads of earlier times need; leaves out those that cannot be
    /// opened.
    fn open_replaced(&mut self, array: &Array) -> Result<Vec<Fragment>, QueryError> {
        let mut without = Vec::new();
        loop {
            let error = match array.open_replaced_without(&without) {
                Ok(fragments) => return Ok(fragments),
                Err(error) => error,
            };
            let Some(name) = damaged_fragment(&error, &without) else {
                return Err(error.into());
            };
            without.push(name.clone());
            // A vacuum may have removed the fragment since the listing.
            let now = array.live_now(array.window())?;
            let mut names = now.replaced.names();
            if names.any(|other| other.is_ok_and(|other| other == name)) {
                self.verified.fragments = self.verified.fragments.exact_add(1)?;
                self.found(DamagedPlace::Replaced(name), None, None, error.into())?;
            }
        }
    }

    /// Checks fragments of an array, and reports damages in the order of the fragments.
    fn fragments(
        &mut self,
        array: &Array,
        fragments: &[&Fragment],
        place: &dyn Fn(String) -> DamagedPlace,
    ) -> Result<(), QueryError> {
        let check = Check::new(self.session, array, self.verified.tiles, self.total);
        for (fragment, checked) in fragments.iter().zip(check.all(fragments)) {
            self.verified.fragments = self.verified.fragments.exact_add(1)?;
            self.verified.tiles = self.verified.tiles.exact_add(checked.tiles)?;
            for (field, tile, error) in checked.damages {
                let place = place(fragment.name.as_str().to_owned());
                self.found(place, field, tile, error)?;
            }
        }
        Ok(())
    }

    /// Reports a damage. Lack of memory and defects of tdb are returned as errors, since they say nothing about the
    /// stored data.
    fn found(
        &mut self,
        place: DamagedPlace,
        field: Option<String>,
        tile: Option<u64>,
        error: QueryError,
    ) -> Result<(), QueryError> {
        if matches!(error.kind(), ErrorKind::Bug | ErrorKind::Memory) {
            return Err(error);
        }
        self.verified.damages = self.verified.damages.exact_add(1)?;
        (self.tell)(Damage {
            place: place.within(&self.within),
            field,
            tile,
            error,
        });
        Ok(())
    }
}

/// Plans a read of all cells, which combines all parts of the array, without reading any.
fn plan(session: &Session, array: &Arc<Array>) -> Result<(), QueryError> {
    let batches = Reader::open(session, array, &ReadOptions::default())?;
    drop(batches);
    Ok(())
}

/// Returns the total number of tiles of a fragment's fields; `None` if that is more than 64 bits count.
fn tiles_of_fields(fragment: &Fragment) -> Option<u64> {
    let metadata = &fragment.metadata;
    let is_stored = |kind: &FieldKind| metadata.field_in(&fragment.schema, *kind).is_some();
    let fields = kinds(fragment).filter(is_stored).count() as u64;
    fields.checked_mul(metadata.tile_count())
}

/// Returns the fragment that prevents an array from being opened, unless it is left out already.
fn damaged_fragment(error: &ArrayError, without: &[String]) -> Option<String> {
    let name = error.damaged_fragment()?.to_owned();
    (!without.contains(&name)).then_some(name)
}

impl DamagedPlace {
    /// Makes a location in a label's array, which is in the folder `within`, relative to the main array.
    fn within(self, within: &str) -> Self {
        if within.is_empty() {
            return self;
        }
        Self::Object(match self {
            Self::Fragment(name) | Self::Replaced(name) => {
                format!("{within}/{FRAGMENT_FOLDER}/{name}")
            }
            Self::Object(key) if key == "." => within.to_owned(),
            Self::Object(key) => format!("{within}/{key}"),
        })
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            DamagedPlace::Fragment(name) | DamagedPlace::Replaced(name) => {
                write!(f, "fragment {name}")?;
            }
            DamagedPlace::Object(key) => write!(f, "{key}")?,
        }
        if let Some(field) = &self.field {
            write!(f, ", field {field:?}")?;
        }
        if let Some(tile) = self.tile {
            write!(f, ", tile {tile}")?;
        }
        Ok(())
    }
}
