//! The fields of one fragment, ready to be read.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_array::{Array, At, Fragment, OpenedPart, Snapshot};
use tdb_filters::{FilterList, Pipeline, Registry, TileKind};
use tdb_fragment::{DataFiles, MetadataPart, TileIndex};
use tdb_schema::{ArraySchema, Field as FieldView};
use tdb_store::Read;
use tdb_tile::{Datatype, FormatVersion};

use crate::QueryError;
use crate::error::TileError;
use crate::field::{Field, unit_size};
use crate::tiles::{FieldTiles, Located, Lost, Place, StoredTiles, ZippedTiles};

/// The tiles of those fields of a fragment that a read needs and the fragment has.
#[derive(Debug, Default)]
pub(crate) struct FragmentTiles {
    fields: HashMap<Field, FieldTiles>,
    zipped: Option<ZippedTiles>,
}

impl FragmentTiles {
    /// Finds the tiles of these fields, which are named by `schema`; one batch of reads.
    ///
    /// # Errors
    /// Metadata that cannot be read; filters that cannot be undone.
    pub(crate) fn open(
        array: &Array,
        schema: &ArraySchema,
        fragment: usize,
        fields: &[Field],
    ) -> Result<Self, QueryError> {
        let parts = Self::parts(array, schema, fragment, fields);
        let opened = array.metadata_parts(fragment, &parts)?;
        Self::new(array, schema, fragment, fields, opened)
    }

    /// The parts of the fragment's metadata that tell where its tiles are.
    pub(crate) fn parts(
        array: &Snapshot,
        schema: &ArraySchema,
        fragment: usize,
        fields: &[Field],
    ) -> Vec<MetadataPart> {
        match array.fragments().get(fragment) {
            Some(stored) => Self::parts_of(schema, stored, fields),
            None => Vec::new(),
        }
    }

    /// As [`FragmentTiles::parts`], for a fragment at hand.
    pub(crate) fn parts_of(
        schema: &ArraySchema,
        stored: &Fragment,
        fields: &[Field],
    ) -> Vec<MetadataPart> {
        let wanted = wanted(schema, stored, fields).into_iter();
        wanted
            .flat_map(|(_, view)| stored.metadata.tile_index_parts(&view))
            .collect()
    }

    /// The tiles of these fields, out of [`FragmentTiles::parts`].
    pub(crate) fn new(
        array: &Snapshot,
        schema: &ArraySchema,
        fragment: usize,
        fields: &[Field],
        opened: Vec<OpenedPart>,
    ) -> Result<Self, QueryError> {
        match array.fragments().get(fragment) {
            Some(stored) => Self::of_fragment(array, schema, stored, fields, opened),
            None => Ok(Self::default()),
        }
    }

    /// As [`FragmentTiles::new`], for a fragment at hand.
    pub(crate) fn of_fragment(
        array: &Snapshot,
        schema: &ArraySchema,
        stored: &Fragment,
        fields: &[Field],
        opened: Vec<OpenedPart>,
    ) -> Result<Self, QueryError> {
        let mut tiles = Self::default();
        // Writers before 2.17 stamp these tiles with their own, older version.
        let writer = opened
            .iter()
            .map(|part| part.version)
            .max()
            .unwrap_or(FormatVersion::WRITTEN);
        let mut payloads = opened.into_iter().map(|part| part.payload);
        for (asked, view) in wanted(schema, stored, fields) {
            let count = stored.metadata.tile_index_parts(&view).len();
            let payloads: Vec<_> = payloads.by_ref().take(count).collect();
            let index = stored
                .metadata
                .tile_index(&view, &payloads, array.limits())
                .at(&stored.metadata_key)?;
            let opening = Opening {
                array,
                stored,
                view,
                writer,
            };
            match asked {
                Some(field) => {
                    tiles.fields.insert(field, opening.field(index)?);
                }
                None => tiles.zipped = Some(opening.zipped(index)?),
            }
        }
        Ok(tiles)
    }

    /// The bytes that a tile of these fields takes.
    pub(crate) fn reads(&self, fields: &[Field], tile: usize) -> Vec<Read> {
        let found = fields.iter().filter_map(|&field| self.field(field));
        let reads = found.flat_map(|field| field.reads(tile));
        let zipped = self.zipped.as_ref().and_then(|zipped| zipped.reads(tile));
        reads.chain(zipped).collect()
    }

    /// The tiles of a field; `None` where the fragment lacks it.
    pub(crate) fn field(&self, field: Field) -> Option<&FieldTiles> {
        self.fields.get(&field)
    }

    /// The tiles that hold the coordinates of all dimensions together.
    pub(crate) fn zipped(&self) -> Option<&ZippedTiles> {
        self.zipped.as_ref()
    }
}

