//! `cargo xtask fixtures`: golden arrays made with real TileDB releases.
//!
//! The recipes are Python (`fixtures/recipes`), because a release is most
//! easily had as a wheel of TileDB-Py. Only the shared library in the wheel is
//! used, by its C interface, so that one Python drives every release.
//! This module fetches the wheels, runs the recipes, compares and tabulates.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::essence::{essence, first_difference};
use crate::outcome::Outcome;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Runs the command; the arguments are those after `fixtures`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let options = Options::parse(arguments)?;
    let workshop = Workshop::open()?;
    let listing = workshop.recipes(&["list"])?;
    let listing: Value = serde_json::from_str(&listing)?;
    let chosen: Vec<&str> = names(&listing).filter(|name| options.wants(name)).collect();
    if chosen.is_empty() {
        return Err("no fixture has such a name".into());
    }
    workshop.fetch_wheels(&listing)?;
    let mut wrong = Vec::new();
    for name in chosen {
        if options.check {
            wrong.extend(workshop.check(name)?);
        } else if let Err(error) = workshop.make(name, &workshop.fixtures.join(name)) {
            wrong.push(format!("  {error}"));
        } else {
            println!("{name}");
        }
    }
    if !options.check {
        fs::write(
            workshop.fixtures.join("README.md"),
            readme(&workshop.fixtures)?,
        )?;
    }
    verdict(&wrong)
}

fn verdict(wrong: &[String]) -> Outcome {
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{} fixtures went wrong:\n{}", wrong.len(), wrong.join("\n")).into())
}

fn names(listing: &Value) -> impl Iterator<Item = &str> {
    let fixtures = listing.get("fixtures").and_then(Value::as_array);
    fixtures
        .into_iter()
        .flatten()
        .filter_map(|fixture| fixture.get("name")?.as_str())
}

/// The command line.
struct Options {
    only: Vec<String>,
    check: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            only: Vec::new(),
            check: false,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--check" => options.check = true,
                "--only" => {
                    let names = rest.next().ok_or("--only needs a name")?;
                    options.only.extend(names.split(',').map(str::to_owned));
                }
                other => return Err(format!("unknown option `{other}`").into()),
            }
        }
        Ok(options)
    }

    /// Whether a fixture is asked for: by its name, or by a beginning and `*`.
    fn wants(&self, name: &str) -> bool {
        let fits = |wanted: &String| match wanted.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == wanted,
        };
        self.only.is_empty() || self.only.iter().any(fits)
    }
}

/// A release of TileDB, by its wheel.
pub(crate) struct Release {
    /// The format version that it writes.
    pub(crate) version: u64,
    pub(crate) wheel: String,
    pub(crate) python: String,
}

fn releases(listing: &Value) -> Result<Vec<Release>> {
    let wheels = listing.get("wheels").and_then(Value::as_array);
    let release = |wheel: &Value| {
        Some(Release {
            version: wheel.get("version")?.as_u64()?,
            wheel: wheel.get("wheel")?.as_str()?.to_owned(),
            python: wheel.get("python")?.as_str()?.to_owned(),
        })
    };
    let all = wheels.into_iter().flatten().map(release);
    Ok(all
        .collect::<Option<_>>()
        .ok_or("a wheel without its version")?)
}

/// The folders and the Python that recipes run in.
pub(crate) struct Workshop {
    fixtures: PathBuf,
    /// Downloads, unpacked wheels and what `--check` makes.
    scratch: PathBuf,
    python: PathBuf,
}

impl Workshop {
    pub(crate) fn open() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .ok_or("no workspace")?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let scratch = target.join("fixtures");
        let venv = scratch.join("venv");
        let python = venv.join(if cfg!(windows) {
            "Scripts/python.exe"
        } else {
            "bin/python"
        });
        if !python.exists() {
            fs::create_dir_all(&scratch)?;
            output(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        }
        Ok(Self {
            fixtures: root.join("fixtures"),
            scratch,
            python,
        })
    }

    /// The Python that runs recipes.
    pub(crate) fn python(&self) -> &Path {
        &self.python
    }

    /// Gives the Python a package, unless it has it.
    pub(crate) fn install(&self, name: &str, version: &str) -> Outcome {
        let mut known = Command::new(&self.python);
        known.arg("-c").arg(format!(
            "import {name}; assert {name}.__version__ == {version:?}"
        ));
        if output(&mut known).is_err() {
            let mut pip = Command::new(&self.python);
            pip.args(["-m", "pip", "install", "--quiet"]);
            output(pip.arg(format!("{name}=={version}")))?;
        }
        Ok(())
    }

