//! The wire form of a scan: JSON, which other engines can write and read.
//!
//! ```json
//! {
//!   "array": "s3://bucket/weather", "since": 0, "at": 1767225600000, "state": "8a3f…",
//!   "columns": ["day", "temperature"], "condition": "temperature > 20.5", "limit": null,
//!   "order": "row-major", "partitions": 2,
//!   "parts": [{"day": [1, 180]}, {"day": [181, 365]}]
//! }
//! ```

use serde_json::{Map, Value as Json, json};
use tdb_array::TimeWindow;
use tdb_condition::{Condition, ConditionError};
use tdb_datafusion::ScanTask;
use tdb_schema::json::{Times, cell_from_json, range_to_json};
use tdb_schema::{ArraySchema, Dimension, SchemaError};
use tdb_tile::{Limits, Range};

/// The array that a scan reads. It must be opened before the rest of the scan can be decoded, which needs the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// URI of the array.
    pub uri: String,
    /// Time window for which the array is opened.
    pub window: TimeWindow,
    /// State of the array as the client saw it: see [`state_of`](crate::state_of).
    pub state: String,
}

/// Error in the JSON of a scan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// Invalid JSON.
    #[error("the scan is not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A member that is missing or has the wrong type.
    #[error("the scan's {member:?} is not {wanted}")]
    Member {
        /// Name of the member.
        member: &'static str,
        /// Expected type or values.
        wanted: &'static str,
    },
    /// A dimension that the array does not have.
    #[error("the scan has a range of {0:?}, which is no dimension of the array")]
    Dimension(String),
    /// A range that is invalid for its dimension.
    #[error("the scan has a range that its dimension cannot have: {0}")]
    Range(#[from] SchemaError),
    /// A condition that cannot be parsed.
    #[error("the scan's condition cannot be read: {0}")]
    Condition(#[from] ConditionError),
}

impl Named {
    /// Decodes which array a scan reads.
    ///
    /// # Errors
    /// [`WireError`].
    pub fn of_json(scan: &Json) -> Result<Self, WireError> {
        Ok(Self {
            uri: text(scan, "array")?.to_owned(),
            window: TimeWindow {
                since: number(scan, "since")?,
                at: number(scan, "at")?,
            },
            state: text(scan, "state")?.to_owned(),
        })
    }
}

/// Encodes a scan of an array that has this schema, with the URI and state under which workers find it.
///
/// # Errors
/// [`WireError::Dimension`] if a range names an unknown dimension: dropping the range would read other cells as well.
pub fn task_to_json(
    task: &ScanTask,
    schema: &ArraySchema,
    named: &Named,
) -> Result<Json, WireError> {
    let parts = task
        .parts
        .iter()
        .map(|part| {
            let ranges = part.iter().map(|(name, range)| {
                let dimension = dimension(schema, name)?;
                Ok((name.clone(), range_to_json(dimension, range, Times::Ticks)))
            });
            Ok(Json::Object(ranges.collect::<Result<_, WireError>>()?))
        })
        .collect::<Result<Vec<Json>, WireError>>()?;
    Ok(json!({
        "array": named.uri,
        "since": named.window.since,
        "at": named.window.at,
        "state": named.state,
        "columns": task.columns,
        "condition": task.condition.as_ref().map(ToString::to_string),
        "limit": task.limit,
        "order": if task.is_row_major { ROW_MAJOR } else { UNORDERED },
        "partitions": task.partitions,
        "parts": parts,
    }))
}

const ROW_MAJOR: &str = "row-major";
const UNORDERED: &str = "unordered";

/// Decodes a scan written by [`task_to_json`].
///
/// # Errors
/// [`WireError`].
pub fn task_from_json(
    scan: &Json,
    schema: &ArraySchema,
    limits: &Limits,
) -> Result<ScanTask, WireError> {
    let Named { uri, window, .. } = Named::of_json(scan)?;
    let columns = list(scan, "columns", "a list of names")?
        .iter()
        .map(|name| name.as_str().map(str::to_owned))
        .collect::<Option<_>>();
    let condition = match scan.get("condition") {
        None | Some(Json::Null) => None,
        Some(Json::String(text)) => Some(Condition::parse(text, limits)?),
        Some(_) => return Err(wrong("condition", "text")),
    };
    let limit = match scan.get("limit") {
        None | Some(Json::Null) => None,
        Some(_) => Some(size(scan, "limit")?),
    };
    let parts = list(scan, "parts", "a list of objects")?
        .iter()
        .map(|part| {
            let ranges = part.as_object();
            part_from_json(
                ranges.ok_or_else(|| wrong("parts", "a list of objects"))?,
                schema,
            )
        });
    Ok(ScanTask {
        uri,
        window,
        columns: columns.ok_or_else(|| wrong("columns", "a list of names"))?,
        condition,
        limit,
        is_row_major: match text(scan, "order")? {
            ROW_MAJOR => true,
            UNORDERED => false,
            _ => return Err(wrong("order", "\"row-major\" or \"unordered\"")),
        },
        partitions: size(scan, "partitions")?,
        parts: parts.collect::<Result<_, WireError>>()?,
    })
}

fn part_from_json(
    ranges: &Map<String, Json>,
    schema: &ArraySchema,
) -> Result<Vec<(String, Range)>, WireError> {
    let ranges = ranges.iter().map(|(name, range)| {
        let dimension = dimension(schema, name)?;
        let Some([lo, hi]) = range.as_array().map(Vec::as_slice) else {
            return Err(wrong("parts", "objects with two ends for each dimension"));
        };
        let end = |end| cell_from_json(dimension.datatype, dimension.cell_val_num, end, name);
        Ok((name.clone(), Range::new(end(lo)?, end(hi)?)))
    });
    ranges.collect()
}

fn dimension<'a>(schema: &'a ArraySchema, name: &str) -> Result<&'a Dimension, WireError> {
    let found = schema
        .dimension_index(name)
        .and_then(|index| schema.dimensions.get(index));
    found.ok_or_else(|| WireError::Dimension(name.to_owned()))
}

fn wrong(member: &'static str, wanted: &'static str) -> WireError {
    WireError::Member { member, wanted }
}

fn text<'a>(scan: &'a Json, member: &'static str) -> Result<&'a str, WireError> {
    let text = scan.get(member).and_then(Json::as_str);
    text.ok_or_else(|| wrong(member, "text"))
}

fn number(scan: &Json, member: &'static str) -> Result<u64, WireError> {
    let number = scan.get(member).and_then(Json::as_u64);
    number.ok_or_else(|| wrong(member, "a whole number"))
}

fn size(scan: &Json, member: &'static str) -> Result<usize, WireError> {
    let size = usize::try_from(number(scan, member)?);
    size.map_err(|_| wrong(member, "a number in the range of usize"))
}

fn list<'a>(
    scan: &'a Json,
    member: &'static str,
    wanted: &'static str,
) -> Result<&'a [Json], WireError> {
    let list = scan.get(member).and_then(Json::as_array);
    list.map(Vec::as_slice).ok_or_else(|| wrong(member, wanted))
}
