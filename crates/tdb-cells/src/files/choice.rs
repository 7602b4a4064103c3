//! Which columns of a file are read, and what they are called.

use tdb_schema::names::UnknownName;
use tdb_tile::Datatype;

use super::InputError;

/// Which columns of a file are read, what they are called in the array, and what some of them are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnChoice {
    /// These columns alone, in the order of the file; all where it is empty.
    pub only: Vec<String>,
    /// Columns that are left out.
    pub without: Vec<String>,
    /// The name of a column in the file, and the one that it gets.
    pub renamed: Vec<(String, String)>,
    /// Datatypes that are not guessed, by the names that columns get.
    pub types: Vec<(String, Datatype)>,
    /// Name of the index of pandas where that has none in the file.
    pub index: Option<String>,
    /// The fields of the array that the cells are for, if it is there already: an index that is no column of the file is read
    /// only if it is one of them.
    pub fields: Option<Vec<String>>,
}

impl ColumnChoice {
    /// What a column of the file is called in the array; `None` where it is left out.
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

    /// Whether the array may have a field for what the file calls so.
    #[must_use]
    pub fn may_have(&self, column: &str) -> bool {
        let name = self.name(column);
        let fields = self.fields.as_ref();
        fields.is_none_or(|fields| fields.iter().any(|field| Some(field.as_str()) == name))
    }

    /// The datatype of a column by the name that it gets, where that is not to be guessed.
    #[must_use]
    pub fn datatype(&self, name: &str) -> Option<Datatype> {
        let mut types = self.types.iter().rev();
        let found = types.find(|(column, _)| column == name);
        found.map(|(_, datatype)| *datatype)
    }

    /// The names that all columns of a file get, `None` for those that are left out.
    ///
    /// # Errors
    /// [`InputError::Names`] for a name that no column has; [`InputError::Unfit`] where nothing is left.
    pub fn names(&self, columns: &[String]) -> Result<Vec<Option<String>>, InputError> {
        self.check(columns.iter().map(String::as_str))?;
        let names = columns
            .iter()
            .map(|column| self.name(column).map(str::to_owned));
        let names: Vec<Option<String>> = names.collect();
        if names.iter().all(Option::is_none) && !columns.is_empty() {
            Err(none_left())
        } else {
            Ok(names)
        }
    }

    /// Fails where something is said of a column that the file does not have.
    ///
    /// # Errors
    /// [`InputError::Names`].
    pub fn check<'a>(
        &self,
        columns: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<(), InputError> {
        let known = columns.clone();
        let by_file = self.only.iter().chain(&self.without);
        let mut by_file = by_file.chain(self.renamed.iter().map(|(from, _)| from));
        let is_unknown = |name: &&String| !columns.clone().any(|column| column == *name);
        if let Some(name) = by_file.find(is_unknown) {
            return Err(InputError::Names(UnknownName::new("column", name, known)));
        }
        let named = known.filter_map(|column| self.name(column));
        let named: Vec<&str> = named.collect();
        let mut typed = self.types.iter().map(|(name, _)| name);
        match typed.find(|name| !named.contains(&name.as_str())) {
            Some(name) => Err(self.no_type(name, columns, named)),
            None => Ok(()),
        }
    }

    /// Why a column cannot be of the datatype that is said for it: it has another name now, it is left out, or it is not there.
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

    /// Whether something is said of a column by the name that it has in the file.
    #[must_use]
    pub fn mentions(&self, column: &str) -> bool {
        let renamed = self.renamed.iter().map(|(from, _)| from);
        let mut named = self.only.iter().chain(&self.without).chain(renamed);
        named.any(|name| name == column)
    }
}

/// All columns are left out.
fn none_left() -> InputError {
    InputError::Unfit {
        what: "all columns of the file are left out".to_owned(),
        hint: "--columns and --exclude choose some of them",
    }
}
