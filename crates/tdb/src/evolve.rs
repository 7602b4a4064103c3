use std::sync::Arc;

use tdb_array::{ChangeOptions, Fragment, NameSource, SchemaEntry, TimestampedName};
use tdb_schema::{ArraySchema, CellValNum, Enumeration, SchemaError};
use tdb_tile::{Bug, Datatype, Range};

use crate::closed::closed_to_tiledb;
use crate::interval::Axis;
use crate::schema_changes;
use crate::{Array, Attribute, Error, Interval, Result, Time, Value};

/// A change of the schema in the making: each step is checked at once, nothing is stored before
/// [`commit`](Self::commit), and then all of it.
#[derive(Debug)]
pub struct Evolution {
    array: Array,
    schema: ArraySchema,
    enumerations: Vec<Enumeration>,
    options: ChangeOptions,
    /// The steps so far, so that they can be made again on top of the change of another program.
    steps: Vec<Step>,
}

/// A step of an evolution.
#[derive(Clone, Debug)]
enum Step {
    AddAttribute(tdb_schema::Attribute),
    DropAttribute(String),
    AddEnumeration(Enumeration),
    /// The name, and the labels as they are stored.
    ExtendEnumeration(String, Vec<Vec<u8>>),
    DropEnumeration(String),
    /// Along one dimension.
    Grow(String, Range),
    CurrentDomain(Vec<Range>),
    Upgrade,
}

impl Array {
    /// Begins a change of the schema. Cells that are stored stay as they are: an attribute that is added has its fill value
    /// in them, and one that is dropped can be read at earlier times until its fragments are merged
    /// (`MergeOptions::forget_dropped`).
    ///
    /// ```no_run
    /// use tdb::{Attribute, Datatype};
    ///
    /// let weather = tdb::open("weather")?;
    /// let mut evolution = weather.evolve()?;
    /// evolution.add_attribute(&Attribute::new("wind", Datatype::Float32).nullable())?;
    /// evolution.drop_attribute("remark")?;
    /// evolution.extend_enumeration("skies", ["hail"])?;
    /// evolution.commit()?;
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn evolve(&self) -> Result<Evolution> {
        let array = self.newest()?;
        Ok(Evolution {
            schema: ArraySchema::clone(array.engine().newest_schema()),
            array,
            enumerations: Vec::new(),
            options: ChangeOptions::default(),
            steps: Vec::new(),
        })
    }
}

impl Evolution {
    /// The time of the change; now by default.
    pub fn at(&mut self, time: impl Into<Time>) {
        self.options.timestamp = Some(time.into().0);
    }

    /// Where names and the current time come from.
    pub fn names(&mut self, names: Arc<dyn NameSource>) {
        self.options.names = names;
    }

    /// The schema as it is so far.
    #[must_use]
    pub fn schema(&self) -> &ArraySchema {
        &self.schema
    }

    /// Whether there was any step.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Adds an attribute.
    ///
    /// # Errors
    /// A name that is taken, an enumeration that is not there or has more labels than the datatype can count.
    pub fn add_attribute(&mut self, attribute: &Attribute) -> Result<()> {
        self.add_stored_attribute(attribute.build()?)
    }

    /// As [`Evolution::add_attribute`], of an attribute as it is stored.
    ///
    /// # Errors
    /// As [`Evolution::add_attribute`].
    pub fn add_stored_attribute(&mut self, attribute: tdb_schema::Attribute) -> Result<()> {
        self.step(Step::AddAttribute(attribute))
    }

    /// Drops an attribute.
    ///
    /// # Errors
    /// One that is not there, or the only one.
    pub fn drop_attribute(&mut self, name: &str) -> Result<()> {
        self.step(Step::DropAttribute(name.to_owned()))
    }

    /// Adds an enumeration of texts, for attributes that are added after it.
    ///
    /// # Errors
    /// A name that is taken; labels that are there twice.
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

    /// As [`Evolution::add_enumeration`], of an enumeration as it is stored.
    ///
    /// # Errors
    /// As [`Evolution::add_enumeration`].
    pub fn add_stored_enumeration(&mut self, enumeration: Enumeration) -> Result<()> {
        self.step(Step::AddEnumeration(enumeration))
    }

    /// Appends labels to an enumeration.
    ///
    /// # Errors
    /// An enumeration that is not there; labels that it has already, or of another type; more than its attributes can count.
    pub fn extend_enumeration<V: Into<Value>>(
        &mut self,
        name: &str,
        labels: impl IntoIterator<Item = V>,
    ) -> Result<()> {
        let old = self.enumeration(name)?;
        let what = format!("enumeration {name:?}");
        let more = labels.into_iter().map(|label| {
            let label: Value = label.into();
            label.stored(old.datatype(), false, &what)
        });
        let more = more.collect::<Result<Vec<Vec<u8>>>>()?;
        self.step(Step::ExtendEnumeration(name.to_owned(), more))
    }

    /// Drops an enumeration.
    ///
    /// # Errors
    /// One that is not there, or that an attribute has.
    pub fn drop_enumeration(&mut self, name: &str) -> Result<()> {
        self.step(Step::DropEnumeration(name.to_owned()))
    }

    /// Grows the current domain along a dimension; along the others it stays as it is.
    ///
    /// # Errors
    /// A dimension that is not there, an array without a current domain, an interval that does not contain what the domain
    /// was.
    pub fn grow(&mut self, dimension: &str, interval: impl Into<Interval>) -> Result<()> {
        let grown = Axis::dimension(&self.schema, dimension)?.range(&interval.into(), false)?;
        self.step(Step::Grow(dimension.to_owned(), grown))
    }