/// What a fragment has of these fields; `None` stands for the coordinates of all dimensions together.
fn wanted<'a>(
    schema: &ArraySchema,
    stored: &'a Fragment,
    fields: &[Field],
) -> Vec<(Option<Field>, FieldView<'a>)> {
    let mut wanted: Vec<(Option<Field>, FieldView<'_>)> = Vec::new();
    for &field in fields {
        let Some(view) = stored_view(schema, stored, field) else {
            continue;
        };
        if view.kind != Field::Coords {
            wanted.push((Some(field), view));
        } else if !wanted.iter().any(|(asked, _)| asked.is_none()) {
            wanted.push((None, view));
        }
    }
    wanted
}

/// How a fragment stores a field of the array; `None` where it lacks the field, or has another of its name.
pub(crate) fn stored_view<'a>(
    schema: &ArraySchema,
    fragment: &'a Fragment,
    field: Field,
) -> Option<FieldView<'a>> {
    let asked = schema.field_of(field)?;
    let kind = match field {
        Field::Attribute(_) => Field::Attribute(fragment.schema.attribute_index(asked.name)?),
        other => other,
    };
    let view = fragment.metadata.field_in(&fragment.schema, kind)?;
    let same = view.kind == Field::Coords
        || (view.datatype == asked.datatype
            && view.cell_val_num == asked.cell_val_num
            && view.nullable == asked.nullable);
    same.then_some(view)
}

/// One field of one fragment while its tiles are being found.
struct Opening<'a> {
    array: &'a Snapshot,
    stored: &'a Fragment,
    view: FieldView<'a>,
    writer: FormatVersion,
}

impl Opening<'_> {
    fn field(&self, index: TileIndex) -> Result<FieldTiles, QueryError> {
        let files = self.files()?;
        let schema = &self.stored.schema;
        let cell_size = unit_size(&self.view);
        let kind = self.kind(self.view.datatype);
        let (main, var) = match &files.var {
            None => (
                self.tiles(
                    &files.fixed,
                    self.view.filters,
                    kind.with_cell_size(cell_size),
                )?,
                None,
            ),
            Some(values) => (
                self.tiles(
                    &files.fixed,
                    &schema.offsets_filters,
                    self.kind(Datatype::UInt64),
                )?,
                Some(self.tiles(values, self.view.filters, kind.var())?),
            ),
        };
        let validity = match &files.validity {
            None => None,
            Some(file) => {
                Some(self.tiles(file, &schema.validity_filters, self.kind(Datatype::UInt8))?)
            }
        };
        Ok(FieldTiles {
            place: self.place_of(&index),
            main,
            cell_size,
            var,
            validity,
            index,
        })
    }

    fn zipped(&self, index: TileIndex) -> Result<ZippedTiles, QueryError> {
        let files = self.files()?;
        let dimensions = self.stored.schema.dimensions.len();
        let size = self.view.datatype.size();
        let kind = self
            .kind(self.view.datatype)
            .with_cell_size(size.saturating_mul(dimensions));
        let tiles = self.tiles(&files.fixed, self.view.filters, kind)?;
        let version = self.stored.metadata.version;
        let interleaved =
            version.interleaves_uncompressed_coordinates() && !self.view.filters.compresses();
        Ok(ZippedTiles {
            place: self.place(),
            tiles,
            index,
            size,
            dimensions,
            interleaved,
        })
    }

    fn kind(&self, datatype: Datatype) -> TileKind {
        TileKind::new(self.stored.metadata.version, datatype)
            .propagating(self.writer.propagates_datatypes())
    }

    fn files(&self) -> Result<DataFiles, QueryError> {
        Ok(self
            .stored
            .metadata
            .data_files(&self.view)
            .at(&self.stored.metadata_key)?)
    }

    fn tiles(
        &self,
        file: &str,
        filters: &FilterList,
        kind: TileKind,
    ) -> Result<StoredTiles, QueryError> {
        let options = self.stored.schema.version;
        let key: Arc<str> = format!("{}/{file}", self.stored.prefix).into();
        let pipeline = Pipeline::new(
            filters,
            options,
            kind,
            self.array.key(),
            Registry::builtin(),
        )
        .map_err(|error| {
            let found = Located {
                key: key.clone(),
                offset: 0,
                error: Box::new(TileError::Filter(error)),
            };
            self.place().at(0, found)
        })?;
        Ok(StoredTiles { key, pipeline })
    }

    fn place(&self) -> Place {
        Place {
            fragment: self.stored.name.to_string(),
            field: self.view.name.to_owned(),
            lost: None,
        }
    }

    /// As [`Opening::place`], for a field whose tiles are where `index` says.
    fn place_of(&self, index: &TileIndex) -> Place {
        let lost = index.lost_from().map(|from| Lost {
            from,
            fragment: Arc::new(self.stored.clone()),
        });
        Place {
            lost,
            ..self.place()
        }
    }
}
