//! Disk usage of an array: by field, by filter, by fragment, and everything else.

use std::collections::{BTreeMap, HashMap};

use tdb_array::{Array, ErrorKind, Fragment, OpenedPart};
pub use tdb_filters::FilterList;
use tdb_fragment::MetadataPart;
use tdb_open::{Error, Result};
use tdb_schema::{Field, FieldKind};
use tdb_tile::{Bug, Exact, FormatVersion};

/// Maximum number of fragments for which the sizes of var-sized values are read; more would take long.
pub const MEASURED: usize = 1000;

/// Number of fragments whose metadata is read at a time.
const ASKED: usize = 256;

/// Number of bytes of cells, with and without filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes as stored.
    pub stored: u64,
    /// Bytes without filters; `None` if unknown.
    pub unfiltered: Option<u64>,
}

impl Sizes {
    /// Zero bytes.
    pub const NONE: Self = Self {
        stored: 0,
        unfiltered: Some(0),
    };

    /// Adds other sizes. The unfiltered size becomes unknown if either is.
    ///
    /// # Errors
    /// Fails if there are more bytes than can be counted, which only damaged metadata states.
    pub fn add(&mut self, other: Self) -> Result<()> {
        let sum = |a: u64, b| a.checked_add(b).ok_or_else(too_many_bytes);
        self.stored = sum(self.stored, other.stored)?;
        let unfiltered = self.unfiltered.zip(other.unfiltered);
        self.unfiltered = unfiltered.map(|(a, b)| sum(a, b)).transpose()?;
        Ok(())
    }

    /// Returns the compression ratio: unfiltered bytes per stored byte. `None` if unknown, or if nothing is stored.
    #[must_use]
    pub fn ratio(self) -> Option<f64> {
        let unfiltered = self.unfiltered.filter(|_| self.stored > 0)?;
        Some(unfiltered as f64 / self.stored as f64)
    }
}

fn too_many_bytes() -> Error {
    Error::new(ErrorKind::Corrupt, "more bytes than can be counted")
}

/// Size of a field's cells under one filter pipeline. A field has several entries if its filters were changed.
#[derive(Clone, Debug)]
pub struct FieldBytes {
    /// Name of the field.
    pub name: String,
    /// Filter pipeline of its values.
    pub filters: FilterList,
    /// Format version of the schema that defines the pipeline.
    pub version: FormatVersion,
    /// Size in all fragments that are read, with offsets and validity.
    pub sizes: Sizes,
}

/// Size of one fragment.
#[derive(Clone, Debug)]
pub struct FragmentBytes {
    /// Name of the fragment.
    pub name: String,
    /// Bytes of cells; a dense fragment stores no coordinates.
    pub data: u64,
    /// Bytes of its metadata and of other objects in its folder.
    pub metadata: u64,
    /// Number of stored cells.
    pub cells: u64,
    /// True if consolidation has replaced the fragment and it only waits for vacuum.
    pub is_replaced: bool,
}

/// A part of an array's storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Part {
    /// Cells of the fragments that are read.
    Data,
    /// Metadata of the fragments that are read.
    FragmentMetadata,
    /// Fragments that consolidation has replaced, cells and metadata.
    Replaced,
    /// Fragments outside the time for which the array was opened, and leftovers of abandoned writes.
    OtherFragments,
    /// Consolidated fragment metadata: the metadata of several fragments in one object.
    MergedFragmentMetadata,
    /// Commits, deletes, and vacuum lists.
    Commits,
    /// Schemas and enumerations.
    Schemas,
    /// Metadata of the array.
    Metadata,
    /// Arrays of dimension labels.
    Labels,
    /// Anything else.
    Others,
}

impl Part {
    /// Returns the name of the part, as in `fragment_metadata`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::FragmentMetadata => "fragment_metadata",
            Self::Replaced => "consolidated_away",
            Self::OtherFragments => "other_fragments",
            Self::MergedFragmentMetadata => "merged_fragment_metadata",
            Self::Commits => "commits",
            Self::Schemas => "schemas",
            Self::Metadata => "metadata",
            Self::Labels => "labels",
            Self::Others => "others",
        }
    }

    /// Returns the part of an object that belongs to no known fragment, by its key relative to the array.
    fn of(key: &str) -> Self {
        match key.split('/').next() {
            Some("__fragments") => Self::OtherFragments,
            Some("__fragment_meta") => Self::MergedFragmentMetadata,
            Some("__commits") => Self::Commits,
            Some("__schema" | "__array_schema.tdb") => Self::Schemas,
            Some("__meta") => Self::Metadata,
            Some("__labels") => Self::Labels,
            // Before format version 12, fragments and their commits lie directly in the array's folder.
            Some(name) if name.ends_with(".ok") || name.ends_with(".vac") => Self::Commits,
            Some(name) if name.ends_with(".meta") => Self::MergedFragmentMetadata,
            Some(name) if name.starts_with("__") && key.contains('/') => Self::OtherFragments,
            _ => Self::Others,
        }
    }
}

