//! Files in arrays, in the form that TileDB gives them: a byte per cell, and facts of the file as metadata.

use std::time::Duration;

use tdb_array::{ChangeOptions, ErrorKind, MetadataRecord, MetadataValue, OpenOptions};
use tdb_cells::{Batch, Column};
use tdb_open::{Attribute, Dimension, Error, Files, OpenMode, Order, Result, Schema, Time};
use tdb_schema::CellValNum;
use tdb_tile::{Datatype, Exact};

use crate::{Array, Context};

/// The dimension: the position of a byte.
const POSITION: &str = "position";

/// The attribute: the bytes.
const CONTENTS: &str = "contents";

/// The key of the metadata that has the size.
const SIZE: &str = "file_size";

/// Bytes that are read and written at a time.
const PIECE: u64 = 8 << 20;

/// A file in an array: [`Context::stored_file`].
#[derive(Clone, Debug)]
pub struct StoredFile {
    array: Array,
    size: u64,
}

/// What is known of a file that is stored in an array, beside its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileFacts<'a> {
    /// Its name without folder and extension; empty if unknown.
    pub name: &'a str,
    /// The extension of its name, without a dot.
    pub extension: &'a str,
    /// Its MIME type, such as `image/tiff`.
    pub mime_type: &'a str,
}

/// Returns the schema of an array for a file of about this many bytes.
///
/// # Errors
/// Never fails for a size that files have.
pub fn file_schema(size: u64) -> Result<Schema> {
    let extent = extent(size);
    let last = u64::MAX - extent - 1;
    Schema::dense()
        .dimension(
            Dimension::new(POSITION, Datatype::UInt64)
                .domain(0_u64..=last)
                .tile(extent),
        )
        .attribute(Attribute::new(CONTENTS, Datatype::Blob).values(1))
        .cell_order(Order::Row)
        .tile_order(Order::Row)
        .build()
}

/// The bytes of a tile for a file of this size.
fn extent(size: u64) -> u64 {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match size {
        size if size > 1024 * MIB => 100 * MIB,
        size if size > 100 * MIB => MIB,
        size if size > MIB => 256 * KIB,
        _ => KIB,
    }
}

impl Context {
    /// Stores bytes as a file in an array with a schema of [`file_schema`], in place of the file that is there. No bytes
    /// change nothing.
    ///
    /// # Errors
    /// Fails if there is no such array, or if writing fails.
    pub fn store_bytes(&self, uri: &str, bytes: &[u8], facts: &FileFacts<'_>) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let target = Target::open(self, uri, bytes.len() as u64)?;
        target.write(target.size, |start, into| {
            let start = usize::try_from(start).map_err(|_| Error::invalid("too large"))?;
            let end = start.exact_add(into.len())?;
            let piece = bytes.get(start..end).ok_or_else(no_piece)?;
            into.copy_from_slice(piece);
            Ok(())
        })?;
        target.put_facts(facts)
    }

    /// Stores a file as [`Context::store_bytes`] does. A file without bytes changes nothing.
    ///
    /// # Errors
    /// As there; fails also if the file cannot be read.
    pub fn store_file(
        &self,
        uri: &str,
        files: &Files,
        file: &str,
        facts: &FileFacts<'_>,
    ) -> Result<()> {
        let size = files.size(file)?;
        if size == 0 {
            return Ok(());
        }
        let mut source = files.open(file, OpenMode::Read)?;
        let target = Target::open(self, uri, size)?;
        // As in TileDB, whole tiles are written, with zeros after the end of the file.
        let tiles = size.div_ceil(extent(size)).exact_mul(extent(size))?;
        target.write(tiles, |start, into| {
            let Some(left) = size.checked_sub(start) else {
                return Ok(());
            };
            let filled = usize::try_from(left).map_or(into.len(), |left| left.min(into.len()));
            let part = into.get_mut(..filled).ok_or_else(no_piece)?;
            source.read_at(start, part)
        })?;
        target.put_facts(facts)
    }

    /// Opens the file that an array has.
    ///
    /// # Errors
    /// Fails if there is no such array, or if it has no file.
    pub fn stored_file(&self, uri: &str) -> Result<StoredFile> {
        let array = self.open(uri)?;
        let metadata = array.metadata()?;
        let found = metadata
            .get(SIZE)
            .map(|value| <[u8; 8]>::try_from(&*value.bytes));
        let Some(Ok(size)) = found else {
            let text = format!("The array metadata doesn't contain the {SIZE} key");
            return Err(Error::new(ErrorKind::NotFound, text).at(uri));
        };
        Ok(StoredFile {
            array,
            size: u64::from_le_bytes(size),
        })
    }
}

fn no_piece() -> Error {
    Error::invalid("the file is shorter than its size")
}

