//! Changes one object of a golden array, then opens and reads the array: no panic, no more memory than the budget.
//!
//! The first bytes of the input choose the array, the object and one of its generic tiles. The fourth byte chooses
//! how the rest is used: as the bytes of the object, as the payload of the tile (sealed correctly), or as positions
//! and values to change in that payload.
#![no_main]
#[path = "../../tests/it/support/mod.rs"]
mod support;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use support::Golden;
use support::tiles::MetadataFile;

/// Golden arrays, one for each kind of object that a read opens.
const NAMES: [&str; 8] = [
    "v22_sparse_basics",
    "v22_dense_int32",
    "v22_deletes_merged",
    "v22_commits",
    "v22_enumerations_sparse",
    "v22_labels",
    "v3_sparse_in_dense",
    "v2_sparse",
];

static ARRAYS: LazyLock<Vec<Golden>> =
    LazyLock::new(|| NAMES.iter().map(|name| Golden::named(name)).collect());

fuzz_target!(|data: &[u8]| {
    let [array, object, tile, how, rest @ ..] = data else {
        return;
    };
    let golden = &ARRAYS[usize::from(*array) % ARRAYS.len()];
    let (key, bytes) = &golden.objects[usize::from(*object) % golden.objects.len()];
    let store = golden.store();
    let file = MetadataFile::of(bytes, None);
    let changed = match (how % 3, file.tiles.len()) {
        (0, _) | (_, 0) => rest.to_vec(),
        (1, count) => file.with_payload(usize::from(*tile) % count, rest),
        (_, count) => {
            let index = usize::from(*tile) % count;
            let mut payload = file.tiles[index].1.to_vec();
            for change in rest.chunks_exact(3) {
                let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
                if let Some(byte) = payload.get_mut(at) {
                    *byte = change[2];
                }
            }
            file.with_payload(index, &payload)
        }
    };
    store.overwrite(key, changed);
    let _ = support::read(golden, &store);
});
