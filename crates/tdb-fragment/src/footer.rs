use bytes::Bytes;
use tdb_rtree::Mbr;
use tdb_tile::{Exact, FormatVersion, Limits, Record, Walk, WireError, WireErrorKind};

use crate::{ExtraFields, FieldLayout, GenericTileOffsets};

/// The footer of fragment metadata (from format 3), which is never compressed or encrypted.
///
/// It has the stored facts without validation; [`FragmentMetadata`](crate::FragmentMetadata) checks
/// them. `docs/format/fragments.md`, "Footer".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Footer {
    /// The format version of the fragment.
    pub version: FormatVersion,
    /// The name of the schema that the fragment was written with (from format 10).
    pub schema_name: String,
    /// True if cells are addressed by position.
    pub dense: bool,
    /// True if there is no non-empty domain; no writer sets this.
    pub null_domain: bool,
    /// The bounding box of the written cells.
    pub non_empty_domain: Mbr,
    /// The number of tiles of a sparse fragment; 0 in dense ones.
    pub sparse_tile_count: u64,
    /// The number of cells in the last tile.
    pub last_tile_cells: u64,
    /// True if the fragment has the field of timestamps (from format 14).
    pub has_timestamps: bool,
    /// True if the fragment has the fields of deletion timestamps and conditions (from format 15).
    pub has_delete_meta: bool,
    /// The size in bytes of each field's data file: fixed-size cells, or offsets.
    pub file_sizes: Vec<u64>,
    /// The size in bytes of each field's file of var-sized values.
    pub var_file_sizes: Vec<u64>,
    /// The size in bytes of each field's validity file (from format 7).
    pub validity_file_sizes: Vec<u64>,
    /// The offsets of the rest of the metadata.
    pub offsets: GenericTileOffsets,
    /// Additions of later libraries (from format 23).
    pub sections: Vec<OptionalSection>,
}

impl Footer {
    pub(crate) fn extra_fields(&self) -> ExtraFields {
        ExtraFields {
            timestamps: self.has_timestamps,
            deletes: self.has_delete_meta,
        }
    }

    /// Returns the size in bytes of a footer of formats 3 to 9 for dimensions of fixed size.
    ///
    /// # Errors
    /// Fails for a version without a footer or a newer one than is known.
    pub(crate) fn fixed_size(
        version: FormatVersion,
        layout: &FieldLayout,
    ) -> Result<u64, WireError> {
        let footer = Self {
            version,
            ..Self::default()
        };
        footer.size(version, layout)
    }

    /// Decodes a footer that fills `bytes`, whatever its version.
    ///
    /// # Errors
    /// Fails if the bytes break the format or have an unknown version.
    pub fn read(bytes: &Bytes, layout: &FieldLayout, limits: &Limits) -> Result<Self, WireError> {
        let (footer, end) = Self::decode_prefix(bytes, FormatVersion::default(), layout, limits)?;
        let behind = bytes
            .len()
            .exact_sub(end)
            .map_err(|bug| WireError::new(Self::NAME, "end", end, bug.into()))?;
        let left = behind as u64;
        if left != 0 && !footer.version.has_longer_footers() {
            let kind = WireErrorKind::Trailing { left };
            return Err(WireError::new(Self::NAME, "end", end, kind));
        }
        Ok(footer)
    }
}

impl Record for Footer {
    const NAME: &'static str = "FragmentFooter";
    const MIN_SIZE: usize = 22;
    type Cx = FieldLayout;

