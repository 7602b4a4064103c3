use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use tdb_array::{
    Array, ArrayError, HistoryGap, LaterObjects, LostContent, Snapshot, TimeWindow, TimestampedName,
};
use tdb_schema::value::rfc3339;
use tdb_tile::{Bug, FormatVersion};

use crate::left_alone::left_alone;
use crate::order_kept::{Domain, Piece, Refusal, Rules};
use crate::{History, MergeOptions, MergeStep, Source, StepPolicy};

/// A plan of which fragments are merged, in which steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergePlan {
    /// The steps, in order.
    pub steps: Vec<MergeStep>,
    /// Notes on what is left unchanged, and why.
    pub notes: Vec<String>,
}

/// Plans which fragments are merged, without changing anything; [`MergePlan::merge`] executes the plan. The array
/// should be opened for all times. Fragments with a future time stay, with a note, unless they are named or the
/// options specify such a time.
///
/// With [`History::WithoutDeleted`], a fragment that is not merged with others is rewritten alone if a delete concerns
/// it that it has not applied.
///
/// # Errors
/// [`ArrayError::Invalid`] for meaningless options, for names that are not fragments of the array, and for named
/// fragments that cannot be merged without changing what reads return. Any error of the store.
pub fn plan_merge(array: &Array, options: &MergeOptions) -> Result<MergePlan, ArrayError> {
    check_policy(&options.policy)?;
    let window = options.window();
    let keeps_times = keeps_times(array);
    let rules = Rules::new(array, keeps_times, options.history);
    let named: Option<BTreeSet<&str>> = options.fragments.as_ref().map(|names| {
        let names = names
            .iter()
            .map(|name| tdb_store::name(name.trim_end_matches('/')));
        names.collect()
    });
    let is_meant = |name: &TimestampedName| match &named {
        Some(names) => names.contains(name.as_str()),
        None => window.contains(name),
    };
    let meant = array.fragments().iter().map(|fragment| &fragment.name);
    let last = meant
        .filter(|name| is_meant(name))
        .map(TimestampedName::end);
    let last = options.deletes_until(last.max().unwrap_or(0));
    let array = &array.with_deletes_until(last);
    let dropped = if options.forget_dropped {
        BTreeMap::new()
    } else {
        with_dropped(array, is_meant)
    };
    if let (Some((name, _)), true) = (dropped.first_key_value(), named.is_some()) {
        return Err(ArrayError::Invalid {
            what: "fragment",
            name: (*name).to_owned(),
            why: "holds values of an attribute that was dropped since: merged, they cannot be read at earlier times either; \
                  --forget-dropped merges it all the same",
        });
    }
    let is_chosen = |name: &TimestampedName| is_meant(name) && !dropped.contains_key(name.as_str());
    let fragments = array.fragments().iter();
    let mut pieces: Vec<Piece> = fragments
        .map(|fragment| Piece::new(&rules, fragment, is_chosen(&fragment.name)))
        .collect();
    let mut plan = MergePlan::default();
    plan.notes.extend(told_as_dropped(&dropped));
    if named.is_none() && options.until.is_none() {
        plan.notes.extend(told_as_later(array, window));
    }
    match &named {
        Some(names) => {
            check_names(array, names)?;
            let run: Vec<usize> = chosen(&pieces);
            if run.len() > 1 {
                let merged = rules.merged(&pieces, &run, Source::Step(0))?;
                let allowed = rules.check(&pieces, &run, &merged);
                allowed.map_err(|refusal| refused(&pieces, &refusal))?;
                plan.push(&rules, &pieces, &run, &merged)?;
            }
        }
        None => plan.pick(&rules, &mut pieces, &options.policy)?,
    }
    if options.history == History::WithoutDeleted && keeps_times {
        plan.purge(array, &rules, &pieces, options.policy.steps)?;
    }
    check_deletes(array, &plan, options.history)?;
    Ok(plan)
}

