//! Checks whether fragments can be merged without changing which cells overwrite which.
//!
//! A merged fragment takes one position in the order of fragments, where its sources had several. Another fragment
//! between them, with cells in the same region, would then be below cells that it used to overwrite, or above cells
//! that used to overwrite it. A merge is refused in this case, unless the merged cells keep their own times and so
//! their order.

use tdb_array::{Fragment, Snapshot};
use tdb_schema::ArraySchema;
use tdb_schema::grid::{CellBox, SpaceTileGrid};
use tdb_tile::{Bug, Range};

use crate::{History, Source};

/// A fragment as seen by planning: an existing one, or the result of a step.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) source: Source,
    /// First and last time of its cells.
    pub(crate) times: (u64, u64),
    pub(crate) bytes: u64,
    /// The number of cells; for a dense fragment, of all space tiles that it touches.
    pub(crate) cells: u64,
    pub(crate) domain: Domain,
    is_dense: bool,
    has_timestamps: bool,
    /// True if the fragment may be merged.
    pub(crate) is_chosen: bool,
}

/// The region that contains the cells of a fragment.
#[derive(Clone, Debug)]
pub(crate) enum Domain {
    /// A box of cell positions in a dense array.
    Cells(CellBox),
    /// A range of coordinates per dimension.
    Ranges(Vec<Range>),
    /// The region is unknown, so the cells may be anywhere.
    Unknown,
}

/// The rules that a merge must respect.
#[derive(Debug)]
pub(crate) struct Rules<'a> {
    schema: &'a ArraySchema,
    pub(crate) grid: Option<SpaceTileGrid>,
    /// True if merged cells keep their own times.
    keeps_times: bool,
    history: History,
}

/// The reason why fragments cannot be merged, with the index of the fragment that prevents it.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) fragment: Option<usize>,
    pub(crate) why: &'static str,
}

impl Piece {
    pub(crate) fn new(rules: &Rules<'_>, fragment: &Fragment, is_chosen: bool) -> Self {
        let metadata = &fragment.metadata;
        Self {
            source: Source::Fragment(fragment.name.clone()),
            times: fragment.timestamps(),
            bytes: metadata.data_size(),
            cells: metadata.cell_count(),
            domain: rules.domain(fragment),
            is_dense: metadata.dense,
            has_timestamps: metadata.extra_fields.timestamps,
            is_chosen,
        }
    }
}

impl Piece {
    /// Returns the piece with this index.
    pub(crate) fn at(pieces: &[Self], index: usize) -> Result<&Self, Bug> {
        let piece = pieces.get(index);
        piece.ok_or_else(|| Bug::new("a fragment that is to be merged is none of the array"))
    }
}

impl<'a> Rules<'a> {
    pub(crate) fn new(array: &'a Snapshot, keeps_times: bool, history: History) -> Self {
        let schema = array.schema();
        Self {
            grid: schema
                .is_dense()
                .then(|| SpaceTileGrid::new(schema))
                .flatten(),
            schema,
            keeps_times,
            history,
        }
    }

    fn domain(&self, fragment: &Fragment) -> Domain {
        let metadata = &fragment.metadata;
        let ranges = &metadata.non_empty_domain;
        if let Some(grid) = &self.grid {
            return grid
                .clipped_box(ranges)
                .map_or(Domain::Unknown, Domain::Cells);
        }
        let dimensions = self.schema.dimensions.iter().zip(ranges);
        let is_sound = |(dimension, range): (&tdb_schema::Dimension, &Range)| {
            let is_doubted = dimension.is_var() && metadata.version.misstates_empty_string_bounds();
            !is_doubted && range.is_ordered(dimension.datatype)
        };
        if dimensions.into_iter().all(is_sound) {
            Domain::Ranges(ranges.clone())
        } else {
            Domain::Unknown
        }
    }

    /// Returns the result of merging the pieces of a run.
    pub(crate) fn merged(
        &self,
        pieces: &[Piece],
        run: &[usize],
        source: Source,
    ) -> Result<Piece, Bug> {
        let mut joined: Option<Piece> = None;
        for index in run {
            let piece = Piece::at(pieces, *index)?;
            joined = Some(match joined {
                None => piece.clone(),
                Some(joined) => self.joined(joined, piece),
            });
        }
        let joined = joined.ok_or_else(|| Bug::new("a merge of no fragments"))?;
        Ok(self.finished(joined, source))
    }

    /// Combines the properties of two pieces.
    pub(crate) fn joined(&self, joined: Piece, piece: &Piece) -> Piece {
        Piece {
            times: join_times(joined.times, piece.times),
            bytes: joined.bytes.saturating_add(piece.bytes),
            cells: joined.cells.saturating_add(piece.cells),
            domain: self.union(&joined.domain, &piece.domain),
            ..joined
        }
    }

