//! Values of data files: the first cells of each tile.

use tdb::engine::array::{Array, Fragment};
use tdb::engine::cells::{Column, Session};
use tdb::engine::inspect::StoredField;
use tdb::engine::schema::FieldKind;

use crate::failure::Failure;
use crate::paint::cut;
use crate::value_format;

/// Number of cells shown per tile, and maximum width of each in characters.
const CELLS: usize = 8;
const WIDTH: usize = 48;

/// What a data file stores for its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Values,
    /// Offsets of variable-length values.
    Offsets,
    Validity,
}

/// The field to which a data file belongs.
pub(super) struct DataFile<'a> {
    field: StoredField<'a>,
    role: Role,
    ticks: bool,
}

/// Finds the fragment that contains the file, including fragments replaced by consolidation.
pub(super) fn fragment_of(array: &Array, key: &str) -> Result<Option<Fragment>, Failure> {
    let folder = tdb::engine::store::parent(key);
    let here = |fragment: &&Fragment| fragment.prefix == folder;
    if let Some(fragment) = array.fragments().iter().find(here) {
        return Ok(Some(fragment.clone()));
    }
    Ok(array.open_replaced()?.iter().find(here).cloned())
}

impl<'a> DataFile<'a> {
    /// Opens the field to which this file belongs; `None` if it belongs to no field.
    pub(super) fn open(
        session: &'a Session,
        array: &'a Array,
        fragment: &'a Fragment,
        key: &str,
        ticks: bool,
    ) -> Result<Option<Self>, Failure> {
        let name = tdb::engine::store::name(key);
        let kept = [
            FieldKind::Timestamps,
            FieldKind::DeleteTimestamps,
            FieldKind::DeleteConditionIndex,
        ];
        let kinds = fragment.schema.fields().map(|field| field.kind);
        for kind in kinds.chain(kept) {
            let Some(role) = role(fragment, kind, name) else {
                continue;
            };
            let field = StoredField::open(session, array, fragment, kind)?;
            return Ok(field.map(|field| Self { field, role, ticks }));
        }
        Ok(None)
    }

    /// Describes the content of the file.
    pub(super) fn title(&self) -> String {
        let field = self.field.field();
        let what = match self.role {
            Role::Values => "values of",
            Role::Offsets => "where cells begin of",
            Role::Validity => "validity of",
        };
        format!("{what} {:?}, {}", field.name, field.datatype)
    }

    /// Formats the number of cells in a tile, and the first of them; one line per column.
    pub(super) fn first_cells(&self, tile: u64) -> Result<Vec<String>, Failure> {
        let columns = self.field.read(tile)?;
        let lines = columns.iter().map(|column| {
            let rows = rows(column);
            let mut shown: Vec<String> = (0..rows.min(CELLS))
                .map(|row| self.cell(column, row))
                .collect();
            if rows > CELLS {
                shown.push("…".to_owned());
            }
            let name = match columns.len() {
                1 => String::new(),
                _ => format!(" of {:?}", column.name),
            };
            format!("{rows} cells{name}: {}", shown.join(", "))
        });
        Ok(lines.collect())
    }

    fn cell(&self, column: &Column, row: usize) -> String {
        match self.role {
            Role::Offsets => (column.offset_values().get(row))
                .map_or_else(String::new, |start| start.get().to_string()),
            Role::Validity => u8::from(column.is_valid(row)).to_string(),
            Role::Values => {
                let Some(bytes) = column.cell(row) else {
                    return "(no such cell)".to_owned();
                };
                let (datatype, values) = (column.datatype, column.cell_val_num);
                let text = value_format::stored(datatype, values, bytes, self.ticks);
                let text = match column.offsets {
                    Some(_) => format!("{text:?}"),
                    None => text,
                };
                cut(&text, WIDTH)
            }
        }
    }
}

fn role(fragment: &Fragment, kind: FieldKind, name: &str) -> Option<Role> {
    let view = fragment.metadata.field_in(&fragment.schema, kind)?;
    let files = fragment.metadata.data_files(&view).ok()?;
    let is = |file: &Option<String>| file.as_deref() == Some(name);
    match () {
        () if files.fixed == name && files.var.is_some() => Some(Role::Offsets),
        () if files.fixed == name || is(&files.var) => Some(Role::Values),
        () if is(&files.validity) => Some(Role::Validity),
        () => None,
    }
}

fn rows(column: &Column) -> usize {
    match column.cell_size() {
        // The last offset is the end of the last cell.
        None => (column.offset_values().split_last()).map_or(0, |(_, begins)| begins.len()),
        Some(size) => column.values.len() / size.max(1),
    }
}
