use tdb_tile::Walk;

/// Whether the version has what came with `min`.
pub(crate) fn since<W: Walk>(w: &W, min: u32) -> bool {
    w.version().number() >= min
}
