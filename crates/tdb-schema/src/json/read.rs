use serde_json::Value as Json;
use tdb_tile::{Datatype, FormatVersion, Range};

use crate::json::object::{Object, unexpected};
use crate::json::{cell_from_json, filters_from_json};
use crate::value::holds_bytes;
use crate::{
    ArraySchema, ArrayType, Attribute, CellOrder, CellValNum, DataOrder, Dimension, DimensionLabel,
    Enumeration, EnumerationRef, Order, Problem, SchemaError,
};

/// Reads a schema and its enumerations from JSON in the form of `schema_to_json`.
///
/// Only members without a default are required: the type, and for each dimension name, datatype and
/// (except for strings) domain. Defaults are those of TileDB, except that attributes of strings and
/// blobs are var-sized by default. `file` is called once per enumeration and returns the name of
/// its file: `__`, 32 hexadecimal digits, `_0`.
///
/// # Errors
/// Fails if the JSON has another form, with the place in the error, or if
/// [`ArraySchema::check_new`] refuses the schema.
pub fn schema_from_json(
    json: &Json,
    file: impl FnMut() -> String,
) -> Result<(ArraySchema, Vec<Enumeration>), SchemaError> {
    const KNOWN: &[&str] = &[
        "version",
        "type",
        "cell_order",
        "tile_order",
        "capacity",
        "allows_duplicates",
        "coords_filters",
        "offsets_filters",
        "validity_filters",
        "dimensions",
        "attributes",
        "enumerations",
        "labels",
        "current_domain",
    ];
    let object = Object::new(json, "", KNOWN)?;
    let mut schema = settings(&object)?;
    for (index, json) in object.list("dimensions")?.iter().enumerate() {
        let dimension = dimension_from_json(json, &schema, &format!("dimensions[{index}]"))?;
        schema.dimensions.push(dimension);
    }
    let enumerations = match object.member("enumerations") {
        Some(json) => enumerations_from_json(json, "enumerations", file)?,
        None => Vec::new(),
    };
    schema.enumerations = enumerations
        .iter()
        .map(|e| EnumerationRef {
            name: e.name().to_owned(),
            file: e.file().to_owned(),
        })
        .collect();
    if let Some(json) = object.member("attributes") {
        schema.attributes = attributes_from_json(json, schema.version, "attributes")?;
    }
    for (index, json) in object.list("labels")?.iter().enumerate() {
        let label = label_from_json(json, &schema, index)?;
        schema.labels.push(label);
    }
    if let Some(json) = object.member("current_domain") {
        schema.current_domain = Some(ranges_from_json(&schema, json, "current_domain")?);
    }
    let schema = schema.with_extents().with_image_shapes()?;
    schema.check_new()?;
    for enumeration in &enumerations {
        schema.check_indices(enumeration)?;
    }
    Ok((schema, enumerations))
}

/// Reads the settings of a schema without its fields: type, version, orders, capacity, and the
/// filters that do not belong to a single field.
fn settings(object: &Object<'_>) -> Result<ArraySchema, SchemaError> {
    let array_type = object
        .name("type", "\"dense\" or \"sparse\"", ArrayType::from_name)?
        .ok_or_else(|| object.missing("type"))?;
    let mut schema = ArraySchema::new(array_type, Vec::new(), Vec::new());
    if let Some(version) = object.number("version")? {
        schema.version = known_version(version, object)?;
    }
    let orders = "\"row-major\" or \"col-major\"";
    schema.tile_order = object
        .name("tile_order", orders, Order::from_name)?
        .unwrap_or(Order::RowMajor);
    let orders = "\"row-major\", \"col-major\" or \"hilbert\"";
    schema.cell_order = object
        .name("cell_order", orders, CellOrder::from_name)?
        .unwrap_or(CellOrder::RowMajor);
    schema.capacity = object.number("capacity")?.unwrap_or(schema.capacity);
    schema.allows_duplicates = object.flag("allows_duplicates")?;
    for (key, list) in [
        ("coords_filters", &mut schema.coords_filters),
        ("offsets_filters", &mut schema.offsets_filters),
        ("validity_filters", &mut schema.validity_filters),
    ] {
        if let Some(json) = object.member(key) {
            *list = filters_from_json(json, schema.version, key)?;
        }
    }
    Ok(schema)
}

fn known_version(version: u64, object: &Object<'_>) -> Result<FormatVersion, SchemaError> {
    let known = u32::try_from(version).ok().map(FormatVersion::new);
    known.filter(|version| version.is_known()).ok_or_else(|| {
        let wanted = format!("a format version from 1 to {}", FormatVersion::NEWEST);
        let found = version.to_string();
        SchemaError::invalid(
            object.place("version"),
            Problem::Unexpected { found, wanted },
        )
    })
}

