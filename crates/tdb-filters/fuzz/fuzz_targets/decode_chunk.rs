//! Decodes arbitrary metadata and data through an arbitrary pipeline: no panic, and no memory
//! beyond the budget.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_filters::{FilterList, Pipeline, Registry, Scratch, TileKind};
use tdb_tile::{Cursor, Datatype, FormatVersion, Limits, Record};

fuzz_target!(|data: &[u8]| {
    let bytes = bytes::Bytes::copy_from_slice(data);
    let mut input = Cursor::new("input", &bytes);
    let mut byte = || input.scalar::<u8>("byte").unwrap_or_default();
    let (version, datatype, flags, cell) = (byte(), byte(), byte(), byte());
    let datatype = Datatype::ALL[usize::from(datatype) % Datatype::ALL.len()];
    let version = FormatVersion::new(u32::from(version % 24));
    let kind = TileKind {
        version,
        propagates: flags & 1 != 0,
        datatype,
        cell_size: usize::from(cell % 20).max(1),
        is_var: flags & 2 != 0,
    };
    let Ok(original) = input.scalar::<u16>("original") else {
        return;
    };
    let Ok(metadata) = input.scalar::<u16>("metadata") else {
        return;
    };
    let limits = Limits::with_budget(64 << 20);
    let rest = bytes.slice(input.offset()..);
    let Ok((list, end)) = FilterList::decode_prefix(&rest, version, &(), &limits) else {
        return;
    };
    let Ok(pipeline) = Pipeline::new(&list, version, kind, None, Registry::builtin()) else {
        return;
    };
    let rest = rest.slice(end..);
    let (metadata, data) = rest.split_at(usize::from(metadata).min(rest.len()));
    let mut out = vec![0; original.into()];
    let (mut scratch, mut starts) = (Scratch::default(), Vec::new());
    let _ = pipeline.decode_chunk(metadata, data, &mut out, None, &mut scratch, &limits);
    let asked = Some(&mut starts);
    if pipeline
        .decode_chunk(metadata, data, &mut out, asked, &mut scratch, &limits)
        .is_ok()
    {
        assert!(starts.is_sorted() && starts.last().is_none_or(|last| *last <= out.len() as u64));
    }
});
