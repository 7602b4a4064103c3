use std::fmt::{self, Write};

use tdb_tile::Limits;

use crate::depth::takes_parentheses;
use crate::token::is_bare_name;
use crate::walk::{Joint, Walk};
use crate::{Condition, ConditionNode, FieldTest, Literal, Test};

/// Prints text that [`Condition::parse`] accepts.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unlimited = Limits {
            condition_depth: u64::MAX,
            ..Limits::default()
        };
        let mut walk = Walk::new(&unlimited);
        let mut negated = false;
        for node in self.nodes() {
            match node {
                ConditionNode::Not => {
                    separate(f, &walk, negated)?;
                    f.write_str("not ")?;
                    negated = true;
                }
                ConditionNode::And(joins) => open(f, &mut walk, Joint::And, *joins, &mut negated)?,
                ConditionNode::Or(joins) => open(f, &mut walk, Joint::Or, *joins, &mut negated)?,
                ConditionNode::Test(test) => {
                    separate(f, &walk, negated)?;
                    negated = false;
                    test.fmt(f)?;
                    close(f, &mut walk)?;
                }
                ConditionNode::Comparison(comparison) => {
                    separate(f, &walk, negated)?;
                    negated = false;
                    comparison.fmt(f)?;
                    close(f, &mut walk)?;
                }
            }
        }
        Ok(())
    }
}

/// A printed joint, and whether it is in parentheses.
type PrintedJoint = (Joint, bool);

/// Prints `and` or `or` before every operand but the first, unless `not` is between them and it has been printed.
fn separate(f: &mut fmt::Formatter<'_>, walk: &Walk<PrintedJoint>, negated: bool) -> fmt::Result {
    match walk.top() {
        Some((joint, _)) if walk.done() > 0 && !negated => f.write_str(match joint {
            Joint::And => " and ",
            Joint::Or => " or ",
        }),
        _ => Ok(()),
    }
}

fn open(
    f: &mut fmt::Formatter<'_>,
    walk: &mut Walk<PrintedJoint>,
    joint: Joint,
    joins: usize,
    negated: &mut bool,
) -> fmt::Result {
    separate(f, walk, *negated)?;
    let outer = walk.top().map(|(outer, _)| outer);
    let in_parentheses = takes_parentheses(outer, joint, *negated);
    if in_parentheses {
        f.write_char('(')?;
    }
    *negated = false;
    walk.enter((joint, in_parentheses), joins)
        .map_err(|_| fmt::Error)
}

fn close(f: &mut fmt::Formatter<'_>, walk: &mut Walk<PrintedJoint>) -> fmt::Result {
    let mut written = Ok(());
    walk.leave(|(_, in_parentheses), _, ends| {
        if ends && in_parentheses && written.is_ok() {
            written = f.write_char(')');
        }
    });
    written
}

/// A field name, quoted if necessary.
pub(crate) struct FieldName<'a>(pub(crate) &'a str);

impl fmt::Display for FieldName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_bare_name(self.0) {
            f.write_str(self.0)
        } else {
            write!(f, "\"{}\"", self.0.replace('"', "\"\""))
        }
    }
}

impl fmt::Display for FieldTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FieldName(&self.field).fmt(f)?;
        match &self.test {
            Test::Compare(op, value) => write!(f, " {} {value}", op.symbol()),
            Test::In(members) => list(f, " in (", members),
            Test::NotIn(members) => list(f, " not in (", members),
            Test::Like(pattern) => write!(f, " like {pattern}"),
            Test::NotLike(pattern) => write!(f, " not like {pattern}"),
            Test::StartsWith(prefix) => write!(f, " starts with {prefix}"),
            Test::NotStartsWith(prefix) => write!(f, " not starts with {prefix}"),
            Test::Null => f.write_str(" is null"),
            Test::NotNull => f.write_str(" is not null"),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, before: &str, members: &[Literal]) -> fmt::Result {
    f.write_str(before)?;
    for (i, member) in members.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{member}")?;
    }
    f.write_char(')')
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) if value.is_nan() => f.write_str("'NaN'"),
            // There is no literal for infinity, but a number that is too large is parsed as infinity.
            Self::Float(value) if value.is_infinite() => {
                f.write_str(if *value > 0.0 { "1e999" } else { "-1e999" })
            }
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "'{}'", value.replace('\'', "''")),
            Self::Bool(value) => value.fmt(f),
            Self::Bytes(value) => {
                f.write_str("x'")?;
                value.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_char('\'')
            }
            Self::Date(value) => write!(f, "date '{}'", value.replace('\'', "''")),
            Self::Moment(value) => write!(f, "timestamp '{value}'"),
        }
    }
}
