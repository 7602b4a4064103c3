//! The way in which all verbs open arrays and groups, and the warnings about what they open.

use std::io::Write;

use tdb::engine::array::{
    Array as EngineArray, ArrayError, ErrorKind, HistoryGap, Location, OpenOptions, TimeWindow,
};
use tdb::engine::cells::Session;
use tdb::engine::schema::value::rfc3339;
use tdb::place::{self, Place};
use tdb::{Array, Context, Group};

use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;

/// How arrays and groups are opened: the context (threads, memory, stores and key), and the times of which objects are
/// seen.
#[derive(Clone, Debug)]
pub(crate) struct Opener {
    context: Context,
    options: OpenOptions,
}

impl Opener {
    /// Sees what `--at` and `--since` select; by default what was written until now. As in TileDB, objects with a
    /// timestamp in the future are not visible yet.
    pub(crate) fn of_arguments(context: Context, global: &Global) -> Self {
        let window = TimeWindow {
            since: global
                .since
                .map_or(TimeWindow::ALL.since, |moment| moment.0),
            at: global.at().unwrap_or(global.now).0,
        };
        let options = OpenOptions::default()
            .window(window)
            .whole_history(global.whole_history);
        Self { context, options }
    }

    /// Sees all that was written, including objects with a timestamp in the future.
    pub(crate) fn of_everything(context: Context) -> Self {
        let options = OpenOptions::default();
        Self { context, options }
    }

    /// Sees what was written until a time, in milliseconds since 1970.
    pub(crate) fn until(context: Context, time: u64) -> Self {
        let options = OpenOptions::at(time);
        Self { context, options }
    }

    /// Sees objects with a timestamp in the future as well.
    pub(crate) fn with_future(mut self) -> Self {
        self.options.window.at = TimeWindow::ALL.at;
        self
    }

    /// Leaves out these fragments.
    pub(crate) fn without_fragments(mut self, names: Vec<String>) -> Self {
        self.options.without_fragments = names;
        self
    }

    /// Opens arrays also if commits of them are damaged.
    pub(crate) fn tolerant(mut self) -> Self {
        self.options.tolerate_torn = true;
        self
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn session(&self) -> &Session {
        self.context.shared_session()
    }

    /// Options of the engine, for what it opens itself.
    pub(crate) fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// Location of a place, with the key and the limits.
    pub(crate) fn location(&self, place: &Place) -> Location {
        self.context.location(place)
    }

    pub(crate) fn array(&self, place: &Place) -> tdb::Result<Array> {
        self.context.open_place(place, self.options.clone())
    }

    pub(crate) fn array_of_uri(&self, uri: &str) -> tdb::Result<Array> {
        self.context.open_with(uri, self.options.clone())
    }

    /// Opens the array at a place; returns `None` if there is a group.
    pub(crate) fn array_unless_group(&self, place: &Place) -> tdb::Result<Option<Array>> {
        let options = self.options.clone();
        self.context.open_unless_group(place, options)
    }

    pub(crate) fn group(&self, place: &Place) -> tdb::Result<Group> {
        self.context.open_group_place(place, self.options.clone())
    }

    pub(crate) fn group_of_uri(&self, uri: &str) -> tdb::Result<Group> {
        self.context.open_group_with(uri, self.options.clone())
    }

    /// Opens an array for a verb that reads it, and prints warnings about it.
    pub(crate) fn shown_array(
        &self,
        place: &Place,
        global: &Global,
        out: &Output,
    ) -> tdb::Result<Array> {
        let array = global.counts.stage("open", || self.array(place))?;
        let engine = array.engine();
        global.counts.opened(engine);
        if global.verbose {
            let (schemas, deletes) = (engine.schemas().count(), engine.deletes().len());
            let (fragments, uri) = (engine.fragments().len(), &place.uri);
            // If standard error is closed, there is nowhere left to report that.
            let _ = writeln!(
                std::io::stderr(),
                "{uri}: {schemas} schemas, {fragments} fragments, {deletes} deletes",
            );
        }
        warn_of(engine, out);
        Ok(array)
    }

    /// Asks something of one of several places, as in a listing: with the key, and if that fails with a crypto error,
    /// without it, since places that are not encrypted may be among them.
    pub(crate) fn among_others<T>(
        &self,
        mut ask: impl FnMut(&Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let needs_another = |failure: &Failure| failure.kind == ErrorKind::Crypto;
        match ask(self) {
            Err(failure) if self.context.has_key() && needs_another(&failure) => {
                let plain = Self {
                    context: self.context.clone().without_key(),
                    options: self.options.clone(),
                };
                // If it fails without a key as well, another key encrypts the place: the first error is the useful
                // one.
                ask(&plain).map_err(|other| {
                    if needs_another(&other) {
                        failure
                    } else {
                        other
                    }
                })
            }
            answer => answer,
        }
    }
}

/// Opens the array of a URI as of `--at` and `--since`, and prints warnings about it.
pub(crate) fn array(uri: &str, global: &Global, out: &Output) -> Result<Array, Failure> {
    let place = place::folder(uri, &global.counts)?;
    let opener = Opener::of_arguments(context(global)?, global);
    Ok(opener.shown_array(&place, global, out)?)
}

/// Prints the warnings of an array, also if the array did not exist yet at the requested time.
pub(crate) fn warn_of(array: &EngineArray, out: &Output) {
    let first = array.directory().schemas().first();
    let made = first.and_then(|schema| Some(schema.name.as_ref()?.start()));
    let at = array.window().at;
    if let Some(made) = made.filter(|made| *made > at && array.fragments().is_empty()) {
        warn_of_none_yet(at, made, out);
    }
    for warning in array.warnings() {
        out.warn(&warning.to_string());
    }
    warn_of_gaps(array.gaps(), out);
}

/// Warns about data of the requested times that can no longer be read.
pub(crate) fn warn_of_gaps(gaps: Result<Vec<HistoryGap>, ArrayError>, out: &Output) {
    match gaps {
        Ok(gaps) => gaps.iter().for_each(|gap| out.warn(&gap.to_string())),
        Err(error) => out.warn(&format!(
            "cannot determine whether parts of the history are lost: {error}"
        )),
    }
}

/// Warns that the array did not exist yet at the requested time.
pub(crate) fn warn_of_none_yet(at: u64, made: u64, out: &Output) {
    let (at, made) = (rfc3339(at), rfc3339(made));
    out.warn(&format!(
        "the array did not exist yet at {at}: it was created at {made}"
    ));
}