/// Returns the fragments that contain values of an attribute that the array no longer has, with that attribute.
fn with_dropped(
    array: &Snapshot,
    is_meant: impl Fn(&TimestampedName) -> bool,
) -> BTreeMap<&str, &str> {
    let now = array.newest_schema();
    let fragments = array
        .fragments()
        .iter()
        .filter(|fragment| is_meant(&fragment.name));
    let dropped = fragments.filter_map(|fragment| {
        let mut attributes = fragment.schema.attributes.iter();
        let lost = attributes.find(|attribute| !now.has_same_attribute(attribute))?;
        Some((fragment.name.as_str(), lost.name.as_str()))
    });
    dropped.collect()
}

fn told_as_dropped(dropped: &BTreeMap<&str, &str>) -> Option<String> {
    let attribute = dropped.first_key_value()?.1;
    Some(format!(
        "{} fragments are not merged, as they hold values of attributes that were dropped since, such as {attribute:?}: merged, \
         these could not be read at earlier times either; --forget-dropped merges them, too",
        dropped.len()
    ))
}

/// Returns the note about fragments with a future time.
fn told_as_later(array: &Snapshot, window: TimeWindow) -> Option<String> {
    let names = array.fragments().iter().map(|fragment| &fragment.name);
    LaterObjects::of_fragments(window.at, names).map(left_alone)
}

/// True if merged cells keep the times at which they were written.
pub(crate) fn keeps_times(array: &Snapshot) -> bool {
    let newest = array.schemas().last();
    let schema = newest.map_or(array.schema(), |(_, schema)| schema);
    // As TileDB decides, although fragments of the oldest arrays are written in a newer version.
    !schema.is_dense() && schema.version.keeps_cell_times()
}

pub(crate) fn chosen(pieces: &[Piece]) -> Vec<usize> {
    let all = pieces.iter().enumerate();
    all.filter(|(_, piece)| piece.is_chosen)
        .map(|(index, _)| index)
        .collect()
}

impl MergePlan {
    /// Returns the times as of which cells can no longer be read after this plan is executed and the merged fragments
    /// are vacuumed.
    pub fn gaps(&self, array: &Snapshot, options: &MergeOptions) -> Vec<HistoryGap> {
        let keeps_times = keeps_times(array);
        let last = self.steps.iter().map(|step| step.times.1).max();
        let last = options.deletes_until(last.unwrap_or(0));
        let deletes = array.deletes().iter().map(|delete| delete.timestamp);
        let last_delete = deletes.filter(|time| *time <= last).max();
        let mut gaps: Vec<HistoryGap> = self
            .steps
            .iter()
            .filter_map(|step| {
                let (start, end) = step.times;
                let (end, what) = match options.history {
                    History::Kept if keeps_times => return None,
                    History::WithoutDeleted if keeps_times => {
                        (last_delete?, LostContent::DeletedCells)
                    }
                    _ => (end, LostContent::Cells),
                };
                let end = end.checked_sub(1).filter(|last| start <= *last)?;
                Some(HistoryGap { start, end, what })
            })
            .collect();
        gaps.sort();
        gaps
    }

    /// True if there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Chooses runs of adjacent fragments until no further run is allowed.
    fn pick(
        &mut self,
        rules: &Rules<'_>,
        pieces: &mut Vec<Piece>,
        policy: &StepPolicy,
    ) -> Result<(), Bug> {
        while self.steps.len() < policy.steps as usize {
            let Some((run, merged)) = best_run(rules, pieces, policy, self.steps.len())? else {
                break;
            };
            self.push(rules, pieces, &run, &merged)?;
            let mut indexes = 0_usize..;
            pieces.retain(|_| {
                let index = indexes.next();
                index.is_none_or(|index| run.binary_search(&index).is_err())
            });
            let at = pieces.partition_point(|piece| piece.times.0 <= merged.times.0);
            pieces.insert(at, merged);
        }
        let left = chosen(pieces);
        if left.len() > 1 {
            self.notes.extend(why_left(rules, pieces, &left, policy)?);
        }
        Ok(())
    }

