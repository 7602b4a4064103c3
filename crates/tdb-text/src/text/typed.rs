//! Columns whose datatype is either guessed or given.

use tdb_cells::FieldInfo;
use tdb_cells::files::{ColumnGuess, InputOptions, SeenRange};
use tdb_schema::value::holds_bytes;
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::{Bug, Datatype};

use super::cell::{CellReader, Refusal};
use super::guess::TextGuess;
use super::missing::Missing;
use super::token::Token;

/// Number of cells that are inspected together.
const CELLS: u64 = 1 << 12;

/// Number of bytes of cells that are inspected together.
const BYTES: usize = 1 << 20;

/// Inspects the cells of a column.
#[derive(Debug)]
pub(crate) enum ColumnLook {
    Free(Box<TextGuess>),
    Typed(Box<TypedColumn>),
}

/// A column with a given datatype, which all cells must have.
#[derive(Debug)]
pub(crate) struct TypedColumn {
    cells: CellReader,
    count: u64,
    has_null: bool,
    is_ascii: bool,
    range: SeenRange,
}

impl ColumnLook {
    /// Creates an inspector for the column that has this name in the array.
    pub(crate) fn new(name: &str, options: &InputOptions, missing: Missing) -> Self {
        match options.columns.datatype(name) {
            None => Self::Free(Box::new(TextGuess::new(name).with_missing(missing))),
            Some(datatype) => {
                let field = typed_field(name, datatype);
                Self::Typed(Box::new(TypedColumn {
                    cells: CellReader::new(&field, options.ticks).with_missing(missing),
                    count: 0,
                    has_null: false,
                    is_ascii: true,
                    range: SeenRange::default(),
                }))
            }
        }
    }

    /// Takes the next cell into account; fails if no field could store it.
    pub(crate) fn see(&mut self, token: Token<'_>) -> Result<(), Refusal> {
        match self {
            Self::Free(guess) => Ok(guess.see(token)?),
            Self::Typed(column) => column.see(token),
        }
    }

    /// Adds the result for later cells of the same CSV column, which were inspected separately.
    #[cfg(feature = "csv")]
    pub(crate) fn join(&mut self, later: Self) -> Result<(), Bug> {
        match (self, later) {
            (Self::Free(guess), Self::Free(later)) => guess.join(*later),
            (Self::Typed(column), Self::Typed(later)) => column.join(*later),
            (Self::Free(_), Self::Typed(_)) | (Self::Typed(_), Self::Free(_)) => {
                return Err(Bug::new("the datatype of a column is known, and is not"));
            }
        }
        Ok(())
    }

    /// Returns the field for all cells of a file with `rows` rows.
    pub(crate) fn finish(self, rows: u64) -> Result<ColumnGuess, Bug> {
        match self {
            Self::Free(guess) => guess.finish(rows),
            Self::Typed(column) => Ok(column.finish(rows)),
        }
    }
}

/// A nullable field of this datatype, var-sized for strings and bytes.
fn typed_field(name: &str, datatype: Datatype) -> FieldInfo {
    FieldInfo {
        name: name.to_owned(),
        datatype,
        cell_val_num: if holds_bytes(datatype) {
            CellValNum::Var
        } else {
            CellValNum::Fixed(1)
        },
        nullable: true,
        enumeration: None,
        field: FieldKind::Attribute(0),
    }
}

impl TypedColumn {
    fn see(&mut self, token: Token<'_>) -> Result<(), Refusal> {
        self.cells.append(token)?;
        self.count += 1;
        if self.count.is_multiple_of(CELLS) || self.cells.column.bytes() > BYTES {
            self.look();
        }
        Ok(())
    }

    /// Inspects the cells so far, and releases them.
    fn look(&mut self) {
        let column = self.cells.column.take();
        self.has_null |= column.validity.is_some();
        self.is_ascii &= column.values.is_ascii();
        self.range.see(&column);
    }

    #[cfg(feature = "csv")]
    fn join(&mut self, mut later: Self) {
        self.look();
        later.look();
        self.count += later.count;
        self.has_null |= later.has_null;
        self.is_ascii &= later.is_ascii;
        let datatype = self.cells.column.field().datatype;
        self.range.join(datatype, later.range);
    }

    fn finish(mut self, rows: u64) -> ColumnGuess {
        self.look();
        let field = self.cells.column.field();
        ColumnGuess {
            name: field.name.clone(),
            datatype: field.datatype,
            cell_val_num: field.cell_val_num,
            nullable: self.has_null || self.count < rows,
            is_ascii: self.is_ascii,
            range: self.range.finish(),
            labels: None,
            cells: rows,
        }
    }
}
