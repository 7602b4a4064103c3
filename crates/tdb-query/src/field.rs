use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, FieldKind, TIMESTAMPS};

use crate::QueryError;

/// Returns the fields of a result: dimensions in schema order or as named, then attributes likewise. The write time
/// of each cell is requested like an attribute, by its reserved name.
pub(crate) fn chosen(
    schema: &ArraySchema,
    dimensions: Option<&[String]>,
    attributes: Option<&[String]>,
) -> Result<Vec<FieldKind>, QueryError> {
    let mut fields: Vec<FieldKind> = match dimensions {
        None => (0..schema.dimensions.len())
            .map(FieldKind::Dimension)
            .collect(),
        Some(names) => {
            let mut chosen = Vec::with_capacity(names.len());
            for name in names {
                let known = || schema.dimensions.iter().map(|d| d.name.as_str());
                let index = known()
                    .position(|n| n == name)
                    .ok_or_else(|| UnknownName::new("dimension", name, known()))?;
                chosen.push(FieldKind::Dimension(index));
            }
            chosen
        }
    };
    match attributes {
        None => fields.extend((0..schema.attributes.len()).map(FieldKind::Attribute)),
        Some(names) => {
            for name in names {
                let known = || schema.attributes.iter().map(|a| a.name.as_str());
                let index = known().position(|n| n == name);
                fields.push(match index {
                    Some(index) => FieldKind::Attribute(index),
                    None if name == TIMESTAMPS && schema.is_dense() => {
                        return Err(QueryError::NoCellTimes);
                    }
                    None if name == TIMESTAMPS => FieldKind::Timestamps,
                    None => return Err(UnknownName::new("attribute", name, known()).into()),
                });
            }
        }
    }
    Ok(fields)
}
