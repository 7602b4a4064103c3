//! Questions to the program as users type them, and to TileDB or DuckDB (`xtask/bench/questions.py`).
//!
//! The program is measured as a whole, from start to exit and on all cores. For the other engine only the answer is
//! measured, with the library loaded and, for TileDB, with the memory for cells already touched.

use std::fs;

use serde_json::Value;

use super::built::built;
use super::timed::{middle, seconds};
use super::{Judge, RUNS, text};
use crate::outcome::Outcome;

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
