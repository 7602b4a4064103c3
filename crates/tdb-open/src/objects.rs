//! Copying, moving and removing whole arrays and groups, without touching anything outside of them.

use tdb_array::{
    ArrayError, ChangeOptions, Contents, ContentsOutside, ContentsSize, Draft, ErrorKind,
    OpenOptions, Work,
};

use crate::place::{self, Place};
use crate::{Context, Error, Result};

/// An array or a group with everything that belongs to it, found but not yet touched. Members that lie in the folder
/// of a group belong to it; other members are listed by [`Contents::left`] and stay where they are. Other objects in
/// the folder are copied and moved along, but not removed: [`Contents::others`].
#[derive(Debug)]
pub struct Objects {
    context: Context,
    place: Place,
    contents: Contents,
}

/// An array or a group together with members outside of its folder, for copying.
#[derive(Debug)]
pub struct ObjectsOutside {
    context: Context,
    originals: Vec<Place>,
    contents: ContentsOutside,
}

impl Context {
    /// Finds everything that belongs to an array or a group.
    ///
    /// # Errors
    /// Fails if there is neither, or if a group cannot be read.
    pub fn objects(&self, uri: &str) -> Result<Objects> {
        let place = place::from_above(uri, self.opener())?;
        let options = OpenOptions::default();
        let contents =
            Contents::find(&self.location(&place), &place.store_uri, options).map_err(|error| {
                match error {
                    ArrayError::NoSuch { .. } => place.nothing("array or group"),
                    error => place.failed(error),
                }
            })?;
        Ok(Objects {
            context: self.clone(),
            place,
            contents,
        })
    }

    /// Copies an array or a group to a place where nothing exists yet.
    ///
    /// # Errors
    /// As [`Context::objects`]; fails also if something exists at the destination, or if a store fails, which leaves
    /// nothing of the copy.
    pub fn copy(&self, from: &str, to: &str) -> Result<()> {
        self.objects(from)?.copy(to)
    }

    /// Moves an array or a group to a place where nothing exists yet.
    ///
    /// # Errors
    /// As [`Context::copy`]; fails also for a symbolic link.
    pub fn rename(&self, from: &str, to: &str) -> Result<()> {
        place::refuse_link(from)?;
        self.objects(from)?.rename(to)
    }

    /// Removes an array or a group permanently.
    ///
    /// # Errors
    /// As [`Context::objects`]; fails also for a symbolic link, or if the store fails.
    pub fn remove(&self, uri: &str) -> Result<()> {
        place::refuse_link(uri)?;
        self.objects(uri)?.remove()
    }
}

impl Objects {
    /// Returns the arrays, groups and other objects that were found.
    #[must_use]
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Restricts to the group and its members, without other objects in the folder: exactly what [`Objects::remove`]
    /// removes.
    #[must_use]
    pub fn of_members(self) -> Self {
        Self {
            contents: self.contents.of_members(),
            ..self
        }
    }

    /// Checks that a copy can be made at `to`.
    ///
    /// # Errors
    /// Fails if something exists there, or if the place lies within what is copied.
    pub fn check_vacant(&self, to: &str) -> Result<()> {
        vacant(&self.context, to, [&self.place]).map(|_| ())
    }