/// Maximum number of times an array is reopened because an object has disappeared.
const LOOKS: u32 = 8;

/// Disk usage of an array.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Layout {
    /// Number of objects of the array.
    pub objects: u64,
    /// Number of bytes of all objects.
    pub bytes: u64,
    /// Bytes of each nonempty part; they add up to `bytes`.
    pub parts: BTreeMap<Part, u64>,
    /// Fields in the order of the schema, followed by fields that it no longer has.
    pub fields: Vec<FieldBytes>,
    /// Fragments that are read, oldest first, followed by replaced ones.
    pub fragments: Vec<FragmentBytes>,
}

impl Layout {
    /// Lists the objects of an array, and reads the sizes of fields from the fragment metadata.
    ///
    /// # Errors
    /// Fails if the store fails or if metadata cannot be read.
    pub fn of(array: &Array) -> Result<Self> {
        Self::of_again(array, LOOKS)
    }

    /// Like [`Layout::of`]. If an object has disappeared because another program vacuumed the array, reopens the
    /// array.
    fn of_again(array: &Array, looks: u32) -> Result<Self> {
        match Self::look(array) {
            Err(error) if error.kind() == ErrorKind::NotFound && looks > 0 => {
                let again = array.again()?.ok_or(error)?;
                Self::of_again(&again, looks - 1)
            }
            layout => layout,
        }
    }

    fn look(array: &Array) -> Result<Self> {
        let root = array.prefix();
        let objects = array
            .store()
            .list_recursive(root)
            .map_err(Error::of_store)?;
        let replaced = array.open_replaced()?;
        let live = array.fragments().iter().map(|fragment| (fragment, false));
        let all: Vec<(&Fragment, bool)> =
            (live.chain(replaced.iter().map(|fragment| (fragment, true)))).collect();
        let mut folders: HashMap<String, (usize, u64)> = HashMap::new();
        for (index, (fragment, _)) in all.iter().enumerate() {
            let folder = fragment.prefix.trim_end_matches('/').to_owned();
            folders.insert(folder, (index, 0));
        }
        let mut parts: BTreeMap<Part, u64> = BTreeMap::new();
        let mut bytes = 0_u64;
        for object in &objects {
            let size = match object.size {
                Some(size) => size,
                None => array.store().size(&object.key).map_err(Error::of_store)?,
            };
            // Stores state these sizes. The sums below are parts of this one.
            bytes = bytes.checked_add(size).ok_or_else(too_many_bytes)?;
            let folder = object.key.rsplit_once('/').map_or("", |(folder, _)| folder);
            if let Some((_, sum)) = folders.get_mut(folder) {
                *sum = sum.exact_add(size)?;
                continue;
            }
            let below = object.key.strip_prefix(root).unwrap_or(&object.key);
            add(&mut parts, Part::of(below.trim_start_matches('/')), size)?;
        }
        let mut fragments: Vec<(usize, FragmentBytes)> = Vec::new();
        for (index, whole) in folders.into_values() {
            let known = all.get(index);
            let (fragment, is_replaced) =
                known.ok_or_else(|| Bug::new("a folder of a fragment that is not listed"))?;
            let told = of_fragment(fragment, whole, *is_replaced);
            if *is_replaced {
                add(&mut parts, Part::Replaced, whole)?;
            } else {
                add(&mut parts, Part::Data, told.data)?;
                add(&mut parts, Part::FragmentMetadata, told.metadata)?;
            }
            fragments.push((index, told));
        }
        fragments.sort_by_key(|(index, told)| (told.is_replaced, *index));
        Ok(Self {
            objects: objects.len() as u64,
            bytes,
            parts,
            fields: fields(array)?,
            fragments: fragments.into_iter().map(|(_, told)| told).collect(),
        })
    }
}

fn add(parts: &mut BTreeMap<Part, u64>, part: Part, bytes: u64) -> Result<(), Bug> {
    let sum = parts.entry(part).or_insert(0);
    *sum = sum.exact_add(bytes)?;
    Ok(())
}

fn of_fragment(fragment: &Fragment, whole: u64, is_replaced: bool) -> FragmentBytes {
    // A fragment that has lost a data file is smaller than its metadata states.
    let data = fragment.metadata.data_size().min(whole);
    FragmentBytes {
        name: fragment.name.as_str().to_owned(),
        data,
        metadata: whole - data,
        cells: fragment.metadata.cell_count(),
        is_replaced,
    }
}

