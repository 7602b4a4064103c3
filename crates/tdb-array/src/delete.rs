use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use tdb_fragment::ConditionTree;
use tdb_tile::{Bug, Record};

use crate::directory::{DeleteCommit, DeleteLocation, Lists, Live};
use crate::early::Early;
use crate::open::ObjectReader;
use crate::{ArrayError, At, Warning};

/// Ending of the keys of updates.
const UPDATE: &str = ".upd";

/// A delete: of the cells written up to its time, only those that match its condition stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// The key of the delete object, relative to the array. Fragments that have applied the delete refer to it by this
    /// key.
    pub marker: String,
    /// The time of the delete, in milliseconds since 1970.
    pub timestamp: u64,
    /// The condition as stored: it selects the cells that **stay**.
    pub condition: Arc<ConditionTree>,
}

/// Reads the live deletes, from their own objects and from `.con` objects.
pub(crate) fn read_deletes(
    place: &ObjectReader,
    live: &Live,
    lists: &Lists,
    early: &mut Early,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Delete>, ArrayError> {
    let updates = live
        .deletes
        .iter()
        .filter(|delete| delete.marker.ends_with(UPDATE));
    warnings.extend(updates.map(|update| Warning::Update {
        key: update.marker.clone(),
    }));
    let loose = live
        .deletes
        .iter()
        .filter_map(|delete| match &delete.stored {
            DeleteLocation::Object(key) => Some(key.clone()),
            DeleteLocation::Within { .. } => None,
        });
    let keys: Vec<String> = loose.collect();
    let wanted = keys
        .iter()
        .map(|key| (key.clone(), place.whole(key, place.tile_limit())));
    let answers = early.or_read(place, wanted);
    let mut read = HashMap::new();
    for (key, answer) in keys.into_iter().zip(answers) {
        read.insert(key, answer?.bytes);
    }
    let deletes = live.deletes.iter().map(|delete| {
        let (key, bytes) = match &delete.stored {
            DeleteLocation::Object(key) => (key, read.get(key).cloned()),
            DeleteLocation::Within { key, range } => {
                let is_within = |list: &&Bytes| range.start <= range.end && range.end <= list.len();
                let list = lists.get(key).filter(is_within);
                (key, list.map(|list| list.slice(range.clone())))
            }
        };
        let bytes = bytes.ok_or_else(|| Bug::new("a delete that counts was not read"))?;
        decode_delete(place, delete, key, &bytes)
    });
    deletes.collect()
}

fn decode_delete(
    place: &ObjectReader,
    delete: &DeleteCommit,
    key: &str,
    bytes: &Bytes,
) -> Result<Delete, ArrayError> {
    let tile = place.open_tile(key, bytes)?;
    let limits = place.location.limits();
    // An update contains the values to write after the condition; it is treated as a delete.
    let condition = if key.ends_with(UPDATE) {
        ConditionTree::decode_prefix(&tile.payload, tile.version, &(), limits)
            .map(|(condition, _)| condition)
    } else {
        ConditionTree::decode(&tile.payload, tile.version, &(), limits)
    };
    Ok(Delete {
        marker: delete.marker.clone(),
        timestamp: delete.name.start(),
        condition: Arc::new(condition.at(key)?),
    })
}
