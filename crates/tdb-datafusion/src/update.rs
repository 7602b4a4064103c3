//! `UPDATE`: cells for which a condition is true get new values, computed from the old ones.
//!
//! DataFusion casts the new values to the types of the table, which truncates fractions and times. Here the statement
//! becomes a query for the coordinates of the cells and their new values, and the array reports what it cannot hold,
//! as for `INSERT`.

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result, TableReference, plan_datafusion_err, plan_err};
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::Statement;
use datafusion::sql::planner::object_name_to_table_reference;
use datafusion::sql::sqlparser::ast::{
    Assignment, AssignmentTarget, Expr, Ident, SelectItem, SetExpr, Statement as Parsed,
    TableFactor, TableWithJoins, Update, UpdateTableFromKind,
};
use tdb_cells::files::{InputError, InputPlace};
use tdb_schema::names::hint;
use tokio::runtime::Handle;

use crate::arrays::Arrays;
use crate::boxed_error::BoxedError;
use crate::cell_places::CellPlaces;
use crate::error::{SqlError, external};
use crate::insert::of_query;
use crate::seen::CellQuery;
use crate::source::Source;
use crate::statements;
use crate::storable::Storable;
use crate::table::{ArrayTable, of_provider};

/// Statement that changes cells of an array.
pub(crate) struct CellUpdate {
    pub(crate) name: TableReference,
    pub(crate) table: ArrayTable,
    /// Fields of the rows, in order: all dimensions, and the attributes that are set.
    fields: Vec<String>,
    rows: LogicalPlan,
}

/// Plans a statement; `None` if it is not an `UPDATE`.
pub(crate) async fn planned(
    context: &SessionContext,
    statement: &Statement,
) -> Result<Option<CellUpdate>> {
    let Some(update) = update_of(statement) else {
        return Ok(None);
    };
    let TableFactor::Table { name, .. } = &update.table.relation else {
        return plan_err!("UPDATE changes one array: UPDATE t SET …");
    };
    let state = context.state();
    let normalizes = state.config_options().sql_parser.enable_ident_normalization;
    let name = object_name_to_table_reference(name.clone(), normalizes)?;
    let schema = state.schema_for_ref(name.clone())?;
    let Some(provider) = schema.table(name.table()).await? else {
        // Same text as for an unknown table in queries.
        return plan_err!("table '{name}' not found");
    };
    let Some(table) = of_provider(&*provider) else {
        return plan_err!(
            "UPDATE changes cells of arrays, and {name} is none: COPY (SELECT …) makes another file"
        );
    };
    table.check_is_of_now()?;
    check(update, table.source())?;
    let assigned = assigned(update, table.source(), normalizes)?;
    let rows = query_of(update, table.source(), &assigned)?;
    let rows = state.statement_to_plan(rows).await?;
    let dimensions = table.array().schema().dimensions.iter();
    let fields = dimensions
        .map(|dimension| dimension.name.clone())
        .chain(assigned.iter().map(|(attribute, _)| attribute.clone()));
    Ok(Some(CellUpdate {
        name,
        fields: fields.collect(),
        table,
        rows,
    }))
}

impl CellUpdate {
    /// Changes the cells, and returns their number. Waits for the store.
    pub(crate) fn run(self, context: &SessionContext, arrays: &Arrays) -> Result<u64> {
        let source = Arc::clone(self.table.source());
        let seen = CellQuery {
            context: context.clone(),
            plan: self.rows,
            source: Arc::clone(&source),
            threads: Handle::current(),
        };
        let places = Arc::new(CellPlaces::new(source.array.schema().dimensions.len()));
        let mut rows = |array: &_| {
            let (fields, table) = seen.source.part(&self.fields)?;
            let rows = Storable::new(seen.rows(array)?, fields, table).noting(&places);
            Ok(Box::new(rows) as _)
        };
        let changed = arrays.replace(&source.array, &source.uri, &mut rows);
        changed.map_err(|error| refused(error, &places, &source))
    }
}

/// Returns the error; if it is about a row, with the coordinates of its cell.
fn refused(error: BoxedError, places: &CellPlaces, source: &Source) -> DataFusionError {
    let error = match error.downcast::<InputError>() {
        Ok(error) => of_query(*error),
        Err(error) => external(error),
    };
    let of_cell = match SqlError::from(error) {
        SqlError::Array { source: error, .. } => match error.downcast::<InputError>() {
            Ok(error) => *error,
            Err(error) => return external(error),
        },
        error => return external(error),
    };
    let InputError::Cell {
        field,
        place: InputPlace::Row(row),
        what,
        hint,
    } = &of_cell
    else {
        return external(of_cell);
    };
    let Some(place) = places.of(*row) else {
        return external(of_cell);
    };
    let hint = hint.map_or_else(String::new, |hint| format!("\n{hint}"));
    plan_datafusion_err!(
        "{}: {field:?} of the cell at {place}: {what}{hint}",
        source.uri
    )
}

