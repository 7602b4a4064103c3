//! Files of other programs among the objects of an array or a group.

/// Characters other than letters and digits in the names of TileDB's objects, valid or damaged.
const PLAIN: [char; 4] = ['_', '.', '-', '+'];

/// True if an object in `__schema`, `__meta` or `__group` is a file of another program: its name does not begin with
/// two underscores, or has characters that no release of TileDB uses.
///
/// This covers files of file managers (`.DS_Store`, `Thumbs.db`), network file systems (`.nfs0001`), folder markers
/// (`__enumerations_$folder$`) and file synchronization (`NAME (1)`, `NAME~`). It does not cover damaged names of
/// TileDB: these are errors, since their meaning is unknown.
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
