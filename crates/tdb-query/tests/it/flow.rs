//! Follows a read line by line as docs/architecture.md describes it: each line takes values and returns a value, and
//! only `store.list` and `store.read` wait. The values are compared with snapshots.
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
    Array, Directory, Fragment, FragmentSteps, Names, OpenOptions, Schemas, Snapshot, TimeWindow,
};
use tdb_cells::{Batch, FetchedBytes, Session};
use tdb_condition::Condition;
use tdb_filters::open_generic_tile;
use tdb_query::{Next, Read, ReadOptions, Reader, ResultOrder};
use tdb_schema::ArraySchema;
use tdb_store::{LocalStore, Piece, Read as Wish, Store};
use tdb_tile::{GenericTile, Limits, Range};

/// The request: the hours at which one station froze, without the latest fragment.
fn options() -> ReadOptions {
    ReadOptions::default()
        .attributes(Some(vec!["temperature".into(), "sky".into()]))
        .ranges(vec![(
            "station".into(),
            Range::new(&b"BGN"[..], &b"CPT"[..]),
        )])
        .condition(Some(Condition::field("temperature").lt(0.0)))
        .order(Some(ResultOrder::RowMajor))
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
        .map(|entry| Wish::whole(entry.key.clone()));
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

    // request = names, ranges and condition, resolved; read = a value that says what comes next
    let array = Snapshot::new("", window(), directory, schemas, fragments, Vec::new()).unwrap();
    let array = Arc::new(array);
    let mut rows = Read::new(&session, &array, &options()).unwrap();

    // Need(reads): metadata that planning lacks
    let Next::Need(needs) = rows.next().unwrap() else {
        panic!("nothing is needed")
    };
    assert_snapshot!("5_needs", describe_reads(&needs));
    rows.answer(read(&*store, needs)).unwrap();

    // Work(piece): what decides which cells there are
    let deciding = work(&mut rows);
    let reads = deciding.reads().unwrap();
    assert_snapshot!("6_deciding", describe_reads(&reads));

    // bytes = store.read(piece.reads()); cells = piece.decode(bytes)
    let bytes = FetchedBytes::new(&reads, read(&*store, reads.clone()));
    let cells = deciding.decode(&session, &bytes).unwrap();
    rows.take(cells).unwrap();

    // Work(piece): the other columns, of tiles that have cells left
    let rest = work(&mut rows);
    let reads = rest.reads().unwrap();
    assert_snapshot!("7_rest", describe_reads(&reads));
    let bytes = FetchedBytes::new(&reads, read(&*store, reads.clone()));
    let cells = rest.decode(&session, &bytes).unwrap();
    rows.take(cells).unwrap();

    // batch = select, merge, condition, columns
    let Next::Batch(out) = rows.next().unwrap() else {
        panic!("no batch")
    };
    assert_snapshot!("8_columns", describe_columns(&out));
    assert!(matches!(rows.next().unwrap(), Next::Done));
}

fn work(read: &mut Read) -> tdb_query::Piece {
    match read.next().unwrap() {
        Next::Work(piece) => piece,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_session_takes_the_same_steps() {
    let at = OpenOptions::default().window(window());
    let array = Arc::new(Array::open(store(), "", at).unwrap());
    let batches = Reader::open(&Session::default(), &array, &options()).unwrap();
    let batches: Vec<Batch> = batches.map(Result::unwrap).collect();
    let [batch] = &batches[..] else {
        panic!("{} batches", batches.len())
    };
    assert_snapshot!("8_columns", describe_columns(batch));
}

fn store() -> Arc<dyn Store> {
    let array = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/v22_tour/array");
    Arc::new(LocalStore::open(array).unwrap())
}

/// The only function that waits.
fn read(store: &dyn Store, reads: Vec<Wish>) -> Vec<Piece> {
    let answers = store.read(&reads).into_iter();
    answers.map(Result::unwrap).collect()
}

/// Returns the content of a generic tile.
fn open(bytes: &Bytes) -> Bytes {
    let limits = Limits::default();
    let tile = GenericTile::parse(bytes, &limits).unwrap();
    open_generic_tile(&tile, None, &limits).unwrap()
}

fn fragment(steps: &FragmentSteps<'_>, entry: &FragmentEntry, tail: Piece) -> Fragment {
    match steps.open(entry, tail, false).unwrap() {
        tdb_fragment::Next::Done(fragment) => fragment,
        tdb_fragment::Next::Need(range) => panic!("{entry:?} needs {range:?}"),
    }
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

fn describe_reads(reads: &[Wish]) -> String {
    let describe = |read: &Wish| format!("{} {:?}\n", tdb_store::name(&read.key), read.range);
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
