//! An array that is being made, and is not visible to others yet: see `docs/format/directory.md`, "Arrays in the
//! making".

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use tdb_filters::open_generic_tile;
use tdb_schema::{ArraySchema, Enumeration};
use tdb_store::{Read, Store, StoreError, join, list_all};
use tdb_tile::{Bug, GenericTile};

use crate::claim::Claim;
use crate::contents::below;
use crate::create::{check_above, creatable, put_before_schema};
use crate::directory::{
    COMMITS_FOLDER, DRAFT_FOLDER, ENUMERATION_FOLDER, FRAGMENT_FOLDER, FRAGMENT_METADATA_FOLDER,
    LABEL_FOLDER, METADATA_FOLDER, SCHEMA_FOLDER, fragment_key,
};
use crate::draft_store::DraftStore;
use crate::pending_schema::PendingSchema;
use crate::put::{put_tile, refused};
use crate::{
    Array, ArrayError, At, ChangeOptions, FoundFolder, Location, ObjectType, OpenOptions, Work,
};

/// Folders of an array that is being made, in the order in which they are removed: no step leaves anything that could
/// be read as part of an array.
const WRITTEN: [&str; 5] = [
    COMMITS_FOLDER,
    METADATA_FOLDER,
    FRAGMENT_METADATA_FOLDER,
    FRAGMENT_FOLDER,
    LABEL_FOLDER,
];

/// An array that is being made. Cells and metadata are written to [`Draft::location`] as in any array; others do not
/// see an array before [`Draft::publish`].
///
/// A note records the kind of work, so that the same work can clear what an interrupted run left. A draft holds a
/// claim to its folder: of two programs that begin the same work, one gives way. A dropped draft is kept for
/// [`Draft::resume`]. A draft [with an undecided schema](Draft::begin_undecided) is not resumed: its schema is in memory
/// until it is published.
///
/// ```
/// use std::sync::Arc;
/// use tdb_array::{Array, ArrayError, ChangeOptions, Draft, Location, OpenOptions, Work};
/// use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
/// use tdb_store::MemoryStore;
/// use tdb_tile::Datatype;
///
/// let day = Dimension::numbers("day", Datatype::Int32, (1, 365), 7);
/// let rain = Attribute::new("rain", Datatype::Float32);
/// let schema = ArraySchema::new(ArrayType::Dense, vec![day], vec![rain]);
///
/// let weather = Location::new(Arc::new(MemoryStore::new()), "weather");
/// let draft = Draft::begin(&weather, Work::Import, b"", &schema, &[], &ChangeOptions::default())?;
/// // Here cells are written.
/// Array::open_location(draft.location(), OpenOptions::default())?;
/// let open = || Array::open_location(&weather, OpenOptions::default());
/// assert!(matches!(open(), Err(ArrayError::NoSuch { .. })));
/// draft.publish()?;
/// assert!(open()?.fragments().is_empty());
/// # Ok::<(), ArrayError>(())
/// ```
#[derive(Debug)]
pub struct Draft {
    work: Work,
    /// The location of the future array.
    place: Location,
    /// The same location, in a store that shows the draft's schema.
    drafted: Location,
    /// The folder of the schema before publication.
    schemas: String,
    /// The schema, if it is stored only by the publication.
    pending: Option<PendingSchema>,
    claim: Claim,
}

impl Draft {
    /// Name used in [`ArrayError::Exists`] for objects of an array without a schema and without a note.
    pub const REST: &str = "a rest of an array";

    /// Begins a draft, after removing what the same work left in this folder. `note` is stored for [`Draft::resume`].
    ///
    /// If the folder is in use for anything else, nothing is stored.
    ///
    /// # Errors
    /// As [`Array::create`]; [`ArrayError::Unfinished`] if other work was begun; [`ArrayError::Exists`] if there are
    /// remains of an array without a note; [`ArrayError::Claimed`] if another program is at work.
    pub fn begin(
        location: &Location,
        work: Work,
        note: &[u8],
        schema: &ArraySchema,
        enumerations: &[Enumeration],
        options: &ChangeOptions,
    ) -> Result<Self, ArrayError> {
        let mut draft = Self::begin_undecided(location, work, note, schema, enumerations, options)?;
        if let Some(decided) = draft.pending.take() {
            decided.put(&draft.drafted)?;
        }
        Ok(draft)
    }

