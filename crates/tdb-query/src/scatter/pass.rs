//! Runs of cells to copy from a tile to the result: source cells and their destination.

use tdb_tile::Bug;

/// Consecutive cells along one dimension of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AxisSegment {
    /// The first cell, counted from the start of the tile.
    pub(crate) source: u64,
    /// Number of cells.
    pub(crate) len: u64,
    /// Position of the first cell in the block along this dimension.
    pub(crate) dest: u64,
}

/// The cells to copy out of one tile: planned once, then followed while the tile's bytes arrive in pieces.
///
/// It is filled with [`Pass::begin`] and [`Pass::push`], slowest dimension of the source first. A dimension that is
/// contiguous with the next slower one on both sides is joined with it, so that runs become as long as possible. The
/// memory is reused from tile to tile.
#[derive(Debug, Default)]
pub(crate) struct Pass {
    axes: Vec<PassAxis>,
    segments: Vec<AxisSegment>,
    source: u64,
    dest: u64,
    /// Position of the walk along each axis but the last.
    outer: Vec<AxisPosition>,
}

#[derive(Clone, Copy, Debug)]
struct PassAxis {
    source_stride: u64,
    dest_stride: u64,
    first: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct AxisPosition {
    segment: usize,
    cell: u64,
}

/// Consecutive source cells and their destination rows: `dest`, `dest + dest_stride`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PassRun {
    /// The first source cell.
    pub(crate) source: u64,
    /// Number of cells.
    pub(crate) len: u64,
    /// Destination row of the first cell.
    pub(crate) dest: u64,
}

impl Pass {
    /// Removes all axes.
    pub(crate) fn begin(&mut self) {
        self.axes.clear();
        self.segments.clear();
        self.source = 0;
        self.dest = 0;
    }

    /// Adds the next faster dimension. `segments` must ascend, and the last dimension must have a source stride of 1.
    pub(crate) fn push(
        &mut self,
        source_stride: u64,
        dest_stride: u64,
        segments: impl Iterator<Item = AxisSegment>,
    ) {
        let first = self.segments.len();
        self.segments.extend(segments);
        let end = self.segments.len();
        if let Some(&[only]) = self.segments.get(first..) {
            let is_single = only.len == 1 && source_stride > 1;
            let is_joined = self.axes.last().is_some_and(|slower| {
                slower.source_stride == only.len * source_stride
                    && slower.dest_stride == only.len * dest_stride
            });
            if is_single || is_joined {
                self.segments.truncate(first);
                self.source += only.source * source_stride;
                self.dest += only.dest * dest_stride;
            }
            if is_joined {
                self.join(only.len, source_stride, dest_stride);
            }
            if is_single || is_joined {
                return;
            }
        }
        self.axes.push(PassAxis {
            source_stride,
            dest_stride,
            first,
            end,
        });
    }

    /// Replaces each cell of the last axis by the `len` cells of the faster axis that is joined with it.
    fn join(&mut self, len: u64, source_stride: u64, dest_stride: u64) {
        let Some(axis) = self.axes.last_mut() else {
            return;
        };
        axis.source_stride = source_stride;
        axis.dest_stride = dest_stride;
        for segment in self.segments.iter_mut().take(axis.end).skip(axis.first) {
            segment.source *= len;
            segment.dest *= len;
            segment.len *= len;
        }
    }

    /// Whether there are no cells to copy.
    pub(crate) fn is_empty(&self) -> bool {
        self.axes.iter().any(|axis| axis.first == axis.end)
    }

    /// Number of rows between the destinations of consecutive cells of a run.
    pub(crate) fn dest_stride(&self) -> u64 {
        self.axes.last().map_or(1, |axis| axis.dest_stride)
    }

    /// The run, if all cells are contiguous on both sides.
    pub(crate) fn single(&self) -> Option<PassRun> {
        let [axis] = self.axes[..] else { return None };
        let Some(&[segment]) = self.segments.get(axis.first..axis.end) else {
            return None;
        };
        (axis.dest_stride == 1).then(|| PassRun {
            source: self.source + segment.source,
            len: segment.len,
            dest: self.dest + segment.dest,
        })
    }

