//! The parts of a condition that must all hold.

use crate::{Condition, ConditionNode};

impl Condition {
    /// Returns the conjunction of those `and` parts at the top of the condition that use only fields for which
    /// `is_one` is true; `None` if there are none. It holds for every cell that matches the whole condition.
    ///
    /// ```
    /// use tdb_condition::Condition;
    ///
    /// let condition = Condition::parse("day > 3 and temp < 0 and (day < 9 or temp = 1)", &Default::default())?;
    /// let of_day = condition.about(|field| field == "day");
    /// assert_eq!(of_day.map(|c| c.to_string()).as_deref(), Some("day > 3"));
    /// # Ok::<(), tdb_condition::ConditionError>(())
    /// ```
    #[must_use]
    pub fn about(&self, is_one: impl Fn(&str) -> bool) -> Option<Self> {
        let parts = self.conjuncts().into_iter();
        let own = parts.filter(|part| part.fields().all(&is_one));
        own.reduce(Self::and)
    }

    /// The operands of an `and` at the top; otherwise the condition itself.
    fn conjuncts(&self) -> Vec<Self> {
        let Some((ConditionNode::And(_), mut rest)) = self.nodes().split_first() else {
            return vec![self.clone()];
        };
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let (part, others) = rest.split_at(length(rest));
            parts.push(Self::of_nodes(part.to_vec()));
            rest = others;
        }
        parts
    }
}

/// Number of nodes in the first condition of this list.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "at least one node is wanted, and no more than memory holds"
)]
fn length(nodes: &[ConditionNode]) -> usize {
    let mut wanted = 1_usize;
    let mut taken = 0_usize;
    for node in nodes {
        taken += 1;
        wanted = match node {
            ConditionNode::And(joined) | ConditionNode::Or(joined) => wanted - 1 + *joined,
            ConditionNode::Not => wanted,
            ConditionNode::Test(_) | ConditionNode::Comparison(_) => wanted - 1,
        };
        if wanted == 0 {
            break;
        }
    }
    taken
}
