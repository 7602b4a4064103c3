//! A plan that the parts of a read share.

use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::Session;
use tdb_store::{Piece, StoreError};
use tdb_tile::Range;

use crate::QueryError;
use crate::options::ReadOptions;
use crate::reader::Reader;
use crate::steps::Fetch;

/// A read that is planned once, and whose parts are read side by side: what its condition means, the fragments, the
/// locations of tiles and those that the condition rules out are found for all parts together.
#[derive(Debug)]
pub struct SharedPlan {
    whole: Reader,
}

impl SharedPlan {
    /// Begins the plan of a read. [`SharedPlan::advance`] has to finish it.
    ///
    /// # Errors
    /// An error of kind [`Invalid`](tdb_tile::ErrorKind::Invalid) if the request is not possible for the array. Ranges of
    /// labels are not.
    pub fn begin(
        session: &Session,
        array: &Arc<Array>,
        options: &ReadOptions,
    ) -> Result<Self, QueryError> {
        let whole = Reader::of_parts(session, array, options)?;
        Ok(Self { whole })
    }

    /// Goes on with planning. Returns what has to be fetched of a far store; `None` once the plan is made.
    ///
    /// # Errors
    /// Errors of opening the fragments.
    pub fn advance(&mut self) -> Result<Option<Fetch>, QueryError> {
        self.whole.plan_parts()
    }

    /// Accepts the answers to the [reads](Fetch::reads) that [`SharedPlan::advance`] asked for, in their order.
    ///
    /// # Errors
    /// As [`SharedPlan::advance`].
    pub fn accept(
        &mut self,
        fetch: Fetch,
        answers: Vec<Result<Piece, StoreError>>,
    ) -> Result<(), QueryError> {
        self.whole.accept(fetch, answers)
    }

    /// Returns a read of the part of the cells within these ranges of dimensions, which must lie within those of the
    /// whole read; a dimension without a range is that of the whole read. A limit counts for each part.
    ///
    /// # Errors
    /// Ranges that the array does not have; a plan that is not made yet.
    pub fn part(&self, ranges: Vec<(String, Range)>) -> Result<Reader, QueryError> {
        self.whole.part(ranges)
    }
}