    /// Completes combined pieces to the merged fragment.
    pub(crate) fn finished(&self, mut joined: Piece, source: Source) -> Piece {
        if self.history == History::Dropped && self.keeps_times {
            joined.times.0 = joined.times.1;
        }
        joined.source = source;
        joined.is_dense = self.schema.is_dense();
        joined.has_timestamps = self.keeps_times && self.history != History::Dropped;
        joined
    }

    /// Returns the growth: cells of the merged fragment divided by cells of its sources.
    pub(crate) fn amplification(&self, merged: &Piece) -> f64 {
        let Domain::Cells(cells) = &merged.domain else {
            return 1.0;
        };
        // A count that overflows is at least this large.
        let count = cells.cells().map_or(u64::MAX as f64, |count| count as f64);
        count / merged.cells.max(1) as f64
    }

    /// Fails if merging the run into `merged` would change what reads of the array return.
    pub(crate) fn check(
        &self,
        pieces: &[Piece],
        run: &[usize],
        merged: &Piece,
    ) -> Result<(), Refusal> {
        let is_sparse_in_dense = |index: &usize| {
            let piece = pieces.get(*index);
            piece.is_some_and(|piece| merged.is_dense && !piece.is_dense)
        };
        if run.len() < pieces.len() && run.iter().any(is_sparse_in_dense) {
            let why = "they hold single cells of a dense array, as old releases of TileDB wrote them, which can only be merged with all other fragments";
            return Err(Refusal {
                fragment: None,
                why,
            });
        }
        if self.schema.allows_duplicates {
            return Ok(());
        }
        for (index, piece) in pieces.iter().enumerate() {
            if run.binary_search(&index).is_ok() || !self.meet(&piece.domain, &merged.domain) {
                continue;
            }
            let why = match merged.is_dense {
                // A fragment of single cells is above all dense ones anyway.
                true if !piece.is_dense => None,
                true => dense_conflict(index, piece, run, merged),
                false => self.sparse_conflict(index, piece, pieces, run, merged),
            };
            if let Some(why) = why {
                let fragment = Some(index);
                return Err(Refusal { fragment, why });
            }
        }
        Ok(())
    }

    fn sparse_conflict(
        &self,
        index: usize,
        piece: &Piece,
        pieces: &[Piece],
        run: &[usize],
        merged: &Piece,
    ) -> Option<&'static str> {
        const TIE: &str = "it begins at the same time as those that would be merged, so that it would no longer be certain whose cells count";
        const BETWEEN: &str = "it has cells from between the times of those that would be merged, and merged cells would not keep their own times";
        if piece.times.0 == merged.times.0 {
            return Some(TIE);
        }
        if !merged.has_timestamps {
            let times = run
                .iter()
                .filter_map(|index| pieces.get(*index))
                .map(|piece| piece.times)
                .reduce(join_times)?;
            let apart = piece.times.1 < times.0 || times.1 < piece.times.0;
            return (!apart).then_some(BETWEEN);
        }
        // Of cells with the same time in two fragments, that of the later fragment counts. So the later fragment must
        // stay the later one.
        let was_before = |member: &usize| index < *member;
        let stays_before = piece.times.0 < merged.times.0;
        let mut moved = run
            .iter()
            .filter(|member| was_before(member) != stays_before)
            .filter_map(|member| pieces.get(*member));
        let shares_time =
            |member: &Piece| member.times.0 <= piece.times.1 && piece.times.0 <= member.times.1;
        moved.any(shares_time).then_some(TIE)
    }

    fn meet(&self, a: &Domain, b: &Domain) -> bool {
        match (a, b) {
            (Domain::Cells(a), Domain::Cells(b)) => a.intersection(b).is_some(),
            (Domain::Ranges(a), Domain::Ranges(b)) => {
                let dimensions = self.schema.dimensions.iter();
                let mut pairs = dimensions.zip(a.iter().zip(b));
                pairs.all(|(dimension, (a, b))| a.intersects(dimension.datatype, b))
            }
            _ => true,
        }
    }

    fn union(&self, a: &Domain, b: &Domain) -> Domain {
        match (a, b) {
            (Domain::Cells(a), Domain::Cells(b)) => Domain::Cells(a.union(b)),
            (Domain::Ranges(a), Domain::Ranges(b)) => {
                let dimensions = self.schema.dimensions.iter();
                let pairs = dimensions.zip(a.iter().zip(b));
                let union = pairs.map(|(dimension, (a, b))| a.union(dimension.datatype, b));
                Domain::Ranges(union.collect())
            }
            _ => Domain::Unknown,
        }
    }
}

/// Returns a reason if the merged fragment would change its order relative to `piece`.
fn dense_conflict(
    index: usize,
    piece: &Piece,
    run: &[usize],
    merged: &Piece,
) -> Option<&'static str> {
    let is_last = run.iter().all(|member| *member < index);
    if is_last && merged.times.0 < piece.times.0 {
        None
    } else {
        Some(
            "it is older than some of those that would be merged and has cells in the box around them, which would change",
        )
    }
}

fn join_times(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.min(b.0), a.1.max(b.1))
}
