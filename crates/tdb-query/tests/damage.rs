//! Reads golden arrays with something broken in them: each read ends, soon, with cells or with an error.
//!
//! Bytes are flipped, cut off, inserted or exchanged, as stored and within generic tiles that are then sealed again;
//! names of objects are damaged, too. `TDB_DAMAGE_SEED` and `TDB_DAMAGE_COUNT` request other cases than the few of
//! every run; `cargo xtask damage` sets them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

#[path = "it/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use support::tiles::MetadataFile;
use support::{Golden, Refusal};
use tdb_array::ErrorKind;
use tdb_store::{MemoryStore, Store};

/// Number of cases of an ordinary run.
const COUNT: u64 = 300;

/// Maximum time for reading a damaged array.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time after which a read counts as hanging.
const END: Duration = Duration::from_secs(60);

/// Maximum growth of the process during a read with a budget of 64 MiB for opening and one for cells.
const GROWTH: u64 = 160 << 20;

#[test]
fn damaged_arrays_end_in_cells_or_errors() {
    let number = |name: &str, other| {
        let text = std::env::var(name).ok();
        text.map_or(other, |text| text.parse().expect("a number"))
    };
    let (seed, count) = (
        number("TDB_DAMAGE_SEED", 1),
        number("TDB_DAMAGE_COUNT", COUNT),
    );
    let arrays = Golden::all();
    let mut tally: BTreeMap<String, u64> = BTreeMap::new();
    let mut findings = Vec::new();
    let mut slowest = Duration::ZERO;
    let mut largest = 0;
    for case in seed..seed.saturating_add(count) {
        let mut random = Random(case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let golden = random.pick(&arrays).clone();
        let store = golden.store();
        let Damage { what, loses } = damage(&golden, &store, &mut random);
        let about = format!("case {case}: {}: {what}", golden.name);
        let before = memory().0;
        let begun = Instant::now();
        let ended = watched(golden, store, &about);
        let took = begun.elapsed();
        let grown = memory().1.saturating_sub(before);
        slowest = slowest.max(took);
        largest = largest.max(grown);
        let outcome = match ended {
            Some(Ok(_)) => {
                if loses {
                    findings.push(format!("{about}: read, without what it committed"));
                }
                "cells".to_owned()
            }
            Some(Err(refusal)) => {
                // The request itself was valid.
                if matches!(refusal.kind, ErrorKind::Invalid | ErrorKind::Exists) {
                    findings.push(format!("{about}: {refusal}"));
                }
                format!("{:?}", refusal.kind)
            }
            None => {
                findings.push(format!("{about}: panicked"));
                "panic".to_owned()
            }
        };
        if took > PATIENCE {
            findings.push(format!("{about}: took {took:?}, {outcome}"));
        }
        if grown > GROWTH {
            findings.push(format!("{about}: took {} MiB, {outcome}", grown >> 20));
        }
        *tally.entry(outcome).or_default() += 1;
    }
    println!(
        "{count} cases from {seed}: {tally:?}, slowest {slowest:?}, largest {} MiB",
        largest >> 20
    );
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// Reads the array on a thread; returns the outcome, `None` for a panic. A hang ends the run.
fn watched(golden: Golden, store: MemoryStore, about: &str) -> Option<Result<u64, Refusal>> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let read = catch_unwind(AssertUnwindSafe(|| support::read(&golden, &store)));
        // Nobody listens any more if the wait was too long.
        let _ = tell.send(read.ok());
    });
    match told.recv_timeout(END) {
        Ok(read) => read,
        Err(_) => panic!("{about}: no end after {END:?}"),
    }
}

/// Returns the resident memory of this process, and its peak since the last call, in bytes; 0 if the system does not
/// report it.
fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        number.unwrap_or(0) << 10
    };
    let found = (of("VmRSS:"), of("VmHWM:"));
    // Resets the peak; if that is not allowed, the reported peak is too high rather than too low.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    found
}

/// Damage that was done.
struct Damage {
    what: String,
    /// Whether cells are lost, so that reading must fail.
    loses: bool,
}

/// Breaks one thing in the store.
fn damage(golden: &Golden, store: &MemoryStore, random: &mut Random) -> Damage {
    if random.below(8) == 0 {
        return damage_name(golden, store, random);
    }
    let what = damage_bytes(golden, store, random);
    Damage { what, loses: false }
}

/// Renames an object to a damaged name; the ending is often left intact. Half of the time the object is a commit.
fn damage_name(golden: &Golden, store: &MemoryStore, random: &mut Random) -> Damage {
    let all = golden.keys("");
    let commits = golden.keys("__commits/");
    let chosen = if commits.is_empty() || random.below(2) == 0 {
        all
    } else {
        commits
    };
    let key = random.pick(&chosen);
    let folder = tdb_store::parent(key);
    let name = tdb_store::name(key);
    let (stem, ending) = name.split_at(name.rfind('.').unwrap_or(name.len()));
    let new = match random.below(4) {
        0 => changed_name(name, random),
        _ => changed_name(stem, random) + ending,
    };
    let to = tdb_store::join(folder, &new);
    let bytes = tdb_store::read_whole(store, key, u64::MAX).unwrap();
    store.remove(key).unwrap();
    store.overwrite(&to, bytes);
    Damage {
        what: format!("{key} is now {to}"),
        // The arrays in a group are not read.
        loses: !golden.is_group && key.ends_with(".wrt") && to.ends_with(".wrt") && to != *key,
    }
}

