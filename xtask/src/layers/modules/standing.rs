//! Permitted cycles of modules. The list must only shrink: a cycle that is not in it is a finding, and so is an entry
//! that is no longer true, even if the cycle only lost a module.

/// A permitted cycle: the crate, its modules in alphabetical order, and the reason.
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
