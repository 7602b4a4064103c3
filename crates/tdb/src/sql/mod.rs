//! SQL over arrays.

#[cfg(feature = "distributed")]
mod cluster;
mod errors;
mod rows;
mod threads;
#[cfg(feature = "distributed")]
mod worker;

use std::collections::VecDeque;
use std::sync::Arc;

use tdb_datafusion::{Answer as Given, ArrayTable, Arrays, Database, Statement};
use tdb_open::{Error, ErrorKind, Result, Time};

use self::errors::of_sql;
pub use self::rows::Rows;
use self::threads::Threads;
#[cfg(feature = "distributed")]
pub use self::worker::Worker;
use crate::{Array, Context};

/// An SQL database whose tables are arrays, named by a quoted path or URI, or by a registered name.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let (file, uri) = (folder.path().join("orders.csv"), folder.path().join("orders"));
/// # let uri = uri.to_str().expect("a path of text");
/// std::fs::write(&file, "id,town,amount\n7,Bergen,12.5\n9,Oslo,3\n12,Bergen,1\n")?;
/// tdb::import(&file, uri)?;
/// let sql = tdb::Context::new().sql()?;
/// sql.register("orders", &tdb::open(uri)?)?;
/// let batch = sql.query("select town, sum(amount) as total from orders group by town order by town")?.to_arrow()?;
/// assert_eq!(batch.num_rows(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sql {
    context: Context,
    arrays: Arc<Arrays>,
    database: Database,
    threads: Threads,
}

/// Result of a statement.
#[non_exhaustive]
pub enum Answer {
    /// The statement returns rows.
    Rows(Rows),
    /// Number of cells written.
    Written(u64),
    /// Number of cells deleted.
    Deleted(u64),
    /// Number of cells whose values were changed.
    Changed(u64),
    /// The statement has no result.
    Done,
}

impl Context {
    /// Opens a database over arrays as they are now, with the threads of the context. DataFusion gets at most half of
    /// the memory, and spills to the system's temporary folder.
    ///
    /// # Errors
    /// Fails if the system cannot start threads.
    pub fn sql(&self) -> Result<Sql> {
        self.database(Time(0), None)
    }

    /// As [`Context::sql`], for arrays as they were at a time. Statements cannot change them, and tables can name
    /// another time.
    ///
    /// # Errors
    /// As for [`Context::sql`].
    pub fn sql_at(&self, time: impl Into<Time>) -> Result<Sql> {
        self.sql_between(Time(0), time)
    }

    /// As [`Context::sql`], for writes from `since` to `until`, both inclusive.
    ///
    /// # Errors
    /// As for [`Context::sql`].
    pub fn sql_between(&self, since: impl Into<Time>, until: impl Into<Time>) -> Result<Sql> {
        self.database(since.into(), Some(until.into()))
    }

    /// As [`Context::sql`], for writes since a time. Unless the time is 0, statements cannot change arrays.
    ///
    /// # Errors
    /// As for [`Context::sql`].
    pub fn sql_since(&self, since: impl Into<Time>) -> Result<Sql> {
        self.database(since.into(), None)
    }

    fn database(&self, since: Time, until: Option<Time>) -> Result<Sql> {
        #[cfg(feature = "distributed")]
        let context = self.clone().with_workers_afresh();
        #[cfg(not(feature = "distributed"))]
        let context = self.clone();
        let arrays = Arrays::new(context.open_context().clone()).between(since, until);
        let arrays = Arc::new(arrays);
        let opener = Arc::clone(&arrays);
        let runtime = threads::start(self.shared_session().threads())?;
        #[cfg(feature = "distributed")]
        let database = context.database_of(opener, &runtime)?;
        #[cfg(not(feature = "distributed"))]
        let database = Database::new(opener).map_err(of_sql)?;
        Ok(Sql {
            context,
            arrays,
            database,
            threads: Threads::new(runtime),
        })
    }
}

