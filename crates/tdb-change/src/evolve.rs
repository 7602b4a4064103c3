use std::sync::Arc;

use tdb_array::{ChangeOptions, Fragment, NameSource, SchemaEntry, TimestampedName};
use tdb_open::{Array, Attribute, Axis, Error, Interval, Result, Time, Value};
use tdb_schema::{ArraySchema, CellValNum, Enumeration, SchemaError};
use tdb_tile::{Bug, Datatype, Range};

use crate::schema_changes;
use crate::unreadable_fragments::closed_to_tiledb;

/// A pending change of the schema. Each step is checked at once; nothing is stored before [`commit`](Self::commit),
/// which stores all steps together.
#[derive(Debug)]
pub struct Evolution {
    array: Array,
    schema: ArraySchema,
    enumerations: Vec<Enumeration>,
    options: ChangeOptions,
    /// The steps so far, kept so that they can be repeated on top of another program's change.
    steps: Vec<Step>,
}

/// One step of an evolution.
#[derive(Clone, Debug)]
enum Step {
    AddAttribute(tdb_schema::Attribute),
    DropAttribute(String),
    AddEnumeration(Enumeration),
    /// Name of the enumeration, and the new labels in stored form.
    ExtendEnumeration(String, Vec<Vec<u8>>),
    DropEnumeration(String),
    /// Name of the dimension, and its new range.
    Grow(String, Range),
    CurrentDomain(Vec<Range>),
    Upgrade,
}

/// Begins a change of the schema. Stored cells stay as they are: an added attribute has its fill value in them,
/// and a dropped one can still be read as of earlier times until its fragments are merged
/// (`MergeOptions::forget_dropped`).
///
/// # Errors
/// Fails if the stored array cannot be read.
pub fn evolve(array: &Array) -> Result<Evolution> {
    let array = array.newest()?;
    Ok(Evolution {
        schema: ArraySchema::clone(array.engine().newest_schema()),
        array,
        enumerations: Vec::new(),
        options: ChangeOptions::default(),
        steps: Vec::new(),
    })
}

impl Evolution {
    /// Sets the time of the change; now by default.
    pub fn at(&mut self, time: impl Into<Time>) {
        self.options.timestamp = Some(time.into().0);
    }

    /// Sets the time of the change, which may be before that of the newest schema: see
    /// [`ChangeOptions::earlier_schemas`](field@ChangeOptions::earlier_schemas).
    pub fn at_any(&mut self, time: impl Into<Time>) {
        self.at(time);
        self.options.earlier_schemas = true;
    }

    /// Sets the source of names and of the current time.
    pub fn names(&mut self, names: Arc<dyn NameSource>) {
        self.options.names = names;
    }

    /// Returns the schema after the steps so far.
    #[must_use]
    pub fn schema(&self) -> &ArraySchema {
        &self.schema
    }

    /// True if there was any step.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Adds an attribute.
    ///
    /// # Errors
    /// Fails if the name is taken, or if the enumeration does not exist or has more labels than the datatype can
    /// count.
    pub fn add_attribute(&mut self, attribute: &Attribute) -> Result<()> {
        self.add_stored_attribute(attribute.build()?)
    }

    /// As [`Evolution::add_attribute`], for an attribute in stored form.
    ///
    /// # Errors
    /// As [`Evolution::add_attribute`].
    pub fn add_stored_attribute(&mut self, attribute: tdb_schema::Attribute) -> Result<()> {
        self.step(Step::AddAttribute(attribute))
    }

    /// Drops an attribute.
    ///
    /// # Errors
    /// Fails if the attribute does not exist or is the only one.
    pub fn drop_attribute(&mut self, name: &str) -> Result<()> {
        self.step(Step::DropAttribute(name.to_owned()))
    }

    /// Adds an enumeration of text labels, for attributes that are added afterwards.
    ///
    /// # Errors
    /// Fails if the name is taken or if labels repeat.
    pub fn add_enumeration<V: Into<String>>(
        &mut self,
        name: &str,
        labels: impl IntoIterator<Item = V>,
    ) -> Result<()> {
        let labels: Vec<String> = labels.into_iter().map(Into::into).collect();
        let file = self.options.names.enumeration()?;
        let (text, var) = (Datatype::StringUtf8, CellValNum::Var);
        let made = Enumeration::from_values(name, file, text, var, false, &labels);
        self.add_stored_enumeration(made.map_err(wrong)?)
    }

    /// As [`Evolution::add_enumeration`], for an enumeration in stored form.
    ///
    /// # Errors
    /// As [`Evolution::add_enumeration`].
    pub fn add_stored_enumeration(&mut self, enumeration: Enumeration) -> Result<()> {
        self.step(Step::AddEnumeration(enumeration))
    }

