//! Hints after a damaged fragment: which fragments can still be read.

use std::sync::Arc;

use tdb::engine::array::Array;
use tdb::engine::query::{QueryError, ReadOptions, Reader};

use crate::failure::Failure;
use crate::open::Opener;
use tdb::place::Place;

/// The failed read, so that it can be tried on each fragment alone.
pub(super) struct SoundFragments<'a> {
    pub(super) location: &'a Place,
    pub(super) opener: &'a Opener,
    /// Builds the read options once the array is open.
    pub(super) read: &'a dyn Fn(&Array) -> Result<ReadOptions, Failure>,
}

impl SoundFragments<'_> {
    /// Converts an error; if a damaged fragment caused it, adds a hint about what can be read without that fragment.
    pub(super) fn explain(&self, error: tdb::Error) -> Failure {
        let damaged = error.damaged_fragment().map(str::to_owned);
        let failure = Failure::from(error);
        match damaged.and_then(|name| self.hint(name)) {
            Some(hint) => failure.further_hint(hint),
            None => failure,
        }
    }

    /// Reads each of the other fragments alone to find out which are sound; `None` if another error prevents that.
    fn hint(&self, damaged: String) -> Option<String> {
        let mut without = self.opener.options().without_fragments.clone();
        without.push(damaged);
        let array = self.open_without(&mut without)?;
        let read = (self.read)(&array).ok()?;
        let mut sound = 0_usize;
        for fragment in array.fragments() {
            let alone = array.with_fragments(|other| other.name == fragment.name);
            match self.read_all(alone, &read) {
                Ok(()) => sound += 1,
                Err(error) => without.push(error.damaged_fragment()?.to_owned()),
            }
        }
        let all = sound + without.len();
        Some(match sound {
            0 => format!("none of the {all} fragments is sound"),
            _ => format!(
                "{sound} of {all} fragments are sound, as far as this reads them: use --without-fragments {} to read only those",
                without.join(",")
            ),
        })
    }

    /// Opens the array without these fragments, adding those that prevent it from being opened; `None` if another
    /// error prevents it.
    fn open_without(&self, without: &mut Vec<String>) -> Option<Arc<Array>> {
        loop {
            let opener = self.opener.clone().without_fragments(without.clone());
            match opener.array(self.location) {
                Ok(array) => return Some(Arc::clone(array.engine())),
                Err(error) => {
                    let name = error.damaged_fragment()?.to_owned();
                    // The error concerns a fragment that is already excluded, so excluding it again would not help.
                    if without.contains(&name) {
                        return None;
                    }
                    without.push(name);
                }
            }
        }
    }

    fn read_all(&self, array: Array, read: &ReadOptions) -> Result<(), QueryError> {
        let mut batches = Reader::open(self.opener.session(), &Arc::new(array), read)?;
        batches.try_for_each(|batch| batch.map(drop))
    }
}
