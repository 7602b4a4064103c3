//! A place that was found, and what is said where there is none.

use std::sync::Arc;

use tdb_array::{ArrayError, Draft, ErrorKind, Found, Location, ObjectType, Work};
use tdb_store::{Store, StoreError, join};
use tdb_tile::Code;

use super::address::Address;
use crate::{Error, Result};

/// A folder in a store, or the object that the user named in one.
#[derive(Clone, Debug)]
pub struct Place {
    /// The URI as the user gave it.
    pub uri: String,
    /// The folder in its store, yet without a key and with the usual caps.
    pub location: Location,
    /// Where the root of the store is: what members of groups are resolved against.
    pub store_uri: String,
}

/// An object, seen from the array or group that it belongs to.
pub struct PlacedObject {
    /// The array or group; where there is none, the folder of the object.
    pub root: Place,
    /// What the root is.
    pub root_type: ObjectType,
    /// The object's key below the root.
    pub key: String,
}

impl Place {
    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        self.location.store()
    }

    /// The folder in the store.
    pub fn prefix(&self) -> &str {
        self.location.prefix()
    }

    /// The URI of the folder, whatever folder the program was started in.
    pub fn absolute_uri(&self) -> String {
        if self.prefix().is_empty() {
            return self.store_uri.clone();
        }
        join(&self.store_uri, self.prefix())
    }

    /// What the folder is.
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

    /// Why there is not what was wanted here: there is nothing, or no more than what was begun.
    #[must_use]
    pub fn nothing(&self, wanted: &str) -> Error {
        // What cannot be looked at is not known to have been begun.
        match self.unfinished() {
            Ok(Some(work)) => unfinished(&self.uri, work, ErrorKind::NotFound),
            Ok(None) | Err(_) => nothing(&self.uri, wanted),
        }
    }

    /// What makes an array here that is not there yet: it is under way, or was stopped.
    ///
    /// # Errors
    /// As the store reports.
    pub fn unfinished(&self) -> Result<Option<Work>> {
        Ok(self.found()?.unfinished)
    }

    /// What the folder is, and what was begun in it.
    ///
    /// # Errors
    /// As the store reports.
    pub fn found(&self) -> Result<Found> {
        Found::at(&**self.store(), self.prefix()).map_err(|error| self.failed(error))
    }

    /// The same place, as who makes an array in it sees it.
    pub(crate) fn drafted(&self, draft: &Draft) -> Self {
        Self {
            location: Location::new(Arc::clone(draft.location().store()), self.prefix()),
            ..self.clone()
        }
    }

    /// Why the array here was not opened: where there is none, what there is instead.
    pub fn unopened(&self, error: ArrayError) -> Error {
        let is_none = matches!(error, ArrayError::NoSuch { .. });
        match is_none.then(|| self.check_array()) {
            Some(Err(better)) => better,
            Some(Ok(())) | None => self.failed(error),
        }
    }

    /// A folder below this one.
    pub fn below(&self, name: &str) -> Self {
        Self {
            uri: format!("{}/{name}", self.uri.trim_end_matches('/')),
            location: self.location.at(&self.location.full(name)),
            store_uri: self.store_uri.clone(),
        }
    }

    /// Whether a URI leads to this folder.
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

    /// Whether another folder is this one, or lies in it.
    pub fn holds(&self, other: &Self) -> bool {
        let (own, other) = (self.absolute_uri(), other.absolute_uri());
        let rest = other.strip_prefix(&own);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The failure, with the URI in front and, where a store that is not a local folder failed, the way to learn why.
    pub fn failed(&self, error: impl Into<Error>) -> Error {
        let error = error.into().at(&self.uri);
        match self.way_to_learn_why(error.kind()) {
            Some(hint) if error.hint().is_none() => error.with_hint(hint),
            Some(_) | None => error,
        }
    }

    /// How to learn why a store failed that is no local folder.
    pub fn way_to_learn_why(&self, kind: ErrorKind) -> Option<String> {
        let is_remote = matches!(Address::of(&self.store_uri), Address::Remote);
        let uri = &self.uri;
        let hint = || format!("tdb doctor {uri} tells where this leads, and by which credentials");
        (is_remote && kind == ErrorKind::Store).then(hint)
    }
}

/// There is nothing.
pub fn missing(uri: &str) -> Error {
    Error::new(ErrorKind::NotFound, "not found").at(uri)
}

/// A folder, where an object was wanted.
pub(super) fn no_object(uri: &str) -> Error {
    let error = Error::invalid(format!("{uri}: is a folder, not a stored object"));
    error.with_hint(format!("tdb info {uri} shows an array or group"))
}

/// A place that is taken by what is above it.
pub(super) fn lies_in(uri: &str, what: ObjectType, above: &str) -> Error {
    let name = what.name();
    let error = Error::invalid(format!(
        "{uri}: lies in what the {name} {above} is stored as"
    ));
    error.with_hint("arrays and groups lie beside arrays, and in groups under names without __")
}

/// What the system says of a path.
pub(super) fn system(uri: &str, error: std::io::Error) -> Error {
    Error::from(StoreError::from_io(uri, error))
}

/// An array in the making, which is none.
pub(crate) fn unfinished(uri: &str, work: Work, kind: ErrorKind) -> Error {
    let work = work.name();
    let what =
        format!("an unfinished {work} is here, and no array: it is under way, or was stopped");
    let hint =
        format!("the same {work}, run again, finishes it; tdb rm {uri} removes what is left");
    Error::new(kind, what).at(uri).with_hint(hint)
}

/// Neither an array nor a group, where either would do.
pub(super) fn nothing(uri: &str, wanted: &str) -> Error {
    let error = Error::new(ErrorKind::NotFound, format!("there is no {wanted} here"));
    error
        .at(uri)
        .with_hint(format!("tdb ls -R {uri} finds the arrays and groups below"))
}
