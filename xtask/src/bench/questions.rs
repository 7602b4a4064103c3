//! Questions to the program as users type them, and to TileDB or DuckDB (`xtask/bench/questions.py`).
//!
//! The program is measured as a whole, from start to exit and on all cores. For the other engine only the answer is
//! measured, with the library loaded and, for TileDB, with the memory for cells already touched.

use std::fs;

use serde_json::Value;

use super::built::built;
use super::{Judge, RUNS, text};
use crate::outcome::Outcome;

/// Seconds of one run: wall clock time and processor time.
#[derive(Clone, Copy)]
pub(super) struct Seconds {
    pub(super) wall: f64,
    pub(super) cpu: f64,
}

impl Judge {
    /// Asks both engines the selected questions in turns, and prints a row for each.
    pub(super) fn questions(&self, wanted: &str) -> Outcome {
        let list = self.workloads("questions", wanted)?;
        if list.is_empty() {
            return Ok(());
        }
        let program = &built("--bin", "tdb")?;
        println!(
            "\n| question | whom else | its wall s | tdb wall s | ratio | its cpu s | tdb cpu s |\n|---|---|--:|--:|--:|--:|--:|"
        );
        for (name, question) in list {
            self.question(program, &name, &question)?;
        }
        Ok(())
    }

    fn question(&self, program: &str, name: &str, question: &Value) -> Outcome {
        self.tiledb(&["make", name])?;
        let arguments: Vec<&str> = question
            .get("arguments")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let who = question.get("who").and_then(Value::as_str);
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            if who.is_some() {
                theirs.push(seconds(&self.tiledb(&["ask", name])?)?);
            }
            // An earlier run may have left this folder, which an import would refuse.
            let target = self.folder.join(text(question, "target"));
            if target != self.folder && target.is_dir() {
                fs::remove_dir_all(&target)?;
            }
            ours.push(seconds(
                &self.tiledb(&[&["run", program], &arguments[..]].concat())?,
            )?);
        }
        let ours = middle(&ours).ok_or("no run")?;
        if let Some(theirs) = middle(&theirs) {
            println!(
                "| {name} | {} | {:.4} | {:.4} | {:.2} | {:.3} | {:.3} |",
                who.unwrap_or("-"),
                theirs.wall,
                ours.wall,
                ours.wall / theirs.wall,
                theirs.cpu,
                ours.cpu
            );
        } else {
            println!("| {name} | | | {:.4} | | | {:.3} |", ours.wall, ours.cpu);
        }
        Ok(())
    }
}

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
