//! The context that all fragments of a write share.

use std::sync::{Arc, Mutex, PoisonError};

use tdb_array::Array;
use tdb_cells::Session;
use tdb_fragment::ExtraFields;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, FormatVersion, Limits};

use crate::WriteError;
use crate::fields::{EncodedTile, FieldCodec};
use crate::options::Replacement;
use crate::tile::{TileSource, Workshop};

/// The context that all fragments of a write share: array, schema, fields and filters.
#[derive(Debug)]
pub(crate) struct FragmentTarget {
    pub(crate) session: Session,
    pub(crate) array: Arc<Array>,
    pub(crate) schema: Arc<ArraySchema>,
    /// Name of the schema in footers.
    pub(crate) schema_name: String,
    pub(crate) version: FormatVersion,
    /// The fragments that this write replaces, if any.
    pub(crate) replacement: Option<Replacement>,
    /// Additional fields per cell: timestamps and deletions.
    pub(crate) extra: ExtraFields,
    /// Filters and file names of the written fields, in order.
    pub(crate) codecs: Vec<FieldCodec>,
    workshops: Mutex<Vec<Workshop>>,
}

impl FragmentTarget {
    /// Uses the newest schema of the array, whatever time the array was opened at.
    pub(crate) fn new(
        session: &Session,
        array: &Arc<Array>,
        replacement: Option<Replacement>,
    ) -> Result<Self, WriteError> {
        let newest = array.schemas().last();
        let Some((name, schema)) = newest else {
            return Err(Bug::new("an array that is open has no schema").into());
        };
        let version = array.write_version();
        let extra = match &replacement {
            Some(replacement) => ExtraFields {
                timestamps: replacement.has_timestamps,
                deletes: replacement.has_deletions,
            },
            // New cells have neither their own timestamps nor deletions.
            None => ExtraFields::default(),
        };
        let is_possible = !schema.is_dense() && version.keeps_cell_times();
        if extra != ExtraFields::default() && !is_possible {
            return Err(WriteError::NoCellTimes { version });
        }
        let codecs = crate::input::written_fields(schema)
            .into_iter()
            .chain(crate::input::extra_fields(extra));
        let codec = |kind| FieldCodec::new(schema, kind, version, array.key());
        Ok(Self {
            session: session.clone(),
            array: Arc::clone(array),
            replacement,
            extra,
            codecs: codecs.map(codec).collect::<Result<_, _>>()?,
            schema: Arc::clone(schema),
            schema_name: name.to_owned(),
            version,
            workshops: Mutex::default(),
        })
    }

    /// The written fields, in order.
    pub(crate) fn fields(&self) -> Vec<FieldKind> {
        self.codecs.iter().map(|codec| codec.kind).collect()
    }

    /// Runs `work` with memory that threads reuse from tile to tile.
    fn with_workshop<R>(&self, work: impl FnOnce(&mut Workshop) -> R) -> R {
        let lock = || {
            self.workshops
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "where none is idle, the thread begins with one that has no memory yet"
        )]
        let mut workshop = lock().pop().unwrap_or_default();
        let result = work(&mut workshop);
        lock().push(workshop);
        result
    }

    /// Frees the memory that threads reuse; called when no more tiles are expected for now.
    pub(crate) fn close_workshops(&self) {
        let mut workshops = self
            .workshops
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        workshops.clear();
    }

    /// Returns a filtered tile of the field with this index.
    pub(crate) fn encode(
        &self,
        source: &dyn TileSource,
        field: usize,
        tile: u64,
    ) -> Result<EncodedTile, WriteError> {
        let codec = self.codec(field)?;
        self.with_workshop(|workshop| {
            let cells = source.tile(field, tile, &mut workshop.buffers)?;
            let limits = self.session.limits();
            // A tile larger than the whole budget could not be read with the same budget either.
            let (size, most) = (cells.values.len() as u64, limits.budget.limit());
            Limits::check_memory("memory of a tile", size, most)?;
            codec.encode(&cells, tile, &mut workshop.coder, limits)
        })
    }

    /// Filters and file names of the field with this index.
    pub(crate) fn codec(&self, field: usize) -> Result<&FieldCodec, Bug> {
        let codec = self.codecs.get(field);
        codec.ok_or_else(|| Bug::new("a tile of a field that is not written"))
    }
}
