//! The names of a fragment's files in each format version: `docs/format/fragments.md`, "Files".
use tdb_schema::{COORDS, Field, FieldKind};
use tdb_tile::FormatVersion;

use crate::FragmentError;

/// The name of the file that stores a fragment's metadata.
pub const FRAGMENT_METADATA: &str = "__fragment_metadata.tdb";

/// The names of the files that store the tiles of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFiles {
    /// The file of fixed-size cells, or of the offsets of var-sized cells.
    pub fixed: String,
    /// The file of the values of var-sized cells.
    pub var: Option<String>,
    /// The file of the validity of cells.
    pub validity: Option<String>,
}

impl DataFiles {
    /// Returns the file names of a field in a fragment of this version.
    ///
    /// # Errors
    /// [`FragmentError::FileName`] if an old version would name the file after the field, and the
    /// name would lead out of the fragment.
    pub fn of(field: &Field<'_>, version: FormatVersion) -> Result<Self, FragmentError> {
        let stem = stem(field, version)?;
        Ok(Self {
            fixed: format!("{stem}.tdb"),
            var: field.is_var().then(|| format!("{stem}_var.tdb")),
            validity: field.nullable.then(|| format!("{stem}_validity.tdb")),
        })
    }
}

fn stem(field: &Field<'_>, version: FormatVersion) -> Result<String, FragmentError> {
    Ok(match field.kind {
        FieldKind::Attribute(index) if version.names_by_index() => format!("a{index}"),
        FieldKind::Dimension(index) if version.names_by_index() => format!("d{index}"),
        // From version 5 on, an attribute without a name has no file name of its own.
        FieldKind::Attribute(_) if field.name.is_empty() && version.zips_coordinates() => {
            "__attr".to_owned()
        }
        FieldKind::Dimension(_) if version.zips_coordinates() => COORDS.to_owned(),
        FieldKind::Attribute(_) | FieldKind::Dimension(_) => {
            let stem = if version.percent_encodes_names() {
                percent_encoded(field.name)
            } else {
                field.name.to_owned()
            };
            if stem.contains(['/', '\0']) {
                let field = field.name.to_owned();
                return Err(FragmentError::FileName { field });
            }
            stem
        }
        FieldKind::Coords => COORDS.to_owned(),
        FieldKind::Timestamps => "t".to_owned(),
        FieldKind::DeleteTimestamps => "dt".to_owned(),
        FieldKind::DeleteConditionIndex => "dci".to_owned(),
    })
}

/// Encodes a name as TileDB 2.2.9 did, with wrong codes for some characters that Windows forbids.
fn percent_encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for character in name.chars() {
        let code = match character {
            '<' => "20",
            '>' => "2D",
            '\\' => "30",
            '|' => "3C",
            '!' => "21",
            '"' => "22",
            '#' => "23",
            '$' => "24",
            '%' => "25",
            '&' => "26",
            '\'' => "27",
            '(' => "28",
            ')' => "29",
            '*' => "2A",
            '+' => "2B",
            ',' => "2C",
            '/' => "2F",
            ':' => "3A",
            ';' => "3B",
            '=' => "3D",
            '?' => "3F",
            '@' => "40",
            '[' => "5B",
            ']' => "5D",
            other => {
                out.push(other);
                continue;
            }
        };
        out.push('%');
        out.push_str(code);
    }
    out
}