    /// The first source cell, and the end of the last.
    pub(crate) fn bounds(&self) -> (u64, u64) {
        let (mut start, mut end) = (self.source, self.source);
        for axis in &self.axes {
            // An axis without segments has no cells; then nobody uses the bounds.
            let segments = self.segments.get(axis.first..axis.end);
            let ends = segments.and_then(|all| all.first().zip(all.last()));
            if let Some((first, last)) = ends {
                start += first.source * axis.source_stride;
                end += (last.source + last.len - 1) * axis.source_stride;
            }
        }
        (start, end + 1)
    }

    /// Iterates over the runs, in the order of the source.
    pub(crate) fn runs(&mut self) -> Runs<'_> {
        let empty = self.is_empty() || self.axes.is_empty();
        self.outer.clear();
        for axis in self.axes.split_last().map_or(&[][..], |(_, outer)| outer) {
            self.outer.push(AxisPosition {
                segment: axis.first,
                cell: 0,
            });
        }
        let inner = self.axes.last().map_or(0, |axis| axis.first);
        let mut runs = Runs {
            pass: self,
            inner,
            base: (0, 0),
            left: 0,
            step: (0, 0),
            done: empty,
        };
        if !empty {
            runs.find_base();
        }
        runs
    }
}

/// A walk over the runs of a [`Pass`].
#[derive(Debug)]
pub(crate) struct Runs<'a> {
    pass: &'a mut Pass,
    /// Number of the current segment of the fastest axis.
    inner: usize,
    /// Source and destination offsets that the slower axes contribute.
    base: (u64, u64),
    /// Number of cells left in the current segment of the second-fastest axis; each of them only adds `step` to
    /// `base`.
    left: u64,
    /// Source and destination offset per step of the second-fastest axis.
    step: (u64, u64),
    done: bool,
}

impl Runs<'_> {
    /// The current run; `None` after the last.
    #[inline]
    pub(crate) fn current(&self) -> Option<PassRun> {
        if self.done {
            return None;
        }
        let segment = self.pass.segments.get(self.inner)?;
        Some(PassRun {
            source: self.base.0 + segment.source,
            len: segment.len,
            dest: self.base.1 + segment.dest * self.pass.dest_stride(),
        })
    }

    /// Checks that the walk is over because all runs were visited, rather than because one was not found.
    ///
    /// # Errors
    /// [`Runs::current`] returned `None` before the last run.
    pub(crate) fn check_end(&self) -> Result<(), Bug> {
        if self.done {
            Ok(())
        } else {
            Err(Bug::new("a segment of a pass that is not there"))
        }
    }

    /// Goes to the next run.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.inner += 1;
        let Some(last) = self.pass.axes.last() else {
            return;
        };
        if self.inner < last.end {
            return;
        }
        self.inner = last.first;
        if self.left > 0 {
            self.left -= 1;
            self.base.0 += self.step.0;
            self.base.1 += self.step.1;
            return;
        }
        self.advance_outer();
        if !self.done {
            self.find_base();
        }
    }

    fn advance_outer(&mut self) {
        let Pass {
            axes,
            segments,
            outer,
            ..
        } = &mut *self.pass;
        for (axis, place) in axes.iter().zip(outer).rev() {
            place.cell += 1;
            if segments
                .get(place.segment)
                .is_some_and(|segment| place.cell < segment.len)
            {
                return;
            }
            place.cell = 0;
            place.segment += 1;
            if place.segment < axis.end {
                return;
            }
            place.segment = axis.first;
        }
        self.done = true;
    }

    fn find_base(&mut self) {
        let pass = &mut *self.pass;
        let mut base = (pass.source, pass.dest);
        for (axis, place) in pass.axes.iter().zip(&pass.outer) {
            let segment = pass.segments.get(place.segment);
            let left = segment.and_then(|segment| segment.len.checked_sub(place.cell + 1));
            let Some((segment, left)) = segment.zip(left) else {
                // Then `current` finds no run, and `check_end` reports it.
                self.inner = usize::MAX;
                return;
            };
            base.0 += (segment.source + place.cell) * axis.source_stride;
            base.1 += (segment.dest + place.cell) * axis.dest_stride;
            self.left = left;
            self.step = (axis.source_stride, axis.dest_stride);
        }
        if let Some(place) = pass.outer.last_mut() {
            // `left` counts the remaining steps to the end of the segment.
            place.cell += self.left;
        }
        self.base = base;
    }
}
