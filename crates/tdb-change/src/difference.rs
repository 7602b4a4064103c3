//! Comparing two reads cell by cell.
//!
//! Both reads are in row-major order and are walked side by side, so memory holds one batch of each, however large
//! they are.

mod cells;
mod common;
mod form;
mod narrowing;
mod selected_cells;
mod side;

use std::cmp::Ordering;
use std::collections::VecDeque;

use tdb_cells::FieldInfo;
use tdb_open::{Array, Error, Result};
use tdb_schema::ArraySchema;
use tdb_tile::{Budget, Bug, Code, Exact};

pub use self::cells::CellValue;
use self::cells::{Row, order_of};
use self::common::Common;
use self::narrowing::narrow;
pub use self::narrowing::narrow_comparison;
pub(crate) use self::narrowing::{ChangedRegion, changed};
pub use self::selected_cells::SelectedCells;
use self::side::Side;
use crate::schema_changes::array_changes;

/// A cell that only one of two reads has, or that differs between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A cell that only the second read has.
    Added {
        /// Coordinates, in the order of [`Differences::dimensions`].
        coordinates: Vec<CellValue>,
        /// Attribute values, in the order of [`Differences::attributes`].
        values: Vec<CellValue>,
    },
    /// A cell that only the first read has.
    Removed {
        /// Coordinates, in the order of the dimensions.
        coordinates: Vec<CellValue>,
        /// Attribute values, in the order of [`Differences::old_attributes`].
        values: Vec<CellValue>,
    },
    /// A cell that both reads have, with different attribute values.
    Changed {
        /// Coordinates, in the order of the dimensions.
        coordinates: Vec<CellValue>,
        /// Index of each changed attribute, its old value and its new value.
        values: Vec<(usize, CellValue, CellValue)>,
    },
}

/// Numbers of equal and different cells in the part walked so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DifferenceCount {
    /// Cells that both reads have with the same attributes, as far as they were compared: for one array at two times,
    /// parts that no fragment written in between can have changed are not read. 0 if some attribute could not be
    /// compared.
    pub same: u64,
    /// Cells that only the second read has.
    pub added: u64,
    /// Cells that only the first read has.
    pub removed: u64,
    /// Cells that both reads have with different attributes.
    pub changed: u64,
}

/// Iterator over the cells in which two reads differ, in the order of their coordinates; see [`compare`].
#[derive(Debug)]
pub struct Differences {
    old: Side,
    new: Side,
    dimensions: Vec<FieldInfo>,
    old_attributes: Vec<FieldInfo>,
    attributes: Vec<FieldInfo>,
    not_compared: Vec<String>,
    schema: Vec<String>,
    metadata: Vec<String>,
    count: DifferenceCount,
    found: VecDeque<Difference>,
    budget: Budget,
    is_over: bool,
}

