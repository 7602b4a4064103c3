//! Checking whether a place can be listed, read and written, and measuring how long that takes.

use std::time::{Duration, Instant};

use bytes::Bytes;
use tdb_array::{ChangeOptions, ObjectType};
use tdb_open::place::{self, Place};
use tdb_open::{Context, Error, Result};
use tdb_store::{Object, Read, Store, StoreError, join, read_one};
use tdb_tile::Code;

/// Number of repetitions when measuring the time of a request.
const TRIES: usize = 3;
/// Maximum number of folders searched for an object to read.
const LOOKED_INTO: usize = 8;

/// Result of checking a place.
#[derive(Debug)]
#[non_exhaustive]
pub struct Diagnosis {
    /// Type of the object there; `None` if it cannot be determined.
    pub object_type: Option<ObjectType>,
    /// Checks in the order in which they were made.
    pub checks: Vec<Check>,
}

/// One check of a place.
#[derive(Debug)]
#[non_exhaustive]
pub struct Check {
    /// Name of the check: `list`, `read`, `write`, `keep` or `remove`.
    pub what: &'static str,
    /// Result of the check.
    pub answer: Answer,
    /// Duration; the median if the check was repeated.
    pub took: Duration,
}

/// Result of a check.
#[derive(Debug)]
pub enum Answer {
    /// The operation works; with a description of the result.
    Works(String),
    /// The operation failed, with its error.
    Fails(Error),
    /// The operation was not tried, with the reason.
    NotTried(&'static str),
}

impl Diagnosis {
    /// Iterates over the failed checks.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        let failed = |check: &&Check| matches!(check.answer, Answer::Fails(_));
        self.checks.iter().filter(failed)
    }
}

/// Checks whether the folder that a URI names can be listed and read and, with `is_writing`, written: an object is
/// created in the folder and removed again. Failed checks are part of the diagnosis, not errors.
///
/// # Errors
/// Fails if the URI names no folder, if the settings lead to no store, or if a local folder does not exist.
pub fn doctor(context: &Context, uri: &str, is_writing: bool) -> Result<Diagnosis> {
    Ok(diagnose(&place::folder(uri, context.opener())?, is_writing))
}

/// As [`doctor`], for a place.
#[must_use]
pub fn diagnose(place: &Place, is_writing: bool) -> Diagnosis {
    let (store, folder) = (&**place.store(), place.prefix());
    let check = |what, took, answer: Result<String, StoreError>| Check {
        what,
        took,
        answer: match answer {
            Ok(text) => Answer::Works(text),
            Err(error) => Answer::Fails(place.failed(Error::of_store(error))),
        },
    };
    let (took, listed) = timed(TRIES, || store.list(folder, None));
    let is_listed = listed.is_ok();
    let mut checks = vec![check(
        "list",
        took,
        listed.map(|found| {
            let more = if found.next.is_some() {
                ", and more"
            } else {
                ""
            };
            let (folders, objects) = (found.prefixes.len(), found.objects.len());
            format!("{folders} folders, {objects} objects{more}")
        }),
    )];
    match is_listed.then(|| an_object(store, folder)).flatten() {
        None => checks.push(not_tried("read", "no object was found to read")),
        Some(object) => {
            let (took, read) = timed(TRIES, || read_byte(store, &object));
            checks.push(check("read", took, read));
        }
    }
    if is_writing {
        writing(store, folder, &check, &mut checks);
    } else {
        checks.push(not_tried(
            "write",
            "--write makes an object and removes it again",
        ));
    }
    Diagnosis {
        object_type: place.object_type().ok(),
        checks,
    }
}

/// Creates an object, tries to create it again, and removes it.
fn writing(
    store: &dyn Store,
    folder: &str,
    check: &dyn Fn(&'static str, Duration, Result<String, StoreError>) -> Check,
    checks: &mut Vec<Check>,
) {
    let name = match ChangeOptions::default().names.id() {
        Ok(number) => format!("__tdb_doctor_{number:x}"),
        Err(_) => return checks.push(not_tried("write", "there is no name for an object")),
    };
    let key = join(folder, &name);
    let put = || store.put(&key, Bytes::from_static(b"tdb doctor"));
    let (took, made) = timed(1, put);
    let is_made = made.is_ok();
    checks.push(check(
        "write",
        took,
        made.map(|()| "an object was made".to_owned()),
    ));
    if !is_made {
        // The object may exist even though the store reported an error.
        let _ = store.remove(&key);
        return;
    }
    let (took, again) = timed(1, put);
    checks.push(check(
        "keep",
        took,
        match again {
            Err(StoreError::Exists { .. }) => Ok("an object is not replaced".to_owned()),
            Ok(()) => Ok(
                "an existing object is overwritten silently, so tdb relies on unique names"
                    .to_owned(),
            ),
            Err(error) => Err(error),
        },
    ));
    let (took, removed) = timed(1, || store.remove(&key));
    checks.push(check(
        "remove",
        took,
        removed.map(|()| "the object is gone".to_owned()),
    ));
}

fn not_tried(what: &'static str, why: &'static str) -> Check {
    Check {
        what,
        answer: Answer::NotTried(why),
        took: Duration::ZERO,
    }
}

/// Runs `work` up to `tries` times, stopping at the first failure; returns the median duration and the last answer.
fn timed<T>(
    tries: usize,
    work: impl Fn() -> Result<T, StoreError>,
) -> (Duration, Result<T, StoreError>) {
    let mut times = Vec::new();
    loop {
        let start = Instant::now();
        let answer = work();
        times.push(start.elapsed());
        if answer.is_err() || times.len() >= tries {
            times.sort_unstable();
            let middle = times.get(times.len() / 2).copied();
            return (middle.unwrap_or_else(|| start.elapsed()), answer);
        }
    }
}

/// Returns the first nonempty object in a folder or in its first subfolders.
fn an_object(store: &dyn Store, folder: &str) -> Option<Object> {
    let mut folders = vec![folder.to_owned()];
    for _ in 0..LOOKED_INTO {
        let listing = store.list(&folders.pop()?, None).ok()?;
        if let Some(object) = listing.objects.into_iter().find(|o| o.size != Some(0)) {
            return Some(object);
        }
        folders.extend(listing.prefixes.into_iter().take(LOOKED_INTO));
    }
    None
}

fn read_byte(store: &dyn Store, object: &Object) -> Result<String, StoreError> {
    match read_one(store, Read::bounded(&*object.key, 0, 1)) {
        // An empty object can be read, too.
        Ok(_) | Err(StoreError::OutOfRange { .. }) => Ok(format!("of {}", object.key)),
        Err(error) => Err(error),
    }
}

impl Answer {
    /// Describes the answer in words.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Works(text) => text.clone(),
            Self::Fails(error) => error.to_string(),
            Self::NotTried(why) => (*why).to_owned(),
        }
    }
}

/// Describes the object type in words.
#[must_use]
pub fn in_words(object_type: Option<ObjectType>) -> &'static str {
    match object_type {
        None => "cannot be determined",
        Some(ObjectType::Invalid) => "neither an array nor a group",
        Some(found) => found.name(),
    }
}