    /// Appends to an enumeration the values that `longer` has after its own.
    ///
    /// # Errors
    /// Fails if the enumeration does not exist, if `longer` does not begin with its values, or if there are more than
    /// its attributes can count.
    pub fn extend_stored_enumeration(&mut self, longer: &Enumeration) -> Result<()> {
        let old = self.enumeration(longer.name())?;
        if !longer.extends(&old) {
            let name = longer.name();
            return Err(Error::invalid(format!(
                "enumeration {name:?}: the values it has must stay, in their order"
            )));
        }
        let more = longer.iter().skip(old.len()).map(<[u8]>::to_vec);
        self.step(Step::ExtendEnumeration(
            longer.name().to_owned(),
            more.collect(),
        ))
    }

    /// Appends labels to an enumeration.
    ///
    /// # Errors
    /// Fails if the enumeration does not exist, if labels exist already or have another type, or if there are more
    /// than its attributes can count.
    pub fn extend_enumeration<V: Into<Value>>(
        &mut self,
        name: &str,
        labels: impl IntoIterator<Item = V>,
    ) -> Result<()> {
        let old = self.enumeration(name)?;
        let what = format!("enumeration {name:?}");
        let more = labels
            .into_iter()
            .map(|label| {
                let label: Value = label.into();
                label.stored(old.datatype(), false, &what)
            })
            .collect::<Result<Vec<Vec<u8>>>>()?;
        self.step(Step::ExtendEnumeration(name.to_owned(), more))
    }

    /// Drops an enumeration.
    ///
    /// # Errors
    /// Fails if the enumeration does not exist or an attribute uses it.
    pub fn drop_enumeration(&mut self, name: &str) -> Result<()> {
        self.step(Step::DropEnumeration(name.to_owned()))
    }

    /// Grows the current domain along one dimension; the others stay as they are.
    ///
    /// # Errors
    /// Fails if the dimension does not exist, if the array has no current domain, or if the interval does not contain
    /// the old range.
    pub fn grow(&mut self, dimension: &str, interval: impl Into<Interval>) -> Result<()> {
        let grown = Axis::dimension(&self.schema, dimension)?.range(&interval.into(), false)?;
        self.step(Step::Grow(dimension.to_owned(), grown))
    }

    /// Sets the current domain, one range per dimension; it can only grow.
    ///
    /// # Errors
    /// Fails if the ranges do not fit the domain or do not contain the old current domain.
    pub fn current_domain(&mut self, ranges: Vec<Range>) -> Result<()> {
        self.step(Step::CurrentDomain(ranges))
    }

    /// Returns the number of fragments that reach beyond the current domain, if there is one; reads omit cells
    /// outside. The first current domain of an array may be smaller than what was written.
    #[must_use]
    pub fn fragments_outside(&self) -> usize {
        let Some(bounds) = &self.schema.current_domain else {
            return 0;
        };
        let is_within = |fragment: &&Fragment| {
            let mut sides = self
                .schema
                .dimensions
                .iter()
                .zip(bounds)
                .zip(&fragment.metadata.non_empty_domain);
            sides.all(|((dimension, bounds), filled)| bounds.covers(dimension.datatype, filled))
        };
        let fragments = self.array.engine().fragments().iter();
        fragments.filter(|fragment| !is_within(fragment)).count()
    }

