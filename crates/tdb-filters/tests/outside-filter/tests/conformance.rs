use outside_filter::ENTRY;
use tdb_filters::{Description, FilterList, Pipeline, Registry, Scratch, TileKind, conformance};
use tdb_tile::{Datatype, FormatVersion, Limits};

#[test]
fn a_filter_from_outside_conforms() {
    let report = conformance::check(&ENTRY).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(report.round_trips > 1000 && report.refusals == 0);
}

#[test]
fn a_filter_from_outside_runs_between_others() {
    let (version, registry) = (FormatVersion::WRITTEN, Registry::builtin().with(&ENTRY));
    let names = ["byteshuffle", "turn_around", "rle"];
    let records = names.map(|name| Description::new(name).record(version, &registry).unwrap());
    let list = FilterList::new(records.to_vec());
    let kind = TileKind::new(version, Datatype::Int32);
    assert!(Pipeline::new(&list, version, kind, None, Registry::builtin()).is_err());
    let pipeline = Pipeline::new(&list, version, kind, None, &registry).unwrap();
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let (values, mut stored) = ([7; 400], Vec::new());
    pipeline
        .encode_tile(&values, None, &mut stored, &mut scratch, &limits)
        .unwrap();
    let back = pipeline
        .decode_tile_to_vec(&stored, None, &mut scratch, &limits)
        .unwrap();
    assert_eq!(back, values);
}
