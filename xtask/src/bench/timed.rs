//! Seconds of runs.

use serde_json::Value;

/// Seconds of one run: wall clock time and processor time.
#[derive(Clone, Copy)]
pub(super) struct Seconds {
    pub(super) wall: f64,
    pub(super) cpu: f64,
}

/// Returns the seconds that a line of JSON has.
pub(super) fn seconds(line: &str) -> Result<Seconds, Box<dyn std::error::Error>> {
    let said: Value = serde_json::from_str(line.trim())?;
    let number = |key: &str| {
        said.get(key)
            .and_then(Value::as_f64)
            .ok_or("a run without seconds")
    };
    Ok(Seconds {
        wall: number("wall")?,
        cpu: number("cpu")?,
    })
}

/// Returns the median of each figure; `None` if there are no runs.
pub(super) fn middle(runs: &[Seconds]) -> Option<Seconds> {
    let of = |figure: fn(&Seconds) -> f64| {
        let mut sorted: Vec<f64> = runs.iter().map(figure).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    };
    Some(Seconds {
        wall: of(|run| run.wall)?,
        cpu: of(|run| run.cpu)?,
    })
}
