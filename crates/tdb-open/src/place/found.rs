//! A resolved place, and the errors for a missing one.

use std::sync::Arc;

use tdb_array::{ArrayError, Draft, ErrorKind, FoundFolder, Location, ObjectType, Work};
use tdb_store::{Store, StoreError, join};
use tdb_tile::Code;

use super::address::Address;
use crate::{Error, Result};

/// A folder in a store, or the object there that the user named.
#[derive(Clone, Debug)]
pub struct Place {
    /// URI as the user gave it.
    pub uri: String,
    /// The folder in its store, without an encryption key and with default limits.
    pub location: Location,
    /// URI of the store's root, against which members of groups are resolved.
    pub store_uri: String,
}

/// An object, located relative to the array or group that contains it.
pub struct PlacedObject {
    /// The array or group; if there is none, the folder of the object.
    pub root: Place,
    /// Type of the root.
    pub root_type: ObjectType,
    /// Key of the object relative to the root.
    pub key: String,
}

impl Place {
    /// Returns the store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        self.location.store()
    }

    /// Returns the key prefix of the folder in the store.
    pub fn prefix(&self) -> &str {
        self.location.prefix()
    }

    /// Returns the URI of the folder, independent of the current directory.
    pub fn absolute_uri(&self) -> String {
        if self.prefix().is_empty() {
            return self.store_uri.clone();
        }
        join(&self.store_uri, self.prefix())
    }

    /// Detects whether the folder is an array, a group or neither.
    pub fn object_type(&self) -> Result<ObjectType> {
        ObjectType::detect(&**self.store(), self.prefix()).map_err(|error| self.failed(error))
    }

    /// Fails unless the folder is an array.
    pub(super) fn check_array(&self) -> Result<()> {
        let uri = &self.uri;
        match self.object_type()? {
            ObjectType::Array => Ok(()),
            ObjectType::Group => {
                let error = Error::new(ErrorKind::NotFound, "is a group, not an array");
                let hint = format!("tdb tree {uri} shows the arrays in it");
                Err(error.at(uri).with_hint(hint))
            }
            ObjectType::Invalid => Err(self.nothing("array")),
        }
    }

    /// Creates the error for a missing object: nothing is here, or only unfinished work.
    #[must_use]
    pub fn nothing(&self, wanted: &str) -> Error {
        // If the folder cannot be read, it is not known to be unfinished.
        match self.unfinished() {
            Ok(Some(work)) => unfinished(&self.uri, work, ErrorKind::NotFound),
            Ok(None) | Err(_) => nothing(&self.uri, wanted),
        }
    }

    /// Returns the unfinished work here that would create an array, whether it is running or was stopped.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn unfinished(&self) -> Result<Option<Work>> {
        Ok(self.found()?.unfinished)
    }

    /// Detects the type of the folder and unfinished work in it.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn found(&self) -> Result<FoundFolder> {
        FoundFolder::at(&**self.store(), self.prefix()).map_err(|error| self.failed(error))
    }

    /// Returns the same place as seen by the process that is creating an array there.
    pub fn drafted(&self, draft: &Draft) -> Self {
        Self {
            location: Location::new(Arc::clone(draft.location().store()), self.prefix()),
            ..self.clone()
        }
    }

    /// Converts the error of opening an array here; if there is no array, reports what is there instead.
    pub fn unopened(&self, error: ArrayError) -> Error {
        let is_none = matches!(error, ArrayError::NoSuch { .. });
        match is_none.then(|| self.check_array()) {
            Some(Err(better)) => better,
            Some(Ok(())) | None => self.failed(error),
        }
    }

    /// Returns a subfolder of this folder.
    pub fn below(&self, name: &str) -> Self {
        Self {
            uri: format!("{}/{name}", self.uri.trim_end_matches('/')),
            location: self.location.at(&self.location.full(name)),
            store_uri: self.store_uri.clone(),
        }
    }

    /// True if a URI leads to this folder.
    pub fn is_place(&self, uri: &str) -> bool {
        let own = self.absolute_uri();
        match (Address::of(uri), Address::of(&own)) {
            (Address::Local(path), Address::Local(own)) => {
                let (path, own) = (path.canonicalize(), own.canonicalize());
                matches!((path, own), (Ok(path), Ok(own)) if path == own)
            }
            (Address::Remote, Address::Remote) => uri.trim_end_matches('/') == own,
            (Address::Local(_), Address::Remote) | (Address::Remote, Address::Local(_)) => false,
        }
    }

    /// True if another folder is this one, or lies inside it.
    pub fn holds(&self, other: &Self) -> bool {
        let (own, other) = (self.absolute_uri(), other.absolute_uri());
        let rest = other.strip_prefix(&own);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Converts an error, adding the URI and, if a remote store failed, a hint on how to find out why.
    pub fn failed(&self, error: impl Into<Error>) -> Error {
        let error = error.into().at(&self.uri);
        match self.way_to_learn_why(error.kind()) {
            Some(hint) if error.hint().is_none() => error.with_hint(hint),
            Some(_) | None => error,
        }
    }

    /// Returns a hint on how to find out why a remote store failed; `None` for other errors.
    pub fn way_to_learn_why(&self, kind: ErrorKind) -> Option<String> {
        let is_remote = matches!(Address::of(&self.store_uri), Address::Remote);
        let uri = &self.uri;
        let hint = || format!("use tdb doctor {uri} to check the location and credentials");
        (is_remote && kind == ErrorKind::Store).then(hint)
    }
}

/// Creates the error for a place where nothing exists.
pub fn missing(uri: &str) -> Error {
    Error::new(ErrorKind::NotFound, "not found").at(uri)
}

/// Creates the error for a folder in place of an object.
pub(super) fn no_object(uri: &str) -> Error {
    let error = Error::invalid(format!("{uri}: is a folder, not a stored object"));
    error.with_hint(format!("use tdb info {uri} for an array or group"))
}

/// Creates the error for a place that lies within an array, or within a group's own folders.
pub(super) fn lies_in(uri: &str, what: ObjectType, above: &str) -> Error {
    let name = what.name();
    let error = Error::invalid(format!(
        "{uri}: lies inside the storage of the {name} {above}"
    ));
    error.with_hint("choose a place outside of arrays, or a name without __ in a group")
}

/// Converts an error of the operating system about a path.
pub(super) fn system(uri: &str, error: std::io::Error) -> Error {
    Error::of_store(StoreError::from_io(uri, error))
}

/// Creates the error for an array that is unfinished and therefore does not exist.
pub fn unfinished(uri: &str, work: Work, kind: ErrorKind) -> Error {
    let work = work.name();
    let what = format!(
        "there is an unfinished {work} here, not an array: it is still running, or was interrupted"
    );
    let hint =
        format!("run the same {work} again to finish it, or tdb rm {uri} to remove the rest");
    Error::new(kind, what).at(uri).with_hint(hint)
}

/// Creates the error for a place that is neither an array nor a group.
pub(super) fn nothing(uri: &str, wanted: &str) -> Error {
    let error = Error::new(ErrorKind::NotFound, format!("there is no {wanted} here"));
    error.at(uri).with_hint(format!(
        "use tdb ls -R {uri} to find the arrays and groups below"
    ))
}
