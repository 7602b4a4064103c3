use tdb_filters::{FilterError, FilterList, FilteredField, Misfit, Pipeline, Registry, TileKind};
use tdb_tile::Datatype;

use crate::{ArraySchema, Field, Problem, SchemaError};

impl ArraySchema {
    /// Fails if the filters of any tile of a new array do not suit it.
    pub(crate) fn check_new_filters(&self) -> Result<(), SchemaError> {
        for field in self.fields() {
            self.check_field_filters(&field)?;
        }
        let offsets = TileKind::new(self.version, Datatype::UInt64);
        self.check_list("offsets_filters", &self.offsets_filters, offsets)?;
        let validity = TileKind::new(self.version, Datatype::UInt8);
        self.check_list("validity_filters", &self.validity_filters, validity)
    }

    /// Checks the filters of one dimension or attribute; part of
    /// [`ArraySchema::check_new_filters`].
    pub(crate) fn check_field_filters(&self, field: &Field<'_>) -> Result<(), SchemaError> {
        let name = format!("filters of {:?}", field.name);
        let kind = TileKind::new(self.version, field.datatype);
        let kind = match field.cell_size().map(usize::try_from) {
            Some(Ok(size)) => kind.with_cell_size(size),
            Some(Err(_)) => {
                let problem = Problem::NotAllowed("a cell is larger than memory");
                return Err(SchemaError::invalid(&name, problem));
            }
            None => kind.var(),
        };
        self.check_fit(&name, field.filters, kind)?;
        self.check_list(&name, field.filters, kind)
    }

    fn check_list(&self, name: &str, list: &FilterList, kind: TileKind) -> Result<(), SchemaError> {
        let pipeline = Pipeline::new(list, self.version, kind, None, Registry::builtin());
        match pipeline.and_then(|pipeline| pipeline.check()) {
            // Another build may be able to write what this one cannot.
            Ok(()) | Err(FilterError::NotCompiledIn { .. }) => Ok(()),
            Err(error) => Err(SchemaError::invalid(name, Problem::Filter(error))),
        }
    }

    /// Fails if a filter refuses the field, whose tiles are of kind `kind`.
    fn check_fit(&self, name: &str, list: &FilterList, kind: TileKind) -> Result<(), SchemaError> {
        let dimensions: Vec<Datatype> = self.dimensions.iter().map(|d| d.datatype).collect();
        let field = FilteredField {
            tile: kind,
            is_dense: self.is_dense(),
            dimensions: &dimensions,
        };
        for record in &list.filters {
            let filter = Registry::builtin()
                .filter(record, self.version)
                .map_err(|error| SchemaError::invalid(name, error.into()))?;
            let found = kind.datatype;
            filter.check_field(&field).map_err(|misfit| {
                let problem = match misfit {
                    Misfit::Datatype(why) => Problem::Datatype { found, why },
                    Misfit::Array(why) => Problem::NotAllowed(why),
                };
                SchemaError::invalid(name, problem)
            })?;
        }
        Ok(())
    }
}
