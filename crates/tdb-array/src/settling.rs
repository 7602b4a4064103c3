//! Seeing what changes as it was at one moment.
//!
//! A listing is no moment: while it goes on, a merge puts a fragment behind its cursor, and a vacuum removes ahead of
//! it what that fragment replaced, so that neither is in it. What is seen counts only if a second listing, taken after
//! the lists of the first one were read, lacks nothing of it and has no list more. Then all of the first listing was
//! there at the moment between the two, and whatever held other cells before that moment is replaced by what is in
//! the second one, whose commits are taken in. Where there are such, a third listing shows whether they replace what
//! is there. Otherwise everything begins anew.

use std::time::Duration;

use crate::ArrayError;

/// How long is waited before each try, in milliseconds: a second in all.
const PAUSES: [u64; 12] = [0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/// An object that is not there in so many tries in a row, a quarter of a second, was not removed meanwhile: it is
/// missing. Who merges commits while others vacuum names what is gone until the `.ign` is there.
const MISSING: u32 = 10;

/// Tries until an attempt gives something, and says how many it took. An attempt that gives nothing has seen a change;
/// so has one that fails to find an object.
///
/// # Errors
/// Those of the attempt; [`ArrayError::Unsettled`] where the changes do not end.
pub fn settle<T>(
    prefix: &str,
    mut attempt: impl FnMut() -> Result<Option<T>, ArrayError>,
) -> Result<(T, u32), ArrayError> {
    let mut missing: Option<String> = None;
    let mut in_a_row = 0_u32;
    let mut tries = 0_u32;
    for pause in PAUSES {
        if pause > 0 {
            std::thread::sleep(Duration::from_millis(pause));
        }
        tries = tries.saturating_add(1);
        let error = match attempt() {
            Ok(Some(found)) => return Ok((found, tries)),
            Ok(None) => {
                missing = None;
                continue;
            }
            Err(error) => error,
        };
        let Some(key) = error.vanished() else {
            return Err(error);
        };
        if missing.as_deref() == Some(key) {
            in_a_row = in_a_row.saturating_add(1);
        } else {
            missing = Some(key.to_owned());
            in_a_row = 1;
        }
        if in_a_row >= MISSING {
            return Err(error);
        }
    }
    Err(ArrayError::Unsettled {
        prefix: prefix.to_owned(),
        tries,
    })
}
