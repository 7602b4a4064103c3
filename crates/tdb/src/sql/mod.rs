//! Questions in SQL.

mod arrays;
#[cfg(feature = "distributed")]
mod cluster;
mod errors;
mod history;
mod made;
mod replace;
mod rows;
mod threads;
#[cfg(feature = "distributed")]
mod worker;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tdb_datafusion::{Answer as Given, ArrayTable, Arrays, Database, Statement};

use self::arrays::OfContext;
use self::errors::told;
use self::history::Warnings;
pub use self::rows::Rows;
use self::threads::Threads;
#[cfg(feature = "distributed")]
pub use self::worker::Worker;
use crate::{Array, Context, Error, ErrorKind, Result, Time};

/// Arrays that are asked in SQL, by path or URI in quotes, or by names that they are given.
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
    arrays: Arc<OfContext>,
    database: Database,
    threads: Threads,
}

/// What a statement came to.
#[non_exhaustive]
pub enum Answer {
    /// Rows.
    Rows(Rows),
    /// So many cells were written.
    Written(u64),
    /// So many cells were deleted.
    Deleted(u64),
    /// So many cells have other values.
    Changed(u64),
    /// Nothing.
    Done,
}

impl Context {
    /// Arrays as they are now, to be asked in SQL with the threads of the context: at most half of its memory is
    /// for what DataFusion makes of the rows, which is kept in the temporary folder of the system where it needs more.
    ///
    /// # Errors
    /// Where the system starts no threads.
    pub fn sql(&self) -> Result<Sql> {
        self.database(Time(0), None)
    }

    /// As [`Context::sql`], of arrays as they were at a time, which no statement changes; tables can name another.
    ///
    /// # Errors
    /// As for [`Context::sql`].
    pub fn sql_at(&self, time: impl Into<Time>) -> Result<Sql> {
        self.sql_between(Time(0), time)
    }

    /// As [`Context::sql`], of what was written from `since` until `until`, both included.
    ///
    /// # Errors
    /// As for [`Context::sql`].
    pub fn sql_between(&self, since: impl Into<Time>, until: impl Into<Time>) -> Result<Sql> {
        self.database(since.into(), Some(until.into()))
    }

    /// As [`Context::sql`], of what was written since a time. But for time 0, no statement changes an array then.
    ///
    /// # Errors
    /// As for [`Context::sql`].
    pub fn sql_since(&self, since: impl Into<Time>) -> Result<Sql> {
        self.database(since.into(), None)
    }

    fn database(&self, since: Time, until: Option<Time>) -> Result<Sql> {
        let context = self.clone();
        #[cfg(feature = "distributed")]
        let context = context.with_workers_afresh();
        let arrays = Arc::new(OfContext {
            context: context.clone(),
            since,
            until,
            began: AtomicU64::new(Time::now().0),
            warnings: Warnings::default(),
        });
        let opener: Arc<dyn Arrays> = Arc::clone(&arrays) as _;
        let runtime = threads::start(self.shared_session().threads())?;
        #[cfg(feature = "distributed")]
        let database = context.database_of(opener, &runtime)?;
        #[cfg(not(feature = "distributed"))]
        let database = Database::new(opener).map_err(told)?;
        Ok(Sql {
            context,
            arrays,
            database,
            threads: Threads::new(runtime),
        })
    }
}

impl Sql {
    /// The same, which tells in a sentence what is odd about an array that a statement reads, each oddity once: also what can no longer be
    /// read of the time that is asked about ([`Array::gaps`]). The first listener stays.
    #[must_use]
    pub fn warnings(self, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.arrays.warnings.tell_to(listener);
        self
    }

    /// The same, whose statements fail where something can no longer be read of the time that is asked about.
    #[must_use]
    pub fn whole_history(self, whole: bool) -> Self {
        let warnings = &self.arrays.warnings;
        warnings.whole_history.store(whole, Ordering::Relaxed);
        self
    }

    /// Gives an array a name. It stays as it was when it was opened, but for what is changed through this.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn register(&self, name: &str, array: &Array) -> Result<()> {
        let session = self.context.shared_session().clone();
        let table = ArrayTable::new(Arc::clone(array.engine()), session, array.uri());
        let table = table.map_err(|error| told(error.into()))?;
        self.database.register(name, table).map_err(told)
    }

    /// Lets statements name the arrays of a group by their names in it.
    ///
    /// # Errors
    /// Where there is no group.
    pub fn group(&self, uri: &str) -> Result<()> {
        let register = self.database.register_group(uri);
        let registered = self.threads.handle().block_on(register);
        registered.map_err(told)
    }

    /// Runs one statement that gives rows. They come as they are taken.
    ///
    /// # Errors
    /// A statement that cannot be answered, or several, or one that gives no rows.
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

    /// Runs statements, which semicolons end, one after the other, and hands on what each came to. What comes after an error is not
    /// run.
    ///
    /// # Errors
    /// Text that is no SQL, of which nothing is run then; a statement that cannot be answered; errors of `take`.
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

    /// The database beneath, which has DataFusion's own context, for what has no door here.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    fn statements(&self, sql: &str) -> Result<VecDeque<Statement>> {
        let (database, text) = (self.database.clone(), sql.to_owned());
        let threads = self.threads.handle();
        let parse = threads.spawn_blocking(move || database.statements(&text));
        let parsed = threads.block_on(parse);
        let parsed = parsed.map_err(|error| Error::new(ErrorKind::Bug, error))?;
        parsed.map_err(|error| {
            // The place is that within a line.
            let at = error.column().filter(|_| !sql.trim_end().contains('\n'));
            match at {
                Some(at) => told(error).in_text(sql.trim_end(), at),
                None => told(error),
            }
        })
    }

    fn answer(&self, statement: Statement) -> Result<Answer> {
        let database = self.database.clone();
        // Plans are deep where conditions are, and the threads of the runtime have room for that.
        #[cfg(feature = "distributed")]
        let run = {
            let context = self.context.clone();
            async move { context.run(&database, statement).await }
        };
        #[cfg(not(feature = "distributed"))]
        let run = async move { database.run(statement).await };
        let threads = self.threads.handle();
        let given = threads.block_on(threads.spawn(run));
        let given = given.map_err(|error| Error::new(ErrorKind::Bug, error))?;
        Ok(match given.map_err(told)? {
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
