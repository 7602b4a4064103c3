//! Filters and writes the tiles of each field, and collects the metadata of the tiles.

use bytes::Bytes;
use tdb_array::{ArrayError, At, DataFile, FinishedFile, NewFragment};
use tdb_cells::{ColumnProblem, unit_size};
use tdb_filters::{
    EncryptionKey, FilterError, FilterList, NO_CHUNKS, Pipeline, Registry, TileKind, Unfit,
};
use tdb_fragment::{DataFiles, FieldTiles, TileBounds, TileVector};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, Datatype, FormatVersion, Limits, Range, U64Column};

use crate::WriteError;
use crate::statistics::{Bounds, Rule, TileSummary};
use crate::tile::{Coder, DecodedTile, StoredTile, Tile};

/// The filters and file names of one field.
#[derive(Debug)]
pub(crate) struct FieldCodec {
    pub(crate) kind: FieldKind,
    pub(crate) name: String,
    pub(crate) rule: Rule,
    files: DataFiles,
    /// Pipeline for fixed-size cells, or for the values of var-sized ones.
    values: Pipeline,
    offsets: Option<Pipeline>,
    validity: Option<Pipeline>,
}

/// A filtered tile, with its statistics.
#[derive(Debug)]
pub(crate) struct EncodedTile {
    /// Fixed-size cells, or offsets.
    pub(crate) main: Bytes,
    /// The values of a var-sized field.
    pub(crate) var: Option<Bytes>,
    /// The validity of a nullable field.
    pub(crate) validity: Option<Bytes>,
    /// Unfiltered bytes of var-sized values.
    pub(crate) var_size: u64,
    pub(crate) summary: TileSummary,
}

impl EncodedTile {
    /// Number of bytes in all files.
    pub(crate) fn size(&self) -> u64 {
        let size = |bytes: &Option<Bytes>| bytes.as_ref().map_or(0, Bytes::len);
        (self.main.len() + size(&self.var) + size(&self.validity)) as u64
    }
}

impl FieldCodec {
    pub(crate) fn new(
        schema: &ArraySchema,
        kind: FieldKind,
        version: FormatVersion,
        key: Option<&EncryptionKey>,
    ) -> Result<Self, WriteError> {
        let Some(field) = schema.field_of(kind) else {
            return Err(Bug::new("a field that is to be written is not in the schema").into());
        };
        let pipeline = |filters: &FilterList, kind: TileKind| {
            let made = Pipeline::new(filters, schema.version, kind, key, Registry::builtin());
            made.and_then(|made| made.check().map(|()| made))
                .map_err(|error| WriteError::Column {
                    field: field.name.to_owned(),
                    problem: ColumnProblem::Filters(error),
                })
        };
        let of = |datatype| TileKind::new(version, datatype);
        let values = if field.is_var() {
            of(field.datatype).var()
        } else {
            of(field.datatype).with_cell_size(unit_size(&field))
        };
        let offsets = || pipeline(&schema.offsets_filters, of(Datatype::UInt64));
        let validity = || pipeline(&schema.validity_filters, of(Datatype::UInt8));
        let files = DataFiles::of(&field, version).at(field.name)?;
        Ok(Self {
            kind,
            name: field.name.to_owned(),
            rule: Rule::of(&field),
            files,
            values: pipeline(field.filters, values)?,
            offsets: field.is_var().then(offsets).transpose()?,
            validity: field.nullable.then(validity).transpose()?,
        })
    }

    /// Filters a tile; `number` is for errors.
    pub(crate) fn encode(
        &self,
        tile: &Tile<'_>,
        number: u64,
        coder: &mut Coder,
        limits: &Limits,
    ) -> Result<EncodedTile, WriteError> {
        let is_like = |is_there: bool, pipeline: &Option<Pipeline>| is_there == pipeline.is_some();
        if !is_like(tile.starts.is_some(), &self.offsets)
            || !is_like(tile.validity.is_some(), &self.validity)
        {
            return Err(Bug::new("a tile of another form than its field").into());
        }
        let filtered = self.filter(tile, coder, limits);
        let [main, var, validity] = filtered.map_err(|source| WriteError::Encode {
            field: self.name.clone(),
            tile: number,
            source: Box::new(source),
        })?;
        Ok(EncodedTile {
            main: main.into(),
            var_size: match tile.starts {
                Some(_) => tile.values.len() as u64,
                None => 0,
            },
            var: tile.starts.map(|_| var.into()),
            validity: tile.validity.map(|_| validity.into()),
            summary: self.rule.summarize(tile)?,
        })
    }

