//! The steps of a read of a sparse array, one by one: values in, a value out, and nothing fetched.
//!
//! [`Reader`](crate::Reader) takes them through a [`Store`](tdb_store::Store), batch by batch. Who fetches by other means, or
//! asynchronously, takes them by hand: [`Planner::needs`] and [`Chosen::needs`] say which parts of the fragments'
//! metadata planning takes, [`Plan::reads`] which bytes to read, and [`Plan::unfilter`], [`Tiles::select`],
//! [`Cells::merge`] and [`Rows::into_columns`] make the result of them.

use tdb_array::{OpenedPart, Snapshot};
use tdb_cells::{Batch, CellTable, Fetched, FragmentTiles, Loading, Segment, Session, load};
use tdb_fragment::MetadataPart;
use tdb_store::{Piece, Read};

use crate::request::Request;
use crate::sparse::apply_deletes;
use crate::sparse::merge::{Rows as RowNumbers, all_rows};
use crate::sparse::plan::{FragmentPlan, SparsePlan};
use crate::{QueryError, fragment_tiles};

/// Parts of the metadata of one fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentParts {
    /// Position of the fragment in [`Snapshot::fragments`].
    pub fragment: usize,
    /// The parts that are wanted of it; [`part_place`](tdb_fragment::FragmentMetadata::part_place) says where they are.
    pub parts: Vec<MetadataPart>,
}

/// Finds out which tiles a read needs.
#[derive(Debug)]
pub struct Planner<'a> {
    session: &'a Session,
    array: &'a Snapshot,
    request: Request,
}

/// Which tiles a read needs, and where they are.
#[derive(Debug)]
pub struct Plan<'a> {
    session: &'a Session,
    array: &'a Snapshot,
    sparse: SparsePlan,
    /// Those of each planned fragment.
    tiles: Vec<FragmentTiles>,
    segments: Vec<Segment>,
}

/// The cells of all tiles of a plan.
#[derive(Debug)]
pub struct Tiles<'a> {
    plan: &'a Plan<'a>,
    table: CellTable,
}

/// The cells that lie within the subarray and the window of time, as they are stored.
#[derive(Debug)]
pub struct Cells<'a> {
    tiles: Tiles<'a>,
    rows: RowNumbers,
}

/// The cells of the result, in its order.
#[derive(Debug)]
pub struct Rows<'a> {
    tiles: Tiles<'a>,
    rows: RowNumbers,
}

impl<'a> Planner<'a> {
    /// Begins to plan a read of a sparse array.
    ///
    /// # Errors
    /// [`QueryError::Invalid`] for a dense array; a commit whose name is damaged.
    pub fn new(
        session: &'a Session,
        array: &'a Snapshot,
        request: Request,
    ) -> Result<Self, QueryError> {
        if array.schema().is_dense() {
            return Err(QueryError::invalid(
                "dense arrays are read by a session, not by steps",
            ));
        }
        array.directory().check_commits()?;
        Ok(Self {
            session,
            array,
            request,
        })
    }

    /// What planning takes: bounds of tiles, where the subarray leaves out any.
    #[must_use]
    pub fn needs(&self) -> Vec<FragmentParts> {
        let fragments = 0..self.array.fragments().len();
        let parts = |fragment| FragmentParts {
            fragment,
            parts: FragmentPlan::parts(self.array, fragment, &self.request),
        };
        fragments.map(parts).collect()
    }

    /// Chooses the tiles of each fragment, given what [`Planner::needs`] named.
    ///
    /// # Errors
    /// Metadata and deletes that break the format; a [limit](QueryError::Limit).
    pub fn choose(self, opened: Vec<Vec<OpenedPart>>) -> Result<Chosen<'a>, QueryError> {
        let limits = self.session.limits();
        let mut fragments = Vec::new();
        for (index, opened) in opened.into_iter().enumerate() {
            let plan = FragmentPlan::new(self.array, index, &self.request, opened, limits)?;
            fragments.extend(plan);
        }
        let sparse = SparsePlan::new(self.array, self.request, fragments)?;
        Ok(Chosen {
            session: self.session,
            array: self.array,
            sparse,
        })
    }
}

/// The tiles that a read needs, before it is known where they are.
#[derive(Debug)]
pub struct Chosen<'a> {
    session: &'a Session,
    array: &'a Snapshot,
    sparse: SparsePlan,
}

