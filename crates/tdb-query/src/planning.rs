//! Planning: determines the metadata that a read needs before it can choose tiles (enumerations, and the R-trees and
//! tile indexes of all fragments that may contribute cells), which is fetched at once.

use std::sync::Arc;

use tdb_array::{Delete, PartsToOpen, Snapshot};
use tdb_cells::Session;
use tdb_fragment::{FragmentIndex, MetadataPart};
use tdb_schema::{Enumeration, FieldKind};
use tdb_store::{Piece, Read};

use crate::QueryError;
use crate::dense::{DenseCandidates, DenseRead};
use crate::facts::FactsToOpen;
use crate::field::chosen;
use crate::options::ReadOptions;
use crate::request::Request;
use crate::sparse::{SparsePlan, SparseRead};

/// A read whose tiles are not known yet.
#[derive(Debug)]
pub(crate) struct Planning {
    options: ReadOptions,
    /// The attributes whose labels are needed, each with its enumeration.
    enumerations: Vec<(usize, String)>,
    request: Request,
    candidates: Candidates,
    /// How many parts of metadata each candidate needs.
    counts: Vec<usize>,
    needs: PartsToOpen,
    /// What the condition can rule tiles out by.
    facts: FactsToOpen,
}

/// What a read is for.
#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    /// The cells that fit its condition.
    Cells,
    /// How many cells there are, how many of them fit, and how many this delete would take, which the array does not have.
    Tally(Option<Delete>),
}

#[derive(Debug)]
enum Candidates {
    Dense(DenseCandidates),
    Sparse(Box<SparsePlan>),
}

/// A read whose tiles are known.
#[derive(Debug)]
pub(crate) enum Planned {
    Dense(Box<DenseRead>),
    Sparse(Box<SparseRead>),
}

impl Planning {
    /// Determines what is needed; nothing is read.
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
            // The condition can be understood once labels are known.
            ReadOptions {
                condition: None,
                ..options.clone()
            }
        };
        let mut request = Request::new(array, &first, &[], session.limits())?;
        // A tally is of all cells, whether they fit or not.
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
            if let Purpose::Tally(Some(delete)) = purpose {
                sparse.foresee(array, delete)?;
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

    /// What is to be read.
    pub(crate) fn reads(&self, array: &Snapshot) -> Result<Vec<Read>, QueryError> {
        let names = self.enumerations.iter();
        let mut reads = names
            .map(|(_, name)| array.enumeration_read(name))
            .collect::<Result<Vec<Read>, _>>()?;
        reads.extend_from_slice(self.needs.reads());
        reads.extend_from_slice(self.facts.reads());
        Ok(reads)
    }

    /// The read, with what [`Planning::reads`] gave.
    pub(crate) fn finish(
        self,
        session: &Session,
        array: &Arc<Snapshot>,
        mut pieces: Vec<Piece>,
    ) -> Result<(Request, Planned), QueryError> {
        let facts = self.facts.reads().len();
        let facts = pieces.split_off(pieces.len().saturating_sub(facts));
        let facts = self.facts.open(array, facts, session.limits())?;
        let parts = pieces.split_off(self.enumerations.len().min(pieces.len()));
        let request = if self.enumerations.is_empty() {
            self.request
        } else {
            let mut known: Vec<Option<Arc<Enumeration>>> = Vec::new();
            known.resize(array.schema().attributes.len(), None);
            for ((attribute, name), piece) in self.enumerations.iter().zip(&pieces) {
                let enumeration = array.open_enumeration(name, piece)?;
                if let Some(place) = known.get_mut(*attribute) {
                    *place = Some(enumeration);
                }
            }
            // What was looked for was the same place.
            Request {
                by_place: self.request.by_place,
                subarray: self.request.subarray,
                ..Request::new(array, &self.options, &known, session.limits())?
            }
        };
        let mut opened = array.open_parts(self.needs, parts)?.into_iter();
        let counts = self.counts.into_iter();
        let opened = counts.map(|count| opened.by_ref().take(count).collect());
        let opened: Vec<Vec<_>> = opened.collect();
        let planned = match self.candidates {
            Candidates::Dense(dense) => {
                let mut located = dense.locate(array, opened)?;
                if let Some(condition) = &request.condition {
                    let by_place = request.by_place;
                    located.rule_out((condition, by_place), &facts, &session.limits().budget)?;
                }
                let read = DenseRead::new(session.clone(), request.clone(), located)?;
                Planned::Dense(Box::new(read))
            }
            Candidates::Sparse(mut plan) => {
                plan.resolve(request.clone());
                let tiles = plan.search(array, opened, &facts, session.limits())?;
                let (session, array) = (session.clone(), Arc::clone(array));
                let read = SparseRead::new(session, array, *plan, tiles)?;
                Planned::Sparse(Box::new(read))
            }
        };
        Ok((request, planned))
    }
}

/// The fields that a condition names, and points do, as far as there are any.
fn asked_by_condition(array: &Snapshot, options: &ReadOptions) -> Vec<FieldKind> {
    let names = options.condition.iter().flat_map(|c| c.fields());
    let points = options.points.iter().flat_map(|points| points.dimensions());
    let names = names.chain(points.map(|dimension| &*dimension.name));
    let known = names.filter_map(|name| array.schema().field(name));
    known.map(|field| field.kind).collect()
}

/// The attributes whose labels are part of the result, or asked for by a condition.
fn enumerations(
    array: &Snapshot,
    options: &ReadOptions,
    asked: &[FieldKind],
) -> Result<Vec<(usize, String)>, QueryError> {
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
    let named = wanted.filter_map(|(index, attribute)| {
        let name = attribute.enumeration.clone()?;
        Some((index, name))
    });
    Ok(named.collect())
}
