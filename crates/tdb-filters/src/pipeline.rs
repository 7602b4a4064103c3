use tdb_tile::{FormatVersion, Limits};

use crate::filter::Offsets;
use crate::run::Run;
use crate::step::{self, Step};
use crate::{EncryptionKey, FilterError, FilterList, Registry, Scratch, TileKind, Unfit};

/// A tile of no chunks: the offsets tile of strings whose offsets are folded into their values.
pub const NO_CHUNKS: [u8; 8] = [0; 8];

/// Filters ready to run over the tiles of one field: share one between threads, with a
/// [`Scratch`] for each.
///
/// ```
/// use tdb_filters::{Description, FilterList, Pipeline, Registry, Scratch, TileKind};
/// use tdb_tile::{Datatype, FormatVersion, Limits};
///
/// let byteshuffle = Description::new("byteshuffle");
/// let list = FilterList::new(vec![
///     byteshuffle.record(FormatVersion::WRITTEN, Registry::builtin())?,
/// ]);
/// let kind = TileKind::new(FormatVersion::WRITTEN, Datatype::UInt16);
/// let pipeline = Pipeline::new(&list, FormatVersion::WRITTEN, kind, None, Registry::builtin())?;
///
/// let (mut scratch, limits) = (Scratch::default(), Limits::default());
/// let mut tile = Vec::new();
/// pipeline.encode_tile(&[1, 2, 3, 4], None, &mut tile, &mut scratch, &limits)?;
/// assert_eq!(tile.len(), 8 + 12 + 8 + 4); // count, chunk header, part lengths, data
/// let values = pipeline.decode_tile_to_vec(&tile, None, &mut scratch, &limits)?;
/// assert_eq!(values, [1, 2, 3, 4]);
/// # Ok::<(), tdb_filters::FilterError>(())
/// ```
#[derive(Debug)]
pub struct Pipeline {
    steps: Vec<Step>,
    kind: TileKind,
    pub(crate) cuts: bool,
    pub(crate) folds: bool,
    pub(crate) can_fold: bool,
    /// Why nobody could read what this pipeline writes.
    unwritable: Option<FilterError>,
}

impl Pipeline {
    /// About the bytes of memory that it takes beside its own.
    #[must_use]
    pub fn bytes_beside(&self) -> usize {
        let steps = self.steps.iter();
        let steps = steps.map(|step| size_of::<Step>().saturating_add(size_of_val(&*step.filter)));
        steps.fold(0, usize::saturating_add)
    }

    /// Makes the filters of `list`, which was stored in a record of `options_version` (a schema,
    /// the header of a generic tile), ready for tiles of `kind`. With a key, data is encrypted last.
    ///
    /// # Errors
    /// Filters that are unknown, withdrawn or not compiled in; options that make no sense; an
    /// encrypted pipeline without a key; a string filter that folds offsets and is not first.
    pub fn new(
        list: &FilterList,
        options_version: FormatVersion,
        kind: TileKind,
        key: Option<&EncryptionKey>,
        registry: &Registry,
    ) -> Result<Self, FilterError> {
        let steps = step::steps(list, options_version, &kind, key, registry)?;
        let folds_at =
            (steps.iter()).position(|step| step.filter.offsets(&kind) == Offsets::Folded);
        if let Some(step) = folds_at.filter(|&at| at > 0).and_then(|at| steps.get(at)) {
            return Err(FilterError::InvalidPipeline {
                filter: step.name,
                why: step::NOT_FIRST,
            });
        }
        let unites = (steps.iter()).any(|step| step.filter.unites_chunks(&kind));
        let first = steps.first().map(|step| step.filter.offsets(&kind));
        Ok(Self {
            // Folded offsets are those of the whole tile.
            cuts: list.max_chunk != 0 && !unites && folds_at.is_none(),
            folds: folds_at.is_some(),
            can_fold: first.is_some_and(|offsets| offsets != Offsets::Apart),
            unwritable: step::check(&steps, &kind).err(),
            steps,
            kind,
        })
    }

    /// Fails where what the pipeline writes could not be read again, by this crate or by TileDB:
    /// values of a type that a filter does not take, text filters out of place, and filters
    /// that count in whole values behind those that break them. To read, none of this matters.
    ///
    /// # Errors
    /// [`FilterError::InvalidPipeline`].
    pub fn check(&self) -> Result<(), FilterError> {
        self.unwritable.clone().map_or(Ok(()), Err)
    }

    /// The first of these values that would come back as quite another (see [`Filter::first_unfit`]).
    ///
    /// [`Filter::first_unfit`]: crate::Filter::first_unfit
    #[must_use]
    pub fn first_unfit(&self, values: &[u8]) -> Option<Unfit> {
        // What comes after a filter that changes the bytes sees no values any more.
        let step = self.steps.iter().find(|step| !step.filter.keeps_data())?;
        step.filter.first_unfit(values, step.datatype)
    }

    /// Whether there is no filter: the stored bytes of a chunk are its data.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether one of the filters is a compressor: format 1 then keeps coordinates dimension by dimension.
    #[must_use]
    pub fn compresses(&self) -> bool {
        self.steps.iter().any(|step| step.filter.compresses())
    }

    /// Whether writing folds offsets into the values: the offsets tile is then [`NO_CHUNKS`].
    #[must_use]
    pub fn folds_offsets(&self) -> bool {
        self.folds
    }

    /// Whether the offsets of a tile that holds cells are folded into its values, by the
    /// offsets tile that was stored with it: some writers fold in versions that should not.
    #[must_use]
    pub fn folds_offsets_of(&self, stored_offsets: &[u8]) -> bool {
        self.folds || (self.can_fold && stored_offsets == NO_CHUNKS)
    }

    /// What the tiles are.
    #[must_use]
    pub fn kind(&self) -> &TileKind {
        &self.kind
    }

    /// The filters at work, with offsets in the data where `folds`.
    pub(crate) fn run<'a>(
        &'a self,
        folds: bool,
        scratch: &'a mut Scratch,
        limits: &'a Limits,
    ) -> Run<'a> {
        Run::new(&self.steps, &self.kind, folds, scratch, limits)
    }
}