/// Compares two reads cell by cell: of two arrays, or of one array at two times. The ranges, conditions and attributes
/// of the reads apply, their order does not. Attributes that only one of them has are listed in
/// [`Differences::schema_changes`].
///
/// Cells are equal if their values are, bit by bit; enumerated attributes are compared by label. If the datatypes of
/// an attribute differ, numbers are compared as numbers and text as bytes, fixed-size text without its trailing NUL
/// bytes; other attributes are listed in [`Differences::not_compared`]. Cells with equal coordinates, in arrays that
/// allow duplicates, are compared as multisets.
///
/// # Errors
/// Fails if the arrays have different dimensions, if the state at one of the times can no longer be read in full
/// ([`Array::gaps`]), or if reading fails.
pub fn compare(old: SelectedCells<'_>, new: SelectedCells<'_>) -> Result<Differences> {
    let (old_array, new_array) = (old.array, new.array);
    let (before, after) = (old_array.schema(), new_array.schema());
    check_dimensions(before, after)?;
    old_array.check_history(false)?;
    new_array.check_history(false)?;
    let common = Common::find(&old, &new)?;
    let (mut old_options, mut new_options) = (old.options, new.options);
    let names = &common.names;
    narrow(old_array, new_array, &mut old_options, &mut new_options);
    let budget = old_array.context().shared_session().limits().budget.clone();
    let (old_forms, new_forms) = (common.forms.iter(), common.forms.iter());
    let old_forms = old_forms.map(|(old, _)| *old);
    let old = Side::open(old_array.clone(), old_options, names, old_forms)?;
    let new_forms = new_forms.map(|(_, new)| *new);
    let new = Side::open(new_array.clone(), new_options, names, new_forms)?;
    let dimensions = before.dimensions.len();
    let split = |side: &Side| match side.fields().split_at_checked(dimensions) {
        Some((dimensions, attributes)) => Ok((dimensions.to_vec(), attributes.to_vec())),
        None => Err(Bug::new("a comparison without dimensions")),
    };
    let (_, old_attributes) = split(&old)?;
    let (dimensions, attributes) = split(&new)?;
    Ok(Differences {
        old,
        new,
        dimensions,
        old_attributes,
        attributes,
        not_compared: common.others,
        schema: array_changes(old_array, new_array)?,
        metadata: metadata_changes(old_array, new_array)?,
        count: DifferenceCount::default(),
        found: VecDeque::new(),
        budget,
        is_over: false,
    })
}

impl Differences {
    /// Returns the dimensions.
    #[must_use]
    pub fn dimensions(&self) -> &[FieldInfo] {
        &self.dimensions
    }

    /// Returns the compared attributes, as the second read has them.
    #[must_use]
    pub fn attributes(&self) -> &[FieldInfo] {
        &self.attributes
    }

    /// Returns the compared attributes, as the first read has them.
    #[must_use]
    pub fn old_attributes(&self) -> &[FieldInfo] {
        &self.old_attributes
    }

    /// Returns the attributes that both reads have but whose values cannot be compared, each with both types: `a: not
    /// compared: int32 and string_utf8`.
    #[must_use]
    pub fn not_compared(&self) -> &[String] {
        &self.not_compared
    }

    /// Returns the differences between the schemas, in words; empty if there are none.
    #[must_use]
    pub fn schema_changes(&self) -> &[String] {
        &self.schema
    }

    /// Returns the differences between the metadata: `added "a"`, `removed "b"`, `changed "c"`.
    #[must_use]
    pub fn metadata_changes(&self) -> &[String] {
        &self.metadata
    }

    /// Returns how many cells were equal and different so far.
    #[must_use]
    pub fn count_so_far(&self) -> DifferenceCount {
        let is_whole = self.not_compared.is_empty();
        DifferenceCount {
            same: if is_whole { self.count.same } else { 0 },
            ..self.count
        }
    }

    /// Walks on until a difference is found or both reads end.
    fn advance(&mut self) -> Result<()> {
        while self.found.is_empty() && !self.is_over {
            let (has_old, has_new) = (self.old.fill()?, self.new.fill()?);
            match (has_old, has_new) {
                (false, false) => self.is_over = true,
                (true, false) => self.take_old()?,
                (false, true) => self.take_new()?,
                (true, true) => self.step()?,
            }
        }
        Ok(())
    }

    /// Compares the next cell of both reads. Rows that are equal are skipped as a run.
    fn step(&mut self) -> Result<()> {
        let same = self.old.same_rows(&self.new)?;
        if same > 0 {
            self.count.same = self.count.same.exact_add(same as u64)?;
            self.old.skip(same);
            self.new.skip(same);
            return Ok(());
        }
        let (before, after) = (self.old.row(), self.new.row());
        match order_of(&self.dimensions, before, after)? {
            Ordering::Less => self.take_old(),
            Ordering::Greater => self.take_new(),
            Ordering::Equal => self.compare_cells(),
        }
    }

