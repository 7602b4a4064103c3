//! Arrays, and the statements that are run over them.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::UInt64Array;
use datafusion::catalog::{CatalogProviderList, DynamicFileCatalog, SchemaProvider};
use datafusion::common::{Result, TableReference, plan_err};
use datafusion::datasource::dynamic_file::DynamicListTableFactory;
use datafusion::datasource::provider::DefaultTableFactory;
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::execution::{SendableRecordBatchStream, SessionStateBuilder};
use datafusion::logical_expr::{
    Analyze, DdlStatement, DmlStatement, Expr, LogicalPlan, Prepare, ResetVariable, SetVariable,
    Statement as PlanStatement, WriteOp,
};
use datafusion::optimizer::analyzer::{Analyzer, AnalyzerRule};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use datafusion::sql::parser::{CopyToSource, CopyToStatement, Statement};

use crate::among::Among;
use crate::arrays::Arrays;
use crate::bounded_functions::BoundedFunctions;
use crate::copied::copy_to_files;
use crate::delete::{CellsToDelete, DeleteByQuery, condition_of, delete};
use crate::depth;
use crate::dropped::drop_table;
use crate::equal_projections::optimizer_rules;
use crate::error::{SqlError, external};
use crate::factory::{ArrayTables, TABLE_TYPE};
use crate::file_sizes::physical_rules;
use crate::finer::{FinerTimes, TimesOfText};
use crate::functions::with_functions;
use crate::group::GroupTables;
use crate::grouped_labels::GroupByCodes;
use crate::inserted;
use crate::joined_labels::JoinByCodes;
use crate::json_lines::{JSON_LINES, with_json_lines};
use crate::memory::{fit_to_memory, runtime};
use crate::named_by_uri::{Missing, NamedByUri};
use crate::packed::without_compression;
use crate::patterns::Patterns;
use crate::requests::AskForExtremes;
use crate::rows::hand_over;
use crate::statements;
use crate::table::{ArrayTable, array_of};
use crate::tables::{self, OwnTables};
use crate::update::{self, CellUpdate};
use crate::wide::WideIntegers;
use crate::years::Extract;
use crate::yielding::JoinsGiveWay;

/// Catalog for tables with a one-part name.
const CATALOG: &str = "datafusion";

/// Schema of that catalog.
const SCHEMA: &str = "public";

/// Arrays that are queried in SQL: by path or URI in quotes, by registered names, or as members of groups.
#[derive(Clone)]
pub struct Database {
    context: SessionContext,
    arrays: Arc<Arrays>,
    /// Catalogs, without the tables that are found by URI.
    catalogs: Arc<dyn CatalogProviderList>,
    missing: Arc<Missing>,
}

/// Result of a statement.
pub enum Answer {
    /// Rows with their schema.
    Rows(SendableRecordBatchStream),
    /// Number of cells that were written.
    Written(u64),
    /// Number of cells that were deleted.
    Deleted(u64),
    /// Number of cells with changed values.
    Changed(u64),
    /// No result.
    Done,
}

impl Database {
    /// Creates a database whose arrays are opened by `arrays`. DataFusion may use half of the memory of their
    /// session, and spills to the temporary folder of the system.
    ///
    /// # Errors
    /// [`SqlError`].
    pub fn new(arrays: Arc<Arrays>) -> Result<Self, SqlError> {
        Self::extended(arrays, |state| {
            state
                .with_optimizer_rule(Arc::new(GroupByCodes))
                .with_optimizer_rule(Arc::new(JoinByCodes))
                .with_physical_optimizer_rules(physical_rules())
        })
    }

