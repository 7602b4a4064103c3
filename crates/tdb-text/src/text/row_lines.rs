//! Maps rows to the lines at which they begin.

/// Maximum number of recorded changes; lines of later rows are unknown.
const MOST: usize = 1 << 16;

/// The line at which each row of a text begins. Only rows where the distance between row and line changes are stored.
#[derive(Debug, Default)]
pub(crate) struct RowLines {
    /// Pairs of a row and its line, where the distance changes.
    changes: Vec<(u64, u64)>,
    /// The last row whose line is known.
    end: u64,
}

impl RowLines {
    /// Records the line of the next row.
    pub(crate) fn note(&mut self, row: u64, line: u64) {
        let is_next = |(first, at): &(u64, u64)| line + *first == row + *at;
        if self.changes.len() >= MOST {
            return;
        }
        if !self.changes.last().is_some_and(is_next) {
            self.changes.push((row, line));
        }
        self.end = row;
    }

    /// Appends the lines of further rows, the first of which is row `first`; in `following` it is row 0.
    #[cfg(feature = "csv")]
    pub(crate) fn extend(&mut self, first: u64, following: &Self) {
        let mut changes = following.changes.iter().peekable();
        while let Some((row, line)) = changes.next() {
            self.note(first + *row, *line);
            if self.changes.len() >= MOST {
                return;
            }
            // Up to the next change, each row is one line after the previous one.
            let end = changes.peek().map_or(following.end, |(next, _)| next - 1);
            self.end = first + end;
        }
    }

    /// The line of a row; `None` if it is unknown.
    pub(crate) fn of(&self, row: u64) -> Option<u64> {
        let behind = self.changes.partition_point(|(first, _)| *first <= row);
        let (first, line) = self.changes.get(behind.checked_sub(1)?)?;
        (row <= self.end).then(|| line + (row - *first))
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

    #[cfg(feature = "csv")]
    #[test]
    fn lines_noted_in_parts_are_those_noted_one_by_one() {
        let all = [2, 3, 7, 8, 10, 11, 12];
        let noted = |part: &[u64]| {
            let mut lines = RowLines::default();
            for (row, line) in part.iter().enumerate() {
                lines.note(row as u64, *line);
            }
            lines
        };
        for cut in 0..=all.len() {
            let (before, behind) = all.split_at(cut);
            let mut lines = noted(before);
            lines.extend(before.len() as u64, &noted(behind));
            let found: Vec<_> = (0..8).map(|row| lines.of(row)).collect();
            let wanted: Vec<_> = (0..8).map(|row| noted(&all).of(row)).collect();
            assert_eq!(found, wanted, "{cut}");
            assert_eq!(lines.changes, noted(&all).changes);
        }
    }
}
