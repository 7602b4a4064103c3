//! Files of other programs among the objects of an array or a group.

/// Characters beside letters and digits that the names of TileDB's objects have, or damaged ones may.
const PLAIN: [char; 4] = ['_', '.', '-', '+'];

/// Whether an object in `__schema`, `__meta` or `__group` is a file of another program: no release of TileDB has written a name that begins
/// otherwise than with two underscores, or has other characters. So it is with what file managers leave (`.DS_Store`, `Thumbs.db`), network
/// file systems (`.nfs0001`), stores of folders (`__enumerations_$folder$`) and programs that copy files in both directions (`NAME (1)`,
/// `NAME~`), but not with a name of TileDB that is damaged, of which it is not known what it says.
pub(crate) fn is_stray(key: &str) -> bool {
    let name = tdb_store::name(key);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || PLAIN.contains(&c);
    !name.starts_with("__") || !name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_programs_are_told_from_damaged_names() {
        for name in [
            ".DS_Store",
            "Thumbs.db",
            "desktop.ini",
            "._x",
            ".nfs0001",
            "__enumerations_$folder$",
            "__1_1_0123456789abcdef0123456789abcdef (1)",
            "__1_1_0123456789abcdef0123456789abcdef~",
            "__1_1_0123456789abcdef0123456789abcdef (conflicted copy 2024-01-01)",
        ] {
            assert!(is_stray(&format!("__schema/{name}")), "{name}");
        }
        for name in [
            "__what",
            "__-5_-5_0123456789abcdef0123456789abcdef",
            "__2_1_0_22.vac",
            "__1_1_0.tmp",
        ] {
            assert!(!is_stray(&format!("__meta/{name}")), "{name}");
        }
    }
}