    /// A folder for what is made on the way.
    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// The shared library inside a wheel, which is fetched if it is not here yet.
    pub(crate) fn library(&self, version: &str, python: &str) -> Result<PathBuf> {
        let folder = self.libraries().join(version);
        if !folder.exists() {
            self.fetch_wheel(version, python)?;
        }
        let files = fs::read_dir(folder.join("tiledb.libs"))?.filter_map(std::result::Result::ok);
        let mut libraries = files.map(|file| file.path()).filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("libtiledb"))
        });
        Ok(libraries.next().ok_or("the wheel holds no library")?)
    }

    fn libraries(&self) -> PathBuf {
        self.scratch.join("libs")
    }

    /// Runs the recipes' entry point and gives what it printed.
    fn recipes(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.python);
        command
            .arg("-B")
            .arg(self.fixtures.join("recipes/build.py"));
        output(
            command
                .arg("--wheels")
                .arg(self.libraries())
                .args(arguments),
        )
    }

    fn make(&self, name: &str, folder: &Path) -> Outcome {
        let folder = folder.to_str().ok_or("a path that is not text")?;
        self.recipes(&["make", name, folder])
            .map(|said| print!("{said}"))
    }

    /// Downloads and unpacks each wheel once.
    /// The releases that recipes know, oldest first.
    pub(crate) fn releases(&self) -> Result<Vec<Release>> {
        releases(&serde_json::from_str(&self.recipes(&["list"])?)?)
    }

    /// Downloads and unpacks each wheel once.
    fn fetch_wheels(&self, listing: &Value) -> Outcome {
        for release in releases(listing)? {
            if !self.libraries().join(&release.wheel).exists() {
                self.fetch_wheel(&release.wheel, &release.python)?;
            }
        }
        Ok(())
    }

    fn fetch_wheel(&self, version: &str, python: &str) -> Outcome {
        println!("fetching tiledb=={version}");
        let downloads = self.scratch.join("wheels").join(version);
        // Python 3.7 wheels carry the old tag with an `m`.
        let abi = if python == "cp37" { "cp37m" } else { python };
        let mut pip = Command::new(&self.python);
        pip.args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
        ]);
        pip.args([
            "--implementation",
            "cp",
            "--python-version",
            python.trim_start_matches("cp"),
            "--abi",
            abi,
        ]);
        for platform in [
            "manylinux1",
            "manylinux2010",
            "manylinux2014",
            "manylinux_2_17",
            "manylinux_2_28",
        ] {
            pip.arg("--platform").arg(format!("{platform}_x86_64"));
        }
        output(
            pip.arg("--dest")
                .arg(&downloads)
                .arg(format!("tiledb=={version}")),
        )?;
        let wheel = fs::read_dir(&downloads)?
            .next()
            .ok_or("pip downloaded nothing")??
            .path();
        let unpacked = self.libraries().join(version);
        output(
            Command::new(&self.python)
                .args(["-m", "zipfile", "-e"])
                .arg(wheel)
                .arg(unpacked),
        )?;
        Ok(())
    }

    /// Makes a fixture again and says where its manifest differs from the committed one.
    fn check(&self, name: &str) -> Result<Option<String>> {
        let again = self.scratch.join("check").join(name);
        self.make(name, &again)?;
        let committed = manifest(&self.fixtures.join(name))?;
        let made = manifest(&again)?;
        fs::remove_dir_all(&again)?;
        let place = first_difference(&essence(committed), &essence(made), "");
        println!(
            "{name}: {}",
            if place.is_some() { "differs" } else { "same" }
        );
        Ok(place.map(|place| format!("  {name} at {place}")))
    }
}

pub(crate) fn output(command: &mut Command) -> Result<String> {
    let done = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if done.status.success() {
        eprint!("{}", String::from_utf8_lossy(&done.stderr));
        return Ok(String::from_utf8(done.stdout)?);
    }
    Err(String::from_utf8_lossy(&done.stderr).into_owned().into())
}

