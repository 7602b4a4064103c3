//! Checking the requests that the program sends while it reads and copies: nothing is requested twice, adjacent ranges
//! of an object are combined, and no size is requested that a listing gave.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::commands::output;
use crate::outcome::Outcome;
use crate::proxy::{Asked, Proxy};
use crate::server::Settings;

/// Ranges of an object with cells must be read as one range if the gap between them is smaller than this, in bytes.
const NEAR: u64 = 512 << 10;

/// Reads of golden arrays in the bucket: of one and of several fragments, in full and in part.
const READS: [&[&str]; 5] = [
    &["count", "v22_tour"],
    &["read", "v22_tour", "--format", "jsonl"],
    &[
        "read",
        "v22_tour",
        "--format",
        "jsonl",
        "--attrs",
        "temperature",
        "--range",
        "station=B..K",
    ],
    &["read", "v22_dense_basics", "--format", "jsonl"],
    &["read", "v22_merged_dense", "--format", "jsonl"],
];

/// An array of several fragments, to copy.
const COPIED: &str = "v22_merged_dense";

/// The program, behind a proxy that records requests.
struct Noted<'a> {
    program: &'a Path,
    settings: &'a Settings,
    proxy: Proxy,
}

impl Noted<'_> {
    /// Runs a command, and returns its requests.
    fn asked<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Vec<Asked>, Box<dyn Error>> {
        let mut command = Command::new(self.program);
        command.envs(self.settings.iter().cloned());
        command.env(
            "TILEDB_VFS_S3_ENDPOINT_OVERRIDE",
            format!("127.0.0.1:{}", self.proxy.port),
        );
        output(command.args(arguments))?;
        let asked = self.proxy.take();
        if asked.is_empty() {
            return Err(format!("{command:?} asked nothing of the server").into());
        }
        Ok(asked)
    }
}

/// Runs reads and a copy through a proxy; `folder` is for the copy.
pub(crate) fn check(
    program: &Path,
    bucket: &str,
    (server, settings): (u16, &Settings),
    folder: &Path,
) -> Outcome {
    let noted = Noted {
        program,
        settings,
        proxy: Proxy::start(server, Duration::ZERO)?,
    };
    let mut all = 0;
    for read in READS {
        let [verb, array, rest @ ..] = read else {
            return Err("a read without an array".into());
        };
        let uri = format!("{bucket}/{array}");
        let arguments = [&[*verb, uri.as_str()], rest].concat();
        let asked = noted.asked(&arguments)?;
        is_asked_once(&asked).map_err(|what| format!("{} of {array}: {what}", read.join(" ")))?;
        all += asked.len();
    }
    println!(
        "{all} requests of {} reads: no bytes twice, near ranges as one",
        READS.len()
    );
    let (uri, copy) = (format!("{bucket}/{COPIED}"), folder.join("copied"));
    let asked = noted.asked(&[OsStr::new("cp"), uri.as_ref(), copy.as_ref()])?;
    is_asked_once(&asked)?;
    if let Some(size) = asked.iter().find(|one| one.method == "HEAD") {
        return Err(format!("a copy asks for a size that was listed: {size:?}").into());
    }
    println!("{} requests of a copy: none for a size", asked.len());
    Ok(())
}

fn is_asked_once(asked: &[Asked]) -> Result<(), Box<dyn Error>> {
    let mut ranges: BTreeMap<&str, Vec<RangeInclusive<u64>>> = BTreeMap::new();
    // Folders are listed twice on purpose, to detect changes during the first listing.
    let reads = || asked.iter().filter(|one| !one.path.contains("list-type="));
    for (place, one) in reads().enumerate() {
        if reads().take(place).any(|before| before == one) {
            return Err(format!("asked twice: {one:?}").into());
        }
        let bytes = one
            .range
            .as_deref()
            .and_then(|range| range.strip_prefix("bytes="));
        if let Some((first, last)) = bytes.and_then(|bytes| bytes.split_once('-'))
            && let (Ok(first), Ok(last)) = (first.parse(), last.parse())
        {
            ranges.entry(&one.path).or_default().push(first..=last);
        }
    }
    for (path, ranges) in &mut ranges {
        ranges.sort_by_key(|range| *range.start());
        // Later reads of metadata depend on earlier ones, so ranges may be close to each other.
        let apart = if path.ends_with("__fragment_metadata.tdb") {
            1
        } else {
            NEAR
        };
        for (one, next) in ranges.iter().zip(ranges.iter().skip(1)) {
            if next.start() < &one.end().saturating_add(apart) {
                return Err(format!("{path}: {one:?} and {next:?} are read apart").into());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(path: &str, range: &str) -> Asked {
        Asked {
            method: "GET".to_owned(),
            path: path.to_owned(),
            range: Some(range.to_owned()),
        }
    }

    #[test]
    fn bytes_that_are_asked_twice_or_in_small_pieces_are_seen() {
        let check = |asked: &[Asked]| is_asked_once(asked).is_ok();
        assert!(check(&[
            asked("/a0.tdb", "bytes=0-9"),
            asked("/a1.tdb", "bytes=0-9")
        ]));
        assert!(check(&[
            asked("/a0.tdb", "bytes=9000000-9000009"),
            asked("/a0.tdb", "bytes=0-9")
        ]));
        assert!(!check(&[
            asked("/a0.tdb", "bytes=0-9"),
            asked("/a0.tdb", "bytes=0-9")
        ]));
        assert!(!check(&[
            asked("/a0.tdb", "bytes=0-9"),
            asked("/a0.tdb", "bytes=9-12")
        ]));
        assert!(!check(&[
            asked("/a0.tdb", "bytes=0-9"),
            asked("/a0.tdb", "bytes=10-12")
        ]));
        let metadata = "/f/__fragment_metadata.tdb";
        assert!(check(&[
            asked(metadata, "bytes=0-9"),
            asked(metadata, "bytes=10-12")
        ]));
    }
}
