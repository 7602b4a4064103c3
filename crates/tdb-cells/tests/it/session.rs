//! The shared state of a session: threads, memory, counters and cancellation.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use tdb_cells::{Activity, Cancelled, Profile, Progress, Session, SessionOptions, Stage, threads};

use crate::support::{cases, session, session_of_memory};

/// Whether this thread was started by a session.
fn is_of_a_session() -> bool {
    thread::current().name() == Some("tdb")
}

#[test]
fn work_is_done_on_as_many_threads_as_were_asked_for() {
    for count in [2, 3] {
        let session = session(count);
        assert_eq!(
            (session.threads(), session.threads_wanted()),
            (count, count)
        );
        // Only threads that run at the same time pass the barrier.
        let barrier = Barrier::new(count);
        let seen = session.install(|| {
            let items = (0..count).collect();
            threads::map(items, |_| {
                barrier.wait();
                Ok::<_, ()>((is_of_a_session(), threads::count()))
            })
        });
        assert_eq!(seen, Ok(vec![(true, count); count]));
        assert_eq!(session.threads(), count);
    }
}

#[test]
fn one_thread_is_that_of_the_caller() {
    let (session, here) = (session(1), thread::current().id());
    assert_eq!(
        session.install(|| (thread::current().id(), threads::count())),
        (here, 1)
    );
    let order = Mutex::new(Vec::new());
    let note = |what| order.lock().unwrap().push((what, thread::current().id()));
    session.beside(|| note("beside"), || note("here"));
    let (first, second) = session.install(|| threads::both(|| note("first"), || note("second")));
    assert_eq!((first, second), ((), ()));
    let names = ["beside", "here", "second", "first"];
    assert_eq!(*order.lock().unwrap(), names.map(|name| (name, here)));
}

#[test]
fn no_more_threads_than_the_most_are_started() {
    let asked = 5 * Session::MOST_THREADS;
    let session = session(asked);
    assert_eq!(
        (session.threads(), session.threads_wanted()),
        (Session::MOST_THREADS, asked)
    );
    let machine = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    assert_eq!(Session::default().threads_wanted(), machine);
}

#[test]
fn work_goes_on_beside_what_the_caller_waits_for() {
    let session = session(2);
    let barrier = Barrier::new(2);
    let here = session.beside(
        || {
            assert!(is_of_a_session());
            barrier.wait();
        },
        || {
            barrier.wait();
            is_of_a_session()
        },
    );
    assert!(!here);
}

#[test]
fn little_work_is_done_right_here() {
    let by_default = session(2).share_from();
    assert_eq!(by_default, 256 << 10);
    let session = Session::new(
        SessionOptions::default()
            .threads(NonZeroUsize::new(2))
            .share_from(Some(1_000)),
    );
    assert_eq!(session.share_from(), 1_000);
    assert!(!session.install_for(999, is_of_a_session));
    assert!(session.install_for(1_000, is_of_a_session));
    // Work is not shared on threads outside the session.
    assert_eq!(threads::count(), 1);
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn what_comes_of_items_stands_in_their_order(
        items in prop::collection::vec(any::<u16>(), 0..200), threads in 1_usize..4,
    ) {
        let session = session(threads);
        let run = |item: u16| Ok::<_, ()>(u32::from(item) * 3);
        let found = session.install(|| threads::map(items.clone(), run));
        let model: Vec<u32> = items.iter().map(|item| u32::from(*item) * 3).collect();
        prop_assert_eq!(found, Ok(model));
        let sum = AtomicUsize::new(0);
        let add = |item: u16| {
            sum.fetch_add(item.into(), Ordering::Relaxed);
            Ok::<_, ()>(())
        };
        session.install(|| threads::for_each(items.clone(), add)).unwrap();
        prop_assert_eq!(sum.into_inner(), items.iter().map(|item| usize::from(*item)).sum::<usize>());
        let first = items.first().copied();
        let fails = |item: u16| if Some(item) == first { Err(item) } else { Ok(()) };
        prop_assert_eq!(session.install(|| threads::for_each(items.clone(), fails)).err(), first);
        prop_assert_eq!(session.install(|| threads::map(items.clone(), fails)).err(), first);
    }
}

#[test]
fn memory_that_was_taken_of_the_budget_is_given_back() {
    let session = session_of_memory(1_000);
    let clone = session.clone();
    let budget = &clone.limits().budget;
    assert_eq!((budget.limit(), budget.left()), (1_000, 1_000));
    let taken = budget.take(700).unwrap();
    assert_eq!(session.limits().budget.left(), 300);
    let error = session.limits().budget.take(301).unwrap_err();
    assert_eq!(
        error.to_string(),
        "memory of 1001 is over the limit of 1000 (memory budget)"
    );
    drop(taken);
    assert_eq!(session.limits().budget.left(), 1_000);
    assert_eq!(Session::default().limits().budget.limit(), 1 << 30);
}

#[test]
fn caps_are_those_of_the_options_but_for_the_budget() {
    let mut options = SessionOptions::default().memory(Some(9));
    options.limits.data_tile = 77;
    let session = Session::new(options.clone());
    assert_eq!(
        (session.limits().data_tile, session.limits().budget.limit()),
        (77, 9)
    );
    // Two sessions with the same options have separate memory budgets.
    let _taken = session.limits().budget.take(9).unwrap();
    assert_eq!(Session::new(options).limits().budget.left(), 9);
}

