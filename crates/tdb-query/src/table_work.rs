//! Whole tiles of some fields that become columns of a table.

use std::sync::Arc;

use tdb_cells::{CellTable, Loading, Session, TileBytes, load};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_store::Read;
use tdb_tile::Bug;

use crate::QueryError;
use crate::sparse::PlannedTiles;

/// Fields of whole tiles, which become columns of a table.
#[derive(Debug)]
pub(crate) struct TableWork {
    pub(crate) schema: Arc<ArraySchema>,
    pub(crate) tiles: Arc<PlannedTiles>,
    pub(crate) fields: Vec<FieldKind>,
    /// Fields that those tiles need later that have cells of the result.
    pub(crate) later: Vec<FieldKind>,
    /// What the cells take in memory, about.
    pub(crate) weight: u64,
    pub(crate) table: CellTable,
}

impl TableWork {
    pub(crate) fn reads(&self) -> Result<Vec<Read>, Bug> {
        self.tiles.reads(&self.table.segments, &self.fields)
    }

    /// What all tiles may need later.
    pub(crate) fn likely(&self) -> Result<Vec<Read>, Bug> {
        self.tiles.reads_of_all(&self.table.segments, &self.later)
    }

    /// Loads the columns out of these bytes.
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
