use tdb_array::Snapshot;
use tdb_cells::{CellTable, Row, TableColumn};
use tdb_schema::FieldKind;
use tdb_tile::Bug;

/// Rows whose segment is looked for from the same one on.
const BLOCK: usize = 256;

/// When the cells of a table were written, each by its own time or that of its fragment.
///
/// What the table and the array tell of that is looked up once: a merge asks for every cell that has equals.
#[derive(Debug)]
pub(crate) struct RowTimes<'a> {
    own: Option<&'a TableColumn>,
    /// The end of the rows of each segment, and the time of its fragment.
    segments: Vec<(usize, u64)>,
    /// The segment of the first row of each block of rows.
    firsts: Vec<usize>,
}

impl<'a> RowTimes<'a> {
    pub(crate) fn new(array: &Snapshot, table: &'a CellTable) -> Result<Self, Bug> {
        let segments = table.segments.iter().map(|segment| {
            let time = array.fragment(segment.fragment)?.timestamps().0;
            Ok((segment.rows.end(), time))
        });
        let segments = segments.collect::<Result<Vec<_>, Bug>>()?;
        let mut at = 0;
        let firsts = (0..table.rows().len()).step_by(BLOCK).map(|row| {
            at = behind(&segments, at, row);
            at
        });
        Ok(Self {
            own: table.column(FieldKind::Timestamps),
            firsts: firsts.collect(),
            segments,
        })
    }

    /// When a cell was written.
    pub(crate) fn of(&self, row: Row) -> Result<u64, Bug> {
        Ok(self.age(row)?.0)
    }

    /// When a cell was written, and the place of its segment: of cells with equal coordinates, the one with the largest of this
    /// is the newest.
    pub(crate) fn age(&self, row: Row) -> Result<(u64, usize), Bug> {
        let lost = || Bug::new("a row behind those of its table");
        let first = self.firsts.get(row.index() / BLOCK).ok_or_else(lost)?;
        let at = behind(&self.segments, *first, row.index());
        let (_, time) = self.segments.get(at).ok_or_else(lost)?;
        let own = self.own.map(|times| times.u64_at(row));
        Ok((own.transpose()?.unwrap_or(*time), at))
    }
}

/// The first segment from this one on that ends behind a row.
fn behind(segments: &[(usize, u64)], from: usize, row: usize) -> usize {
    let rest = segments.iter().skip(from);
    let before = rest.take_while(|(end, _)| *end <= row).count();
    from.saturating_add(before)
}
