//! `tdb evolve`: the schema of an array, changed.

use std::sync::Arc;

use clap::Args;
use serde_json::Value as Json;
use tdb_array::{Array, ArrayError, NameSource};
use tdb_schema::json::{
    attributes_from_json, cell_from_json, enumerations_from_json, ranges_from_json,
};
use tdb_schema::{ArraySchema, Enumeration, SchemaError};

use super::change;
use crate::access::{Change, session};
use crate::failure::Failure;
use crate::global::Global;
use tdb::place;

/// JSON is in the shape of `tdb schema --json`: one or a list of them, or `@FILE`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tdb evolve target/weather --drop-attr remark \
    --add-attr '{\"name\": \"wind\", \"datatype\": \"float32\"}'"
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// Attributes to add
    #[arg(long, value_name = "JSON")]
    add_attr: Vec<String>,
    /// An attribute to drop; its cells stay readable at earlier times
    #[arg(long, value_name = "NAME")]
    drop_attr: Vec<String>,
    /// Enumerations to add
    #[arg(long, value_name = "JSON")]
    add_enum: Vec<String>,
    /// Enumerations to extend: their names, and the values to append
    #[arg(long, value_name = "JSON")]
    extend_enum: Vec<String>,
    /// An enumeration to drop, that no attribute has
    #[arg(long, value_name = "NAME")]
    drop_enum: Vec<String>,
    /// The current domain, which can only grow: `{"DIM": [LO, HI]}`
    #[arg(long, value_name = "JSON")]
    current_domain: Option<String>,
    /// Write the schema at the newest format version
    #[arg(long)]
    upgrade: bool,
}

pub(crate) fn run(arguments: &Arguments, global: &Global) -> Result<(), Failure> {
    let change = Change::new(global, &session(global))?;
    let location = place::array(&arguments.array, &global.counts)?;
    let array = change::open_array(&location, &change.access)?;
    let mut evolution = Evolution {
        array: &array,
        names: change.options.names.clone(),
        schema: ArraySchema::clone(array.newest_schema()),
        enumerations: Vec::new(),
    };
    if !evolution.change(arguments)? {
        let failure = Failure::invalid("nothing to change");
        return Err(failure.hint("tdb evolve --help lists what can be changed"));
    }
    array
        .evolve(&evolution.schema, &evolution.enumerations, &change.options)
        .map_err(|error| Failure::in_place(error, &location))
}

struct Evolution<'a> {
    array: &'a Array,
    names: Arc<dyn NameSource>,
    schema: ArraySchema,
    enumerations: Vec<Enumeration>,
}

impl Evolution<'_> {
    /// Makes all steps in an order in which one can need another; says whether there was any.
    fn change(&mut self, arguments: &Arguments) -> Result<bool, Failure> {
        let mut steps = 0;
        for text in &arguments.add_enum {
            self.add_enumerations(&change::json_argument("--add-enum", text)?)?;
            steps += 1;
        }
        for text in &arguments.extend_enum {
            let json = change::json_argument("--extend-enum", text)?;
            for json in each(&json) {
                self.extend_enumeration(json)?;
            }
            steps += 1;
        }
        for name in &arguments.drop_attr {
            self.step(|schema| schema.without_attribute(name))?;
            steps += 1;
        }
        for text in &arguments.add_attr {
            self.add_attributes(&change::json_argument("--add-attr", text)?)?;
            steps += 1;
        }
        for name in &arguments.drop_enum {
            self.step(|schema| schema.without_enumeration(name))?;
            steps += 1;
        }
        if let Some(text) = &arguments.current_domain {
            let json = change::json_argument("--current-domain", text)?;
            let ranges =
                ranges_from_json(&self.schema, &json, "--current-domain").map_err(wrong)?;
            self.step(|schema| schema.with_current_domain(ranges))?;
            steps += 1;
        }
        if arguments.upgrade {
            self.step(|schema| Ok(schema.upgraded()))?;
            steps += 1;
        }
        Ok(steps > 0)
    }

    fn step(
        &mut self,
        step: impl FnOnce(ArraySchema) -> Result<ArraySchema, SchemaError>,
    ) -> Result<(), Failure> {
        self.schema = step(self.schema.clone()).map_err(wrong)?;
        Ok(())
    }

    fn add_attributes(&mut self, json: &Json) -> Result<(), Failure> {
        // What is stored is of the newest version, filters included.
        let version = self.schema.clone().upgraded().version;
        for attribute in attributes_from_json(json, version, "--add-attr").map_err(wrong)? {
            let name = attribute.name.clone();
            self.step(|schema| schema.with_attribute(attribute))?;
            self.check_indices(&name)?;
        }
        Ok(())
    }

    /// An added attribute must count the values of an enumeration that is there already.
    fn check_indices(&self, attribute: &str) -> Result<(), Failure> {
        let index = self.schema.attribute_index(attribute);
        let attribute = index.and_then(|index| self.schema.attributes.get(index));
        let Some(name) = attribute.and_then(|attribute| attribute.enumeration.as_deref()) else {
            return Ok(());
        };
        let enumeration = self.enumeration(name)?;
        self.schema.check_indices(&enumeration).map_err(wrong)
    }

    fn add_enumerations(&mut self, json: &Json) -> Result<(), Failure> {
        let mut nameless: Option<ArrayError> = None;
        let names = self.names.clone();
        let added = enumerations_from_json(json, "--add-enum", || {
            names.enumeration().unwrap_or_else(|error| {
                nameless = Some(error);
                String::new()
            })
        });
        if let Some(error) = nameless {
            return Err(error.into());
        }
        for enumeration in added.map_err(wrong)? {
            self.step(|schema| schema.with_enumeration(&enumeration))?;
            self.enumerations.push(enumeration);
        }
        Ok(())
    }

    fn extend_enumeration(&mut self, json: &Json) -> Result<(), Failure> {
        let name = json.get("name").and_then(Json::as_str);
        let values = json.get("values").and_then(Json::as_array);
        let (Some(name), Some(values)) = (name, values) else {
            let what = "--extend-enum: expected {\"name\": …, \"values\": […]}";
            return Err(Failure::invalid(what));
        };
        let old = self.enumeration(name)?;
        let value = |(index, json)| {
            let place = format!("--extend-enum, values[{index}]");
            cell_from_json(old.datatype(), old.cell_val_num(), json, &place)
        };
        let more: Result<Vec<Vec<u8>>, SchemaError> =
            values.iter().enumerate().map(value).collect();
        let file = self.names.enumeration()?;
        let new = old.extended(file, more.map_err(wrong)?).map_err(wrong)?;
        self.step(|schema| schema.with_extended_enumeration(&old, &new))?;
        self.enumerations.retain(|known| known.name() != name);
        self.enumerations.push(new);
        Ok(())
    }

    /// An enumeration as it is so far.
    fn enumeration(&self, name: &str) -> Result<Enumeration, Failure> {
        let mut changed = self.enumerations.iter();
        if let Some(enumeration) = changed.find(|known| known.name() == name) {
            return Ok(enumeration.clone());
        }
        Ok(Enumeration::clone(&*self.array.newest_enumeration(name)?))
    }
}

/// The members of a list, or the one thing.
fn each(json: &Json) -> &[Json] {
    match json {
        Json::Array(list) => list,
        one => std::slice::from_ref(one),
    }
}

fn wrong(error: SchemaError) -> Failure {
    Failure::invalid(error.to_string())
}
