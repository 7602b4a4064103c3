//! The choice of fragments to merge.

use tdb_array::ErrorKind;
use tdb_cells::Session;
use tdb_consolidate::{History, Source, StepPolicy};

use crate::merge::arrays::*;

#[test]
fn dense_fragments_that_would_cover_others_stay_apart() {
    // A large old fragment, and two corners above it.
    let store = dense_boxes(&[[(0, 9), (0, 9)], [(0, 1), (0, 1)], [(8, 9), (8, 9)]]);
    let array = now(&store);
    let names: Vec<String> = array
        .fragments()
        .iter()
        .map(|f| f.name.to_string())
        .collect();
    let of = |names: &[String]| options().fragments(Some(names.to_vec()));
    let error = plan(&store, &of(&names[1..])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains(&names[0]), "{error}");
    // The first and the last, without the one between them that does not meet the box: even that is not allowed.
    assert!(plan(&store, &of(&[names[0].clone(), names[2].clone()])).is_err());
    assert_eq!(plan(&store, &of(&names)).unwrap().steps.len(), 1);
    let unknown = plan(&store, &of(&["__1_1_x".to_owned(), names[0].clone()]));
    assert_eq!(unknown.unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn a_box_that_is_mostly_empty_is_not_filled() {
    let store = dense_boxes(&[[(0, 0), (0, 0)], [(9, 9), (9, 9)]]);
    let whole = plan(&store, &options()).unwrap();
    assert!(whole.is_empty());
    assert_eq!(whole.notes.len(), 1, "{whole}");
    let generous = StepPolicy {
        amplification: 100.0,
        ..StepPolicy::default()
    };
    let options = options().policy(generous);
    assert_eq!(plan(&store, &options).unwrap().steps.len(), 1);
}

#[test]
fn a_step_cannot_merge_what_no_earlier_step_made() {
    let store = dense_boxes(&[[(0, 9), (0, 9)], [(0, 9), (0, 9)]]);
    let mut by_hand = plan(&store, &options()).unwrap();
    by_hand.steps[0].sources.push(Source::Step(3));
    let before = store.keys();
    let error = by_hand.merge(&Session::default(), &now(&store), &options());
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    insta::assert_snapshot!(error, @r#"step "4": its result is to be merged by a step of the plan that does not come after it"#);
    assert_eq!(store.keys(), before);
}

#[test]
fn steps_go_on_with_what_they_made() {
    let cells = |i: i32| Event::Write(vec![(i, 0, Some(i)), (i, 1, Some(i))]);
    let (store, times) = lived(Kind::Sparse, &[cells(1), cells(2), cells(3), cells(4)]);
    let before = seen(&store, &times);
    let pairs = options().policy(StepPolicy {
        max_fragments: 2,
        ..StepPolicy::default()
    });
    let planned = plan(&store, &pairs).unwrap();
    assert_eq!(planned.steps.len(), 3);
    assert_eq!(planned.steps[2].sources, [Source::Step(0), Source::Step(1)]);
    merge(&shared(&store), &pairs, None).unwrap();
    assert_eq!((fragments(&store), seen(&store, &times)), (1, before));
    let within = options().since(20).until(Some(39));
    let (store, _) = lived(Kind::Sparse, &[cells(1), cells(2), cells(3), cells(4)]);
    let planned = plan(&store, &within).unwrap();
    assert_eq!((planned.steps.len(), planned.steps[0].times), (1, (20, 30)));
}

#[test]
fn policies_that_mean_nothing_are_refused() {
    let store = create(Kind::Sparse);
    let default = StepPolicy::default;
    for policy in [
        StepPolicy {
            min_fragments: 3,
            max_fragments: 2,
            ..default()
        },
        StepPolicy {
            size_ratio: 1.5,
            ..default()
        },
        StepPolicy {
            amplification: f64::NAN,
            ..default()
        },
    ] {
        let options = options().policy(policy);
        assert_eq!(
            plan(&store, &options).unwrap_err().kind(),
            ErrorKind::Invalid
        );
    }
}

#[test]
fn a_box_is_judged_as_a_whole() {
    // Adjacent tiles, the middle one written last: the first two alone would leave a hole.
    let tile = |x: i32| [(0, x), (3, x + 2)];
    let store = dense_boxes(&[tile(0), tile(6), tile(3)]);
    let exact = options().policy(StepPolicy {
        amplification: 1.0,
        ..StepPolicy::default()
    });
    let planned = plan(&store, &exact).unwrap();
    assert_eq!(
        (planned.steps.len(), planned.steps[0].sources.len()),
        (1, 3)
    );
}

#[test]
fn times_of_overlapping_fragments_are_joined() {
    let (store, times) = lived(Kind::Sparse, &[line(1, 1), line(1, 2), line(1, 3)]);
    let before = seen(&store, &times);
    let names = fragment_names(&store);
    // The first and the last, with the second in between: allowed, since each cell keeps its time.
    merge(&shared(&store), &of(&[&names[0], &names[2]]), None).unwrap();
    assert_eq!(
        (fragments(&store), seen(&store, &times)),
        (2, before.clone())
    );
    let plan = merge(&shared(&store), &options(), None).unwrap();
    assert_eq!(plan.steps[0].times, (10, 30));
    assert_eq!((fragments(&store), seen(&store, &times)), (1, before));
}

#[test]
fn what_would_change_places_is_refused() {
    // Two writes of the same cells in one millisecond: the later one counts.
    let store = create(Kind::Sparse);
    for (time, value) in [(10, 1), (10, 2), (20, 3)] {
        happen(&store, Kind::Sparse, &line(1, value), time);
    }
    let names = fragment_names(&store);
    let refused = plan(&store, &of(&[&names[1], &names[2]])).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(refused.to_string().contains(&names[0]), "{refused}");
    assert!(plan(&store, &of(&[&names[0], &names[1]])).is_ok());
    // Elsewhere, they conflict with nothing.
    let store = create(Kind::Sparse);
    for (time, x) in [(10, 1), (10, 5), (20, 2)] {
        happen(&store, Kind::Sparse, &line(x, 1), time);
    }
    let names = fragment_names(&store);
    assert!(plan(&store, &of(&[&names[1], &names[2]])).is_ok());
    // Without times of their own, merged cells would be newer than those in between.
    let dropped = of(&[&names[0], &names[2]]).history(History::Dropped);
    assert!(plan(&store, &dropped).is_ok());
    let store = create(Kind::Sparse);
    for (time, value) in [(10, 1), (20, 2), (30, 3)] {
        happen(&store, Kind::Sparse, &line(1, value), time);
    }
    let names = fragment_names(&store);
    let dropped = of(&[&names[0], &names[2]]).history(History::Dropped);
    assert!(plan(&store, &dropped).is_err());
}
