//! Running the parts of `cargo xtask test` and `cargo xtask ci`: two at a time if one mostly waits. The time left is
//! shown meanwhile, and the seconds and tests of each part at the end.
//!
//! A part runs in the lane it names. The parts of [`Lane::Build`] call cargo, which keeps all processors busy; those
//! of [`Lane::Beside`] run programs built before, and mostly wait. Within a lane, parts run in the order of the table;
//! a part waits for those of the other lane that it depends on.

use std::collections::BTreeSet;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::disk;
use crate::network;
use crate::outcome::{Missing, Outcome};
use crate::report::Report;
use crate::workspace;

/// Interval between progress messages.
const TICK: Duration = Duration::from_secs(30);

/// A sequence of parts that run one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Parts that call cargo.
    Build,
    /// Parts that run built programs.
    Beside,
}

/// One part of a run.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) lane: Lane,
    /// Parts that must have passed before.
    pub(crate) after: &'static [&'static str],
    /// Expected seconds on two cores: from an empty target folder, and once everything is built.
    pub(crate) seconds: [u64; 2],
    pub(crate) run: fn(&mut Report) -> Outcome,
}

/// Options of the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Parts to run; empty for all.
    only: BTreeSet<String>,
    /// True to run further parts after one has failed.
    keep_going: bool,
    /// True if it is a failure that something cannot be checked on this machine.
    complete: bool,
}

impl Options {
    /// Parses the options that all runs have, and returns the unknown arguments too.
    pub(crate) fn parse(arguments: &[String]) -> Result<(Self, Vec<&str>), Box<dyn Error>> {
        let (mut options, mut others) = (Self::default(), Vec::new());
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--keep-going" => options.keep_going = true,
                "--complete" => options.complete = true,
                "--only" => {
                    let names = arguments.next().ok_or("--only needs names of parts")?;
                    options.only.extend(names.split(',').map(str::to_owned));
                }
                other => others.push(other),
            }
        }
        Ok((options, others))
    }

    /// Returns the selected parts, and those they depend on.
    fn chosen<'a>(&self, parts: &[&'a Part]) -> Result<Vec<&'a Part>, Box<dyn Error>> {
        let is_known = |name: &&String| parts.iter().any(|part| part.name == **name);
        if let Some(name) = self.only.iter().find(|name| !is_known(name)) {
            let known: Vec<&str> = parts.iter().map(|part| part.name).collect();
            return Err(format!("no part `{name}`; there are {}", known.join(", ")).into());
        }
        if self.only.is_empty() {
            return Ok(parts.to_vec());
        }
        // A part stands after those it depends on.
        let mut wanted: BTreeSet<&str> = self.only.iter().map(String::as_str).collect();
        for part in parts.iter().rev() {
            if wanted.contains(part.name) {
                wanted.extend(part.after);
            }
        }
        let is_wanted = |part: &&&Part| wanted.contains(part.name);
        Ok(parts.iter().filter(is_wanted).copied().collect())
    }
}

/// A part that has ended.
struct Done {
    name: &'static str,
    time: Duration,
    is_failed: bool,
}

