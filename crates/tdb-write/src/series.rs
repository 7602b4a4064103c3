//! The fragments of one write: filled one after the other, and committed together at the end.

use std::ops::Range;
use std::sync::Arc;

use tdb_array::{ChangeOptions, NameSource, SealedFragment, TimestampedName};
use tdb_cells::threads;
use tdb_fragment::ConditionTree;
use tdb_tile::{Bug, Exact};

use crate::WriteError;
use crate::fields::EncodedTile;
use crate::fragment::FragmentWriter;
use crate::fragment_cuts::{Boxes, Cuts, SoFar};
use crate::metadata::Shape;
use crate::target::FragmentTarget;
use crate::tile::{TileSource, position};
use crate::written_tiles::WrittenTiles;

/// Approximate size of a group of tiles that is filtered at a time, in bytes of unfiltered cells.
const BATCH: usize = 16 << 20;

/// A source of filtered tiles, indexed from 0, which any thread can call.
pub(crate) trait FilteredTiles: Sync {
    /// Input of a group of tiles that is fetched for all of them together.
    type Input: Send + Sync;

    /// Fetches the input of these tiles.
    fn fetch(&self, tiles: Range<u64>) -> Result<Self::Input, WriteError>;

    /// Returns a filtered tile of the field with this index among the written fields; `input` is that of its group.
    fn filtered(
        &self,
        target: &FragmentTarget,
        input: &Self::Input,
        field: usize,
        tile: u64,
    ) -> Result<EncodedTile, WriteError>;

    /// Approximate size of all fields of one tile, in bytes before filters.
    fn tile_bytes(&self) -> usize;
}

impl<T: TileSource> FilteredTiles for T {
    type Input = ();

    fn fetch(&self, _: Range<u64>) -> Result<(), WriteError> {
        Ok(())
    }

    fn filtered(
        &self,
        target: &FragmentTarget,
        (): &(),
        field: usize,
        tile: u64,
    ) -> Result<EncodedTile, WriteError> {
        target.encode(self, field, tile)
    }

    fn tile_bytes(&self) -> usize {
        TileSource::tile_bytes(self)
    }
}

/// Writes tiles into one or several fragments.
#[derive(Debug)]
pub(crate) struct Series {
    target: Arc<FragmentTarget>,
    names: Arc<dyn NameSource>,
    /// The first and the last timestamp of the cells. If they are not given, they are set to the current time when the
    /// first fragment begins, not earlier: a fragment folder that appeared after its timestamp could escape changes
    /// that look for concurrent writes.
    times: Option<(u64, u64)>,
    /// Whether the times were given.
    is_dated: bool,
    cuts: Option<Cuts>,
    current: Option<FragmentWriter>,
    /// Number of tiles in the fragments before the current one.
    first: u64,
    sealed: Vec<SealedFragment>,
}

impl Series {
    pub(crate) fn new(
        target: Arc<FragmentTarget>,
        names: Arc<dyn NameSource>,
        times: Option<(u64, u64)>,
        most: Option<u64>,
    ) -> Self {
        let capacity = target.schema.capacity;
        let cuts = most.map(|most| Cuts::sparse(most, capacity));
        Self {
            target,
            names,
            times,
            is_dated: times.is_some(),
            cuts,
            current: None,
            first: 0,
            sealed: Vec::new(),
        }
    }

    /// Makes fragments boxes of these tiles, for a dense array.
    pub(crate) fn cut_boxes(&mut self, boxes: Boxes) {
        if let Some(cuts) = &mut self.cuts {
            cuts.set_boxes(boxes);
        }
    }

    /// Adds tiles of a source. While one group of tiles is written, the next one is fetched and filtered.
    pub(crate) fn append<S: FilteredTiles>(
        &mut self,
        source: &S,
        tiles: Range<u64>,
    ) -> Result<(), WriteError> {
        let target = Arc::clone(&self.target);
        let threads = target.session.threads();
        let step = (BATCH / source.tile_bytes().max(1)).max(threads) as u64;
        let mut next = tiles.start;
        let mut ready: Option<Group<S::Input>> = None;
        loop {
            let group = next..next.exact_add(step)?.min(tiles.end);
            next = group.end;
            let done = ready.take();
            let encode = || encode(&target, source, group.clone());
            let write = || done.map_or(Ok(()), |done| self.write(done.fields));
            let (encoded, written) = target.session.install(|| threads::both(encode, write));
            written?;
            ready = encoded?;
            if group.is_empty() {
                return Ok(());
            }
        }
    }

