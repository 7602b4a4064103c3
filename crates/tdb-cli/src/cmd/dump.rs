//! `tdb dump`: decodes any stored object, byte range by byte range.

mod data;
mod fragment;
mod tile;

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use clap::Args;
use data::DataFile;
use tdb::engine::array::commits::{parse_consolidated, parse_lines};
use tdb::engine::array::{GroupDetails, MetadataRecord, ObjectType};
use tdb::engine::filters::EncryptionKey;
use tdb::engine::fragment::{ConditionTree, FRAGMENT_METADATA};
use tdb::engine::schema::{ArraySchema, EnumerationRecord};
use tdb::engine::store::{Store, StoreError, read_whole};
use tdb::engine::tile::{FormatVersion, Limits, Record, WireError};

use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::{Role, bytes, visible};
use tdb::place::{self, Place, PlacedObject};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb dump fixtures/v3_sparse_basics/array/__array_schema.tdb")]
pub(crate) struct Arguments {
    /// A stored object: a schema, fragment metadata, a data file, a commit, ...
    object: String,
}

/// An object being dumped, with its store, key and limits.
struct Dump<'a> {
    store: &'a dyn Store,
    key: &'a str,
    encryption: Option<EncryptionKey>,
    limits: Limits,
}

/// The array that contains the object.
struct Around<'a> {
    opener: &'a Opener,
    place: &'a Place,
    ticks: bool,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let PlacedObject {
        root,
        root_type,
        key,
    } = place::object(&arguments.object, &global.counts)?;
    // Data files are shown with the array's whole history, as far as its commits can be read.
    let opener = Opener::of_everything(context(global)?).tolerant();
    let location = opener.location(&root);
    let dump = Dump {
        store: &**root.store(),
        key: &key,
        encryption: location.key().cloned(),
        limits: location.limits().clone(),
    };
    let size = root.store().size(&key).map_err(|error| match error {
        StoreError::NotFound { .. } => place::missing(&arguments.object),
        error => root.failed(tdb::Error::of_store(error)),
    })?;
    let kind = Kind::of(&key, root_type);
    let title = out.look.paint(Role::Title, &visible(&key));
    writeln!(out, "{title}: {}, {}", kind.title(), bytes(size))?;
    let result = match (kind, root_type) {
        (Kind::Data, ObjectType::Array) => {
            let array = Around {
                opener: &opener,
                place: &root,
                ticks: global.ticks,
            };
            dump.write_data_of_array(&array, size, out)
        }
        _ => dump.write(kind, size, out),
    };
    // What was decoded before an error is still printed.
    out.flush()?;
    result.map_err(|failure| failure.at(&arguments.object))
}

/// Kind of an object, derived from its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Schema,
    Enumeration,
    FragmentMetadata,
    ConsolidatedMetadata,
    Metadata,
    GroupDetails,
    DeleteCondition,
    ConsolidatedCommits,
    NameList,
    Marker,
    Data,
    Unknown,
}

impl Kind {
    fn of(key: &str, root_type: ObjectType) -> Self {
        let ending = key.rsplit_once('.').map_or("", |(_, ending)| ending);
        let mut parts = key.split('/');
        let (first, name) = (parts.next().unwrap_or(""), parts.next_back());
        match (first, name, ending) {
            _ if root_type == ObjectType::Invalid => Self::of_stray(key, ending),
            ("__array_schema.tdb", None, _) => Self::Schema,
            (_, _, "ok" | "wrt") => Self::Marker,
            (_, _, "vac" | "ign" | "replaces") => Self::NameList,
            (_, _, "con") => Self::ConsolidatedCommits,
            (_, _, "del" | "upd") => Self::DeleteCondition,
            (_, _, "meta") => Self::ConsolidatedMetadata,
            ("__schema", Some(_), _) if key.contains("/__enumerations/") => Self::Enumeration,
            ("__schema", Some(_), _) => Self::Schema,
            ("__meta", Some(_), _) => Self::Metadata,
            ("__group", Some(_), _) => Self::GroupDetails,
            (_, Some(FRAGMENT_METADATA), _) => Self::FragmentMetadata,
            (_, Some(_), "tdb") => Self::Data,
            (_, _, "tdb") => Self::Marker,
            _ => Self::Unknown,
        }
    }

    /// Kind of an object outside any array or group, derived from its name alone.
    fn of_stray(key: &str, ending: &str) -> Self {
        match ending {
            _ if key == "__array_schema.tdb" => Self::Schema,
            _ if key == FRAGMENT_METADATA => Self::Unknown,
            "ok" | "wrt" => Self::Marker,
            "vac" | "ign" | "replaces" => Self::NameList,
            "con" => Self::ConsolidatedCommits,
            "del" | "upd" => Self::DeleteCondition,
            "meta" => Self::ConsolidatedMetadata,
            "tdb" => Self::Data,
            _ => Self::Unknown,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Schema => "array schema",
            Self::Enumeration => "enumeration",
            Self::FragmentMetadata => "fragment metadata",
            Self::ConsolidatedMetadata => "consolidated fragment metadata",
            Self::Metadata => "metadata",
            Self::GroupDetails => "group details",
            Self::DeleteCondition => "delete condition",
            Self::ConsolidatedCommits => "consolidated commits",
            Self::NameList => "list of names",
            Self::Marker => "marker",
            Self::Data => "data tiles",
            Self::Unknown => "of no known kind",
        }
    }
}

