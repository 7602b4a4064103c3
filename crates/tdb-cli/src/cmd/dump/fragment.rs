//! Dump of fragment metadata: its generic tiles and its footer.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;

use bytes::Bytes;
use tdb::engine::array::{ArrayError, At, ErrorKind};
use tdb::engine::filters::open_generic_tile;
use tdb::engine::fragment::{
    ConsolidatedMetadata, ExtraFields, FieldLayout, Footer, FooterBytes, FooterStart,
    FragmentStatistics, LegacyMetadata, Next, ProcessedConditions, TileBounds, TileVector,
};
use tdb::engine::rtree::RTree;
use tdb::engine::schema::{ArraySchema, FieldKind};
use tdb::engine::store::read_whole;
use tdb::engine::tile::{FormatVersion, GenericTile, Record};

use super::tile::heading;
use super::{Description, Dump};
use crate::failure::Failure;
use crate::output::Output;
use crate::paint::visible;

/// What determines the layout of the generic tiles.
struct Shape<'a> {
    footer: &'a Footer,
    layout: &'a FieldLayout,
}

/// Content of a generic tile in fragment metadata.
#[derive(Clone, Copy, Debug)]
enum Part {
    RTree,
    Numbers,
    Bounds,
    Statistics,
    Conditions,
}

/// A generic tile in fragment metadata, with the name that the dump shows.
struct NamedPart {
    name: String,
    kind: Part,
}

impl NamedPart {
    fn new(name: impl Into<String>, kind: Part) -> Self {
        let name = name.into();
        Self { name, kind }
    }
}

impl Dump<'_> {
    pub(super) fn write_fragment_metadata(
        &self,
        file: &Bytes,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let version = self.fragment_version(file)?;
        if version.has_single_tile_metadata() {
            let layout = FieldLayout::of(&self.schema(None)?);
            return self.write_generic_tile(file, 0, out, &|payload, _| {
                let (text, result) =
                    LegacyMetadata::describe(payload, version, &layout, &self.limits);
                Description::of(text, result)
            });
        }
        let old = if version.names_schema() {
            None
        } else {
            Some(FieldLayout::of(&self.schema(None)?))
        };
        let size = file.len() as u64;
        let Next::Done(footer) =
            FooterBytes::locate(file, size, version, old.as_ref()).map_err(Failure::of)?
        else {
            return Err(Failure::new(
                ErrorKind::Corrupt,
                "the footer is not in the file",
            ));
        };
        let start = FooterStart::read(&footer.bytes, &self.limits).map_err(Failure::of)?;
        let schema = self.schema(version.names_schema().then_some(start.schema_name.as_str()))?;
        let layout = FieldLayout::of(&schema);
        let (text, result) = Footer::describe(
            &footer.bytes,
            FormatVersion::default(),
            &layout,
            &self.limits,
        );
        // The footer is stored last and locates everything before it.
        if let Ok(decoded) = &result {
            let shape = Shape {
                footer: decoded,
                layout: &layout,
            };
            for (offset, part) in parts(decoded, &schema, &layout) {
                self.write_part(file, offset, &part, &shape, out)?;
            }
        }
        let end = footer.start + footer.bytes.len() as u64;
        heading(out, &format!("footer, bytes {}..{end}", footer.start))?;
        for line in text.lines() {
            writeln!(out, "{}", visible(line))?;
        }
        result.map(drop).map_err(Failure::of)
    }

    /// Describes consolidated fragment metadata: the list of fragments, and the footer of each.
    pub(super) fn describe_footers(&self, payload: &Bytes) -> Description {
        let (mut text, metadata) = ConsolidatedMetadata::describe(payload, &self.limits);
        let metadata = match metadata {
            Ok(metadata) => metadata,
            Err(error) => return Description::of(text, Err::<(), _>(error)),
        };
        for entry in metadata.entries() {
            let (offset, key) = (entry.offset, &entry.key);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "footer of {key}, at byte {offset}");
            let footer = metadata.footer(entry).ok_or_else(|| {
                Failure::new(ErrorKind::Corrupt, "no bytes of a footer begin there")
            });
            match footer.and_then(|footer| self.describe_footer(&footer)) {
                Ok(described) => text.push_str(&described),
                // Readers fall back to the fragment's own footer if this one is invalid.
                Err(failure) => {
                    let _ = writeln!(text, "{:>16}  {failure}", "");
                }
            }
        }
        Description {
            text,
            result: Ok(()),
        }
    }

    fn describe_footer(&self, footer: &Bytes) -> Result<String, Failure> {
        let start = FooterStart::read(footer, &self.limits).map_err(Failure::of)?;
        let named = start.version.names_schema();
        let schema = self.schema(named.then_some(start.schema_name.as_str()))?;
        let layout = FieldLayout::of(&schema);
        let version = FormatVersion::default();
        let (text, footer) = Footer::describe(footer, version, &layout, &self.limits);
        footer.map(|_| text).map_err(Failure::of)
    }

    fn write_part(
        &self,
        file: &Bytes,
        offset: u64,
        part: &NamedPart,
        shape: &Shape<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let name = &part.name;
        let start = usize::try_from(offset)
            .ok()
            .filter(|&start| start < file.len());
        let Some(start) = start else {
            let what = format!("{name}: at byte {offset}, beyond the end of the file");
            return Err(Failure::new(ErrorKind::Corrupt, what));
        };
        writeln!(out)?;
        heading(out, &visible(name))?;
        self.write_generic_tile(&file.slice(start..), start, out, &|payload, _| {
            self.describe_part(part.kind, payload, shape)
        })
    }

    fn describe_part(&self, kind: Part, payload: &Bytes, shape: &Shape<'_>) -> Description {
        let (version, limits) = (shape.footer.version, &self.limits);
        match kind {
            Part::RTree => {
                let dimensions = shape.layout.dimensions();
                let (text, result) = RTree::describe(payload, version, dimensions, limits);
                Description::of(text, result)
            }
            Part::Numbers => {
                let (text, result) = TileVector::describe(payload, version, &(), limits);
                Description::of(text, result)
            }
            Part::Bounds => {
                let (text, result) = TileBounds::describe(payload, version, &(), limits);
                Description::of(text, result)
            }
            Part::Statistics => {
                let fields = shape.layout.fields(version, extra_fields(shape.footer));
                let (text, result) =
                    FragmentStatistics::describe(payload, version, &fields, limits);
                Description::of(text, result)
            }
            Part::Conditions => {
                let (text, result) = ProcessedConditions::describe(payload, version, &(), limits);
                Description::of(text, result)
            }
        }
    }

    /// Format version of the fragment, from its name; the oldest names have none, so it is read from the file.
    fn fragment_version(&self, file: &Bytes) -> Result<FormatVersion, Failure> {
        let folder = tdb::engine::store::name(tdb::engine::store::parent(self.key));
        let named = folder
            .rsplit('_')
            .next()
            .and_then(|version| version.parse::<u32>().ok());
        let version = match named.map(FormatVersion::new) {
            Some(version) if folder.split('_').count() > 5 => version,
            _ => GenericTile::parse(file, &self.limits)
                .map_err(Failure::of)?
                .version(),
        };
        if !version.is_known() {
            let (key, version) = (self.key.to_owned(), version.number());
            return Err(ArrayError::Newer { key, version }.into());
        }
        Ok(version)
    }

    /// Reads the schema with which the fragment was written.
    fn schema(&self, name: Option<&str>) -> Result<ArraySchema, Failure> {
        let key = match name {
            Some(name) => format!("__schema/{name}"),
            None => "__array_schema.tdb".to_owned(),
        };
        let file = read_whole(self.store, &key, self.limits.metadata_tile)?;
        let tile = GenericTile::parse(&file, &self.limits).at(&key)?;
        let payload = open_generic_tile(&tile, self.encryption.as_ref(), &self.limits).at(&key)?;
        Ok(ArraySchema::decode(&payload, &self.limits).at(&key)?)
    }
}

