//! Fragments that TileDB can no longer read once the schema of their array was changed, by whichever program.

use tdb_array::Fragment;
use tdb_filters::Registry;
use tdb_schema::Field;
use tdb_tile::{Datatype, FormatVersion};

/// Returns why TileDB will not read these fragments under a newer schema; `None` if it will.
pub(crate) fn closed_to_tiledb(fragments: &[Fragment]) -> Option<&'static str> {
    let version = |fragment: &Fragment| fragment.metadata.version;
    if fragments
        .iter()
        .any(|fragment| !version(fragment).names_schema())
    {
        return Some(
            "TileDB cannot open an array with fragments of a format before 10 whose schema has changed: use tdb rewrite to make it readable",
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

/// True if the strings of a field are stored in another form than in the newest format version.
fn folds_otherwise(field: &Field<'_>, version: FormatVersion) -> bool {
    let is_utf8 = field.datatype == Datatype::StringUtf8;
    let is_ascii = field.datatype == Datatype::StringAscii;
    let folds = |name: &str| match name {
        "rle" | "dictionary" if is_utf8 => version.folds_utf8_offsets(),
        "rle" if is_ascii => version.folds_ascii_rle_offsets(),
        "dictionary" if is_ascii => version.folds_ascii_dictionary_offsets(),
        _ => true,
    };
    let codes = field.filters.filters.iter().map(|filter| filter.code);
    let mut entries = codes.filter_map(|code| Registry::builtin().entry(code));
    field.is_var() && entries.any(|entry| !folds(entry.name))
}
