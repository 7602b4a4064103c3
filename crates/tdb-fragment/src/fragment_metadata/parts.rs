use bytes::Bytes;
use tdb_rtree::RTree;
use tdb_schema::{ArraySchema, Field, FieldKind};
use tdb_tile::{FormatVersion, Limits, Record, U64Column};

use super::{FragmentMetadata, Parts};
use crate::tile_index::Tiles;
use crate::trust::{Nulls, Trust};
use crate::{
    FragmentError, FragmentStatistics, GenericTileOffsets, LegacyMetadata, MetadataPart, PartPlace,
    ProcessedConditions, TileBounds, TileIndex, TileStatistics, TileVector,
};

impl FragmentMetadata {
    /// Returns the location of a part of the metadata.
    ///
    /// The footer stores only the offset of a part, not its size. The range therefore ends at the
    /// next larger offset of any part, or at the end of the generic tiles.
    ///
    /// # Errors
    /// [`FragmentError::NotStored`] if the version or the fragment lacks the part. Fails if the
    /// location is not before the footer.
    pub fn part_place(&self, part: MetadataPart) -> Result<PartPlace, FragmentError> {
        let not_stored = || self.not_stored(part.name());
        match &self.parts {
            Parts::Here { rtree, legacy } => {
                let part = self.legacy_part(part, rtree, legacy)?;
                Ok(PartPlace::Here(part.ok_or_else(not_stored)?))
            }
            Parts::Stored {
                offsets,
                global_order_bounds,
                starts,
            } => {
                let start = self
                    .part_offset(part, offsets, global_order_bounds)
                    .ok_or_else(not_stored)?;
                let next = starts.partition_point(|other| *other <= start);
                let end = starts
                    .get(next)
                    .ok_or(FragmentError::Invalid("a generic tile behind the others"))?;
                Ok(PartPlace::Stored(start..*end))
            }
        }
    }

    fn index(&self, field: FieldKind) -> Option<usize> {
        let stored = self.stored_field(field)?;
        self.layout.index(stored, self.version, self.extra_fields)
    }

    fn part_offset(
        &self,
        part: MetadataPart,
        offsets: &GenericTileOffsets,
        bounds: &[u64],
    ) -> Option<u64> {
        let of = |list: &[u64], field| list.get(self.index(field)?).copied();
        match part {
            MetadataPart::RTree => Some(offsets.rtree),
            MetadataPart::TileOffsets(field) => of(&offsets.tile_offsets, field),
            MetadataPart::VarOffsets(field) => of(&offsets.var_offsets, field),
            MetadataPart::VarSizes(field) => of(&offsets.var_sizes, field),
            MetadataPart::ValidityOffsets(field) => of(&offsets.validity_offsets, field),
            MetadataPart::Mins(field) => of(&offsets.mins, field),
            MetadataPart::Maxs(field) => of(&offsets.maxs, field),
            MetadataPart::Sums(field) => of(&offsets.sums, field),
            MetadataPart::NullCounts(field) => of(&offsets.null_counts, field),
            // Versions that lack these parts have the offset 0, which is that of the R-tree.
            MetadataPart::FragmentStatistics => {
                Some(offsets.fragment_statistics).filter(|offset| *offset != 0)
            }
            MetadataPart::ProcessedConditions => {
                Some(offsets.processed_conditions).filter(|offset| *offset != 0)
            }
            MetadataPart::FirstCoordinates(dimension) => {
                let (first, _) = bounds.split_at_checked(self.layout.dimensions().len())?;
                first.get(dimension).copied()
            }
            MetadataPart::LastCoordinates(dimension) => {
                let (_, last) = bounds.split_at_checked(self.layout.dimensions().len())?;
                last.get(dimension).copied()
            }
        }
    }

    fn legacy_part(
        &self,
        part: MetadataPart,
        rtree: &Bytes,
        legacy: &LegacyMetadata,
    ) -> Result<Option<Bytes>, FragmentError> {
        let (list, field) = match part {
            MetadataPart::RTree => return Ok(Some(rtree.clone())),
            MetadataPart::TileOffsets(field) => (&legacy.tile_offsets, field),
            MetadataPart::VarOffsets(field) => (&legacy.var_offsets, field),
            MetadataPart::VarSizes(field) => (&legacy.var_sizes, field),
            _ => return Ok(None),
        };
        let vector = self.index(field).and_then(|index| list.get(index));
        Ok(match vector {
            Some(vector) => Some(vector.encode(self.version, &())?.into()),
            None => None,
        })
    }