fn extra_fields(footer: &Footer) -> ExtraFields {
    ExtraFields {
        timestamps: footer.has_timestamps,
        deletes: footer.has_delete_meta,
    }
}

/// Name and kind of each part, by its offset in the file.
fn parts(footer: &Footer, schema: &ArraySchema, layout: &FieldLayout) -> BTreeMap<u64, NamedPart> {
    let offsets = &footer.offsets;
    let names = field_names(footer, schema, layout);
    let mut parts = BTreeMap::new();
    let lists: [(&str, &[u64], Part); 8] = [
        ("tile offsets", &offsets.tile_offsets, Part::Numbers),
        (
            "offsets of var-sized tiles",
            &offsets.var_offsets,
            Part::Numbers,
        ),
        (
            "sizes of var-sized tiles",
            &offsets.var_sizes,
            Part::Numbers,
        ),
        (
            "offsets of validity tiles",
            &offsets.validity_offsets,
            Part::Numbers,
        ),
        ("least values", &offsets.mins, Part::Bounds),
        ("greatest values", &offsets.maxs, Part::Bounds),
        ("sums", &offsets.sums, Part::Numbers),
        ("null counts", &offsets.null_counts, Part::Numbers),
    ];
    for (what, offsets, part) in lists {
        for (index, &offset) in offsets.iter().enumerate() {
            let field = names
                .get(&index)
                .map_or("a field that is not in the schema", String::as_str);
            parts.insert(offset, NamedPart::new(format!("{what} of {field}"), part));
        }
    }
    for (what, offset, part) in [
        (
            "fragment statistics",
            offsets.fragment_statistics,
            Part::Statistics,
        ),
        (
            "processed conditions",
            offsets.processed_conditions,
            Part::Conditions,
        ),
    ] {
        // An offset of 0 means that this format version lacks the part.
        if offset != 0 {
            parts.insert(offset, NamedPart::new(what, part));
        }
    }
    parts.insert(offsets.rtree, NamedPart::new("R-tree", Part::RTree));
    parts
}

fn field_names(
    footer: &Footer,
    schema: &ArraySchema,
    layout: &FieldLayout,
) -> BTreeMap<usize, String> {
    let special = [
        FieldKind::Coords,
        FieldKind::Timestamps,
        FieldKind::DeleteTimestamps,
        FieldKind::DeleteConditionIndex,
    ]
    .into_iter()
    .filter_map(|kind| schema.field_of(kind));
    let index = |kind| layout.index(kind, footer.version, extra_fields(footer));
    (schema.fields().chain(special))
        .filter_map(|field| Some((index(field.kind)?, format!("{:?}", field.name))))
        .collect()
}
