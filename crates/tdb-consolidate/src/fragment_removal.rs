use std::collections::BTreeSet;

use tdb_array::{ArrayError, Location, TimeWindow, TimestampedName};

use crate::commit_objects::{CommitObjects, commit_of};
use crate::vacuum_fragments::removal;
use crate::{Plan, VacuumOptions};

/// Works out the removal, for good, of all fragments that were written within a span of time: those that a
/// consolidation has replaced too.
///
/// [`Plan::vacuum`] carries it out. Stopped midway, it leaves some of the fragments; planned again, it goes on.
///
/// # Errors
/// [`ArrayError::Straddles`] for a fragment that holds cells of another time as well: what it replaced is not seen any
/// more, so that to remove that would change no answer. As the store reports; lists that break the format, or lead out
/// of the array.
pub fn plan_fragment_removal(
    location: &Location,
    window: TimeWindow,
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    let objects = CommitObjects::read(location)?;
    check_time(&objects, window)?;
    let fragments = fragments_within(&objects, window);
    let mut plan = Plan::default();
    removal(&mut plan, &objects, &fragments, options)?;
    plan.remove(empty_lists(&objects, &fragments));
    Ok(plan)
}

/// The fragments that were written within a span of time.
pub(crate) fn fragments_within(objects: &CommitObjects, window: TimeWindow) -> BTreeSet<String> {
    let within = |folder: &str| {
        let name = TimestampedName::parse(tdb_store::name(folder));
        name.is_ok_and(|name| window.contains(&name))
    };
    // A removal that was stopped may have taken back the commit of a fragment, and left the fragment.
    let begun = objects.fragments.iter().map(String::as_str);
    let begun = begun.filter(|folder| objects.is_ignored(&commit_of(folder)));
    let links = objects.links.iter().map(String::as_str);
    let all = objects.committed().into_iter().chain(begun).chain(links);
    let all = all.filter(|folder| within(folder));
    all.map(str::to_owned).collect()
}

/// The lists that say nothing any more once these fragments are gone.
pub(crate) fn empty_lists(objects: &CommitObjects, fragments: &BTreeSet<String>) -> Vec<String> {
    let lists = objects.vacuums.iter().filter(|vacuum| {
        let mut left = vacuum.lines.intersection(&objects.fragments);
        left.all(|fragment| fragments.contains(fragment))
    });
    lists.map(|vacuum| vacuum.key.clone()).collect()
}

/// Fails where a fragment holds cells of the time that is asked for, and of another: of several, with the longest.
pub(crate) fn check_time(objects: &CommitObjects, window: TimeWindow) -> Result<(), ArrayError> {
    let fragments = objects.committed().into_iter().filter_map(|folder| {
        let name = TimestampedName::parse(tdb_store::name(folder)).ok()?;
        Some((folder, name))
    });
    let straddling = fragments.filter(|(_, name)| window.overlaps(name) && !window.contains(name));
    let longest = straddling.max_by_key(|(_, name)| name.end().saturating_sub(name.start()));
    match longest {
        Some((folder, name)) => Err(ArrayError::Straddles {
            key: folder.to_owned(),
            start: name.start(),
            end: name.end(),
        }),
        None => Ok(()),
    }
}
