//! Plans reads: determines the metadata that a read needs before it can choose tiles (enumerations, and the R-trees
//! and tile indexes of all fragments that may contribute cells), which is fetched at once.

use std::sync::Arc;

use tdb_array::{Delete, PartsToOpen, Snapshot};
use tdb_cells::Session;
use tdb_fragment::{FragmentIndex, MetadataPart};
use tdb_schema::{Enumeration, FieldKind};
use tdb_store::{Piece, Read};
use tdb_tile::{Bug, Exact};

use crate::QueryError;
use crate::dense::{DenseCandidates, DenseRead};
use crate::field::chosen;
use crate::options::ReadOptions;
use crate::request::Request;
use crate::sparse::{SparsePlan, SparseRead};
use crate::tile_statistics::FactsToOpen;

/// Read whose tiles are not located yet.
#[derive(Debug)]
pub(crate) struct Planning {
    options: ReadOptions,
    /// Enumerations whose labels are needed, each once.
    enumerations: Vec<WantedLabels>,
    request: Request,
    candidates: Candidates,
    /// Number of metadata parts that each candidate needs.
    counts: Vec<usize>,
    needs: PartsToOpen,
    /// Statistics by which the condition can rule out tiles.
    facts: FactsToOpen,
}

/// Enumeration whose labels are needed.
#[derive(Debug)]
struct WantedLabels {
    /// Indexes of the attributes that have these labels.
    attributes: Vec<usize>,
    /// Name of the enumeration.
    name: String,
    /// The enumeration, if it was opened before.
    known: Option<Arc<Enumeration>>,
}

/// Bytes that were read for planning, by kind.
struct Answers {
    /// Enumerations that were not opened before.
    enumerations: Vec<Piece>,
    parts: Vec<Piece>,
    facts: Vec<Piece>,
}

/// Purpose of a read.
#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    /// Return the cells that match the condition.
    Cells,
    /// Count all cells, the cells that match, and those that this delete would take; the delete is not part of the
    /// array.
    Tally(Option<Delete>),
    /// Be planned, so that parts of the read can be taken of the plan.
    Parts,
}

#[derive(Debug)]
enum Candidates {
    Dense(DenseCandidates),
    Sparse(Box<SparsePlan>),
}

/// Read whose tiles are located.
#[derive(Debug)]
pub(crate) enum LocatedRead {
    Dense(Box<DenseRead>),
    Sparse(Box<SparseRead>),
}

impl Planning {
    /// Determines the metadata that is needed; reads nothing.
    pub(crate) fn new(
        session: &Session,
        array: &Arc<Snapshot>,
        options: &ReadOptions,
        purpose: &Purpose,
    ) -> Result<Self, QueryError> {
        array.directory().check_commits()?;
        let asked = asked_by_condition(array, options);
        let enumerations = enumerations(array, options, &asked)?;
        let first = if enumerations.is_empty() {
            options.clone()
        } else {
            // The condition can be resolved only when the labels are known.
            ReadOptions {
                condition: None,
                ..options.clone()
            }
        };
        let mut request = Request::new(array, &first, &[], session.limits())?;
        // A tally counts all cells, whether they match or not.
        let is_tally = matches!(purpose, Purpose::Tally(_));
        if !is_tally {
            request.narrow(array, options, session.limits())?;
        }
        let mut places = asked.iter().filter(|_| !is_tally);
        request.by_place = places.any(|field| matches!(field, FieldKind::Dimension(_)));
        let (candidates, parts) = if array.schema().is_dense() {
            let dense = DenseCandidates::new(array, &request, &asked)?;
            let parts = dense.parts(array)?;
            (Candidates::Dense(dense), parts)
        } else {
            let mut sparse = SparsePlan::new(array, request.clone(), asked.clone())?;
            match purpose {
                Purpose::Tally(Some(delete)) => sparse.foresee(array, delete)?,
                Purpose::Parts => sparse.plan_in_parts(),
                Purpose::Tally(None) | Purpose::Cells => {}
            }
            let parts = sparse.parts(array)?;
            (Candidates::Sparse(Box::new(sparse)), parts)
        };
        let each = |(fragment, parts): &(FragmentIndex, Vec<MetadataPart>)| {
            let fragment = *fragment;
            let parts = parts.clone().into_iter();
            parts.map(move |part| (fragment, part))
        };
        let tested = if is_tally { &[] } else { &asked[..] };
        let fragments = parts.iter().map(|(fragment, _)| *fragment);
        Ok(Self {
            facts: FactsToOpen::new(array, tested, fragments)?,
            options: options.clone(),
            enumerations,
            request,
            candidates,
            counts: parts.iter().map(|(_, parts)| parts.len()).collect(),
            needs: array.find_parts(parts.iter().flat_map(each))?,
        })
    }

    /// Returns the byte ranges to read.
    pub(crate) fn reads(&self, array: &Snapshot) -> Result<Vec<Read>, QueryError> {
        let unknown = self.enumerations.iter().filter(|one| one.known.is_none());
        let mut reads = unknown
            .map(|one| array.enumeration_read(&one.name))
            .collect::<Result<Vec<Read>, _>>()?;
        reads.extend_from_slice(self.needs.reads());
        reads.extend_from_slice(self.facts.reads());
        Ok(reads)
    }

