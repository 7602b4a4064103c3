//! Changes of the schemas of arrays.

use std::ffi::c_char;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb::Evolution as Change;
use tdb::engine::schema::{Attribute, Enumeration};

use crate::attribute::tiledb_attribute_t;
use crate::border::context::{tiledb_ctx_t, with_settings};
use crate::border::handles::get_optional;
use crate::border::pointers::{check_place, put, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::config::tiledb_config_t;
use crate::current_domain::tiledb_current_domain_t;
use crate::enumeration::tiledb_enumeration_t;
use crate::schema_object::unknown_enumeration;
use crate::shapes::CurrentDomain;

/// Steps of a change of a schema, collected until an array is given.
#[derive(Debug, Default)]
pub(crate) struct Evolution(Mutex<Steps>);

#[derive(Clone, Debug, Default)]
struct Steps {
    added_enumerations: Vec<Enumeration>,
    extended_enumerations: Vec<Enumeration>,
    added_attributes: Vec<Attribute>,
    dropped_attributes: Vec<String>,
    dropped_enumerations: Vec<String>,
    current_domain: Option<Arc<CurrentDomain>>,
    /// The time of the change; 0 for now.
    time: u64,
}

impl Evolution {
    fn lock(&self) -> MutexGuard<'_, Steps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

handle!(
    /// Steps of a change of a schema.
    tiledb_array_schema_evolution_t => Evolution, "array schema evolution"
);

fn failed(text: impl Into<String>) -> Error {
    Error::short("ArraySchemaEvolution", text)
}

impl Steps {
    fn add_attribute(&mut self, attribute: Attribute) -> Result<()> {
        let name = &attribute.name;
        if self
            .added_attributes
            .iter()
            .any(|known| known.name == *name)
        {
            return Err(failed(
                "Cannot add attribute; Input attribute name is already there",
            ));
        }
        self.dropped_attributes.retain(|dropped| dropped != name);
        self.added_attributes.push(attribute);
        Ok(())
    }

    fn drop_attribute(&mut self, name: &str) {
        self.added_attributes.retain(|added| added.name != name);
        if !self
            .dropped_attributes
            .iter()
            .any(|dropped| dropped == name)
        {
            self.dropped_attributes.push(name.to_owned());
        }
    }

    fn drop_enumeration(&mut self, name: &str) {
        self.added_enumerations.retain(|added| added.name() != name);
        self.extended_enumerations
            .retain(|extended| extended.name() != name);
        if !self
            .dropped_enumerations
            .iter()
            .any(|dropped| dropped == name)
        {
            self.dropped_enumerations.push(name.to_owned());
        }
    }

    /// Takes the steps, in TileDB's order: enumerations come before the attributes that use them, and go after them.
    fn take(self, change: &mut Change) -> Result<()> {
        for enumeration in self.added_enumerations {
            change.add_stored_enumeration(enumeration)?;
        }
        for enumeration in &self.extended_enumerations {
            extend(change, enumeration)?;
        }
        for attribute in self.added_attributes {
            check_enumeration(change, &attribute)?;
            change.add_stored_attribute(attribute)?;
        }
        for name in &self.dropped_attributes {
            if change.schema().attribute_index(name).is_none() {
                return Err(failed(
                    "Cannot drop attribute; Input attribute name refers to a dimension or does not exist",
                ));
            }
            change.drop_attribute(name)?;
        }
        for name in &self.dropped_enumerations {
            drop_enumeration(change, name)?;
        }
        match self.current_domain {
            Some(current_domain) => expand(change, &current_domain),
            None => Ok(()),
        }
    }
}

/// Replaces an enumeration by a longer one.
fn extend(change: &mut Change, longer: &Enumeration) -> Result<()> {
    let name = longer.name();
    let mut known = change.schema().enumerations.iter();
    if !known.any(|entry| entry.name == name) {
        return Err(Error::short(
            "ArraySchema",
            format!("Unable to get enumeration path name. Unknown enumeration named '{name}'."),
        ));
    }
    let old = change.enumeration(name)?;
    if longer.len() <= old.len() || !longer.extends(&old) {
        return Err(Error::short(
            "ArraySchema",
            format!(
                "Error extending enumeration. Provided enumeration is not an extension of the current state of '{name}'"
            ),
        ));
    }
    Ok(change.extend_stored_enumeration(longer)?)
}

fn check_enumeration(change: &Change, attribute: &Attribute) -> Result<()> {
    let Some(name) = &attribute.enumeration else {
        return Ok(());
    };
    let mut known = change.schema().enumerations.iter();
    if known.any(|entry| entry.name == *name) {
        return Ok(());
    }
    Err(unknown_enumeration(name))
}

/// Drops an enumeration, if there is one of that name.
fn drop_enumeration(change: &mut Change, name: &str) -> Result<()> {
    let schema = change.schema();
    if !schema.enumerations.iter().any(|entry| entry.name == name) {
        return Ok(());
    }
    let mut users = schema.attributes.iter();
    if let Some(user) = users.find(|a| a.enumeration.as_deref() == Some(name)) {
        return Err(Error::short(
            "ArraySchema",
            format!(
                "Unable to drop enumeration '{name}' as it is used by attribute '{}'.",
                user.name
            ),
        ));
    }
    Ok(change.drop_enumeration(name)?)
}

fn expand(change: &mut Change, current_domain: &CurrentDomain) -> Result<()> {
    let schema = change.schema();
    let Some(ranges) = current_domain.ranges(&schema.dimensions)? else {
        return Ok(());
    };
    let old = schema.current_domain.iter().flatten();
    let mut pairs = old.zip(&ranges).zip(&schema.dimensions);
    if pairs.any(|((old, new), dimension)| !new.covers(dimension.datatype, old)) {
        return Err(Error::short(
            "ArraySchema",
            "The current domain of an array can only be expanded, please adjust your new current domain object.",
        ));
    }
    Ok(change.current_domain(ranges)?)
}

/// Changes the schema of an array by the steps that were collected.
///
/// # Safety
/// `array_uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_evolve(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
) -> i32 {
    call(ctx, |context| {
        let steps = get(array_schema_evolution)?.lock().clone();
        let mut change = context.engine()?.open(text(array_uri)?)?.evolve()?;
        if steps.time != 0 {
            change.at_any(steps.time);
        }
        steps.take(&mut change)?;
        if change.is_changed() {
            change.commit()?;
        }
        Ok(())
    })
}

/// Adds a copy of an attribute.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_add_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    attribute: *mut tiledb_attribute_t,
) -> i32 {
    call(ctx, |_| {
        let evolution = get(array_schema_evolution)?;
        let attribute = get(attribute)?.field();
        evolution.lock().add_attribute(attribute)
    })
}

