//! Changes of an array that exists: its metadata, its schema, deletes.

use tdb_fragment::ConditionTree;
use tdb_schema::{ArraySchema, Enumeration};
use tdb_tile::{FormatVersion, Record};

use crate::directory::COMMITS_FOLDER;
use crate::put::{later_name, put_enumeration, put_metadata, put_schema, refused, seal_tile};
use crate::{Array, ArrayError, At, ChangeOptions, MetadataRecord, TimestampedName};

impl Array {
    /// Sets and removes metadata, as one change: a record without value removes its key. Of two records
    /// of one key the later one counts. The array's own key encrypts it.
    ///
    /// # Errors
    /// A value of datatype `any`; as the store reports.
    pub fn put_metadata(
        &self,
        records: Vec<MetadataRecord>,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        put_metadata(self.location(), records, options)
    }

    /// Gives the array another schema, from the time of the change on; returns the name under which it is stored.
    ///
    /// `schema` comes from [`Snapshot::newest_schema`](crate::Snapshot::newest_schema) by the steps of evolution of [`ArraySchema`], `enumerations` are
    /// those that are new in it. They are stored first, the schema last.
    ///
    /// # Errors
    /// As [`Array::check_evolution`]; as the store reports.
    pub fn evolve(
        &self,
        schema: &ArraySchema,
        enumerations: &[Enumeration],
        options: &ChangeOptions,
    ) -> Result<TimestampedName, ArrayError> {
        let time = options.time();
        self.check_evolution(schema, enumerations, time)?;
        for enumeration in enumerations {
            put_enumeration(self.location(), enumeration)?;
        }
        let others = self.directory().schemas().iter();
        let others = others.filter_map(|entry| entry.name.as_ref());
        let name = later_name(options, time, others)?;
        put_schema(self.location(), &name, schema)?;
        Ok(name)
    }

    /// Whether the array can be given this schema at a time: what [`Array::evolve`] looks at before it stores anything.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] where the array has a schema of a later time, and for a schema that breaks a rule.
    pub fn check_evolution(
        &self,
        schema: &ArraySchema,
        enumerations: &[Enumeration],
        time: u64,
    ) -> Result<(), ArrayError> {
        let newest = self.newest_entry().and_then(|entry| entry.name.as_ref());
        if newest.is_some_and(|newest| newest.end() > time) {
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

    /// Deletes cells that were written up to the time of the change: all but those that `kept` holds for.
    /// Cells that are null in a field that `kept` compares go too; `delete_cells` of `tdb-query` looks first
    /// whether there are any. Returns the name of the delete.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] for a dense array, for one of a version without deletes, for a condition
    /// that asks for null, which TileDB stores and cannot read again, and for a time within that of a fragment
    /// which was consolidated without the times of its cells; as the store reports.
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

    /// The object of a delete: its key, its name and its bytes.
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

    /// Fails where [`Array::delete_cells`] would, before it stores anything.
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
        // Of a string that cannot be null, no bytes are a value.
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

/// Why a delete cannot be of a time within that of a consolidated fragment.
const CUT: &str = "a fragment holds cells of before and after, and does not tell which are which";
