//! Replacing cells of a dense array by rows: a write is a box, and cells of the box without a row are written back
//! unchanged.

use tdb_cells::Batch;
use tdb_open::Result;
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_tile::Bug;
use tdb_write::{WriteOrder, Writer};

use super::Replacing;
use super::column::CellsOfColumn;
use super::coordinates::{Places, lost};
use crate::cover::{CellBox, boxes_of_commit, place_of};

impl Replacing {
    /// Writes boxes that contain the rows; their other cells stay unchanged.
    pub(super) fn write_boxes(&mut self) -> Result<Vec<Writer>> {
        let places = Places::of(&self.schema, &self.waiting)?;
        self.check_each_once(&places)?;
        let mut cells = Vec::with_capacity(places.len());
        for batch in &self.waiting {
            let rows = (0..batch.rows).map(|row| place_of(&self.schema, batch, row));
            cells.extend(rows.collect::<Result<Vec<_>, Bug>>()?);
        }
        cells.sort_unstable();
        let mut found = vec![false; places.len()];
        let mut writers = Vec::new();
        for cell_box in boxes_of_commit(&cells, self.array.engine().write_version()) {
            writers.push(self.write_box(&cell_box, &places, &mut found)?);
        }
        if found.contains(&false) {
            return Err(Bug::new("a row is in none of the boxes around the rows").into());
        }
        self.replaced = found.len() as u64;
        Ok(writers)
    }

    /// Writes one box: cells with a row get its values, others stay unchanged.
    fn write_box(&self, cell_box: &CellBox, places: &Places, found: &mut [bool]) -> Result<Writer> {
        let ranges = cell_box.ranges(&self.schema.dimensions)?;
        let read = ReadOptions::default()
            .order(Some(ResultOrder::RowMajor))
            .ranges(ranges.clone())
            .enumeration_codes(true);
        let mut writer = self.open_writer(
            &self
                .write_options()
                .ranges(ranges)
                .order(Some(WriteOrder::RowMajor)),
        )?;
        let reader = Reader::open(&self.session, self.array.engine(), &read);
        for batch in reader.map_err(|error| self.array.failed(error))? {
            let batch = batch.map_err(|error| self.array.failed(error))?;
            let changed = self.changed(places, &batch, found)?;
            let pushed = writer.push(&changed);
            pushed.map_err(|error| self.array.failed(error))?;
        }
        Ok(writer)
    }

    /// Returns the cells of a batch, with those replaced that have a row.
    fn changed(&self, places: &Places, batch: &Batch, found: &mut [bool]) -> Result<Batch> {
        let mut sources = Vec::with_capacity(batch.rows);
        let mut key = Vec::new();
        for row in 0..batch.rows {
            let source = match places.place(&self.schema, batch, row, &mut key)? {
                Some(place) => {
                    *found.get_mut(place).ok_or_else(lost)? = true;
                    Some(places.row_of(place)?)
                }
                None => None,
            };
            sources.push(source);
        }
        let columns = self.schema.attributes.iter().map(|attribute| {
            let stored = batch.column(&attribute.name).ok_or_else(lost)?;
            let mut cells = CellsOfColumn::new(attribute);
            for (row, source) in sources.iter().enumerate() {
                let given = source.and_then(|(batch, row)| {
                    let column = self.waiting.get(batch)?.column(&attribute.name)?;
                    Some((column, row))
                });
                let (column, row) = given.unwrap_or((stored, row));
                let cell = column.cell(row).ok_or_else(lost)?;
                cells.push(cell, column.is_valid(row));
            }
            Ok(cells.finish())
        });
        Ok(Batch {
            rows: batch.rows,
            columns: columns.collect::<Result<_, Bug>>()?,
        })
    }
}
