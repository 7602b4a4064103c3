//! `DELETE`: by the stored form of the condition if it takes exactly the cells for which SQL's condition is true,
//! otherwise by the coordinates of these cells.

use std::sync::Arc;

use datafusion::common::{
    Column, DFSchema, DataFusionError, Result, ScalarValue, plan_datafusion_err, plan_err,
};
use datafusion::execution::SessionState;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::prelude::SessionContext;
use tdb_array::ChangeOptions;
use tdb_arrow::ArrowInput;
use tdb_cells::files::Input;
use tdb_change::{DeleteAt, DeleteError, DeleteOptions, delete_cells};
use tdb_condition::{CompareOp, Condition, ConditionError, FieldTest, Literal, Test};
use tdb_schema::value::{Value, read};
use tokio::runtime::Handle;

use crate::insert::of_query;
use crate::pushdown;
use crate::pushed_condition::Inexactness;
use crate::seen::CellQuery;
use crate::source::Source;
use crate::storable::Storable;
use crate::table::ArrayTable;

/// Cells that a statement asks to delete.
pub(crate) enum CellsToDelete {
    /// No cells: no cell can match.
    None,
    /// Cells that match a condition. If the condition may match fewer cells than the statement means, `counted` is
    /// the exact predicate; both must match the same number of cells.
    Cells {
        condition: Condition,
        counted: Option<Expr>,
    },
    /// Cells that match a condition which only SQL can evaluate.
    Query,
}

/// Returns the condition of a statement whose plan is not optimized yet.
pub(crate) fn condition_of(
    table: &ArrayTable,
    input: &LogicalPlan,
    state: &SessionState,
) -> Result<CellsToDelete> {
    match input {
        LogicalPlan::TableScan(_) => all_cells(table),
        LogicalPlan::Filter(filter) if matches!(&*filter.input, LogicalPlan::TableScan(_)) => {
            let simple = simplified(table, &filter.predicate, state)?;
            match simple {
                Expr::Literal(ScalarValue::Boolean(Some(true)), _) => all_cells(table),
                // Neither false nor null is true.
                Expr::Literal(..) => Ok(CellsToDelete::None),
                predicate => Ok(of_predicate(table, predicate)),
            }
        }
        _ => {
            plan_err!("DELETE takes one table and a condition on its columns alone, without LIMIT")
        }
    }
}

/// Simplifies a condition, so that values have the types of the columns that they are compared with.
fn simplified(table: &ArrayTable, predicate: &Expr, state: &SessionState) -> Result<Expr> {
    let schema = DFSchema::try_from(table.source().schema.as_ref().clone())?;
    let context = SimplifyContext::builder()
        .with_schema(Arc::new(schema))
        .with_config_options(Arc::clone(state.config_options()))
        .with_current_time()
        .build();
    ExprSimplifier::new(context).simplify(table.bare(predicate))
}

fn of_predicate(table: &ArrayTable, predicate: Expr) -> CellsToDelete {
    match table.pushed(&predicate, Inexactness::BeFewer) {
        None => CellsToDelete::Query,
        Some(pushed) => CellsToDelete::Cells {
            condition: pushed.condition,
            counted: (!pushed.is_exact).then_some(predicate),
        },
    }
}

/// Returns a condition that holds for every cell: a coordinate is at least the lower bound of its domain.
fn all_cells(table: &ArrayTable) -> Result<CellsToDelete> {
    let array = table.array();
    let dimension = array
        .schema()
        .dimensions
        .first()
        .ok_or_else(|| plan_datafusion_err!("an array without dimensions"))?;
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
    Ok(CellsToDelete::Cells {
        condition: Condition::from(FieldTest {
            field: dimension.name.clone(),
            test,
        }),
        counted: None,
    })
}

