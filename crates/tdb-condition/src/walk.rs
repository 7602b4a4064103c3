use tdb_tile::{LimitError, Limits};

/// The two ways to join conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Joint {
    And,
    Or,
}

impl Joint {
    /// The joint that replaces this one under `not`, by De Morgan's laws.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::And => Self::Or,
            Self::Or => Self::And,
        }
    }
}

/// Walks a tree in prefix order, in which each joint precedes its operands, without recursion.
///
/// `T` is the data that the caller keeps for each open joint.
#[derive(Debug)]
pub(crate) struct Walk<T> {
    open: Vec<Open<T>>,
    limit: u64,
}

#[derive(Debug)]
struct Open<T> {
    joint: T,
    joins: usize,
    done: usize,
}

impl<T: Copy> Walk<T> {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            open: Vec::new(),
            limit: limits.condition_depth,
        }
    }

    /// The innermost open joint, which the next node belongs to.
    pub(crate) fn top(&self) -> Option<T> {
        self.open.last().map(|open| open.joint)
    }

    /// Number of operands of this joint before the next node.
    pub(crate) fn done(&self) -> usize {
        self.open.last().map_or(0, |open| open.done)
    }

    /// Number of open joints.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Starts a joint of the next `joins` conditions.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are no more nodes than memory holds"
    )]
    pub(crate) fn enter(&mut self, joint: T, joins: usize) -> Result<(), LimitError> {
        let depth = self.open.len() as u64;
        Limits::check(
            "depth of a condition",
            "condition_depth",
            depth + 2,
            self.limit,
        )?;
        self.open.push(Open {
            joint,
            joins,
            done: 0,
        });
        Ok(())
    }

    /// Completes a condition. Calls `gained` for each joint of which it completes an operand, with two flags: whether
    /// that operand is the first, and whether it is the last.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are no more nodes than memory holds"
    )]
    pub(crate) fn leave(&mut self, mut gained: impl FnMut(T, bool, bool)) {
        while let Some(open) = self.open.last_mut() {
            open.done += 1;
            let ends = open.done >= open.joins;
            gained(open.joint, open.done == 1, ends);
            if !ends {
                return;
            }
            self.open.pop();
        }
    }
}
