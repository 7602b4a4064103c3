//! Measurements, kept in a file to which runs of parts add.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::machine;
use crate::outcome::Outcome;
use crate::workshop::Workshop;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Family of the workloads that measure how cost grows.
pub(super) const GROWING: &str = "growth";

/// Returns the path of the results.
pub(super) fn file() -> Result<PathBuf> {
    Ok(Workshop::open()?.scratch().join("bench/results.json"))
}

/// Returns the distinct commits of some rows.
pub(super) fn commits<'a>(of_rows: impl Iterator<Item = &'a str>) -> String {
    let commits: BTreeSet<&str> = of_rows.collect();
    let commits: Vec<&str> = commits.into_iter().collect();
    commits.join(", ")
}

/// Results for one size of arrays, and the additions of this run.
pub(super) struct Results {
    file: PathBuf,
    scale: &'static str,
    all: Value,
    /// Commit at the beginning of the run.
    commit: String,
    /// Rounds of this run: the outputs of each engine, by workload and number of threads.
    rounds: Map<String, Value>,
    checked: Vec<String>,
}

/// Measurements of one engine.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    /// Processor seconds of the fastest run of all rounds.
    pub(super) cpu: f64,
    /// Processor seconds of the slowest round.
    pub(super) slowest: f64,
    /// Wall clock seconds of the fastest run of all rounds.
    pub(super) wall: f64,
    /// Peak memory in bytes beyond that before the run, in the round that used most.
    pub(super) peak: f64,
    /// Size of a read's result in bytes, as tdb reports it.
    pub(super) result: f64,
}

/// Results of one workload.
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    pub(super) said: &'a Value,
}

impl Results {
    pub(super) fn load(file: &Path, scale: &'static str) -> Result<Self> {
        let all = if file.exists() {
            serde_json::from_str(&fs::read_to_string(file)?)?
        } else {
            json!({})
        };
        Ok(Self {
            file: file.to_owned(),
            scale,
            all,
            commit: machine::commit()?,
            rounds: Map::new(),
            checked: Vec::new(),
        })
    }

    /// Writes all results atomically.
    pub(super) fn save(&self) -> Outcome {
        let part = self.file.with_extension("part");
        fs::write(&part, serde_json::to_string_pretty(&self.all)?)?;
        Ok(fs::rename(part, &self.file)?)
    }

    /// Adds the rates of a round; the best of all rounds is kept.
    pub(super) fn note_rates(&mut self, said: &Value) -> Outcome {
        let found = said.get("rates").and_then(Value::as_object);
        let rates = entry(&mut self.rounds, "rates")?;
        for (name, rate) in found.ok_or("no rates")? {
            let rate = rate.as_f64().ok_or("a rate that is no number")?;
            let before = rates.get(name).and_then(Value::as_f64).unwrap_or(0.0);
            rates.insert(name.clone(), before.max(rate).into());
        }
        Ok(())
    }

    pub(super) fn note(&mut self, name: &str, threads: u64, theirs: Value, ours: Value) -> Outcome {
        let of_workload = entry(&mut self.rounds, name)?;
        let of_threads = entry(of_workload, &threads.to_string())?;
        for (engine, said) in [("tiledb", theirs), ("tdb", ours)] {
            let list = of_threads.entry(engine).or_insert_with(|| json!([]));
            list.as_array_mut().ok_or("no list")?.push(said);
        }
        Ok(())
    }

    /// Adds a result of another engine, for comparison.
    pub(super) fn note_other(&mut self, name: &str, engine: &str, said: Value) -> Outcome {
        let of_workload = entry(&mut self.rounds, name)?;
        let list = entry(of_workload, "others")?
            .entry(engine)
            .or_insert_with(|| json!([]));
        list.as_array_mut().ok_or("no list")?.push(said);
        Ok(())
    }

    pub(super) fn is_checked(&self, name: &str) -> bool {
        self.checked.iter().any(|checked| checked == name)
    }

    pub(super) fn note_checked(&mut self, name: &str) {
        self.checked.push(name.to_owned());
    }

