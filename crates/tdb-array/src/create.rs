use bytes::Bytes;
use tdb_filters::FilterList;
use tdb_schema::{
    ArraySchema, ArrayType, Attribute, CellOrder, Dimension, DimensionLabel, Enumeration,
};
use tdb_store::{Store, list_all};
use tdb_tile::{Code, FormatVersion};

use crate::directory::{GROUP_MARKER, SCHEMA_FOLDER};
use crate::object_type::has_schema;
use crate::put::{put_enumeration, put_schema, refused};
use crate::{
    Array, ArrayError, ChangeOptions, FoundFolder, Group, Location, ObjectType, TimestampedName,
};

/// Name of the only dimension of the array of a label.
const LABEL_DIMENSION: &str = "index";

/// Properties of the array of a new label that the schema does not give: by default no filters, and the tile extent of the
/// labelled dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelParts {
    /// The name of the label.
    pub name: String,
    /// The filters of the labels.
    pub filters: FilterList,
    /// The tile extent of the label's array.
    pub extent: Option<Bytes>,
}

impl Array {
    /// Creates an array, encrypted if the location has a key.
    ///
    /// `enumerations` contains those that the schema names. The schema is stored last, and in the current format
    /// version: until then there is no array. Empty folders are not created, and TileDB does not need them.
    ///
    /// # Errors
    /// A schema that breaks a rule for new arrays, which is the source of the error; [`ArrayError::Exists`] if there
    /// is an array or a group, [`ArrayError::Unfinished`] if one is being made, [`ArrayError::Within`] inside an array
    /// or a folder that a group uses; or any error of the store.
    pub fn create(
        location: &Location,
        schema: &ArraySchema,
        enumerations: &[Enumeration],
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        Self::create_labelled(location, schema, enumerations, &[], options)
    }

    /// As [`Array::create`], with parts of labels' arrays.
    ///
    /// # Errors
    /// As for [`Array::create`].
    pub fn create_labelled(
        location: &Location,
        schema: &ArraySchema,
        enumerations: &[Enumeration],
        labels: &[LabelParts],
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        let schema = creatable(schema, enumerations)?;
        check_vacant(&**location.store(), location.prefix())?;
        let name = put_before_schema(location, &schema, enumerations, labels, options)?;
        put_schema(location, &name, &schema)
    }
}

/// Returns the schema of a new array in the form in which it is stored.
///
/// # Errors
/// A schema that breaks a rule for new arrays, or that names other enumerations.
pub(crate) fn creatable(
    schema: &ArraySchema,
    enumerations: &[Enumeration],
) -> Result<ArraySchema, ArrayError> {
    let schema = writable(schema)?;
    schema.check_new().map_err(refused)?;
    check_enumerations(&schema, enumerations)?;
    Ok(schema)
}

/// Stores the objects of a new array except for its schema; returns the name that the schema is to have.
pub(crate) fn put_before_schema(
    location: &Location,
    schema: &ArraySchema,
    enumerations: &[Enumeration],
    labels: &[LabelParts],
    options: &ChangeOptions,
) -> Result<TimestampedName, ArrayError> {
    let time = options.time();
    for label in &schema.labels {
        let parts = labels.iter().find(|parts| parts.name == label.name);
        let Some(dimension) = schema.dimensions.get(label.dimension as usize) else {
            continue;
        };
        create_label(
            location,
            &label_schema(dimension, label, parts),
            label,
            time,
            options,
        )?;
    }
    for enumeration in enumerations {
        put_enumeration(location, enumeration)?;
    }
    options.names.unversioned((time, time))
}

impl Group {
    /// Creates a group without members.
    ///
    /// # Errors
    /// [`ArrayError::Exists`] if there is an array or a group, [`ArrayError::Within`] inside an array or a folder that
    /// a group uses, or any error of the store.
    pub fn create(location: &Location) -> Result<(), ArrayError> {
        check_vacant(&**location.store(), location.prefix())?;
        let marker = location.full(GROUP_MARKER);
        location.store().put(&marker, bytes::Bytes::new())?;
        Ok(())
    }
}

