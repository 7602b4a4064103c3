//! Writes one fragment, from its tiles to the sealed files.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tdb_array::{Array, ArrayError, At, DataFile, FinishedFile, NewFragment, SealedFragment};
use tdb_cells::{Session, threads};
use tdb_filters::{FilterError, Scratch, seal_generic_tile_in_pieces};
use tdb_fragment::{ExtraFields, FieldLayout};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, FormatVersion, Limits, Range, WireError};

use crate::WriteError;
use crate::fields::{EncodedTile, FieldCodec, FieldFiles, WrittenField};
use crate::metadata::Metadata;
use crate::options::Replacement;
use crate::tile::{TileSource, Workshop};

/// What all fragments of a write have in common.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) session: Session,
    pub(crate) array: Arc<Array>,
    pub(crate) schema: Arc<ArraySchema>,
    /// The schema name that footers store.
    pub(crate) schema_name: String,
    pub(crate) version: FormatVersion,
    /// The fragments that the new ones replace.
    pub(crate) replacement: Option<Replacement>,
    /// Extra fields: timestamps and delete metadata of cells.
    pub(crate) extra: ExtraFields,
    /// The fields that are written, in order.
    pub(crate) codecs: Vec<FieldCodec>,
    workshops: Mutex<Vec<Workshop>>,
}

impl Target {
    /// Uses the newest schema of the array, also if the array was opened at an earlier time.
    pub(crate) fn new(
        session: &Session,
        array: &Arc<Array>,
        replacement: Option<Replacement>,
    ) -> Result<Self, WriteError> {
        let newest = array.schemas().last();
        let Some((name, schema)) = newest else {
            return Err(Bug::new("an array that is open has no schema").into());
        };
        let version = array.write_version();
        let extra = replacement.as_ref().map(|replacement| ExtraFields {
            timestamps: replacement.has_timestamps,
            deletes: replacement.has_deletions,
        });
        let extra = extra.unwrap_or_default();
        let is_possible = !schema.is_dense() && version.keeps_cell_times();
        if extra != ExtraFields::default() && !is_possible {
            return Err(WriteError::NoCellTimes { version });
        }
        let codecs = crate::input::written_fields(schema).into_iter();
        let codecs = codecs.chain(crate::input::extra_fields(extra));
        let codec = |kind| FieldCodec::new(schema, kind, version, array.key());
        Ok(Self {
            session: session.clone(),
            array: Arc::clone(array),
            replacement,
            extra,
            codecs: codecs.map(codec).collect::<Result<_, _>>()?,
            schema: Arc::clone(schema),
            schema_name: name.to_owned(),
            version,
            workshops: Mutex::default(),
        })
    }

    /// The fields that are written, in order.
    pub(crate) fn fields(&self) -> Vec<FieldKind> {
        self.codecs.iter().map(|codec| codec.kind).collect()
    }

    /// Runs `work` with memory that threads keep from tile to tile.
    fn with_workshop<R>(&self, work: impl FnOnce(&mut Workshop) -> R) -> R {
        let lock = || {
            self.workshops
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let mut workshop = lock().pop().unwrap_or_default();
        let result = work(&mut workshop);
        lock().push(workshop);
        result
    }

    /// Frees the memory that threads keep from tile to tile.
    fn close_workshops(&self) {
        let mut workshops = self
            .workshops
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        workshops.clear();
    }

    /// Gathers and filters a tile of the field at index `field`.
    pub(crate) fn encode(
        &self,
        source: &dyn TileSource,
        (field, tile): (usize, u64),
    ) -> Result<EncodedTile, WriteError> {
        let codec = self.codec(field)?;
        self.with_workshop(|workshop| {
            let cells = source.tile(field, tile, &mut workshop.buffers)?;
            let limits = self.session.limits();
            // Nobody could read it with as much memory either.
            let (size, most) = (cells.values.len() as u64, limits.budget.limit());
            Limits::check("memory of a tile", "memory budget", size, most)?;
            codec.encode(&cells, tile, &mut workshop.coder, limits)
        })
    }

    /// How the field at this index is written.
    pub(crate) fn codec(&self, field: usize) -> Result<&FieldCodec, Bug> {
        let codec = self.codecs.get(field);
        codec.ok_or_else(|| Bug::new("a tile of a field that is not written"))
    }
}

/// A fragment that is being written: tiles in order, each with all fields.
#[derive(Debug)]
pub(crate) struct FragmentWriter {
    target: Arc<Target>,
    fragment: NewFragment,
    files: Vec<FieldFiles>,
    tiles: u64,
}

/// What the metadata of a fragment needs besides its tiles.
#[derive(Debug)]
pub(crate) enum Shape {
    /// The cells of the last tile.
    Sparse { last_tile_cells: u64 },
    /// What was written, and the cells of each tile.
    Dense { domain: Vec<Range>, tile_cells: u64 },
}

impl FragmentWriter {
    pub(crate) fn new(target: &Arc<Target>, mut fragment: NewFragment) -> Result<Self, WriteError> {
        let files = target.codecs.iter();
        let files = files.map(|codec| FieldFiles::create(codec, &mut fragment));
        Ok(Self {
            files: files.collect::<Result<_, _>>()?,
            target: Arc::clone(target),
            fragment,
            tiles: 0,
        })
    }

