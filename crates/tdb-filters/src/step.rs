use tdb_tile::{Datatype, FormatVersion};

use crate::description::unknown;
use crate::filter::{BrokenValues, Filter, Options, Registry};
use crate::filters::aes_256_gcm;
use crate::{EncryptionKey, FilterError, FilterList, TileKind};

pub(crate) const RLE: u8 = 4;
pub(crate) const DICTIONARY: u8 = 14;
pub(crate) const WEBP: u8 = 18;

/// The filters that take strings whole, and their offsets with them.
pub(crate) const fn is_text_filter(code: u8) -> bool {
    matches!(code, RLE | DICTIONARY)
}

/// One filter of a pipeline, ready to run.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) code: u8,
    pub(crate) name: &'static str,
    pub(crate) filter: Box<dyn Filter>,
    /// What the filter is given when encoding.
    pub(crate) datatype: Datatype,
    /// When decoding, its data is the result: the filters after it leave data alone.
    pub(crate) is_last: bool,
}

/// Makes the filters of a stored pipeline, and encryption where a key asks for it; those
/// that do nothing are left out.
pub(crate) fn steps(
    list: &FilterList,
    options_version: FormatVersion,
    kind: &TileKind,
    key: Option<&EncryptionKey>,
    registry: &Registry,
) -> Result<Vec<Step>, FilterError> {
    let mut steps = Vec::with_capacity(list.filters.len());
    let mut datatype = kind.datatype;
    let names_encryption = list.filters.iter().any(|f| f.code == aes_256_gcm::CODE);
    let appended = (key.is_some() && !names_encryption).then_some((aes_256_gcm::CODE, &[][..]));
    let stored = list.filters.iter().map(|f| (f.code, &f.options[..]));
    for (code, bytes) in stored.chain(appended) {
        let entry = registry.entry(code).ok_or_else(|| unknown(code))?;
        let filter = (entry.parse)(&Options {
            filter: entry.name,
            bytes,
            version: options_version,
            key,
        })?;
        entry.available()?;
        if code == aes_256_gcm::CODE && key.is_none() {
            return Err(aes_256_gcm::NO_KEY);
        }
        let output = filter.output(datatype);
        if code != 0 {
            steps.push(Step {
                code,
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

/// Rules of creation: `docs/format/filters.md`, "What must not be written".
pub(crate) fn check(steps: &[Step], kind: &TileKind) -> Result<(), FilterError> {
    let mut is_broken = false;
    for (index, step) in steps.iter().enumerate() {
        let fail = |why| {
            let filter = step.name;
            Err(FilterError::InvalidPipeline { filter, why })
        };
        // Writers that handed no types on did not ask, either.
        if kind.propagates && !step.filter.accepts(step.datatype) {
            return fail("it takes no values of this type");
        }
        let is_text_filter = is_text_filter(step.code);
        if is_text_filter && kind.is_var_text() && index > 0 {
            return fail(NOT_FIRST);
        }
        if step.code == DICTIONARY && !kind.folds(step.code) {
            return fail("it takes var-sized ASCII from format 13 and UTF-8 from format 17 only");
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
