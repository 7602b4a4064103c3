use tdb_filters::{FilterList, OptionValue, Registry, describe};
use tdb_tile::FormatVersion;

use crate::coordinate::extent_value;
use crate::{ArraySchema, Dimension, Problem, SchemaError};

impl ArraySchema {
    /// Sets the size of the images of filters that encode tiles as images to the tile extents of the two dimensions,
    /// unless it is already set.
    ///
    /// # Errors
    /// Fails if an extent is too large for an image.
    pub fn with_image_shapes(mut self) -> Result<Self, SchemaError> {
        if let Some(shape) = image_shape(&self) {
            for (index, attribute) in self.attributes.iter_mut().enumerate() {
                let place = format!("attributes[{index}].filters");
                set_image_shape(&mut attribute.filters, self.version, shape, &place)?;
            }
        }
        Ok(self)
    }
}

/// Returns the rows and columns of a space tile of a two-dimensional array, the image that webp
/// makes of a tile.
fn image_shape(schema: &ArraySchema) -> Option<[u64; 2]> {
    let [y, x] = schema.dimensions.as_slice() else {
        return None;
    };
    let extent = |d: &Dimension| extent_value(d.datatype, d.extent.as_ref()?);
    Some([extent(y)?, extent(x)?])
}

/// Sets the image size of filters that encode tiles as images, unless it is already set.
fn set_image_shape(
    list: &mut FilterList,
    version: FormatVersion,
    [rows, columns]: [u64; 2],
    place: &str,
) -> Result<(), SchemaError> {
    let shape = [("y_extent", rows), ("x_extent", columns)];
    for record in &mut list.filters {
        let Ok(mut description) = describe(record, version, Registry::builtin()) else {
            continue;
        };
        let mut is_changed = false;
        for (name, value) in &mut description.options {
            let unset = *value == OptionValue::Integer(0);
            if let Some((_, extent)) = shape.iter().find(|(known, _)| known == name && unset) {
                let extent = i64::try_from(*extent).map_err(|_| {
                    let problem = Problem::NotAllowed("an extent is too large for an image");
                    SchemaError::invalid(place, problem)
                })?;
                *value = OptionValue::Integer(extent);
                is_changed = true;
            }
        }
        if is_changed {
            *record = description
                .record(version, Registry::builtin())
                .map_err(|error| SchemaError::invalid(place, error.into()))?;
        }
    }
    Ok(())
}
