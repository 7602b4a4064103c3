//! The lists of names in the commits folder: `.con`, `.ign` and `.vac` objects. They are plain bytes, not tiles.
//!
//! A line only selects names of a listing; no object is fetched because a line names it. Layouts:
//! `docs/format/directory.md`, "Commits".

use std::ops::Range;

use bytes::Bytes;
use tdb_tile::{Bug, Exact, WireError, WireErrorKind};

use crate::{ArrayError, TimestampedName};

const DELETE_ENDING: &[u8] = b".del";
const FRAGMENT_FOLDER: &str = "__fragments";
const METADATA_FOLDER: &str = "__meta";

/// Endings of the keys of commits, and of the lists beside them.
const ENDINGS: [&str; 7] = ["wrt", "ok", "del", "con", "ign", "vac", "upd"];

/// True if an object in the commits folder has the ending of a commit or list, whatever its name.
pub fn is_commit(key: &str) -> bool {
    let ending = tdb_store::name(key).rsplit_once('.');
    ending.is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// Fails if an object has the ending of a commit or list, but its name is malformed. Other objects pass.
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

/// One record of a `.con` object: a commit that no longer needs an object of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsolidatedCommit {
    /// The key of the commit object it replaces, relative to the array, without a leading slash.
    pub key: String,
    /// Range of the delete object within the `.con` object; `None` if the commit is not a delete.
    pub delete: Option<Range<usize>>,
}

/// Decodes a `.con` object. Lines that are not UTF-8 are skipped.
///
/// # Errors
/// [`WireError`] if a delete is truncated.
pub fn parse_consolidated(bytes: &Bytes) -> Result<Vec<ConsolidatedCommit>, WireError> {
    let commits = records(bytes).map(|record| {
        record.map(|record| ConsolidatedCommit {
            key: record.key.to_owned(),
            delete: record.delete,
        })
    });
    commits.collect()
}

/// One record of a `.con` object, with its position.
pub(crate) struct CommitRecord<'a> {
    /// See [`ConsolidatedCommit::key`].
    pub(crate) key: &'a str,
    /// Range of the key within the object.
    pub(crate) place: Range<usize>,
    /// See [`ConsolidatedCommit::delete`].
    pub(crate) delete: Option<Range<usize>>,
}

/// Iterates over the records of a `.con` object; ends after the first error. See [`parse_consolidated`].
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

/// Decodes the record at `offset`, where `rest` begins. Returns the record (`None` if its line is not UTF-8) and the
/// offset of the next one.
fn line_at<'a>(
    bytes: &Bytes,
    offset: usize,
    rest: &'a [u8],
) -> Result<(Option<CommitRecord<'a>>, usize), WireError> {
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or(rest);
    let bug = |bug: Bug| WireError::new("ConsolidatedCommits", "line", offset, bug.into());
    let end = offset.exact_add(line.len()).map_err(bug)?;
    let mut next = end.exact_add(1).map_err(bug)?;
    let delete = if line.ends_with(DELETE_ENDING) {
        let range = delete_range(bytes, next)?;
        next = range.end;
        Some(range)
    } else {
        None
    };
    let Ok(line) = std::str::from_utf8(line) else {
        return Ok((None, next));
    };
    let key = line.trim_start_matches('/');
    let record = CommitRecord {
        key,
        place: end.exact_sub(key.len()).map_err(bug)?..end,
        delete,
    };
    Ok((Some(record), next))
}

/// Encodes a `.con` object from pairs of a key and, for a delete, the bytes of the delete object.
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

/// Returns the range of the delete whose size is stored at `offset`.
fn delete_range(bytes: &Bytes, offset: usize) -> Result<Range<usize>, WireError> {
    let fail = |field, needs, left: usize| {
        let kind = WireErrorKind::Truncated {
            needs,
            left: left as u64,
        };
        WireError::new("ConsolidatedCommits", field, offset, kind)
    };
    // A last line without line feed has nothing after it.
    let rest = bytes.get(offset..).unwrap_or(&[]);
    let Some((size, rest)) = rest.split_first_chunk() else {
        return Err(fail("delete_size", 8, rest.len()));
    };
    let size = u64::from_le_bytes(*size);
    let start = bytes
        .len()
        .exact_sub(rest.len())
        .map_err(|bug| WireError::new("ConsolidatedCommits", "delete", offset, bug.into()))?;
    let end = usize::try_from(size)
        .ok()
        .and_then(|size| start.checked_add(size))
        .filter(|end| *end <= bytes.len());
    match end {
        Some(end) => Ok(start..end),
        None => Err(fail("delete", size, rest.len())),
    }
}

/// Iterates over the lines of an `.ign` or `.vac` object, without leading slashes. Skips empty lines and those that
/// are not UTF-8.
pub fn parse_lines(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| std::str::from_utf8(line).ok());
    lines
        .map(|line| line.trim_start_matches('/'))
        .filter(|line| !line.is_empty())
}

/// Returns the key, relative to the array, that a line of a `.vac` object names. Old lines are absolute URIs from when
/// they were written, perhaps at another location; the key begins at the folder of fragments or metadata.
pub fn rerooted(line: &str) -> &str {
    let from = |folder| line.find(folder).and_then(|start| line.get(start..));
    from(FRAGMENT_FOLDER)
        .or_else(|| from(METADATA_FOLDER))
        .unwrap_or_else(|| tdb_store::name(line))
}

/// Refuses a line with `..`: no release of TileDB wrote one, so it may be an attack.
///
/// # Errors
/// [`ArrayError::EscapesRoot`], which names the object `key`.
pub fn check_line(key: &str, line: &str) -> Result<(), ArrayError> {
    if line.split('/').any(|part| part == "..") {
        return Err(ArrayError::EscapesRoot {
            key: key.to_owned(),
            uri: line.to_owned(),
        });
    }
    Ok(())
}