impl Dump<'_> {
    fn write(&self, kind: Kind, size: u64, out: &mut Output) -> Result<(), Failure> {
        match kind {
            Kind::Data => self.write_data(size, None, out),
            Kind::FragmentMetadata => self.write_fragment_metadata(&self.whole()?, out),
            Kind::NameList => write_lines(&self.whole()?, out),
            Kind::Marker | Kind::Unknown => write_hex(&self.whole()?, out),
            Kind::ConsolidatedCommits => self.write_commits(&self.whole()?, out),
            _ => self.write_generic_tile(&self.whole()?, 0, out, &|payload, version| {
                self.describe(kind, payload, version)
            }),
        }
    }

    /// Dumps a data file, with its values if the array can be opened.
    fn write_data_of_array(
        &self,
        around: &Around<'_>,
        size: u64,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let tell = |error: &Failure| out.warn(&format!("no values are shown: {error}"));
        let found = (around.opener.array(around.place))
            .map_err(Failure::from)
            .and_then(|array| {
                let array = Arc::clone(array.engine());
                let fragment = data::fragment_of(&array, self.key)?;
                Ok(fragment.map(|fragment| (array, fragment)))
            })
            .inspect_err(tell)
            .ok()
            .flatten();
        let opened = found.as_ref().map(|(array, fragment)| {
            DataFile::open(
                around.opener.session(),
                array,
                fragment,
                self.key,
                around.ticks,
            )
        });
        let file = opened.and_then(|file| file.inspect_err(tell).ok().flatten());
        if let Some(file) = &file {
            writeln!(out, "{}", visible(&file.title()))?;
        }
        self.write_data(size, file.as_ref(), out)
    }

    /// Describes the payload of a generic tile, field by field.
    fn describe(&self, kind: Kind, payload: &Bytes, version: FormatVersion) -> Description {
        let limits = &self.limits;
        match kind {
            Kind::Schema => {
                let (text, schema) = ArraySchema::describe(payload, limits);
                let result = schema.map(drop).map_err(Failure::of);
                Description { text, result }
            }
            Kind::Metadata => {
                let (text, result) = MetadataRecord::describe_all(payload, version, limits);
                Description::of(text, result)
            }
            Kind::Enumeration => {
                let (text, result) = EnumerationRecord::describe(payload, version, &(), limits);
                Description::of(text, result)
            }
            Kind::GroupDetails => {
                let (text, result) = GroupDetails::describe(payload, version, &(), limits);
                Description::of(text, result)
            }
            Kind::ConsolidatedMetadata => self.describe_footers(payload),
            _ => {
                let (text, result) = ConditionTree::describe(payload, version, &(), limits);
                Description::of(text, result)
            }
        }
    }

    fn whole(&self) -> Result<Bytes, Failure> {
        Ok(read_whole(self.store, self.key, self.limits.metadata_tile)?)
    }

    fn write_commits(&self, file: &Bytes, out: &mut Output) -> Result<(), Failure> {
        for commit in parse_consolidated(file).map_err(Failure::of)? {
            writeln!(out, "{}", visible(&commit.key))?;
            if let Some(range) = commit.delete {
                let start = range.start;
                let tile = file.slice(range);
                self.write_generic_tile(&tile, start, out, &|payload, version| {
                    self.describe(Kind::DeleteCondition, payload, version)
                })?;
            }
        }
        Ok(())
    }
}

/// The decoded fields as text, as far as decoding succeeded, and the error if it failed.
struct Description {
    text: String,
    result: Result<(), Failure>,
}

impl Description {
    fn of<T>(text: String, result: Result<T, WireError>) -> Self {
        let result = result.map(drop).map_err(Failure::of);
        Self { text, result }
    }
}

fn write_lines(file: &Bytes, out: &mut Output) -> Result<(), Failure> {
    for line in parse_lines(file) {
        writeln!(out, "{}", visible(line))?;
    }
    Ok(())
}

/// Bytes per line of a hexadecimal dump.
const LINE: usize = 16;

fn write_hex(file: &Bytes, out: &mut Output) -> Result<(), Failure> {
    for (line, bytes) in file.chunks(LINE).enumerate() {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x} ")).collect();
        let printable = |byte: &u8| matches!(byte, b' '..=b'~');
        let text: String = bytes
            .iter()
            .map(|byte| {
                if printable(byte) {
                    char::from(*byte)
                } else {
                    '.'
                }
            })
            .collect();
        writeln!(out, "{:08x}  {digits:<48} {text}", line * LINE)?;
    }
    Ok(())
}
