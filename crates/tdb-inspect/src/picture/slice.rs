//! Choosing the cells to draw: the dimensions of a slice, and the sampling of each.

use tdb_array::Array;
use tdb_open::{Error, Result};
use tdb_query::ReadOptions;
use tdb_schema::grid::{GridAxis, SpaceTileGrid};
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, Attribute};
use tdb_tile::{Bug, Code, Datatype, Exact, Range};

use super::image::PictureAxis;
use super::options::{PictureOptions, channels_of, too_large};

/// Minimum number of pixels along a side that has as many cells, so that a long and flat slice keeps its rows.
const LEAST: u64 = 16;

/// A dimension, and its cells that are drawn.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) name: String,
    pub(super) axis: GridAxis,
    pub(super) first: u64,
    pub(super) cells: u64,
    pub(super) positions: Vec<u64>,
}

/// The cells to draw.
#[derive(Debug)]
pub(super) struct Slice {
    /// All dimensions, in the order of the schema.
    pub(super) sides: Vec<Side>,
    /// Indexes in `sides` of the dimensions for rows, columns and colour channels.
    pub(super) rows: Option<usize>,
    pub(super) columns: usize,
    pub(super) channel: Option<usize>,
    pub(super) attribute: Attribute,
    /// Number of values per cell.
    pub(super) values: usize,
}

impl Slice {
    pub(super) fn new(array: &Array, read: &ReadOptions, options: &PictureOptions) -> Result<Self> {
        let schema = array.schema();
        let grid = SpaceTileGrid::new(schema).filter(|_| schema.is_dense());
        let Some(grid) = grid else {
            let error = Error::invalid("only dense arrays can be drawn, and this one is sparse");
            return Err(error.with_hint("use tdb read for its cells, tdb map for where they lie"));
        };
        let (attribute, values) = attribute(schema, options.attribute.as_deref())?;
        let written = array.non_empty_domain();
        let axes = grid.axes().iter().zip(&schema.dimensions).enumerate();
        let sides = axes.map(|(index, (axis, dimension))| {
            let written = written.as_ref().and_then(|ranges| ranges.get(index));
            let whole = schema.bounds(index);
            let (first, last) = wanted(&dimension.name, axis, read, written, whole)?;
            let cells = last
                .checked_sub(first)
                .and_then(|cells| cells.checked_add(1));
            Ok(Side {
                name: dimension.name.clone(),
                axis: axis.clone(),
                first,
                cells: cells.ok_or_else(too_large)?,
                positions: Vec::new(),
            })
        });
        let mut slice = Self {
            sides: sides.collect::<Result<_>>()?,
            rows: None,
            columns: 0,
            channel: None,
            attribute: attribute.clone(),
            values,
        };
        slice.choose()?;
        slice.sample(options)?;
        Ok(slice)
    }

    /// Chooses the dimensions for rows, columns and colour channels.
    fn choose(&mut self) -> Result<()> {
        let sides = self.sides.iter().enumerate();
        let mut long: Vec<usize> = sides
            .filter(|(_, side)| side.cells > 1)
            .map(|(at, _)| at)
            .collect();
        let is_color = |side: Option<&Side>| side.is_some_and(|side| [3, 4].contains(&side.cells));
        let may_be_color = self.values == 1 && self.attribute.datatype == Datatype::UInt8;
        if may_be_color && long.len() == 3 {
            let ends = [2, 0].into_iter();
            let at = ends.filter_map(|at| Some((at, *long.get(at)?)));
            let found = at.clone().find(|(_, side)| is_color(self.sides.get(*side)));
            if let Some((at, side)) = found {
                self.channel = Some(side);
                long.remove(at);
            }
        }
        match *long {
            [] => self.columns = self.sides.len().exact_sub(1)?,
            [columns] => self.columns = columns,
            [rows, columns] => (self.rows, self.columns) = (Some(rows), columns),
            _ => return Err(self.too_many(&long)),
        }
        Ok(())
    }

    fn too_many(&self, long: &[usize]) -> Error {
        let sides: Vec<&Side> = long.iter().filter_map(|at| self.sides.get(*at)).collect();
        let texts: Vec<String> = (sides.iter())
            .map(|side| format!("{} of {} cells", side.name, side.cells))
            .collect();
        let error = Error::invalid(format!(
            "a picture has two dimensions, and this slice has {}: {}",
            texts.len(),
            texts.join(", ")
        ));
        // The shortest dimension is probably the one not meant to be drawn.
        let shortest = sides.iter().min_by_key(|side| side.cells);
        let name = shortest.map_or("DIM", |side| side.name.as_str());
        error.with_hint(format!(
            "a range of a single cell fixes a dimension: --range {name}=VALUE"
        ))
    }

    /// Chooses the cells of each dimension that are drawn: all, or some at equal distances.
    fn sample(&mut self, options: &PictureOptions) -> Result<()> {
        let cells = |at: Option<usize>| {
            at.and_then(|at| Some(self.sides.get(at)?.cells))
                .unwrap_or(1)
        };
        let (across, down) = (cells(Some(self.columns)), cells(self.rows));
        let (width, height) = pixels(across, down, options);
        let (rows, columns, channel) = (self.rows, self.columns, self.channel);
        for (at, side) in self.sides.iter_mut().enumerate() {
            let wanted = match at {
                _ if at == columns => width,
                _ if Some(at) == rows => height,
                _ if Some(at) == channel => side.cells,
                _ => 1,
            };
            let drawn = if options.is_cropped {
                wanted
            } else {
                side.cells
            };
            side.positions = positions(side.first, drawn, wanted).ok_or_else(too_large)?;
        }
        Ok(())
    }