impl Sql {
    /// Reports oddities of the arrays that statements read to `listener`, each once, including parts of the requested
    /// time that can no longer be read ([`Array::gaps`](crate::OpenArray::gaps)). A second listener is ignored.
    #[must_use]
    pub fn warnings(self, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.arrays.warnings().tell_to(listener);
        self
    }

    /// Sets whether statements fail if a part of the requested time can no longer be read.
    #[must_use]
    pub fn whole_history(self, whole: bool) -> Self {
        self.arrays.warnings().refuse_gaps(whole);
        self
    }

    /// Registers an array under a name. It stays as it was when it was opened, except for changes made through this
    /// database.
    ///
    /// # Errors
    /// Fails if the name is taken.
    pub fn register(&self, name: &str, array: &Array) -> Result<()> {
        let session = self.context.shared_session().clone();
        let table = ArrayTable::new(Arc::clone(array.engine()), session, array.uri())
            .map_err(|error| of_sql(error.into()))?;
        self.database.register(name, table).map_err(of_sql)
    }

    /// Registers the arrays of a group under their names in the group.
    ///
    /// # Errors
    /// Fails if there is no such group.
    pub fn group(&self, uri: &str) -> Result<()> {
        let register = self.database.register_group(uri);
        let registered = self.threads.handle().block_on(register);
        registered.map_err(of_sql)
    }

    /// Runs a single statement that returns rows, which are computed as they are taken.
    ///
    /// # Errors
    /// Fails if the statement fails, if there are several, or if it returns no rows.
    pub fn query(&self, sql: &str) -> Result<Rows> {
        let mut statements = self.statements(sql)?;
        let first = statements.pop_front();
        let Some(first) = first.filter(|_| statements.is_empty()) else {
            return Err(Error::invalid("one statement was expected"));
        };
        match self.answer(first)? {
            Answer::Rows(rows) => Ok(rows),
            _ => Err(Error::invalid("the statement gives no rows")),
        }
    }

    /// Runs statements separated by semicolons, and passes the result of each to `take`. The first error ends the run.
    ///
    /// # Errors
    /// Fails if the text is not SQL (then nothing is run), if a statement fails, or if `take` fails.
    pub fn run<E: From<Error>>(
        &self,
        sql: &str,
        mut take: impl FnMut(Answer) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        for statement in self.statements(sql)? {
            take(self.answer(statement)?)?;
        }
        Ok(())
    }

    /// Returns the underlying database, with DataFusion's own context.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    fn statements(&self, sql: &str) -> Result<VecDeque<Statement>> {
        let (database, text) = (self.database.clone(), sql.to_owned());
        let threads = self.threads.handle();
        let parse = threads.spawn_blocking(move || database.statements(&text));
        let parsed = threads
            .block_on(parse)
            .map_err(|error| Error::new(ErrorKind::Bug, error))?;
        parsed.map_err(|error| {
            // The position is a column, so it is only used for a text of one line.
            let at = error.column().filter(|_| !sql.trim_end().contains('\n'));
            match at {
                Some(at) => of_sql(error).in_text(sql.trim_end(), at),
                None => of_sql(error),
            }
        })
    }

    fn answer(&self, statement: Statement) -> Result<Answer> {
        let database = self.database.clone();
        // Plans of long conditions are deep, and the runtime's threads have stacks large enough for them.
        #[cfg(feature = "distributed")]
        let run = {
            let context = self.context.clone();
            async move { context.run(&database, statement).await }
        };
        #[cfg(not(feature = "distributed"))]
        let run = async move { database.run(statement).await };
        let threads = self.threads.handle();
        let given = threads
            .block_on(threads.spawn(run))
            .map_err(|error| Error::new(ErrorKind::Bug, error))?;
        Ok(match given.map_err(of_sql)? {
            Given::Rows(stream) => {
                let threads = self.threads.clone();
                Answer::Rows(Rows::new(stream, threads, self.context.clone()))
            }
            Given::Written(cells) => Answer::Written(cells),
            Given::Deleted(cells) => Answer::Deleted(cells),
            Given::Changed(cells) => Answer::Changed(cells),
            Given::Done => Answer::Done,
        })
    }
}
