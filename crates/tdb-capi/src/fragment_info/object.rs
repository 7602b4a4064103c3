//! The object that a handle of facts of fragments stands for.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use tdb::engine::array::{Array, Fragment, OpenOptions, TimestampedName};
use tdb::engine::rtree::{Mbr, RTree};
use tdb::engine::schema::Dimension;
use tdb::engine::tile::Range;
use tdb::{ErrorKind, OpenArray, Settings};

use crate::border::context::with_settings;
use crate::border::{Error, LentValues, Result};
use crate::dump;
use crate::schema_object::Source;

/// The name of the schema before there were several.
const LEGACY_SCHEMA: &str = "__array_schema.tdb";

/// Facts of the fragments of an array, loaded or not.
#[derive(Debug)]
pub(crate) struct FragmentInfo {
    uri: String,
    state: Mutex<State>,
    pub(super) lent: LentValues,
}

#[derive(Debug)]
struct State {
    engine: tdb::Context,
    settings: Settings,
    loaded: Option<Arc<LoadedFragments>>,
}

/// The facts as they were when they were loaded.
#[derive(Debug)]
pub(super) struct LoadedFragments {
    pub(super) array: Arc<Array>,
    /// The whole URI of the array.
    uri: String,
    sizes: Vec<u64>,
    /// The whole URIs of fragments that a merge has replaced.
    pub(super) replaced: Vec<String>,
    /// Boxes of tiles by the number of the fragment, read when they are first asked for.
    boxes: Mutex<HashMap<u32, Arc<RTree>>>,
}

/// The part of an array whose box is asked for: a fragment, or a tile of one.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Whole { fid: u32 },
    Tile { fid: u32, mid: u32 },
}

/// A dimension.
#[derive(Clone, Copy)]
pub(super) enum DimensionChoice<'a> {
    Number(u32),
    Name(&'a str),
}

/// Both ends of a range.
pub(super) struct Ends {
    pub(super) low: Vec<u8>,
    pub(super) high: Vec<u8>,
}

pub(super) fn failed(message: impl Into<String>) -> Error {
    Error::short("FragmentInfo", message)
}