    /// Like [`Draft::begin`], with a schema that can still [change](Draft::allow_duplicates) after cells were written:
    /// it is stored once, by [`Draft::publish`].
    ///
    /// # Errors
    /// As [`Draft::begin`].
    pub fn begin_undecided(
        location: &Location,
        work: Work,
        note: &[u8],
        schema: &ArraySchema,
        enumerations: &[Enumeration],
        options: &ChangeOptions,
    ) -> Result<Self, ArrayError> {
        let schema = creatable(schema, enumerations)?;
        let draft = Self::cleared(location, work, note)?;
        let name = put_before_schema(&draft.drafted, &schema, enumerations, &[], options)?;
        Ok(Self {
            pending: Some(PendingSchema { name, schema }),
            ..draft
        })
    }

    /// Claims a folder that is free for this work, removes what the same work left there, and stores the note.
    fn cleared(location: &Location, work: Work, note: &[u8]) -> Result<Self, ArrayError> {
        check_free(location, work)?;
        let draft = Self::claimed(location, work)?;
        check_free(location, work)?;
        draft.clear()?;
        put_tile(&draft.place, &work.note(), note)?;
        Ok(draft)
    }

    /// Resumes a draft that the same work began in this folder; returns it with its note, or `None` if there is none.
    /// Remains that were not committed stay until [`Draft::remove_uncommitted`].
    ///
    /// # Errors
    /// [`ArrayError::Claimed`] if another program is at work; as [`Array::open`].
    pub fn resume(location: &Location, work: Work) -> Result<Option<(Self, Vec<u8>)>, ArrayError> {
        let is_there = || -> Result<bool, ArrayError> {
            let found = FoundFolder::at(&**location.store(), location.prefix())?;
            Ok(found.unfinished == Some(work))
        };
        if !is_there()? {
            return Ok(None);
        }
        let draft = Self::claimed(location, work)?;
        // While waiting for the claim, the array may have been published or removed.
        if !is_there()? || !draft.has_schema()? {
            return Ok(None);
        }
        let note = draft.note()?;
        Ok(Some((draft, note)))
    }

    fn claimed(location: &Location, work: Work) -> Result<Self, ArrayError> {
        let claim = Claim::take_soon(location)?;
        let store = DraftStore::new(Arc::clone(location.store()), location.prefix());
        let schemas = store.kept().to_owned();
        let drafted = Location::new(Arc::new(store), location.prefix())
            .with_key(location.key().cloned())
            .with_limits(location.limits().clone());
        Ok(Self {
            work,
            place: location.clone(),
            drafted,
            schemas,
            pending: None,
            claim,
        })
    }

    /// Returns the location for writing cells and metadata, in a store that shows the draft as an array.
    pub fn location(&self) -> &Location {
        &self.drafted
    }