impl StoredFile {
    /// Returns the size of the file in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Fills `into` with the bytes of the file from `offset` on.
    ///
    /// # Errors
    /// Fails if the file does not have all of them, or if reading fails.
    pub fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<()> {
        let Some(last) = (into.len() as u64).checked_sub(1) else {
            return Ok(());
        };
        let end = offset.checked_add(last).filter(|last| *last < self.size);
        let last = end.ok_or_else(|| {
            Error::invalid("The number of bytes requested is bigger than the array")
        })?;
        let read = self.array.read().attrs([CONTENTS]).no_dims();
        let mut rest = into;
        for batch in read.range(POSITION, offset..=last).batches()? {
            let batch = batch?;
            let column = batch.columns.first().ok_or_else(no_piece)?;
            let (part, behind) = rest
                .split_at_mut_checked(column.values.len())
                .ok_or_else(no_piece)?;
            part.copy_from_slice(&column.values);
            rest = behind;
        }
        if rest.is_empty() {
            Ok(())
        } else {
            Err(no_piece())
        }
    }

    /// Writes the bytes into a file, in place of one that is there.
    ///
    /// # Errors
    /// Fails if reading or writing fails.
    pub fn copy_to(&self, files: &Files, file: &str) -> Result<()> {
        let mut target = files.open(file, OpenMode::Write)?;
        let mut piece = Vec::new();
        let mut start = 0_u64;
        while start < self.size {
            let len = PIECE.min(self.size.exact_sub(start)?);
            piece.resize(usize::try_from(len).map_err(|_| no_piece())?, 0);
            self.read_at(start, &mut piece)?;
            target.write(&piece)?;
            start = start.exact_add(len)?;
        }
        target.close()
    }
}

/// An array into which a file is written.
struct Target {
    array: Array,
    size: u64,
    /// The time of the bytes and of the metadata.
    time: u64,
}

impl Target {
    fn open(context: &Context, uri: &str, size: u64) -> Result<Self> {
        let array = context.open_with(uri, OpenOptions::default())?;
        // At a time of its own, so that each file can be read at its time. Not a later one than now: who opens the array
        // then would not see it.
        let fragments = array.engine().fragments();
        let is_taken = |time: u64| {
            fragments
                .iter()
                .any(|fragment| fragment.timestamps().1 == time)
        };
        let mut time = Time::now().0;
        while is_taken(time) {
            std::thread::sleep(Duration::from_millis(1));
            time = Time::now().0;
        }
        Ok(Self { array, size, time })
    }

    /// Writes this many bytes, piece by piece, each filled by `fill`.
    fn write(&self, bytes: u64, mut fill: impl FnMut(u64, &mut [u8]) -> Result<()>) -> Result<()> {
        let last = bytes.exact_sub(1)?;
        let write = self.array.write().range(POSITION, 0_u64..=last);
        let mut stream = write.at(self.time).stream()?;
        let schema = self.array.engine().newest_schema();
        let attribute = schema
            .attributes
            .iter()
            .find(|found| found.name == CONTENTS);
        let found_type = attribute.map(|attribute| attribute.datatype);
        let datatype = found_type
            .filter(|datatype| datatype.size() == 1)
            .ok_or_else(|| {
                Error::invalid(format!("Invalid attribute '{CONTENTS}'")).at(self.array.uri())
            })?;
        let mut start = 0_u64;
        while start < bytes {
            let len = PIECE.min(bytes.exact_sub(start)?);
            let rows = usize::try_from(len).map_err(|_| no_piece())?;
            let mut values = vec![0; rows];
            fill(start, &mut values)?;
            stream.push(&Batch {
                rows,
                columns: vec![Column {
                    name: CONTENTS.to_owned(),
                    datatype,
                    cell_val_num: CellValNum::Fixed(1),
                    nullable: false,
                    values: values.into(),
                    offsets: None,
                    validity: None,
                    enumeration: None,
                }],
            })?;
            start = start.exact_add(len)?;
        }
        stream.finish().map(drop)
    }

    fn put_facts(&self, facts: &FileFacts<'_>) -> Result<()> {
        let text = |text: &str| (Datatype::StringUtf8, text.as_bytes().to_vec());
        let facts = [
            (SIZE, (Datatype::UInt64, self.size.to_le_bytes().to_vec())),
            ("mime_encoding", text("binary")),
            ("mime_type", text(facts.mime_type)),
            ("original_file_name", text(facts.name)),
            ("file_extension", text(facts.extension)),
        ];
        let built = facts.into_iter().map(|(key, (datatype, bytes))| {
            let value = MetadataValue::try_new(datatype, bytes)?;
            Ok(MetadataRecord {
                key: key.to_owned(),
                value: Some(value),
            })
        });
        let records: Result<Vec<MetadataRecord>> = built.collect();
        let options = ChangeOptions::default().timestamp(Some(self.time));
        let put = self.array.engine().put_metadata(records?, &options);
        put.map(drop).map_err(|error| self.array.failed(error))
    }
}