    /// Returns the number of bytes of the values of all pixels.
    pub(super) fn value_bytes(&self) -> Option<usize> {
        let size = self.attribute.datatype.size().checked_mul(self.values)?;
        let mut sides = self.sides.iter();
        sides.try_fold(size, |all, side| all.checked_mul(side.positions.len()))
    }

    /// Returns the memory of the picture in bytes: its values, plus 6 bytes per cell for validity and the mask of
    /// written cells.
    pub(super) fn bytes(&self) -> Option<u64> {
        let cells = (self.sides.iter()).try_fold(1, |all: u64, side| {
            all.checked_mul(side.positions.len() as u64)
        })?;
        (self.value_bytes()? as u64).checked_add(cells.checked_mul(6)?)
    }

    /// Returns the ranges to read, one per run of consecutive cells.
    pub(super) fn ranges(&self) -> Result<Vec<(String, Range)>> {
        let mut ranges = Vec::new();
        for side in &self.sides {
            let runs = side.positions.chunk_by(|a, b| a.checked_add(1) == Some(*b));
            for run in runs {
                let end = |cell: Option<&u64>| side.axis.value(*cell?);
                let ends = end(run.first()).zip(end(run.last()));
                let (lo, hi) = ends.ok_or_else(|| Bug::new("a pixel outside of the domain"))?;
                ranges.push((side.name.clone(), Range { lo, hi }));
            }
        }
        Ok(ranges)
    }
}

impl Side {
    pub(super) fn axis(&self) -> PictureAxis {
        PictureAxis {
            dimension: self.name.clone(),
            datatype: self.axis.datatype(),
            cells: self.cells,
            positions: self.positions.clone(),
            grid: self.axis.clone(),
            first: self.first,
        }
    }
}

/// Returns the attribute to draw, and its number of values per cell.
fn attribute<'a>(schema: &'a ArraySchema, name: Option<&str>) -> Result<(&'a Attribute, usize)> {
    let drawn = |attribute: &'a Attribute| {
        let values = channels_of(attribute.datatype, attribute.cell_val_num)?;
        Some((attribute, values))
    };
    let Some(name) = name else {
        let first = schema.attributes.iter().find_map(drawn);
        return first.ok_or_else(|| Error::invalid("no attribute holds numbers that can be drawn"));
    };
    let found = schema
        .attribute_index(name)
        .and_then(|at| schema.attributes.get(at));
    let Some(attribute) = found else {
        let known = schema
            .attributes
            .iter()
            .map(|attribute| attribute.name.as_str());
        return Err(UnknownName::new("attribute", name, known).into());
    };
    drawn(attribute).ok_or_else(|| {
        let what = format!(
            "attribute {name:?}: {} cannot be drawn",
            attribute.datatype.name()
        );
        Error::invalid(what).with_hint(
            "only attributes with one number per cell can, or with 3 or 4 of uint8 as a colour",
        )
    })
}

/// Returns the first and the last cell to draw along a dimension.
fn wanted(
    name: &str,
    axis: &GridAxis,
    read: &ReadOptions,
    written: Option<&Range>,
    whole: Option<&Range>,
) -> Result<(u64, u64)> {
    let mut given = read
        .ranges
        .iter()
        .filter(|(dimension, _)| dimension == name);
    let (first, second) = (given.next(), given.next());
    if second.is_some() {
        let what = format!("dimension {name:?}: a picture takes one range of each dimension");
        return Err(Error::invalid(what));
    }
    match first {
        Some((_, range)) => axis.clipped_cells(range).ok_or_else(|| {
            Error::invalid(format!(
                "dimension {name:?}: the range lies outside of the domain"
            ))
        }),
        None => {
            let cells = written
                .or(whole)
                .and_then(|range| axis.clipped_cells(range));
            cells.ok_or_else(|| Bug::new("a dense array has a dimension without a domain").into())
        }
    }
}

/// Returns the number of pixels across and down.
fn pixels(across: u64, down: u64, options: &PictureOptions) -> (u64, u64) {
    let within = |cells: u64, most: u64| if most == 0 { cells } else { cells.min(most) };
    let (width, height) = (within(across, options.width), within(down, options.height));
    if options.is_cropped {
        return (width, height);
    }
    let tall = options.pixel_height.max(1) as f64;
    let fitting = |cells: u64, most: u64| cells as f64 / most.max(1) as f64;
    // Cells per pixel across; a pixel that is higher than wide covers more cells down.
    let step = fitting(across, width)
        .max(fitting(down, height) / tall)
        .max(1.0);
    let part = |cells: u64, step: f64, most: u64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of a u64"
        )]
        let wanted = (cells as f64 / step).round() as u64;
        wanted.max(LEAST).min(most)
    };
    (part(across, step, width), part(down, step * tall, height))
}

/// Returns `wanted` cells at equal distances, each in the middle of the cells that it represents.
fn positions(first: u64, cells: u64, wanted: u64) -> Option<Vec<u64>> {
    let at = |pixel: u64| {
        let middle = (u128::from(pixel) * 2 + 1) * u128::from(cells);
        first.checked_add(u64::try_from(middle.checked_div(u128::from(wanted) * 2)?).ok()?)
    };
    (0..wanted).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_pixels_as_cells_show_each_of_them() {
        assert_eq!(positions(5, 3, 3), Some(vec![5, 6, 7]));
        assert_eq!(positions(0, 10, 2), Some(vec![2, 7]));
        assert_eq!(positions(0, u64::MAX, 1), Some(vec![u64::MAX / 2]));
    }
}
