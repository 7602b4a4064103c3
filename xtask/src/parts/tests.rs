use super::*;

/// Creates a part that passes.
const fn part(name: &'static str, lane: Lane, after: &'static [&'static str]) -> Part {
    Part {
        name,
        about: "",
        lane,
        after,
        seconds: [100, 10],
        run: |report| {
            report.count("a", crate::report::Tests::default());
            Ok(())
        },
    }
}

fn options(arguments: &[&str]) -> Options {
    let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
    Options::parse(&arguments).unwrap().0
}

#[test]
fn parts_are_chosen_by_name() {
    let parts = [
        part("fmt", Lane::Build, &[]),
        part("build", Lane::Build, &[]),
        part("docs", Lane::Build, &[]),
        part("compare", Lane::Beside, &["build"]),
    ];
    let parts: Vec<&Part> = parts.iter().collect();
    let chosen = |only| {
        let chosen = options(&["--only", only]).chosen(&parts).unwrap();
        chosen.iter().map(|part| part.name).collect::<Vec<_>>()
    };
    assert_eq!(chosen("docs,fmt"), ["fmt", "docs"]);
    assert_eq!(chosen("compare"), ["build", "compare"]);
    assert!(options(&["--only", "nothing"]).chosen(&parts).is_err());
    let unknown = ["--what".to_owned()];
    let (_, others) = Options::parse(&unknown).unwrap();
    assert_eq!(others, ["--what"]);
}

fn run<'a>(parts: &'a [Part], options: &'a Options) -> Run<'a> {
    Run {
        parts: parts.iter().collect(),
        options,
        is_warm: false,
        begun: Instant::now(),
        state: Mutex::default(),
        changed: Condvar::new(),
    }
}

/// Runs both lanes; returns the names of the parts that ended, and of those that failed.
fn followed(parts: &[Part], options: &Options) -> (Vec<&'static str>, Vec<&'static str>) {
    let run = run(parts, options);
    std::thread::scope(|scope| {
        for lane in [Lane::Beside, Lane::Build] {
            let run = &run;
            scope.spawn(move || run.follow(lane));
        }
    });
    let state = run.state.into_inner().unwrap();
    let failed = state.done.iter().filter(|done| done.is_failed);
    let failed = failed.map(|done| done.name).collect();
    (state.done.iter().map(|done| done.name).collect(), failed)
}

#[test]
fn a_part_waits_for_what_it_comes_after() {
    let parts = [
        part("build", Lane::Build, &[]),
        part("compare", Lane::Beside, &["build", "elsewhere"]),
    ];
    let (done, failed) = followed(&parts, &Options::default());
    assert_eq!(done, ["build", "compare"]);
    assert!(failed.is_empty());
}

#[test]
fn nothing_runs_after_what_failed() {
    let mut parts = [
        part("build", Lane::Build, &[]),
        part("tests", Lane::Build, &[]),
        part("compare", Lane::Beside, &["build"]),
    ];
    parts[0].run = |_| Err("no".into());
    let (done, failed) = followed(&parts, &Options::default());
    assert_eq!((done, failed), (vec!["build"], vec!["build"]));
    let (done, failed) = followed(&parts, &options(&["--keep-going"]));
    assert_eq!((done, failed), (vec!["build", "tests"], vec!["build"]));
}

#[test]
fn what_comes_after_a_part_that_is_skipped_or_panics_does_not_wait() {
    let mut parts = [
        part("build", Lane::Build, &[]),
        part("compare", Lane::Beside, &["build"]),
        part("tell", Lane::Build, &["compare"]),
        part("last", Lane::Beside, &[]),
    ];
    parts[0].run = |_| panic!("no");
    let (done, failed) = followed(&parts, &options(&["--keep-going"]));
    assert_eq!((done, failed), (vec!["build", "last"], vec!["build"]));
}

#[test]
fn the_time_left_is_that_of_the_longer_lane_at_the_pace_so_far() {
    let parts = [
        part("a", Lane::Build, &[]),
        part("b", Lane::Build, &[]),
        part("c", Lane::Beside, &[]),
    ];
    let options = Options::default();
    let run = run(&parts, &options);
    let mut state = State::default();
    assert_eq!(run.left(&state).as_secs(), 200);
    state.done.push(Done {
        name: "a",
        time: Duration::from_secs(50),
        is_failed: false,
    });
    assert_eq!(run.left(&state).as_secs(), 50);
}
