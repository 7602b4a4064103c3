//! Details that `ls -l` and `tree -l` show for an array or group.

use serde_json::{Map, Value as Json, json};
use tdb::engine::array::{Metadata, ObjectType};
use tdb::engine::store::StoreError;

use super::cells::CellNumbers;
use super::children::{Child, Kind};
use crate::failure::Failure;
use crate::open::Opener;
use crate::paint::{Role, bytes, or_blank};
use crate::value_format;
use tdb::engine::tile::Exact;
use tdb::place::Place;

/// Metadata key under which SOMA stores the type of an array or group.
const SOMA_TYPE: &str = "soma_object_type";

/// Details of an array or group; empty for other children.
#[derive(Debug, Default)]
pub(crate) struct Details {
    /// Total bytes of its stored objects.
    bytes: Option<u64>,
    cells: Option<CellNumbers>,
    soma_type: Option<String>,
    /// Why it cannot be opened.
    problem: Option<String>,
}

impl Details {
    /// Collects the details of a child. `place` is `None` for children outside the listing, of which nothing is
    /// shown. If an object cannot be opened, the reason is recorded, so that the listing goes on.
    pub(crate) fn of(
        child: &Child,
        place: Option<&Place>,
        opener: &Opener,
    ) -> Result<Self, Failure> {
        let (Kind::Object(object_type), Some(place)) = (child.kind, place) else {
            return Ok(Self::default());
        };
        let mut long = Self {
            bytes: Some(size(place)?),
            ..Self::default()
        };
        let ask = match object_type {
            ObjectType::Array => of_array,
            ObjectType::Group => of_group,
            ObjectType::Invalid => return Ok(long),
        };
        let found = opener.among_others(|opener| ask(opener, place));
        match found {
            Ok(details) => {
                let soma_type = details.metadata.get(SOMA_TYPE);
                long.soma_type = soma_type.map(|value| value_format::metadata(value, false));
                long.cells = details.cells;
            }
            Err(failure) => long.problem = Some(failure.text()),
        }
        Ok(long)
    }

    /// Columns of a listing: shape or cell count, size, SOMA type.
    pub(crate) fn columns(&self) -> [(Role, String); 3] {
        let cells = match (&self.cells, &self.problem) {
            (_, Some(_)) => (Role::Warning, "cannot be opened".to_owned()),
            (Some(cells), None) => (Role::Plain, cells.short()),
            (None, None) => (Role::Plain, String::new()),
        };
        let size = or_blank(self.bytes.map(bytes));
        let soma_type = or_blank(self.soma_type.clone());
        [cells, (Role::Plain, size), (Role::Type, soma_type)]
    }

    /// The details as JSON members.
    pub(crate) fn json(&self) -> Map<String, Json> {
        let mut json = Map::new();
        json.insert("bytes".to_owned(), json!(self.bytes));
        json.extend(self.cells.iter().flat_map(CellNumbers::json));
        json.insert(SOMA_TYPE.to_owned(), json!(self.soma_type));
        if let Some(problem) = &self.problem {
            json.insert("problem".to_owned(), json!(problem));
        }
        json
    }

    /// Why the object cannot be opened, as a warning.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

/// The details of an array or group that are shown beside its size.
struct ObjectDetails {
    /// `None` for groups.
    cells: Option<CellNumbers>,
    metadata: Metadata,
}

fn of_array(opener: &Opener, place: &Place) -> Result<ObjectDetails, Failure> {
    let array = opener.array(place)?;
    Ok(ObjectDetails {
        cells: Some(CellNumbers::of(array.engine())?),
        metadata: array.metadata()?,
    })
}

fn of_group(opener: &Opener, place: &Place) -> Result<ObjectDetails, Failure> {
    let group = opener.group(place)?;
    Ok(ObjectDetails {
        cells: None,
        metadata: group.metadata()?,
    })
}

/// Total bytes of the stored objects below a location.
fn size(place: &Place) -> Result<u64, Failure> {
    let failed = |error: StoreError| Failure::in_place(error, place);
    let objects = place
        .store()
        .list_recursive(place.prefix())
        .map_err(failed)?;
    objects.iter().try_fold(0_u64, |sum, object| {
        let size = match object.size {
            Some(size) => size,
            None => place.store().size(&object.key).map_err(failed)?,
        };
        Ok(sum.exact_add(size)?)
    })
}