    /// Like [`Database::new`], with a modified DataFusion state: another planner, or additional functions.
    ///
    /// # Errors
    /// [`SqlError`].
    pub fn extended(
        arrays: Arc<Arrays>,
        extend: impl FnOnce(SessionStateBuilder) -> SessionStateBuilder,
    ) -> Result<Self, SqlError> {
        let mut config = SessionConfig::new().with_target_partitions(arrays.session().threads());
        config = config.with_information_schema(true);
        fit_to_memory(&mut config, &arrays.session().limits().budget)?;
        let options = config.options_mut();
        // Text literals get the type of the array column that they are compared with.
        options.sql_parser.map_string_types_to_utf8view = false;
        // DataFusion 55.2 narrows the scan for several minima and maxima by the values known so far, and ignores
        // those that are null or have a condition of their own: the answer then depends on which partition comes
        // first.
        options.optimizer.enable_aggregate_dynamic_filter_pushdown = false;
        let factory = ArrayTables {
            arrays: Arc::clone(&arrays),
        };
        let runtime = runtime(&arrays, "the query")?;
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(Arc::clone(&runtime))
            .with_default_features();
        let mut state = with_functions(state)
            .with_optimizer_rules(optimizer_rules())
            .with_analyzer_rules(analyzer_rules(&runtime.memory_pool))
            .with_optimizer_rule(Arc::new(AskForExtremes))
            .with_physical_optimizer_rule(Arc::new(JoinsGiveWay))
            .with_table_factory(TABLE_TYPE.to_owned(), Arc::new(factory));
        for kind in JSON_LINES {
            let factory = Arc::new(DefaultTableFactory::new());
            state = state.with_table_factory(kind.to_uppercase(), factory);
        }
        let formats = state.file_formats();
        *formats = formats.take().map(with_json_lines);
        let planners = state.expr_planners().get_or_insert_default();
        planners.insert(0, Arc::new(WideIntegers));
        planners.insert(0, Arc::new(Extract));
        let plain = SessionContext::new_with_state(extend(state).build());
        let files = Arc::new(DynamicListTableFactory::default());
        let missing = Arc::new(Missing::default());
        let named = NamedByUri {
            arrays: Arc::clone(&arrays),
            files: Arc::clone(&files),
            missing: Arc::clone(&missing),
        };
        let catalogs = Arc::clone(plain.state().catalog_list());
        let dynamic = DynamicFileCatalog::new(Arc::clone(&catalogs), Arc::new(named));
        let state = plain
            .into_state_builder()
            .with_catalog_list(Arc::new(dynamic))
            .build();
        let context = SessionContext::new_with_state(state);
        files.session_store().with_state(context.state_weak_ref());
        Ok(Self {
            context,
            arrays,
            catalogs,
            missing,
        })
    }

    /// Returns DataFusion's own context, for what this type does not offer: data frames, additional functions.
    /// `DELETE` works only through [`Database::run`].
    #[must_use]
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// Registers an open array under a name.
    ///
    /// # Errors
    /// A name that another table has.
    pub fn register(&self, name: &str, table: ArrayTable) -> Result<(), SqlError> {
        self.context.register_table(name, Arc::new(table))?;
        Ok(())
    }

    /// Lets queries name the arrays of a group by their names in it, and those of nested groups in its folder as
    /// `ms.RNA.var`.
    ///
    /// # Errors
    /// A place without a group.
    pub async fn register_group(&self, uri: &str) -> Result<(), SqlError> {
        let (arrays, asked) = (Arc::clone(&self.arrays), uri.to_owned());
        let members = tokio::task::spawn_blocking(move || arrays.members(&asked).map_err(external))
            .await
            .map_err(external)??;
        let Some(members) = members else {
            return Err(SqlError::statement(format!("{uri} is no group")));
        };
        let lacking = || SqlError::Bug("DataFusion lacks its own catalog or schema".to_owned());
        let catalog = self.catalogs.catalog(CATALOG).ok_or_else(lacking)?;
        let others = catalog.schema(SCHEMA).ok_or_else(lacking)?;
        let tables = GroupTables::new(Arc::clone(&self.arrays), members, others);
        catalog.register_schema(SCHEMA, Arc::new(tables))?;
        Ok(())
    }

    /// Parses a text into its statements, which are separated by semicolons. Deeply nested ones need a large stack.
    ///
    /// # Errors
    /// Text that is not SQL; a statement with thousands of operators.
    pub fn statements(&self, sql: &str) -> Result<VecDeque<Statement>, SqlError> {
        depth::check(sql)?;
        Ok(statements::parse(sql)?)
    }

    /// Runs one statement. Rows are produced as they are consumed; changes of an array are complete when this
    /// returns.
    ///
    /// # Errors
    /// A statement that cannot be answered; errors of arrays.
    pub async fn run(&self, statement: Statement) -> Result<Answer, SqlError> {
        self.missing.take();
        self.arrays.begin_statement();
        let text = statement.to_string();
        let answer = self.answer_named(statement).await;
        answer.map_err(|error| match self.missing.take() {
            Some(source) if error.is_missing_table() => SqlError::Array {
                place: None,
                source: source.into(),
            },
            _ => error.with_quotes_of(&text),
        })
    }

    /// Runs a statement with temporary tables of its own, which are no longer needed when rows are returned.
    async fn answer_named(&self, mut statement: Statement) -> Result<Answer, SqlError> {
        let schema = self.schema()?;
        let timed = tables::rename(&mut statement, &*schema);
        let mut own = OwnTables::new(&self.context);
        for timed in timed {
            own.add(timed, &self.arrays).await?;
        }
        self.answer(statement).await
    }

    /// Returns the schema for tables with a one-part name.
    fn schema(&self) -> Result<Arc<dyn SchemaProvider>, SqlError> {
        let schema = self
            .catalogs
            .catalog(CATALOG)
            .and_then(|catalog| catalog.schema(SCHEMA));
        schema.ok_or_else(|| SqlError::Bug("DataFusion lacks its own catalog or schema".to_owned()))
    }