/// State shared by the lanes.
#[derive(Default)]
struct State {
    running: Vec<(&'static str, Instant)>,
    done: Vec<Done>,
    /// Parts that are skipped because one they depend on has not passed.
    skipped: Vec<&'static str>,
    report: Report,
    is_stopped: bool,
    is_over: bool,
}

/// A run: its parts and its state.
struct Run<'a> {
    parts: Vec<&'a Part>,
    options: &'a Options,
    is_warm: bool,
    begun: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

/// Runs the parts that the options select.
pub(crate) fn run(title: &str, parts: &[&Part], options: &Options) -> Outcome {
    let run = Run {
        parts: options.chosen(parts)?,
        options,
        is_warm: workspace::target()?.join("xtask").join(title).exists(),
        begun: Instant::now(),
        state: Mutex::default(),
        changed: Condvar::new(),
    };
    println!(
        "== {title}: {} parts, about {} on two cores{}",
        run.parts.len(),
        minutes(run.left(&State::default())),
        if run.is_warm {
            ""
        } else {
            ", as nothing is built yet"
        }
    );
    std::thread::scope(|scope| {
        let run = &run;
        let lanes = [Lane::Build, Lane::Beside].map(|lane| scope.spawn(move || run.follow(lane)));
        let ticker = scope.spawn(move || run.tick());
        let is_whole = lanes.map(|lane| lane.join().is_ok()) == [true, true];
        if let Ok(mut state) = run.state.lock() {
            state.is_over = true;
        }
        run.changed.notify_all();
        let _ = ticker.join();
        if !is_whole {
            return Err("a part ended with a panic");
        }
        Ok(())
    })?;
    run.close(title)
}

impl Run<'_> {
    fn lock(&self) -> Result<MutexGuard<'_, State>, Box<dyn Error>> {
        Ok(self.state.lock().map_err(|_| "a part ended with a panic")?)
    }

    /// Runs the parts of a lane, each after those it depends on have passed.
    fn follow(&self, lane: Lane) {
        for part in self.parts.iter().filter(|part| part.lane == lane) {
            let Ok(state) = self.lock() else { return };
            let waits = |state: &mut State| !state.is_stopped && !self.is_ready(part, state);
            let Ok(mut state) = self.changed.wait_while(state, waits) else {
                return;
            };
            if state.is_stopped || !self.has_passed(part, &state) {
                state.skipped.push(part.name);
                self.changed.notify_all();
                continue;
            }
            println!("== {}: {}", part.name, part.about);
            state.running.push((part.name, Instant::now()));
            drop(state);
            let (begun, mut report) = (Instant::now(), Report::default());
            // A panic must be caught, because the other lane would wait for this part forever.
            let outcome = catch_unwind(AssertUnwindSafe(|| (part.run)(&mut report)));
            let outcome = outcome.unwrap_or_else(|_| Err("ended with a panic".into()));
            self.end(part, begun.elapsed(), report, outcome);
        }
    }

    /// True if all parts that a part depends on have ended.
    fn is_ready(&self, part: &Part, state: &State) -> bool {
        let has_ended = |name: &&str| {
            state.skipped.contains(name) || state.done.iter().any(|done| done.name == *name)
        };
        let runs = |name: &&&str| self.parts.iter().any(|part| part.name == **name);
        part.after.iter().filter(runs).all(has_ended)
    }

    fn has_passed(&self, part: &Part, state: &State) -> bool {
        let failed = state.done.iter().filter(|done| done.is_failed);
        let mut not_passed = failed.map(|done| &done.name).chain(&state.skipped);
        !not_passed.any(|name| part.after.contains(name))
    }

    fn end(&self, part: &Part, time: Duration, mut report: Report, outcome: Outcome) {
        let mut is_failed = false;
        if let Err(error) = outcome {
            let text = error.to_string();
            let missing = if error.is::<Missing>() {
                Some(text.clone())
            } else {
                network::missing(&text)
            };
            if let Some(missing) = missing {
                report.not_checked(part.name, &missing);
            } else {
                eprintln!("{}: {}", part.name, disk::explained(&text));
                is_failed = true;
            }
        }
        println!("   {}: {:.1} s", part.name, time.as_secs_f64());
        if let Ok(mut state) = self.state.lock() {
            state.running.retain(|(name, _)| *name != part.name);
            state.report.add(report);
            state.done.push(Done {
                name: part.name,
                time,
                is_failed,
            });
            state.is_stopped |= is_failed && !self.options.keep_going;
        }
        self.changed.notify_all();
    }

    /// Prints at intervals what is running, and how long it will take.
    fn tick(&self) {
        let Ok(mut state) = self.lock() else { return };
        let mut said = Instant::now();
        while !state.is_over {
            let Ok((next, _)) = self.changed.wait_timeout(state, TICK) else {
                return;
            };
            state = next;
            if said.elapsed() >= TICK && !state.running.is_empty() {
                said = Instant::now();
                let running: Vec<&str> = state.running.iter().map(|(name, _)| *name).collect();
                println!(
                    "   … after {}: {} of {} parts done, now {}; about {} left",
                    minutes(self.begun.elapsed()),
                    state.done.len(),
                    self.parts.len(),
                    running.join(" and "),
                    minutes(self.left(&state))
                );
            }
        }
    }

    /// Estimates the remaining time: that of the longer lane, at the pace of the parts done so far.
    fn left(&self, state: &State) -> Duration {
        let expected = |part: &Part| {
            let [cold, warm] = part.seconds;
            if self.is_warm { warm } else { cold }
        };
        let by_name = |name: &str| self.parts.iter().find(|part| part.name == name);
        let ended = state.done.iter().filter_map(|done| by_name(done.name));
        let (wanted, taken): (u64, Duration) = (
            ended.map(|part| expected(part)).sum(),
            state.done.iter().map(|done| done.time).sum(),
        );
        let pace = match wanted {
            0..30 => 1.0,
            wanted => (taken.as_secs_f64() / seconds(wanted)).clamp(0.2, 5.0),
        };
        let of_lane = |lane| {
            let parts = self.parts.iter().filter(|part| part.lane == lane);
            let parts = parts.filter(|part| !state.done.iter().any(|done| done.name == part.name));
            let left = parts.map(|part| {
                let running = state.running.iter().find(|(name, _)| *name == part.name);
                let spent = running.map_or(0.0, |(_, begun)| begun.elapsed().as_secs_f64());
                (seconds(expected(part)) * pace - spent).max(0.0)
            });
            left.sum::<f64>()
        };
        Duration::from_secs_f64(of_lane(Lane::Build).max(of_lane(Lane::Beside)))
    }

    /// Prints the closing lines.
    fn close(&self, title: &str) -> Outcome {
        let state = self.lock()?;
        for (name, tests) in &state.report.tests {
            println!("   {name}: {} tests", tests.run());
        }
        let mut times: Vec<String> = Vec::new();
        for done in &state.done {
            times.push(format!("{} {:.1}", done.name, done.time.as_secs_f64()));
        }
        let all = self.begun.elapsed().as_secs_f64();
        println!("== {title}, seconds: {}; all {all:.1}", times.join(", "));
        let report = &state.report;
        for line in report.not_checked.iter().chain(&report.told) {
            println!("== NOT CHECKED: {line}");
        }
        let tests = state.report.total();
        println!(
            "== tests: {} passed, {} failed, {} ignored",
            tests.passed, tests.failed, tests.ignored
        );
        let failed: Vec<&str> = state
            .done
            .iter()
            .filter(|done| done.is_failed)
            .map(|done| done.name)
            .collect();
        if !failed.is_empty() {
            return Err(format!("failed: {}", failed.join(", ")).into());
        }
        if state.done.len() < self.parts.len() {
            return Err("some parts did not run".into());
        }
        if self.options.complete && !state.report.not_checked.is_empty() {
            return Err("not all could be checked, see NOT CHECKED above".into());
        }
        if self.options.only.is_empty() {
            let folder = workspace::target()?.join("xtask");
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join(title), "")?;
        }
        Ok(())
    }
}

fn seconds(number: u64) -> f64 {
    Duration::from_secs(number).as_secs_f64()
}

/// Formats a duration: seconds below 90 s, otherwise minutes.
fn minutes(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..90 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests;
