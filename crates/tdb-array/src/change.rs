//! Changes of an existing array: metadata, schema evolution, deletes.

use tdb_fragment::ConditionTree;
use tdb_schema::{ArraySchema, Enumeration};
use tdb_tile::{FormatVersion, Record};

use crate::directory::COMMITS_FOLDER;
use crate::put::{later_name, put_enumeration, put_metadata, put_schema, refused, seal_tile};
use crate::{Array, ArrayError, At, ChangeOptions, MetadataRecord, TimestampedName};

impl Array {
    /// Sets and removes metadata in one change: a record without a value removes its key. If several records have the
    /// same key, the last one counts. The metadata is encrypted if the array is.
    ///
    /// # Errors
    /// A value of datatype `any`, or any error of the store.
    pub fn put_metadata(
        &self,
        records: Vec<MetadataRecord>,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        put_metadata(self.location(), records, options)
    }

    /// Stores another schema, valid from the time of the change on; returns the name under which it is stored.
    ///
    /// `schema` is derived from [`Snapshot::newest_schema`](crate::Snapshot::newest_schema) by the evolution methods
    /// of [`ArraySchema`]; `enumerations` contains those that are new in it. The schema is stored last.
    ///
    /// # Errors
    /// As [`Array::check_evolution`], or any error of the store.
    pub fn evolve(
        &self,
        schema: &ArraySchema,
        enumerations: &[Enumeration],
        options: &ChangeOptions,
    ) -> Result<TimestampedName, ArrayError> {
        let time = options.time();
        self.check_evolution(schema, enumerations, options, time)?;
        for enumeration in enumerations {
            put_enumeration(self.location(), enumeration)?;
        }
        let others = self
            .directory()
            .schemas()
            .iter()
            .filter_map(|entry| entry.name.as_ref());
        let name = later_name(options, time, others)?;
        put_schema(self.location(), &name, schema)?;
        Ok(name)
    }

    /// Checks that the schema can be stored with these options at the given time, in milliseconds since 1970. [`Array::evolve`] does this
    /// before it stores anything.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if the array has a schema of a later time, or if the schema breaks a rule.
    pub fn check_evolution(
        &self,
        schema: &ArraySchema,
        enumerations: &[Enumeration],
        options: &ChangeOptions,
        time: u64,
    ) -> Result<(), ArrayError> {
        let newest = self.newest_entry().and_then(|entry| entry.name.as_ref());
        if !options.earlier_schemas && newest.is_some_and(|newest| newest.end() > time) {
            return Err(ArrayError::Invalid {
                what: "time",
                name: time.to_string(),
                why: "the array has a schema of a later time",
            });
        }
        schema.check().map_err(refused)?;
        for enumeration in enumerations {
            schema.check_indices(enumeration).map_err(refused)?;
        }
        Ok(())
    }

    /// Deletes the cells written up to the time of the change, except those that match `kept`. Returns the name of the
    /// delete.
    ///
    /// Cells with null in a field that `kept` compares are deleted as well; `delete_cells` of `tdb-change` first checks
    /// whether there are any.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] for a dense array; for a format version without deletes; for a condition that compares
    /// with null, which TileDB stores but cannot read; and for a time inside the time range of a fragment that was
    /// consolidated without the times of its cells. Any error of the store.
    pub fn delete_cells(
        &self,
        kept: &ConditionTree,
        options: &ChangeOptions,
    ) -> Result<TimestampedName, ArrayError> {
        self.check_delete_cells(kept, options)?;
        let (key, name, bytes) = self.delete_object(kept, options)?;
        let location = self.location();
        location.store().put(&location.full(&key), bytes.into())?;
        Ok(name)
    }

    /// Returns the key, the name and the bytes of a delete object.
    pub(crate) fn delete_object(
        &self,
        kept: &ConditionTree,
        options: &ChangeOptions,
    ) -> Result<(String, TimestampedName, Vec<u8>), ArrayError> {
        let time = options.time();
        let name = options
            .names
            .versioned((time, time), self.write_version())?;
        let key = format!("{COMMITS_FOLDER}/{name}.del");
        let payload = kept.encode(FormatVersion::WRITTEN, &()).at(&key)?;
        let tile = seal_tile(self.location(), &key, &payload)?;
        Ok((key, name, tile))
    }

    /// Checks all conditions of [`Array::delete_cells`], without storing anything.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] as [`Array::delete_cells`].
    pub fn check_delete_cells(
        &self,
        kept: &ConditionTree,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        self.check_delete(kept, self.write_version(), options.time())
    }

    fn check_delete(
        &self,
        kept: &ConditionTree,
        version: FormatVersion,
        time: u64,
    ) -> Result<(), ArrayError> {
        let fail = |name: String, why| {
            let what = "delete";
            Err(ArrayError::Invalid { what, name, why })
        };
        if self.newest_schema().is_dense() {
            let why = "cells of dense arrays cannot be deleted";
            return fail("cells".to_owned(), why);
        }
        if !version.stores_processed_conditions() {
            let why = "this version has no deletes; a newer one does: upgrade the schema";
            return fail(format!("in format version {version}"), why);
        }
        // An empty value means null, except for a var-sized field that is not nullable: there it is the empty string.
        let is_value = |field: &str| {
            let field = self.newest_schema().field(field);
            field.is_some_and(|field| field.is_var() && !field.nullable)
        };
        let mut values = kept.values();
        if let Some(value) = values.find(|v| v.value().is_empty() && !is_value(v.field())) {
            let why = "a delete cannot ask for null: TileDB cannot read it";
            return fail(format!("by {:?}", value.field()), why);
        }
        let within = self.fragments().iter().find(|fragment| {
            let (start, end) = fragment.timestamps();
            !fragment.metadata.extra_fields.timestamps && start <= time && time < end
        });
        match within {
            Some(_) => fail(format!("at {time}"), CUT),
            None => Ok(()),
        }
    }
}

/// The reason why a delete cannot be inside the time range of a consolidated fragment.
const CUT: &str = "a fragment holds cells of before and after, and does not tell which are which";
