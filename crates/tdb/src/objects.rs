//! Arrays and groups as a whole: copied, moved, removed, and nothing outside of them.

use tdb_array::{
    ArrayError, ChangeOptions, Contents, ContentsOutside, ContentsSize, Draft, ErrorKind,
    OpenOptions, Work,
};

use crate::place::{self, Place};
use crate::{Context, Error, Result};

/// An array or a group and all that belongs to it, found and not yet touched. Of a group, members that lie in its folder
/// belong to it; others are told by [`Contents::left`], and stay where they are. What else lies in its folder is copied and moved with
/// it, and stays where it is removed: [`Contents::others`].
#[derive(Debug)]
pub struct Objects {
    context: Context,
    place: Place,
    contents: Contents,
}

/// An array or a group and also what members of groups lead to elsewhere, to be copied.
#[derive(Debug)]
pub struct ObjectsOutside {
    context: Context,
    originals: Vec<Place>,
    contents: ContentsOutside,
}

impl Context {
    /// Finds all that belongs to an array or a group.
    ///
    /// # Errors
    /// Where there is neither; what cannot be read of groups.
    pub fn objects(&self, uri: &str) -> Result<Objects> {
        let place = place::from_above(uri, self.opener())?;
        let options = OpenOptions::default();
        let contents = Contents::find(&self.location(&place), &place.store_uri, options);
        let contents = contents.map_err(|error| match error {
            ArrayError::NoSuch { .. } => place.nothing("array or group"),
            error => place.failed(error),
        })?;
        Ok(Objects {
            context: self.clone(),
            place,
            contents,
        })
    }

    /// Copies an array or a group to where there is nothing yet.
    ///
    /// # Errors
    /// As [`Context::objects`]; something in the way; as the stores report, and then nothing of the copy is left.
    pub fn copy(&self, from: &str, to: &str) -> Result<()> {
        self.objects(from)?.copy(to)
    }

    /// Moves an array or a group to where there is nothing yet.
    ///
    /// # Errors
    /// As [`Context::copy`]; a symbolic link.
    pub fn rename(&self, from: &str, to: &str) -> Result<()> {
        place::refuse_link(from)?;
        self.objects(from)?.rename(to)
    }

    /// Removes an array or a group, for good.
    ///
    /// # Errors
    /// As [`Context::objects`]; a symbolic link; as the store reports.
    pub fn remove(&self, uri: &str) -> Result<()> {
        place::refuse_link(uri)?;
        self.objects(uri)?.remove()
    }
}

impl Objects {
    /// What was found.
    #[must_use]
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// The same without what lies in the folder of a group and is no member: what [`Objects::remove`] removes.
    #[must_use]
    pub fn of_members(self) -> Self {
        Self {
            contents: self.contents.of_members(),
            ..self
        }
    }

    /// Fails where a copy cannot be; tells where it will.
    ///
    /// # Errors
    /// Something in the way; a place within what is copied.
    pub fn check_vacant(&self, to: &str) -> Result<()> {
        vacant(&self.context, to, [&self.place]).map(|_| ())
    }

    /// How much it is: arrays, groups, objects and bytes.
    ///
    /// # Errors
    /// As the store reports.
    pub fn size(&self) -> Result<ContentsSize> {
        let size = self.contents.size();
        size.map_err(|error| self.place.failed(error))
    }

    /// Copies all of it to where there is nothing yet.
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

    /// Moves all of it to where there is nothing yet.
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

    /// Removes all of it, for good.
    ///
    /// # Errors
    /// As the store reports; then some of it may be left, and can be removed again.
    pub fn remove(&self) -> Result<()> {
        let removed = self.contents.remove();
        removed.map_err(|error| self.place.failed(error))
    }

    /// Also finds what members of groups lead to elsewhere.
    ///
    /// # Errors
    /// As [`Context::objects`]; groups too deep in one another.
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
                // There is nothing to be found, or this build cannot go there.
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
    /// What was found.
    #[must_use]
    pub fn contents(&self) -> &ContentsOutside {
        &self.contents
    }

    /// How much it is: arrays, groups, objects and bytes.
    ///
    /// # Errors
    /// As the stores report.
    pub fn size(&self) -> Result<ContentsSize> {
        Ok(self.contents.size()?)
    }

    /// Fails where a copy cannot be.
    ///
    /// # Errors
    /// Something in the way; a place within what is copied.
    pub fn check_vacant(&self, to: &str) -> Result<()> {
        vacant(&self.context, to, &self.originals).map(|_| ())
    }

    /// Copies all of it to where there is nothing yet; members that lay elsewhere lie in the copy then.
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

/// Fails where an array that is to be copied is not whole yet.
fn check_whole(
    unfinished: Result<Option<(Work, String)>, ArrayError>,
    uri: impl Fn(&str) -> String,
) -> Result<()> {
    match unfinished? {
        Some((work, folder)) => Err(place::unfinished(&uri(&folder), work, ErrorKind::NotFound)),
        None => Ok(()),
    }
}

/// Where a path leads, which must not lie in what is copied.
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

/// What failed where something new was to be, with the way out.
pub(crate) fn in_the_way(place: &Place, error: ArrayError) -> Error {
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
            "there is a rest of an array here, and nothing says what left it",
            format!("tdb rm {uri} removes it"),
        ),
        _ => (
            "there is something here already",
            "neither an array nor a group: see what it is, or choose another place".to_owned(),
        ),
    };
    Error::new(ErrorKind::Exists, text).at(uri).with_hint(hint)
}
