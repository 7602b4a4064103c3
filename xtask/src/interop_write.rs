//! `cargo xtask interop-write`: what tdb wrote is, to TileDB, what TileDB would have written.
//!
//! TileDB 2.30 makes random arrays twice (`xtask/interop/random_writes.py`), the second time with some writes left
//! out; here tdb makes those. Then TileDB reads both, compares them, also after it has consolidated, and what it
//! found in the second is compared with what `tdb read` gives.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::Value;
use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_consolidate::{MergeOptions, plan_merge};
use tdb_filters::EncryptionKey;
use tdb_store::LocalStore;
use tdb_tile::Range;
use tdb_write::{WriteOptions, WriteOrder, Writer};

use crate::cells::unhex;
use crate::fixtures::{Workshop, output};
use crate::interop::{JUDGE, Options, compare, parse, program, text};
use crate::outcome::Outcome;
use crate::workspace::root;

/// Random arrays for each round with an older release, if nothing else is said.
const PER_RELEASE: &str = "12";

/// One release of TileDB, which makes arrays and looks at what tdb made of them.
struct Judge<'a> {
    options: &'a Options,
    workshop: &'a Workshop,
    library: PathBuf,
    /// The format version that the release writes, if it is an older one.
    version: Option<u64>,
    folder: PathBuf,
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workshop = &Workshop::open()?;
    let options = &parse(arguments, workshop)?;
    let folder = options
        .folder
        .with_file_name(format!("writes-{}", options.seed));
    let judge = Judge {
        options,
        workshop,
        library: workshop.library(JUDGE.0, JUDGE.1)?,
        version: None,
        folder,
    };
    let writes = judge.round()?;
    println!("{writes} writes by tdb, compared with those of TileDB");
    let program = program()?;
    compare(&program, &judge.folder, &[])?;
    let merged = judge.merge()?;
    println!("{merged} arrays whose fragments tdb merged, read as before");
    compare(&program, &judge.folder, &[])
}

/// `cargo xtask interop --releases 7,21`: arrays of older releases, read by each, and by 2.30, after tdb wrote to them.
pub(crate) fn releases(options: &Options, workshop: &Workshop, wanted: &str) -> Outcome {
    let known = workshop.releases()?;
    let written = |version: u64| (7..22).contains(&version);
    let all = known.iter().filter(|release| written(release.version));
    let chosen: Vec<_> = all
        .filter(|release| {
            let mut names = wanted.split(',');
            names.any(|name| name == "all" || name == release.version.to_string())
        })
        .collect();
    if chosen.is_empty() {
        return Err("--releases takes format versions from 7 to 21, or `all`".into());
    }
    let mut options = options.clone();
    options.count = options.given.clone().unwrap_or(PER_RELEASE.to_owned());
    let mut differ = Vec::new();
    for release in chosen {
        let name = format!("release-{}-{}", release.version, options.seed);
        let judge = Judge {
            options: &options,
            workshop,
            library: workshop.library(&release.wheel, &release.python)?,
            version: Some(release.version),
            folder: options.folder.with_file_name(name),
        };
        print!("format {}, tiledb=={}: ", release.version, release.wheel);
        let newest = workshop.library(JUDGE.0, JUDGE.1)?;
        match judge.round_and_merge(newest) {
            Ok((writes, merged)) => {
                println!(
                    "{writes} writes by tdb, read the same as its own, also by 2.30; {merged} arrays merged, too"
                )
            }
            Err(error) => differ.push(format!("format {}: {error}", release.version)),
        }
    }
    if differ.is_empty() {
        Ok(())
    } else {
        Err(differ.join("\n").into())
    }
}

impl Judge<'_> {
    /// The release makes arrays, tdb writes to them, the release compares; gives the number of writes.
    fn round(&self) -> Result<u64, Box<dyn Error>> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)?;
        }
        self.ask("make")?;
        let session = Session::default();
        let mut writes = 0;
        for entry in fs::read_dir(&self.folder)? {
            let array = entry?.path();
            writes += write_plan(&session, &array)
                .map_err(|error| format!("{}: {}", array.display(), chain(&*error)))?;
        }
        self.check("check")?;
        Ok(writes)
    }

    /// A round, and what the newest release makes of it, before and after tdb has merged fragments.
    fn round_and_merge(self, newest: PathBuf) -> Result<(u64, u64), Box<dyn Error>> {
        let writes = self.round()?;
        let newest = Judge {
            library: newest,
            folder: self.folder.clone(),
            ..self
        };
        newest.check("check")?;
        let merged = self.merge()?;
        newest.check("merged")?;
        Ok((writes, merged))
    }

    /// tdb merges the fragments of all arrays, TileDB compares again; gives how many arrays had any.
    fn merge(&self) -> Result<u64, Box<dyn Error>> {
        let session = Session::new(SessionOptions {
            // Not all cells at once.
            memory: Some(4 << 20),
            ..SessionOptions::default()
        });
        let mut merged = 0;
        for entry in fs::read_dir(&self.folder)? {
            let folder = entry?.path();
            let array = open(&folder)?;
            let options = MergeOptions {
                uri: Some(format!("file://{}", folder.join("array").display())),
                ..MergeOptions::default()
            };
            let plan = plan_merge(&array, &options)?;
            merged += u64::from(!plan.is_empty());
            plan.merge(&session, &array, &options)
                .map_err(|error| format!("{}: merge: {}", folder.display(), chain(&error)))?;
        }
        self.check("merged")?;
        Ok(merged)
    }

    fn check(&self, phase: &str) -> Outcome {
        let said = self.ask(phase)?;
        let differences: Vec<&str> = said.lines().filter(|l| l.starts_with("seed")).collect();
        if differences.is_empty() {
            return Ok(());
        }
        let differences = differences.join("\n");
        Err(
            format!("{phase}: TileDB does not find what it would have written\n{differences}")
                .into(),
        )
    }

    fn ask(&self, phase: &str) -> Result<String, Box<dyn Error>> {
        let said = output(
            Command::new(self.workshop.python())
                .arg("-B")
                .arg(root().join("xtask/interop/random_writes.py"))
                .arg(&self.library)
                .arg(root().join("fixtures/recipes"))
                .arg(&self.folder)
                .args([&self.options.seed, &self.options.count])
                .arg(phase)
                .args(self.version.map(|version| version.to_string())),
        )?;
        print!("{said}");
        Ok(said)
    }
}