fn update_of(statement: &Statement) -> Option<&Update> {
    let Statement::Statement(parsed) = statement else {
        return None;
    };
    match &**parsed {
        Parsed::Update(update) => Some(update),
        _ => None,
    }
}

/// Fails for clauses and arrays that `UPDATE` does not support.
fn check(update: &Update, source: &Source) -> Result<()> {
    let odd = [
        (!update.table.joins.is_empty(), "JOIN before SET"),
        (update.returning.is_some(), "RETURNING"),
        (update.output.is_some(), "OUTPUT"),
        (update.or.is_some(), "OR"),
        (!update.order_by.is_empty(), "ORDER BY"),
        (update.limit.is_some(), "LIMIT"),
        (!update.optimizer_hints.is_empty(), "hints"),
    ];
    if let Some((_, what)) = odd.iter().find(|(is_there, _)| *is_there) {
        return plan_err!(
            "UPDATE takes no {what}\nUPDATE t SET a = … FROM other WHERE … is its form, of which FROM and WHERE may be missing"
        );
    }
    if source.array.newest_schema().allows_duplicates {
        return plan_err!(
            "{} allows duplicates: a cell that is written replaces no other\nDELETE the cells, and INSERT them again",
            source.uri
        );
    }
    Ok(())
}

/// Returns the attributes that are set, with their values.
fn assigned(update: &Update, source: &Source, normalizes: bool) -> Result<Vec<(String, Expr)>> {
    let mut assigned: Vec<(String, Expr)> = Vec::new();
    for Assignment { target, value } in &update.assignments {
        let AssignmentTarget::ColumnName(name) = target else {
            return plan_err!("UPDATE sets one attribute at a time\nSET a = 1, b = 2");
        };
        let last = name.0.last().and_then(|part| part.as_ident());
        let Some(last) = last else {
            return plan_err!("{name} is no attribute");
        };
        let attribute = match last.quote_style {
            None if normalizes => last.value.to_lowercase(),
            _ => last.value.clone(),
        };
        let schema = source.array.schema();
        if schema.dimension_index(&attribute).is_some() {
            return plan_err!(
                "{attribute:?} is a dimension: cells cannot be moved\nDELETE the cell, and INSERT another"
            );
        }
        let mut known = schema.attributes.iter().map(|known| known.name.as_str());
        if !known.any(|known| known == attribute) {
            let known = schema.attributes.iter().map(|known| known.name.as_str());
            let hint = hint("attribute", &attribute, known);
            return plan_err!("there is no attribute {attribute:?}\n{hint}");
        }
        if assigned.iter().any(|(other, _)| *other == attribute) {
            return plan_err!("{attribute:?} is set twice");
        }
        assigned.push((attribute, value.clone()));
    }
    Ok(assigned)
}

/// Returns the query for the coordinates of the cells and their new values.
fn query_of(update: &Update, source: &Source, assigned: &[(String, Expr)]) -> Result<Statement> {
    let mut statement = statement_of("SELECT 1")?;
    let Statement::Statement(parsed) = &mut statement else {
        return plan_err!("a query that is none");
    };
    let Parsed::Query(query) = &mut **parsed else {
        return plan_err!("a query that is none");
    };
    let SetExpr::Select(select) = &mut *query.body else {
        return plan_err!("a query that is none");
    };
    let others = match &update.from {
        None => &[][..],
        Some(UpdateTableFromKind::BeforeSet(others) | UpdateTableFromKind::AfterSet(others)) => {
            others
        }
    };
    let qualifier = qualifier(&update.table);
    let dimensions = source.array.schema().dimensions.iter().map(|dimension| {
        let name = Ident::with_quote('"', &dimension.name);
        let mut path = qualifier.clone();
        path.push(name.clone());
        SelectItem::ExprWithAlias {
            expr: Expr::CompoundIdentifier(path),
            alias: name,
        }
    });
    let values = assigned
        .iter()
        .map(|(attribute, value)| SelectItem::ExprWithAlias {
            expr: value.clone(),
            alias: Ident::with_quote('"', attribute),
        });
    select.projection = dimensions.chain(values).collect();
    select.from = std::iter::once(update.table.clone())
        .chain(others.iter().cloned())
        .collect();
    select.selection.clone_from(&update.selection);
    Ok(statement)
}

/// Returns the qualifier of the columns of a table.
fn qualifier(table: &TableWithJoins) -> Vec<Ident> {
    match &table.relation {
        TableFactor::Table {
            alias: Some(alias), ..
        } => vec![alias.name.clone()],
        TableFactor::Table { name, .. } => {
            let parts = name.0.iter().filter_map(|part| part.as_ident());
            // Text in single quotes in place of a table is a name.
            let quoted = parts.map(|part| match part.quote_style {
                Some(_) => Ident::with_quote('"', &part.value),
                None => part.clone(),
            });
            quoted.collect()
        }
        _ => Vec::new(),
    }
}

fn statement_of(sql: &str) -> Result<Statement> {
    match statements::parse(sql)?.pop_front() {
        Some(statement) => Ok(statement),
        None => plan_err!("a query that is none"),
    }
}
