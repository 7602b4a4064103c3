//! Encodes arbitrary values through a pipeline of default filters: values that it accepts are
//! decoded unchanged.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_filters::filters::ALL;
use tdb_filters::{
    Description, EncryptionKey, FilterError, FilterList, Pipeline, Registry, Scratch, TileKind,
};
use tdb_tile::{Datatype, FormatVersion, Limits};

fuzz_target!(|data: &[u8]| {
    let [flags, datatype, first, second, third, values @ ..] = data else {
        return;
    };
    let version = FormatVersion::new(if flags & 1 == 0 { 22 } else { 11 });
    let datatype = Datatype::ALL[usize::from(*datatype) % Datatype::ALL.len()];
    let kind = TileKind {
        is_var: flags & 2 != 0,
        ..TileKind::new(version, datatype)
    };
    let chosen = [first, second, third].map(|code| ALL[usize::from(*code) % ALL.len()]);
    let lossless = chosen
        .iter()
        .filter(|entry| !matches!(entry.name, "scale_float" | "webp" | "aes_256_gcm"));
    let records =
        lossless.map(|entry| Description::new(entry.name).record(version, Registry::builtin()));
    let list = FilterList::new(records.map(|record| record.unwrap()).collect());
    let key = EncryptionKey::new(&[1; 32]).unwrap();
    let key = (flags & 4 != 0).then_some(&key);
    let Ok(pipeline) = Pipeline::new(&list, version, kind, key, Registry::builtin()) else {
        return;
    };
    let starts: Vec<u64> = (0..values.len() as u64)
        .step_by(1 + usize::from(flags >> 3))
        .collect();
    let starts = kind.is_var.then_some(&starts[..]);
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    match pipeline.encode_tile(values, starts, &mut stored, &mut scratch, &limits) {
        Ok(()) => {
            let mut found = Vec::new();
            let asked = pipeline.folds_offsets().then_some(&mut found);
            let back = pipeline
                .decode_tile_to_vec(&stored, asked, &mut scratch, &limits)
                .unwrap();
            assert_eq!(back, values);
            assert!(!pipeline.folds_offsets() || Some(&found[..]) == starts);
        }
        Err(FilterError::InvalidPipeline { .. } | FilterError::Values { .. }) => {}
        Err(error) => panic!("{error}"),
    }
});
