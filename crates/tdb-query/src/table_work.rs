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
    pub(crate) table: CellTable,
}

impl TableWork {
    pub(crate) fn reads(&self) -> Result<Vec<Read>, Bug> {
        let mut reads = Vec::new();
        for segment in &self.table.segments {
            let tiles = self.tiles.find(segment.fragment);
            let tiles =
                tiles.ok_or_else(|| Bug::new("tiles of a fragment that was not planned"))?;
            for tile in segment.tiles.iter().filter(|tile| tile.wanted) {
                reads.extend(tiles.reads(&self.fields, tile.tile));
            }
        }
        Ok(reads)
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
        session.install(|| load(how, &mut self.table, &self.fields, &find))?;
        Ok(self.table)
    }
}