/// An error and what is beneath it.
fn chain(error: &dyn Error) -> String {
    let (mut said, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    said
}

/// Opens the array that tdb writes to.
fn open(folder: &Path) -> Result<Array, Box<dyn Error>> {
    let plan: Value = serde_json::from_str(&fs::read_to_string(folder.join("plan.json"))?)?;
    let key = plan.get("key").and_then(Value::as_str).map(unhex);
    let key = key.map(|key| EncryptionKey::new(&key)).transpose()?;
    let store = Arc::new(LocalStore::open(folder.join("array"))?);
    let location = Location::new(store, "").with_key(key);
    Ok(Array::open_location(&location, OpenOptions::default())?)
}

/// Makes the writes that are missing in one array; gives their number.
fn write_plan(session: &Session, folder: &Path) -> Result<u64, Box<dyn Error>> {
    let plan: Value = serde_json::from_str(&fs::read_to_string(folder.join("plan.json"))?)?;
    let array = Arc::new(open(folder)?);
    let writes = plan.get("writes").and_then(Value::as_array);
    let mut count = 0;
    for write in writes.into_iter().flatten() {
        count += 1;
        make(session, &array, write)?;
    }
    Ok(count)
}

fn make(session: &Session, array: &Arc<Array>, write: &Value) -> Outcome {
    let number = |key: &str| write.get(key).and_then(Value::as_u64);
    let mut options = WriteOptions::at(number("time").unwrap_or(0));
    options.order = Some(match text(write, "order") {
        "row" => WriteOrder::RowMajor,
        "col" => WriteOrder::ColumnMajor,
        "global" => WriteOrder::Global,
        _ => WriteOrder::Unordered,
    });
    options.max_fragment_bytes = number("max_fragment_bytes");
    let ranges = write.get("ranges").and_then(Value::as_object);
    for (name, ends) in ranges.into_iter().flatten() {
        let end = |index: usize| ends.get(index).and_then(Value::as_str).map(unhex);
        let range = Range::new(end(0).unwrap_or_default(), end(1).unwrap_or_default());
        options.ranges.push((name.clone(), range));
    }
    let rows = usize::try_from(number("rows").unwrap_or(0))?;
    let columns = write.get("columns").and_then(Value::as_array);
    let columns: Vec<Column> = columns
        .into_iter()
        .flatten()
        .map(|column| parse_column(array, column))
        .collect::<Result<_, _>>()?;
    let batches = usize::try_from(number("batches").unwrap_or(1))?;
    let step = rows.div_ceil(batches).max(1);
    let mut writer = Writer::open(session, array, &options)?;
    for first in (0..rows).step_by(step) {
        let rows = first..rows.min(first + step);
        let columns = columns.iter().map(|column| part(column, &rows));
        writer.push(&Batch {
            rows: rows.len(),
            columns: columns.collect(),
        })?;
    }
    writer.finish()?;
    Ok(())
}

fn parse_column(array: &Array, column: &Value) -> Result<Column, Box<dyn Error>> {
    let name = text(column, "name");
    let schema = array.schema();
    let field = schema.field(name).ok_or("no such field")?;
    let offsets = column.get("offsets").and_then(Value::as_array);
    let offsets = offsets.map(|all| {
        let all = all.iter().filter_map(Value::as_u64);
        all.flat_map(u64::to_le_bytes).collect()
    });
    let validity = column.get("validity").and_then(Value::as_str).map(unhex);
    let validity = validity.map(|cells| {
        let byte = |cells: &[u8]| {
            let cells = cells.iter().enumerate();
            cells.fold(0_u8, |byte, (bit, valid)| byte | (*valid << bit))
        };
        cells.chunks(8).map(byte).collect()
    });
    Ok(Column {
        name: name.to_owned(),
        datatype: field.datatype,
        cell_val_num: field.cell_val_num,
        nullable: field.nullable,
        values: unhex(text(column, "data")).into(),
        offsets,
        validity,
        enumeration: None,
    })
}

/// Some cells of a column; offsets stay as they are.
fn part(column: &Column, rows: &std::ops::Range<usize>) -> Column {
    let mut part = column.clone();
    match (&column.offsets, column.cell_size()) {
        (Some(offsets), _) => part.offsets = Some(offsets.slice(rows.start * 8..rows.end * 8 + 8)),
        (None, size) => {
            let size = size.unwrap_or(0);
            part.values = column.values.slice(rows.start * size..rows.end * size);
        }
    }
    if column.validity.is_some() {
        let mut bits = vec![0_u8; rows.len().div_ceil(8)];
        for (place, row) in rows.clone().enumerate() {
            if let Some(byte) = bits.get_mut(place / 8) {
                *byte |= u8::from(column.is_valid(row)) << (place % 8);
            }
        }
        part.validity = Some(bits.into());
    }
    part
}
