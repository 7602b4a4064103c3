//! `--points`: files with the coordinates of the selected cells.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tdb::engine::cells::{FieldInfo, Session};
use tdb::engine::condition::Points;
use tdb::engine::schema::{ArraySchema, FieldKind, names};
use tdb::{InputRequirements, NpyColumn};

use super::input::plain_file;
use crate::failure::Failure;
use crate::global::Global;

/// A file whose columns are dimensions.
#[derive(Clone, Debug)]
pub(crate) struct PointsFile(PathBuf);

impl PointsFile {
    /// Parses the argument of `--points`.
    pub(crate) fn of_argument(file: &str) -> Result<Self, String> {
        Ok(Self(file.into()))
    }

    /// True if it is standard input, which can be read only once.
    pub(crate) fn is_standard_input(&self) -> bool {
        self.0 == Path::new("-")
    }

    /// Reads all points, with the dimensions for which the file has columns. Other columns are refused: a misspelt
    /// dimension would otherwise count as one without a column, along which all cells match.
    pub(crate) fn read(
        &self,
        schema: &ArraySchema,
        session: &Session,
        global: &Global,
    ) -> Result<Arc<Points>, Failure> {
        let file = plain_file(&self.0, global);
        let kept = file.keep()?;
        let becoming = || InputRequirements {
            npy: name_of_npy(schema),
            takes_unnamed: false,
            ..InputRequirements::fields_of(schema)
        };
        let open = file.open(becoming(), kept.as_ref(), session)?;
        let names = open.names();
        let known: Vec<&str> = schema.dimensions.iter().map(|d| d.name.as_str()).collect();
        let mut others = names.iter().filter(|name| !known.contains(&name.as_str()));
        if let Some(other) = others.next() {
            let what = format!("{}: column {other:?} is no dimension", file.name());
            let hint = names::hint("dimension", other, known);
            return Err(Failure::invalid(what)
                .hint(format!("{hint}; a file of points has no other columns")));
        }
        // JSON lines without any line have no column names, and no points.
        let has_column = |name: &str| names.is_empty() || names.iter().any(|other| other == name);
        let dimensions: Vec<FieldInfo> = (0..schema.dimensions.len())
            .filter_map(|at| schema.field_of(FieldKind::Dimension(at)))
            .filter(|field| has_column(field.name))
            .map(|f| FieldInfo::of(&f, None))
            .collect();
        let failed = |error| file.failed(error);
        let mut cells = open.cells(&dimensions).map_err(failed)?;
        let mut points = Points::gather(dimensions, session.limits());
        let within = |failure: Failure| failure.within(&file.name());
        while let Some(batch) = cells.next().map_err(failed)? {
            points.add(&batch).map_err(|error| within(error.into()))?;
        }
        let points = points
            .finish()
            .map_err(|error| within(tdb::engine::condition::ConditionError::from(error).into()));
        Ok(Arc::new(points?))
    }
}

/// The dimension whose coordinates a `.npy` file contains.
fn name_of_npy(schema: &ArraySchema) -> Result<NpyColumn, tdb::Error> {
    match &schema.dimensions[..] {
        [only] => Ok(NpyColumn {
            name: only.name.clone(),
            values_per_cell: 1,
        }),
        _ => Err(tdb::Error::invalid(
            "a .npy file has coordinates along one dimension, and the array has several",
        )),
    }
}