    /// Adds filtered tiles, given as a list per field; all lists have the same length.
    fn write(&mut self, batch: Vec<Vec<EncodedTile>>) -> Result<(), WriteError> {
        if batch.iter().all(Vec::is_empty) {
            return Ok(());
        }
        if self.cuts.is_none() {
            return self.current()?.append(batch);
        }
        let mut fields: Vec<_> = batch.into_iter().map(Vec::into_iter).collect();
        loop {
            // If some fields have a tile more, `FragmentWriter::append` reports it.
            let tile: Vec<EncodedTile> = fields.iter_mut().filter_map(Iterator::next).collect();
            if tile.is_empty() {
                return Ok(());
            }
            let size: u64 = tile.iter().map(EncodedTile::size).sum();
            if let (Some(cuts), Some(writer)) = (&self.cuts, &self.current) {
                let tiles = self.tiles();
                let bytes = writer.size();
                if let Some(shape) = cuts.end(&SoFar { tiles, bytes }, size) {
                    self.seal(shape)?;
                }
            }
            let tile = tile.into_iter().map(|tile| vec![tile]);
            self.current()?.append(tile.collect())?;
        }
    }

    /// The tiles of the current fragment, numbered among all tiles of the write.
    pub(crate) fn tiles(&self) -> Range<u64> {
        let tiles = self.current.as_ref().map_or(0, FragmentWriter::tiles);
        self.first..self.first + tiles
    }

    fn current(&mut self) -> Result<&mut FragmentWriter, WriteError> {
        let writer = match self.current.take() {
            Some(writer) => writer,
            None => {
                let version = self.target.version;
                let times = match self.times {
                    Some(times) => times,
                    None => {
                        let now = self.names.now();
                        *self.times.insert((now, now))
                    }
                };
                let name = self.names.versioned(times, version)?;
                let fragment = self.target.array.new_fragment(name);
                FragmentWriter::new(&self.target, fragment)?
            }
        };
        Ok(self.current.insert(writer))
    }

    /// Whether all tiles go into one fragment.
    pub(crate) fn is_one_fragment(&self) -> bool {
        self.cuts.is_none()
    }

    /// Abandons the current fragment, which must be the only one, so that its tiles can be read again. Its last tile
    /// has `last_tile_cells` cells. The next tiles begin a new fragment.
    pub(crate) fn give_up(
        &mut self,
        last_tile_cells: usize,
    ) -> Result<Option<WrittenTiles>, WriteError> {
        if self.first > 0 {
            return Err(Bug::new("one of several fragments is given up").into());
        }
        let current = self.current.take();
        current
            .map(|writer| writer.give_up(last_tile_cells))
            .transpose()
    }

    /// Ends the current fragment.
    pub(crate) fn seal(&mut self, shape: Shape) -> Result<(), WriteError> {
        self.first = self.tiles().end;
        if let Some(writer) = self.current.take() {
            self.sealed.push(writer.seal(shape)?);
        }
        Ok(())
    }

    /// Commits all fragments at once; returns their names in order.
    pub(crate) fn commit(self) -> Result<Vec<TimestampedName>, WriteError> {
        if let Some(replacement) = &self.target.replacement {
            let (fragments, uri) = (&replacement.fragments, replacement.uri.as_deref());
            let array = &self.target.array;
            return Ok(array.replace_fragments(fragments, self.sealed, uri)?);
        }
        if !self.is_dated {
            let (array, names) = (&self.target.array, &*self.names);
            return Ok(array.commit_above_changes(self.sealed, names)?);
        }
        if self.sealed.len() > 1 {
            return Ok(self.target.array.commit_together(self.sealed)?);
        }
        let names = self.sealed.into_iter().map(SealedFragment::commit);
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// The sealed fragments, which the caller commits.
    pub(crate) fn into_sealed(self) -> Vec<SealedFragment> {
        self.sealed
    }

    /// Commits all fragments and a delete at once.
    pub(crate) fn commit_with_delete(
        self,
        kept: &ConditionTree,
        change: &ChangeOptions,
    ) -> Result<Vec<TimestampedName>, WriteError> {
        let array = &self.target.array;
        Ok(array
            .commit_with_delete(self.sealed, kept, change)?
            .fragments)
    }
}

/// Filtered tiles that are written together.
struct Group<I> {
    /// A list of tiles per field.
    fields: Vec<Vec<EncodedTile>>,
    /// The tiles may share its memory, which counts until they are written.
    _input: I,
}

/// Filters all fields of these tiles; `None` if there are no tiles.
fn encode<S: FilteredTiles>(
    target: &FragmentTarget,
    source: &S,
    tiles: Range<u64>,
) -> Result<Option<Group<S::Input>>, WriteError> {
    let count = position(tiles.end.exact_sub(tiles.start)?)?;
    let fields = target.codecs.len();
    if count == 0 {
        return Ok(None);
    }
    let input = source.fetch(tiles.clone())?;
    // Field by field, so that neighbouring tiles, which share input, are filtered at about the same time.
    let job = |index: usize| {
        let tile = tiles.start + (index % count) as u64;
        source.filtered(target, &input, index / count, tile)
    };
    let jobs = (0..count.exact_mul(fields)?).collect();
    let mut all = threads::map(jobs, job)?.into_iter();
    let of_field = |_| all.by_ref().take(count).collect();
    let fields = (0..fields).map(of_field).collect();
    Ok(Some(Group {
        fields,
        _input: input,
    }))
}
