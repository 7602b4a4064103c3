use tdb_tile::{Datatype, FormatVersion};

use crate::filter::{BrokenValues, Filter, Offsets};
use crate::filters::aes_256_gcm;
use crate::{EncryptionKey, FilterError, FilterList, Registry, TileKind};

/// One filter of a pipeline, ready to run.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) filter: Box<dyn Filter>,
    /// Datatype of the filter's input when encoding.
    pub(crate) datatype: Datatype,
    /// True if the filter's decoded data is the result: the filters before it in the pipeline keep
    /// data.
    pub(crate) is_last: bool,
}

/// Creates the filters of a stored pipeline, and appends encryption if there is a key and no filter
/// encrypts. Filters that do nothing are left out.
pub(crate) fn steps(
    list: &FilterList,
    options_version: FormatVersion,
    kind: &TileKind,
    key: Option<&EncryptionKey>,
    registry: &Registry,
) -> Result<Vec<Step>, FilterError> {
    let mut steps = Vec::with_capacity(list.filters.len());
    let mut datatype = kind.datatype;
    let appended = (key.is_some() && !list.encrypts(registry)).then_some(aes_256_gcm::ENTRY.code);
    let stored = list.filters.iter().map(|f| (f.code, &f.options[..]));
    for (code, bytes) in stored.chain(appended.map(|code| (code, &[][..]))) {
        let (entry, filter) = registry.parse(code, bytes, options_version, key)?;
        entry.available()?;
        if entry.encrypts && key.is_none() {
            return Err(aes_256_gcm::NO_KEY);
        }
        let output = filter.output(datatype);
        if !filter.does_nothing() {
            steps.push(Step {
                name: entry.name,
                filter,
                datatype,
                is_last: false,
            });
        }
        if kind.propagates {
            datatype = output;
        }
    }
    let mut only_keepers_before = true;
    for step in &mut steps {
        step.is_last = only_keepers_before;
        only_keepers_before &= step.filter.keeps_data();
    }
    Ok(steps)
}

/// Checks the rules for new pipelines: `docs/format/filters.md`, "What must not be written".
pub(crate) fn check(steps: &[Step], kind: &TileKind) -> Result<(), FilterError> {
    let mut is_broken = false;
    for (index, step) in steps.iter().enumerate() {
        let fail = |why| {
            let filter = step.name;
            Err(FilterError::InvalidPipeline { filter, why })
        };
        // Writers that did not propagate datatypes did not check them, either.
        if kind.propagates && !step.filter.accepts(step.datatype) {
            return fail("it takes no values of this type");
        }
        if index > 0 && step.filter.offsets(kind) != Offsets::Apart {
            return fail(NOT_FIRST);
        }
        if let Err(why) = step.filter.check_tile(kind) {
            return fail(why);
        }
        let is_lost = match step.filter.broken_values() {
            BrokenValues::Fine => false,
            BrokenValues::Lost => is_broken && step.datatype.size() > 1,
            BrokenValues::Unreadable => is_broken,
        };
        if is_lost {
            return fail("the filters before it leave no whole number of values");
        }
        is_broken |= step.filter.breaks_values(step.datatype);
    }
    Ok(())
}

pub(crate) const NOT_FIRST: &str = "it must be the first filter of var-sized text";