fn dimension_from_json(
    json: &Json,
    schema: &ArraySchema,
    place: &str,
) -> Result<Dimension, SchemaError> {
    const KNOWN: &[&str] = &[
        "name",
        "datatype",
        "cell_val_num",
        "domain",
        "extent",
        "filters",
    ];
    let object = Object::new(json, place, KNOWN)?;
    let datatype = object.datatype("datatype")?;
    let is_text = datatype == Datatype::StringAscii;
    let default = if is_text {
        CellValNum::Var
    } else {
        CellValNum::Fixed(1)
    };
    let one = CellValNum::Fixed(1);
    let mut dimension = Dimension {
        name: object.required_text("name")?.to_owned(),
        datatype,
        cell_val_num: object.cell_val_num("cell_val_num")?.unwrap_or(default),
        ..Dimension::strings("")
    };
    dimension.check_type()?;
    if let Some(json) = object.member("domain") {
        dimension.domain = Some(range_from_json(&dimension, json, &object.place("domain"))?);
    }
    if let Some(json) = object.member("extent") {
        let extent = cell_from_json(datatype, one, json, &object.place("extent"))?;
        dimension.extent = Some(extent.into());
    }
    if let Some(json) = object.member("filters") {
        let filters = filters_from_json(json, schema.version, &object.place("filters"))?;
        // An empty list means the filters of the coordinates, and JSON shows these in its place.
        dimension.filters = if filters == schema.coords_filters {
            tdb_filters::FilterList::default()
        } else if filters.is_empty() && schema.version.dimensions_inherit_filters() {
            tdb_filters::FilterList::new(vec![tdb_filters::FilterRecord::default()])
        } else {
            filters
        };
    }
    Ok(dimension)
}

/// Reads both ends of a range along a dimension.
fn range_from_json(dimension: &Dimension, json: &Json, place: &str) -> Result<Range, SchemaError> {
    let Some([lo, hi]) = json.as_array().map(Vec::as_slice) else {
        return Err(unexpected(place, json, "a list of two values".to_owned()));
    };
    let end = |json, index| {
        let place = format!("{place}[{index}]");
        cell_from_json(dimension.datatype, dimension.cell_val_num, json, &place)
    };
    Ok(Range::new(end(lo, 0)?, end(hi, 1)?))
}

/// Reads a current domain: one range per dimension, by name. A dimension without a range keeps its
/// domain.
///
/// # Errors
/// Fails if the JSON has another form, or if a string dimension has no range.
pub fn ranges_from_json(
    schema: &ArraySchema,
    json: &Json,
    place: &str,
) -> Result<Vec<Range>, SchemaError> {
    let Some(members) = json.as_object() else {
        return Err(unexpected(place, json, "an object".to_owned()));
    };
    if let Some(name) = members
        .keys()
        .find(|name| schema.dimension_index(name).is_none())
    {
        let (what, name) = ("dimension", name.clone());
        return Err(SchemaError::invalid(
            place,
            Problem::Dangling { what, name },
        ));
    }
    let range = |dimension: &Dimension| {
        let place = format!("{place}.{}", dimension.name);
        match (members.get(&dimension.name), &dimension.domain) {
            (Some(json), _) => range_from_json(dimension, json, &place),
            (None, Some(domain)) => Ok(domain.clone()),
            (None, None) => Err(SchemaError::invalid(place, Problem::Missing)),
        }
    };
    schema.dimensions.iter().map(range).collect()
}

/// Reads one attribute or a list of attributes, for a schema of this version.
///
/// # Errors
/// Fails if the JSON has another form.
pub fn attributes_from_json(
    json: &Json,
    version: FormatVersion,
    place: &str,
) -> Result<Vec<Attribute>, SchemaError> {
    let Some(attributes) = json.as_array() else {
        return Ok(vec![attribute_from_json(json, version, place)?]);
    };
    let attributes = attributes.iter().enumerate();
    attributes
        .map(|(index, json)| attribute_from_json(json, version, &format!("{place}[{index}]")))
        .collect()
}

