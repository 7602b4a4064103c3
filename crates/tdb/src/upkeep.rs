//! Merging and removing as TileDB's settings say: what its C interface and other programs in its terms ask for.

use std::time::Duration;

use tdb_array::{ArrayError, ChangeOptions, Location, OpenOptions, TimeWindow};
use tdb_consolidate::{
    MergeOptions, Mode, Plan, VacuumOptions, consolidate_array_metadata, consolidate_commits,
    consolidate_fragment_metadata, consolidate_group_metadata, plan_contained_fragment_removal,
    plan_merge, plan_named_fragment_removal, plan_vacuum,
};
use tdb_open::place::{self, Place};
use tdb_open::{Error, Result, Settings};

use crate::{Context, merge_options};

impl Context {
    /// Merges of an array what `sm.consolidation.mode` says: `fragments`, `fragment_meta`, `commits` or `array_meta`.
    /// Which fragments are merged and how, the other settings under `sm.consolidation.` say.
    ///
    /// # Errors
    /// Fails if there is no array, if the mode is another, or if reading or writing fails.
    pub fn consolidate_by(&self, uri: &str, settings: &Settings) -> Result<()> {
        let change = ChangeOptions::default();
        let array = self.open_with(uri, OpenOptions::default())?;
        let engine = array.engine();
        let plan = match mode(settings, "sm.consolidation.mode")? {
            "fragments" => return self.merge(uri, merge_options(settings)?),
            "fragment_meta" => consolidate_fragment_metadata(engine, &change),
            "commits" => consolidate_commits(engine, &change),
            "array_meta" => consolidate_array_metadata(engine, &change),
            other => return Err(no_such_mode("sm.consolidation.mode", other)),
        };
        plan.map(drop).map_err(|error| array.failed(error))
    }

    /// Merges exactly these fragments of an array, given by name or URI, into one.
    ///
    /// # Errors
    /// Fails if there are no such fragments, if they cannot be merged without changing what reads return, or if reading
    /// or writing fails.
    pub fn consolidate_fragments(
        &self,
        uri: &str,
        fragments: &[&str],
        settings: &Settings,
    ) -> Result<()> {
        let options = merge_options(settings)?;
        let defaults = MergeOptions::default();
        let options = options.since(defaults.since).until(defaults.until);
        self.merge(uri, options.fragments(Some(names(fragments))))
    }

    fn merge(&self, uri: &str, options: MergeOptions) -> Result<()> {
        let array = self.open_with(uri, OpenOptions::default())?;
        let engine = array.engine();
        let plan = plan_merge(engine, &options).map_err(|error| array.failed(error))?;
        let merged = plan.merge(self.shared_session(), engine, &options);
        merged.map(drop).map_err(|error| array.failed(error))
    }

    /// Removes at once what a consolidation of an array has replaced, of the kind that `sm.vacuum.mode` says:
    /// `fragments`, `fragment_meta`, `commits` or `array_meta`. Programs that opened the array before may fail then.
    ///
    /// # Errors
    /// Fails if there is no array, if the mode is another, or if the store fails.
    pub fn vacuum_by(&self, uri: &str, settings: &Settings) -> Result<()> {
        let mode = match mode(settings, "sm.vacuum.mode")? {
            "fragments" => Mode::Fragments,
            "fragment_meta" => Mode::FragmentMetadata,
            "commits" => Mode::Commits,
            "array_meta" => Mode::Metadata,
            other => return Err(no_such_mode("sm.vacuum.mode", other)),
        };
        let place = place::array(uri, self.opener())?;
        self.remove_planned(&place, |location, options| {
            plan_vacuum(location, mode, options)
        })
    }

    /// Removes the fragments of an array written within a time window, and leaves those that also have cells of other
    /// times.
    ///
    /// # Errors
    /// Fails if there is no array, or if the store fails.
    pub fn delete_fragments_within(&self, uri: &str, window: TimeWindow) -> Result<()> {
        let place = place::array(uri, self.opener())?;
        self.remove_planned(&place, |location, options| {
            plan_contained_fragment_removal(location, window, options)
        })
    }

    /// Removes the fragments of an array with these names or URIs.
    ///
    /// # Errors
    /// Fails if there is no array, or no such fragment, or if the store fails.
    pub fn delete_fragments(&self, uri: &str, fragments: &[&str]) -> Result<()> {
        let place = place::array(uri, self.opener())?;
        let names = names(fragments);
        self.remove_planned(&place, |location, options| {
            plan_named_fragment_removal(location, &names, options)
        })
    }

    /// Puts the metadata of a group into one object.
    ///
    /// # Errors
    /// Fails if there is no group, or if reading or writing fails.
    pub fn consolidate_group_metadata(&self, uri: &str) -> Result<()> {
        let group = self.open_group_with(uri, OpenOptions::default())?;
        let merged = consolidate_group_metadata(group.engine(), &ChangeOptions::default());
        merged.map(drop).map_err(Error::from)
    }

    /// Removes at once the metadata of a group that a consolidation has replaced.
    ///
    /// # Errors
    /// Fails if there is no group, or if the store fails.
    pub fn vacuum_group_metadata(&self, uri: &str) -> Result<()> {
        let place = place::group(uri, self.opener())?;
        self.remove_planned(&place, |location, options| {
            plan_vacuum(location, Mode::Metadata, options)
        })
    }

    fn remove_planned(
        &self,
        place: &Place,
        plan: impl FnOnce(&Location, &VacuumOptions) -> Result<Plan, ArrayError>,
    ) -> Result<()> {
        let location = self.location(place);
        let options = VacuumOptions::default().grace(Duration::ZERO);
        let removed = plan(&location, &options).and_then(|plan| plan.vacuum(&location, &options));
        removed.map(drop).map_err(|error| place.failed(error))
    }
}

fn mode<'a>(settings: &'a Settings, name: &str) -> Result<&'a str> {
    let mode = settings.get(name);
    mode.ok_or_else(|| Error::invalid(format!("{name}: it has no value")))
}

fn no_such_mode(name: &str, mode: &str) -> Error {
    let text = format!("{name}: there is no mode called {mode}");
    Error::invalid(text).with_hint("it is fragments, fragment_meta, commits or array_meta")
}

/// Returns the names of fragments given by name or URI.
fn names(fragments: &[&str]) -> Vec<String> {
    let names = fragments
        .iter()
        .map(|uri| tdb_store::name(uri.trim_end_matches('/')));
    names.map(str::to_owned).collect()
}
