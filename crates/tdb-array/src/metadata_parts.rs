//! Parts of the metadata of several fragments, read together.

use tdb_fragment::MetadataPart;
use tdb_rtree::RTree;

use crate::fragment_parts::read_parts;
use crate::{Array, ArrayError, At, Fragment, OpenedPart};

impl Array {
    /// Like [`Array::metadata_parts_of`] for several fragments, in one batch for all of them.
    ///
    /// # Errors
    /// As for [`Array::metadata_parts_of`].
    pub fn metadata_parts_of_each(
        &self,
        wanted: &[(&Fragment, Vec<MetadataPart>)],
    ) -> Result<Vec<Vec<OpenedPart>>, ArrayError> {
        let each = wanted.iter();
        let all = each.flat_map(|(fragment, parts)| parts.iter().map(|part| (*fragment, *part)));
        let mut opened = read_parts(&self.place, all.collect())?.into_iter();
        let counts = wanted.iter().map(|(_, parts)| parts.len());
        let opened = counts.map(|count| opened.by_ref().take(count).collect());
        Ok(opened.collect())
    }

    /// Reads the R-trees of all fragments in one batch, and returns them in the order of the fragments.
    ///
    /// # Errors
    /// Errors of the store; R-trees that break the format.
    pub fn rtrees(&self) -> Result<Vec<RTree>, ArrayError> {
        let fragments = self.fragments();
        let wanted = fragments.iter().map(|f| (f, MetadataPart::RTree));
        let parts = read_parts(&self.place, wanted.collect())?;
        let trees = fragments.iter().zip(parts).map(|(fragment, part)| {
            let tree = fragment.metadata.rtree(&part.payload, self.limits());
            tree.at(&fragment.metadata_key)
        });
        trees.collect()
    }
}
