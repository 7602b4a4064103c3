//! Functions that make as much as a number says.

use datafusion_proto::protobuf::PhysicalExprNode;
use datafusion_proto::protobuf::physical_expr_node::ExprType;
use datafusion_proto_common::protobuf_common::scalar_value::Value;

use super::Walk;
use super::refusal::Refusal;

/// Functions that make a text as long as their second argument says.
const LONG: [&str; 3] = ["lpad", "repeat", "rpad"];

impl Walk<'_> {
    /// What a function makes by a number must be so many at most, and the query must say the number: values of rows are not known yet.
    pub(super) fn repeats(&self, name: &str, args: &[PhysicalExprNode]) -> Result<(), Refusal> {
        if !LONG.contains(&name) {
            return Ok(());
        }
        let number = args.get(1).and_then(whole);
        let Some(number) = number else {
            return Err(Refusal::Odd(
                "a text as long as a column says: asked without --cluster, it is answered",
            ));
        };
        // A negative one makes nothing.
        let number = u64::try_from(number).unwrap_or(0);
        let most = self.rules.limits.repeats;
        Refusal::above("characters that a function makes", number, most)
    }
}

/// The whole number that an expression is, if it is one.
fn whole(expression: &PhysicalExprNode) -> Option<i64> {
    let ExprType::Literal(value) = expression.expr_type.as_ref()? else {
        return None;
    };
    match value.value.as_ref()? {
        Value::Int64Value(number) => Some(*number),
        Value::Int32Value(number) => Some((*number).into()),
        Value::Uint32Value(number) => Some((*number).into()),
        Value::Uint64Value(number) => i64::try_from(*number).ok(),
        Value::NullValue(_) => Some(0),
        _ => None,
    }
}