fn manifest(folder: &Path) -> Result<Value> {
    let path = folder.join("manifest.json");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

// ---- the table -------------------------------------------------------------------

const INTRODUCTION: &str = "\
# Golden arrays

Each folder holds one array or group (`array/`, `group/`) as a real TileDB release wrote it, and
`manifest.json`: who wrote it, and what TileDB itself says that it holds. Tests read these files
and need neither Python nor TileDB. `cargo xtask fixtures` makes them (it fetches the releases from
PyPI), `--only NAME` one of them, `--check` makes them again and compares what they hold.
The recipes are in `recipes/`: `make_*.py` by topic, `capi.py` the C interface by ctypes.

## The manifest

| key | says |
|---|---|
| `producer` | the releases that wrote it, in order of its steps; or `made from the format description` |
| `judge` | the release whose answers stand here, 2.30.0 unless it says why |
| `key` | the encryption key, hex |
| `schema` | as `tdb schema --json`, except: `fill` is hex, filter lists carry `max_chunk`, a dimension shows its own filters only, enumerations only those of attributes |
| `non_empty_domain`, `fragments`, `to_vacuum` | as of now; fragments oldest first; `to_vacuum`: fragments that a consolidation has replaced |
| `metadata`, `metadata_at` | now, and at earlier times; values as hex of the little-endian bytes |
| `queries` | what was asked, and the answer |
| `writer_agrees`, `writer_cannot`, `writer_differs` | queries that the writing release itself answers the same, cannot answer, answers otherwise (`notes` say why) |
| `notes` | what to know: where releases disagree, what was set by hand |
| `repeatable` | false where random names, or memory that was never set, decide what is found |
| `members`, `metadata`, `inside`, `at_times` | of a group: now, its inner groups, and at earlier times |

A query has `args` (`ranges` by dimension, `labels` by label, `order` as `tdb read --order`, window `since`..`at`,
`attrs`: absent means all, `where`: text as `tdb read --where`) and `columns`: dimensions in schema order, then
attributes. `data` is the hex of the raw little-endian values, one after the other; `offsets` (var-sized only) the
byte where each cell starts, and the total; `validity` one byte per cell. `unordered`: rows compare as a multiset.
`differs_from_2_30`: the answer is not that of 2.30, and why: it is that of the writing release, or, with `from`, made from
what the recipe wrote, where no release reads the file rightly. `error_of_2_30`: what 2.30 said instead of an answer.
A dense query without `ranges` asks for the whole domain, or for the current domain where there is one.

Times are small numbers (100, 110, ..) of milliseconds so that a reader sees the story at once.

## To add one

Add it to a `make_*.py` (a new file is found by its name): `recipe.add(name, version, about, features, build, queries)`,
where `build(lib, uri)` makes it by the methods of `capi.Library`. For a sparse array give `written` as well, and every
answer is held against what was written. Then `cargo xtask fixtures --only NAME`.
";

fn readme(fixtures: &Path) -> Result<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(fixtures)? {
        let folder = entry?.path();
        if folder.join("manifest.json").exists() {
            all.push(manifest(&folder)?);
        }
    }
    all.sort_by_key(|one| {
        (
            u64_of(one, "format_version"),
            text_of(one, "name").to_owned(),
        )
    });
    let mut text = String::from(INTRODUCTION);
    write!(
        text,
        "\n## By version\n\n| version | fixture | what | features |\n|--|--|--|--|\n"
    )?;
    for one in &all {
        let (version, name) = (u64_of(one, "format_version"), text_of(one, "name"));
        writeln!(
            text,
            "| {version} | `{name}` | {} | {} |",
            text_of(one, "about"),
            features(one).join(", ")
        )?;
    }
    write!(
        text,
        "\n## By feature\n\n| feature | versions | fixtures |\n|--|--|--|\n"
    )?;
    for (feature, (count, versions)) in by_feature(&all) {
        writeln!(text, "| {feature} | {} | {count} |", runs(&versions))?;
    }
    writeln!(text, "\n{} fixtures.", all.len())?;
    Ok(text)
}

fn by_feature(all: &[Value]) -> BTreeMap<&str, (usize, BTreeSet<u64>)> {
    let mut found: BTreeMap<&str, (usize, BTreeSet<u64>)> = BTreeMap::new();
    for one in all {
        for feature in features(one) {
            let (count, versions) = found.entry(feature).or_default();
            *count = count.saturating_add(1);
            versions.insert(u64_of(one, "format_version"));
        }
    }
    found
}

/// `3-6, 9`: numbers with their runs drawn together.
fn runs(numbers: &BTreeSet<u64>) -> String {
    let mut found: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match found.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(number) => *end = number,
            _ => found.push((number, number)),
        }
    }
    let text = found.iter().map(|(low, high)| {
        if low == high {
            low.to_string()
        } else {
            format!("{low}-{high}")
        }
    });
    text.collect::<Vec<_>>().join(", ")
}

fn features(manifest: &Value) -> Vec<&str> {
    let list = manifest.get("features").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn text_of<'a>(manifest: &'a Value, key: &str) -> &'a str {
    manifest
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn u64_of(manifest: &Value, key: &str) -> u64 {
    manifest
        .get(key)
        .and_then(Value::as_u64)
        .unwrap_or_default()
}
