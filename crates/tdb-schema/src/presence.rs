use tdb_tile::Walk;

/// True if the walk's version has the fields that version `min` added.
pub(crate) fn since<W: Walk>(w: &W, min: u32) -> bool {
    w.version().number() >= min
}
