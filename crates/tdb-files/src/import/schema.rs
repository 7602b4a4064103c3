//! Building the schema of a new array from guesses about the columns of its file.

use serde_json::{Value as Json, json};
use tdb_cells::files::ColumnGuess;
use tdb_open::{Error, Interval, Result, Value};
use tdb_schema::CellValNum;
use tdb_schema::names::UnknownName;
use tdb_schema::value::holds_bytes;
use tdb_tile::{Code, Datatype};

use super::field::{attribute, dimension_type, enumerations};
use super::layout::{
    dense_extents, ends_of_type, float, float_extent, holds_tiles, last_of_tiles, spans_all,
    sparse_extent, whole, wide_domain, wider,
};

/// Kind of array to create.
pub(super) enum Kind {
    Sparse,
    /// Dense: cells fill a box of the dimensions.
    Dense,
    /// Dense: the only dimension is the row number.
    Rows,
    /// Dense: cells fill a box with these sides.
    Box(Vec<u64>),
}

/// Requested properties of the new array.
pub(super) struct RequestedArray<'a> {
    pub(super) kind: Kind,
    pub(super) dimensions: &'a [String],
    /// Columns that were the index of a pandas table.
    pub(super) index: &'a [String],
    pub(super) domains: &'a [(String, Interval)],
    pub(super) allows_duplicates: bool,
    pub(super) ticks: bool,
}

/// Requested domain of a dimension; `None` is an open end.
#[derive(Clone, Copy)]
struct RequestedDomain {
    lo: Option<i128>,
    hi: Option<i128>,
}

/// A dimension whose tile extent is not known yet.
struct Axis<'a> {
    name: &'a str,
    datatype: Datatype,
    ends: Ends,
}

#[derive(Clone, Copy)]
enum Ends {
    Text,
    Whole {
        data: (i128, i128),
        /// The requested domain; an open end extends as far as possible.
        domain: Option<RequestedDomain>,
    },
    Float {
        data: (f64, f64),
    },
}

