//! Selection and renaming of the columns of a file.

use tdb_schema::names::UnknownName;
use tdb_tile::Datatype;

use super::InputError;

/// Columns of a file to read, their names in the array, and the datatypes of some of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnChoice {
    /// The only columns to read; all columns if this is empty.
    pub only: Vec<String>,
    /// Columns to leave out.
    pub without: Vec<String>,
    /// Pairs of a column's name in the file and its name in the array.
    pub renamed: Vec<(String, String)>,
    /// Datatypes that are given instead of guessed, by the columns' names in the array.
    pub types: Vec<(String, Datatype)>,
    /// Name for a pandas index that has no name in the file.
    pub index: Option<String>,
    /// The fields of the array, if it exists already: an index that the file does not store as a column is read only
    /// if it is one of these fields.
    pub fields: Option<Vec<String>>,
}

impl ColumnChoice {
    /// Returns the name in the array of a column of the file; `None` if it is left out.
    #[must_use]
    pub fn name<'a>(&'a self, column: &'a str) -> Option<&'a str> {
        let is_one = |name: &String| name == column;
        let is_chosen = self.only.is_empty() || self.only.iter().any(is_one);
        if !is_chosen || self.without.iter().any(is_one) {
            return None;
        }
        let renamed = self.renamed.iter().find(|(from, _)| from == column);
        Some(renamed.map_or(column, |(_, to)| to))
    }

    /// Whether the array may have a field for this column of the file.
    #[must_use]
    pub fn may_have(&self, column: &str) -> bool {
        let name = self.name(column);
        let fields = self.fields.as_ref();
        fields.is_none_or(|fields| fields.iter().any(|field| Some(field.as_str()) == name))
    }

    /// The given datatype of a column, by its name in the array; `None` if it is to be guessed.
    #[must_use]
    pub fn datatype(&self, name: &str) -> Option<Datatype> {
        let mut types = self.types.iter().rev();
        let found = types.find(|(column, _)| column == name);
        found.map(|(_, datatype)| *datatype)
    }

    /// Returns the names in the array of all columns of a file; `None` for those that are left out.
    ///
    /// # Errors
    /// [`InputError::Names`] if the choice names an unknown column; [`InputError::Unfit`] if all columns are left out.
    pub fn names(&self, columns: &[String]) -> Result<Vec<Option<String>>, InputError> {
        self.check(columns.iter().map(String::as_str))?;
        let names: Vec<Option<String>> = columns
            .iter()
            .map(|column| self.name(column).map(str::to_owned))
            .collect();
        if names.iter().all(Option::is_none) && !columns.is_empty() {
            Err(none_left())
        } else {
            Ok(names)
        }
    }

    /// Checks that the file has all columns that the choice names.
    ///
    /// # Errors
    /// [`InputError::Names`] or [`InputError::Unfit`] if it lacks one, or a datatype is given for a column that is not
    /// read.
    pub fn check<'a>(
        &self,
        columns: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<(), InputError> {
        let known = columns.clone();
        let mut by_file = self
            .only
            .iter()
            .chain(&self.without)
            .chain(self.renamed.iter().map(|(from, _)| from));
        let is_unknown = |name: &&String| !columns.clone().any(|column| column == *name);
        if let Some(name) = by_file.find(is_unknown) {
            return Err(InputError::Names(UnknownName::new("column", name, known)));
        }
        let named: Vec<&str> = known.filter_map(|column| self.name(column)).collect();
        let mut typed = self.types.iter().map(|(name, _)| name);
        match typed.find(|name| !named.contains(&name.as_str())) {
            Some(name) => Err(self.no_type(name, columns, named)),
            None => Ok(()),
        }
    }

    /// Explains why a datatype is given for no column: the column was renamed, is left out, or does not exist.
    fn no_type<'a>(
        &self,
        name: &str,
        mut columns: impl Iterator<Item = &'a str>,
        named: Vec<&str>,
    ) -> InputError {
        let renamed = self.renamed.iter().find(|(from, _)| from == name);
        match renamed {
            Some((_, to)) => InputError::Unfit {
                what: format!(
                    "a datatype is given for column {name:?}, which is renamed to {to:?}"
                ),
                hint: "--type takes the new name",
            },
            None if columns.any(|column| column == name) => InputError::Unfit {
                what: format!("a datatype is given for column {name:?}, which is left out"),
                hint: "--columns and --exclude choose the columns",
            },
            None => InputError::Names(UnknownName::new("column", name, named)),
        }
    }

    /// Whether the choice mentions a column, by its name in the file.
    #[must_use]
    pub fn mentions(&self, column: &str) -> bool {
        let renamed = self.renamed.iter().map(|(from, _)| from);
        let mut named = self.only.iter().chain(&self.without).chain(renamed);
        named.any(|name| name == column)
    }
}

/// The error if all columns are left out.
fn none_left() -> InputError {
    InputError::Unfit {
        what: "all columns of the file are left out".to_owned(),
        hint: "--columns and --exclude choose some of them",
    }
}
