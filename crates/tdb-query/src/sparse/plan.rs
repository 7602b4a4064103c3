//! The plan of a sparse read: the tiles it needs of each fragment, and the steps it can skip.

use std::collections::BTreeMap;
use std::sync::Arc;

use tdb_array::{OpenedPart, Snapshot};
use tdb_cells::FragmentTiles;
use tdb_fragment::{FragmentIndex, MetadataPart};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, Limits};

use super::fragment_plan::{FragmentPlan, searches};
use super::plan_index::PlanIndex;
use super::planned_tiles::PlannedTiles;
use super::visibility::Visibility;
use crate::cell_sizes::CellSizes;
use crate::options::{ResultOrder, Versions};
use crate::request::Request;
use crate::tile_statistics::Facts;
use crate::{ChosenTiles, QueryError, fragment_tiles};
use tdb_array::fragments_apart;

/// Plan of a sparse read, decided before a tile is read.
#[derive(Debug)]
pub(crate) struct SparsePlan {
    pub(crate) request: Request,
    /// Fields that the request will also test, once enumerations are known.
    pub(super) asked: Vec<FieldKind>,
    /// Schema of the array; after its attributes come those of older schemas that deletes test.
    pub(crate) schema: Arc<ArraySchema>,
    pub(crate) fragments: Vec<FragmentPlan>,
    /// Number of tiles of each fragment that the condition rules out.
    pub(super) ruled_out: BTreeMap<FragmentIndex, u64>,
    /// Whether cells must be sorted.
    pub(crate) sorts: bool,
    /// Whether some tiles may have cells outside the subarray.
    pub(crate) cuts: bool,
    /// Whether only the newest of cells with equal coordinates is returned.
    pub(crate) deduplicates: bool,
    /// Whether a cell is returned once for every interval that it lies in.
    pub(crate) repeats: bool,
    pub(crate) visibility: Arc<Visibility>,
    /// Whether parts of the read are to be planned, which may need the coordinates of tiles.
    pub(super) in_parts: bool,
    /// Whether the cells of each fragment are stored in the order of the merge.
    pub(super) in_order: bool,
    /// Whether some cells have timestamps of their own.
    pub(super) has_timestamps: bool,
    /// Whether some of these timestamps may lie outside the time window.
    pub(super) filters_time: bool,
}

/// Fields of tiles that are loaded first.
#[derive(Debug)]
pub(super) struct FirstFields {
    pub(super) fields: Vec<FieldKind>,
    /// Whether they decide which cells are part of the result; otherwise they are all fields.
    pub(super) decide: bool,
}

impl SparsePlan {
    /// Finds the fragments that may have cells of the result, before their tiles are known. `asked` are the fields
    /// that the condition tests, given separately because the condition may not be resolved yet.
    ///
    /// # Errors
    /// Deletes that cannot be decoded.
    pub(crate) fn new(
        array: &Snapshot,
        request: Request,
        asked: Vec<FieldKind>,
    ) -> Result<Self, QueryError> {
        let numbered = array.numbered_fragments();
        let candidates = numbered.filter_map(|(index, fragment)| {
            let is_candidate = request.subarray.is_all() || searches(fragment, &request);
            is_candidate.then(|| FragmentPlan::candidate(array, index, fragment, &request))
        });
        let fragments: Vec<FragmentPlan> = candidates.collect();
        let mut schema = Arc::clone(array.schema());
        let visibility = Visibility::new(array, &fragments, &mut schema, request.versions)?;
        let searched = fragments.iter().map(|plan| plan.searches(array, &request));
        let cuts = searched
            .collect::<Result<Vec<bool>, Bug>>()?
            .contains(&true);
        let mut plan = Self {
            request,
            asked,
            schema,
            fragments,
            ruled_out: BTreeMap::new(),
            cuts,
            sorts: false,
            deduplicates: false,
            repeats: false,
            visibility: Arc::new(visibility),
            in_parts: false,
            in_order: false,
            has_timestamps: false,
            filters_time: false,
        };
        plan.choose_steps();
        Ok(plan)
    }

    /// Decides which steps the read needs, by the fragments that it reads.
    fn choose_steps(&mut self) {
        let (order, versions) = (self.request.order, self.request.versions);
        let fragments = &self.fragments;
        self.in_order = fragments.iter().all(|f| f.in_order);
        self.has_timestamps = fragments.iter().any(|f| f.has_timestamps);
        self.filters_time = fragments.iter().any(|f| f.filters_time);
        let alone = fragments.len() == 1;
        let is_unique = !self.has_timestamps;
        let natural = alone && self.in_order;
        let ordered = order != ResultOrder::Unordered && !natural && !self.fragments.is_empty();
        // If cells have timestamps of their own, they are not always stored newest first.
        let by_age = match versions {
            Versions::Current => false,
            Versions::All => !(natural && is_unique),
            Versions::Undeleted => true,
        };
        self.deduplicates =
            versions == Versions::Current && !(self.schema.allows_duplicates || alone && is_unique);
        self.sorts = ordered || self.deduplicates || by_age;
        self.repeats = matches!(order, ResultOrder::RowMajor | ResultOrder::ColumnMajor);
    }

