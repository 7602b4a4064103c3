//! Decodes arbitrary bytes as a stored pipeline, encodes, describes and prepares it.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_filters::{FilterList, Pipeline, Registry, TileKind, describe};
use tdb_tile::{Datatype, FormatVersion, Limits, Record};

fuzz_target!(|data: &[u8]| {
    let [version, datatype, stored @ ..] = data else {
        return;
    };
    let version = FormatVersion::new(u32::from(version % 24));
    let datatype = Datatype::ALL[usize::from(*datatype) % Datatype::ALL.len()];
    let bytes = Bytes::copy_from_slice(stored);
    let Ok(list) = FilterList::decode(&bytes, version, &(), &Limits::with_budget(64 << 20)) else {
        return;
    };
    assert_eq!(list.encode(version, &()).unwrap(), stored);
    for filter in &list.filters {
        if let Ok(description) = describe(filter, version, Registry::builtin()) {
            let again = description.record(version, Registry::builtin()).unwrap();
            let _ = describe(&again, version, Registry::builtin()).unwrap();
        }
    }
    let kind = TileKind::new(version, datatype);
    let _ = Pipeline::new(&list, version, kind, None, Registry::builtin());
    let _ = Pipeline::new(&list, version, kind.var(), None, Registry::builtin());
});
