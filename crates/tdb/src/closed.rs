//! What TileDB can no longer read of an array once its schema was changed, by whichever program.

use tdb_array::Fragment;
use tdb_filters::Registry;
use tdb_schema::Field;
use tdb_tile::{Datatype, FormatVersion};

/// Why TileDB will not read these fragments below a newer schema; `None` where it will.
pub(crate) fn closed_to_tiledb(fragments: &[Fragment]) -> Option<&'static str> {
    let version = |fragment: &Fragment| fragment.metadata.version;
    if fragments
        .iter()
        .any(|fragment| !version(fragment).names_schema())
    {
        return Some(
            "TileDB opens no array with fragments of a format before 10 whose schema has changed: rewrite the array for it",
        );
    }
    let is_refused = |fragment: &Fragment| {
        let mut fields = fragment.schema.fields();
        fields.any(|field| folds_otherwise(&field, version(fragment)))
    };
    fragments.iter().any(is_refused).then_some(
        "TileDB takes run-length and dictionary encoded strings of a format before 17 for those of the new schema, and cannot read \
         them: rewrite the array for it",
    )
}

/// Whether the strings of a field are stored otherwise than the newest format has them.
fn folds_otherwise(field: &Field<'_>, version: FormatVersion) -> bool {
    let folds = |name: &str| match (field.datatype, name) {
        (Datatype::StringUtf8, "rle" | "dictionary") => version.folds_utf8_offsets(),
        (Datatype::StringAscii, "rle") => version.folds_ascii_rle_offsets(),
        (Datatype::StringAscii, "dictionary") => version.folds_ascii_dictionary_offsets(),
        _ => true,
    };
    let codes = field.filters.filters.iter().map(|filter| filter.code);
    let mut entries = codes.filter_map(|code| Registry::builtin().entry(code));
    field.is_var() && entries.any(|entry| !folds(entry.name))
}