    /// Returns the metadata parts of each planned fragment that planning needs, R-tree first.
    pub(crate) fn parts(
        &self,
        array: &Snapshot,
    ) -> Result<Vec<(FragmentIndex, Vec<MetadataPart>)>, QueryError> {
        let fields = self.located_fields();
        let parts = self.fragments.iter().map(|plan| {
            let mut parts = plan.search_parts(array, &self.request, self.in_parts)?;
            let stored = array.fragment(plan.fragment)?.stored();
            parts.extend(FragmentTiles::parts(&self.schema, stored, &fields));
            Ok((plan.fragment, parts))
        });
        parts.collect()
    }

    /// Finds the tiles of the planned fragments, with the opened [`SparsePlan::parts`], and removes those that the
    /// condition rules out. Fragments without tiles are removed from the plan. Returns the locations of the tiles of
    /// the others.
    ///
    /// # Errors
    /// Metadata that breaks the format, and more tiles than memory allows.
    pub(crate) fn search(
        &mut self,
        array: &Snapshot,
        opened: Vec<Vec<OpenedPart>>,
        facts: &Facts,
        limits: &Limits,
    ) -> Result<PlannedTiles, QueryError> {
        let fields = self.located_fields();
        let may_rule_out = self.may_rule_out(array, facts)?;
        let mut located = PlannedTiles::default();
        let mut found = Vec::new();
        let fragments = std::mem::take(&mut self.fragments).into_iter();
        for ((mut plan, mut opened), may_rule_out) in fragments.zip(opened).zip(may_rule_out) {
            let count = plan
                .search_parts(array, &self.request, self.in_parts)?
                .len();
            let rest = opened.split_off(count.min(opened.len()));
            plan.search(array, &self.request, opened, &limits.budget, self.in_parts)?;
            if let (Some(condition), true) = (&self.request.condition, may_rule_out) {
                plan.rule_out(condition, facts)?;
            }
            if plan.ruled_out > 0 {
                self.ruled_out.insert(plan.fragment, plan.ruled_out);
            }
            if plan.tiles.is_empty() {
                continue;
            }
            let (index, schema) = (plan.fragment, &self.schema);
            located.fragments.push(index);
            let tiles = fragment_tiles::locate(array, schema, index, &fields, rest)?;
            located.tiles.push(Arc::new(tiles));
            found.push(plan);
        }
        located.fragments.shrink_to_fit();
        located.tiles.shrink_to_fit();
        self.plan_only(found);
        Ok(located)
    }

    /// Returns, for each fragment, whether tiles in which no cell matches the condition can be skipped. They cannot
    /// if such a cell may be the newest of its coordinates, and hide others.
    fn may_rule_out(&self, array: &Snapshot, facts: &Facts) -> Result<Vec<bool>, Bug> {
        let fragments = &self.fragments;
        if facts.is_empty() || self.request.condition.is_none() {
            return Ok(vec![false; fragments.len()]);
        }
        if !self.deduplicates {
            return Ok(vec![true; fragments.len()]);
        }
        let indexes: Vec<FragmentIndex> = fragments.iter().map(|plan| plan.fragment).collect();
        let apart = fragments_apart(array, &indexes)?.into_iter().zip(fragments);
        Ok(apart
            .map(|(is_apart, plan)| is_apart && !plan.has_timestamps)
            .collect())
    }

    /// Restricts the plan to these fragments.
    pub(super) fn plan_only(&mut self, fragments: Vec<FragmentPlan>) {
        self.fragments = fragments;
        let mut tiles = self.fragments.iter().flat_map(|f| &f.tiles);
        self.cuts = tiles.any(|tile| !tile.full);
        self.choose_steps();
    }

    /// Replaces the request by one whose condition is resolved.
    pub(crate) fn resolve(&mut self, request: Request) {
        self.request = request;
        self.asked.clear();
    }

    /// Returns the tiles that are read, with their bytes.
    pub(super) fn chosen_tiles(&self, tiles: &PlannedTiles) -> Result<Vec<ChosenTiles>, Bug> {
        let fields = self.fields();
        let mut chosen = self.ruled_out.clone();
        for plan in &self.fragments {
            chosen.entry(plan.fragment).or_insert(0);
        }
        let chosen = chosen.into_iter().map(|(fragment, ruled_out)| {
            let mut chosen = ChosenTiles::new(fragment);
            chosen.ruled_out = ruled_out;
            let place = self
                .fragments
                .binary_search_by_key(&fragment, |plan| plan.fragment);
            if let Ok(place) = place.map(PlanIndex::new) {
                let tiles = tiles.at(place)?;
                for planned in &self.fragment(place)?.tiles {
                    chosen.add(tiles, &fields, planned.tile);
                }
            }
            Ok(chosen)
        });
        chosen.collect()
    }

    /// Returns the position of a fragment in the plan.
    pub(crate) fn position(&self, fragment: FragmentIndex) -> Result<PlanIndex, Bug> {
        // Fragments are planned in the array's order.
        let fragments = &self.fragments;
        let found = fragments.binary_search_by_key(&fragment, |plan| plan.fragment);
        let unknown = Bug::new("cells of a fragment that was not planned");
        found.map(PlanIndex::new).map_err(|_| unknown)
    }

