//! Joins labels by their codes.
//!
//! DataFusion 55.2 unpacks a dictionary that is joined with texts, hashes and compares the text of each row; codes index
//! a table.

use arrow_schema::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{NullEquality, Result};
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, Join, LogicalPlan, ScalarUDF};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use crate::grouped_labels::labels_of;
use crate::label_codes::{CodeOfLabel, CodeOfText, Labels};

/// Optimizer rule by which an enumerated column of an array that equals a text is compared by its codes, with the code
/// of the text. A text that is no label has none, so that it equals no cell.
#[derive(Debug)]
pub(crate) struct JoinByCodes;

/// Two expressions that a join compares, of its left and of its right input.
type Equality = (Expr, Expr);

impl OptimizerRule for JoinByCodes {
    fn name(&self) -> &'static str {
        "join_labels_by_codes"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Join(join) = &plan else {
            return Ok(Transformed::no(plan));
        };
        // Null must mean the same for a text that is no label and for one that is null: no equal row.
        if join.null_equality == NullEquality::NullEqualsNull || join.null_aware {
            return Ok(Transformed::no(plan));
        }
        let by_codes: Vec<Option<Equality>> = (join.on.iter())
            .map(|equality| by_codes(equality, join))
            .collect();
        if by_codes.iter().all(Option::is_none) {
            return Ok(Transformed::no(plan));
        }
        let mut join = join.clone();
        for (equality, by_codes) in join.on.iter_mut().zip(by_codes) {
            if let Some(by_codes) = by_codes {
                *equality = by_codes;
            }
        }
        Ok(Transformed::yes(LogicalPlan::Join(join)))
    }
}

/// Returns the codes of both sides in place of labels and texts; `None` if neither side is an enumerated column.
fn by_codes((left, right): &Equality, join: &Join) -> Option<Equality> {
    if let Some((column, labels)) = labelled(left, &join.left)
        && is_text(right, &join.right)
    {
        return Some((code_of_label(column, &labels), code_of_text(right, &labels)));
    }
    let (column, labels) = labelled(right, &join.right)?;
    is_text(left, &join.left).then(|| (code_of_text(left, &labels), code_of_label(column, &labels)))
}

fn code_of_label(column: &Expr, labels: &Labels) -> Expr {
    ScalarUDF::from(CodeOfLabel::new(labels.clone())).call(vec![column.clone()])
}

fn code_of_text(text: &Expr, labels: &Labels) -> Expr {
    ScalarUDF::from(CodeOfText::new(labels.clone())).call(vec![text.clone()])
}

/// Returns an enumerated column, which may be cast to text, and its labels.
fn labelled<'a>(expr: &'a Expr, input: &LogicalPlan) -> Option<(&'a Expr, Labels)> {
    let column = match expr {
        Expr::Cast(Cast { expr: column, .. }) if is_text(expr, input) => column,
        column => column,
    };
    labels_of(column, input).map(|labels| (column, labels))
}

fn is_text(expr: &Expr, input: &LogicalPlan) -> bool {
    match expr.get_type(input.schema()) {
        Ok(DataType::Dictionary(_, values)) => values.is_string(),
        Ok(other) => other.is_string(),
        Err(_) => false,
    }
}