    /// Decodes [`MetadataPart::RTree`].
    ///
    /// # Errors
    /// Fails if the bytes break the format, or if the tree covers another number of tiles.
    pub fn rtree(&self, payload: &Bytes, limits: &Limits) -> Result<RTree, FragmentError> {
        let tree = RTree::decode(payload, self.version, self.layout.dimensions(), limits)?;
        let wanted = if self.dense { 0 } else { self.tile_count() };
        let found = tree.tile_count() as u64;
        if found != wanted {
            return Err(FragmentError::Mismatch {
                what: "number of tiles in the R-tree",
                wanted,
                found,
            });
        }
        Ok(tree)
    }

    /// Returns the parts that [`FragmentMetadata::tile_index`] takes for a field, in order.
    #[must_use]
    pub fn tile_index_parts(&self, field: &Field<'_>) -> Vec<MetadataPart> {
        let kind = field.kind;
        let mut parts = vec![MetadataPart::TileOffsets(kind)];
        if field.is_var() {
            parts.extend([MetadataPart::VarOffsets(kind), MetadataPart::VarSizes(kind)]);
        }
        if field.nullable {
            parts.push(MetadataPart::ValidityOffsets(kind));
        }
        parts
    }

    /// Decodes the locations of a field's tiles from the opened
    /// [`FragmentMetadata::tile_index_parts`].
    ///
    /// # Errors
    /// Fails if the number of tiles is not the fragment's, if offsets do not increase or are beyond
    /// the file, or if the fragment lacks the field.
    pub fn tile_index(
        &self,
        field: &Field<'_>,
        payloads: &[Bytes],
        limits: &Limits,
    ) -> Result<TileIndex, FragmentError> {
        self.try_tile_index(field, payloads, limits)
            .map_err(|error| error.in_field(field.name))
    }

    fn try_tile_index(
        &self,
        field: &Field<'_>,
        payloads: &[Bytes],
        limits: &Limits,
    ) -> Result<TileIndex, FragmentError> {
        let index = self
            .index(field.kind)
            .ok_or_else(|| self.not_stored("such field"))?;
        let mut payloads = payloads.iter();
        let mut next = || self.tile_vector(payloads.next(), limits);
        let size = |sizes: &[u64]| {
            let size = sizes.get(index).copied();
            size.ok_or_else(|| self.not_stored("size of the field's file"))
        };
        let fixed = Tiles::new(next()?, size(&self.file_sizes.fixed)?)?;
        let var = if field.is_var() {
            let tiles = Tiles::new(next()?, size(&self.file_sizes.var)?)?;
            Some((tiles, next()?))
        } else {
            None
        };
        let validity = if field.nullable {
            Some(Tiles::new(next()?, size(&self.file_sizes.validity)?)?)
        } else {
            None
        };
        let index = TileIndex::new(fixed, var, validity, self.tile_count());
        index.check()?;
        Ok(match self.lost().filter(|_| index.lacks_tiles()) {
            Some(lost) => index.up_to(lost.readable()),
            None => index,
        })
    }

    fn tile_vector(
        &self,
        payload: Option<&Bytes>,
        limits: &Limits,
    ) -> Result<U64Column, FragmentError> {
        let payload = payload.ok_or(FragmentError::Invalid("a part is missing"))?;
        self.tile_values(payload, limits)
    }

    /// Decodes a part with one value per tile: offsets, sizes, sums or null counts.
    ///
    /// # Errors
    /// Fails if the bytes break the format, or have another number of tiles.
    pub fn tile_values(
        &self,
        payload: &Bytes,
        limits: &Limits,
    ) -> Result<U64Column, FragmentError> {
        let vector = TileVector::decode(payload, FormatVersion::WRITTEN, &(), limits)?;
        if let Some(values) = self.without_validity_tiles(&vector.values) {
            return Ok(values);
        }
        let wanted = self.stored_tiles(vector.values.len() as u64);
        vector.check(wanted)?;
        Ok(vector.values)
    }

