use tdb_filters::{FilterError, FilterList, Pipeline, Registry, TileKind};
use tdb_tile::Datatype;

use crate::{ArraySchema, ArrayType, Field, Problem, SchemaError};

/// The code of the filter that makes images of tiles.
const WEBP: u8 = 18;

impl ArraySchema {
    /// Fails where tiles of a new array would go through filters that do not fit them.
    pub(crate) fn check_new_filters(&self) -> Result<(), SchemaError> {
        for field in self.fields() {
            self.check_field_filters(&field)?;
        }
        let offsets = TileKind::new(self.version, Datatype::UInt64);
        self.check_list("offsets_filters", &self.offsets_filters, offsets)?;
        let validity = TileKind::new(self.version, Datatype::UInt8);
        self.check_list("validity_filters", &self.validity_filters, validity)
    }

    /// The part of [`ArraySchema::check_new_filters`] that is about one dimension or attribute.
    pub(crate) fn check_field_filters(&self, field: &Field<'_>) -> Result<(), SchemaError> {
        let kind = TileKind::new(self.version, field.datatype);
        let kind = match field.cell_size().map(usize::try_from) {
            Some(size) => kind.with_cell_size(size.unwrap_or(usize::MAX)),
            None => kind.var(),
        };
        let name = format!("filters of {:?}", field.name);
        if field.filters.filters.iter().any(|f| f.code == WEBP) {
            self.check_images(&name, field.datatype)?;
        }
        self.check_list(&name, field.filters, kind)
    }

    fn check_list(&self, name: &str, list: &FilterList, kind: TileKind) -> Result<(), SchemaError> {
        let pipeline = Pipeline::new(list, self.version, kind, None, Registry::builtin());
        match pipeline.and_then(|pipeline| pipeline.check()) {
            // Another build can write what this one cannot.
            Ok(()) | Err(FilterError::NotCompiledIn { .. }) => Ok(()),
            Err(error) => Err(SchemaError::invalid(name, Problem::Filter(error))),
        }
    }

    /// An image has rows and columns.
    fn check_images(&self, name: &str, found: Datatype) -> Result<(), SchemaError> {
        if found != Datatype::UInt8 {
            let why = "the pixels of an image are uint8";
            return Err(SchemaError::invalid(name, Problem::Datatype { found, why }));
        }
        let is_plane = matches!(
            self.dimensions.as_slice(),
            [y, x] if y.datatype == x.datatype && y.is_integral()
        );
        if self.array_type == ArrayType::Dense && is_plane {
            return Ok(());
        }
        let why = "webp takes dense arrays of two dimensions of whole numbers";
        Err(SchemaError::invalid(name, Problem::NotAllowed(why)))
    }
}