    /// The current domain, one range for each dimension; it can only grow.
    ///
    /// # Errors
    /// Ranges that do not fit the domain, or do not contain what the current domain was.
    pub fn current_domain(&mut self, ranges: Vec<Range>) -> Result<()> {
        self.step(Step::CurrentDomain(ranges))
    }

    /// How many fragments reach beyond the current domain, if there is one: reads leave out the cells that lie outside. An array
    /// that has none yet may get one that is smaller than what was written.
    #[must_use]
    pub fn fragments_outside(&self) -> usize {
        let Some(bounds) = &self.schema.current_domain else {
            return 0;
        };
        let is_within = |fragment: &&Fragment| {
            let sides = self.schema.dimensions.iter().zip(bounds);
            let mut sides = sides.zip(&fragment.metadata.non_empty_domain);
            sides.all(|((dimension, bounds), filled)| bounds.covers(dimension.datatype, filled))
        };
        let fragments = self.array.engine().fragments().iter();
        fragments.filter(|fragment| !is_within(fragment)).count()
    }

    /// Why TileDB can no longer read the cells that are stored once this is done; `None` where it can. It is so of evolutions by
    /// TileDB itself, too.
    #[must_use]
    pub fn closed_to_tiledb(&self) -> Option<&'static str> {
        closed_to_tiledb(self.array.engine().fragments())
    }

    /// Writes the schema at the newest format version that releases read.
    ///
    /// # Errors
    /// A schema that breaks a rule of that version.
    pub fn upgrade(&mut self) -> Result<()> {
        self.step(Step::Upgrade)
    }

    /// What becomes of the schema, each a short sentence without an end: `added attribute "wind" (float32)`.
    ///
    /// # Errors
    /// What is stored of the schema cannot be read.
    pub fn changes(&self) -> Result<Vec<String>> {
        schema_changes::evolution(self.array.engine().newest_schema(), &self.schema)
    }

    /// Whether the schema could be stored: what [`commit`](Self::commit) looks at before it does.
    ///
    /// # Errors
    /// Where there was no step, and where the array has a schema of a later time.
    pub fn check(&self) -> Result<()> {
        if !self.is_changed() {
            return Err(Error::invalid("nothing to change"));
        }
        let array = self.array.engine();
        let checked = array.check_evolution(&self.schema, &self.enumerations, self.options.time());
        checked.map_err(|error| self.array.failed(error))
    }

    /// Stores the schema; returns the name that it has in `__schema`. Where other programs have changed the schema since this
    /// evolution began, the steps are made again on top of their change.
    ///
    /// # Errors
    /// As [`check`](Self::check); a step that cannot be made any more; as the store reports.
    pub fn commit(mut self) -> Result<String> {
        self.check()?;
        let mut change = self.array.read_modify_write(&self.options)?;
        let view = change.view();
        let view = view.map_err(|error| self.array.failed(error))?;
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
            // What another program stored below it meanwhile was not seen. Cells may have been written by this schema already,
            // so it stays, and the next one has both changes.
            let now = self.array.newest()?;
            match self.hidden_below(&now, &name) {
                Some(hidden) => self.rebase(now, Some(&hidden))?,
                None => return Ok(name.to_string()),
            }
        }
    }

    /// Makes the steps again on another schema of the array.
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
                error.with_hint(
                    "another program has changed the schema meanwhile: tdb schema shows it",
                )
            })?;
        }
        Ok(())
    }

    /// The newest schema below this one that was not seen.
    fn hidden_below(&self, now: &Array, name: &TimestampedName) -> Option<SchemaEntry> {
        let seen = self.array.engine().directory().schemas();
        let below = now.engine().directory().schemas().iter();
        let below = below.take_while(|entry| entry.schema_name() != name.as_str());
        below.filter(|entry| !seen.contains(entry)).last().cloned()
    }

    fn step(&mut self, step: Step) -> Result<()> {
        let schema = self.schema.clone();
        let changed = match &step {
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
        let changed = changed.map_err(wrong)?;
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

    /// The current domain, grown along a dimension.
    fn grown(&self, dimension: &str, grown: &Range) -> Result<Vec<Range>> {
        let index = self.schema.dimension_index(dimension);
        let mut ranges = self.schema.current_domain.clone().ok_or_else(|| {
            let error = Error::invalid("the array has no current domain");
            error.with_hint("`current_domain` gives it one, of all dimensions")
        })?;
        if let Some(range) = index.and_then(|index| ranges.get_mut(index)) {
            *range = grown.clone();
        }
        Ok(ranges)
    }

    /// An enumeration as it is so far.
    ///
    /// # Errors
    /// One that is not there; what is stored cannot be read.
    pub fn enumeration(&self, name: &str) -> Result<Enumeration> {
        let mut changed = self.enumerations.iter();
        if let Some(enumeration) = changed.find(|known| known.name() == name) {
            return Ok(enumeration.clone());
        }
        let stored = self.array.engine().newest_enumeration(name);
        let stored = stored.map_err(|error| self.array.failed(error))?;
        Ok(Enumeration::clone(&stored))
    }
}

fn wrong(error: SchemaError) -> Error {
    Error::invalid(error.to_string())
}
