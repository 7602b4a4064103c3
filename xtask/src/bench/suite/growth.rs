//! How the cost grows with the size of a request, and the exponent of the growth.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value};

use super::results::{Results, Row, commits};
use super::tables::milliseconds;

/// Exponents above this are reported as worse than necessary.
const MOST: f64 = 1.15;

/// Size, and processor seconds of tdb and of TileDB.
type Step = (f64, f64, f64);

/// Writes a table of all measured series.
pub(super) fn write(
    text: &mut String,
    results: &Results,
    reasons: &Map<String, Value>,
) -> Result<(), Box<dyn std::error::Error>> {
    let rows = results.growth();
    if rows.is_empty() {
        return Ok(());
    }
    let commits = commits(rows.iter().map(|row| row.text("commit")));
    writeln!(
        text,
        "\n## Growth\n\nMeasured at commit {commits}: processor time in ms, tdb / TileDB, one thread, at sizes each ten times the one before. Exponents are of the last \
         step and of the whole; 1 is in proportion. Arrays of 10^4 fragments and more have the files of a thousand, under other names.\n\n\
         | growth | size: tdb / TileDB | tdb: last step, whole | TileDB: last step, whole | |\n|---|---|---|---|---|"
    )?;
    for (series, steps) in series(&rows) {
        let told: Vec<String> = steps.iter().map(told).collect();
        let ours = exponents(steps.iter().map(|step| (step.0, step.1)));
        let theirs = exponents(steps.iter().map(|step| (step.0, step.2)));
        let is_worse = ours.is_some_and(|(last, _)| last > MOST);
        let reason = reasons.iter().find(|(part, _)| series.contains(*part));
        let reason = reason.and_then(|(_, reason)| reason.as_str());
        let why = match (is_worse, reason) {
            (false, None) => "",
            (true, None) => "not looked into yet",
            (_, Some(reason)) => reason,
        };
        let [ours, theirs] = [ours, theirs].map(|exponents| {
            exponents.map_or("-".into(), |(last, whole)| format!("{last:.2}, {whole:.2}"))
        });
        writeln!(
            text,
            "| {series} | {} | {ours} | {theirs} | {why} |",
            told.join("; ")
        )?;
    }
    Ok(())
}

/// Returns the steps of each series, in ascending order of size.
fn series<'a>(rows: &'a [Row<'_>]) -> BTreeMap<&'a str, Vec<Step>> {
    let mut all: BTreeMap<&str, Vec<Step>> = BTreeMap::new();
    for row in rows {
        let size = row.said.get("size").and_then(Value::as_f64);
        let [theirs, ours] = ["tiledb", "tdb"].map(|engine| row.figures(1, engine));
        if let (Some(size), Some(theirs), Some(ours)) = (size, theirs, ours) {
            let steps = all.entry(row.text("series")).or_default();
            steps.push((size, ours.cpu, theirs.cpu));
        }
    }
    for steps in all.values_mut() {
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all
}

fn told((size, ours, theirs): &Step) -> String {
    let power = size.log10().round();
    let size = if 10_f64.powf(power) == *size {
        format!("10^{power}")
    } else {
        size.to_string()
    };
    let [ours, theirs] = [*ours, *theirs].map(milliseconds);
    format!("{size}: {ours} / {theirs}")
}

/// Returns the exponent of the last step, and of the whole series; `None` for fewer than three sizes.
fn exponents(steps: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    let steps: Vec<_> = steps.collect();
    let [first, .., before, last] = steps.as_slice() else {
        return None;
    };
    let between =
        |low: &(f64, f64), high: &(f64, f64)| (high.1 / low.1).ln() / (high.0 / low.0).ln();
    Some((between(before, last), between(first, last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_powers() {
        let steps = [1.0, 10.0, 100.0].map(|size: f64| (size, size.powf(1.5)));
        let (last, whole) = exponents(steps.into_iter()).unwrap();
        assert!((last - 1.5).abs() < 1e-9 && (whole - 1.5).abs() < 1e-9);
        assert_eq!(exponents([(1.0, 1.0)].into_iter()), None);
    }

    #[test]
    fn sizes_are_told_as_powers_of_ten_where_they_are() {
        assert_eq!(told(&(100.0, 0.001, 0.002)), "10^2: 1.00 / 2.00");
        assert_eq!(told(&(500.0, 0.001, 0.002)), "500: 1.00 / 2.00");
    }
}
