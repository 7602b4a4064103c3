use tdb_array::Snapshot;
use tdb_cells::{CellTable, Row, TableColumn};
use tdb_schema::FieldKind;
use tdb_tile::Bug;

/// Write times of the cells of a table: each cell's own timestamp, or that of its fragment.
///
/// The columns and fragments are looked up once: a merge asks for every cell that has equals.
#[derive(Debug)]
pub(crate) struct RowTimes<'a> {
    own: Option<&'a TableColumn>,
    /// End of the rows of each segment, and the timestamp of its fragment.
    segments: Vec<(usize, u64)>,
}

impl<'a> RowTimes<'a> {
    pub(crate) fn new(array: &Snapshot, table: &'a CellTable) -> Result<Self, Bug> {
        let segments = table.segments.iter().map(|segment| {
            let time = array.fragment(segment.fragment)?.timestamps().0;
            Ok((segment.rows.end(), time))
        });
        Ok(Self {
            own: table.column(FieldKind::Timestamps),
            segments: segments.collect::<Result<_, Bug>>()?,
        })
    }

    /// Returns the time at which a cell was written.
    pub(crate) fn of(&self, row: Row) -> Result<u64, Bug> {
        Ok(self.age(row)?.0)
    }

    /// Returns the write time of a cell and the position of its segment. Among cells with equal coordinates, the one
    /// with the largest pair is the newest.
    pub(crate) fn age(&self, row: Row) -> Result<(u64, usize), Bug> {
        let segments = &self.segments;
        let at = segments.partition_point(|(end, _)| *end <= row.index());
        let segment = segments.get(at);
        let (_, time) = segment.ok_or_else(|| Bug::new("a row behind those of its table"))?;
        let own = self.own.map(|times| times.u64_at(row));
        Ok((own.transpose()?.unwrap_or(*time), at))
    }
}
