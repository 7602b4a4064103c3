//! Arrays in an object store on this machine, near and far (`xtask/bench/stores.py`): moto directly, and through a
//! proxy that delays answers.
//!
//! The program is measured as a whole, from start to exit; for TileDB only opening and reading are measured, with the
//! library loaded. For comparison, a plain client sends the program's requests one after the other: faster times come
//! from concurrent requests, and all three include the time of the server.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::built::built;
use super::timed::{Seconds, middle, seconds};
use super::{Judge, RUNS};
use crate::commands::output;
use crate::interop_stores::{make_bucket, moto};
use crate::outcome::Outcome;
use crate::proxy::Proxy;
use crate::server::Settings;
use crate::workshop::Workshop;

/// Delay of each answer of a distant server.
const DELAY: Duration = Duration::from_millis(30);

/// A server, with the settings that lead engines to it.
struct Place {
    name: &'static str,
    settings: Settings,
    address: String,
}

impl Place {
    /// Returns the settings for another port, based on those of a server.
    fn at(name: &'static str, port: u16, settings: &Settings) -> Self {
        let address = format!("127.0.0.1:{port}");
        let mut settings = settings.clone();
        for (key, value) in &mut settings {
            if key.ends_with("_ENDPOINT_OVERRIDE") {
                value.clone_from(&address);
            }
        }
        Self {
            name,
            settings,
            address,
        }
    }
}

impl Judge {
    /// Has both engines read the selected arrays of a bucket in turns, and prints a row for each workload and
    /// distance.
    pub(super) fn stores(&self, workshop: &Workshop, wanted: &str) -> Outcome {
        let list: serde_json::Map<String, Value> = serde_json::from_str(&self.tiledb(&["list"])?)?;
        let is_wanted = |name: &str| wanted == "stores" || name.contains(wanted);
        let list: Vec<_> = list
            .into_iter()
            .filter(|(name, _)| is_wanted(name))
            .collect();
        if list.is_empty() {
            return Ok(());
        }
        let program = built("--bin", "tdb")?;
        let (server, settings) = moto(workshop, &self.folder)?;
        make_bucket(workshop, "bench", &settings)?;
        let near = Place::at("near", server.port, &settings);
        self.of_place(&near, &["make"])?;
        let noting = Proxy::start(server.port, Duration::ZERO)?;
        let noted = Place::at("noted", noting.port, &settings);
        let far = Place::at("30 ms", Proxy::start(server.port, DELAY)?.port, &settings);
        println!(
            "\n| store | distance | plain GETs wall s | TileDB wall s | tdb wall s | tdb / TileDB | TileDB requests | tdb requests | MB of tdb |\n|---|---|--:|--:|--:|--:|--:|--:|--:|"
        );
        for (name, workload) in list {
            let arguments = workload.get("arguments").and_then(Value::as_array);
            let arguments = arguments.into_iter().flatten().filter_map(Value::as_str);
            let run: Vec<&str> = ["run", &program].into_iter().chain(arguments).collect();
            self.of_place(&noted, &["ask", &name])?;
            let theirs = noting.take().len();
            self.of_place(&noted, &run)?;
            let asked = noting.take();
            let lines = asked.iter().map(|one| {
                let range = one.range.as_deref().unwrap_or("");
                format!("{} {} {range}\n", one.method, one.path)
            });
            let file = self.folder.join("asked");
            fs::write(&file, lines.collect::<String>())?;
            let counts = [theirs, asked.len()];
            for place in [&near, &far] {
                self.store_row(place, &name, &run, &file.display().to_string(), counts)?;
            }
        }
        Ok(())
    }

    fn store_row(
        &self,
        place: &Place,
        name: &str,
        run: &[&str],
        asked: &str,
        [theirs, ours]: [usize; 2],
    ) -> Outcome {
        let mut runs: [Vec<Seconds>; 3] = Default::default();
        let mut bytes = 0;
        for _ in 0..RUNS {
            let plain = self.of_place(place, &["replay", &place.address, asked])?;
            let said: Value = serde_json::from_str(plain.trim())?;
            bytes = said.get("bytes").and_then(Value::as_u64).unwrap_or(0);
            let lines = [
                plain,
                self.of_place(place, &["ask", name])?,
                self.of_place(place, run)?,
            ];
            for (runs, line) in runs.iter_mut().zip(lines) {
                runs.push(seconds(&line)?);
            }
        }
        let [Some(plain), Some(tiledb), Some(tdb)] = runs.map(|runs| middle(&runs)) else {
            return Err("no run".into());
        };
        println!(
            "| {name} | {} | {:.3} | {:.3} | {:.3} | {:.2} | {theirs} | {ours} | {:.1} |",
            place.name,
            plain.wall,
            tiledb.wall,
            tdb.wall,
            tdb.wall / tiledb.wall,
            bytes as f64 / 1e6
        );
        Ok(())
    }

    /// Returns the output of the script for a server.
    fn of_place(
        &self,
        place: &Place,
        arguments: &[&str],
    ) -> Result<String, Box<dyn std::error::Error>> {
        let mut command = self.command(arguments);
        output(command.envs(place.settings.iter().cloned()))
    }
}
