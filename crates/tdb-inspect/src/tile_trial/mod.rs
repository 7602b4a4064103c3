//! Trying tile layouts on a part of the cells: the size on disk, and the speed.

mod candidates;
mod measure;
mod sample;
mod tiles;

use std::time::Duration;

use tdb_open::{Array, Result};

use crate::trial::tried_at_most;
use candidates::{bare, candidates, joined};
use measure::measured;
use sample::Sample;
pub use tiles::Tiles;

/// Default size of the sample, in bytes of cells.
const SAMPLE: u64 = 16 << 20;

/// Smallest difference in reading time that counts as a gain or a loss.
const LITTLE: Duration = Duration::from_micros(200);

/// Results of trying tile layouts on a sample of an array's cells.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TileTrials {
    /// Number of cells in the sample: in a sparse array the first ones in storage order, in a dense one a box of whole
    /// tiles.
    pub cells: u64,
    /// Bytes of their values without filters; in sparse arrays including coordinates.
    pub bytes: u64,
    /// Result of each layout, the current one first. Empty if there are no cells, or if a tile is much larger than the
    /// sample may be.
    pub trials: Vec<TileTrial>,
}

/// Result of one tile layout on the sample, with the current filters.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TileTrial {
    /// The layout.
    pub tiles: Tiles,
    /// True if this is the array's current layout.
    pub is_current: bool,
    /// Bytes on disk, including the metadata of the tiles.
    pub stored: u64,
    /// Time to write the cells.
    pub writing: Duration,
    /// Time to read all cells.
    pub reading: Duration,
    /// Time to read three boxes, each with about a hundredth of the cells.
    pub boxes: Duration,
}

impl TileTrials {
    /// Returns the result of the array's current layout.
    #[must_use]
    pub fn current(&self) -> Option<&TileTrial> {
        self.trials.iter().find(|trial| trial.is_current)
    }

    /// Returns a layout that is clearly better than the current one: at least a tenth smaller on disk, or reading
    /// boxes in at most two thirds of the time, and hardly worse otherwise. Returns the current one if there is none.
    #[must_use]
    pub fn advised(&self) -> Option<&TileTrial> {
        let current = self.current()?;
        self.best(|_| true).or(Some(current))
    }

    /// Returns the best of the chosen layouts that are clearly better than the current one.
    fn best(&self, is_meant: impl Fn(&Tiles) -> bool) -> Option<&TileTrial> {
        let current = self.current()?;
        let better = self
            .trials
            .iter()
            .filter(|trial| trial.serves_better(current))
            .filter(|trial| is_meant(&trial.tiles));
        let cost = |trial: &TileTrial| trial.stored as f64 * trial.boxes.as_secs_f64();
        better.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }
}

impl TileTrial {
    fn serves_better(&self, current: &Self) -> bool {
        // Nanoseconds and bytes of 128 bits: small multiples of them cannot overflow.
        let little = LITTLE.as_nanos();
        let is_slower =
            |time: Duration, before: Duration| time.as_nanos() * 4 > before.as_nanos() * 5 + little;
        if is_slower(self.reading, current.reading) {
            return false;
        }
        let (stored, before) = (u128::from(self.stored), u128::from(current.stored));
        let is_smaller = stored * 10 <= before * 9;
        let is_larger = stored * 20 > before * 21;
        let (boxes, boxes_before) = (self.boxes.as_nanos(), current.boxes.as_nanos());
        let is_faster = boxes * 3 <= boxes_before * 2 && boxes + little <= boxes_before;
        (is_smaller && !is_slower(self.boxes, current.boxes)) || (is_faster && !is_larger)
    }
}

/// Tries tile layouts: for a sparse array other capacities and cell orders, for a dense one other tile extents. A
/// sample of at most `bytes` bytes of cells, 16 MiB by default, and at most a twelfth of the memory, is written to
/// arrays in memory, and read back.
///
/// # Errors
/// Fails if reading fails, or if memory does not suffice for writing.
pub fn try_tiles(array: &Array, bytes: Option<u64>) -> Result<TileTrials> {
    let Some(sample) = Sample::of(array, tried_at_most(array, bytes.unwrap_or(SAMPLE)))? else {
        return Ok(TileTrials::default());
    };
    let schema = bare(array.schema());
    let today = Tiles::of(&schema);
    let mut trials = TileTrials {
        cells: sample.cells,
        bytes: sample.bytes,
        trials: Vec::new(),
    };
    let attempt = |tiles: Tiles, trials: &mut TileTrials| -> Result<()> {
        let session = array.context().shared_session();
        let tried = measured(session, &tiles.applied(&schema), &sample);
        if let Some(measured) = tried.map_err(|error| error.at(array.uri()))? {
            trials.trials.push(TileTrial {
                is_current: tiles == today,
                tiles,
                stored: measured.stored,
                writing: measured.writing,
                reading: measured.reading,
                boxes: measured.boxes,
            });
        }
        Ok(())
    };
    attempt(today.clone(), &mut trials)?;
    if trials.trials.is_empty() {
        // The current schema is not possible for new arrays.
        return Ok(trials);
    }
    for tiles in candidates(&schema, &sample) {
        attempt(tiles, &mut trials)?;
    }
    let capacity = trials.best(|tiles| tiles.capacity != today.capacity);
    let order = trials.best(|tiles| tiles.cell_order != today.cell_order);
    if let (Some(capacity), Some(order)) = (capacity, order) {
        let both = joined(&capacity.tiles, &order.tiles);
        attempt(both, &mut trials)?;
    }
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_advised_is_a_clear_gain() {
        let trial = |capacity, stored, boxes, reading| TileTrial {
            tiles: Tiles {
                capacity: Some(capacity),
                cell_order: None,
                extents: Vec::new(),
            },
            is_current: capacity == 0,
            stored,
            writing: Duration::ZERO,
            reading: Duration::from_millis(reading),
            boxes: Duration::from_millis(boxes),
        };
        let advised = |others: &[(u64, u64, u64)]| {
            let others = (1_u64..).zip(others);
            let others =
                others.map(|(n, (stored, boxes, reading))| trial(n, *stored, *boxes, *reading));
            let trials = TileTrials {
                cells: 1,
                bytes: 1,
                trials: std::iter::once(trial(0, 1000, 30, 100))
                    .chain(others)
                    .collect(),
            };
            trials.advised().expect("a trial").tiles.capacity
        };
        assert_eq!(advised(&[]), Some(0));
        // Neither gain is clear.
        assert_eq!(advised(&[(901, 21, 100)]), Some(0));
        assert_eq!(advised(&[(900, 30, 100)]), Some(1));
        assert_eq!(advised(&[(1000, 20, 100)]), Some(1));
        // What is gained in one measure is lost in another.
        assert_eq!(
            advised(&[(800, 60, 100), (1100, 10, 100), (800, 20, 200)]),
            Some(0)
        );
        assert_eq!(
            advised(&[(900, 30, 100), (800, 10, 100), (850, 15, 100)]),
            Some(2)
        );
    }
}
