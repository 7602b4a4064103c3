//! Performance goals for each row, and whether they are met.

use super::results::Row;

/// Minimum speed relative to TileDB; lower for bzip2, because of its decoder.
const LEAST_RATIO: f64 = 1.0;
const LEAST_RATIO_BZIP2: f64 = 0.87;

/// Minimum share of the limit of one core, for each row and in the geometric mean.
pub(super) const LEAST_SHARE: f64 = 0.5;
pub(super) const LEAST_MEAN_SHARE: f64 = 0.75;

/// For rows dominated by latency: minimum speed relative to TileDB, or minimum share of the limit.
const LATENCY_RATIO: f64 = 8.0;
const LATENCY_SHARE: f64 = 0.7;

/// Minimum speed of two threads relative to one, if codecs or sorting are over half of the time.
pub(super) const LEAST_SPEEDUP: f64 = 1.7;

/// Number of bytes that each thread may use in addition.
const PER_THREAD: f64 = 8e6;

/// A performance goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    NotBehind,
    Share,
    Latency,
    Speedup,
    Memory,
}

/// All goals of single rows, with their descriptions.
pub(super) const GOALS: [(Goal, &str); 5] = [
    (
        Goal::NotBehind,
        "not behind TileDB 2.30.0 in processor time of one thread (bzip2: 0.87 times as fast)",
    ),
    (
        Goal::Share,
        "at least 50 % of the limit of one core, where not all is latency",
    ),
    (
        Goal::Latency,
        "opens, metadata, tiny reads, aggregates: at least 8 times as fast as TileDB, or 70 % of the limit",
    ),
    (
        Goal::Speedup,
        "two threads at least 1.7 times as fast as one, where codecs or sorting are over half of the limit",
    ),
    (
        Goal::Memory,
        "peak memory of reads: result, opened metadata, two tiles and 8 MB a thread; of reads that sort twice the result",
    ),
];

impl Row<'_> {
    /// Returns the speed relative to TileDB, by processor time with one thread.
    pub(super) fn ratio(&self) -> Option<f64> {
        let [theirs, ours] = ["tiledb", "tdb"].map(|engine| self.figures(1, engine));
        Some(theirs?.cpu / ours?.cpu)
    }

    /// Returns the limit of one core, in seconds.
    pub(super) fn limit(&self) -> f64 {
        self.stages().map(|(_, seconds)| seconds).sum()
    }

    /// Returns the share of the limit that tdb reaches.
    pub(super) fn share(&self) -> Option<f64> {
        Some(self.limit() / self.figures(1, "tdb")?.cpu)
    }

    /// Returns the speed of two threads relative to one, by wall clock time. The fastest run of each counts, since
    /// other load on the machine disturbs two threads twice as much.
    pub(super) fn speedup(&self, engine: &str) -> Option<f64> {
        Some(self.figures(1, engine)?.wall / self.figures(2, engine)?.wall)
    }

    /// True if codecs or sorting are over half of the limit.
    pub(super) fn divides(&self) -> bool {
        let counts = |name: &str| {
            let is_codec = name.starts_with("decode:") || name.starts_with("encode:");
            is_codec || matches!(name, "sort" | "sha256" | "md5" | "aes")
        };
        let all = self.stages().filter(|(name, _)| counts(name));
        all.map(|(_, seconds)| seconds).sum::<f64>() > self.limit() / 2.0
    }

    /// Returns the number of bytes that a read with one thread may use; `None` for other workloads.
    pub(super) fn allowed(&self) -> Option<f64> {
        let ours = self.figures(1, "tdb")?;
        if self.text("kind") != "read" {
            return None;
        }
        let more = if self.is("sorts") {
            ours.result
        } else {
            self.memory("metadata") + self.memory("tiles") + PER_THREAD
        };
        Some(ours.result + more)
    }

    /// Returns whether a goal is met; `None` if it does not apply to this row.
    pub(super) fn holds(&self, goal: Goal) -> Option<bool> {
        let latency = self.is("latency");
        match goal {
            Goal::NotBehind => {
                let least = if self.name.contains("bzip2") {
                    LEAST_RATIO_BZIP2
                } else {
                    LEAST_RATIO
                };
                Some(self.ratio()? >= least)
            }
            Goal::Share => (!latency).then_some(self.share()? >= LEAST_SHARE),
            Goal::Latency => {
                let holds = self.ratio()? >= LATENCY_RATIO || self.share()? >= LATENCY_SHARE;
                latency.then_some(holds)
            }
            Goal::Speedup => self
                .divides()
                .then_some(self.speedup("tdb")? >= LEAST_SPEEDUP),
            Goal::Memory => Some(self.figures(1, "tdb")?.peak <= self.allowed()?),
        }
    }
}

/// Returns the geometric mean; `None` if there are no values.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// TileDB takes 100 ms; tdb takes 20 ms with one thread and 15 ms with two, and uses 30 MB. Decoding takes at
    /// least 6 ms.
    fn row(name: &str, latency: bool) -> (String, serde_json::Value) {
        let said = json!({
            "kind": "read", "latency": latency, "memory": {"metadata": 1e6, "tiles": 2e6}, "stages": {"decode:a": 0.006, "place": 0.003},
            "threads": {
                "1": {"tiledb": {"cpu": 0.1}, "tdb": {"cpu": 0.02, "wall": 0.02, "peak": 3e7, "result": 1e7}},
                "2": {"tdb": {"cpu": 0.02, "wall": 0.015}},
            },
        });
        (name.to_owned(), said)
    }

    #[test]
    fn goals_are_judged_by_kind() {
        let (name, said) = row("read", false);
        let row = Row {
            name: &name,
            said: &said,
        };
        assert_eq!(row.holds(Goal::NotBehind), Some(true));
        assert_eq!(row.holds(Goal::Share), Some(false));
        assert_eq!(row.holds(Goal::Latency), None);
        assert_eq!(row.holds(Goal::Speedup), Some(false));
        assert_eq!(row.holds(Goal::Memory), Some(false));
    }

    #[test]
    fn latency_is_held_against_tiledb_or_the_limit() {
        let (name, said) = row("open", true);
        let row = Row {
            name: &name,
            said: &said,
        };
        assert_eq!(row.holds(Goal::Share), None);
        assert_eq!(row.holds(Goal::Latency), Some(false));
    }

    #[test]
    fn means_are_geometric() {
        let mean = mean([2.0, 8.0].into_iter()).unwrap();
        assert!((mean - 4.0).abs() < 1e-9);
    }
}
