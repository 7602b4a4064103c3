//! `DELETE`: a stored delete, where it takes just the cells for which SQL's condition is true.

use std::sync::Arc;

use datafusion::common::{DFSchema, Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use tdb_condition::{CompareOp, Condition, FieldTest, Literal, Test};
use tdb_query::{DeleteOptions, delete_cells};
use tdb_schema::value::{Value, read};

use crate::pushdown;
use crate::pushed::May;
use crate::table::ArrayTable;

/// What a statement asks to delete.
pub(crate) enum Asked {
    /// Nothing: no cell can fit.
    None,
    /// The cells of a condition. Where it may take fewer cells than the statement means, `counted` is what that means: both must
    /// be of as many cells.
    Cells {
        condition: Condition,
        counted: Option<Expr>,
    },
}

/// The condition of a statement, whose plan no optimizer has changed yet.
pub(crate) fn condition_of(
    table: &ArrayTable,
    input: &LogicalPlan,
    state: &SessionState,
) -> Result<Asked> {
    match input {
        LogicalPlan::TableScan(_) => all_cells(table),
        LogicalPlan::Filter(filter) if matches!(&*filter.input, LogicalPlan::TableScan(_)) => {
            let simple = simplified(table, &filter.predicate, state)?;
            match simple {
                Expr::Literal(ScalarValue::Boolean(Some(true)), _) => all_cells(table),
                // Neither false nor null is true.
                Expr::Literal(..) => Ok(Asked::None),
                predicate => of_predicate(table, predicate),
            }
        }
        _ => {
            plan_err!("DELETE takes one table and a condition on its columns alone, without LIMIT")
        }
    }
}

/// The condition with what is known of it worked out: values have the types of the columns that they are compared with.
fn simplified(table: &ArrayTable, predicate: &Expr, state: &SessionState) -> Result<Expr> {
    let schema = DFSchema::try_from(table.source().schema.as_ref().clone())?;
    let context = SimplifyContext::builder()
        .with_schema(Arc::new(schema))
        .with_config_options(Arc::clone(state.config_options()))
        .with_current_time()
        .build();
    ExprSimplifier::new(context).simplify(table.bare(predicate))
}

fn of_predicate(table: &ArrayTable, predicate: Expr) -> Result<Asked> {
    let pushed = table.pushed(&predicate, May::BeFewer);
    let pushed = pushed.ok_or_else(|| refused(&predicate))?;
    Ok(Asked::Cells {
        condition: pushed.condition,
        counted: (!pushed.is_exact).then_some(predicate),
    })
}

fn refused(predicate: &Expr) -> datafusion::common::DataFusionError {
    plan_datafusion_err!(
        "an array cannot store a delete of just the cells for which this holds: {predicate}. Compare columns with values, joined by \
         AND, OR and NOT; or write the cells that stay into another array: COPY (SELECT … WHERE NOT …) TO '…' STORED AS TILEDB"
    )
}

/// What holds for every cell: a coordinate is not less than the least one.
fn all_cells(table: &ArrayTable) -> Result<Asked> {
    let array = table.array();
    let dimension = array.schema().dimensions.first();
    let dimension = dimension.ok_or_else(|| plan_datafusion_err!("an array without dimensions"))?;
    let least = match &dimension.domain {
        None => Literal::from(""),
        Some(domain) => match read(dimension.datatype, &domain.lo).map(|value| value.as_ticks()) {
            Some(Value::Signed(value)) => value.into(),
            Some(Value::Unsigned(value)) => value.into(),
            Some(Value::Float32(value)) => value.into(),
            Some(Value::Float64(value)) => value.into(),
            _ => return plan_err!("DELETE needs a condition here: WHERE …"),
        },
    };
    let test = Test::Compare(CompareOp::Ge, least);
    Ok(Asked::Cells {
        condition: Condition::from(FieldTest {
            field: dimension.name.clone(),
            test,
        }),
        counted: None,
    })
}

/// Deletes cells, and says how many; none, where other than the `counted` ones would be. Waits for the store.
pub(crate) fn delete(
    table: &ArrayTable,
    condition: &Condition,
    counted: Option<u64>,
) -> Result<u64> {
    let array = table.source().newest()?;
    let session = &table.source().session;
    let run = |dry_run| {
        let options = DeleteOptions {
            dry_run,
            rules: pushdown::rules(),
            ..DeleteOptions::default()
        };
        let deletion = delete_cells(session, &array, condition, &options);
        deletion.map_err(|error| table.source().failed(error))
    };
    if let Some(wanted) = counted {
        let fitting = run(true)?.fitting;
        if fitting != wanted {
            return plan_err!(
                "a stored delete of {condition} would take {fitting} cells, and in SQL it is true for {wanted}, where NaN is greater \
                 than all numbers: nothing was deleted. With `AND NOT isnan(…)` both take the same"
            );
        }
    }
    Ok(run(false)?.taken)
}