/// Reads an attribute for a schema of this version.
///
/// # Errors
/// Fails if the JSON has another form.
pub fn attribute_from_json(
    json: &Json,
    version: FormatVersion,
    place: &str,
) -> Result<Attribute, SchemaError> {
    const KNOWN: &[&str] = &[
        "name",
        "datatype",
        "cell_val_num",
        "nullable",
        "fill",
        "fill_valid",
        "filters",
        "enumeration",
        "order",
    ];
    let object = Object::new(json, place, KNOWN)?;
    let datatype = object.datatype("datatype")?;
    let default = if holds_bytes(datatype) && datatype != Datatype::Char {
        CellValNum::Var
    } else {
        CellValNum::Fixed(1)
    };
    let cell_val_num = object.cell_val_num("cell_val_num")?.unwrap_or(default);
    let mut attribute = Attribute::new(object.required_text("name")?, datatype);
    attribute.cell_val_num = cell_val_num;
    attribute.fill = match object.member("fill") {
        Some(json) => cell_from_json(datatype, cell_val_num, json, &object.place("fill"))?.into(),
        None => crate::attribute::bounded_default_fill(datatype, cell_val_num)
            .ok_or_else(|| SchemaError::invalid(object.place("cell_val_num"), Problem::TooLarge))?,
    };
    attribute.nullable = object.flag("nullable")?;
    attribute.fill_valid = object.flag("fill_valid")?;
    attribute.enumeration = object.text("enumeration")?.map(str::to_owned);
    let orders = "\"unordered\", \"increasing\" or \"decreasing\"";
    attribute.order = object
        .name("order", orders, DataOrder::from_name)?
        .unwrap_or(DataOrder::Unordered);
    if let Some(json) = object.member("filters") {
        attribute.filters = filters_from_json(json, version, &object.place("filters"))?;
    }
    Ok(attribute)
}

/// Reads one enumeration or a list of enumerations; `file` returns the file name of each.
///
/// # Errors
/// Fails if the JSON has another form, or if a value occurs twice.
pub fn enumerations_from_json(
    json: &Json,
    place: &str,
    mut file: impl FnMut() -> String,
) -> Result<Vec<Enumeration>, SchemaError> {
    let Some(enumerations) = json.as_array() else {
        return Ok(vec![enumeration_from_json(json, place, file())?]);
    };
    let enumerations = enumerations.iter().enumerate();
    enumerations
        .map(|(index, json)| enumeration_from_json(json, &format!("{place}[{index}]"), file()))
        .collect()
}

fn enumeration_from_json(
    json: &Json,
    place: &str,
    file: String,
) -> Result<Enumeration, SchemaError> {
    const KNOWN: &[&str] = &["name", "datatype", "cell_val_num", "ordered", "values"];
    let object = Object::new(json, place, KNOWN)?;
    let name = object.required_text("name")?;
    let datatype = object.datatype("datatype")?;
    let default = if holds_bytes(datatype) {
        CellValNum::Var
    } else {
        CellValNum::Fixed(1)
    };
    let cell_val_num = object.cell_val_num("cell_val_num")?.unwrap_or(default);
    let values: Vec<Vec<u8>> = object
        .list("values")?
        .iter()
        .enumerate()
        .map(|(index, json)| {
            let place = format!("{}[{index}]", object.place("values"));
            cell_from_json(datatype, cell_val_num, json, &place)
        })
        .collect::<Result<_, _>>()?;
    let ordered = object.flag("ordered")?;
    Enumeration::from_values(name, file, datatype, cell_val_num, ordered, values)
}

/// Reads a label, and lays it out as TileDB lays out new ones: as an array of its own within the
/// labelled array.
fn label_from_json(
    json: &Json,
    schema: &ArraySchema,
    index: usize,
) -> Result<DimensionLabel, SchemaError> {
    const KNOWN: &[&str] = &["name", "dimension", "order", "datatype", "cell_val_num"];
    let object = Object::new(json, format!("labels[{index}]"), KNOWN)?;
    let name = object.required_text("dimension")?;
    let dimension = schema
        .dimension_index(name)
        .and_then(|i| u32::try_from(i).ok())
        .ok_or_else(|| {
            let (what, name) = ("dimension", name.to_owned());
            SchemaError::invalid(object.place("dimension"), Problem::Dangling { what, name })
        })?;
    let datatype = object.datatype("datatype")?;
    let default = if holds_bytes(datatype) {
        CellValNum::Var
    } else {
        CellValNum::Fixed(1)
    };
    let orders = "\"increasing\" or \"decreasing\"";
    let sorted = |name: &str| DataOrder::from_name(name).filter(|o| *o != DataOrder::Unordered);
    Ok(DimensionLabel {
        name: object.required_text("name")?.to_owned(),
        dimension,
        relative: true,
        uri: format!("__labels/l{index}"),
        attribute: "label".to_owned(),
        order: object
            .name("order", orders, sorted)?
            .unwrap_or(DataOrder::Increasing),
        datatype,
        cell_val_num: object.cell_val_num("cell_val_num")?.unwrap_or(default),
        is_external: false,
    })
}