impl RequestedArray<'_> {
    /// Returns the schema as JSON, in the form that `tdb create` takes.
    pub(super) fn schema(&self, columns: &[ColumnGuess]) -> Result<Json> {
        for (number, column) in columns.iter().enumerate() {
            if columns
                .iter()
                .take(number)
                .any(|other| other.name == column.name)
            {
                return Err(Error::invalid(format!(
                    "column {:?} is there twice",
                    column.name
                )));
            }
        }
        let cells = columns.first().map_or(0, |column| column.cells);
        let sides: Vec<u64>;
        let (axes, attributes): (Vec<Axis<'_>>, Vec<&ColumnGuess>) = match &self.kind {
            Kind::Rows | Kind::Box(_) => {
                sides = match &self.kind {
                    Kind::Box(sides) => sides.clone(),
                    _ => vec![cells],
                };
                (self.counted(&sides)?, columns.iter().collect())
            }
            Kind::Sparse | Kind::Dense => {
                let chosen = self.chosen(columns)?;
                let axes = chosen
                    .iter()
                    .map(|column| self.axis(column))
                    .collect::<Result<_, _>>()?;
                let is_attribute =
                    |column: &&ColumnGuess| !chosen.iter().any(|c| c.name == column.name);
                (axes, columns.iter().filter(is_attribute).collect())
            }
        };
        for (name, _) in self.domains {
            if !axes.iter().any(|axis| axis.name == name) {
                let known = axes.iter().map(|axis| axis.name);
                return Err(UnknownName::new("dimension", name, known).into());
            }
        }
        Ok(json!({
            "type": if matches!(self.kind, Kind::Sparse) { "sparse" } else { "dense" },
            "allows_duplicates": matches!(self.kind, Kind::Sparse) && self.allows_duplicates,
            "coords_filters": [{"name": "zstd"}],
            "offsets_filters": [{"name": "double_delta"}, {"name": "zstd"}],
            "dimensions": self.dimensions(&axes, &attributes, cells),
            "enumerations": enumerations(&attributes),
            "attributes": attributes.iter().map(|column| attribute(column, &attributes)).collect::<Vec<_>>(),
        }))
    }

    /// Returns dimensions that count from 0.
    fn counted<'a>(&'a self, sides: &[u64]) -> Result<Vec<Axis<'a>>> {
        const NAMES: [&str; 8] = ["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"];
        if sides.contains(&0) || sides.is_empty() {
            let what = "the file has no cells for a dense array";
            return Err(Error::invalid(what));
        }
        let names: Vec<&str> = match (&self.kind, self.dimensions) {
            (Kind::Rows, _) => vec!["row"],
            (_, []) => NAMES.iter().take(sides.len()).copied().collect(),
            (_, names) => names.iter().map(String::as_str).collect(),
        };
        if names.len() != sides.len() {
            let (axes, names) = (sides.len(), names.len());
            let what = format!("the file has {axes} axes, and {names} have names");
            return Err(Error::invalid(what).with_hint("use --dim to name all of them"));
        }
        let axes = names.into_iter().zip(sides).map(|(name, side)| Axis {
            name,
            datatype: Datatype::UInt64,
            ends: Ends::Whole {
                data: (0, i128::from(*side) - 1),
                domain: None,
            },
        });
        Ok(axes.collect())
    }

    /// Returns the columns that become dimensions: those requested, otherwise those of a pandas index, otherwise the
    /// first suitable one.
    fn chosen<'a>(&self, columns: &'a [ColumnGuess]) -> Result<Vec<&'a ColumnGuess>> {
        if !self.dimensions.is_empty() {
            let named = self.dimensions.iter().map(|name| {
                let known = || columns.iter().map(|column| column.name.as_str());
                let column = columns.iter().find(|column| column.name == *name);
                column.ok_or_else(|| UnknownName::new("column", name, known()).into())
            });
            return named.collect();
        }
        let can_be = |column: &ColumnGuess| {
            dimension_type(column)
                .is_ok_and(|datatype| !datatype.is_real() && has_room(column, datatype))
        };
        let index: Vec<&ColumnGuess> = columns
            .iter()
            .filter(|column| self.index.contains(&column.name))
            .collect();
        if !index.is_empty() && index.iter().all(|column| can_be(column)) {
            return Ok(index);
        }
        let hint = "use --dim to name the columns that are dimensions";
        let none = || {
            Error::invalid("no column can be chosen as a dimension automatically").with_hint(hint)
        };
        let first = columns
            .iter()
            .find(|column| can_be(column))
            .ok_or_else(none)?;
        if first.name.is_empty() {
            let what = "the column that would be the dimension has no name";
            return Err(
                Error::invalid(what).with_hint(format!("{hint}, or --rename =NAME to name it"))
            );
        }
        Ok(vec![first])
    }

    fn axis<'a>(&self, column: &'a ColumnGuess) -> Result<Axis<'a>> {
        let name = &column.name;
        let datatype = dimension_type(column).map_err(|what| {
            Error::invalid(format!("column {name:?} cannot be a dimension: {what}"))
        })?;
        let is_dense = matches!(self.kind, Kind::Dense);
        if is_dense && (datatype.is_real() || holds_bytes(datatype)) {
            let what =
                format!("column {name:?} cannot be a dimension of a dense array: {datatype}");
            return Err(Error::invalid(what));
        }
        let ends = if holds_bytes(datatype) {
            Ends::Text
        } else if datatype.is_real() {
            let ends = |range: &tdb_tile::Range| {
                Some((float(datatype, &range.lo)?, float(datatype, &range.hi)?))
            };
            let data = column.range.as_ref().and_then(ends).unwrap_or((0.0, 1.0));
            Ends::Float {
                data: self.float_domain(name, datatype, data)?,
            }
        } else {
            let ends = |range: &tdb_tile::Range| {
                Some((whole(datatype, &range.lo)?, whole(datatype, &range.hi)?))
            };
            let data = column.range.as_ref().and_then(ends).unwrap_or((0, 0));
            if spans_all(datatype, data) && self.interval(name).is_none() {
                let what = format!(
                    "column {name:?} cannot be a dimension: its values span the full range of {datatype}, which no domain can cover"
                );
                let hint = format!(
                    "use --dim to choose other columns, or --type {name}=string_ascii to make it text"
                );
                return Err(Error::invalid(what).with_hint(hint));
            }
            Ends::Whole {
                data,
                domain: self.whole_domain(name, datatype)?,
            }
        };
        Ok(Axis {
            name,
            datatype,
            ends,
        })
    }

    fn interval(&self, name: &str) -> Option<&Interval> {
        let mut domains = self.domains.iter().rev();
        let asked = domains.find(|(dimension, _)| dimension == name);
        asked.map(|(_, interval)| interval)
    }

    /// Converts an end of a requested domain to its stored form.
    fn end(&self, name: &str, datatype: Datatype, value: &Value) -> Result<Vec<u8>> {
        let what = format!("domain of {name:?}");
        value.stored(datatype, self.ticks, &what)
    }

    fn whole_domain(&self, name: &str, datatype: Datatype) -> Result<Option<RequestedDomain>> {
        let Some(interval) = self.interval(name) else {
            return Ok(None);
        };
        let end = |value: &Option<Value>| match value {
            Some(value) => Ok(whole(datatype, &self.end(name, datatype, value)?)),
            None => Ok::<_, Error>(None),
        };
        let hi = end(&interval.hi)?;
        Ok(Some(RequestedDomain {
            lo: end(&interval.lo)?,
            hi: hi.map(|hi| hi - i128::from(interval.is_half_open)),
        }))
    }

    fn float_domain(&self, name: &str, datatype: Datatype, data: (f64, f64)) -> Result<(f64, f64)> {
        let Some(interval) = self.interval(name) else {
            return Ok(data);
        };
        if interval.is_half_open {
            let what =
                format!("domain of {name:?}: a..b excludes b, which is not supported for floats");
            return Err(Error::invalid(what).with_hint("write a..=b, which includes both ends"));
        }
        let end = |value: &Option<Value>, open: f64| match value {
            Some(value) => {
                let bytes = self.end(name, datatype, value)?;
                Ok::<_, Error>(float(datatype, &bytes).unwrap_or(open))
            }
            None => Ok(open),
        };
        Ok((end(&interval.lo, data.0)?, end(&interval.hi, data.1)?))
    }

    fn dimensions(&self, axes: &[Axis<'_>], attributes: &[&ColumnGuess], cells: u64) -> Vec<Json> {
        let is_sparse = matches!(self.kind, Kind::Sparse);
        let numeric = axes
            .iter()
            .filter(|axis| !matches!(axis.ends, Ends::Text))
            .count();
        let sizes = attributes.iter().map(|column| match column.cell_val_num {
            CellValNum::Fixed(n) => column.datatype.size() as u64 * u64::from(n),
            CellValNum::Var => 16,
        });
        let sides: Vec<u64> = axes
            .iter()
            .map(|axis| match axis.ends {
                Ends::Whole { data, domain } => {
                    let (lo, hi) = asked_domain(axis.datatype, data, domain, None);
                    u64::try_from(hi - lo + 1).unwrap_or(u64::MAX)
                }
                _ => 1,
            })
            .collect();
        let extents = dense_extents(&sides, sizes.max().unwrap_or(1));
        // An extent of the whole side is omitted, since it may not fit the type.
        let extents = (extents.into_iter().zip(sides))
            .map(|(extent, side)| (extent < side).then_some(i128::from(extent)));
        let dimensions = axes.iter().zip(extents).map(|(axis, dense_extent)| {
            let filters = json!([{"name": "byteshuffle"}, {"name": "zstd"}]);
            let mut datatype = axis.datatype;
            let (domain, extent) = match axis.ends {
                Ends::Text => {
                    let json = json!({"name": axis.name, "datatype": datatype.name()});
                    return with(json, &[("filters", json!([{"name": "zstd"}]))]);
                }
                Ends::Float { data } => {
                    let extent = float_extent(axis.datatype, data, cells, numeric)
                        .map_or(Json::Null, number);
                    (json!([number(data.0), number(data.1)]), extent)
                }
                Ends::Whole { data, domain } if is_sparse => {
                    let tiles = sparse_tiles(&mut datatype, data, domain, cells, numeric);
                    let ((lo, hi), extent) = tiles;
                    (
                        json!([whole_number(lo), whole_number(hi)]),
                        whole_number(extent),
                    )
                }
                Ends::Whole { data, domain } => {
                    let (lo, hi) = asked_domain(datatype, data, domain, None);
                    let extent = dense_extent.unwrap_or(hi - lo + 1);
                    if domain.is_none() && !holds_tiles(datatype, (lo, hi), extent) {
                        datatype = wider(datatype).unwrap_or(datatype);
                    }
                    let (_, greatest) = ends_of_type(datatype);
                    let extent = dense_extent.map(|extent| whole_number(extent.min(greatest)));
                    (json!([whole_number(lo), whole_number(hi)]), json!(extent))
                }
            };
            let mut json = json!({"name": axis.name, "datatype": datatype.name()});
            if is_sparse {
                json = with(json, &[("filters", filters)]);
            }
            with(json, &[("domain", domain), ("extent", extent)])
        });
        dimensions.collect()
    }
}