    /// Splits the pieces read for [`Planning::reads`] by kind.
    fn answers(&self, mut pieces: Vec<Piece>) -> Result<Answers, QueryError> {
        let unknown = self.enumerations.iter().filter(|one| one.known.is_none());
        let parts_begin = unknown.count();
        let facts_begin = parts_begin.exact_add(self.needs.reads().len())?;
        if pieces.len() != facts_begin.exact_add(self.facts.reads().len())? {
            return Err(Bug::new("planning has more or fewer pieces than reads").into());
        }
        let facts = pieces.split_off(facts_begin);
        let parts = pieces.split_off(parts_begin);
        Ok(Answers {
            enumerations: pieces,
            parts,
            facts,
        })
    }

    /// Returns the needed enumerations, indexed by attribute. `pieces` are those that were not opened before.
    fn labels(
        &self,
        array: &Snapshot,
        pieces: &[Piece],
    ) -> Result<Vec<Option<Arc<Enumeration>>>, QueryError> {
        let mut labels: Vec<Option<Arc<Enumeration>>> = Vec::new();
        labels.resize(array.schema().attributes.len(), None);
        let mut pieces = pieces.iter();
        for wanted in &self.enumerations {
            let enumeration = match &wanted.known {
                Some(known) => Arc::clone(known),
                None => {
                    let missing = || Bug::new("an enumeration that was to be read has no bytes");
                    let piece = pieces.next().ok_or_else(missing)?;
                    array.open_enumeration(&wanted.name, piece)?
                }
            };
            for attribute in &wanted.attributes {
                let unknown = || Bug::new("labels of an attribute that the schema lacks");
                *labels.get_mut(*attribute).ok_or_else(unknown)? = Some(Arc::clone(&enumeration));
            }
        }
        Ok(labels)
    }

    /// Completes the plan with the pieces read for [`Planning::reads`].
    pub(crate) fn finish(
        self,
        session: &Session,
        array: &Arc<Snapshot>,
        pieces: Vec<Piece>,
    ) -> Result<(Request, LocatedRead), QueryError> {
        let Answers {
            enumerations,
            parts,
            facts,
        } = self.answers(pieces)?;
        session.counters().add_planned_read();
        let labels = self.labels(array, &enumerations)?;
        let facts = self.facts.open(array, facts, session.limits())?;
        let request = if self.enumerations.is_empty() {
            self.request
        } else {
            // The candidates were found with these ranges.
            Request {
                by_place: self.request.by_place,
                subarray: self.request.subarray,
                ..Request::new(array, &self.options, &labels, session.limits())?
            }
        };
        let mut opened = array.open_parts(self.needs, parts)?.into_iter();
        let counts = self.counts.into_iter();
        let opened: Vec<Vec<_>> = counts
            .map(|count| opened.by_ref().take(count).collect())
            .collect();
        let planned = match self.candidates {
            Candidates::Dense(dense) => {
                let mut located = dense.locate(array, opened)?;
                if let Some(condition) = &request.condition {
                    let by_place = request.by_place;
                    located.rule_out(condition, by_place, &facts, &session.limits().budget)?;
                }
                let read = DenseRead::new(session.clone(), request.clone(), located)?;
                LocatedRead::Dense(Box::new(read))
            }
            Candidates::Sparse(mut plan) => {
                plan.resolve(request.clone());
                let tiles = plan.search(array, opened, &facts, session.limits())?;
                let (session, array) = (session.clone(), Arc::clone(array));
                let read = SparseRead::new(session, array, *plan, tiles)?;
                LocatedRead::Sparse(Box::new(read))
            }
        };
        Ok((request, planned))
    }
}

/// Returns the fields that the condition and the points name, as far as they exist.
fn asked_by_condition(array: &Snapshot, options: &ReadOptions) -> Vec<FieldKind> {
    let names = options.condition.iter().flat_map(|c| c.fields());
    let points = options.points.iter().flat_map(|points| points.dimensions());
    let names = names.chain(points.map(|dimension| &*dimension.name));
    let known = names.filter_map(|name| array.schema().field(name));
    known.map(|field| field.kind).collect()
}

/// Returns the enumerations whose labels are part of the result or tested by a condition.
fn enumerations(
    array: &Snapshot,
    options: &ReadOptions,
    asked: &[FieldKind],
) -> Result<Vec<WantedLabels>, QueryError> {
    let schema = array.schema();
    let (dimensions, attributes) = (&options.dimensions, &options.attributes);
    let mut fields = if options.enumeration_codes {
        Vec::new()
    } else {
        chosen(schema, dimensions.as_deref(), attributes.as_deref())?
    };
    fields.extend_from_slice(asked);
    let numbered = schema.attributes.iter().enumerate();
    let wanted = numbered.filter(|(index, _)| fields.contains(&FieldKind::Attribute(*index)));
    let mut found: Vec<WantedLabels> = Vec::new();
    for (attribute, stored) in wanted {
        let Some(name) = &stored.enumeration else {
            continue;
        };
        match found.iter_mut().find(|labels| labels.name == *name) {
            Some(labels) => labels.attributes.push(attribute),
            None => found.push(WantedLabels {
                attributes: vec![attribute],
                name: name.clone(),
                known: array.kept_enumeration(name)?,
            }),
        }
    }
    Ok(found)
}
