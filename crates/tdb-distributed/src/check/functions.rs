//! The functions that plans may call, by kind and name.

use std::collections::HashSet;

use datafusion::execution::SessionStateBuilder;
use tdb_datafusion::with_functions;

/// Kind of a function. Each kind has its own namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Scalar,
    HigherOrder,
    Aggregate,
    Window,
}

/// Functions whose output length is set by a value of the row, without an upper bound. Workers do not run them.
const ENDLESS: [&str; 5] = [
    "array_repeat",
    "array_resize",
    "generate_series",
    "list_resize",
    "range",
];

/// The functions that plans may call.
#[derive(Debug)]
pub(super) struct Functions {
    known: HashSet<(Kind, String)>,
}

impl Functions {
    /// The functions of DataFusion, without the endless ones, and the functions for arrays of tdb-datafusion.
    pub(super) fn of_workers() -> Self {
        let state = with_functions(SessionStateBuilder::new().with_default_features()).build();
        let mut known = HashSet::new();
        let mut add = |kind, names: &mut dyn Iterator<Item = &String>| {
            known.extend(names.map(|name| (kind, name.clone())));
        };
        add(Kind::Scalar, &mut state.scalar_functions().keys());
        add(
            Kind::HigherOrder,
            &mut state.higher_order_functions().keys(),
        );
        add(Kind::Aggregate, &mut state.aggregate_functions().keys());
        add(Kind::Window, &mut state.window_functions().keys());
        known.retain(|(kind, name)| *kind != Kind::Scalar || !ENDLESS.contains(&name.as_str()));
        Self { known }
    }

    pub(super) fn has(&self, kind: Kind, name: &str) -> bool {
        self.known.contains(&(kind, name.to_owned()))
    }
}