    fn walk<W: Walk>(&mut self, w: &mut W, cx: &FieldLayout) -> Result<(), WireError> {
        let Self {
            version,
            schema_name,
            dense,
            null_domain,
            non_empty_domain,
            sparse_tile_count,
            last_tile_cells,
            has_timestamps,
            has_delete_meta,
            file_sizes,
            var_file_sizes,
            validity_file_sizes,
            offsets,
            sections,
        } = self;
        walk_version(w, version)?;
        walk_schema_name(w, schema_name)?;
        w.flag("dense", dense)?;
        w.flag("null_domain", null_domain)?;
        w.nested("non_empty_domain", non_empty_domain, cx.dimensions())?;
        w.scalar("sparse_tile_count", sparse_tile_count)?;
        w.scalar("last_tile_cells", last_tile_cells)?;
        w.flag_since(14, "has_timestamps", has_timestamps)?;
        w.flag_since(15, "has_delete_meta", has_delete_meta)?;
        let extra = ExtraFields {
            timestamps: *has_timestamps,
            deletes: *has_delete_meta,
        };
        let fields = cx.fields(*version, extra);
        let var_fields = cx.var_fields(*version, extra);
        w.array("file_sizes", fields, file_sizes)?;
        w.array("var_file_sizes", var_fields, var_file_sizes)?;
        w.array_since(7, "validity_file_sizes", fields, validity_file_sizes)?;
        w.nested("offsets", offsets, &(fields, var_fields))?;
        walk_sections(w, sections)
    }
}

fn walk_version<W: Walk>(w: &mut W, version: &mut FormatVersion) -> Result<(), WireError> {
    let mut number = version.number();
    w.scalar("version", &mut number)?;
    *version = FormatVersion::new(number);
    w.set_version(*version);
    if *version > FormatVersion::NEWEST {
        let newest = FormatVersion::NEWEST.number();
        let kind = WireErrorKind::NewerVersion {
            found: number,
            newest,
        };
        return Err(w.fail("version", kind));
    }
    if number == 0 || version.has_single_tile_metadata() {
        return Err(w.fail(
            "version",
            WireErrorKind::Invalid("no version with a footer"),
        ));
    }
    Ok(())
}

fn walk_schema_name<W: Walk>(w: &mut W, name: &mut String) -> Result<(), WireError> {
    if w.version().names_schema() {
        return w.text64("schema_name", name);
    }
    if name.is_empty() {
        Ok(())
    } else {
        Err(w.fail("schema_name", WireErrorKind::NotBefore(10)))
    }
}

fn walk_sections<W: Walk>(w: &mut W, sections: &mut Vec<OptionalSection>) -> Result<(), WireError> {
    if w.version().has_footer_sections() {
        let n = w.count::<u32>("section count", sections.len())?;
        return w.list("sections", n, sections, &());
    }
    if sections.is_empty() {
        Ok(())
    } else {
        Err(w.fail("section count", WireErrorKind::NotBefore(23)))
    }
}

/// The start of a footer: the facts that decoding the rest depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FooterStart {
    /// The format version of the fragment.
    pub version: FormatVersion,
    /// The name of the schema that the fragment was written with; empty before format 10, when an
    /// array has just one.
    pub schema_name: String,
}

impl FooterStart {
    /// Decodes the start of a footer.
    ///
    /// # Errors
    /// Fails if the bytes end, or have an unknown version.
    pub fn read(footer: &Bytes, limits: &Limits) -> Result<Self, WireError> {
        Self::decode_prefix(footer, FormatVersion::default(), &(), limits).map(|(start, _)| start)
    }
}

impl Record for FooterStart {
    const NAME: &'static str = "FragmentFooter";
    const MIN_SIZE: usize = 4;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self {
            version,
            schema_name,
        } = self;
        walk_version(w, version)?;
        walk_schema_name(w, schema_name)
    }
}

/// An addition to the footer that a reader may skip; unknown sections are preserved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionalSection {
    /// The kind of content.
    pub id: u64,
    /// The content of the section.
    pub content: Bytes,
}

impl OptionalSection {
    /// The section of sparse fragments with the offsets of the tiles that store, for each
    /// dimension, the first coordinates of all data tiles, then those that store the last ones.
    pub const GLOBAL_ORDER_BOUNDS: u64 = 0;
}

impl Record for OptionalSection {
    const NAME: &'static str = "OptionalSection";
    const MIN_SIZE: usize = 12;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { id, content } = self;
        w.scalar("id", id)?;
        w.bytes32("content", content)
    }
}
