use crate::Order;
use crate::grid::CellBox;

/// The positions of the cells of a box in memory, without gaps, in row-major or column-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellLayout {
    origin: Vec<u64>,
    shape: Vec<u64>,
    strides: Vec<u64>,
}

impl CellLayout {
    /// Creates the layout of a box that starts at `origin` and has `shape` cells along each
    /// dimension; `None` if the number of cells exceeds `u64`.
    #[must_use]
    pub fn new(origin: Vec<u64>, shape: Vec<u64>, order: Order) -> Option<Self> {
        let mut strides = vec![0; shape.len()];
        let mut stride = 1_u64;
        let mut add = |(place, along): (&mut u64, &u64)| {
            *place = stride;
            stride = stride.checked_mul(*along)?;
            Some(())
        };
        let mut axes = strides.iter_mut().zip(&shape);
        match order {
            Order::RowMajor => axes.rev().try_for_each(&mut add)?,
            Order::ColumnMajor => axes.try_for_each(&mut add)?,
        }
        (origin.len() == shape.len()).then_some(Self {
            origin,
            shape,
            strides,
        })
    }

    /// Creates the layout of exactly these cells.
    #[must_use]
    pub fn of_box(cells: &CellBox, order: Order) -> Option<Self> {
        Self::new(cells.lo.clone(), cells.shape()?, order)
    }

    /// Returns the position of a cell, counted in cells; `None` outside the box.
    #[must_use]
    pub fn position(&self, cell: &[u64]) -> Option<u64> {
        let axes = self.origin.iter().zip(&self.shape).zip(&self.strides);
        axes.zip(cell)
            .try_fold(0_u64, |position, (((origin, along), stride), cell)| {
                let from_origin = cell.checked_sub(*origin).filter(|from| from < along)?;
                position.checked_add(from_origin.checked_mul(*stride)?)
            })
    }

    /// The distance in cells between neighbours along each dimension.
    #[must_use]
    pub fn strides(&self) -> &[u64] {
        &self.strides
    }

    /// The number of cells; `None` if it exceeds `u64`.
    #[must_use]
    pub fn cells(&self) -> Option<u64> {
        self.shape.iter().copied().try_fold(1, u64::checked_mul)
    }
}

/// One dimension of a copy: the number of cells, and their distance in the source and in the
/// target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Leg {
    cells: u64,
    from_step: u64,
    to_step: u64,
}

/// An iterator over the runs of cells that copy a box from one layout to another. Each item is the
/// start of a run of [`Copies::run`] cells, in the source and in the target.
///
/// Runs are as long as the layouts allow: a box that is contiguous in both is a single run.
#[derive(Clone, Debug)]
pub struct Copies {
    run: Leg,
    /// The outer dimensions, from the slowest to the fastest.
    legs: Vec<Leg>,
    at: Vec<u64>,
    next: Option<(u64, u64)>,
}

/// Plans the copy of a box of cells; `None` if a layout does not contain all of them.
///
/// ```
/// use tdb_schema::Order;
/// use tdb_schema::grid::{CellBox, CellLayout, copies};
///
/// let cells = CellBox { lo: vec![1, 2], hi: vec![2, 4] };
/// let tile = CellLayout::new(vec![0, 0], vec![4, 8], Order::RowMajor).unwrap();
/// let result = CellLayout::of_box(&cells, Order::RowMajor).unwrap();
/// let mut runs = copies(&cells, &tile, &result).unwrap();
/// assert_eq!((runs.run(), runs.from_step(), runs.to_step()), (3, 1, 1));
/// assert_eq!(runs.collect::<Vec<_>>(), [(10, 0), (18, 3)]);
/// ```
#[must_use]
pub fn copies(cells: &CellBox, from: &CellLayout, to: &CellLayout) -> Option<Copies> {
    // The last cell must lie within both layouts, too.
    from.position(&cells.hi)?;
    to.position(&cells.hi)?;
    let start = (from.position(&cells.lo)?, to.position(&cells.lo)?);
    let steps = from.strides.iter().zip(&to.strides);
    let mut legs: Vec<Leg> = cells
        .shape()?
        .into_iter()
        .zip(steps)
        .filter(|(along, _)| *along > 1)
        .map(|(cells, (&from_step, &to_step))| Leg {
            cells,
            from_step,
            to_step,
        })
        .collect();
    legs.sort_by_key(|leg| std::cmp::Reverse(leg.to_step));
    let legs = merged(legs);
    let (run, legs) = match legs.split_last() {
        Some((run, legs)) => (*run, legs.to_vec()),
        None => (
            Leg {
                cells: 1,
                from_step: 1,
                to_step: 1,
            },
            vec![],
        ),
    };
    Some(Copies {
        run,
        at: vec![0; legs.len()],
        legs,
        next: Some(start),
    })
}

/// Joins each leg with the next faster one if the two are contiguous in both layouts.
fn merged(legs: Vec<Leg>) -> Vec<Leg> {
    let mut out: Vec<Leg> = Vec::with_capacity(legs.len());
    for leg in legs {
        match out.last_mut() {
            Some(slower) => match slower.joined(leg) {
                Some(joined) => *slower = joined,
                None => out.push(leg),
            },
            None => out.push(leg),
        }
    }
    out
}

impl Leg {
    /// Returns the leg through the cells of this one and of the next faster one; `None` unless they are contiguous in
    /// both layouts.
    fn joined(self, faster: Self) -> Option<Self> {
        let from_step = faster.from_step.checked_mul(faster.cells)?;
        let to_step = faster.to_step.checked_mul(faster.cells)?;
        let cells = self.cells.checked_mul(faster.cells)?;
        let is_contiguous = from_step == self.from_step && to_step == self.to_step;
        is_contiguous.then_some(Self { cells, ..faster })
    }
}

impl Copies {
    /// The number of cells of every run.
    #[must_use]
    pub fn run(&self) -> u64 {
        self.run.cells
    }

    /// The distance between the cells of a run in the source.
    #[must_use]
    pub fn from_step(&self) -> u64 {
        self.run.from_step
    }

    /// The distance between the cells of a run in the target.
    #[must_use]
    pub fn to_step(&self) -> u64 {
        self.run.to_step
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "both layouts contain all cells of the box, and count them in 64 bits"
    )]
    fn advance(&mut self, (mut from, mut to): (u64, u64)) -> Option<(u64, u64)> {
        for (leg, at) in self.legs.iter().zip(&mut self.at).rev() {
            *at += 1;
            if *at < leg.cells {
                return Some((from + leg.from_step, to + leg.to_step));
            }
            // Returns to the first cell of this dimension and advances the next slower one.
            *at = 0;
            let back = leg.cells - 1;
            from -= leg.from_step * back;
            to -= leg.to_step * back;
        }
        None
    }
}

impl Iterator for Copies {
    /// The start of a run in the source and in the target.
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        let place = self.next?;
        self.next = self.advance(place);
        Some(place)
    }
}
