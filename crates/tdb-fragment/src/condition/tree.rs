use tdb_tile::{Exact, Limits, Record, Walk, WireError, WireErrorKind};

use super::{Combine, ConditionOp, ConditionValue};

/// A condition on cells in the form that deletes store: comparisons, combined by `and`, `or` and
/// `not`.
///
/// The nodes are stored in a flat list, each expression before its parts. No operation recurses,
/// not even dropping, so that no depth overflows the stack. **A stored delete holds the negation of
/// the user's condition**: the condition under which a cell stays. [`ConditionTree::negated`]
/// converts between the two.
///
/// From the last node to the first, every part comes before the expression that it belongs to, so
/// that a stack evaluates the tree:
///
/// ```
/// use tdb_fragment::{Combine, ConditionNode, ConditionOp, ConditionTree, ConditionValue};
///
/// let compare = |field, op, value: i32| {
///     ConditionTree::from(ConditionValue::new(field, op, value.to_le_bytes().to_vec()).unwrap())
/// };
/// let tree = ConditionTree::combine(
///     Combine::And,
///     [compare("x", ConditionOp::Greater, 3), compare("y", ConditionOp::Equal, 7)],
/// )?;
/// let mut stack = Vec::new();
/// for node in tree.nodes().iter().rev() {
///     match node {
///         ConditionNode::Value(value) => stack.push(value.field() == "x"),
///         ConditionNode::Expression { combine: Combine::And, parts } => {
///             // The parts come off the stack from first to last.
///             let all = (0..*parts).fold(true, |all, _| stack.pop().unwrap() && all);
///             stack.push(all);
///         }
///         _ => unreachable!(),
///     }
/// }
/// assert_eq!(stack, [false]);
/// # Ok::<(), tdb_fragment::ConditionError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConditionTree {
    nodes: Vec<ConditionNode>,
}

/// A node of a [`ConditionTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionNode {
    /// An expression, whose parts follow.
    Expression {
        /// The operator that combines the parts.
        combine: Combine,
        /// The number of parts: one for `not`, at least two otherwise.
        parts: usize,
    },
    /// A comparison.
    Value(ConditionValue),
}

/// The reasons why a condition cannot be built or negated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// An expression has too few parts, or a `not` too many.
    #[error("{combine:?} of {found} conditions")]
    Parts {
        /// The operator that combines the parts.
        combine: Combine,
        /// The number of parts.
        found: usize,
    },
    /// A comparison that is always true or always false cannot be negated, as in TileDB.
    #[error("a condition on {field:?} that is {} cannot be negated", tdb_tile::Code::name(*op))]
    NotNegatable {
        /// The field of the comparison.
        field: String,
        /// The operator of the comparison.
        op: ConditionOp,
    },
}

impl Default for ConditionNode {
    fn default() -> Self {
        Self::Value(ConditionValue::default())
    }
}

impl From<ConditionValue> for ConditionTree {
    fn from(value: ConditionValue) -> Self {
        Self {
            nodes: vec![ConditionNode::Value(value)],
        }
    }
}

fn is_valid(combine: Combine, parts: u64) -> bool {
    match combine {
        Combine::Not => parts == 1,
        Combine::And | Combine::Or => parts >= 2,
    }
}

impl ConditionTree {
    /// Combines conditions to an expression.
    ///
    /// # Errors
    /// [`ConditionError::Parts`] if there are fewer than two conditions, or not exactly one for
    /// `not`.
    pub fn combine(
        combine: Combine,
        parts: impl IntoIterator<Item = Self>,
    ) -> Result<Self, ConditionError> {
        let parts: Vec<Self> = parts.into_iter().collect();
        let n = parts.len();
        let mut nodes = vec![ConditionNode::default()];
        nodes.extend(parts.into_iter().flat_map(|part| part.nodes));
        if !is_valid(combine, n as u64) {
            return Err(ConditionError::Parts { combine, found: n });
        }
        if let Some(first) = nodes.first_mut() {
            *first = ConditionNode::Expression { combine, parts: n };
        }
        Ok(Self { nodes })
    }

    /// All nodes, each expression before its parts.
    #[must_use]
    pub fn nodes(&self) -> &[ConditionNode] {
        &self.nodes
    }

    /// The comparisons, from left to right.
    pub fn values(&self) -> impl Iterator<Item = &ConditionValue> {
        self.nodes.iter().filter_map(|node| match node {
            ConditionNode::Value(value) => Some(value),
            ConditionNode::Expression { .. } => None,
        })
    }

    /// Returns the condition that is true where this one is false, without any `not`. A delete
    /// stores the negation of the condition of the cells to delete.
    ///
    /// Cells that are null in a compared field satisfy neither condition.
    ///
    /// # Errors
    /// [`ConditionError::NotNegatable`] for a comparison that is always true or always false.
    pub fn negated(&self) -> Result<Self, ConditionError> {
        self.without_not(true)
    }

    /// Returns the same condition, with each `not` pushed down to the comparisons, as TileDB does.
    ///
    /// # Errors
    /// As for [`ConditionTree::negated`].
    pub fn normalized(&self) -> Result<Self, ConditionError> {
        self.without_not(false)
    }

