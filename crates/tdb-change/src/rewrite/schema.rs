use tdb_open::{Array, Error, ErrorKind, Result, Schema};
use tdb_schema::ArraySchema;
use tdb_schema::names::UnknownName;

use crate::schema_changes::described;

/// Fails if an array cannot be rewritten with this schema.
pub(super) fn check(source: &Array, target: &Schema) -> Result<()> {
    let schema = source.schema();
    let kind = |schema: &ArraySchema| if schema.is_dense() { "dense" } else { "sparse" };
    if schema.is_dense() != target.is_dense() {
        let (before, after) = (kind(schema), kind(target));
        let what = format!("the array is {before}, and cannot become {after}");
        let hint = "use tdb export, then tdb import, to convert it";
        return Err(Error::invalid(what).with_hint(hint));
    }
    if !schema.labels.is_empty() || !target.labels.is_empty() {
        let what =
            "an array with dimension labels cannot be rewritten: the labels are separate arrays";
        return Err(Error::new(ErrorKind::Unsupported, what).at(source.uri()));
    }
    check_dimensions(schema, target)?;
    for attribute in &target.attributes {
        let name = &attribute.name;
        let index = schema.attribute_index(name);
        let before = index
            .and_then(|index| schema.attributes.get(index))
            .ok_or_else(|| {
                let known = schema.attributes.iter().map(|a| a.name.as_str());
                Error::from(UnknownName::new("attribute", name, known))
            })?;
        let is_same = before.datatype == attribute.datatype
            && before.cell_val_num == attribute.cell_val_num
            && (attribute.nullable || !before.nullable);
        if !is_same {
            let (is, shall) = (described(before), described(attribute));
            let what = format!("attribute {name:?} is {is}, and cannot become {shall}");
            return Err(Error::invalid(what));
        }
        check_labels(
            source,
            target,
            name,
            (&before.enumeration, &attribute.enumeration),
        )?;
    }
    Ok(())
}

fn check_dimensions(before: &ArraySchema, after: &ArraySchema) -> Result<()> {
    let described = |schema: &ArraySchema| {
        let dimensions = schema
            .dimensions
            .iter()
            .map(|d| format!("{} ({})", d.name, d.datatype));
        dimensions.collect::<Vec<_>>().join(", ")
    };
    let (is, shall) = (described(before), described(after));
    if is == shall {
        return Ok(());
    }
    let what = format!("the dimensions are {is}, and cannot become {shall}");
    Err(Error::invalid(what))
}

/// Fails if indexes would refer to other labels. The new enumeration may only have more labels at the end.
fn check_labels(
    source: &Array,
    target: &Schema,
    attribute: &str,
    (before, after): (&Option<String>, &Option<String>),
) -> Result<()> {
    let other = || Error::invalid(format!("attribute {attribute:?} would have other labels"));
    match (before, after) {
        (None, None) => Ok(()),
        (Some(before), Some(after)) => {
            let known = source
                .engine()
                .enumeration(before)
                .map_err(|error| source.failed(error))?;
            let mut all = target.enumerations().iter();
            let new = all
                .find(|labels| labels.name() == after)
                .ok_or_else(other)?;
            let is_longer =
                known.len() <= new.len() && known.iter().eq(new.iter().take(known.len()));
            if is_longer { Ok(()) } else { Err(other()) }
        }
        _ => Err(other()),
    }
}

/// True if both schemas store cells in the same order.
pub(super) fn has_order_of(schema: &ArraySchema, other: &ArraySchema) -> bool {
    let order = |schema: &ArraySchema| {
        let tiles = schema
            .dimensions
            .iter()
            .map(|d| (d.domain.clone(), d.extent.clone()));
        (
            schema.cell_order,
            schema.tile_order,
            tiles.collect::<Vec<_>>(),
        )
    };
    order(schema) == order(other)
}