    /// Returns the array that is being made, to write cells to.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn array(&self) -> Result<Array, ArrayError> {
        match &self.pending {
            Some(pending) => pending.array(&self.drafted),
            None => Array::open_location(&self.drafted, OpenOptions::default()),
        }
    }

    /// Decides whether the array may have cells with the same coordinates. Fragments are the same either way.
    ///
    /// # Errors
    /// A draft whose schema is stored already, or a schema of an array that cannot have them.
    pub fn allow_duplicates(&mut self, allows_duplicates: bool) -> Result<(), ArrayError> {
        let decided = || Bug::new("a draft whose schema is stored cannot change it");
        let pending = self.pending.as_mut().ok_or_else(decided)?;
        let schema = ArraySchema {
            allows_duplicates,
            ..pending.schema.clone()
        };
        schema.check_new().map_err(refused)?;
        pending.schema = schema;
        Ok(())
    }

    /// Removes metadata, and fragments that were not committed: the first step after [`Draft::resume`].
    ///
    /// # Errors
    /// As [`Array::open`], or any error of the store.
    pub fn remove_uncommitted(&self) -> Result<(), ArrayError> {
        let array = Array::open_location(&self.drafted, OpenOptions::default())?;
        let folders = list_all(self.store(), &self.place.full(FRAGMENT_FOLDER))?.prefixes;
        let committed: HashSet<String> = array
            .fragments()
            .iter()
            .map(|fragment| &fragment.name)
            .map(|name| self.place.full(&fragment_key(name)))
            .collect();
        let is_committed = |folder: &String| committed.contains(folder);
        for folder in folders.iter().filter(|folder| !is_committed(folder)) {
            self.remove(folder)?;
        }
        self.remove(&self.place.full(METADATA_FOLDER))?;
        self.remove(&self.place.full(SCHEMA_FOLDER))
    }

    /// Makes the draft an array in one step: the schema is stored last.
    ///
    /// # Errors
    /// [`ArrayError::TakenOver`] if another program has started over meanwhile; [`ArrayError::Exists`] if there is an
    /// array or group by now; or any error of the store. If the schema may already have been stored, nothing is
    /// removed.
    pub fn publish(self) -> Result<(), ArrayError> {
        if !self.claim.is_held()? {
            return Err(ArrayError::TakenOver {
                work: self.work,
                prefix: self.place.prefix().to_owned(),
            });
        }
        check_free(&self.place, self.work)?;
        self.put_in_place(ENUMERATION_FOLDER)?;
        match &self.pending {
            Some(pending) => pending.put(&self.place)?,
            None => self.put_in_place("")?,
        }
        // The array is complete; `tdb clean` removes what cannot be removed now.
        let _ = self.remove_draft();
        Ok(())
    }

    /// Removes the draft completely.
    ///
    /// # Errors
    /// Any error of the store; an error if there is an array by now.
    pub fn discard(self) -> Result<(), ArrayError> {
        self.clear()
    }

    /// Copies the objects of a schema folder from the draft to the array.
    fn put_in_place(&self, folder: &str) -> Result<(), ArrayError> {
        let from = match folder {
            "" => self.schemas.clone(),
            folder => join(&self.schemas, folder),
        };
        for object in list_all(self.store(), &from)?.objects {
            let read = Read::whole(object.key.as_str()).at_most(self.place.tile_limit());
            let bytes = tdb_store::read_one(self.store(), read)?.bytes;
            let key = below(&self.schemas, &object.key);
            let key = self.place.full(&join(SCHEMA_FOLDER, key));
            match self.store().put(&key, bytes) {
                // The name is unique, so the existing object is a copy that was stored before.
                Ok(()) | Err(StoreError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn store(&self) -> &dyn Store {
        &**self.place.store()
    }

    fn has_schema(&self) -> Result<bool, ArrayError> {
        Ok(!list_all(self.store(), &self.schemas)?.objects.is_empty())
    }

    fn note(&self) -> Result<Vec<u8>, ArrayError> {
        let key = self.work.note();
        let read = Read::whole(self.place.full(&key)).at_most(self.place.tile_limit());
        let bytes: Bytes = tdb_store::read_one(self.store(), read)?.bytes;
        let tile = GenericTile::parse(&bytes, self.place.limits()).at(&key)?;
        let note = open_generic_tile(&tile, self.place.key(), self.place.limits()).at(&key)?;
        Ok(note.to_vec())
    }

    /// Removes everything written to the draft; the note last.
    fn clear(&self) -> Result<(), ArrayError> {
        let found = FoundFolder::at(self.store(), self.place.prefix())?;
        if found.object_type != ObjectType::Invalid {
            return Err(exists(&self.place, found.object_type));
        }
        if found.unfinished != Some(self.work) {
            return Ok(());
        }
        for folder in WRITTEN {
            self.remove(&self.place.full(folder))?;
        }
        self.remove(&self.place.full(SCHEMA_FOLDER))?;
        self.remove_draft()
    }

    /// Removes the schemas of the draft, then the note.
    fn remove_draft(&self) -> Result<(), ArrayError> {
        self.remove(&self.schemas)?;
        self.remove(&self.place.full(DRAFT_FOLDER))
    }

    /// Removes a folder and everything in it.
    fn remove(&self, folder: &str) -> Result<(), ArrayError> {
        let keys: Vec<String> = self
            .store()
            .list_recursive(folder)?
            .into_iter()
            .map(|object| object.key)
            .collect();
        self.place.remove_all(&keys)?;
        tdb_store::remove_empty_folders(self.store(), folder)?;
        Ok(())
    }
}

/// Fails if the folder contains anything other than remains of the same work. Without such remains, it must not
/// contain any object of an array.
fn check_free(location: &Location, work: Work) -> Result<(), ArrayError> {
    let (store, prefix) = (&**location.store(), location.prefix());
    check_above(store, prefix)?;
    let found = FoundFolder::at(store, prefix)?;
    match (found.object_type, found.unfinished) {
        (ObjectType::Invalid, Some(unfinished)) if unfinished == work => return Ok(()),
        (ObjectType::Invalid, Some(work)) => {
            let prefix = prefix.to_owned();
            return Err(ArrayError::Unfinished { work, prefix });
        }
        (ObjectType::Invalid, None) => {}
        (there, _) => return Err(exists(location, there)),
    }
    let full = WRITTEN.map(|folder| location.full(folder));
    let folders: Vec<&str> = full.iter().map(String::as_str).collect();
    for listing in store.list_many(&folders) {
        let listing = listing?;
        if !listing.objects.is_empty() || !listing.prefixes.is_empty() {
            return Err(ArrayError::Exists {
                what: Draft::REST,
                prefix: prefix.to_owned(),
            });
        }
    }
    Ok(())
}

fn exists(location: &Location, there: ObjectType) -> ArrayError {
    ArrayError::Exists {
        what: tdb_tile::Code::name(there),
        prefix: location.prefix().to_owned(),
    }
}
