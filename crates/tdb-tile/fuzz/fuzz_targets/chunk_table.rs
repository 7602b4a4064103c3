//! Parses arbitrary bytes as the chunks of a tile: the chunks cover all of it, and writing them
//! gives the same bytes.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_tile::{ChunkTable, ChunkWriter, Limits};

fuzz_target!(|data: &[u8]| {
    let limits = Limits::with_budget(64 << 20);
    let mut table = ChunkTable::default();
    if table.parse(data, &limits).is_err() {
        return;
    }
    let mut again = Vec::new();
    let mut writer = ChunkWriter::new(&mut again);
    let mut end = 0;
    for chunk in table.entries() {
        assert_eq!(chunk.start, end);
        end = chunk.extent().end;
        writer
            .chunk(
                chunk.original,
                chunk.metadata(data).unwrap(),
                chunk.filtered(data).unwrap(),
            )
            .unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(again, data);
    assert_eq!(end, table.tile_size());
    assert!(table.parse_sized(data, end, &limits).is_ok());
    assert!(table.parse_sized(data, end + 1, &limits).is_err());
    for wanted in [0..1, end / 2..end, 0..end] {
        let found = table.overlapping(wanted.clone());
        assert!(
            found
                .iter()
                .all(|c| c.start < wanted.end && wanted.start < c.extent().end)
        );
    }
});