/// Adds an enumeration.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_add_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration: *mut tiledb_enumeration_t,
) -> i32 {
    call(ctx, |_| {
        let evolution = get(array_schema_evolution)?;
        let enumeration = get(enumeration)?.values().clone();
        let mut steps = evolution.lock();
        let mut added = steps.added_enumerations.iter();
        if added.any(|known| known.name() == enumeration.name()) {
            return Err(failed(
                "Cannot add enumeration; Input enumeration name is already added",
            ));
        }
        steps.added_enumerations.push(enumeration);
        Ok(())
    })
}

/// Begins to collect steps.
///
/// # Safety
/// `array_schema_evolution` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_alloc(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) -> i32 {
    call(ctx, |_| {
        check_place(array_schema_evolution)?;
        put(array_schema_evolution, give(Evolution::default()))
    })
}

/// Drops an attribute.
///
/// # Safety
/// `attribute_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_drop_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    attribute_name: *const c_char,
) -> i32 {
    call(ctx, |_| {
        let evolution = get(array_schema_evolution)?;
        evolution.lock().drop_attribute(text(attribute_name)?);
        Ok(())
    })
}

/// Drops an enumeration.
///
/// # Safety
/// `enumeration_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_drop_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration_name: *const c_char,
) -> i32 {
    call(ctx, |_| {
        let evolution = get(array_schema_evolution)?;
        evolution.lock().drop_enumeration(text(enumeration_name)?);
        Ok(())
    })
}

/// Sets the current domain, which must contain the present one.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_expand_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    expanded_domain: *mut tiledb_current_domain_t,
) -> i32 {
    call(ctx, |_| {
        let evolution = get(array_schema_evolution)?;
        let expanded = get(expanded_domain)?;
        if expanded.rectangle().is_none() {
            return Err(failed(
                "Unable to expand the array current domain, the new current domain specified is empty",
            ));
        }
        evolution.lock().current_domain = Some(expanded);
        Ok(())
    })
}

/// Replaces an enumeration by one that has the same values, and more after them.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_extend_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration: *mut tiledb_enumeration_t,
) -> i32 {
    call(ctx, |_| {
        let evolution = get(array_schema_evolution)?;
        let enumeration = get(enumeration)?.values().clone();
        let mut steps = evolution.lock();
        let mut extended = steps.extended_enumerations.iter();
        if extended.any(|known| known.name() == enumeration.name()) {
            return Err(failed(
                "Cannot extend enumeration; Input enumeration name has already been extended in this evolution.",
            ));
        }
        steps.extended_enumerations.push(enumeration);
        Ok(())
    })
}

/// Frees the steps.
///
/// # Safety
/// `array_schema_evolution` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_free(
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) {
    free(array_schema_evolution);
}

/// Sets the time of the change, in milliseconds since 1970: both ends are the same.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_set_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    lo: u64,
    hi: u64,
) -> i32 {
    call(ctx, |_| {
        let evolution = get(array_schema_evolution)?;
        if lo != hi {
            return Err(failed(format!(
                "Cannot set timestamp range; first element {lo} and second element {hi} are not equal!"
            )));
        }
        evolution.lock().time = lo;
        Ok(())
    })
}

/// Stores the schema of an array of an older version anew in the version that is written now.
///
/// # Safety
/// `array_uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_upgrade_version(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |context| {
        let mut engine = context.engine()?.clone();
        if let Some(config) = get_optional(config)? {
            engine = with_settings(&engine, &config.settings())?;
        }
        let mut change = engine.open(text(array_uri)?)?.evolve()?;
        let old = change.schema().version;
        change.upgrade()?;
        if change.schema().version != old {
            change.commit()?;
        }
        Ok(())
    })
}