    async fn answer(&self, statement: Statement) -> Result<Answer, SqlError> {
        if let Statement::CopyTo(copy) = &statement
            && copy
                .stored_as
                .as_ref()
                .is_some_and(|kind| kind.eq_ignore_ascii_case(TABLE_TYPE))
        {
            return self.copy(copy.clone()).await;
        }
        if let Some(update) = update::planned(&self.context, &statement).await? {
            return self.update(update).await;
        }
        let state = self.context.state();
        let mut plan = match inserted::plan(&state, &statement).await? {
            Some(plan) => plan,
            None => state.statement_to_plan(statement).await?,
        };
        if let LogicalPlan::Ddl(DdlStatement::CreateExternalTable(asked)) = &mut plan {
            without_compression(asked)?;
        }
        match &plan {
            LogicalPlan::Dml(dml) if matches!(dml.op, WriteOp::Delete) => {
                if let Some(table) = array_of(&dml.target) {
                    return self.delete(&table, dml).await;
                }
            }
            LogicalPlan::Dml(dml) if matches!(dml.op, WriteOp::Insert(_)) => {
                if let Some(table) = array_of(&dml.target) {
                    let name = dml.table_name.clone();
                    return self.insert(&table, name, plan).await;
                }
            }
            LogicalPlan::Ddl(DdlStatement::DropTable(drop)) => {
                drop_table(&self.context, drop).await?;
                return Ok(Answer::Done);
            }
            LogicalPlan::Statement(
                PlanStatement::SetVariable(SetVariable { variable, .. })
                | PlanStatement::ResetVariable(ResetVariable { variable }),
            ) if variable.starts_with("datafusion.runtime.") => {
                let what = format!(
                    "{variable} is given when SQL begins, not by a statement: --memory and --temp of `tdb sql`, the \
                     session in Rust"
                );
                return Err(SqlError::statement(what));
            }
            LogicalPlan::Copy(copy) => {
                let rows = copy_to_files(&self.context, &self.arrays, copy.clone()).await?;
                return Ok(Answer::Rows(rows));
            }
            LogicalPlan::Explain(explain) if matches!(&*explain.plan, LogicalPlan::Dml(dml) if !matches!(dml.op, WriteOp::Insert(_))) =>
            {
                let what = "DELETE and UPDATE have no plan of DataFusion: EXPLAIN SELECT with the same WHERE shows which cells they look at";
                return Err(SqlError::statement(what));
            }
            LogicalPlan::Analyze(Analyze { input, .. })
            | LogicalPlan::Statement(PlanStatement::Prepare(Prepare { input, .. }))
                if matches!(&**input, LogicalPlan::Dml(_) | LogicalPlan::Copy(_)) =>
            {
                let what = "what changes an array, or makes files, is neither prepared nor analyzed: run the statement itself";
                return Err(SqlError::statement(what));
            }
            _ => {}
        }
        let gives_none = match &plan {
            LogicalPlan::Statement(statement) => !matches!(statement, PlanStatement::Execute(_)),
            plan => matches!(plan, LogicalPlan::Ddl(_)),
        };
        let frame = self.context.execute_logical_plan(plan).await?;
        let rows = frame.execute_stream().await?;
        if gives_none {
            Ok(Answer::Done)
        } else {
            Ok(Answer::Rows(rows))
        }
    }

    /// Runs a `DELETE`. The condition is taken from the plan as written, before the optimizer evaluates parts of it.
    async fn delete(&self, table: &ArrayTable, dml: &DmlStatement) -> Result<Answer, SqlError> {
        let plan = LogicalPlan::Dml(dml.clone());
        let state = self.context.state();
        let options = state.config_options();
        let analyzed = state
            .analyzer()
            .execute_and_check(plan, options, |_, _| {})?;
        let LogicalPlan::Dml(analyzed) = analyzed else {
            return Err(SqlError::Bug("a DELETE that is none".to_owned()));
        };
        table.check_is_of_now()?;
        let newest = reopened(table).await?;
        let stored = match condition_of(&newest, &analyzed.input, &state)? {
            CellsToDelete::None => Some(0),
            CellsToDelete::Cells { condition, counted } => {
                let counted = match counted {
                    Some(predicate) => Some(self.count(&newest, predicate).await?),
                    None => None,
                };
                waited(move || delete(&newest, &condition, counted)).await?
            }
            CellsToDelete::Query => None,
        };
        let cells = match stored {
            Some(cells) => cells,
            None => {
                let found = DeleteByQuery::new(&self.context, table, &dml.input)?;
                waited(move || found.delete()).await?
            }
        };
        self.refresh(&dml.table_name, table, cells).await?;
        Ok(Answer::Deleted(cells))
    }

