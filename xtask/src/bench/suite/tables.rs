//! Formatting figures.

use serde_json::Value;

use super::goals::mean;
use super::results::{Results, Row, figures};

/// Formats one run of both engines as a line.
pub(super) fn line(name: &str, threads: u64, theirs: &Value, ours: &Value) -> String {
    let [theirs, ours] = [theirs, ours].map(figures);
    format!(
        "{name:<40} {threads} thread{}: TileDB {:>9} ms, tdb {:>9} ms, ratio {:.2}",
        if threads == 1 { "" } else { "s" },
        milliseconds(theirs.cpu),
        milliseconds(ours.cpu),
        theirs.cpu / ours.cpu
    )
}

/// Formats the rows of this run for a terminal.
pub(super) fn plain(results: &Results, names: &[&str]) -> String {
    let mut text = format!(
        "\n{:<40} {:>9} {:>9} {:>6} {:>9} {:>6} {:>8} {:>8} {:>5}\n",
        "workload", "TileDB", "tdb ms", "ratio", "limit ms", "share", "peak MB", "allowed", "x2"
    );
    let rows = results.rows();
    let rows = rows.iter().filter(|row| names.contains(&row.name));
    for row in rows.clone() {
        let cells = cells(row);
        text.push_str(&format!("{:<40}", row.name));
        for (cell, width) in cells.iter().zip([9, 9, 6, 9, 6, 8, 8, 5]) {
            text.push_str(&format!(" {cell:>width$}"));
        }
        text.push('\n');
    }
    let ratio = mean(rows.clone().filter_map(Row::ratio));
    let share = mean(rows.filter_map(Row::share));
    text.push_str(&format!(
        "geometric mean: ratio {}, share of the limit {}\n",
        number(ratio, 2),
        percent(share)
    ));
    text
}

/// Formats the cells of a row: TileDB, tdb, ratio, limit, share, peak, allowed, speed-up.
fn cells(row: &Row<'_>) -> [String; 8] {
    let [theirs, ours] = ["tiledb", "tdb"].map(|engine| row.figures(1, engine));
    [
        theirs.map_or("-".into(), |figures| milliseconds(figures.cpu)),
        ours.map_or("-".into(), |figures| milliseconds(figures.cpu)),
        number(row.ratio(), 2),
        milliseconds(row.limit()),
        percent(row.share()),
        ours.map_or("-".into(), |figures| megabytes(figures.peak)),
        row.allowed().map_or("-".into(), megabytes),
        number(row.speedup("tdb"), 2),
    ]
}

/// Formats a time in milliseconds, with about three significant digits.
pub(super) fn milliseconds(seconds: f64) -> String {
    let milliseconds = seconds * 1e3;
    let digits = if milliseconds >= 100.0 {
        0
    } else if milliseconds >= 10.0 {
        1
    } else if milliseconds >= 0.1 {
        2
    } else {
        3
    };
    format!("{milliseconds:.digits$}")
}

pub(super) fn megabytes(bytes: f64) -> String {
    let digits = if bytes < 1e7 { 1 } else { 0 };
    format!("{:.digits$}", bytes / 1e6)
}

pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or("-".into(), |share| format!("{:.0} %", share * 100.0))
}

pub(super) fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".into(), |value| format!("{value:.digits$}"))
}
