//! Objects of a folder that are replayed in the order of their timestamps: metadata, and the members of groups.

use crate::directory::{DatedObjects, Lists, METADATA_FOLDER};
use crate::open::{ObjectReader, Tile};
use crate::settling::settle;
use crate::{ArrayError, At, Metadata, MetadataRecord, Names, TimestampedName};

impl ObjectReader {
    /// Returns the combined metadata of an array or a group: from the objects that existed when it was opened or, if
    /// they were consolidated and vacuumed since, from those that replaced them.
    pub(crate) fn metadata(&self, opened: &DatedObjects) -> Result<Metadata, ArrayError> {
        let mut records = Vec::new();
        for (key, tile) in self.replayed(METADATA_FOLDER, opened)? {
            let limits = self.location.limits();
            let decoded = MetadataRecord::decode_all(&tile.payload, tile.version, limits);
            records.append(&mut decoded.at(&key)?);
        }
        Ok(Metadata::replay(records))
    }

    /// Opens the live objects of a folder, and returns them in replay order: a consistent state even if others
    /// consolidate and vacuum them meanwhile.
    pub(crate) fn replayed(
        &self,
        folder: &str,
        listed: &DatedObjects,
    ) -> Result<Vec<(String, Tile)>, ArrayError> {
        let list = || -> Result<DatedObjects, ArrayError> {
            Ok(DatedObjects::from_names(&self.names(&[folder])?, folder))
        };
        let mut first = Some(listed.clone());
        let look = || first.take().map_or_else(list, Ok);
        let attempt = |objects: &DatedObjects| self.replayed_once(folder, objects);
        let (tiles, _) = settle(self.location.prefix(), look, attempt)?;
        Ok(tiles)
    }

    /// Reads the objects of a folder once; `None` if they changed meanwhile.
    fn replayed_once(
        &self,
        folder: &str,
        objects: &DatedObjects,
    ) -> Result<Option<Vec<(String, Tile)>>, ArrayError> {
        let (window, limit) = (self.options.window, self.tile_limit());
        let keys = |live: Vec<(String, TimestampedName)>| live.into_iter().map(|(key, _)| key);
        let settled = |again: &Names| {
            let again = DatedObjects::from_names(again, folder);
            objects.clone().settled(again)
        };
        if objects.lists().next().is_some() {
            let (lists, again) = self.lists_and_names(objects.lists(), &[folder])?;
            let Some(objects) = settled(&again) else {
                return Ok(None);
            };
            let live = objects.live(window, &lists)?;
            return self.tiles(keys(live), &mut Vec::new()).map(Some);
        }
        // Without lists, all objects are live.
        let none = Lists::new();
        let live: Vec<String> = keys(objects.live(window, &none)?).collect();
        let wanted = live.iter().map(|key| (key.clone(), limit));
        let (found, again) = self.read_and_list(wanted, &[folder]);
        let Some(objects) = settled(&again?) else {
            return Ok(None);
        };
        let live_now: Vec<String> = keys(objects.live(window, &none)?).collect();
        if live_now == live {
            return self.open_tiles(found, &mut Vec::new()).map(Some);
        }
        self.tiles(live_now, &mut Vec::new()).map(Some)
    }
}