    /// Returns the filtered bytes of a tile for each file of the field: main, var-sized values, validity.
    fn filter(
        &self,
        tile: &Tile<'_>,
        coder: &mut Coder,
        limits: &Limits,
    ) -> Result<[Vec<u8>; 3], FilterError> {
        let (mut main, mut var, mut valid) = (Vec::new(), Vec::new(), Vec::new());
        let scratch = &mut coder.scratch;
        match (&self.offsets, tile.starts) {
            (Some(offsets), Some(starts)) => {
                let values = &self.values;
                var.reserve(tile.values.len() / 4);
                values.encode_tile(tile.values, Some(starts), &mut var, scratch, limits)?;
                if values.folds_offsets() {
                    main.extend_from_slice(&NO_CHUNKS);
                } else {
                    coder.offsets.clear();
                    for start in starts {
                        coder.offsets.extend_from_slice(&start.to_le_bytes());
                    }
                    offsets.encode_tile(&coder.offsets, None, &mut main, scratch, limits)?;
                }
            }
            _ => {
                if self.values.is_identity() {
                    // The chunk headers need a few bytes more.
                    main.reserve(tile.values.len() + tile.values.len() / 4096 + 64);
                }
                let values = &self.values;
                values.encode_tile(tile.values, None, &mut main, scratch, limits)?;
            }
        }
        if let (Some(pipeline), Some(validity)) = (&self.validity, tile.validity) {
            pipeline.encode_tile(validity, None, &mut valid, scratch, limits)?;
        }
        Ok([main, var, valid])
    }

    /// Decodes a filtered tile.
    pub(crate) fn decode(
        &self,
        tile: &StoredTile,
        coder: &mut Coder,
        limits: &Limits,
    ) -> Result<DecodedTile, FilterError> {
        let mut decoded = DecodedTile::default();
        let (values, scratch) = (&self.values, &mut coder.scratch);
        match (&self.offsets, &tile.var) {
            (Some(_), Some(var)) if values.folds_offsets() => {
                let starts = Some(&mut decoded.starts);
                decoded.values = values.decode_tile_to_vec(var, starts, scratch, limits)?;
            }
            (Some(offsets), Some(var)) => {
                decoded.values = values.decode_tile_to_vec(var, None, scratch, limits)?;
                let starts = offsets.decode_tile_to_vec(&tile.main, None, scratch, limits)?;
                let (starts, _) = starts.as_chunks();
                decoded.starts = starts
                    .iter()
                    .map(|start| u64::from_le_bytes(*start))
                    .collect();
            }
            _ => decoded.values = values.decode_tile_to_vec(&tile.main, None, scratch, limits)?,
        }
        if let (Some(pipeline), Some(validity)) = (&self.validity, &tile.validity) {
            decoded.validity = pipeline.decode_tile_to_vec(validity, None, scratch, limits)?;
        }
        Ok(decoded)
    }

    /// Returns the first of these values that the filters would change, if any.
    pub(crate) fn first_unfit(&self, values: &[u8]) -> Option<Unfit> {
        self.values.first_unfit(values)
    }

    /// The tile kind of the values, for comparison with stored pipelines.
    pub(crate) fn values_kind(&self) -> &TileKind {
        self.values.kind()
    }
}

/// The data files of a field while they are written, and the metadata of its tiles.
#[derive(Debug)]
pub(crate) struct FieldFiles {
    main: DataFile,
    var: Option<DataFile>,
    validity: Option<DataFile>,
    tile_offsets: Vec<u64>,
    var_offsets: Vec<u64>,
    validity_offsets: Vec<u64>,
    var_sizes: Vec<u64>,
    summaries: Vec<TileSummary>,
}

/// The metadata of a field whose data files are finished.
#[derive(Debug)]
pub(crate) struct WrittenField {
    pub(crate) rule: Rule,
    pub(crate) tiles: FieldTiles,
    pub(crate) summaries: Vec<TileSummary>,
    pub(crate) sizes: FileSizes,
    /// The main file, then those of var-sized values and validity if the field has them.
    pub(crate) files: Vec<FinishedFile>,
    pub(crate) has_var: bool,
}

/// Sizes of the data files of a field; 0 for files that it does not have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FileSizes {
    /// Size of the file of fixed-size cells, or of offsets.
    pub(crate) fixed: u64,
    pub(crate) var: u64,
    pub(crate) validity: u64,
}

impl FieldFiles {
    pub(crate) fn create(
        codec: &FieldCodec,
        fragment: &mut NewFragment,
    ) -> Result<Self, ArrayError> {
        let mut optional = |file: &Option<String>| {
            let file = file.as_deref();
            file.map(|file| fragment.create(file)).transpose()
        };
        let (var, validity) = (
            optional(&codec.files.var)?,
            optional(&codec.files.validity)?,
        );
        Ok(Self {
            main: fragment.create(&codec.files.fixed)?,
            var,
            validity,
            tile_offsets: Vec::new(),
            var_offsets: Vec::new(),
            validity_offsets: Vec::new(),
            var_sizes: Vec::new(),
            summaries: Vec::new(),
        })
    }