    /// Iterates over the planned fragments, each with its position in the plan.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (PlanIndex, &FragmentPlan)> {
        let numbered = self.fragments.iter().enumerate();
        numbered.map(|(at, fragment)| (PlanIndex::new(at), fragment))
    }

    /// Returns the fragment at a position in the plan.
    pub(crate) fn fragment(&self, at: PlanIndex) -> Result<&FragmentPlan, Bug> {
        let fragment = self.fragments.get(at.get());
        fragment.ok_or_else(|| Bug::new("a place in the plan of another read"))
    }

    /// True if reading can stop between tiles: the cells of each fragment come in the order of the result.
    pub(crate) fn can_stop(&self) -> bool {
        !self.sorts || (self.request.merge_order() == ResultOrder::Global && self.in_order)
    }

    /// Returns the fields that decide which cells there are, before any value is tested.
    pub(crate) fn deciding_fields(&self) -> Vec<FieldKind> {
        let mut fields = Vec::new();
        if self.sorts || self.repeats || self.cuts {
            fields.extend((0..self.schema.dimensions.len()).map(FieldKind::Dimension));
        }
        let deletes = self.visibility.has_deletes();
        let by_age = self.request.versions != Versions::Current;
        if self.filters_time || self.has_timestamps && (self.deduplicates || by_age || deletes) {
            fields.push(FieldKind::Timestamps);
        }
        fields
    }

    /// Returns the coordinates if they are needed only to drop cells of tiles that lie partly in the subarray;
    /// otherwise no fields.
    pub(crate) fn cutting_fields(&self) -> Vec<FieldKind> {
        if !self.cuts || self.sorts || self.repeats || self.tells_places() {
            return Vec::new();
        }
        let dimensions = 0..self.schema.dimensions.len();
        dimensions.map(FieldKind::Dimension).collect()
    }

    /// True if the result has coordinates, or if a condition or a delete tests them.
    fn tells_places(&self) -> bool {
        let mut fields = self
            .request
            .fields
            .iter()
            .map(|info| info.field)
            .chain(self.condition_fields())
            .chain(self.visibility.fields())
            .chain(self.asked.iter().copied());
        fields.any(|field| matches!(field, FieldKind::Dimension(_)))
    }

    /// Returns the fields that are loaded first. `is_cut` is true if some of the tiles lie partly in the subarray. The
    /// [cutting fields](SparsePlan::cutting_fields) are not included.
    pub(super) fn to_load(&self, is_cut: bool) -> FirstFields {
        let decide = is_cut || self.request.condition.is_some() || self.visibility.has_deletes();
        let fields = if decide {
            self.first_fields()
        } else {
            self.fields()
        };
        FirstFields {
            fields: self.uncut(fields),
            decide,
        }
    }

    /// Returns `fields` without those that are loaded only for tiles that lie partly in the subarray.
    pub(crate) fn uncut(&self, mut fields: Vec<FieldKind>) -> Vec<FieldKind> {
        let cutting = self.cutting_fields();
        fields.retain(|field| !cutting.contains(field));
        fields
    }

    /// Returns the fields whose tiles are located.
    fn located_fields(&self) -> Vec<FieldKind> {
        let mut fields = self.fields();
        if self.in_parts {
            fields.extend((0..self.schema.dimensions.len()).map(FieldKind::Dimension));
        }
        unique(fields)
    }

    /// Returns all fields that a table will have in the course of a batch, each once.
    pub(crate) fn fields(&self) -> Vec<FieldKind> {
        let mut fields = self.first_fields();
        fields.extend(self.asked.iter().copied());
        fields.extend(self.request.fields.iter().map(|info| info.field));
        unique(fields)
    }

    /// Returns the fields that decide which cells there are: coordinates and times, those that deletes test, and
    /// those that the condition tests.
    pub(crate) fn first_fields(&self) -> Vec<FieldKind> {
        let mut fields = self.deciding_fields();
        fields.extend(self.visibility.fields());
        fields.extend(self.condition_fields());
        unique(fields)
    }

    /// Returns the memory sizes of cells with all fields.
    pub(crate) fn sizes(&self) -> CellSizes {
        CellSizes::new(&self.schema, &self.fields())
    }

    /// True if the result has the times of deletion.
    pub(crate) fn tells_deletions(&self) -> bool {
        let mut fields = self.request.fields.iter();
        fields.any(|info| info.field == FieldKind::DeleteTimestamps)
    }

    /// Returns the fields that the condition tests.
    pub(crate) fn condition_fields(&self) -> impl Iterator<Item = FieldKind> + '_ {
        let condition = self.request.condition.iter();
        condition.flat_map(|condition| condition.fields())
    }
}

/// Removes repeated fields; keeps the order.
fn unique(mut fields: Vec<FieldKind>) -> Vec<FieldKind> {
    let mut seen = std::collections::HashSet::new();
    fields.retain(|&field| seen.insert(field));
    fields
}
