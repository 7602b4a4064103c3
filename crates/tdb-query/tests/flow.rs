//! A read, line by line, as docs/architecture.md tells it: each line takes values and gives a value, and only
//! `store.list` and `store.read` wait. What each gives is a snapshot.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, which may fail so"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use insta::{assert_debug_snapshot, assert_snapshot};
use tdb_array::directory::{FragmentEntry, Lists};
use tdb_array::{
    Array, Directory, Fragment, FragmentSteps, Names, OpenOptions, OpenedPart, Schemas, Snapshot,
    TimeWindow,
};
use tdb_cells::{Batch, Session};
use tdb_condition::Condition;
use tdb_filters::open_generic_tile;
use tdb_fragment::{Next, PartPlace};
use tdb_query::flow::{FragmentParts, Planner};
use tdb_query::{ReadOptions, Reader, Request, ResultOrder};
use tdb_schema::{ArraySchema, Enumeration};
use tdb_store::{ByteRange, LocalStore, Piece, Read, Store};
use tdb_tile::{GenericTile, Limits, Range};

/// What is asked for: the hours of one station at which it froze, the latest fragment left out.
fn options() -> ReadOptions {
    ReadOptions {
        attributes: Some(vec!["temperature".into(), "sky".into()]),
        ranges: vec![("station".into(), Range::new(&b"BGN"[..], &b"CPT"[..]))],
        condition: Some(Condition::field("temperature").lt(0.0)),
        order: Some(ResultOrder::RowMajor),
        ..ReadOptions::default()
    }
}

fn window() -> TimeWindow {
    TimeWindow::until(1_712_900_000_000)
}

#[test]
fn a_read_goes_downhill() {
    let store = store();
    let limits = Limits::default();
    let session = Session::default();

    // keys = store.list(each of Directory::PREFIXES)
    let mut names = Names::new();
    for (folder, listing) in Directory::PREFIXES
        .iter()
        .zip(store.list_many(&Directory::PREFIXES))
    {
        names.add(listing.unwrap(), "", folder);
    }
    assert_debug_snapshot!("1_names", names);

    // directory = Directory::from_names(&names, at)
    let directory = Directory::from_names(&names, window()).unwrap();
    assert_eq!(
        (directory.lists().count(), directory.probes().count()),
        (0, 0)
    );
    let live = directory.live(&Lists::new(), &BTreeSet::new(), true, &limits);
    let live = live.unwrap();
    assert_debug_snapshot!("2_live", live);

    // schemas = directory.schemas() → read → ArraySchema::decode
    let reads = directory
        .schemas()
        .iter()
        .map(|entry| Read::whole(entry.key.clone()));
    let tiles = read(&*store, reads.collect());
    let decode =
        |piece: Piece| Arc::new(ArraySchema::decode(&open(&piece.bytes), &limits).unwrap());
    let keys = directory
        .schemas()
        .iter()
        .map(|entry| entry.schema_name().to_owned());
    let schemas: Schemas = keys.zip(tiles.into_iter().map(decode)).collect();
    assert_snapshot!("3_schemas", describe_schemas(&schemas));

    // fragments = directory.footers() → read → Footer::decode
    let steps = FragmentSteps {
        prefix: "",
        schemas: &schemas,
        key: None,
        limits: &limits,
    };
    let entries: Vec<FragmentEntry> = live.fragments.iter().collect::<Result<_, _>>().unwrap();
    let reads = entries.iter().map(|entry| steps.first_read(entry));
    let tails = read(&*store, reads.collect());
    let opened = entries.iter().zip(tails);
    let fragments: Vec<Fragment> = opened
        .map(|(entry, tail)| fragment(&steps, entry, tail))
        .collect();
    assert_snapshot!("4_fragments", describe_fragments(&fragments));

    // plan = plan(&schemas, &fragments, &subarray, &fields)
    let at = OpenOptions {
        window: window(),
        ..OpenOptions::default()
    };
    let array = Snapshot::new("", at, directory, schemas, fragments, Vec::new()).unwrap();
    let enumerations = enumerations(&*store, array.schema());
    let request = Request::new(&array, &options(), &enumerations, &limits).unwrap();
    let planner = Planner::new(&session, &array, request).unwrap();
    let bounds = parts(&*store, &array, &planner.needs());
    let chosen = planner.choose(bounds).unwrap();
    assert_debug_snapshot!("5_tiles", chosen.tiles().collect::<Vec<_>>());
    let indexes = parts(&*store, &array, &chosen.needs().unwrap());
    let plan = chosen.locate(indexes).unwrap();
    assert_snapshot!("6_reads", describe_reads(&plan.reads()));

    // bytes = store.read(plan.reads())
    let bytes = read(&*store, plan.reads());

    // tiles = unfilter(&plan, bytes)
    let tiles = plan.unfilter(bytes).unwrap();
    assert_eq!(tiles.cell_count(), 64);

    // rows = merge(select(tiles, &condition), order)
    let cells = tiles.select();
    assert_debug_snapshot!("7_selected", cells.rows());
    let rows = cells.merge().unwrap();
    assert_debug_snapshot!("8_merged", rows.rows());

    // out = rows.into_columns()
    let out = rows.into_columns().unwrap();
    assert_snapshot!("9_columns", describe_columns(&out));
}

