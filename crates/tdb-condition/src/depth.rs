//! How deep a condition is as it is written: what waits for the value to its right, and open parentheses.

use tdb_tile::Limits;

use crate::walk::{Joint, Walk};
use crate::{Condition, ConditionNode, Operation, Term, TermPart};

/// A joint that is open: what it and the parentheses around it add to the depth of what it joins.
type Added = (Joint, u64);

impl Condition {
    /// How deep the text is that the condition is printed as, by the measure of the limit `condition_depth`: what is printed of a
    /// condition that was read is within the limit too.
    pub(crate) fn written_depth(&self) -> u64 {
        let unlimited = Limits {
            condition_depth: u64::MAX,
            ..Limits::default()
        };
        let mut walk: Walk<Added> = Walk::new(&unlimited);
        let (mut waiting, mut deepest) = (0_u64, 0);
        let mut negated = false;
        for node in self.nodes() {
            let is_not = u64::from(negated);
            let (joint, joins, inner) = match node {
                ConditionNode::Not => {
                    negated = true;
                    deepest = deepest.max(waiting.saturating_add(1));
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
            deepest = deepest.max(waiting.saturating_add(is_not).saturating_add(inner));
            if let Some(joint) = joint {
                let outer = walk.top().map(|(outer, _)| outer);
                let parentheses = u64::from(takes_parentheses(outer, joint, negated));
                let added = is_not.saturating_add(parentheses);
                waiting = waiting.saturating_add(added);
                deepest = deepest.max(waiting);
                // Without a limit none is exceeded.
                if walk.enter((joint, added), joins).is_err() {
                    return u64::MAX;
                }
            } else {
                walk.leave(|(_, added), is_first, ends| {
                    // The `and` or `or` behind the first waits from there on.
                    waiting = waiting.saturating_add(u64::from(is_first));
                    if ends {
                        waiting = waiting.saturating_sub(added.saturating_add(1));
                    }
                });
            }
            negated = false;
        }
        deepest
    }
}

/// Whether a joint is written in parentheses that stands inside another, or after `not`.
pub(crate) fn takes_parentheses(outer: Option<Joint>, joint: Joint, negated: bool) -> bool {
    let binds_tighter = matches!((outer, joint), (None, _) | (Some(Joint::Or), Joint::And));
    negated || !binds_tighter
}

impl Term {
    /// As [`Condition::written_depth`], of a term.
    fn written_depth(&self) -> u64 {
        let mut done: Vec<(u64, u8)> = Vec::new();
        for part in &self.parts {
            let measured = match (part, done.pop()) {
                (TermPart::DatePart(_), Some((depth, _))) => (depth.saturating_add(1), Self::ONE),
                // The sign, and parentheses.
                (TermPart::Negate, Some((depth, _))) => (depth.saturating_add(2), Self::SIGNED),
                (TermPart::Operation(operation), Some(right)) => {
                    // A term without it is none, and so deeper than any.
                    let left = done.pop().unwrap_or((u64::MAX, Self::ONE));
                    joined(left, *operation, right)
                }
                (_, before) => {
                    done.extend(before);
                    (0, Self::ONE)
                }
            };
            done.push(measured);
        }
        done.pop().map_or(u64::MAX, |(depth, _)| depth)
    }

    /// The strength of what binds more strongly than every operation.
    pub(crate) const ONE: u8 = 4;

    /// The strength of what has a sign before it.
    pub(crate) const SIGNED: u8 = 3;
}

fn joined(left: (u64, u8), operation: Operation, right: (u64, u8)) -> (u64, u8) {
    let strength = operation.strength();
    let within = |(depth, own): (u64, u8), least: u8| {
        let parentheses = u64::from(own < least);
        depth.saturating_add(parentheses)
    };
    let behind = within(right, strength.saturating_add(1)).saturating_add(1);
    (within(left, strength).max(behind), strength)
}
