//! Options of an import.

use std::sync::Arc;

use tdb_array::{ChangeOptions, NameSource, SystemNames};
use tdb_cells::Progress;
use tdb_open::{Context, Error, Interval, Result, Time};
use tdb_schema::ArrayType;
use tdb_tile::Datatype;
use tdb_write::{Duplicates, WriteOptions};

use crate::{InputFile, InputRequirements, NpyColumn};

/// An import being built. By default it takes all columns into a sparse array, whose dimension is the first suitable
/// column. The datatypes of columns are guessed from all of their cells.
///
/// ```no_run
/// use tdb_files::{InputFile, import};
/// use tdb_open::Context;
///
/// let context = Context::new();
/// let file = InputFile::new("orders.csv").exclude(["remark"]);
/// let import = import(&context, file, "orders").dimensions(["customer", "day"]);
/// println!("{} dimensions", import.schema()?.dimensions.len());
/// let imported = import.progress(|p| eprintln!("{} bytes of {:?}", p.done, p.total)).run()?;
/// println!("{} cells", imported.cells);
/// # Ok::<(), tdb_open::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is read or made before it is run"]
pub struct ImportBuilder {
    pub(super) context: Context,
    pub(super) file: InputFile,
    pub(super) uri: String,
    pub(super) dimensions: Vec<String>,
    pub(super) key: Vec<String>,
    pub(super) array_type: Option<ArrayType>,
    pub(super) append: bool,
    pub(super) domains: Vec<(String, Interval)>,
    pub(super) types: Vec<(String, Datatype)>,
    pub(super) attribute: String,
    pub(super) duplicates: Option<Duplicates>,
    pub(super) max_fragment: Option<u64>,
    pub(super) time: Option<Time>,
    pub(super) names: Arc<dyn NameSource>,
}

/// Begins an import of a file into an array.
pub fn import(context: &Context, file: impl Into<InputFile>, uri: &str) -> ImportBuilder {
    ImportBuilder {
        context: context.clone(),
        file: file.into(),
        uri: uri.to_owned(),
        dimensions: Vec::new(),
        key: Vec::new(),
        array_type: None,
        append: false,
        domains: Vec::new(),
        types: Vec::new(),
        attribute: "value".to_owned(),
        duplicates: None,
        max_fragment: None,
        time: None,
        names: Arc::new(SystemNames),
    }
}

impl ImportBuilder {
    /// Sets the columns that become dimensions; for a `.npy` file, the names of its axes.
    pub fn dimensions<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.dimensions = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the columns that identify a row: they become the dimensions, and must be unique. With
    /// [`append`](Self::append), rows replace those with the same key: attributes without a column keep their values,
    /// and are null in new cells.
    pub fn key<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.key = names.into_iter().map(Into::into).collect();
        self
    }

    /// Creates a dense array, whose cells must fill a box. Without [`dimensions`](Self::dimensions), its dimension is
    /// the row number.
    pub fn dense(mut self) -> Self {
        self.array_type = Some(ArrayType::Dense);
        self
    }

    /// Creates a sparse array, which is the default except for `.npy` files.
    pub fn sparse(mut self) -> Self {
        self.array_type = Some(ArrayType::Sparse);
        self
    }

    /// Adds the cells to an existing array.
    pub fn append(mut self) -> Self {
        self.append = true;
        self
    }

    /// Sets the domain of a dimension; an open end extends as far as the datatype allows.
    pub fn domain(mut self, dimension: &str, domain: impl Into<Interval>) -> Self {
        self.domains.push((dimension.to_owned(), domain.into()));
        self
    }

    /// Sets the datatype of a column, which is guessed by default.
    pub fn datatype(mut self, column: &str, datatype: Datatype) -> Self {
        self.types.push((column.to_owned(), datatype));
        self
    }

    /// Sets the name of the attribute created from a `.npy` file: `value` by default.
    pub fn attribute(mut self, name: &str) -> Self {
        name.clone_into(&mut self.attribute);
        self
    }

    /// Sets how rows of a sparse array with equal coordinates are handled. By default a new array keeps them all; in
    /// an existing one they are an error unless it allows duplicates.
    pub fn duplicates(mut self, duplicates: Duplicates) -> Self {
        self.duplicates = Some(duplicates);
        self
    }

    /// Sets the maximum size of a fragment in bytes; larger imports are split.
    pub fn max_fragment(mut self, bytes: u64) -> Self {
        self.max_fragment = Some(bytes);
        self
    }

    /// Sets the time of the write; now by default.
    pub fn at(mut self, time: impl Into<Time>) -> Self {
        self.time = Some(time.into());
        self
    }

    /// Sets the source of names and of the current time.
    pub fn names(mut self, names: Arc<dyn NameSource>) -> Self {
        self.names = names;
        self
    }

    /// Reports progress to `listener`, which is called often and from any worker thread.
    pub fn progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.context = self.context.progress(listener);
        self
    }

    /// Returns the columns chosen as dimensions.
    pub(super) fn chosen(&self) -> &[String] {
        if self.key.is_empty() {
            &self.dimensions
        } else {
            &self.key
        }
    }

    /// True if the caller chose nothing about the new array, so that the schema stored in the file may be used.
    pub(super) fn takes_what_it_was(&self) -> bool {
        let names_fields =
            !(self.chosen().is_empty() && self.domains.is_empty() && self.types.is_empty());
        !(names_fields || self.array_type.is_some() || self.duplicates.is_some())
    }

    /// True if cells with equal coordinates are kept, because the caller chose neither their handling nor a key.
    pub(super) fn keeps_where_needed(&self) -> bool {
        self.duplicates.is_none() && self.key.is_empty()
    }

    /// Returns the requirements on columns if the array does not exist yet.
    pub(super) fn becoming(&self) -> InputRequirements {
        InputRequirements {
            npy: Ok(NpyColumn {
                name: self.attribute.clone(),
                values_per_cell: 1,
            }),
            takes_unnamed: false,
            types: self.types.clone(),
            fields: None,
        }
    }

    pub(super) fn change(&self) -> ChangeOptions {
        ChangeOptions::default()
            .timestamp(self.time.map(|time| time.0))
            .names(Arc::clone(&self.names))
    }

    pub(super) fn write_options(&self) -> WriteOptions {
        WriteOptions::default()
            .timestamp(self.time.map(|time| time.0))
            .duplicates(self.duplicates)
            .max_fragment_bytes(self.max_fragment)
            .names(Arc::clone(&self.names))
    }

    /// Fails if options contradict each other.
    pub(super) fn check(&self) -> Result<()> {
        let makes_key = !self.key.is_empty();
        let is_refused = [
            (
                makes_key && !self.dimensions.is_empty(),
                "the key already sets the dimensions: leave them out",
            ),
            (
                makes_key && self.array_type == Some(ArrayType::Dense),
                "a key is only for sparse arrays",
            ),
            (
                makes_key && self.duplicates.is_some(),
                "a key allows no duplicates: leave out how to treat them",
            ),
            (
                self.append
                    && !(self.dimensions.is_empty()
                        && self.domains.is_empty()
                        && self.types.is_empty()
                        && self.array_type.is_none()),
                "settings for a new array cannot be used when cells are appended to an existing one",
            ),
        ];
        let refused = is_refused.into_iter().find(|(is_refused, _)| *is_refused);
        refused.map_or(Ok(()), |(_, what)| Err(Error::invalid(what)))
    }
}
