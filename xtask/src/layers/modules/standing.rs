//! Cycles of modules that stand. The list can only shrink: a cycle that is not in it is a finding, and so is an entry that is no
//! longer true, also where the cycle lost a module.

/// A cycle that stands: the crate, its modules in the order of the alphabet, and why.
pub(super) type Standing = (&'static str, &'static [&'static str], &'static str);

pub(super) const STANDING: &[Standing] = &[
    (
        "tdb-tile",
        &["datatype", "scalar"],
        "a datatype and the Rust type of its values are one idea",
    ),
    (
        "tdb-tile",
        &[
            "record",
            "walk",
            "walk::decode",
            "walk::encode",
            "walk::size",
        ],
        "a record and its walkers are one idea",
    ),
];