    /// Number of bytes written so far.
    pub(crate) fn size(&self) -> u64 {
        let size = |file: &Option<DataFile>| file.as_ref().map_or(0, DataFile::size);
        self.main.size() + size(&self.var) + size(&self.validity)
    }

    /// Adds the next tile.
    pub(crate) fn append(&mut self, tile: EncodedTile) -> Result<(), ArrayError> {
        let EncodedTile {
            main,
            var,
            validity,
            var_size,
            summary,
        } = tile;
        self.tile_offsets.push(self.main.size());
        self.main.write(&main)?;
        self.var_offsets
            .push(self.var.as_ref().map_or(0, DataFile::size));
        write(self.var.as_mut(), var)?;
        self.validity_offsets
            .push(self.validity.as_ref().map_or(0, DataFile::size));
        write(self.validity.as_mut(), validity)?;
        self.var_sizes.push(var_size);
        self.summaries.push(summary);
        Ok(())
    }

    /// Finishes the files, and returns once they are durable.
    pub(crate) fn finish(self, rule: &Rule) -> Result<WrittenField, ArrayError> {
        let size = |file: &Option<DataFile>| file.as_ref().map_or(0, DataFile::size);
        let sizes = FileSizes {
            fixed: self.main.size(),
            var: size(&self.var),
            validity: size(&self.validity),
        };
        let has_var = self.var.is_some();
        let all = [Some(self.main), self.var, self.validity];
        let files = all
            .into_iter()
            .flatten()
            .map(DataFile::finish)
            .collect::<Result<_, _>>()?;
        let mut tiles = FieldTiles {
            tile_offsets: vector(self.tile_offsets),
            var_offsets: vector(self.var_offsets),
            var_sizes: vector(self.var_sizes),
            validity_offsets: vector(self.validity_offsets),
            ..FieldTiles::default()
        };
        add_statistics(&mut tiles, &self.summaries, rule);
        Ok(WrittenField {
            rule: *rule,
            tiles,
            summaries: self.summaries,
            sizes,
            files,
            has_var,
        })
    }
}

/// Writes the bytes of an optional file; a tile must have them exactly if the field has the file.
fn write(file: Option<&mut DataFile>, bytes: Option<Bytes>) -> Result<(), ArrayError> {
    match (file, bytes) {
        (Some(file), Some(bytes)) => file.write(&bytes),
        (None, None) => Ok(()),
        _ => Err(Bug::new("a tile of another form than its field").into()),
    }
}

pub(crate) fn vector(values: Vec<u64>) -> TileVector {
    TileVector {
        values: U64Column::from_values(values),
    }
}

fn add_statistics(tiles: &mut FieldTiles, summaries: &[TileSummary], rule: &Rule) {
    if rule.bounds == Bounds::Stored {
        let ends = || summaries.iter().map(|summary| summary.ends.as_ref());
        tiles.mins = bounds(ends().map(|ends| ends.map(|(min, _)| min)), rule);
        tiles.maxs = bounds(ends().map(|ends| ends.map(|(_, max)| max)), rule);
    }
    if rule.sums {
        tiles.sums = vector(summaries.iter().map(|summary| summary.sum).collect());
    }
    if rule.counts_nulls {
        tiles.null_counts = vector(summaries.iter().map(|summary| summary.nulls).collect());
    }
}

/// Encodes the minima or maxima of tiles; a missing one becomes zeros, or empty for var-sized fields.
fn bounds<'a>(values: impl ExactSizeIterator<Item = Option<&'a Bytes>>, rule: &Rule) -> TileBounds {
    let is_alone = values.len() == 1;
    let (mut fixed, mut var) = (Vec::new(), Vec::new());
    for value in values {
        match (rule.cell_size(), value) {
            (Some(_), Some(value)) => fixed.extend_from_slice(value),
            (Some(size), None) => fixed.resize(fixed.len() + size, 0),
            // The bound of a single tile may be large, so it is not copied.
            (None, Some(value)) if is_alone => {
                return TileBounds {
                    fixed: vec![0; 8].into(),
                    var: value.clone(),
                };
            }
            (None, value) => {
                fixed.extend_from_slice(&(var.len() as u64).to_le_bytes());
                var.extend_from_slice(value.map_or(&[], |value| &value[..]));
            }
        }
    }
    TileBounds {
        fixed: fixed.into(),
        var: var.into(),
    }
}

/// The side of a tile's MBR along the dimension of this field.
pub(crate) fn side(written: &WrittenField, tile: usize) -> Result<Range, Bug> {
    let ends = written.summaries.get(tile).and_then(|s| s.ends.clone());
    let (lo, hi) = ends.ok_or_else(|| Bug::new("a tile whose coordinates have no bounds"))?;
    Ok(Range { lo, hi })
}
