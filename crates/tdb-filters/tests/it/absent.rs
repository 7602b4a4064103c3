//! A filter that is not compiled in can be described, and its error names the feature that enables
//! it.
#![cfg(not(feature = "zstd"))]

use tdb_filters::{
    Description, FilterList, Pipeline, Registry, TileKind, describe, open_generic_tile,
    seal_generic_tile,
};
use tdb_tile::{Datatype, FormatVersion, GenericTile, Limits};

const V: FormatVersion = FormatVersion::WRITTEN;

#[test]
fn an_absent_filter_names_its_feature() {
    let zstd = Description::new("zstd")
        .record(V, Registry::builtin())
        .unwrap();
    let described = describe(&zstd, V, Registry::builtin()).unwrap();
    assert_eq!(described.to_string(), "zstd(level=-1)");
    let kind = TileKind::new(V, Datatype::Int32);
    let list = FilterList::new(vec![zstd]);
    let error = Pipeline::new(&list, V, kind, None, Registry::builtin()).unwrap_err();
    insta::assert_snapshot!(error, @r#"zstd (code 2) is not compiled in; enable feature "zstd""#);
}

#[test]
fn metadata_is_sealed_and_opened_with_what_there_is() {
    let sealed = seal_generic_tile(b"payload", V, None).unwrap();
    let tile = GenericTile::parse(&sealed.into(), &Limits::default()).unwrap();
    assert_eq!(
        open_generic_tile(&tile, None, &Limits::default()).unwrap(),
        &b"payload"[..]
    );
}
