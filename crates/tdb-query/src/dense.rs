//! Dense arrays: cells at every position of the domain.

use std::sync::Arc;

use tdb_array::Array;

use crate::QueryError;
use crate::column::Batch;
use crate::field::FieldInfo;
use crate::options::ResultOrder;
use crate::session::Session;
use crate::sparse::Predicate;
use crate::subarray::Subarray;

pub(crate) struct DenseQuery {
    pub(crate) subarray: Subarray,
    pub(crate) order: ResultOrder,
    pub(crate) condition: Option<Arc<Predicate>>,
    pub(crate) drop_failing: bool,
    pub(crate) fields: Vec<FieldInfo>,
    pub(crate) batch_bytes: u64,
}

pub(crate) struct DenseReader;

impl DenseReader {
    pub(crate) fn new(_: Session, _: Arc<Array>, _: DenseQuery) -> Result<Self, QueryError> {
        Err(QueryError::invalid("dense arrays are not read yet"))
    }

    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>, QueryError> {
        Ok(None)
    }
}