    /// Returns why TileDB can no longer read the stored cells after this change; `None` if it can. The same holds for
    /// evolutions made by TileDB itself.
    #[must_use]
    pub fn closed_to_tiledb(&self) -> Option<&'static str> {
        closed_to_tiledb(self.array.engine().fragments())
    }

    /// Upgrades the schema to the format version that this crate writes: the newest that released versions of TileDB
    /// read.
    ///
    /// # Errors
    /// Fails if the schema breaks a rule of that version.
    pub fn upgrade(&mut self) -> Result<()> {
        self.step(Step::Upgrade)
    }

    /// Returns the changes, each as a short phrase without a full stop: `added attribute "wind" (float32)`.
    ///
    /// # Errors
    /// Fails if the stored schema cannot be read.
    pub fn changes(&self) -> Result<Vec<String>> {
        schema_changes::evolution(self.array.engine().newest_schema(), &self.schema)
    }

    /// Checks that the schema could be stored, as [`commit`](Self::commit) does before storing.
    ///
    /// # Errors
    /// Fails if there was no step, or if the array has a schema with a later timestamp.
    pub fn check(&self) -> Result<()> {
        if !self.is_changed() {
            return Err(Error::invalid("nothing to change"));
        }
        let array = self.array.engine();
        let checked = array.check_evolution(
            &self.schema,
            &self.enumerations,
            &self.options,
            self.options.time(),
        );
        checked.map_err(|error| self.array.failed(error))
    }

    /// Stores the schema and returns its name in `__schema`. If another program has changed the schema since this
    /// evolution began, the steps are repeated on top of that change.
    ///
    /// # Errors
    /// As [`check`](Self::check); fails also if a step is no longer possible, or if the store fails.
    pub fn commit(mut self) -> Result<String> {
        self.check()?;
        let mut change = self.array.read_modify_write(&self.options)?;
        let view = change.view().map_err(|error| self.array.failed(error))?;
        let newest = view.array().directory().schemas().last().cloned();
        if newest.as_ref() != self.array.engine().directory().schemas().last() {
            self.rebase(self.array.of_view(&view), newest.as_ref())?;
        }
        let mut stored: Vec<String> = Vec::new();
        loop {
            self.check()?;
            let mut enumerations = self.enumerations.clone();
            enumerations.retain(|known| !stored.iter().any(|file| file == known.file()));
            let array = self.array.engine();
            let evolved = array.evolve(&self.schema, &enumerations, &self.options);
            let name = evolved.map_err(|error| self.array.failed(error))?;
            stored.extend(enumerations.iter().map(|known| known.file().to_owned()));
            // Another program may have stored a schema with an earlier name meanwhile, which this one does not
            // include. Cells may already use the schema just stored, so it stays, and the next one combines both
            // changes.
            let now = self.array.newest()?;
            match self.hidden_below(&now, &name) {
                Some(hidden) => self.rebase(now, Some(&hidden))?,
                None => return Ok(name.to_string()),
            }
        }
    }

    /// Repeats the steps on another schema of the array.
    fn rebase(&mut self, array: Array, base: Option<&SchemaEntry>) -> Result<()> {
        let mut schemas = array.engine().schemas();
        let base = schemas.find(|(name, _)| base.is_some_and(|base| base.schema_name() == *name));
        let (_, base) = base.ok_or_else(|| Bug::new("a schema of the array that is not there"))?;
        self.schema = ArraySchema::clone(base);
        drop(schemas);
        self.array = array;
        self.enumerations.clear();
        for step in std::mem::take(&mut self.steps) {
            self.step(step).map_err(|error| {
                error.with_hint("another process has changed the schema meanwhile: see tdb schema")
            })?;
        }
        Ok(())
    }

    /// Returns the newest schema ordered before `name` that this evolution has not seen.
    fn hidden_below(&self, now: &Array, name: &TimestampedName) -> Option<SchemaEntry> {
        let seen = self.array.engine().directory().schemas();
        let below = now
            .engine()
            .directory()
            .schemas()
            .iter()
            .take_while(|entry| entry.schema_name() != name.as_str());
        below.filter(|entry| !seen.contains(entry)).last().cloned()
    }

    fn step(&mut self, step: Step) -> Result<()> {
        let schema = self.schema.clone();
        let answer = match &step {
            Step::AddAttribute(attribute) => schema.with_attribute(attribute.clone()),
            Step::DropAttribute(name) => schema.without_attribute(name),
            Step::AddEnumeration(enumeration) => {
                let changed = schema.with_enumeration(enumeration).map_err(wrong)?;
                self.enumerations.push(enumeration.clone());
                Ok(changed)
            }
            Step::ExtendEnumeration(name, labels) => {
                let old = self.enumeration(name)?;
                let file = self.options.names.enumeration()?;
                let new = old.extended(file, labels.clone()).map_err(wrong)?;
                let changed = schema
                    .with_extended_enumeration(&old, &new)
                    .map_err(wrong)?;
                self.enumerations.retain(|known| known.name() != name);
                self.enumerations.push(new);
                Ok(changed)
            }
            Step::DropEnumeration(name) => schema.without_enumeration(name),
            Step::Grow(dimension, range) => {
                schema.with_current_domain(self.grown(dimension, range)?)
            }
            Step::CurrentDomain(ranges) => schema.with_current_domain(ranges.clone()),
            Step::Upgrade => Ok(schema.upgraded()),
        };
        let changed = answer.map_err(wrong)?;
        if let Step::AddAttribute(attribute) = &step
            && let Some(name) = &attribute.enumeration
        {
            let enumeration = self.enumeration(name)?;
            changed.check_indices(&enumeration).map_err(wrong)?;
        }
        self.schema = changed;
        self.steps.push(step);
        Ok(())
    }

    /// Returns the current domain with one dimension replaced by `grown`.
    fn grown(&self, dimension: &str, grown: &Range) -> Result<Vec<Range>> {
        let index = self.schema.dimension_index(dimension);
        let mut ranges = self.schema.current_domain.clone().ok_or_else(|| {
            let error = Error::invalid("the array has no current domain");
            error.with_hint("use `current_domain` to set one for all dimensions")
        })?;
        if let Some(range) = index.and_then(|index| ranges.get_mut(index)) {
            *range = grown.clone();
        }
        Ok(ranges)
    }

    /// Returns an enumeration after the steps so far.
    ///
    /// # Errors
    /// Fails if the enumeration does not exist or cannot be read.
    pub fn enumeration(&self, name: &str) -> Result<Enumeration> {
        let mut changed = self.enumerations.iter();
        if let Some(enumeration) = changed.find(|known| known.name() == name) {
            return Ok(enumeration.clone());
        }
        let stored = self
            .array
            .engine()
            .newest_enumeration(name)
            .map_err(|error| self.array.failed(error))?;
        Ok(Enumeration::clone(&stored))
    }
}

fn wrong(error: SchemaError) -> Error {
    Error::invalid(error.to_string())
}