    /// Updates the rows of these workloads with the rounds of this run. Earlier rounds of the same programs on the
    /// same machine are kept; others are replaced.
    pub(super) fn finish(
        &mut self,
        list: &Map<String, Value>,
        needs: &Map<String, Value>,
        names: &[&str],
    ) -> Outcome {
        let machine = machine::facts();
        let is_same_machine = self.machine() == machine;
        let commit = &self.commit;
        let is_of_same = |said: &Value| {
            let of = said.get("commit").and_then(Value::as_str);
            is_same_machine && of.is_some_and(|of| machine::same_programs(of, commit))
        };
        let rates = self.rounds.get("rates").cloned().unwrap_or(json!({}));
        let all = self
            .all
            .as_object_mut()
            .ok_or("results that are no object")?;
        let of_scale = entry(all, self.scale)?;
        let rows = entry(of_scale, "rows")?;
        // Keeps the order of the list, whichever rows existed before.
        let mut kept = std::mem::take(rows);
        for name in list.keys() {
            let before = kept.remove(name);
            if !names.contains(&name.as_str()) {
                if let Some(row) = before {
                    rows.insert(name.clone(), row);
                }
                continue;
            }
            let workload = list.get(name).ok_or("no workload")?;
            let need = needs.get(name).ok_or("no limit")?;
            let rounds = self.rounds.get(name).ok_or("no rounds")?;
            let before = before.filter(|row| is_of_same(row));
            let row = row(workload, need, (rounds, before.as_ref()), &rates, commit)?;
            rows.insert(name.clone(), row);
        }
        let before = json!({"commit": of_scale.get("rates_commit")});
        let is_added = is_of_same(&before);
        of_scale.insert("rates_commit".into(), commit.as_str().into());
        let kept = entry(of_scale, "rates")?;
        for (name, rate) in rates.as_object().into_iter().flatten() {
            let before = kept.get(name).filter(|_| is_added);
            let best = before.and_then(Value::as_f64).unwrap_or(0.0);
            let rate = rate.as_f64().ok_or("a rate that is no number")?;
            kept.insert(name.clone(), best.max(rate).into());
        }
        of_scale.insert("machine".into(), machine.into());
        Ok(())
    }

    /// Returns the workloads that have goals.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let rows = self.all_rows();
        rows.filter(|row| row.text("family") != GROWING).collect()
    }

    /// Returns the steps of the growth series.
    pub(super) fn growth(&self) -> Vec<Row<'_>> {
        let rows = self.all_rows();
        rows.filter(|row| row.text("family") == GROWING).collect()
    }

    fn all_rows(&self) -> impl Iterator<Item = Row<'_>> {
        let rows = self.scaled("rows").and_then(Value::as_object);
        let rows = rows.into_iter().flatten();
        rows.map(|(name, said)| Row { name, said })
    }

    /// Returns the measurements in a distant store.
    pub(super) fn far(&self) -> Vec<&Value> {
        let far = self.scaled("far").and_then(Value::as_object);
        far.into_iter().flat_map(Map::values).collect()
    }

    pub(super) fn note_far(&mut self, name: &str, mut row: Map<String, Value>) -> Outcome {
        row.insert("commit".into(), self.commit.as_str().into());
        let all = self
            .all
            .as_object_mut()
            .ok_or("results that are no object")?;
        let far = entry(entry(all, self.scale)?, "far")?;
        far.insert(name.to_owned(), row.into());
        Ok(())
    }

    pub(super) fn machine(&self) -> &str {
        let machine = self.scaled("machine").and_then(Value::as_str);
        machine.unwrap_or("unknown machine")
    }

    pub(super) fn rates(&self) -> Vec<(&str, f64)> {
        let rates = self.scaled("rates").and_then(Value::as_object);
        let rates = rates.into_iter().flatten();
        rates
            .filter_map(|(name, rate)| Some((name.as_str(), rate.as_f64()?)))
            .collect()
    }

    fn scaled(&self, key: &str) -> Option<&Value> {
        self.all.get(self.scale)?.get(key)
    }
}

/// Returns the object at a key, creating it if necessary.
fn entry<'a>(of: &'a mut Map<String, Value>, key: &str) -> Result<&'a mut Map<String, Value>> {
    let value = of.entry(key).or_insert_with(|| json!({}));
    Ok(value.as_object_mut().ok_or("no object")?)
}

/// Builds a row: the workload, the results of both engines by number of threads, and the limit with its stages.
/// Earlier rounds of the same programs count like those of this run.
fn row(
    workload: &Value,
    need: &Value,
    (rounds, before): (&Value, Option<&Value>),
    rates: &Value,
    commit: &str,
) -> Result<Value> {
    let found = |key: &str| before.and_then(|row| row.get(key)?.as_object());
    let mut threads = found("threads").cloned().unwrap_or_default();
    for (number, engines) in rounds.as_object().ok_or("no rounds")? {
        let taken = entry(&mut threads, number)?;
        for (engine, said) in engines.as_object().ok_or("no engines")? {
            let said = said.as_array().ok_or("no rounds of an engine")?;
            let best = best(taken.get(engine), said)?;
            taken.insert(engine.clone(), best);
        }
    }
    let mut stages = Map::new();
    let list = need.get("stages").and_then(Value::as_array);
    for stage in list.ok_or("no stages")? {
        let name = stage.get(0).and_then(Value::as_str).ok_or("no stage")?;
        let amount = stage.get(1).and_then(Value::as_f64).ok_or("no amount")?;
        let rate = rates.get(name).and_then(Value::as_f64);
        let rate = rate.ok_or_else(|| format!("the rate `{name}` was not measured"))?;
        let before = found("stages").and_then(|stages| stages.get(name)?.as_f64());
        let seconds = before.map_or(amount / rate, |before| before.min(amount / rate));
        stages.insert(name.to_owned(), seconds.into());
    }
    let told = |key: &str| workload.get(key).cloned().unwrap_or(Value::Null);
    Ok(json!({
        "commit": commit, "family": told("family"), "kind": told("kind"), "latency": told("latency"), "sorts": told("sorts"),
        "memory": need.get("memory"), "stages": stages, "threads": threads, "series": told("series"), "size": told("size"),
    }))
}