impl<'a> Chosen<'a> {
    /// The fragments that have cells of the result, and the numbers of their tiles.
    pub fn tiles(&self) -> impl Iterator<Item = (usize, Vec<usize>)> + '_ {
        let fragments = self.sparse.fragments.iter();
        fragments.map(|f| (f.fragment, f.tiles.iter().map(|tile| tile.tile).collect()))
    }

    /// What it takes to know where the tiles are.
    ///
    /// # Errors
    /// None but a [bug](QueryError::Bug).
    pub fn needs(&self) -> Result<Vec<FragmentParts>, QueryError> {
        let fields = self.sparse.fields();
        let parts = |plan: &FragmentPlan| {
            let (fragment, schema) = (plan.fragment, &self.sparse.schema);
            let parts = fragment_tiles::parts(self.array, schema, fragment, &fields)?;
            Ok(FragmentParts { fragment, parts })
        };
        self.sparse.fragments.iter().map(parts).collect()
    }

    /// Finds the tiles, given what [`Chosen::needs`] named.
    ///
    /// # Errors
    /// Metadata that breaks the format; filters that cannot be undone.
    pub fn locate(self, opened: Vec<Vec<OpenedPart>>) -> Result<Plan<'a>, QueryError> {
        let fields = self.sparse.fields();
        let fragments = self.sparse.fragments.iter().zip(opened);
        let tiles = fragments.map(|(plan, opened)| {
            let schema = &self.sparse.schema;
            fragment_tiles::locate(self.array, schema, plan.fragment, &fields, opened)
        });
        Ok(Plan {
            session: self.session,
            array: self.array,
            tiles: tiles.collect::<Result<_, _>>()?,
            segments: self.sparse.whole(),
            sparse: self.sparse,
        })
    }
}

impl Plan<'_> {
    /// The bytes that the plan's tiles take: each tile of each field.
    #[must_use]
    pub fn reads(&self) -> Vec<Read> {
        let fields = self.sparse.fields();
        let mut reads = Vec::new();
        for (segment, tiles) in self.segments.iter().zip(&self.tiles) {
            for tile in &segment.tiles {
                reads.extend(tiles.reads(&fields, tile.tile));
            }
        }
        reads
    }

    /// Undoes the filters of all tiles, on the session's threads. `pieces` are what [`Plan::reads`] gave, in its order.
    ///
    /// # Errors
    /// Bytes that were not read, or break the format; a [limit](QueryError::Limit).
    pub fn unfilter(&self, pieces: Vec<Piece>) -> Result<Tiles<'_>, QueryError> {
        let bytes = Fetched::new(&self.reads(), pieces);
        let how = Loading {
            session: self.session,
            schema: &self.sparse.schema,
            bytes: &bytes,
        };
        let find = |fragment| self.tiles.get(self.sparse.position(fragment)?);
        let mut table = CellTable::new(self.segments.clone());
        let fields = self.sparse.fields();
        self.session
            .install(|| load(how, &mut table, &fields, &find))?;
        Ok(Tiles { plan: self, table })
    }
}

impl<'a> Tiles<'a> {
    /// How many cells the tiles have.
    #[must_use]
    pub fn cell_count(&self) -> usize {
        self.table.rows
    }

    /// Leaves out cells beyond the subarray, and those written outside of the window of time.
    #[must_use]
    pub fn select(self) -> Cells<'a> {
        let rows = self.plan.sparse.select(&self.table);
        Cells { tiles: self, rows }
    }
}

impl<'a> Cells<'a> {
    /// The cells, as positions among those of the plan's tiles.
    #[must_use]
    pub fn rows(&self) -> Vec<u32> {
        numbers(&self.tiles, &self.rows)
    }

    /// Puts cells in order, keeps the newest of equal ones, and then leaves out what is deleted or fails the
    /// condition: it hides older cells all the same.
    ///
    /// # Errors
    /// Cells that do not hold together.
    pub fn merge(mut self) -> Result<Rows<'a>, QueryError> {
        let Tiles { plan, table } = &mut self.tiles;
        let merge = || plan.sparse.merge(plan.array, table, self.rows);
        let mut rows = plan.session.install(merge);
        apply_deletes(plan.session, plan.array, &plan.sparse, table, &mut rows)?;
        plan.sparse.apply_condition(table, &mut rows)?;
        Ok(Rows {
            tiles: self.tiles,
            rows,
        })
    }
}

impl Rows<'_> {
    /// The cells, as positions among those of the plan's tiles.
    #[must_use]
    pub fn rows(&self) -> Vec<u32> {
        numbers(&self.tiles, &self.rows)
    }

    /// The columns of the result.
    ///
    /// # Errors
    /// A [limit](QueryError::Limit).
    pub fn into_columns(self) -> Result<Batch, QueryError> {
        let Tiles { plan, mut table } = self.tiles;
        let columns = || plan.sparse.columns(&mut table, self.rows.as_deref());
        plan.session.install(columns)
    }
}

fn numbers(tiles: &Tiles<'_>, rows: &RowNumbers) -> Vec<u32> {
    rows.clone().unwrap_or_else(|| all_rows(&tiles.table))
}
