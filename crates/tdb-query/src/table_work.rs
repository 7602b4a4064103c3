//! Loads fields of whole tiles into columns of a table.

use std::sync::Arc;

use tdb_cells::{CellTable, Session, TileBytes};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_store::Read;
use tdb_tile::Bug;

use crate::QueryError;
use crate::load::{Loading, load};
use crate::sparse::PlannedTiles;

/// Fields of whole tiles to load into columns of a table.
#[derive(Debug)]
pub(crate) struct TableWork {
    pub(crate) schema: Arc<ArraySchema>,
    pub(crate) tiles: Arc<PlannedTiles>,
    pub(crate) fields: Vec<FieldKind>,
    /// Fields that are loaded later, for the tiles that have cells of the result.
    pub(crate) later: Vec<FieldKind>,
    /// Approximate memory of the cells in bytes.
    pub(crate) weight: u64,
    pub(crate) table: CellTable,
}

impl TableWork {
    pub(crate) fn reads(&self) -> Result<Vec<Read>, Bug> {
        self.tiles.reads(&self.table.segments, &self.fields)
    }

    /// Returns the byte ranges that all tiles may need later.
    pub(crate) fn likely(&self) -> Result<Vec<Read>, Bug> {
        self.tiles.reads_of_all(&self.table.segments, &self.later)
    }

    /// Loads the columns from these bytes.
    pub(crate) fn decode(
        mut self,
        session: &Session,
        bytes: &dyn TileBytes,
    ) -> Result<CellTable, QueryError> {
        let how = Loading {
            session,
            schema: &self.schema,
            bytes,
        };
        let find = |fragment| self.tiles.find(fragment);
        session.install_for(self.weight, || {
            load(how, &mut self.table, &self.fields, &find)
        })?;
        Ok(self.table)
    }
}
