//! Seeing what changes as it was at one moment.
//!
//! A listing is no moment: while it goes on, a merge puts a fragment behind its cursor, and a vacuum removes ahead of
//! it what that fragment replaced, so that neither is in it. What is seen counts only if a second listing, begun after
//! the first one ended, lacks nothing of it and has no list more. Then all of the first listing was
//! there at the moment between the two, and whatever held other cells before that moment is replaced by what is in
//! the second one, whose commits are taken in. Objects do not change, so that it makes no difference whether the lists are read
//! before or after that moment: of far stores, they are asked for together with the second listing. One that is gone by then is
//! missed, and everything begins anew. Where there are such, further listings show whether they replace what
//! is there. Otherwise everything begins anew.

use std::time::Duration;

use crate::ArrayError;

/// How long is waited before each try, in milliseconds: a second in all.
const PAUSES: [u64; 12] = [0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/// An object that is not there, while for so many looks, a quarter of a second, no name changes, was not removed
/// meanwhile: it is missing. Who merges commits while others vacuum names what is gone until the `.ign` is there.
const MISSING: u32 = 10;

/// Something that was not found, what was seen before, and how often that was seen.
struct Missing<S> {
    error: ArrayError,
    seen: S,
    looks: u32,
}

/// Looks, and attempts something with what is seen, until that gives something; says how many looks it took. An attempt
/// that gives nothing has seen a change. One that fails to find an object is made again once something else is seen.
///
/// # Errors
/// Those of the attempt; [`ArrayError::Unsettled`] where the changes do not end.
pub fn settle<S: PartialEq, T>(
    prefix: &str,
    mut look: impl FnMut() -> Result<S, ArrayError>,
    mut attempt: impl FnMut(&S) -> Result<Option<T>, ArrayError>,
) -> Result<(T, u32), ArrayError> {
    let mut missing: Option<Missing<S>> = None;
    let mut tries = 0_u32;
    for pause in PAUSES {
        if pause > 0 {
            std::thread::sleep(Duration::from_millis(pause));
        }
        tries = tries.saturating_add(1);
        let seen = look()?;
        match missing.take() {
            Some(same) if same.seen == seen => {
                let looks = same.looks.saturating_add(1);
                if looks >= MISSING {
                    return Err(same.error);
                }
                missing = Some(Missing { looks, ..same });
                continue;
            }
            _ => {}
        }
        match attempt(&seen) {
            Ok(Some(found)) => return Ok((found, tries)),
            Ok(None) => {}
            Err(error) if error.is_vanished() => {
                missing = Some(Missing {
                    error,
                    seen,
                    looks: 1,
                });
            }
            Err(error) => return Err(error),
        }
    }
    Err(missing.map_or_else(
        || ArrayError::Unsettled {
            prefix: prefix.to_owned(),
            tries,
        },
        |missing| missing.error,
    ))
}
