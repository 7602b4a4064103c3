//! Checks of functions whose output length is given by an argument.

use datafusion_proto::protobuf::PhysicalExprNode;
use datafusion_proto::protobuf::physical_expr_node::ExprType;
use datafusion_proto_common::protobuf_common::scalar_value::Value;

use super::Walk;
use super::refusal::Refusal;

/// Functions whose second argument is the length or repetition count of the resulting text.
const LONG: [&str; 3] = ["lpad", "repeat", "rpad"];

impl Walk<'_> {
    /// Checks that the length argument of such a function is a constant within the limit. A length from a column is
    /// refused, since its values are not known before the query runs.
    pub(super) fn repeats(&self, name: &str, args: &[PhysicalExprNode]) -> Result<(), Refusal> {
        if !LONG.contains(&name) {
            return Ok(());
        }
        let number = args.get(1).and_then(whole);
        let Some(number) = number else {
            return Err(Refusal::Odd(
                "a text whose length comes from a column: run the query without --cluster",
            ));
        };
        // Negative lengths produce an empty text.
        let number = u64::try_from(number).unwrap_or(0);
        let most = self.rules.limits.repeats;
        Refusal::above("characters that a function makes", number, most)
    }
}

/// The value of an integer literal, 0 for a `NULL` literal; `None` beyond `i64`, and for any other expression.
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