/// Changes a name at a random position: cuts it off, removes, inserts or replaces a letter, or repeats the rest. Not
/// longer than 255 letters.
fn changed_name(name: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let len = letters.len() as u64;
    let at = usize::try_from(random.below(len.max(1))).unwrap_or(0);
    let letter = *random.pick(&['_', '0', '9', 'f', 'x', '-', 'é', ' ']);
    match random.below(5) {
        0 if at > 0 => letters.truncate(at),
        1 if len > 0 => {
            letters.remove(at);
        }
        2 => letters.insert(at, letter),
        3 => letters.extend(name.chars().skip(at)),
        _ => letters
            .iter_mut()
            .skip(at)
            .take(1)
            .for_each(|old| *old = letter),
    }
    letters.iter().take(255).collect()
}

/// Damages the bytes of an object; returns a description.
fn damage_bytes(golden: &Golden, store: &MemoryStore, random: &mut Random) -> String {
    // Fields are many, schemas and commits few: each kind of object gets its share.
    let is_data = |key: &str| key.ends_with(".tdb") && !key.contains("__fragment_metadata");
    let data: Vec<_> = golden
        .objects
        .iter()
        .filter(|(key, _)| is_data(key))
        .collect();
    let rest: Vec<_> = golden
        .objects
        .iter()
        .filter(|(key, _)| !is_data(key))
        .collect();
    let chosen = if !rest.is_empty() && (data.is_empty() || random.below(4) > 0) {
        rest
    } else {
        data
    };
    let (key, bytes) = *random.pick(&chosen);
    if random.below(3) > 0
        && let Some((bytes, what)) = damage_within(golden, bytes, random)
    {
        store.overwrite(key, bytes);
        return format!("{key}: {what}");
    }
    if random.below(24) == 0 {
        let (other, others) = random.pick(&golden.objects);
        store.overwrite(key, others.clone());
        store.overwrite(other, bytes.clone());
        return format!("{key} and {other} exchanged");
    }
    let mut bytes = bytes.to_vec();
    let what = change(&mut bytes, random);
    store.overwrite(key, bytes);
    format!("{key}: {what}")
}

/// Changes the payload of a generic tile and seals it again.
fn damage_within(golden: &Golden, bytes: &Bytes, random: &mut Random) -> Option<(Vec<u8>, String)> {
    let encryption = golden.key.as_ref();
    let file = MetadataFile::of(bytes, encryption);
    if file.tiles.is_empty() {
        return None;
    }
    let index = usize::try_from(random.below(file.tiles.len() as u64)).ok()?;
    let mut payload = file.tiles.get(index)?.1.to_vec();
    let what = change(&mut payload, random);
    Some((
        file.with_payload(index, &payload),
        format!("tile {index}: {what}"),
    ))
}

/// Edge values for sizes and counts.
const EDGES: [u64; 16] = [
    0,
    1,
    7,
    255,
    256,
    0x7FFF,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFE,
    0xFFFF_FFFF,
    1 << 40,
    1 << 62,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

fn change(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let len = bytes.len() as u64;
    let at = usize::try_from(random.below(len.max(1))).unwrap_or(0);
    match random.below(10) {
        0..=2 if len > 0 => {
            let count = 1 + random.below(4);
            for _ in 0..count {
                let at = usize::try_from(random.below(len)).unwrap_or(0);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            format!("{count} bits flipped")
        }
        3 if len > 0 => {
            let value = random.below(256) as u8;
            bytes
                .iter_mut()
                .skip(at)
                .take(1)
                .for_each(|byte| *byte = value);
            format!("byte {at} is {value}")
        }
        4..=6 if len > 0 => {
            let value = *random.pick(&EDGES);
            let size = *random.pick(&[4, 8]);
            let places = bytes.iter_mut().skip(at).take(size);
            places
                .zip(value.to_le_bytes())
                .for_each(|(byte, new)| *byte = new);
            format!("{size} bytes at {at} are {value:#x}")
        }
        7 => {
            bytes.truncate(at);
            format!("cut off at {at}")
        }
        8 => {
            let count = 1 + random.below(64);
            let tail: Vec<u8> = (0..count).map(|_| random.below(256) as u8).collect();
            bytes.splice(at..at, tail);
            format!("{count} bytes put in at {at}")
        }
        _ => {
            let other = usize::try_from(random.below(len.max(1))).unwrap_or(0);
            let (from, to) = (at.min(other), at.max(other));
            let piece = bytes.get(from..to).unwrap_or_default().to_vec();
            bytes.splice(from..from, piece);
            format!("bytes {from}..{to} twice")
        }
    }
}

/// Pseudo-random numbers, reproducible by seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let at = usize::try_from(self.below(all.len() as u64)).unwrap_or(0);
        &all[at]
    }
}