    /// Returns the numbers of arrays, groups, objects and bytes.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn size(&self) -> Result<ContentsSize> {
        let size = self.contents.size();
        size.map_err(|error| self.place.failed(error))
    }

    /// Copies everything to a place where nothing exists yet.
    ///
    /// # Errors
    /// As [`Context::copy`].
    pub fn copy(&self, to: &str) -> Result<()> {
        check_whole(self.contents.unfinished(), |folder| {
            self.contents.uri(folder)
        })?;
        let place = vacant(&self.context, to, [&self.place])?;
        let (store, prefix) = (place.location.store(), place.location.prefix());
        let copied = self.contents.copy(store, prefix, &ChangeOptions::default());
        copied.map_err(|error| in_the_way(&place, error))
    }

    /// Moves everything to a place where nothing exists yet.
    ///
    /// # Errors
    /// As [`Context::rename`].
    pub fn rename(&self, to: &str) -> Result<()> {
        check_whole(self.contents.unfinished(), |folder| {
            self.contents.uri(folder)
        })?;
        let place = vacant(&self.context, to, [&self.place])?;
        let (store, prefix) = (place.location.store(), place.location.prefix());
        let moved = self
            .contents
            .rename(store, prefix, &ChangeOptions::default());
        moved.map_err(|error| in_the_way(&place, error))
    }

    /// Removes everything permanently.
    ///
    /// # Errors
    /// Fails if the store fails. Some of it may be left then; removing can be repeated.
    pub fn remove(&self) -> Result<()> {
        let removed = self.contents.remove();
        removed.map_err(|error| self.place.failed(error))
    }

    /// Adds the arrays and groups that are members of the group but lie outside of its folder.
    ///
    /// # Errors
    /// As [`Context::objects`]; fails also if groups are nested too deeply.
    pub fn with_outside(self) -> Result<ObjectsOutside> {
        let Self {
            context,
            place,
            contents,
        } = self;
        let mut originals = vec![place];
        let contents = ContentsOutside::find(contents, |uri| {
            match context.objects(uri) {
                Ok(found) => {
                    originals.push(found.place);
                    Ok(Some(found.contents))
                }
                // Nothing exists there, or this build does not support the store.
                Err(error)
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Unsupported) =>
                {
                    Ok(None)
                }
                Err(error) => Err(error),
            }
        })?;
        Ok(ObjectsOutside {
            context,
            originals,
            contents,
        })
    }
}

impl ObjectsOutside {
    /// Returns the arrays, groups and other objects that were found.
    #[must_use]
    pub fn contents(&self) -> &ContentsOutside {
        &self.contents
    }

    /// Returns the numbers of arrays, groups, objects and bytes.
    ///
    /// # Errors
    /// Fails if a store fails.
    pub fn size(&self) -> Result<ContentsSize> {
        Ok(self.contents.size()?)
    }

    /// Checks that a copy can be made at `to`.
    ///
    /// # Errors
    /// Fails if something exists there, or if the place lies within what is copied.
    pub fn check_vacant(&self, to: &str) -> Result<()> {
        vacant(&self.context, to, &self.originals).map(|_| ())
    }

    /// Copies everything to a place where nothing exists yet; members from elsewhere lie inside the copy afterwards.
    ///
    /// # Errors
    /// As [`Context::copy`].
    pub fn copy(&self, to: &str) -> Result<()> {
        check_whole(self.contents.unfinished(), str::to_owned)?;
        let place = vacant(&self.context, to, &self.originals)?;
        let copied = self.contents.copy(
            place.location.store(),
            place.location.prefix(),
            &place.store_uri,
            &ChangeOptions::default(),
        );
        copied.map_err(|error| in_the_way(&place, error))
    }
}

/// Fails if an array to be copied is unfinished.
fn check_whole(
    unfinished: Result<Option<(Work, String)>, ArrayError>,
    uri: impl Fn(&str) -> String,
) -> Result<()> {
    match unfinished? {
        Some((work, folder)) => Err(place::unfinished(&uri(&folder), work, ErrorKind::NotFound)),
        None => Ok(()),
    }
}

/// Resolves the destination of a copy, which must not lie within the originals.
fn vacant<'a>(
    context: &Context,
    to: &str,
    originals: impl IntoIterator<Item = &'a Place>,
) -> Result<Place> {
    let copy = place::vacant(to, context.opener())?;
    let mut originals = originals.into_iter();
    let Some(original) = originals.find(|original| original.holds(&copy)) else {
        return Ok(copy);
    };
    Err(Error::invalid(if copy.holds(original) {
        format!("{} and {to} are the same", original.uri)
    } else {
        format!("{to} lies in {}", original.uri)
    }))
}

/// Converts an error of creating something at `place`, with a hint.
pub fn in_the_way(place: &Place, error: ArrayError) -> Error {
    let uri = &place.uri;
    let what = match &error {
        ArrayError::Exists { what, .. } => what,
        ArrayError::Unfinished { work, .. } => {
            return place::unfinished(uri, *work, ErrorKind::Exists);
        }
        _ => return place.failed(error),
    };
    let shows = || format!("tdb info {uri} shows it");
    let (text, hint) = match *what {
        "array" => ("there is an array here already", shows()),
        "group" => ("there is a group here already", shows()),
        Draft::REST => (
            "there are remains of an array here, left by an unknown operation",
            format!("use tdb rm {uri} to remove them"),
        ),
        _ => (
            "there is something here already",
            "choose another place, or check what is there".to_owned(),
        ),
    };
    Error::new(ErrorKind::Exists, text).at(uri).with_hint(hint)
}