#[test]
fn a_session_and_its_clones_see_that_it_was_cancelled() {
    let session = session(1);
    let told = session.with_progress(|_| ());
    assert_eq!(session.check_cancelled(), Ok(()));
    assert!(!session.has_noticed_cancel());
    told.clone().cancel();
    assert!(!session.has_noticed_cancel());
    assert_eq!(session.check_cancelled(), Err(Cancelled));
    assert_eq!(told.check_cancelled(), Err(Cancelled));
    assert!(session.has_noticed_cancel() && told.has_noticed_cancel());
    assert_eq!(Session::default().check_cancelled(), Ok(()));
    session.resume();
    assert_eq!(told.check_cancelled(), Ok(()));
    assert!(!session.has_noticed_cancel());
    let error = io::Error::from(Cancelled);
    assert_eq!(
        (error.kind(), error.to_string()),
        (io::ErrorKind::Other, "cancelled".to_owned())
    );
}

#[test]
fn long_work_ends_soon_after_it_was_cancelled() {
    let session = session(2);
    let has_begun = AtomicBool::new(false);
    let ended = session.beside(
        || {
            while !has_begun.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            session.cancel();
        },
        || loop {
            has_begun.store(true, Ordering::SeqCst);
            if let Err(cancelled) = session.check_cancelled() {
                return cancelled;
            }
        },
    );
    assert_eq!(ended, Cancelled);
}

#[test]
fn progress_is_told_to_the_last_listener_alone() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = |name: &'static str| {
        let heard = Arc::clone(&heard);
        move |progress: &Progress| heard.lock().unwrap().push((name, *progress))
    };
    let session = session(1);
    let first = session.with_progress(listener("first"));
    let second = first.with_progress(listener("second"));
    let progress = Progress::new(Activity::Reading, 5)
        .with_cells(2)
        .of(Some(9));
    session.tell(&progress);
    second.tell(&progress);
    first.tell(&progress);
    assert_eq!(
        *heard.lock().unwrap(),
        [("second", progress), ("first", progress)]
    );
}

#[test]
fn progress_has_no_less_to_do_than_is_done() {
    let progress = Progress::new(Activity::Storing, 5);
    assert_eq!(
        (progress.activity, progress.cells),
        (Activity::Storing, None)
    );
    assert_eq!((progress.done, progress.total), (5, None));
    assert_eq!(progress.with_cells(3).cells, Some(3));
    let totals = [None, Some(4), Some(5), Some(6)].map(|total| progress.of(total).total);
    assert_eq!(totals, [None, Some(5), Some(5), Some(6)]);
    for (activity, text) in [
        (Activity::Looking, "looking"),
        (Activity::Reading, "reading"),
        (Activity::Storing, "sorting and writing"),
        (Activity::Exporting, "exporting"),
        (Activity::Merging, "merging"),
        (Activity::Verifying, "verifying"),
        (Activity::Rewriting, "rewriting"),
    ] {
        assert_eq!(activity.to_string(), text);
    }
}

#[test]
fn a_profile_counts_what_all_threads_did() {
    let session = session(2);
    assert_eq!(session.profile(), Profile::default());
    let add = |number: u64| {
        let counters = session.counters();
        counters.add_tile(number);
        counters.add_skipped(2 * number);
        counters.add_decoded(3 * number);
        counters.add_cells(4 * number);
        counters.add_given(number);
        counters.add_copied(6 * number);
        counters.add_visited_fragments(1);
        counters.add_visited_tiles(2);
        Ok::<_, ()>(())
    };
    session
        .install(|| threads::for_each((1..=10).collect(), add))
        .unwrap();
    let profile = session.clone().profile();
    assert_eq!(
        (
            profile.tiles_read,
            profile.bytes_read,
            profile.bytes_skipped
        ),
        (10, 55, 110)
    );
    assert_eq!((profile.bytes_decoded, profile.cells_decoded), (165, 220));
    assert_eq!((profile.cells_given, profile.cells_wasted()), (55, 165));
    assert_eq!(
        (
            profile.tiles_copied,
            profile.fragments_visited,
            profile.tiles_visited
        ),
        (330, 10, 20)
    );
    session.counters().add_given(1_000);
    assert_eq!(session.profile().cells_wasted(), 0);
}

/// Selects one of the durations of a profile.
type TimeOf = fn(&Profile) -> Duration;

#[test]
fn a_profile_has_the_time_of_each_kind_of_work() {
    let session = session(1);
    let counters = session.counters();
    let pause = Duration::from_millis(2);
    let rest = || thread::sleep(pause);
    let kinds: [(&Stage, TimeOf); 7] = [
        (&counters.plan, |profile| profile.plan),
        (&counters.read, |profile| profile.read),
        (&counters.decode, |profile| profile.decode),
        (&counters.batches, |profile| profile.merge),
        (&counters.guess, |profile| profile.guess),
        (&counters.input, |profile| profile.input),
        (&counters.write, |profile| profile.write),
    ];
    for (stage, time) in kinds {
        assert_eq!(time(&session.profile()), Duration::ZERO);
        assert_eq!(
            stage.time(|| {
                rest();
                7
            }),
            7
        );
        assert!(time(&session.profile()) >= pause);
    }
    // Loading is a part of the work on batches, but not of merging.
    let before = session.profile().merge;
    counters.load.time(rest);
    assert!(session.profile().merge <= before.saturating_sub(pause));
}
