//! Decodes arbitrary metadata and data through each filter alone, with its default options, so that
//! every codec is reached.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_filters::filters::ALL;
use tdb_filters::{Description, FilterList, OptionValue, Pipeline, Registry, Scratch, TileKind};
use tdb_tile::{Datatype, FormatVersion, Limits};

fuzz_target!(|data: &[u8]| {
    let [filter, datatype, original, metadata, rest @ ..] = data else {
        return;
    };
    let entry = ALL[usize::from(*filter) % ALL.len()];
    let mut filter = Description::new(entry.name);
    if entry.name == "webp" {
        filter = filter
            .with("format", OptionValue::Text("rgba".into()))
            .with("y_extent", OptionValue::Integer(8))
            .with("x_extent", OptionValue::Integer(32));
    }
    let version = FormatVersion::WRITTEN;
    let list = FilterList::new(vec![filter.record(version, Registry::builtin()).unwrap()]);
    let datatype = Datatype::ALL[usize::from(*datatype) % Datatype::ALL.len()];
    let kind = TileKind::new(version, datatype).var();
    let Ok(pipeline) = Pipeline::new(&list, version, kind, None, Registry::builtin()) else {
        return;
    };
    let (metadata, data) = rest.split_at(usize::from(*metadata).min(rest.len()));
    let mut out = vec![0; usize::from(*original) * 8];
    let (mut scratch, limits) = (Scratch::default(), Limits::with_budget(64 << 20));
    let _ = pipeline.decode_chunk(metadata, data, &mut out, None, &mut scratch, &limits);
});
