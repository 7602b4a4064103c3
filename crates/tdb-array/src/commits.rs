//! The lists of names beside the commits: `.con`, `.ign` and `.vac` objects. They are plain bytes, not tiles.
//!
//! A line only says which names of a listing are meant; what it names is never fetched by it. Layouts:
//! `docs/format/directory.md`, "Commits".

use std::ops::Range;

use bytes::Bytes;
use tdb_tile::{WireError, WireErrorKind};

use crate::{ArrayError, TimestampedName};

const DELETE_ENDING: &[u8] = b".del";
const FRAGMENT_FOLDER: &str = "__fragments";
const METADATA_FOLDER: &str = "__meta";

/// How the keys of commits end, and those of the lists beside them.
const ENDINGS: [&str; 7] = ["wrt", "ok", "del", "con", "ign", "vac", "upd"];

/// Whether an object among the commits is one of them by its ending, whatever its name.
pub fn is_commit(key: &str) -> bool {
    let ending = tdb_store::name(key).rsplit_once('.');
    ending.is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// Fails for an object among the commits that ends as they do and whose name is none. Others pass.
///
/// # Errors
/// [`ArrayError::DamagedCommit`].
pub fn check_name(key: &str) -> Result<(), ArrayError> {
    match TimestampedName::of_key(key) {
        Err(problem) if is_commit(key) => Err(ArrayError::DamagedCommit {
            key: key.to_owned(),
            problem,
        }),
        _ => Ok(()),
    }
}

/// One record of a `.con` object: a commit that needs no object of its own any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsolidatedCommit {
    /// The commit object it stands for, relative to the array, without a slash in front.
    pub key: String,
    /// Where in the `.con` object the whole delete object lies, if it is one.
    pub delete: Option<Range<usize>>,
}

/// Reads a `.con` object. Lines that are not UTF-8 name nothing and are passed over.
///
/// # Errors
/// [`WireError`] where a delete is cut off.
pub fn parse_consolidated(bytes: &Bytes) -> Result<Vec<ConsolidatedCommit>, WireError> {
    let commits = records(bytes).map(|record| {
        record.map(|record| ConsolidatedCommit {
            key: record.key.to_owned(),
            delete: record.delete,
        })
    });
    commits.collect()
}

/// One record of a `.con` object, as it stands there.
pub(crate) struct CommitRecord<'a> {
    /// As [`ConsolidatedCommit::key`].
    pub(crate) key: &'a str,
    /// Where the key stands.
    pub(crate) place: Range<usize>,
    /// As [`ConsolidatedCommit::delete`].
    pub(crate) delete: Option<Range<usize>>,
}

/// As [`parse_consolidated`], record by record; nothing comes after an error.
pub(crate) fn records(bytes: &Bytes) -> impl Iterator<Item = Result<CommitRecord<'_>, WireError>> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        while let Some(rest) = bytes.get(offset..).filter(|rest| !rest.is_empty()) {
            let (line, next) = match line_at(bytes, offset, rest) {
                Ok(found) => found,
                Err(error) => {
                    offset = bytes.len();
                    return Some(Err(error));
                }
            };
            offset = next;
            if line.is_some() {
                return line.map(Ok);
            }
        }
        None
    })
}

/// The record at `offset`, where the `rest` of the bytes begins, if its line is UTF-8, and where the next one begins.
fn line_at<'a>(
    bytes: &Bytes,
    offset: usize,
    rest: &'a [u8],
) -> Result<(Option<CommitRecord<'a>>, usize), WireError> {
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or(rest);
    let end = offset.saturating_add(line.len());
    let mut next = end.saturating_add(1);
    let delete = if line.ends_with(DELETE_ENDING) {
        let range = delete_range(bytes, next)?;
        next = range.end;
        Some(range)
    } else {
        None
    };
    let record = std::str::from_utf8(line).ok().map(|line| {
        let key = line.trim_start_matches('/');
        CommitRecord {
            key,
            place: end.saturating_sub(key.len())..end,
            delete,
        }
    });
    Ok((record, next))
}

/// The stored form of a `.con` object; for each delete, the whole delete object is to be given.
///
/// ```
/// use tdb_array::commits::{encode_consolidated, parse_consolidated};
/// let commits = [("__commits/a.wrt", None), ("__commits/b.del", Some(&b"tile"[..]))];
/// let parsed = parse_consolidated(&encode_consolidated(commits).into())?;
/// assert_eq!(parsed[1].key, "__commits/b.del");
/// assert_eq!(parsed[1].delete, Some(40..44));
/// # Ok::<(), tdb_tile::WireError>(())
/// ```
pub fn encode_consolidated<'a>(
    commits: impl IntoIterator<Item = (&'a str, Option<&'a [u8]>)>,
) -> Vec<u8> {
    let mut out = Vec::new();
    for (key, delete) in commits {
        out.extend_from_slice(key.as_bytes());
        out.push(b'\n');
        if let Some(delete) = delete {
            out.extend_from_slice(&(delete.len() as u64).to_le_bytes());
            out.extend_from_slice(delete);
        }
    }
    out
}

/// Where the delete lies whose size stands at `offset`.
fn delete_range(bytes: &Bytes, offset: usize) -> Result<Range<usize>, WireError> {
    let fail = |field, needs, left: usize| {
        let kind = WireErrorKind::Truncated {
            needs,
            left: left as u64,
        };
        WireError::new("ConsolidatedCommits", field, offset, kind)
    };
    // Behind a last line that has no end of its own there is nothing.
    let rest = bytes.get(offset..).unwrap_or(&[]);
    let Some((size, rest)) = rest.split_first_chunk() else {
        return Err(fail("delete_size", 8, rest.len()));
    };
    let size = u64::from_le_bytes(*size);
    let start = bytes.len().saturating_sub(rest.len());
    let end = usize::try_from(size)
        .ok()
        .and_then(|size| start.checked_add(size))
        .filter(|end| *end <= bytes.len());
    match end {
        Some(end) => Ok(start..end),
        None => Err(fail("delete", size, rest.len())),
    }
}

/// The lines of an `.ign` or `.vac` object, without slashes in front. Lines that are not UTF-8 or
/// are empty name nothing.
pub fn parse_lines(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| std::str::from_utf8(line).ok());
    lines
        .map(|line| line.trim_start_matches('/'))
        .filter(|line| !line.is_empty())
}

/// The key, relative to the array, that a line of a `.vac` object means. Old lines are absolute
/// URIs of where the array then was: they count from the folder that all arrays have.
pub fn rerooted(line: &str) -> &str {
    let from = |folder| line.find(folder).and_then(|start| line.get(start..));
    from(FRAGMENT_FOLDER)
        .or_else(|| from(METADATA_FOLDER))
        .unwrap_or_else(|| tdb_store::name(line))
}

/// Refuses a line that leads upwards: no release wrote one, so somebody means harm.
pub(crate) fn check_line(key: &str, line: &str) -> Result<(), ArrayError> {
    if line.split('/').any(|part| part == "..") {
        return Err(ArrayError::EscapesRoot {
            key: key.to_owned(),
            uri: line.to_owned(),
        });
    }
    Ok(())
}