    pub(crate) fn push(
        &mut self,
        rules: &Rules<'_>,
        pieces: &[Piece],
        run: &[usize],
        merged: &Piece,
    ) -> Result<(), Bug> {
        let source = |index: &usize| Ok(Piece::at(pieces, *index)?.source.clone());
        let domain = match (&merged.domain, &rules.grid) {
            (Domain::Cells(cells), Some(grid)) => grid.ranges(cells),
            _ => None,
        };
        self.steps.push(MergeStep {
            sources: run.iter().map(source).collect::<Result<_, Bug>>()?,
            times: merged.times,
            bytes: merged.bytes,
            domain,
        });
        Ok(())
    }
}

/// Returns the longest allowed run; of equally long ones the smallest. Earlier runs are slightly preferred, so that
/// fragments of similar size are merged from the oldest on.
///
/// The run of all fragments is tried first: if it is allowed, the search is not needed. Otherwise the search tries
/// every start and extends the run by one fragment at a time, updating the properties of the merged fragment instead
/// of computing them anew for each run.
fn best_run(
    rules: &Rules<'_>,
    pieces: &[Piece],
    policy: &StepPolicy,
    step: usize,
) -> Result<Option<(Vec<usize>, Piece)>, Bug> {
    const PREFERENCE: f64 = 1.25;
    let all = chosen(pieces);
    let (min, max) = (
        policy.min_fragments.max(2) as usize,
        policy.max_fragments as usize,
    );
    let (min, max) = (min.min(all.len()).max(2), max.min(all.len()));
    let is_allowed = |run: &[usize], merged: &Piece| {
        let fits = rules.amplification(merged) <= policy.amplification;
        fits && rules.check(pieces, run, merged).is_ok()
    };
    let mut is_even = true;
    for end in 2..=max {
        let run = all.get(..end).ok_or_else(run_beyond)?;
        is_even = is_even && ends_evenly(pieces, run, policy.size_ratio)?;
    }
    if max == all.len() && max >= min && is_even {
        let whole = rules.merged(pieces, &all, Source::Step(step))?;
        if is_allowed(&all, &whole) {
            return Ok(Some((all, whole)));
        }
    }
    let mut best: Option<(Vec<usize>, Piece)> = None;
    for (start, first) in all.iter().enumerate() {
        let mut joined = Piece::at(pieces, *first)?.clone();
        for (end, last) in all.iter().enumerate().skip(start).take(max).skip(1) {
            let run = all.get(start..=end).ok_or_else(run_beyond)?;
            let len = run.len();
            if !ends_evenly(pieces, run, policy.size_ratio)? {
                break;
            }
            joined = rules.joined(joined, Piece::at(pieces, *last)?);
            let known = best.as_ref();
            let (most, size) = known.map_or((0, 0), |(run, merged)| (run.len(), merged.bytes));
            let is_smaller = (joined.bytes as f64) < size as f64 / PREFERENCE;
            if len >= min && (len > most || len == most && is_smaller) {
                let merged = rules.finished(joined.clone(), Source::Step(step));
                if is_allowed(run, &merged) {
                    best = Some((run.to_vec(), merged));
                }
            }
        }
    }
    Ok(best)
}

/// True if the sizes of the last two fragments of a run are in the allowed ratio.
fn ends_evenly(pieces: &[Piece], run: &[usize], ratio: f64) -> Result<bool, Bug> {
    let [.., a, b] = run else {
        return Ok(true);
    };
    let size = |index: &usize| Piece::at(pieces, *index).map(|piece| piece.bytes);
    let (a, b) = (size(a)?, size(b)?);
    Ok(a.min(b) as f64 >= ratio * a.max(b) as f64)
}

#[track_caller]
fn run_beyond() -> Bug {
    Bug::new("a run of fragments that ends behind them")
}

/// Returns the reason why the chosen fragments are not all merged.
fn why_left(
    rules: &Rules<'_>,
    pieces: &[Piece],
    left: &[usize],
    policy: &StepPolicy,
) -> Result<Option<String>, Bug> {
    let merged = rules.merged(pieces, left, Source::Step(0))?;
    if let Err(refusal) = rules.check(pieces, left, &merged) {
        let (name, why) = (shown(pieces, &refusal), refusal.why);
        return Ok(Some(format!(
            "{} fragments are not merged: {name}{why}",
            left.len()
        )));
    }
    let times = rules.amplification(&merged);
    Ok((times > policy.amplification).then(|| {
        format!(
            "{} fragments are not merged: the box around them has {times:.1} times as many cells as they have; \
             sm.consolidation.amplification allows {}",
            left.len(),
            policy.amplification
        )
    }))
}

