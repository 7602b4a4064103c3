//! `verify` finds everything in a damaged array that some read refuses.
//!
//! Golden arrays and groups are damaged at random: an object is truncated, has a bit flipped, is emptied, overwritten
//! with garbage, renamed or removed; each kind of object is equally likely. All cells, the schema with its labels, and
//! the metadata are read as of all times in the names of objects. If a read fails that works on the sound array,
//! `verify` must find something. `TDB_DAMAGE_SEED` and `TDB_DAMAGE_COUNT` select other cases than the few of every
//! run, and `TDB_DAMAGE_PROGRAM` a program whose `verify` is tested instead of the library's.
#![cfg(all(feature = "text", feature = "serde"))]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tdb::{Context, Datatype, ErrorKind, ObjectType, OpenOptions};
use tdb_inspect::{Damage, verify, verify_group};
use tdb_schema::{Field, FieldKind};
use tempfile::TempDir;

/// Number of cases in an ordinary run.
const COUNT: u64 = 60;

/// Maximum number of cells read per array.
const MOST_CELLS: u64 = 20_000;

/// Failures of reads on the sound array, by time and by what was read.
type Refusals = BTreeMap<(u64, &'static str), ErrorKind>;

#[test]
fn what_a_read_refuses_is_found_by_verify() {
    let number = |name: &str, other| {
        let text = std::env::var(name).ok();
        text.map_or(other, |text| text.parse().expect("a number"))
    };
    let first = number("TDB_DAMAGE_SEED", 1);
    let count = number("TDB_DAMAGE_COUNT", COUNT);
    let program = std::env::var_os("TDB_DAMAGE_PROGRAM");
    let folder = TempDir::new().unwrap();
    let copy = folder.path().join("copy");
    let golden = golden();
    let mut sound = BTreeMap::new();
    let (mut missed, mut refused) = (Vec::new(), 0_u64);
    for case in first..first + count {
        let mut random = Random(case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let array = random.pick(&golden).clone();
        if copy.exists() {
            fs::remove_dir_all(&copy).unwrap();
        }
        copy_folder(&array, &copy);
        let times = times(&copy);
        let before = sound
            .entry(array.clone())
            .or_insert_with(|| refusals(&copy, &times));
        let what = damage(&copy, &mut random);
        if std::env::var_os("TDB_DAMAGE_TOLD").is_some() {
            eprintln!("case {case}: {}: {what}", array.display());
        }
        let after = refusals(&copy, &times);
        let mut new = after.iter().filter(|(read, _)| !before.contains_key(read));
        let Some(((time, read), kind)) = new.next() else {
            continue;
        };
        refused += 1;
        let is_found = match &program {
            Some(program) => {
                let mut command = Command::new(program);
                let status = command.args(["-q", "verify"]).arg(&copy).output();
                !status.unwrap().status.success()
            }
            None => is_found(&copy),
        };
        if !is_found {
            let name = array.display();
            missed.push(format!(
                "case {case}: {name}: {what}: {read} as of {time} is {kind:?}"
            ));
        }
    }
    println!(
        "{count} cases from {first}: {refused} refused, {} of them not found",
        missed.len()
    );
    assert!(
        refused >= count / 4,
        "only {refused} of {count} are refused"
    );
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Returns all golden arrays and groups that need no key.
fn golden() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut found = Vec::new();
    for entry in fs::read_dir(fixtures).unwrap() {
        let folder = entry.unwrap().path();
        for kind in ["array", "group"] {
            let place = folder.join(kind);
            let is_encrypted = folder.to_string_lossy().contains("encrypted");
            if place.is_dir() && !is_encrypted {
                found.push(place);
            }
        }
    }
    found.sort();
    assert!(found.len() > 200, "{} golden arrays", found.len());
    found
}

/// Returns the failures of all reads as of each time.
fn refusals(place: &Path, times: &[u64]) -> Refusals {
    let context = Context::new().threads(1);
    let uri = place.to_str().unwrap();
    let mut refused = Refusals::new();
    for time in times {
        let options = || OpenOptions::at(*time);
        let mut note = |read, outcome: tdb::Result<()>| {
            if let Err(error) = outcome {
                refused.insert((*time, read), error.kind());
            }
        };
        if context.object_type(uri).unwrap() == ObjectType::Group {
            let group = context.open_group_with(uri, options());
            note(
                "metadata",
                group.and_then(|group| group.metadata().map(|_| ())),
            );
            continue;
        }
        let array = match context.open_with(uri, options()) {
            Ok(array) => array,
            Err(error) => {
                note("opening", Err(error));
                continue;
            }
        };
        note("schema", array.full_schema().map(|_| ()));
        note("metadata", array.metadata().map(|_| ()));
        let csv = Path::new("cells.csv").into();
        // Domains may be much larger than their written part.
        let read = || array.read().limit(MOST_CELLS);
        let cells = read().batches();
        let cells = cells.and_then(|mut cells| cells.try_for_each(|batch| batch.map(|_| ())));
        note("cells", cells);
        // ASCII fields may contain any bytes; only the export to a file refuses them.
        let is_other = |field: &Field<'_>| field.datatype != Datatype::StringAscii;
        let fields = array.schema().fields().filter(is_other);
        let (dims, attrs): (Vec<_>, Vec<_>) =
            fields.partition(|field| matches!(field.kind, FieldKind::Dimension(_)));
        let names = |fields: &[Field<'_>]| -> Vec<String> {
            fields.iter().map(|field| field.name.to_owned()).collect()
        };
        let cells = read().dims(names(&dims)).attrs(names(&attrs)).batches();
        let cells = cells.and_then(|cells| cells.write_to(std::io::sink(), &csv));
        note("text", cells.map(|_| ()));
        for label in &array.schema().labels {
            note(
                "label",
                array
                    .engine()
                    .open_label(label)
                    .map_or_else(|error| Err(tdb::Error::from(error)), |_| Ok(())),
            );
        }
    }
    refused
}

/// True if `verify` finds something, or if the array cannot even be opened.
fn is_found(place: &Path) -> bool {
    let context = Context::new().threads(1);
    let uri = place.to_str().unwrap();
    let mut damages: Vec<Damage> = Vec::new();
    let mut tell = |damage| damages.push(damage);
    let options = OpenOptions::default();
    let folder = tdb::place::folder(uri, &tdb::LocalStores).unwrap();
    let location = &folder.location;
    let looked = if context.object_type(uri).unwrap() == ObjectType::Group {
        verify_group(location, &folder.store_uri, &options, &mut tell).map(|_| ())
    } else {
        verify(context.shared_session(), location, &options, &mut tell).map(|_| ())
    };
    looked.is_err() || !damages.is_empty()
}

/// Returns a few of the timestamps in object names, and the end of time.
fn times(place: &Path) -> Vec<u64> {
    let mut times = BTreeSet::new();
    for file in files(place) {
        for part in file.components() {
            let text = part.as_os_str().to_string_lossy();
            let mut numbers = text.trim_start_matches("__").split('_');
            let start = numbers.next().and_then(|number| number.parse::<u64>().ok());
            let end = numbers.next().and_then(|number| number.parse::<u64>().ok());
            times.extend(start.zip(end).map(|(_, end)| end));
        }
    }
    let mut chosen: Vec<u64> = times.into_iter().take(2).collect();
    chosen.push(u64::MAX);
    chosen
}

/// Damages an object, and describes the damage. Each kind of object is equally likely.
fn damage(place: &Path, random: &mut Random) -> String {
    let mut kinds: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in files(place) {
        let name = file.file_name().unwrap().to_string_lossy();
        let folder = file.parent().unwrap().to_string_lossy();
        let top = file.components().next().unwrap();
        let top = top.as_os_str().to_string_lossy();
        let kind = match () {
            () if name == "__fragment_metadata.tdb" => "fragment metadata",
            () if folder.contains("__enumerations") => "enumeration",
            () if folder.contains("__fragments/") => "data",
            () if top.starts_with("__labels") => "label",
            () if top.starts_with("__meta") || top.starts_with("__group") => "dated",
            () if top.starts_with("__schema") || top.starts_with("__array_schema") => "schema",
            () if top.starts_with("__commits") => "commit",
            () => "other",
        };
        kinds.entry(kind.to_owned()).or_default().push(file);
    }
    let kinds: Vec<_> = kinds.into_values().collect();
    let kind = random.pick(&kinds);
    let file = random.pick(kind).clone();
    let path = place.join(&file);
    let mut bytes = fs::read(&path).unwrap();
    let len = bytes.len() as u64;
    let at = usize::try_from(random.below(len.max(1))).unwrap();
    let how = match random.below(7) {
        0 => {
            fs::remove_file(&path).unwrap();
            return format!("{} is gone", file.display());
        }
        1 => {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let new = renamed(&name, random);
            fs::rename(&path, path.with_file_name(&new)).unwrap();
            return format!("{} is now {new}", file.display());
        }
        2 => {
            bytes.truncate(at);
            format!("cut off at {at}")
        }
        3 => {
            bytes.clear();
            "emptied".to_owned()
        }
        4 => {
            let end = bytes
                .len()
                .min(at + 1 + usize::try_from(random.below(64)).unwrap());
            for byte in bytes.get_mut(at..end).unwrap_or(&mut []) {
                *byte = u8::try_from(random.below(256)).unwrap();
            }
            format!("garbage from {at} to {end}")
        }
        _ => {
            let bit = random.below(8);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << bit;
            }
            format!("bit {bit} of byte {at} flipped")
        }
    };
    fs::write(&path, bytes).unwrap();
    format!("{}: {how}", file.display())
}

/// Returns the name with one character inserted, removed or replaced.
fn renamed(name: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = usize::try_from(random.below(letters.len() as u64)).unwrap();
    let letter = *random.pick(&['_', '0', 'x', ' ', '.', '-']);
    match random.below(3) {
        0 => letters.insert(at, letter),
        1 if letters.len() > 1 => {
            letters.remove(at);
        }
        _ => letters
            .iter_mut()
            .skip(at)
            .take(1)
            .for_each(|old| *old = letter),
    }
    let new: String = letters.into_iter().collect();
    // These names only denote other folders.
    if new == "." || new == ".." {
        "x".to_owned()
    } else {
        new
    }
}

/// Returns the relative paths of all files in a folder, in a fixed order.
fn files(place: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![place.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push(path.strip_prefix(place).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn copy_folder(from: &Path, to: &Path) {
    for file in files(from) {
        let copy = to.join(&file);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(from.join(&file), copy).unwrap();
    }
}

/// Xorshift generator, so that the cases are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let at = self.below(all.len() as u64);
        &all[usize::try_from(at).unwrap()]
    }
}
