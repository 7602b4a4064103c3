//! Groups labels by their codes.
//!
//! DataFusion 55.2 groups dictionaries row by row, by the bytes of their values; integers take a fraction of that time.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{
    Aggregate, Expr, ExprSchemable, LogicalPlan, Projection, ScalarUDF,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use crate::label_codes::{CodeOfLabel, LabelOfCode, Labels};
use crate::table::array_of;

/// Maximum number of labels: for each batch whose dictionary is another copy of them, they are compared.
const MOST_LABELS: usize = 4_096;

/// Optimizer rule that groups enumerated columns of arrays by codes, and puts their labels into the result.
#[derive(Debug)]
pub(crate) struct GroupByCodes;

impl OptimizerRule for GroupByCodes {
    fn name(&self) -> &'static str {
        "group_labels_by_codes"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Aggregate(aggregate) = &plan else {
            return Ok(Transformed::no(plan));
        };
        let labels: Vec<Option<Labels>> = aggregate
            .group_expr
            .iter()
            .map(|grouped| labels_of(grouped, &aggregate.input))
            .collect();
        if labels.iter().all(Option::is_none) {
            return Ok(Transformed::no(plan));
        }
        Ok(Transformed::yes(by_codes(aggregate, labels)?))
    }
}

/// Returns the aggregate over codes in place of the labels that are known, with the labels in its result.
fn by_codes(aggregate: &Aggregate, labels: Vec<Option<Labels>>) -> Result<LogicalPlan> {
    let grouped: Vec<Expr> = (aggregate.group_expr.iter().zip(&labels))
        .map(|(expr, labels)| match labels {
            Some(labels) => {
                ScalarUDF::from(CodeOfLabel::new(labels.clone())).call(vec![expr.clone()])
            }
            None => expr.clone(),
        })
        .collect();
    let by_codes = Aggregate::try_new(
        Arc::clone(&aggregate.input),
        grouped,
        aggregate.aggr_expr.clone(),
    )?;
    let fields = aggregate.schema.iter().zip(by_codes.schema.columns());
    let mut labels = labels.into_iter();
    let result: Vec<Expr> = fields
        .map(
            |((qualifier, field), column)| match labels.next().flatten() {
                Some(labels) => {
                    let of_code = ScalarUDF::from(LabelOfCode::new(labels));
                    of_code
                        .call(vec![Expr::Column(column)])
                        .alias_qualified(qualifier.cloned(), field.name())
                }
                None => Expr::Column(column),
            },
        )
        .collect();
    let input = Arc::new(LogicalPlan::Aggregate(by_codes));
    Ok(LogicalPlan::Projection(Projection::try_new(result, input)?))
}

/// Returns the labels of a column; `None` if it is not an enumerated column of an array.
pub(crate) fn labels_of(expr: &Expr, input: &LogicalPlan) -> Option<Labels> {
    let Expr::Column(column) = expr else {
        return None;
    };
    let field = expr.to_field(input.schema()).ok()?.1;
    if !matches!(field.data_type(), arrow_schema::DataType::Dictionary(..)) {
        return None;
    }
    let values = values_of(column, input)?;
    Labels::new(&field, &values)
}

/// Returns the labels of a column that comes unchanged from an array.
fn values_of(column: &Column, plan: &LogicalPlan) -> Option<arrow_array::ArrayRef> {
    match plan {
        LogicalPlan::TableScan(scan) => {
            let table = array_of(&scan.source)?;
            let labels = table.source().labels_of(&column.name)?;
            (labels.len() <= MOST_LABELS).then_some(labels)
        }
        LogicalPlan::Filter(filter) => values_of(column, &filter.input),
        LogicalPlan::SubqueryAlias(alias) => {
            let place = alias.schema.maybe_index_of_column(column)?;
            values_of(alias.input.schema().columns().get(place)?, &alias.input)
        }
        LogicalPlan::Projection(projection) => {
            let place = projection.schema.maybe_index_of_column(column)?;
            match projection.expr.get(place)?.clone().unalias() {
                Expr::Column(inner) => values_of(&inner, &projection.input),
                _ => None,
            }
        }
        LogicalPlan::Join(join) => {
            let sides = [&join.left, &join.right];
            let side = sides
                .into_iter()
                .find(|side| side.schema().has_column(column))?;
            values_of(column, side)
        }
        _ => None,
    }
}