pub(crate) fn shown(pieces: &[Piece], refusal: &Refusal) -> String {
    let piece = refusal.fragment.and_then(|index| pieces.get(index));
    piece.map_or(String::new(), |piece| format!("{}: ", piece.source))
}

fn refused(pieces: &[Piece], refusal: &Refusal) -> ArrayError {
    let piece = refusal.fragment.and_then(|index| pieces.get(index));
    ArrayError::Invalid {
        what: "these fragments cannot be merged without",
        name: piece.map_or("all others".to_owned(), |piece| piece.source.to_string()),
        why: refusal.why,
    }
}

fn check_policy(policy: &StepPolicy) -> Result<(), ArrayError> {
    let (name, why) = if policy.min_fragments > policy.max_fragments {
        ("step_min_frags", "must not be above step_max_frags")
    } else if !(0.0..=1.0).contains(&policy.size_ratio) {
        ("step_size_ratio", "must be from 0 to 1")
    } else if policy.amplification.is_nan() || policy.amplification < 0.0 {
        ("amplification", "must be a number, 0 or above")
    } else {
        return Ok(());
    };
    Err(ArrayError::Invalid {
        what: "setting",
        name: format!("sm.consolidation.{name}"),
        why,
    })
}

fn check_names(array: &Snapshot, names: &BTreeSet<&str>) -> Result<(), ArrayError> {
    let known: BTreeSet<&str> = array.fragments().iter().map(|f| f.name.as_str()).collect();
    match names.difference(&known).next() {
        None => Ok(()),
        Some(name) => Err(ArrayError::Invalid {
            what: "fragment",
            name: (*name).to_owned(),
            why: "the array has no fragment of this name, or a merge has replaced it already",
        }),
    }
}

/// Fails if deletes concern fragments whose merged cells would lose the time at which they were written.
fn check_deletes(array: &Snapshot, plan: &MergePlan, history: History) -> Result<(), ArrayError> {
    let is_merged = |name: &TimestampedName| {
        let mut sources = plan.steps.iter().flat_map(|step| &step.sources);
        sources.any(|source| matches!(source, Source::Fragment(source) if source == name))
    };
    let merged = array.fragments().iter().map(|fragment| &fragment.name);
    let first = merged
        .filter(|name| is_merged(name))
        .map(TimestampedName::start)
        .min();
    let Some(first) = first else { return Ok(()) };
    let concerns = |delete: &&tdb_array::Delete| delete.timestamp >= first;
    let Some(delete) = array.deletes().iter().find(concerns) else {
        return Ok(());
    };
    let version: FormatVersion = array
        .schemas()
        .last()
        .map_or(array.schema().version, |(_, s)| s.version);
    let why = if !version.finds_processed_conditions() {
        "it concerns fragments that would be merged, and this format version cannot keep which cells were deleted when"
    } else if history == History::Dropped {
        "it concerns fragments that would be merged, and without the times of their cells it could not tell which are \
         older than itself: keep the times, or drop deleted cells instead"
    } else {
        return Ok(());
    };
    Err(ArrayError::Invalid {
        what: "delete",
        name: delete.marker.clone(),
        why,
    })
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fragment(name) => name.fmt(f),
            Self::Step(index) => write!(f, "the result of step {}", index.saturating_add(1)),
        }
    }
}

impl fmt::Display for MergePlan {
    /// Formats the plan: a line per step, per fragment of it, and per note; times in RFC 3339.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in (1_usize..).zip(&self.steps) {
            let count = step.sources.len();
            let (start, end) = (rfc3339(step.times.0), rfc3339(step.times.1));
            let bytes = step.bytes;
            writeln!(
                f,
                "step {number}: merge {count} fragments, {bytes} bytes, into one from {start} to {end}"
            )?;
            for source in &step.sources {
                writeln!(f, "  {source}")?;
            }
        }
        self.notes
            .iter()
            .try_for_each(|note| writeln!(f, "note: {note}"))
    }
}