    /// Bytes of the data files so far.
    pub(crate) fn size(&self) -> u64 {
        self.files.iter().map(FieldFiles::size).sum()
    }

    /// Tiles so far.
    pub(crate) fn tiles(&self) -> u64 {
        self.tiles
    }

    /// Adds tiles, the same number for each field.
    pub(crate) fn append(&mut self, batch: Vec<Vec<EncodedTile>>) -> Result<(), WriteError> {
        let count = batch.first().map_or(0, Vec::len);
        let is_whole = batch.iter().all(|tiles| tiles.len() == count);
        if !is_whole || batch.len() != self.files.len() {
            return Err(Bug::new("tiles of some fields, and not of others").into());
        }
        self.tiles += count as u64;
        let append = |(files, tiles): (&mut FieldFiles, Vec<EncodedTile>)| {
            tiles.into_iter().try_for_each(|tile| files.append(tile))
        };
        let mut fields = self.files.iter_mut().zip(batch);
        Ok(fields.try_for_each(append)?)
    }

    /// Writes the metadata of the fragment, which is then complete but not committed.
    pub(crate) fn seal(self, shape: Shape) -> Result<SealedFragment, WriteError> {
        let Self {
            target,
            mut fragment,
            files,
            tiles,
        } = self;
        target.close_workshops();
        let finish = |(files, codec): (FieldFiles, &FieldCodec)| files.finish(&codec.rule);
        let files: Vec<_> = files.into_iter().zip(&target.codecs).collect();
        let finish = || threads::map(files, finish);
        let mut written: Vec<WrittenField> = target.session.install(finish)?;
        let mut files: Vec<_> = written
            .iter_mut()
            .flat_map(|field| std::mem::take(&mut field.files))
            .collect();
        let metadata = Metadata {
            target: &target,
            written: &written,
            tiles,
        };
        let file = metadata.file(shape)?;
        let layout = FieldLayout::of(&target.schema);
        let key = target.array.key();
        let mut scratch = Scratch::default();
        let seal = |payload: &[Bytes]| {
            let version = FormatVersion::WRITTEN;
            let sealed = seal_generic_tile_in_pieces(payload, version, key, &mut scratch);
            sealed.map_err(SealError::from)
        };
        let mut pieces = Pieces {
            file: fragment.create_metadata()?,
            small: Vec::new(),
        };
        let sealed = file.write(&layout, seal, |piece| Ok(pieces.push(piece)?));
        match sealed {
            Ok(()) => files.push(pieces.finish()?),
            Err(SealError::Array(error)) => return Err(error.into()),
            Err(SealError::Filter(error)) => Err(error).at(fragment.name().as_str())?,
        }
        Ok(fragment.seal(&files)?)
    }
}

/// Writes a file in pieces and combines small ones.
struct Pieces {
    file: DataFile,
    small: Vec<u8>,
}

impl Pieces {
    /// Pieces of at least this size are written by themselves.
    const LARGE: usize = 1 << 20;

    fn push(&mut self, piece: &[u8]) -> Result<(), ArrayError> {
        if self.small.len() + piece.len() > Self::LARGE {
            self.file.write(&self.small)?;
            self.small.clear();
        }
        if piece.len() > Self::LARGE {
            return self.file.write(piece);
        }
        self.small.extend_from_slice(piece);
        Ok(())
    }

    fn finish(mut self) -> Result<FinishedFile, ArrayError> {
        self.file.write(&self.small)?;
        self.file.finish()
    }
}

/// An error while encoding metadata.
enum SealError {
    Filter(FilterError),
    Array(ArrayError),
}

impl From<FilterError> for SealError {
    fn from(error: FilterError) -> Self {
        Self::Filter(error)
    }
}

impl From<WireError> for SealError {
    fn from(error: WireError) -> Self {
        Self::Filter(FilterError::Wire(error))
    }
}

impl From<ArrayError> for SealError {
    fn from(error: ArrayError) -> Self {
        Self::Array(error)
    }
}