/// Returns the sizes of each field in the fragments that are read.
///
/// # Errors
/// Fails if fragment metadata cannot be read.
pub fn fields(array: &Array) -> Result<Vec<FieldBytes>> {
    let mut found: Vec<FieldBytes> = Vec::new();
    let mut places: HashMap<(String, FilterList), usize> = HashMap::new();
    let is_measured = array.fragments().len() <= MEASURED;
    for fragments in array.fragments().chunks(ASKED) {
        let var = if is_measured {
            var_sizes(array, fragments, stored_var_fields)?
        } else {
            vec![HashMap::new(); fragments.len()]
        };
        for (fragment, var) in fragments.iter().zip(var) {
            for field in stored_fields(fragment) {
                let sizes = sizes(fragment, &field, var.get(field.name).copied())?;
                let place = places.entry((field.name.to_owned(), field.filters.clone()));
                let at = *place.or_insert(found.len());
                match found.get_mut(at) {
                    Some(known) => known.sizes.add(sizes)?,
                    None => found.push(FieldBytes {
                        name: field.name.to_owned(),
                        filters: field.filters.clone(),
                        version: fragment.schema.version,
                        sizes,
                    }),
                }
            }
        }
    }
    let names: Vec<&str> = array.schema().fields().map(|field| field.name).collect();
    let order = |name: &str| names.iter().position(|known| *known == name);
    found.sort_by_key(|field| order(&field.name).map_or((1, 0), |at| (0, at)));
    Ok(found)
}

fn sizes(fragment: &Fragment, field: &Field<'_>, var: Option<u64>) -> Result<Sizes> {
    let cells = fragment.metadata.cell_count();
    let values = match field.cell_size() {
        Some(size) => Some(size.checked_mul(cells).ok_or_else(|| uncounted(fragment))?),
        None => var,
    };
    let nulls = if field.nullable { cells } else { 0 };
    let with_nulls = |size: u64| size.checked_add(nulls).ok_or_else(|| uncounted(fragment));
    Ok(Sizes {
        stored: fragment.metadata.field_data_size(field.kind),
        unfiltered: values.map(with_nulls).transpose()?,
    })
}

/// The error of a fragment that states more bytes than can be counted.
fn uncounted(fragment: &Fragment) -> Error {
    too_many_bytes().at(&fragment.metadata_key)
}

/// Returns the fields that have data files of their own in a fragment.
fn stored_fields(fragment: &Fragment) -> Vec<Field<'_>> {
    let special = [
        FieldKind::Coords,
        FieldKind::Timestamps,
        FieldKind::DeleteTimestamps,
        FieldKind::DeleteConditionIndex,
    ]
    .into_iter()
    .filter_map(|kind| fragment.schema.field_of(kind));
    (fragment.schema.fields().chain(special))
        .filter(|field| fragment.metadata.stored_field(field.kind) == Some(field.kind))
        .collect()
}

/// Returns the var-sized fields that have data files of their own in a fragment.
fn stored_var_fields(fragment: &Fragment) -> Vec<Field<'_>> {
    let mut fields = stored_fields(fragment);
    fields.retain(Field::is_var);
    fields
}

/// Returns the unfiltered bytes of a var-sized field in the fragments that are read, including its offsets.
///
/// # Errors
/// Fails if fragment metadata cannot be read, or states more bytes than can be counted.
pub fn unfiltered_var_bytes(array: &Array, name: &str) -> Result<u64> {
    let mut bytes = 0_u64;
    for fragments in array.fragments().chunks(ASKED) {
        let sizes_of_each = var_sizes(array, fragments, |fragment| {
            let mut fields = stored_var_fields(fragment);
            fields.retain(|field| field.name == name);
            fields
        })?;
        let mut sizes = sizes_of_each.iter().flat_map(HashMap::values);
        let sum = sizes.try_fold(bytes, |sum, size| sum.checked_add(*size));
        bytes = sum.ok_or_else(too_many_bytes)?;
    }
    Ok(bytes)
}

/// Returns the unfiltered bytes of var-sized fields of each fragment, including offsets.
fn var_sizes(
    array: &Array,
    fragments: &[Fragment],
    fields_of: impl Fn(&Fragment) -> Vec<Field<'_>>,
) -> Result<Vec<HashMap<String, u64>>> {
    let wanted = fragments.iter().map(|fragment| {
        let fields = fields_of(fragment);
        let parts = fields
            .iter()
            .map(|field| MetadataPart::VarSizes(field.kind));
        (fragment, parts.collect())
    });
    let opened = array.metadata_parts_of_each(&wanted.collect::<Vec<_>>())?;
    let each = fragments.iter().zip(opened);
    each.map(|(fragment, opened)| var_sizes_of(array, fragment, &fields_of(fragment), &opened))
        .collect()
}

/// Returns the unfiltered bytes of the var-sized fields of a fragment, from the parts of its metadata.
fn var_sizes_of(
    array: &Array,
    fragment: &Fragment,
    fields: &[Field<'_>],
    opened: &[OpenedPart],
) -> Result<HashMap<String, u64>> {
    let sizes = fields.iter().zip(opened).map(|(field, part)| {
        let values = fragment.metadata.tile_values(&part.payload, array.limits());
        let values = tdb_array::At::at(values, &fragment.metadata_key)?;
        let offsets = fragment.metadata.cell_count().checked_mul(8);
        let size = offsets.and_then(|offsets| values.iter().try_fold(offsets, u64::checked_add));
        Ok((
            field.name.to_owned(),
            size.ok_or_else(|| uncounted(fragment))?,
        ))
    });
    sizes.collect()
}
