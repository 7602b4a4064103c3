use tdb_tile::{FormatVersion, Limits};

use crate::filter::Offsets;
use crate::run::Run;
use crate::step::{self, Step};
use crate::{EncryptionKey, FilterError, FilterList, Registry, Scratch, TileKind, Unfit};

/// A tile without chunks: the offsets tile of strings whose offsets are folded into their values.
pub const NO_CHUNKS: [u8; 8] = [0; 8];

/// Filters ready to run over the tiles of one field. Threads can share a pipeline; each needs its
/// own [`Scratch`].
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
    /// The reason why nobody could read the pipeline's output; `None` if it is readable.
    unwritable: Option<FilterError>,
}

impl Pipeline {
    /// The approximate heap memory of the pipeline in bytes.
    #[must_use]
    pub fn bytes_beside(&self) -> usize {
        let filters = self.steps.iter().map(|step| size_of_val(&*step.filter));
        filters.chain([size_of_val(&*self.steps)]).sum()
    }

    /// Prepares the filters of `list` for tiles of `kind`. `options_version` is the format version
    /// of the record that contains `list` (a schema, the header of a generic tile). With a key,
    /// encryption is appended as the last filter.
    ///
    /// # Errors
    /// Fails if a filter is unknown, withdrawn or not compiled in, if options are invalid, if an
    /// encrypted pipeline has no key, or if a string filter that folds offsets is not the first.
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
            // Offsets are folded for a whole tile, so it must not be cut.
            cuts: list.max_chunk != 0 && !unites && folds_at.is_none(),
            folds: folds_at.is_some(),
            can_fold: first.is_some_and(|offsets| offsets != Offsets::Apart),
            unwritable: step::check(&steps, &kind).err(),
            steps,
            kind,
        })
    }

    /// Fails if this crate or TileDB could not read the pipeline's output. Reasons are values of a
    /// type that a filter does not accept, string filters that are not the first, and filters of
    /// whole values after filters that break values. Reading does not need this check.
    ///
    /// # Errors
    /// [`FilterError::InvalidPipeline`] with the reason.
    pub fn check(&self) -> Result<(), FilterError> {
        self.unwritable.clone().map_or(Ok(()), Err)
    }

    /// Returns the first of these values that a filter would clamp (see [`Filter::first_unfit`]).
    ///
    /// [`Filter::first_unfit`]: crate::Filter::first_unfit
    #[must_use]
    pub fn first_unfit(&self, values: &[u8]) -> Option<Unfit> {
        // Later filters no longer see values once a filter has changed the bytes.
        let step = self.steps.iter().find(|step| !step.filter.keeps_data())?;
        step.filter.first_unfit(values, step.datatype)
    }

    /// True if there is no filter: the stored bytes of a chunk are its values.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.steps.is_empty()
    }

    /// True if one of the filters is a compressor: format version 1 then stores coordinates
    /// dimension by dimension.
    #[must_use]
    pub fn compresses(&self) -> bool {
        self.steps.iter().any(|step| step.filter.compresses())
    }

    /// True if encoding folds offsets into the values: the offsets tile is then [`NO_CHUNKS`].
    #[must_use]
    pub fn folds_offsets(&self) -> bool {
        self.folds
    }

    /// True if the offsets of a non-empty tile are folded into its values, judged by the offsets
    /// tile stored with it. Some writers fold offsets in versions that should not.
    #[must_use]
    pub fn folds_offsets_of(&self, stored_offsets: &[u8]) -> bool {
        self.folds || (self.can_fold && stored_offsets == NO_CHUNKS)
    }

    /// The kind of tiles that the pipeline encodes and decodes.
    #[must_use]
    pub fn kind(&self) -> &TileKind {
        &self.kind
    }

    /// Creates a run of the filters; `folds` is true if offsets are folded into the data.
    pub(crate) fn run<'a>(
        &'a self,
        folds: bool,
        scratch: &'a mut Scratch,
        limits: &'a Limits,
    ) -> Run<'a> {
        Run::new(&self.steps, &self.kind, folds, scratch, limits)
    }
}
