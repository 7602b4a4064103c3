//! Generates `docs/versions.md`: the fields of each record by format version (`cargo xtask versions`).
//!
//! No field is listed by hand: a walker visits the records once per version, and notes the fields it meets.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use bytes::Bytes;
use tdb_fragment::{FieldLayout, Footer, LegacyMetadata};
use tdb_rtree::{DimensionType, RTree};
use tdb_schema::{CurrentDomainRecord, SchemaRecord};
use tdb_tile::{
    Code, Datatype, FormatVersion, Limits, Record, Scalar, Walk, WireError, WireErrorKind,
};

const TITLE: &str = "\
# Fields by format version

Made by `cargo xtask versions` from the records themselves. The version is that of the schema or of the
fragment; a name with `[]` stands for each element of a list. Records that are not here are the same in all versions.
";

/// Returns the text of `docs/versions.md`.
pub(crate) fn page() -> String {
    let dimensions = vec![DimensionType::fixed(Datatype::Int32)];
    let layout = FieldLayout::new(1, dimensions.clone());
    let mut page = TITLE.to_owned();
    page += &table("Array schema", |version, fields| {
        let mut schema = SchemaRecord {
            version: version.number(),
            ..SchemaRecord::default()
        };
        schema.walk(fields, &())?;
        // Old versions refuse a current domain; new ones show its fields.
        let current_domain = CurrentDomainRecord {
            is_set: true,
            ..CurrentDomainRecord::default()
        };
        schema.current_domain = current_domain;
        let _ = schema.walk(fields, &());
        Ok(())
    });
    page += &table("Fragment metadata without a footer", |version, fields| {
        let mut legacy = LegacyMetadata {
            version,
            ..LegacyMetadata::default()
        };
        legacy.walk(fields, &layout)
    });
    page += &table("Fragment footer", |version, fields| {
        let mut footer = Footer {
            version,
            ..Footer::default()
        };
        footer.walk(fields, &layout)
    });
    page += &table("R-tree", |_, fields| {
        RTree::default().walk(fields, &dimensions)
    });
    page
}

/// Returns the table of one record. `visit` walks the record in a given version, or fails if that version does not
/// have it.
fn table(
    title: &str,
    visit: impl Fn(FormatVersion, &mut Fields) -> Result<(), WireError>,
) -> String {
    let mut order: Vec<String> = Vec::new();
    let mut seen: Vec<(u32, Vec<String>)> = Vec::new();
    for number in 1..=FormatVersion::NEWEST.number() {
        let version = FormatVersion::new(number);
        let mut fields = Fields::new(version);
        if visit(version, &mut fields).is_ok() {
            merge(&mut order, &fields.names);
            seen.push((number, fields.names));
        }
    }
    let mut text = format!("\n## {title}\n| field | versions |\n|---|---|\n");
    for field in order {
        let versions = seen.iter().filter(|(_, names)| names.contains(&field));
        let versions: BTreeSet<u32> = versions.map(|(number, _)| *number).collect();
        let _ = writeln!(text, "| {field} | {} |", ranges(&versions));
    }
    text
}

/// Inserts new names after the name that precedes them.
fn merge(order: &mut Vec<String>, names: &[String]) {
    let mut place = 0;
    for name in names {
        match order.iter().position(|known| known == name) {
            Some(known) => place = known + 1,
            None => {
                order.insert(place, name.clone());
                place += 1;
            }
        }
    }
}

/// Formats versions: `1 to 4`, `from 7`.
fn ranges(versions: &BTreeSet<u32>) -> String {
    let newest = FormatVersion::NEWEST.number();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &version in versions {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == version => *last = version,
            _ => runs.push((version, version)),
        }
    }
    let run = |(first, last): &(u32, u32)| match (*first, *last) {
        (1, last) if last == newest => "all".to_owned(),
        (first, last) if last == newest => format!("from {first}"),
        (first, last) if first == last => format!("{first}"),
        (first, last) => format!("{first} to {last}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

/// Walker that notes the names of the visited fields.
struct Fields {
    version: FormatVersion,
    limits: Limits,
    path: Vec<String>,
    names: Vec<String>,
    visits: usize,
}

impl Fields {
    fn new(version: FormatVersion) -> Self {
        Self {
            version,
            limits: Limits::default(),
            path: Vec::new(),
            names: Vec::new(),
            visits: 0,
        }
    }

    fn note(&mut self, field: &str) -> Result<(), WireError> {
        let mut name = self.path.join(".");
        if !name.is_empty() {
            name.push('.');
        }
        name += field;
        self.visits += 1;
        // A length and the data that it measures have the same name.
        if !self.names.contains(&name) {
            self.names.push(name);
        }
        Ok(())
    }

    fn within<R: Record>(&mut self, name: String, v: &mut R, cx: &R::Cx) -> Result<(), WireError> {
        self.path.push(name);
        let result = v.walk(self, cx);
        self.path.pop();
        result
    }
}

impl Walk for Fields {
    fn version(&self) -> FormatVersion {
        self.version
    }

    fn set_version(&mut self, version: FormatVersion) {
        self.version = version;
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn fail(&self, field: &'static str, kind: WireErrorKind) -> WireError {
        WireError::new("record", field, 0, kind)
    }

    fn scalar<T: Scalar>(&mut self, field: &'static str, _: &mut T) -> Result<(), WireError> {
        self.note(field)
    }

    fn raw(&mut self, field: &'static str, _: u64, _: &mut Bytes) -> Result<(), WireError> {
        self.note(field)
    }

    fn array<T: Scalar>(
        &mut self,
        field: &'static str,
        _: u64,
        _: &mut Vec<T>,
    ) -> Result<(), WireError> {
        self.note(field)
    }

    fn code<E: Code>(&mut self, field: &'static str, _: &mut E) -> Result<(), WireError> {
        self.note(field)
    }

    fn text(&mut self, field: &'static str, _: u64, _: &mut String) -> Result<(), WireError> {
        self.note(field)
    }

    fn nested<R: Record>(
        &mut self,
        field: &'static str,
        v: &mut R,
        cx: &R::Cx,
    ) -> Result<(), WireError> {
        self.within(field.to_owned(), v, cx)
    }

    fn list<R: Record>(
        &mut self,
        field: &'static str,
        _: u64,
        _: &mut Vec<R>,
        cx: &R::Cx,
    ) -> Result<(), WireError> {
        let before = self.visits;
        let mut element = R::default();
        let result = self.within(format!("{field}[]"), &mut element, cx);
        if result.is_err() {
            // The default element is not valid, so its fields are unknown.
            return self.note(&format!("{field}[].…"));
        }
        if self.visits == before {
            return self.note(&format!("{field}[]"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/versions.md");
        let written = std::fs::read_to_string(path).unwrap();
        assert!(written == page(), "run `cargo xtask versions`");
    }
}
