//! The lines at which rows begin.

/// How many times lines and rows may part before lines are given up.
const MOST: usize = 1 << 16;

/// At which line each row of a text begins: only where the distance changes is it kept.
#[derive(Debug, Default)]
pub(crate) struct RowLines {
    /// Rows, and the line of each.
    changes: Vec<(u64, u64)>,
    /// The last row that is known.
    end: u64,
}

impl RowLines {
    /// Takes note of the next row.
    pub(crate) fn note(&mut self, row: u64, line: u64) {
        let is_next = |(first, at): &(u64, u64)| line.wrapping_sub(*at) == row.wrapping_sub(*first);
        if self.changes.len() >= MOST {
            return;
        }
        if !self.changes.last().is_some_and(is_next) {
            self.changes.push((row, line));
        }
        self.end = row;
    }

    /// The line of a row, if it is known.
    pub(crate) fn of(&self, row: u64) -> Option<u64> {
        let behind = self.changes.partition_point(|(first, _)| *first <= row);
        let (first, line) = self.changes.get(behind.checked_sub(1)?)?;
        (row <= self.end).then(|| line.saturating_add(row.saturating_sub(*first)))
    }
}

#[cfg(test)]
mod tests {
    use super::RowLines;

    #[test]
    fn lines_are_those_of_the_rows() {
        let mut lines = RowLines::default();
        for (row, line) in [2, 3, 7, 8, 10].into_iter().enumerate() {
            lines.note(row as u64, line);
        }
        let all: Vec<_> = (0..6).map(|row| lines.of(row)).collect();
        assert_eq!(all, [Some(2), Some(3), Some(7), Some(8), Some(10), None]);
    }
}
