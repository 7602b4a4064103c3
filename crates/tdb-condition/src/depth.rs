//! Nesting depth of a condition in text form: operators that wait for their right operand, and open parentheses.

use tdb_tile::Limits;

use crate::walk::{Joint, Walk};
use crate::{Condition, ConditionNode, Operation, Term, TermPart};

/// An open joint, and the depth that it adds to its operands, with its parentheses.
type JointDepth = (Joint, u64);

impl Condition {
    /// Nesting depth of the printed form, counted like `Limits::condition_depth`: a condition that was parsed within
    /// the limit also prints within the limit.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "depths of what is in memory"
    )]
    pub(crate) fn written_depth(&self) -> u64 {
        let unlimited = Limits {
            condition_depth: u64::MAX,
            ..Limits::default()
        };
        let mut walk: Walk<JointDepth> = Walk::new(&unlimited);
        let (mut waiting, mut deepest) = (0_u64, 0);
        let mut negated = false;
        for node in self.nodes() {
            let is_not = u64::from(negated);
            let (joint, joins, inner) = match node {
                ConditionNode::Not => {
                    negated = true;
                    deepest = deepest.max(waiting + 1);
                    continue;
                }
                ConditionNode::And(joins) => (Some(Joint::And), *joins, 0),
                ConditionNode::Or(joins) => (Some(Joint::Or), *joins, 0),
                ConditionNode::Test(_) => (None, 0, 0),
                ConditionNode::Comparison(compared) => {
                    let (left, right) = (&compared.left, &compared.right);
                    (None, 0, left.written_depth().max(right.written_depth()))
                }
            };
            deepest = deepest.max(waiting + is_not + inner);
            if let Some(joint) = joint {
                let outer = walk.top().map(|(outer, _)| outer);
                let parentheses = u64::from(takes_parentheses(outer, joint, negated));
                let added = is_not + parentheses;
                waiting += added;
                deepest = deepest.max(waiting);
                // The limit is `u64::MAX`, so this cannot fail.
                if walk.enter((joint, added), joins).is_err() {
                    return u64::MAX;
                }
            } else {
                walk.leave(|(_, added), is_first, ends| {
                    // After the first operand, the `and` or `or` waits for the next one.
                    waiting += u64::from(is_first);
                    if ends {
                        waiting -= added + 1;
                    }
                });
            }
            negated = false;
        }
        deepest
    }
}

/// Whether a joint inside `outer`, or after `not` if `negated`, needs parentheses.
pub(crate) fn takes_parentheses(outer: Option<Joint>, joint: Joint, negated: bool) -> bool {
    let binds_tighter = matches!((outer, joint), (None, _) | (Some(Joint::Or), Joint::And));
    negated || !binds_tighter
}

/// Depth of a malformed term; more than any limit, and so far from the largest number that no sum leaves the type.
const TOO_DEEP: u64 = u64::MAX / 2;

/// The nesting depth of a printed term, and its binding strength.
#[derive(Clone, Copy)]
struct PrintedTerm {
    depth: u64,
    strength: u8,
}

impl Term {
    /// Nesting depth of the printed term, see [`Condition::written_depth`].
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "depths of what is in memory"
    )]
    fn written_depth(&self) -> u64 {
        let mut done: Vec<PrintedTerm> = Vec::new();
        for part in &self.parts {
            let measured = match (part, done.pop()) {
                (TermPart::DatePart(_), Some(inner)) => PrintedTerm {
                    depth: inner.depth + 1,
                    strength: Self::ONE,
                },
                // One level for the sign, one for the parentheses.
                (TermPart::Negate, Some(inner)) => PrintedTerm {
                    depth: inner.depth + 2,
                    strength: Self::SIGNED,
                },
                (TermPart::Operation(operation), Some(right)) => {
                    // A malformed term counts as too deep.
                    let left = done.pop().unwrap_or(PrintedTerm {
                        depth: TOO_DEEP,
                        strength: Self::ONE,
                    });
                    joined(left, *operation, right)
                }
                (_, before) => {
                    done.extend(before);
                    PrintedTerm {
                        depth: 0,
                        strength: Self::ONE,
                    }
                }
            };
            done.push(measured);
        }
        done.pop().map_or(TOO_DEEP, |term| term.depth)
    }

    /// Binding strength of operands that never need parentheses.
    pub(crate) const ONE: u8 = 4;

    /// Binding strength of a value with a sign.
    pub(crate) const SIGNED: u8 = 3;
}

#[expect(
    clippy::arithmetic_side_effects,
    reason = "depths of what is in memory, and strengths of at most 4"
)]
fn joined(left: PrintedTerm, operation: Operation, right: PrintedTerm) -> PrintedTerm {
    let strength = operation.strength();
    let within = |term: PrintedTerm, least: u8| term.depth + u64::from(term.strength < least);
    let behind = within(right, strength + 1) + 1;
    PrintedTerm {
        depth: within(left, strength).max(behind),
        strength,
    }
}