    async fn update(&self, update: CellUpdate) -> Result<Answer, SqlError> {
        let (name, table) = (update.name.clone(), update.table.clone());
        let (context, arrays) = (self.context.clone(), Arc::clone(&self.arrays));
        let cells = waited(move || update.run(&context, &arrays)).await?;
        self.refresh(&name, &table, cells).await?;
        Ok(Answer::Changed(cells))
    }

    /// Returns the number of cells for which a condition is true.
    async fn count(&self, table: &ArrayTable, predicate: Expr) -> Result<u64, SqlError> {
        let cells = self.context.read_table(Arc::new(table.clone()))?;
        Ok(cells.filter(predicate)?.count().await? as u64)
    }

    async fn insert(
        &self,
        table: &ArrayTable,
        name: TableReference,
        plan: LogicalPlan,
    ) -> Result<Answer, SqlError> {
        let rows = self
            .context
            .execute_logical_plan(plan)
            .await?
            .collect()
            .await?;
        let mut written = 0_u64;
        for batch in &rows {
            let column = batch.columns().first();
            let counts = column.and_then(|column| column.as_any().downcast_ref::<UInt64Array>());
            let Some(counts) = counts else {
                return Err(SqlError::Bug("an INSERT without a count".to_owned()));
            };
            written += counts.values().iter().sum::<u64>();
        }
        self.refresh(&name, table, written).await?;
        Ok(Answer::Written(written))
    }

    /// Reopens a registered table after `cells` of it were changed, so that the next statement sees the change.
    async fn refresh(
        &self,
        name: &TableReference,
        table: &ArrayTable,
        cells: u64,
    ) -> Result<(), SqlError> {
        if cells == 0 {
            return Ok(());
        }
        if !self.context.table_exist(name.clone())? {
            self.arrays.changed(table.uri(), table.array());
            return Ok(());
        }
        let newest = reopened(table).await?;
        self.arrays.changed(newest.uri(), newest.array());
        if self.context.deregister_table(name.clone())?.is_some() {
            self.context
                .register_table(name.clone(), Arc::new(newest))?;
        }
        Ok(())
    }

    /// Runs `COPY … TO '…' STORED AS TILEDB`.
    async fn copy(&self, copy: CopyToStatement) -> Result<Answer, SqlError> {
        let frame = self.copied(&copy).await?;
        let options: Vec<(String, String)> = copy
            .options
            .iter()
            .map(|(name, value)| {
                // The parser adds a prefix to a name without a dot.
                let name = name.strip_prefix("format.").unwrap_or(name);
                (
                    name.to_owned(),
                    value.to_string().trim_matches('\'').to_owned(),
                )
            })
            .collect();
        let arrays = Arc::clone(&self.arrays);
        let import = move |rows| {
            let cells = arrays.import(Box::new(rows), &copy.target, &options);
            cells.map_err(external)
        };
        let cells = hand_over(self.arrays.session(), frame.execute_stream().await?, import).await?;
        Ok(Answer::Written(cells))
    }

    async fn copied(&self, copy: &CopyToStatement) -> Result<DataFrame> {
        if !copy.partitioned_by.is_empty() {
            return plan_err!(
                "an array is not PARTITIONED BY columns; the option 'dim' names its dimensions"
            );
        }
        let statement = match &copy.source {
            CopyToSource::Relation(name) => {
                statements::parse(&format!("SELECT * FROM {name}"))?.pop_front()
            }
            CopyToSource::Query(query) => statements::parse(&query.to_string())?.pop_front(),
        };
        let Some(statement) = statement else {
            return plan_err!("COPY without a query");
        };
        let plan = self.context.state().statement_to_plan(statement).await?;
        self.context.execute_logical_plan(plan).await
    }
}

/// Returns the rules of DataFusion, with those about types and memory before and after them.
fn analyzer_rules(pool: &Arc<dyn MemoryPool>) -> Vec<Arc<dyn AnalyzerRule + Send + Sync>> {
    let mut rules = Analyzer::new().rules;
    rules.insert(0, Arc::new(TimesOfText));
    rules.push(Arc::new(FinerTimes));
    rules.push(Arc::new(Among));
    rules.push(Arc::new(Patterns));
    rules.push(Arc::new(BoundedFunctions {
        pool: Arc::clone(pool),
    }));
    rules
}

/// Runs blocking work, which waits for stores, on a thread for it.
async fn waited<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(external)?
}

/// Returns the table with all writes up to now.
async fn reopened(table: &ArrayTable) -> Result<ArrayTable> {
    let table = table.clone();
    waited(move || table.reopened()).await
}