/// Returns the schema in the form in which it is stored.
fn writable(schema: &ArraySchema) -> Result<ArraySchema, ArrayError> {
    if schema.version > FormatVersion::WRITTEN {
        return Err(ArrayError::Invalid {
            what: "format version",
            name: schema.version.to_string(),
            why: "no released TileDB reads it, so it is not written",
        });
    }
    let schema = schema.clone().upgraded();
    Ok(match schema.cell_order {
        CellOrder::Hilbert => schema,
        _ => schema.with_extents(),
    })
}

/// Checks that these are the enumerations that the schema names.
fn check_enumerations(
    schema: &ArraySchema,
    enumerations: &[Enumeration],
) -> Result<(), ArrayError> {
    for entry in &schema.enumerations {
        let is_meant = |e: &&Enumeration| e.name() == entry.name && e.file() == entry.file;
        let Some(enumeration) = enumerations.iter().find(is_meant) else {
            return Err(enumeration_error(&entry.name, "its values are not given"));
        };
        schema.check_indices(enumeration).map_err(refused)?;
    }
    for enumeration in enumerations {
        let known = |file: &str| schema.enumerations.iter().any(|entry| entry.file == file);
        if !known(enumeration.file()) {
            return Err(enumeration_error(
                enumeration.name(),
                "the schema has none of that name and file",
            ));
        }
    }
    Ok(())
}

fn enumeration_error(name: &str, why: &'static str) -> ArrayError {
    ArrayError::Invalid {
        what: "enumeration",
        name: name.to_owned(),
        why,
    }
}

/// Fails if a folder above contains an array or group whose files the new one would be among.
pub(crate) fn check_above(store: &dyn Store, prefix: &str) -> Result<(), ArrayError> {
    let mut folder = prefix;
    while !folder.is_empty() {
        folder = tdb_store::parent(folder);
        let below = prefix
            .strip_prefix(folder)
            .unwrap_or(prefix)
            .trim_start_matches('/');
        if let Some(found) = ObjectType::in_the_way(store, folder, below)? {
            return Err(ArrayError::Within {
                what: found.name(),
                folder: folder.to_owned(),
                prefix: prefix.to_owned(),
            });
        }
    }
    Ok(())
}

/// Fails if there is an array or group at `prefix` or above it, or an array that is being made. Enumerations without a
/// schema, left by an interrupted creation, do not count.
fn check_vacant(store: &dyn Store, prefix: &str) -> Result<(), ArrayError> {
    check_above(store, prefix)?;
    let found = FoundFolder::at(store, prefix)?;
    if let Some(work) = found.unfinished {
        let prefix = prefix.to_owned();
        return Err(ArrayError::Unfinished { work, prefix });
    }
    let what = match found.object_type {
        ObjectType::Invalid => return Ok(()),
        ObjectType::Group => "group",
        ObjectType::Array if !has_schema(store, prefix)? => return Ok(()),
        ObjectType::Array => "array",
    };
    Err(ArrayError::Exists {
        what,
        prefix: prefix.to_owned(),
    })
}

/// Creates the array of a label. First removes the schemas left by an interrupted creation, whose array never had
/// cells.
fn create_label(
    location: &Location,
    schema: &ArraySchema,
    label: &DimensionLabel,
    time: u64,
    options: &ChangeOptions,
) -> Result<(), ArrayError> {
    schema.check_new().map_err(refused)?;
    let location = location.at(&location.full(&label.uri));
    let schemas = location.full(SCHEMA_FOLDER);
    for left in list_all(&**location.store(), &schemas)?.objects {
        location.store().remove(&left.key)?;
    }
    let name = options.names.unversioned((time, time))?;
    put_schema(&location, &name, schema)
}

/// Returns the schema of a label's array, with one label per position: see `docs/format/schema.md`, "Labels".
fn label_schema(
    dimension: &Dimension,
    label: &DimensionLabel,
    parts: Option<&LabelParts>,
) -> ArraySchema {
    let mut index = Dimension {
        name: LABEL_DIMENSION.to_owned(),
        filters: tdb_filters::FilterList::default(),
        ..dimension.clone()
    };
    let mut labels =
        Attribute::new(&label.attribute, label.datatype).with_cell_val_num(label.cell_val_num);
    labels.order = label.order;
    if let Some(parts) = parts {
        labels.filters = parts.filters.clone();
        index.extent = parts.extent.clone().or(index.extent);
    }
    ArraySchema::new(ArrayType::Dense, vec![index], vec![labels])
}