    fn without_not(&self, negate: bool) -> Result<Self, ConditionError> {
        let mut nodes = Vec::new();
        // For each open expression: the number of parts to come, and whether they are negated.
        let mut open = vec![(1_usize, negate)];
        for node in &self.nodes {
            let negate = next_part(&mut open);
            match node {
                ConditionNode::Value(value) if negate => nodes.push(negated_value(value)?),
                ConditionNode::Value(_) => nodes.push(node.clone()),
                ConditionNode::Expression {
                    combine: Combine::Not,
                    ..
                } => open.push((1, !negate)),
                &ConditionNode::Expression { combine, parts } => {
                    let combine = match combine {
                        Combine::And if negate => Combine::Or,
                        Combine::Or if negate => Combine::And,
                        other => other,
                    };
                    nodes.push(ConditionNode::Expression { combine, parts });
                    open.push((parts, negate));
                }
            }
        }
        Ok(Self { nodes })
    }
}

fn next_part(open: &mut Vec<(usize, bool)>) -> bool {
    while let Some((left, negate)) = open.last_mut() {
        if let Some(fewer) = left.checked_sub(1) {
            *left = fewer;
            return *negate;
        }
        open.pop();
    }
    false
}

fn negated_value(value: &ConditionValue) -> Result<ConditionNode, ConditionError> {
    if matches!(
        value.op(),
        ConditionOp::AlwaysTrue | ConditionOp::AlwaysFalse
    ) {
        return Err(ConditionError::NotNegatable {
            field: value.field().to_owned(),
            op: value.op(),
        });
    }
    Ok(ConditionNode::Value(value.negated()))
}

impl Record for ConditionTree {
    const NAME: &'static str = "ConditionTree";
    const MIN_SIZE: usize = 14;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { nodes } = self;
        // The number of parts to come, for the root and each open expression. This stack replaces
        // recursion: a stored tree may be deeper than the stack of a thread allows. The limits on
        // depth and nodes are checked before a node is read.
        let mut open = vec![1_u64];
        let mut index = 0_usize;
        while let Some(left) = open.last_mut() {
            let Some(fewer) = left.checked_sub(1) else {
                open.pop();
                continue;
            };
            *left = fewer;
            let count = index
                .exact_add(1)
                .map_err(|bug| w.fail("node", bug.into()))?;
            check_limits(w, open.len(), count)?;
            if index == nodes.len() {
                nodes.push(ConditionNode::default());
            }
            if let Some(node) = nodes.get_mut(index) {
                w.nested("node", node, &())?;
                if let ConditionNode::Expression { parts, .. } = node {
                    open.push(*parts as u64);
                }
            }
            index = count;
        }
        Ok(())
    }
}

fn check_limits<W: Walk>(w: &W, depth: usize, nodes: usize) -> Result<(), WireError> {
    let Limits {
        condition_depth,
        condition_nodes,
        ..
    } = *w.limits();
    Limits::check(
        "condition depth",
        "condition_depth",
        depth as u64,
        condition_depth,
    )
    .and_then(|()| {
        Limits::check(
            "condition nodes",
            "condition_nodes",
            nodes as u64,
            condition_nodes,
        )
    })
    .map_err(|limit| w.fail("node", limit.into()))
}

const EXPRESSION: u8 = 0;
const VALUE: u8 = 1;

/// One node; the tree visits the parts of an expression.
impl Record for ConditionNode {
    const NAME: &'static str = "ConditionNode";
    const MIN_SIZE: usize = 10;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let mut kind = match self {
            Self::Expression { .. } => EXPRESSION,
            Self::Value(_) => VALUE,
        };
        w.scalar("kind", &mut kind)?;
        match (kind, &mut *self) {
            (EXPRESSION, _) => walk_expression(w, self),
            (VALUE, Self::Value(value)) => w.nested("value", value, &()),
            (VALUE, Self::Expression { .. }) => {
                let mut value = ConditionValue::default();
                w.nested("value", &mut value, &())?;
                *self = Self::Value(value);
                Ok(())
            }
            (code, _) => Err(w.fail(
                "kind",
                WireErrorKind::UnknownCode {
                    what: "condition node",
                    code: u64::from(code),
                },
            )),
        }
    }
}

fn walk_expression<W: Walk>(w: &mut W, node: &mut ConditionNode) -> Result<(), WireError> {
    let (mut combine, parts) = match *node {
        ConditionNode::Expression { combine, parts } => (combine, parts),
        ConditionNode::Value(_) => (Combine::default(), 0),
    };
    w.code("combine", &mut combine)?;
    let n = w.count::<u64>("part count", parts)?;
    if !is_valid(combine, n) {
        let kind = WireErrorKind::Invalid("an expression of too few parts, or a `not` of several");
        return Err(w.fail("part count", kind));
    }
    let parts = usize::try_from(n).map_err(|_| {
        let kind = WireErrorKind::Invalid("more parts than fit in memory");
        w.fail("part count", kind)
    })?;
    *node = ConditionNode::Expression { combine, parts };
    Ok(())
}