/// Deletes cells by the stored form of a condition, and returns their number. Returns `None` if it would not take
/// exactly the cells meant: `counted` is their number, if it must be compared. Waits for the store.
pub(crate) fn delete(
    table: &ArrayTable,
    condition: &Condition,
    counted: Option<u64>,
) -> Result<Option<u64>> {
    let array = table.source().newest()?;
    let session = &table.source().session;
    let run = |dry_run| {
        let options = DeleteOptions::default()
            .dry_run(dry_run)
            .rules(pushdown::rules());
        match delete_cells(session, &array, condition, &options) {
            Ok(deletion) => Ok(Some(deletion)),
            Err(
                DeleteError::TakesMore { .. }
                | DeleteError::Condition(
                    ConditionError::NotStorable { .. } | ConditionError::NotHeld { .. },
                ),
            ) => Ok(None),
            Err(error) => Err(table.source().failed(error)),
        }
    };
    if let Some(wanted) = counted {
        let planned = run(true)?;
        if planned.is_none_or(|planned| planned.fitting != wanted) {
            return Ok(None);
        }
    }
    Ok(run(false)?.map(|deletion| deletion.taken))
}

/// Delete of the cells that a query finds, with the condition as it was written.
pub(crate) struct DeleteByQuery {
    seen: CellQuery,
    dimensions: Vec<String>,
}

impl DeleteByQuery {
    /// Creates a delete for the input of a statement, whose plan must be unchanged.
    pub(crate) fn new(
        context: &SessionContext,
        table: &ArrayTable,
        input: &LogicalPlan,
    ) -> Result<Self> {
        let schema = table.array().schema();
        if schema.is_dense() {
            return plan_err!(
                "{}: cells of dense arrays cannot be deleted\nUPDATE … SET gives them other values",
                table.source().uri
            );
        }
        let dimensions: Vec<String> = schema
            .dimensions
            .iter()
            .map(|dimension| dimension.name.clone())
            .collect();
        let columns = dimensions
            .iter()
            .map(|name| Expr::Column(Column::new_unqualified(name)));
        let plan = LogicalPlanBuilder::from(input.clone()).project(columns)?;
        Ok(Self {
            seen: CellQuery {
                context: context.clone(),
                plan: plan.build()?,
                source: Arc::clone(table.source()),
                threads: Handle::current(),
            },
            dimensions,
        })
    }

    /// Deletes the cells by their coordinates, and returns their number. Waits for the store.
    pub(crate) fn delete(&self) -> Result<u64> {
        let source = &self.seen.source;
        let failed = |error: DeleteError| refused(source, error);
        let array = source.newest()?;
        let mut delete =
            DeleteAt::begin(&source.session, &array, &ChangeOptions::default()).map_err(failed)?;
        loop {
            let seen = delete.look().map_err(failed)?;
            let (fields, table) = source.part(&self.dimensions)?;
            let rows = Storable::new(self.seen.rows(&seen)?, fields.clone(), table);
            let memory = source.session.limits().budget.limit();
            let input = ArrowInput::new(Box::new(rows), "SQL").with_memory(memory);
            let mut cells = Box::new(input).cells(&fields).map_err(of_query)?;
            while let Some(batch) = cells.next().map_err(of_query)? {
                delete.add(&batch).map_err(failed)?;
            }
            if let Some(deletion) = delete.commit().map_err(failed)? {
                return Ok(deletion.taken);
            }
        }
    }
}

/// Returns the error with a way around it.
fn refused(source: &Source, error: DeleteError) -> DataFusionError {
    let way_round = match error {
        DeleteError::SharedCoordinates { .. } => {
            "compare columns with values, joined by AND, OR and NOT: such a condition is stored itself; or write the cells that stay \
             into another array: COPY (SELECT … WHERE NOT …) TO '…' STORED AS TILEDB"
        }
        DeleteError::TooManyPlaces { .. } => {
            "delete them in parts: a range of a dimension in WHERE makes them fewer"
        }
        error => return source.failed(error),
    };
    plan_datafusion_err!("{}: {error}\n{way_round}", source.uri)
}