    /// Compares the cells with the same coordinates: one of each read, or all if the array allows duplicates.
    fn compare_cells(&mut self) -> Result<()> {
        let mut held = Vec::new();
        let old = self
            .old
            .take_equal(&self.dimensions, &self.budget, &mut held)?;
        let new = self
            .new
            .take_equal(&self.dimensions, &self.budget, &mut held)?;
        let (mut old, mut new) = (old, new);
        // Cells that both have cancel out; `without_common` needs both lists sorted.
        old.sort();
        new.sort();
        let all = old.len();
        let (old, new) = without_common(old, new);
        let same = all.exact_sub(old.len())? as u64;
        self.count.same = self.count.same.exact_add(same)?;
        let (mut old, mut new) = (old.into_iter(), new.into_iter());
        loop {
            match (old.next(), new.next()) {
                (Some(old), Some(new)) => self.changed(old, new),
                (Some(old), None) => self.removed(old),
                (None, Some(new)) => self.added(new),
                (None, None) => return Ok(()),
            }
        }
    }

    fn take_old(&mut self) -> Result<()> {
        let row = self.old.take()?;
        self.removed(row);
        Ok(())
    }

    fn take_new(&mut self) -> Result<()> {
        let row = self.new.take()?;
        self.added(row);
        Ok(())
    }

    fn removed(&mut self, row: Row) {
        self.count.removed += 1;
        let (coordinates, values) = row.split(self.dimensions.len());
        self.found.push_back(Difference::Removed {
            coordinates,
            values,
        });
    }

    fn added(&mut self, row: Row) {
        self.count.added += 1;
        let (coordinates, values) = row.split(self.dimensions.len());
        self.found.push_back(Difference::Added {
            coordinates,
            values,
        });
    }

    fn changed(&mut self, old: Row, new: Row) {
        self.count.changed += 1;
        let dimensions = self.dimensions.len();
        let differing = old.differing(&new, dimensions);
        let (coordinates, before) = old.split(dimensions);
        let (_, after) = new.split(dimensions);
        let values = before
            .into_iter()
            .zip(after)
            .enumerate()
            .filter(|(index, _)| differing.contains(index))
            .map(|(index, (before, after))| (index, before, after));
        self.found.push_back(Difference::Changed {
            coordinates,
            values: values.collect(),
        });
    }
}

impl Iterator for Differences {
    type Item = Result<Difference>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.advance() {
            self.is_over = true;
            return Some(Err(error));
        }
        self.found.pop_front().map(Ok)
    }
}

/// Removes the rows that both sorted lists contain, and returns the rest of each.
fn without_common(old: Vec<Row>, new: Vec<Row>) -> (Vec<Row>, Vec<Row>) {
    let (mut only_old, mut only_new) = (Vec::new(), Vec::new());
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(old), Some(new)) => old.cmp(new),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return (only_old, only_new),
        };
        if order.is_le() {
            let row = old.next();
            if order.is_lt() {
                only_old.extend(row);
            }
        }
        if order.is_ge() {
            let row = new.next();
            if order.is_gt() {
                only_new.extend(row);
            }
        }
    }
}

fn check_dimensions(before: &ArraySchema, after: &ArraySchema) -> Result<()> {
    let described = |schema: &ArraySchema| {
        let dimensions = schema
            .dimensions
            .iter()
            .map(|d| format!("{} ({})", d.name, d.datatype.name()));
        dimensions.collect::<Vec<String>>().join(", ")
    };
    let (old, new) = (described(before), described(after));
    if old == new {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "arrays with different dimensions cannot be compared: {old}, and {new}"
    )))
}

fn metadata_changes(old: &Array, new: &Array) -> Result<Vec<String>> {
    let (before, after) = (old.metadata()?, new.metadata()?);
    let mut changes = Vec::new();
    for (key, value) in after.iter() {
        match before.get(key) {
            None => changes.push(format!("added {key:?}")),
            Some(known) if known != value => changes.push(format!("changed {key:?}")),
            Some(_) => {}
        }
    }
    let is_gone = |key: &&str| after.get(key).is_none();
    let gone = before.iter().map(|(key, _)| key).filter(is_gone);
    changes.extend(gone.map(|key| format!("removed {key:?}")));
    Ok(changes)
}
