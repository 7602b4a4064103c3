//! SQL statements over an array, over a Parquet file of the same cells, and by DuckDB over that file
//! (`xtask/bench/sql.py`).
//!
//! The program is measured as a whole, from start to exit. It runs both over the array and over the file, so the array
//! is compared with DataFusion on Parquet. For DuckDB only the answer is measured, with the library loaded. All three
//! must give the same answer.

use serde_json::Value;

use super::built::built_with;
use super::timed::{Seconds, middle, seconds};
use super::{Judge, RUNS, text};
use crate::outcome::Outcome;

impl Judge {
    /// Has all three answer the selected statements in turns, and prints a row for each.
    pub(super) fn sql(&self, wanted: &str) -> Outcome {
        let list: serde_json::Map<String, Value> = serde_json::from_str(&self.tiledb(&["list"])?)?;
        let is_wanted = |name: &str| wanted == "sql" || name.contains(wanted);
        let list: Vec<_> = list
            .into_iter()
            .filter(|(name, _)| is_wanted(name))
            .collect();
        if list.is_empty() {
            return Ok(());
        }
        let program = built_with("--bin", "tdb", &["--features", "sql"])?;
        let names = list.iter().map(|(name, _)| name.as_str());
        let make: Vec<&str> = ["make", &program].into_iter().chain(names).collect();
        self.tiledb(&make)?;
        println!(
            "\n| SQL | DuckDB, Parquet wall s | DataFusion, Parquet wall s | array wall s | array / Parquet by DataFusion | array, one thread wall s | one thread / two | array cpu s |\n|---|--:|--:|--:|--:|--:|--:|--:|"
        );
        for (name, statements) in list {
            self.statement(&program, &name, &statements)?;
        }
        Ok(())
    }

    fn statement(&self, program: &str, name: &str, statements: &Value) -> Outcome {
        let run = |table: &str, threads: &str| {
            let asked = text(statements, table);
            let arguments = [
                "run",
                program,
                "sql",
                asked,
                "--format",
                "csv",
                "--threads",
                threads,
            ];
            self.tiledb(&arguments)
        };
        let mut runs: [Vec<Seconds>; 4] = Default::default();
        for _ in 0..RUNS {
            let lines = [
                self.tiledb(&["ask", name])?,
                run("parquet", "2")?,
                run("array", "2")?,
                run("array", "1")?,
            ];
            let answers = lines.iter().map(|line| answer(line));
            let answers = answers.collect::<Result<Vec<_>, _>>()?;
            let first = answers.first().ok_or("no answer")?;
            if let Some(other) = answers.iter().find(|other| *other != first) {
                return Err(format!("{name}: {other}, DuckDB {first}").into());
            }
            for (runs, line) in runs.iter_mut().zip(&lines) {
                runs.push(seconds(line)?);
            }
        }
        let [Some(duckdb), Some(parquet), Some(array), Some(one)] = runs.map(|runs| middle(&runs))
        else {
            return Err("no run".into());
        };
        println!(
            "| {name} | {:.3} | {:.3} | {:.3} | {:.2} | {:.3} | {:.2} | {:.3} |",
            duckdb.wall,
            parquet.wall,
            array.wall,
            array.wall / parquet.wall,
            one.wall,
            one.wall / array.wall,
            array.cpu
        );
        Ok(())
    }
}

fn answer(line: &str) -> Result<Value, Box<dyn std::error::Error>> {
    let said: Value = serde_json::from_str(line.trim())?;
    Ok(said.get("answer").ok_or("a run without an answer")?.clone())
}
