//! Options that select cells, shared by the verbs that read or query an array.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tdb::engine::array::Array;
use tdb::engine::cells::Session;
use tdb::engine::condition::Condition;
use tdb::engine::query::ReadOptions;
use tdb::engine::schema::Subarray;
use tdb::place::{self, Place};

use super::points::PointsFile;
use super::ranges;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use crate::output::Output;
use crate::parse::{NamedInterval, interval};

#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// Select an interval of a dimension, both ends included: LO..HI, LO.., ..HI or one value; 2024-02 is the whole month; repeat for more. Put names that contain = in "double quotes"
    #[arg(long = "range", value_name = "DIM=LO..HI", value_parser = interval, allow_hyphen_values = true)]
    ranges: Vec<NamedInterval>,
    /// Read intervals from a JSON file: {"DIM": [[LO, HI], ...]}; an empty list selects no cell
    #[arg(long, value_name = "FILE.json")]
    range_file: Option<PathBuf>,
    /// Select an interval of a dimension label; repeat for more. Cells must satisfy every label and --range
    #[arg(long = "label", value_name = "LABEL=LO..HI", value_parser = interval, allow_hyphen_values = true)]
    labels: Vec<NamedInterval>,
    /// Select cells by a condition, such as "a > 1 and b in ('x', 'y')", "c like 'x%'" or "c starts with 'x'". A date means its whole period; division by 0 and an index without a label are null; NaN and NaT match only != and "not in". Put names with spaces in "double quotes" (optional before the first operator)
    #[arg(long = "where", value_name = "EXPR", allow_hyphen_values = true)]
    condition: Option<String>,
    /// Select the cells at the coordinates in this file, whose columns are dimensions; - is CSV from standard input. Dimensions without
    /// a column match everywhere
    #[arg(long, value_name = "FILE", value_parser = PointsFile::of_argument, allow_hyphen_values = true)]
    points: Option<PointsFile>,
    /// Ignore these fragments, for instance because they are damaged
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(super) without_fragments: Vec<String>,
}

/// An open array, with read options that select cells.
pub(super) struct OpenSelection {
    pub(super) session: Session,
    pub(super) location: Place,
    pub(super) array: Arc<Array>,
    pub(super) options: ReadOptions,
}

impl OpenSelection {
    /// Limits a query that scans all selected cells, if a dense domain is too large for that.
    pub(super) fn walked(mut self, global: &Global, out: &Output) -> Result<Self, Failure> {
        walked(&self.array, &mut self.options, global, out)?;
        Ok(self)
    }
}

/// Narrows the selection if it would scan too many cells of a dense array, and warns about it.
pub(super) fn walked(
    array: &Array,
    options: &mut ReadOptions,
    global: &Global,
    out: &Output,
) -> Result<(), Failure> {
    let narrowed = tdb::narrow_walk(array, options, tdb::MOST_WALKED, global.ticks)?;
    if let Some(narrowed) = narrowed {
        out.warn(&narrowed.to_string());
    }
    Ok(())
}

impl Selection {
    /// Opens an array and resolves the selection in it.
    pub(super) fn open(
        &self,
        uri: &str,
        global: &Global,
        out: &Output,
    ) -> Result<OpenSelection, Failure> {
        let location = place::folder(uri, &global.counts)?;
        let opener = Opener::of_arguments(context(global)?, global)
            .without_fragments(self.without_fragments.clone());
        let session = opener.session().clone();
        let array = opener.shown_array(&location, global, out)?;
        let array = Arc::clone(array.engine());
        self.warn_of_left_out(&array, out);
        let options = self.read_options(&array, &session, global)?;
        let subarray = options.subarray(array.schema())?;
        for warning in subarray.warnings() {
            out.warn(warning);
        }
        if let Some(condition) = &options.condition {
            warn_of_labels(&array, condition, out)?;
        }
        Ok(OpenSelection {
            session,
            location,
            array,
            options,
        })
    }

    /// True if the selection restricts the domain.
    pub(super) fn names_ranges(&self) -> bool {
        !self.ranges.is_empty() || !self.labels.is_empty() || self.range_file.is_some()
    }

    /// True if points come from standard input, which can be read only once.
    pub(super) fn takes_standard_input(&self) -> bool {
        let points = self.points.as_ref();
        points.is_some_and(PointsFile::is_standard_input)
    }

    /// Builds read options that select these cells, with all fields.
    pub(super) fn read_options(
        &self,
        array: &Array,
        session: &Session,
        global: &Global,
    ) -> Result<ReadOptions, Failure> {
        let schema = array.schema();
        let intervals = [&self.ranges[..], &self.labels[..]];
        let file = self.range_file.as_deref();
        let ranges = ranges::of_arguments(schema, intervals, file, global.ticks)?;
        if global.stays_in_domain {
            Subarray::within(schema, &ranges.dimensions)?;
        }
        let condition = self
            .condition
            .as_deref()
            .map(|text| tdb::parse_condition_of(array, text, session.limits()));
        let points = self
            .points
            .as_ref()
            .map(|file| file.read(schema, session, global));
        Ok(ReadOptions::default()
            .points(points.transpose()?)
            .ranges(ranges.dimensions)
            .label_ranges(ranges.labels)
            .reads_nothing(ranges.is_nothing)
            .condition(condition.transpose()?))
    }

    /// Warns that fragments, and thus cells, are left out.
    pub(super) fn warn_of_left_out(&self, array: &Array, out: &Output) {
        let left_out = self.without_fragments.len();
        if left_out > 0 {
            let all = array.fragments().len() + left_out;
            out.warn(&format!(
                "{left_out} of {all} fragments are ignored: their cells are missing, and older cells may appear instead"
            ));
        }
    }
}

/// Warns about labels in the condition that the enumeration does not contain.
pub(super) fn warn_of_labels(
    array: &Array,
    condition: &Condition,
    out: &Output,
) -> Result<(), Failure> {
    for label in tdb::unknown_labels(array, condition)? {
        out.warn(&label.to_string());
    }
    Ok(())
}