impl FragmentInfo {
    pub(super) fn new(uri: &str, engine: tdb::Context, settings: Settings) -> Self {
        Self {
            uri: uri.to_owned(),
            state: Mutex::new(State {
                engine,
                settings,
                loaded: None,
            }),
            lent: LentValues::default(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn settings(&self) -> Settings {
        self.lock().settings.clone()
    }

    pub(super) fn inherit(&self, settings: &Settings) -> Result<()> {
        let mut state = self.lock();
        if state.loaded.is_some() {
            return Err(failed("[set_config] Cannot set config after load"));
        }
        state.settings.inherit(settings);
        state.engine = with_settings(&state.engine, &state.settings)?;
        Ok(())
    }

    pub(super) fn load(&self) -> Result<()> {
        let mut state = self.lock();
        let options = OpenOptions::at(tdb::Time::now().0);
        let opening = tdb::OpenContext::open_with(&state.engine, &self.uri, options);
        let array = opening.map_err(|error| match error.kind() {
            ErrorKind::NotFound => failed(format!(
                "Cannot load fragment info; Array '{}' does not exist",
                self.uri
            )),
            _ => error.into(),
        })?;
        let uri = state.engine.files().absolute(&self.uri)?;
        state.loaded = Some(Arc::new(LoadedFragments::new(&array, uri)?));
        Ok(())
    }

    /// Returns the facts.
    ///
    /// # Errors
    /// Fails if they are not loaded.
    pub(super) fn loaded(&self) -> Result<Arc<LoadedFragments>> {
        let loaded = self.lock().loaded.clone();
        loaded.ok_or_else(|| failed("Fragment info has not been loaded."))
    }
}

impl LoadedFragments {
    fn new(array: &OpenArray, uri: String) -> Result<Self> {
        let engine = array.engine();
        let fragments: Vec<&Fragment> = engine.fragments().iter().collect();
        let asked = engine.stored_sizes(&fragments).into_iter();
        let sizes: std::result::Result<Vec<u64>, _> = asked.collect();
        let replaced = engine.replaced().iter().map(|entry| {
            let entry = entry.map_err(|error| array.failed(error))?;
            Ok(format!("{uri}/{}", entry.key))
        });
        Ok(Self {
            sizes: sizes.map_err(|error| array.failed(error))?,
            replaced: replaced.collect::<Result<Vec<String>>>()?,
            array: Arc::clone(engine),
            boxes: Mutex::default(),
            uri,
        })
    }

    pub(super) fn fragment(&self, fid: u32) -> Result<&Fragment> {
        let fragment = self.array.fragments().get(fid as usize);
        fragment.ok_or_else(|| failed("Cannot get fragment; Invalid fragment index"))
    }

    pub(super) fn size(&self, fid: u32) -> Result<u64> {
        let size = self.sizes.get(fid as usize).copied();
        size.ok_or_else(|| failed("Cannot get fragment size; Invalid fragment index"))
    }

    pub(super) fn total_cells(&self) -> Result<u64> {
        let mut cells = self.array.fragments().iter();
        let sum = cells.try_fold(0_u64, |sum, fragment| {
            sum.checked_add(fragment.metadata.cell_count())
        });
        sum.ok_or_else(|| failed("more cells than can be counted"))
    }

    pub(super) fn unmerged_footers(&self) -> usize {
        let fragments = self.array.fragments().iter();
        fragments
            .filter(|fragment| !fragment.has_merged_footer())
            .count()
    }

    /// Returns the whole URI of a fragment.
    pub(super) fn uri(&self, fid: u32) -> Result<String> {
        let prefix = &self.fragment(fid)?.prefix;
        let rest = prefix.strip_prefix(self.array.prefix());
        let below = rest.unwrap_or(prefix).trim_start_matches('/');
        Ok(format!("{}/{below}", self.uri))
    }

    /// Returns the whole URI of the array.
    pub(super) fn array_uri(&self) -> &str {
        &self.uri
    }

    pub(super) fn replaced_uri(&self, number: u32) -> Result<&str> {
        let uri = self.replaced.get(number as usize);
        uri.map(String::as_str)
            .ok_or_else(|| failed("Cannot get URI of fragment to vacuum; Invalid fragment index"))
    }

    pub(super) fn schema_name(&self, fid: u32) -> Result<&str> {
        let name = &self.fragment(fid)?.metadata.schema_name;
        Ok(name.as_deref().unwrap_or(LEGACY_SCHEMA))
    }

    /// Returns the times in the name of a fragment's schema; 0 if it has none.
    pub(super) fn schema_times(&self, fid: u32) -> Result<(u64, u64)> {
        let name = TimestampedName::parse(self.schema_name(fid)?);
        Ok(name.map_or((0, 0), |name| (name.start(), name.end())))
    }

    /// Returns where enumerations of the schemas come from.
    pub(super) fn enumerations(&self) -> Source {
        Source::Array(Arc::clone(&self.array))
    }

    /// Returns the number of boxes of tiles.
    pub(super) fn boxes(&self, fid: u32) -> Result<u64> {
        let metadata = &self.fragment(fid)?.metadata;
        Ok(if metadata.dense {
            0
        } else {
            metadata.tile_count()
        })
    }

    /// Returns both ends of a dimension in the box of a part; `is_var` says whether text is expected.
    pub(super) fn ends(
        &self,
        part: Part,
        which: DimensionChoice<'_>,
        is_var: bool,
    ) -> Result<Ends> {
        let (fid, what) = match part {
            Part::Whole { fid } => (fid, "non-empty domain"),
            Part::Tile { fid, .. } => (fid, "MBR"),
        };
        let invalid = |why: String| failed(format!("Cannot get {what}; {why}"));
        let fragment = self.fragment(fid)?;
        let dimensions = &fragment.schema.dimensions;
        let number = match which {
            DimensionChoice::Number(number) => Some(number as usize),
            DimensionChoice::Name(name) => dimensions.iter().position(|found| found.name == name),
        };
        let (number, dimension) = number
            .and_then(|number| Some((number, dimensions.get(number)?)))
            .ok_or_else(|| {
                invalid(match which {
                    DimensionChoice::Number(_) => "Invalid dimension index".to_owned(),
                    DimensionChoice::Name(name) => format!("Invalid dimension name '{name}'"),
                })
            })?;
        check_kind(dimension, is_var).map_err(|why| invalid(why.to_owned()))?;
        let range = match part {
            Part::Whole { .. } => fragment.metadata.non_empty_domain.get(number).cloned(),
            Part::Tile { mid, .. } => {
                let Mbr(ranges) = self.tile_box(fid, mid)?;
                ranges.into_iter().nth(number)
            }
        };
        let Range { lo, hi } = range.ok_or_else(|| invalid("it is empty".to_owned()))?;
        Ok(Ends {
            low: lo.to_vec(),
            high: hi.to_vec(),
        })
    }

    fn tile_box(&self, fid: u32, mid: u32) -> Result<Mbr> {
        let fragment = self.fragment(fid)?;
        if fragment.metadata.dense {
            return Err(failed("Cannot get MBR; Fragment is not sparse"));
        }
        let tree = self.tree(fid, fragment)?;
        let found = tree.mbr(mid as usize);
        found.ok_or_else(|| failed("Cannot get MBR; Invalid MBR index"))
    }

    fn tree(&self, fid: u32, fragment: &Fragment) -> Result<Arc<RTree>> {
        let mut boxes = self.boxes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = boxes.get(&fid) {
            return Ok(Arc::clone(tree));
        }
        let tree = self.array.rtree_of(fragment);
        let tree = Arc::new(tree.map_err(|error| failed(error.to_string()))?);
        boxes.insert(fid, Arc::clone(&tree));
        Ok(tree)
    }

    /// Returns the facts as text, in TileDB's layout.
    pub(super) fn describe(&self) -> Result<String> {
        let mut out = String::new();
        // Writing to a string does not fail.
        let fragments = self.array.fragments();
        let _ = writeln!(out, "- Fragment num: {}", fragments.len());
        let unmerged = self.unmerged_footers();
        let _ = writeln!(out, "- Unconsolidated metadata num: {unmerged}");
        let _ = writeln!(out, "- To vacuum num: {}", self.replaced.len());
        if !self.replaced.is_empty() {
            out.push_str("- To vacuum URIs:\n");
        }
        for uri in &self.replaced {
            let _ = writeln!(out, "  > {uri}");
        }
        for (fid, fragment) in (0_u32..).zip(fragments) {
            let _ = writeln!(out, "- Fragment #{}:", u64::from(fid) + 1);
            self.describe_fragment(fid, fragment, &mut out)?;
        }
        Ok(out)
    }

    fn describe_fragment(&self, fid: u32, fragment: &Fragment, out: &mut String) -> Result<()> {
        let metadata = &fragment.metadata;
        let kind = if metadata.dense { "dense" } else { "sparse" };
        let merged = if fragment.has_merged_footer() {
            "yes"
        } else {
            "no"
        };
        let dimensions = fragment.schema.dimensions.iter();
        let ranges = dimensions.zip(&metadata.non_empty_domain);
        let domain =
            dump::ranges(ranges.map(|(dimension, range)| (dimension.datatype, Some(range))));
        let (first, last) = fragment.timestamps();
        let facts = [
            ("URI", self.uri(fid)?),
            ("Schema name", self.schema_name(fid)?.to_owned()),
            ("Type", kind.to_owned()),
            ("Non-empty domain", domain),
            ("Size", self.size(fid)?.to_string()),
            ("Cell num", metadata.cell_count().to_string()),
            ("Timestamp range", format!("[{first}, {last}]")),
            ("Format version", metadata.version.number().to_string()),
            ("Has consolidated metadata", merged.to_owned()),
        ];
        for (name, value) in facts {
            let _ = writeln!(out, "  > {name}: {value}");
        }
        Ok(())
    }
}

fn check_kind(dimension: &Dimension, is_var: bool) -> std::result::Result<(), &'static str> {
    match (dimension.cell_val_num.is_var(), is_var) {
        (true, false) => Err("Dimension is variable-sized"),
        (false, true) => Err("Dimension is fixed-sized"),
        _ => Ok(()),
    }
}
