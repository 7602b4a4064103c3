use serde_json::{Map, Value as Json, json};
use tdb_tile::{Code, FormatVersion, Range};

use crate::json::{Times, cell_to_json, filters_to_json};
use crate::{ArraySchema, Attribute, CellValNum, Dimension, DimensionLabel, Enumeration};

/// Converts a schema to JSON, with the values of the given enumerations; of others, only the name.
#[must_use]
pub fn schema_to_json(schema: &ArraySchema, enumerations: &[Enumeration], times: Times) -> Json {
    let version = schema.version;
    let dimensions: Vec<Json> = schema
        .dimensions
        .iter()
        .enumerate()
        .map(|(index, dimension)| dimension_to_json(schema, index, dimension, times))
        .collect();
    let attributes: Vec<Json> = schema
        .attributes
        .iter()
        .map(|attribute| attribute_to_json(attribute, version, times))
        .collect();
    let enumerations: Vec<Json> = schema
        .enumerations
        .iter()
        .map(
            |entry| match enumerations.iter().find(|e| e.name() == entry.name) {
                Some(enumeration) => enumeration_to_json(enumeration, times),
                None => json!({ "name": entry.name }),
            },
        )
        .collect();
    let labels: Vec<Json> = schema
        .labels
        .iter()
        .map(|label| label_to_json(schema, label))
        .collect();
    let current_domain = schema
        .current_domain
        .as_ref()
        .map(|ranges| ranges_to_json(schema, ranges, times));
    json!({
        "version": version.number(),
        "type": schema.array_type.name(),
        "cell_order": schema.cell_order.name(),
        "tile_order": schema.tile_order.name(),
        "capacity": schema.capacity,
        "allows_duplicates": schema.allows_duplicates,
        "coords_filters": filters_to_json(&schema.coords_filters, version),
        "offsets_filters": filters_to_json(&schema.offsets_filters, version),
        "validity_filters": filters_to_json(&schema.validity_filters, version),
        "dimensions": dimensions,
        "attributes": attributes,
        "enumerations": enumerations,
        "labels": labels,
        "current_domain": current_domain,
    })
}

/// Converts a dimension of this schema to JSON; `index` is its position in the schema.
#[must_use]
pub fn dimension_to_json(
    schema: &ArraySchema,
    index: usize,
    dimension: &Dimension,
    times: Times,
) -> Json {
    let domain = dimension.domain.as_ref();
    // A tile extent is a number of ticks, not a point in time.
    let extent = dimension
        .extent
        .as_ref()
        .map(|e| cell_to_json(dimension.datatype, CellValNum::Fixed(1), e, Times::Ticks));
    json!({
        "name": dimension.name,
        "datatype": dimension.datatype.name(),
        "cell_val_num": cell_val_num_to_json(dimension.cell_val_num),
        "domain": domain.map(|range| range_to_json(dimension, range, times)),
        "extent": extent,
        "filters": schema
            .dimension_filters(index)
            .map(|filters| filters_to_json(filters, schema.version)),
    })
}

/// Converts an attribute of a schema of this version to JSON.
#[must_use]
pub fn attribute_to_json(attribute: &Attribute, version: FormatVersion, times: Times) -> Json {
    let Attribute {
        datatype,
        cell_val_num,
        ..
    } = *attribute;
    json!({
        "name": attribute.name,
        "datatype": datatype.name(),
        "cell_val_num": cell_val_num_to_json(cell_val_num),
        "nullable": attribute.nullable,
        "fill": cell_to_json(datatype, cell_val_num, &attribute.fill, times),
        "fill_valid": attribute.fill_valid,
        "filters": filters_to_json(&attribute.filters, version),
        "enumeration": attribute.enumeration,
        "order": attribute.order.name(),
    })
}

/// Converts an enumeration to JSON, with all its values.
#[must_use]
pub fn enumeration_to_json(enumeration: &Enumeration, times: Times) -> Json {
    let (datatype, cell_val_num) = (enumeration.datatype(), enumeration.cell_val_num());
    let values: Vec<Json> = enumeration
        .iter()
        .map(|value| cell_to_json(datatype, cell_val_num, value, times))
        .collect();
    json!({
        "name": enumeration.name(),
        "datatype": datatype.name(),
        "cell_val_num": cell_val_num_to_json(cell_val_num),
        "ordered": enumeration.is_ordered(),
        "values": values,
    })
}

fn label_to_json(schema: &ArraySchema, label: &DimensionLabel) -> Json {
    let dimension = schema.dimensions.get(label.dimension as usize);
    json!({
        "name": label.name,
        "dimension": dimension.map(|dimension| dimension.name.as_str()),
        "order": label.order.name(),
        "datatype": label.datatype.name(),
        "cell_val_num": cell_val_num_to_json(label.cell_val_num),
    })
}

fn cell_val_num_to_json(number: CellValNum) -> Json {
    match number {
        CellValNum::Fixed(n) => n.into(),
        CellValNum::Var => "var".into(),
    }
}

/// Converts ranges, one per dimension, to a JSON object with the dimensions' names.
#[must_use]
pub fn ranges_to_json(schema: &ArraySchema, ranges: &[Range], times: Times) -> Json {
    let ranges = schema.dimensions.iter().zip(ranges);
    let members: Map<String, Json> = ranges
        .map(|(dimension, range)| {
            let json = range_to_json(dimension, range, times);
            (dimension.name.clone(), json)
        })
        .collect();
    Json::Object(members)
}

/// Converts a range along a dimension to a list of its two ends.
#[must_use]
pub fn range_to_json(dimension: &Dimension, range: &Range, times: Times) -> Json {
    let end = |end| cell_to_json(dimension.datatype, dimension.cell_val_num, end, times);
    json!([end(&range.lo), end(&range.hi)])
}
