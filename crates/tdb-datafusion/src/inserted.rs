//! Plan of an `INSERT` whose rows keep the types of the query.
//!
//! DataFusion casts them to the types of the table, which truncates fractions and times. Here the array receives the
//! values as written, and reports what it cannot hold.

use std::sync::Arc;

use arrow_schema::DataType as ArrowType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result, plan_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{DmlStatement, Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    CastKind, DataType, ExactNumberInfo, Expr as Parse, Ident, Query, SetExpr, Statement as Parsed,
    TimezoneInfo, Value, Values,
};

use crate::statements;
use crate::table::array_of;

/// Returns the plan of a statement if it inserts rows of a query into an array.
pub(crate) async fn plan(
    state: &SessionState,
    statement: &Statement,
) -> Result<Option<LogicalPlan>> {
    let Some(query) = query_of(statement) else {
        return Ok(None);
    };
    let mut query = query.clone();
    let columns = match &*query.body {
        SetExpr::Values(values) => values.rows.first().map_or(0, |row| row.content.len()),
        _ => plan_of(state, &query).await?.schema().fields().len(),
    };
    let mut skeleton = statement.clone();
    if let Statement::Statement(parsed) = &mut skeleton
        && let Parsed::Insert(insert) = &mut **parsed
    {
        insert.source = Some(nulls(columns)?);
    }
    let skeleton = state.statement_to_plan(skeleton).await?;
    let LogicalPlan::Dml(insert) = skeleton else {
        return plan_err!("an INSERT that is none");
    };
    if array_of(&insert.target).is_none() {
        return Ok(None);
    }
    let places = Places::of(&insert)?;
    if let SetExpr::Values(values) = &mut *query.body {
        places.type_texts(values, &insert);
    }
    let rows = plan_of(state, &query).await?;
    places.with_rows(&insert, rows).map(Some)
}

async fn plan_of(state: &SessionState, query: &Query) -> Result<LogicalPlan> {
    let query = Statement::Statement(Box::new(Parsed::Query(Box::new(query.clone()))));
    state.statement_to_plan(query).await
}

fn query_of(statement: &Statement) -> Option<&Query> {
    let Statement::Statement(parsed) = statement else {
        return None;
    };
    match &**parsed {
        Parsed::Insert(insert) => insert.source.as_deref(),
        _ => None,
    }
}

/// Prefix of the columns of a placeholder query.
const PLACE: &str = "place_";

/// Returns a placeholder query with this number of columns, all of them null, which fit every table.
fn nulls(columns: usize) -> Result<Box<Query>> {
    let columns = (0..columns).map(|place| format!("NULL AS {PLACE}{place}"));
    let query = format!("SELECT {}", columns.collect::<Vec<_>>().join(", "));
    let parsed = statements::parse(&query)?.pop_front();
    match parsed {
        Some(Statement::Statement(parsed)) => match *parsed {
            Parsed::Query(query) => Ok(query),
            _ => plan_err!("a query that is none"),
        },
        _ => plan_err!("a query that is none"),
    }
}

/// Columns of a table, with their source in the statement.
struct Places {
    columns: Vec<Expr>,
    /// Index of the source column in the rows, for each column of the table; `None` if the statement does not name
    /// the column.
    places: Vec<Option<usize>>,
}

impl Places {
    /// Finds the sources in the plan of an insertion of placeholder rows.
    fn of(insert: &DmlStatement) -> Result<Self> {
        let LogicalPlan::Projection(columns) = &*insert.input else {
            return plan_err!("an INSERT whose columns are not known");
        };
        let places = columns.expr.iter().map(place_of);
        Ok(Self {
            places: places.collect::<Result<_>>()?,
            columns: columns.expr.clone(),
        })
    }

    /// Returns the insertion with the actual rows in place of the placeholders.
    fn with_rows(&self, insert: &DmlStatement, rows: LogicalPlan) -> Result<LogicalPlan> {
        let own: Vec<Expr> = self
            .columns
            .iter()
            .zip(&self.places)
            .map(|(column, place)| {
                let name = column.schema_name().to_string();
                match place {
                    Some(place) => {
                        let own = rows.schema().qualified_field(*place);
                        Expr::Column(Column::from(own)).alias(name)
                    }
                    // Columns that the statement does not name are null.
                    None => column.clone(),
                }
            })
            .collect();
        let input = LogicalPlanBuilder::from(rows).project(own)?.build()?;
        let insert = DmlStatement::new(
            insert.table_name.clone(),
            Arc::clone(&insert.target),
            insert.op.clone(),
            input.into(),
        );
        Ok(LogicalPlan::Dml(insert))
    }

    /// Casts texts in columns of `VALUES` that also have values of other types: a column has one type.
    fn type_texts(&self, values: &mut Values, insert: &DmlStatement) {
        let schema = insert.target.schema();
        for (place, field) in self.places.iter().zip(schema.fields()) {
            let Some(place) = *place else {
                continue;
            };
            let Some(data_type) = typed(field.data_type()) else {
                continue;
            };
            let mut column = values.rows.iter().filter_map(|row| row.content.get(place));
            if column.all(|value| is_text(value) || is_null(value)) {
                continue;
            }
            let column = values
                .rows
                .iter_mut()
                .filter_map(|row| row.content.get_mut(place));
            for value in column.filter(|value| is_text(value)) {
                let text = std::mem::replace(value, Parse::Identifier(Ident::new("")));
                *value = Parse::Cast {
                    kind: CastKind::Cast,
                    expr: Box::new(text),
                    data_type: data_type.clone(),
                    array: false,
                    format: None,
                };
            }
        }
    }
}

/// Returns the SQL type that holds the values of a column exactly; `None` for text.
fn typed(column: &ArrowType) -> Option<DataType> {
    Some(match column {
        ArrowType::Date32 | ArrowType::Timestamp(..) => {
            DataType::Timestamp(None, TimezoneInfo::None)
        }
        ArrowType::Boolean => DataType::Boolean,
        column if column.is_floating() => DataType::Double(ExactNumberInfo::None),
        column if column.is_integer() => {
            DataType::Decimal(ExactNumberInfo::PrecisionAndScale(38, 10))
        }
        _ => return None,
    })
}

fn is_text(value: &Parse) -> bool {
    matches!(value, Parse::Value(value) if matches!(value.value, Value::SingleQuotedString(_)))
}

fn is_null(value: &Parse) -> bool {
    matches!(value, Parse::Value(value) if value.value == Value::Null)
}

/// Returns the index of the source column of a table column.
fn place_of(column: &Expr) -> Result<Option<usize>> {
    let mut place = None;
    column.apply(|part| {
        if let Expr::Column(column) = part {
            place = column
                .name
                .strip_prefix(PLACE)
                .and_then(|place| place.parse().ok());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(place)
}