    /// Returns the values of the fragment's tiles if its writer counted validity tiles, too, so
    /// that at most as many zeros follow the values; otherwise `None`.
    fn without_validity_tiles(&self, values: &U64Column) -> Option<U64Column> {
        let count = usize::try_from(self.tile_count()).ok()?;
        let more = values.len().checked_sub(count)?;
        let is_of_such_a_writer = self.dense && self.version.counts_validity_tiles();
        let are_zeros = || values.iter().skip(count).all(|value| value == 0);
        let is_more = is_of_such_a_writer && more > 0 && more <= count;
        (is_more && are_zeros()).then(|| values.first(count))?
    }

    /// Returns the parts that [`FragmentMetadata::tile_statistics`] takes for a field, in order.
    #[must_use]
    pub fn tile_statistics_parts(field: FieldKind) -> [MetadataPart; 4] {
        [
            MetadataPart::Mins(field),
            MetadataPart::Maxs(field),
            MetadataPart::Sums(field),
            MetadataPart::NullCounts(field),
        ]
    }

    /// Decodes the statistics of a field's tiles from the opened
    /// [`FragmentMetadata::tile_statistics_parts`].
    ///
    /// # Errors
    /// Fails if the bytes break the format, or have another number of tiles.
    pub fn tile_statistics(
        &self,
        field: &Field<'_>,
        payloads: &[Bytes; 4],
        limits: &Limits,
    ) -> Result<TileStatistics, FragmentError> {
        self.try_tile_statistics(field, payloads, limits)
            .map_err(|error| error.in_field(field.name))
    }

    fn try_tile_statistics(
        &self,
        field: &Field<'_>,
        payloads: &[Bytes; 4],
        limits: &Limits,
    ) -> Result<TileStatistics, FragmentError> {
        let [mins, maxs, sums, null_counts] = payloads;
        let tiles = self.tile_count();
        let bounds = |payload| {
            let bounds = TileBounds::decode(payload, FormatVersion::WRITTEN, &(), limits)?;
            bounds.check(tiles, field.cell_size())?;
            Ok::<_, FragmentError>(bounds)
        };
        // Fields that cannot be summed, or cannot be null, have empty lists.
        let numbers = |payload| {
            let vector = TileVector::decode(payload, FormatVersion::WRITTEN, &(), limits)?;
            if vector.values.is_empty() {
                return Ok::<_, FragmentError>(vector.values);
            }
            self.tile_vector(Some(payload), limits)
        };
        Ok(TileStatistics {
            mins: bounds(mins)?,
            maxs: bounds(maxs)?,
            sums: numbers(sums)?,
            null_counts: numbers(null_counts)?,
            datatype: field.datatype,
            cell_size: field
                .cell_size()
                .and_then(|size| usize::try_from(size).ok()),
            trust: Trust::of(field, self.dense, self.version),
            nulls: Nulls::of(field, self.dense, self.version),
        })
    }

    /// Decodes [`MetadataPart::FragmentStatistics`].
    ///
    /// # Errors
    /// Fails if the bytes break the format.
    pub fn fragment_statistics(
        &self,
        payload: &Bytes,
        limits: &Limits,
    ) -> Result<FragmentStatistics, FragmentError> {
        let fields = self.layout.fields(self.version, self.extra_fields);
        Ok(FragmentStatistics::decode(
            payload,
            self.version,
            &fields,
            limits,
        )?)
    }

    /// Decodes [`MetadataPart::ProcessedConditions`].
    ///
    /// # Errors
    /// Fails if the bytes break the format.
    pub fn processed_conditions(
        &self,
        payload: &Bytes,
        limits: &Limits,
    ) -> Result<ProcessedConditions, FragmentError> {
        Ok(ProcessedConditions::decode(
            payload,
            self.version,
            &(),
            limits,
        )?)
    }

    /// Returns the field of a schema as this fragment stores it: before format 5, the coordinates
    /// for any dimension. `None` if the fragment has no such field.
    #[must_use]
    pub fn field_in<'a>(&self, schema: &'a ArraySchema, field: FieldKind) -> Option<Field<'a>> {
        schema.field_of(self.stored_field(field)?)
    }
}
