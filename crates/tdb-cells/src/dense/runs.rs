//! The requested cells along one dimension, and their positions in the result.

use std::ops::Range;

/// Consecutive cells along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first cell, counted from the start of the domain.
    pub first: u64,
    /// Number of cells.
    pub len: u64,
    /// Position of the first cell in the result along this dimension.
    pub position: u64,
}

/// All requested cells along one dimension, in the order of the result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    runs: Vec<Run>,
    len: u64,
}

impl Runs {
    /// Creates runs from ranges (first and last cell, both included), in the given order; `None` if there are too many
    /// cells to count.
    #[must_use]
    pub fn new(ranges: impl IntoIterator<Item = (u64, u64)>) -> Option<Self> {
        let mut out = Self::default();
        for (first, last) in ranges {
            let len = last.checked_sub(first)?.checked_add(1)?;
            first.checked_add(len)?;
            match out
                .runs
                .last_mut()
                .filter(|run| run.first.checked_add(run.len) == Some(first))
            {
                Some(run) => run.len = run.len.checked_add(len)?,
                None => out.runs.push(Run {
                    first,
                    len,
                    position: out.len,
                }),
            }
            out.len = out.len.checked_add(len)?;
        }
        Some(out)
    }

    /// Creates runs of these cells in ascending order, without duplicates.
    #[must_use]
    pub fn of_cells(mut cells: Vec<u64>) -> Option<Self> {
        cells.sort_unstable();
        cells.dedup();
        Self::new(cells.into_iter().map(|cell| (cell, cell)))
    }

    /// Whether the cells ascend along the dimension, without duplicates.
    #[must_use]
    pub fn is_ascending(&self) -> bool {
        let mut pairs = self.runs.iter().zip(self.runs.iter().skip(1));
        pairs.all(|(run, next)| run.first + (run.len - 1) < next.first)
    }

    /// Positions in the result of the cells from `first` to `last`, both included; the runs must
    /// [ascend](Self::is_ascending).
    #[must_use]
    pub fn positions(&self, first: u64, last: u64) -> Range<u64> {
        let before = |cell: u64| {
            let next = self
                .runs
                .partition_point(|run| run.first + (run.len - 1) < cell);
            let next = self.runs.get(next);
            // A cell before the run is followed by its first one.
            next.map_or(self.len, |run| {
                run.position + (cell.max(run.first) - run.first)
            })
        };
        before(first)..last.checked_add(1).map_or(self.len, before)
    }

    /// Bytes of memory that the runs take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.runs) as u64
    }

    /// Whether no cell is requested.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of cells of the result along this dimension.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The run, if there is exactly one.
    #[must_use]
    pub fn single(&self) -> Option<Run> {
        match self.runs[..] {
            [run] => Some(run),
            _ => None,
        }
    }

    /// The lowest and the highest requested cell; `None` if there are no cells.
    #[must_use]
    pub fn bounds(&self) -> Option<(u64, u64)> {
        let lo = self.runs.iter().map(|run| run.first).min()?;
        let hi = self
            .runs
            .iter()
            .map(|run| run.first + (run.len - 1))
            .max()?;
        Some((lo, hi))
    }

    /// Whether any cell from `first` to `last`, both included, is requested.
    #[must_use]
    pub fn meets(&self, first: u64, last: u64) -> bool {
        let mut runs = self.runs.iter();
        runs.any(|run| run.first <= last && first <= run.first + (run.len - 1))
    }

    /// The runs at these positions, clipped to them.
    pub fn within(&self, positions: Range<u64>) -> impl Iterator<Item = Run> + '_ {
        let first = self
            .runs
            .partition_point(|run| run.position + run.len <= positions.start);
        let runs = self.runs.iter().skip(first);
        runs.take_while(move |run| run.position < positions.end)
            .map(move |run| {
                let start = run.position.max(positions.start);
                let end = (run.position + run.len).min(positions.end);
                Run {
                    first: run.first + (start - run.position),
                    len: end - start,
                    position: start,
                }
            })
    }

    /// The run that contains a position.
    #[must_use]
    pub fn at(&self, position: u64) -> Option<Run> {
        let index = self
            .runs
            .partition_point(|run| run.position + run.len <= position);
        self.runs.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_ranges_become_one_run_and_others_keep_their_order() {
        let runs = Runs::new([(5, 6), (7, 9), (0, 1), (1, 1)]).unwrap();
        let expected = [
            Run {
                first: 5,
                len: 5,
                position: 0,
            },
            Run {
                first: 0,
                len: 2,
                position: 5,
            },
            Run {
                first: 1,
                len: 1,
                position: 7,
            },
        ];
        assert_eq!(runs.runs, expected);
        assert_eq!(runs.len(), 8);
        assert_eq!(
            runs.within(4..6).collect::<Vec<_>>(),
            [
                Run {
                    first: 9,
                    len: 1,
                    position: 4
                },
                Run {
                    first: 0,
                    len: 1,
                    position: 5
                },
            ]
        );
    }

    #[test]
    fn more_cells_than_can_be_counted_are_refused() {
        assert_eq!(Runs::new([(0, u64::MAX)]), None);
        assert_eq!(Runs::new([(0, u64::MAX - 1), (0, 0), (3, 3)]), None);
    }
}