#[test]
fn a_session_takes_the_same_steps() {
    let at = OpenOptions {
        window: window(),
        ..OpenOptions::default()
    };
    let array = Arc::new(Array::open(store(), "", at).unwrap());
    let batches = Reader::open(&Session::default(), &array, &options()).unwrap();
    let batches: Vec<Batch> = batches.map(Result::unwrap).collect();
    let [batch] = &batches[..] else {
        panic!("{} batches", batches.len())
    };
    assert_snapshot!("9_columns", describe_columns(batch));
}

fn store() -> Arc<dyn Store> {
    let array = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/v22_tour/array");
    Arc::new(LocalStore::open(array).unwrap())
}

/// The only wait.
fn read(store: &dyn Store, reads: Vec<Read>) -> Vec<Piece> {
    let answers = store.read(&reads).into_iter();
    answers.map(Result::unwrap).collect()
}

/// The content of a generic tile.
fn open(bytes: &Bytes) -> Bytes {
    let limits = Limits::default();
    let tile = GenericTile::parse(bytes, &limits).unwrap();
    open_generic_tile(&tile, None, &limits).unwrap()
}

fn fragment(steps: &FragmentSteps<'_>, entry: &FragmentEntry, tail: Piece) -> Fragment {
    match steps.open(entry, tail, false).unwrap() {
        Next::Done(fragment) => fragment,
        Next::Need(range) => panic!("{entry:?} needs {range:?}"),
    }
}

/// Reads parts of the metadata of fragments.
fn parts(store: &dyn Store, array: &Snapshot, wanted: &[FragmentParts]) -> Vec<Vec<OpenedPart>> {
    let mut opened = Vec::new();
    for FragmentParts { fragment, parts } in wanted {
        let fragment = array.fragments().get(*fragment).unwrap();
        let parts = parts.iter().map(|part| {
            let payload = match fragment.metadata.part_place(*part).unwrap() {
                PartPlace::Here(payload) => payload,
                PartPlace::Stored(range) => {
                    let key = fragment.metadata_key.clone();
                    let read_it = Read::new(key, ByteRange::From(range.start));
                    open(&read(store, vec![read_it]).remove(0).bytes)
                }
            };
            OpenedPart {
                version: fragment.metadata.version,
                payload,
            }
        });
        opened.push(parts.collect());
    }
    opened
}

fn enumerations(store: &dyn Store, schema: &ArraySchema) -> Vec<Option<Arc<Enumeration>>> {
    let read_one = |name: &String| {
        let entry = schema
            .enumerations
            .iter()
            .find(|entry| entry.name == *name)
            .unwrap();
        let key = format!("__schema/__enumerations/{}", entry.file);
        let tile = read(store, vec![Read::whole(key)]).remove(0);
        Arc::new(Enumeration::decode(&open(&tile.bytes), &Limits::default()).unwrap())
    };
    let names = schema
        .attributes
        .iter()
        .map(|attribute| attribute.enumeration.as_ref());
    names.map(|name| name.map(read_one)).collect()
}

fn describe_schemas(schemas: &Schemas) -> String {
    let describe = |(name, schema): (&String, &Arc<ArraySchema>)| {
        let fields = schema
            .fields()
            .map(|field| format!("  {}: {}\n", field.name, field.datatype));
        format!("{name}\n{}", fields.collect::<String>())
    };
    schemas.iter().map(describe).collect()
}

fn describe_fragments(fragments: &[Fragment]) -> String {
    let describe = |fragment: &Fragment| {
        format!(
            "{}\n  {} cells in {} tiles within {:?}\n",
            fragment.name,
            fragment.metadata.cell_count(),
            fragment.metadata.tile_count(),
            fragment.metadata.non_empty_domain
        )
    };
    fragments.iter().map(describe).collect()
}

fn describe_reads(reads: &[Read]) -> String {
    let describe = |read: &Read| format!("{} {:?}\n", tdb_store::name(&read.key), read.range);
    reads.iter().map(describe).collect()
}

fn describe_columns(batch: &Batch) -> String {
    let mut text = format!("{} rows\n", batch.rows);
    for column in &batch.columns {
        let cells = (0..batch.rows).map(|row| column.cell(row).unwrap());
        text += &format!(
            "{}: {:?}\n",
            column.name,
            cells.map(Bytes::copy_from_slice).collect::<Vec<_>>()
        );
    }
    text
}