/// Returns the domain of a sparse dimension and its tile extent. If no domain was requested, and the range of the type
/// leaves no room for whole tiles, the datatype is replaced by a wider one. `numeric` is the number of dimensions of
/// numbers.
fn sparse_tiles(
    datatype: &mut Datatype,
    data: (i128, i128),
    asked: Option<RequestedDomain>,
    cells: u64,
    numeric: usize,
) -> ((i128, i128), i128) {
    let tiles = |datatype| {
        let extent = sparse_extent(datatype, data, cells, numeric);
        let (lo, hi) = match asked {
            Some(_) => asked_domain(datatype, data, asked, Some(extent)),
            None => wide_domain(datatype, data, extent),
        };
        let extent = extent.min((hi - lo + 1).max(1));
        ((lo, hi), extent)
    };
    let (domain, extent) = tiles(*datatype);
    if asked.is_some() || holds_tiles(*datatype, domain, extent) {
        return (domain, extent);
    }
    match wider(*datatype) {
        Some(wider) => {
            *datatype = wider;
            tiles(wider)
        }
        // Tiles with an extent of 1 always end where the domain does.
        None => (domain, 1),
    }
}

/// Returns the requested domain. An open end is that of the data, or, with space tiles of `extent`, as far out as
/// whole tiles fit.
fn asked_domain(
    datatype: Datatype,
    data: (i128, i128),
    asked: Option<RequestedDomain>,
    extent: Option<i128>,
) -> (i128, i128) {
    let (least, greatest) = ends_of_type(datatype);
    let (lo, hi) = asked.map_or((None, None), |asked| (asked.lo, asked.hi));
    let lo = lo.unwrap_or(if extent.is_some() { least } else { data.0 });
    let hi = hi.unwrap_or(match extent {
        Some(extent) => last_of_tiles(lo, greatest, extent),
        None => data.1,
    });
    (lo, hi)
}

/// True if some domain contains all values of a column.
fn has_room(column: &ColumnGuess, datatype: Datatype) -> bool {
    let ends = column
        .range
        .as_ref()
        .and_then(|ends| whole(datatype, &ends.lo).zip(whole(datatype, &ends.hi)));
    ends.is_none_or(|ends| !spans_all(datatype, ends))
}

fn with(mut json: Json, members: &[(&str, Json)]) -> Json {
    if let Some(object) = json.as_object_mut() {
        for (name, value) in members {
            object.insert((*name).to_owned(), value.clone());
        }
    }
    json
}

/// Converts an integer of any size to JSON without loss.
fn whole_number(value: i128) -> Json {
    let number: Result<serde_json::Number, _> = value.to_string().parse();
    number.map_or(Json::Null, Json::Number)
}

fn number(value: f64) -> Json {
    let number: Result<serde_json::Number, _> = format!("{value:?}").parse();
    number.map_or(Json::Null, Json::Number)
}
