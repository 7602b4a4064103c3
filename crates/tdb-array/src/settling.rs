//! Sees a changing array as of one moment.
//!
//! A listing does not show one moment: while it runs, a merge may add a fragment behind its cursor, and a vacuum may
//! remove the replaced fragments ahead of it, so that neither is listed. So a listing is valid only if a second one,
//! begun after the first was complete, lacks nothing of the first and has no further list. Then everything
//! in the first listing existed at the moment between the two, and what held other cells before that moment is
//! replaced by something in the second, whose commits are included. Objects never change, so the lists of the first
//! listing may be read before or after that moment: a far store is asked for them together with the second listing.
//! A list that is gone by then cannot be read, and everything starts over. If the second listing has new commits,
//! further listings show whether they replace anything. Otherwise everything starts over.

use std::time::Duration;

use tdb_tile::Exact;

use crate::ArrayError;

/// Pause before each attempt, in milliseconds; one second in total.
const PAUSES: [u64; 12] = [0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/// An object counts as missing, rather than removed by others, if the names stay the same for this many listings,
/// about a quarter of a second. A program that consolidates commits while others vacuum names removed objects until it
/// has written the `.ign` object.
const MISSING: u32 = 10;

/// The error of an object that was not found, the listing that named it, and the number of equal listings since.
struct Missing<S> {
    error: ArrayError,
    seen: S,
    looks: u32,
}

/// Repeats `look` and then `attempt` with its result until the attempt returns a value; returns that and the number of
/// looks. An attempt returns `None` if it has seen a change. An attempt that fails because an object was not found is
/// repeated when `look` returns something else.
///
/// # Errors
/// Those of `look` and `attempt`; [`ArrayError::Unsettled`] if the changes do not end.
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
        tries = tries.exact_add(1)?;
        let seen = look()?;
        match missing.take() {
            Some(same) if same.seen == seen => {
                let looks = same.looks.exact_add(1)?;
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
