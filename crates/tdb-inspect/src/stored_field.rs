//! Reads one field of one fragment tile by tile, as stored.

use std::ops::Range;

use tdb_array::{Array, At, Fragment};
use tdb_cells::{
    Buffer, CellsError, Column, Decoding, FieldTiles, FragmentTiles, Session, TableColumn,
    TileAccess, ZippedTiles, gather, unit_size,
};
use tdb_fragment::{DataFiles, TileNumber};
use tdb_query::QueryError;
use tdb_schema::{CellValNum, Field as FieldView, FieldKind};
use tdb_tile::{Exact, length};

/// One field of one fragment, for reading tile by tile. It serves to inspect stored data: nothing is selected, merged
/// or filled in.
#[derive(Debug)]
pub struct StoredField<'a> {
    session: &'a Session,
    array: &'a Array,
    fragment: &'a Fragment,
    view: FieldView<'a>,
    files: DataFiles,
    tiles: FragmentTiles,
}

/// The byte ranges of one tile in the data files of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileExtents {
    /// In the main data file, which contains fixed-size values, or the offsets of a var-sized field.
    pub fixed: Option<Range<u64>>,
    /// In the data file of var-sized values.
    pub var: Option<Range<u64>>,
    /// In the validity file.
    pub validity: Option<Range<u64>>,
}

impl<'a> StoredField<'a> {
    /// Opens a field of a fragment; `None` if the fragment lacks it. `kind` refers to the schema with which the
    /// fragment was written.
    ///
    /// # Errors
    /// Metadata that cannot be read; filters that cannot decode.
    pub fn open(
        session: &'a Session,
        array: &'a Array,
        fragment: &'a Fragment,
        kind: FieldKind,
    ) -> Result<Option<Self>, QueryError> {
        let Some(view) = fragment.metadata.field_in(&fragment.schema, kind) else {
            return Ok(None);
        };
        let files = fragment
            .metadata
            .data_files(&view)
            .at(&fragment.metadata_key)?;
        let (schema, stored) = (&fragment.schema, fragment.stored());
        let parts = FragmentTiles::parts(schema, stored, &[kind]);
        let opened = array.metadata_parts_of(fragment, &parts)?;
        let access = TileAccess {
            key: array.key(),
            limits: array.limits(),
        };
        let tiles = FragmentTiles::new(schema, stored, &[kind], opened, access)?;
        Ok(Some(Self {
            session,
            array,
            fragment,
            view,
            files,
            tiles,
        }))
    }
}

impl StoredField<'_> {
    /// Returns the field. Before format version 5, every dimension returns the zipped coordinates of all dimensions.
    #[must_use]
    pub fn field(&self) -> &FieldView<'_> {
        &self.view
    }

    /// Returns the names of its data files within the fragment's folder.
    #[must_use]
    pub fn files(&self) -> &DataFiles {
        &self.files
    }

    /// Returns the byte ranges of a tile.
    #[must_use]
    pub fn extents(&self, tile: u64) -> TileExtents {
        let fields = self.tiles.field(self.view.kind).map(|tiles| &tiles.index);
        let index = fields.or_else(|| self.tiles.zipped().map(|tiles| &tiles.index));
        TileExtents {
            fixed: index.and_then(|index| index.tile_extent(tile)),
            var: index.and_then(|index| index.var_extent(tile)),
            validity: index.and_then(|index| index.validity_extent(tile)),
        }
    }

    /// Decodes the cells of a tile: one column, or one per dimension if the coordinates are stored zipped.
    ///
    /// # Errors
    /// A tile that cannot be read or is corrupt, or a [limit](CellsError::Limit) that is exceeded.
    pub fn read(&self, tile: u64) -> Result<Vec<Column>, CellsError> {
        let cells = self.fragment.metadata.tile_cells(tile);
        let var = self.tiles.field(self.view.kind);
        let number = TileNumber::new(tile);
        // An offset and a validity byte beside each value. Clamped: the budget refuses what is too much.
        let size = unit_size(&self.view) as u64 + 9;
        let bytes = var
            .map_or(0, |tiles| tiles.var_size(number))
            .saturating_add(cells.saturating_mul(size));
        let _held = self.session.limits().budget.take(bytes)?;
        let cells = length(cells)?;
        match (var, self.tiles.zipped()) {
            (Some(tiles), _) => Ok(vec![self.column(tiles, number, cells)?]),
            (None, Some(tiles)) => self.coordinates(tiles, number, cells),
            (None, None) => Ok(Vec::new()),
        }
    }

    fn how(&self) -> Decoding<'_> {
        Decoding {
            limits: self.session.limits(),
            bytes: self.array.store(),
            counters: self.session.counters(),
        }
    }

    fn column(
        &self,
        tiles: &FieldTiles,
        tile: TileNumber,
        cells: usize,
    ) -> Result<Column, CellsError> {
        let (how, worker) = (self.how(), &mut *self.session.worker());
        let size = if self.view.is_var() {
            length(tiles.var_size(tile))?
        } else {
            cells.exact_mul(tiles.cell_size)?
        };
        let offset_count = cells.exact_add(1)?;
        let mut values = self.session.buffer(size)?;
        let mut offsets = (self.view.is_var()).then(|| vec![0; offset_count]);
        match offsets.as_deref_mut().and_then(<[u64]>::split_last_mut) {
            Some((end, starts)) => {
                tiles.read_var(tile, starts, values.as_mut_slice(), worker, how)?;
                *end = size as u64;
            }
            None => tiles.read_fixed(tile, cells as u64, values.as_mut_slice(), worker, how)?,
        }
        let mut validity = self.view.nullable.then(|| vec![0; cells]);
        if let Some(validity) = &mut validity {
            tiles.read_validity(tile, validity, worker, how)?;
        }
        let read = TableColumn {
            values,
            cell_size: tiles.cell_size,
            offsets,
            validity,
            missing: Vec::new(),
        };
        let stored = gather(read, None)?;
        Ok(Column {
            values: stored.values,
            offsets: stored.offsets,
            validity: stored.validity,
            ..self.empty(self.view.name, self.view.cell_val_num)
        })
    }

    fn coordinates(
        &self,
        tiles: &ZippedTiles,
        tile: TileNumber,
        cells: usize,
    ) -> Result<Vec<Column>, CellsError> {
        let mut places = Vec::with_capacity(tiles.dimensions);
        for _ in 0..tiles.dimensions {
            places.push(self.session.buffer(cells.exact_mul(tiles.size)?)?);
        }
        let mut out: Vec<(usize, &mut [u8])> = places
            .iter_mut()
            .map(Buffer::as_mut_slice)
            .enumerate()
            .collect();
        tiles.read(tile, &mut out, &mut self.session.worker(), self.how())?;
        let columns =
            self.fragment
                .schema
                .dimensions
                .iter()
                .zip(places)
                .map(|(dimension, values)| Column {
                    values: values.freeze(),
                    ..self.empty(&dimension.name, CellValNum::Fixed(1))
                });
        Ok(columns.collect())
    }

    fn empty(&self, name: &str, cell_val_num: CellValNum) -> Column {
        Column {
            name: name.to_owned(),
            datatype: self.view.datatype,
            cell_val_num,
            nullable: self.view.nullable,
            values: bytes::Bytes::new(),
            offsets: None,
            validity: None,
            enumeration: None,
        }
    }
}