/// Returns the best of all rounds: the fastest times, which were disturbed least, but the highest peak memory.
fn best(before: Option<&Value>, rounds: &[Value]) -> Result<Value> {
    let all = |key: &'static str| {
        let said = before.into_iter().chain(rounds);
        said.filter_map(move |said| said.get(key)?.as_f64())
    };
    let last = rounds.last().and_then(Value::as_object);
    let mut best = last.cloned().ok_or("no figures")?;
    best.remove("sums");
    for key in ["cpu", "wall"] {
        let least = all(key).min_by(f64::total_cmp);
        best.insert(key.into(), least.ok_or("no time")?.into());
    }
    let slowest = all("cpu").chain(all("slowest")).max_by(f64::total_cmp);
    best.insert("slowest".into(), slowest.ok_or("no time")?.into());
    let peak = all("peak").max_by(f64::total_cmp);
    best.insert("peak".into(), peak.ok_or("no peak")?.into());
    Ok(best.into())
}

impl Row<'_> {
    /// Returns the figures of an engine with this number of threads, if measured.
    pub(super) fn figures(&self, threads: u64, engine: &str) -> Option<Figures> {
        let said = self.said.get("threads")?.get(threads.to_string())?;
        Some(figures(said.get(engine)?))
    }

    pub(super) fn text(&self, key: &str) -> &str {
        let text = self.said.get(key).and_then(Value::as_str);
        text.unwrap_or_default()
    }

    pub(super) fn is(&self, key: &str) -> bool {
        self.said.get(key).and_then(Value::as_bool) == Some(true)
    }

    /// Returns the stages of which the limit consists, in seconds.
    pub(super) fn stages(&self) -> impl Iterator<Item = (&str, f64)> {
        let stages = self.said.get("stages").and_then(Value::as_object);
        let stages = stages.into_iter().flatten();
        stages.filter_map(|(name, seconds)| Some((name.as_str(), seconds.as_f64()?)))
    }

    /// Returns one of the amounts of memory that a read may use in addition to its result, in bytes; 0 if it is not
    /// listed.
    pub(super) fn memory(&self, key: &str) -> f64 {
        let memory = self.said.get("memory").and_then(|memory| memory.get(key));
        memory.and_then(Value::as_f64).unwrap_or(0.0)
    }
}

pub(super) fn figures(said: &Value) -> Figures {
    let number = |key: &str| said.get(key).and_then(Value::as_f64).unwrap_or(0.0);
    Figures {
        cpu: number("cpu"),
        slowest: number("slowest"),
        wall: number("wall"),
        peak: number("peak"),
        result: number("result"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(cpu: f64, peak: f64) -> Value {
        json!({"cpu": cpu, "wall": cpu, "peak": peak, "sums": {}})
    }

    fn of(row: &Value, threads: u64) -> Figures {
        let row = Row {
            name: "",
            said: row,
        };
        row.figures(threads, "tdb").unwrap()
    }

    #[test]
    fn rounds_of_the_same_programs_add_up() {
        let need = json!({"stages": [["copy", 8.0]]});
        let rounds = |threads: &str, list: &[Value]| json!({threads: {"tdb": list}});
        let first = rounds("1", &[said(3.0, 10.0), said(2.0, 11.0)]);
        let rates = |rate: f64| json!({"copy": rate});
        let first = row(&json!({}), &need, (&first, None), &rates(4.0), "a").unwrap();
        let two = rounds("2", &[said(5.0, 5.0)]);
        let both = row(&json!({}), &need, (&two, Some(&first)), &rates(2.0), "b").unwrap();
        let one = of(&both, 1);
        assert_eq!((one.cpu, one.slowest, one.peak), (2.0, 3.0, 11.0));
        assert_eq!(of(&both, 2).wall, 5.0);
        assert_eq!(both["stages"]["copy"], 2.0);
        assert_eq!(both["commit"], "b");
        let more = rounds("1", &[said(4.0, 9.0), said(1.5, 9.0)]);
        let more = row(&json!({}), &need, (&more, Some(&both)), &rates(8.0), "b").unwrap();
        let one = of(&more, 1);
        assert_eq!((one.cpu, one.slowest, one.peak), (1.5, 4.0, 11.0));
        assert_eq!(more["stages"]["copy"], 1.0);
    }
}
