//! Piece of a read: tiles of one batch to fetch and decode.

use std::sync::Arc;

use tdb_cells::{CellTable, Session, TableColumn, TileBytes};
use tdb_schema::FieldKind;
use tdb_store::Read;
use tdb_tile::Bug;

use crate::QueryError;
use crate::dense::{Bands, DensePlan, FieldValues, read_columns, read_values, reads_of};
use crate::sparse::PortionsWork;
use crate::table_work::TableWork;

/// Tiles to read: lists the byte ranges to fetch, and decodes the fetched bytes into cells.
///
/// Returned by [`Read::next`](crate::Read::next); its result is passed to [`Read::take`](crate::Read::take).
#[derive(Debug)]
pub struct Piece {
    work: Work,
}

/// The decoded cells of a [`Piece`].
#[derive(Debug)]
pub struct DecodedPiece(pub(crate) DecodedCells);

#[derive(Debug)]
enum Work {
    Table(TableWork),
    Portions(PortionsWork),
    Bands(BandsWork),
}

#[derive(Debug)]
pub(crate) enum DecodedCells {
    Table(CellTable),
    /// Cells taken out of tiles, and the weight of these tiles.
    Portions(Vec<CellTable>, u64),
    Columns(Vec<(FieldKind, TableColumn)>),
    /// Number of cells whose values were written to the memory of the caller.
    Written(usize),
}

/// Fields of a part of a dense array.
#[derive(Debug)]
pub(crate) struct BandsWork {
    pub(crate) plan: Arc<DensePlan>,
    pub(crate) fields: Vec<FieldKind>,
    /// Fields that are read later, if the condition leaves any cells.
    pub(crate) later: Vec<FieldKind>,
    pub(crate) bands: Arc<Bands>,
}

impl From<TableWork> for Piece {
    fn from(work: TableWork) -> Self {
        let work = Work::Table(work);
        Self { work }
    }
}

impl From<PortionsWork> for Piece {
    fn from(work: PortionsWork) -> Self {
        let work = Work::Portions(work);
        Self { work }
    }
}

impl From<BandsWork> for Piece {
    fn from(work: BandsWork) -> Self {
        let work = Work::Bands(work);
        Self { work }
    }
}

impl Piece {
    /// Returns the byte ranges of the tiles, without duplicates.
    ///
    /// # Errors
    /// [`QueryError::Bug`].
    pub fn reads(&self) -> Result<Vec<Read>, QueryError> {
        match &self.work {
            Work::Table(work) => Ok(work.reads()?),
            Work::Portions(work) => Ok(work.reads()?),
            Work::Bands(work) => reads_of(&work.plan, &work.bands, &work.fields),
        }
    }

    /// Returns byte ranges that later pieces need of the same tiles, unless none of their cells are part of the
    /// result: those of fields that the condition does not test. If waiting for an answer costs more than these
    /// bytes, request them together with [`Piece::reads`].
    ///
    /// # Errors
    /// [`QueryError::Bug`].
    pub fn likely(&self) -> Result<Vec<Read>, QueryError> {
        match &self.work {
            Work::Table(work) => Ok(work.likely()?),
            Work::Portions(_) => Ok(Vec::new()),
            Work::Bands(work) => reads_of(&work.plan, &work.bands, &work.later),
        }
    }

    /// Decodes the tiles on the threads of a session. `bytes` provides the byte ranges that [`Piece::reads`] returns:
    /// either a store, which is then read by the decoding threads, or bytes that were [fetched](tdb_cells::FetchedBytes)
    /// before.
    ///
    /// # Errors
    /// Bytes that cannot be read or are corrupt; a [limit](QueryError::Limit).
    pub fn decode(
        self,
        session: &Session,
        bytes: &dyn TileBytes,
    ) -> Result<DecodedPiece, QueryError> {
        let counted = &session.counters().load;
        counted.time(|| match self.work {
            Work::Table(work) => Ok(DecodedPiece(DecodedCells::Table(
                work.decode(session, bytes)?,
            ))),
            Work::Portions(work) => {
                let (tables, weight) = work.decode(session, bytes)?;
                Ok(DecodedPiece(DecodedCells::Portions(tables, weight)))
            }
            Work::Bands(work) => {
                let columns = read_columns(&work.plan, session, bytes, &work.bands, &work.fields)?;
                Ok(DecodedPiece(DecodedCells::Columns(columns)))
            }
        })
    }

    /// Like [`Piece::decode`], but decodes the values of one field into `memory`, which they [just
    /// fill](crate::Read::next_bytes).
    pub(crate) fn decode_into(
        self,
        session: &Session,
        bytes: &dyn TileBytes,
        memory: &mut [u8],
    ) -> Result<DecodedPiece, QueryError> {
        let Work::Bands(work) = self.work else {
            return Err(Bug::new("memory for the values of tiles that are no bands").into());
        };
        let [field] = *work.fields else {
            return Err(Bug::new("memory for one field, and a piece of others").into());
        };
        session.counters().load.time(|| {
            let values = FieldValues { field, memory };
            read_values(&work.plan, session, bytes, &work.bands, values)?;
            Ok(DecodedPiece(DecodedCells::Written(work.bands.rows())))
        })
    }
}
