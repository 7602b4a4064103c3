//! Queries answered by several worker processes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tdb::{Attribute, Cluster, Context, Datatype, Dimension, Schema, Sql, Token};
use tempfile::TempDir;

/// Number of rows: enough to occupy more than one worker.
const ROWS: i64 = 400_000;

/// Number of fragments that contain the rows.
const FRAGMENTS: i64 = 4;

/// A worker process, killed on drop.
struct Worker {
    process: Child,
    address: String,
}

impl Worker {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_for(
            folder,
            &folder.join("state").display().to_string(),
            arguments,
        )
    }

    /// Starts a worker in a folder, with the given folder for the user's state.
    fn start_for(folder: &Path, state: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tdb"));
        command.args(["worker", "--listen", "127.0.0.1:0", "--threads", "2"]);
        command.args(arguments).current_dir(folder);
        command.env("XDG_STATE_HOME", state);
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap();
        Self {
            address: address.to_owned(),
            process,
        }
    }

    /// Suspends the process; its connections stay open.
    fn stand_still(&self) {
        let pid = self.process.id().to_string();
        let stopped = Command::new("kill").args(["-STOP", &pid]).status();
        assert!(stopped.unwrap().success());
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Fails if the process has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts two workers that share the token in a folder, and returns them with the token.
fn workers(folder: &Path) -> ([Worker; 2], Token) {
    let workers = [(); 2].map(|()| Worker::start(folder, &[]));
    let token = Token::from_file(&folder.join("state/tdb/workers/token"));
    (workers, token.unwrap())
}

/// Creates a sparse array with several overlapping fragments and deleted cells.
fn orders(folder: &Path) -> String {
    let uri = folder.join("orders").display().to_string();
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("id", Datatype::Int64)
                .domain(0..=ROWS)
                .tile(1000),
        )
        .attribute(Attribute::new("town", Datatype::StringUtf8))
        .attribute(Attribute::new("amount", Datatype::Float64))
        .capacity(2000);
    let array = tdb::create(&uri, &schema.build().unwrap()).unwrap();
    for fragment in 0..FRAGMENTS {
        let ids: Vec<i64> = (0..ROWS).filter(|id| id % FRAGMENTS == fragment).collect();
        let towns = ids.iter().map(|id| format!("town {}", id * 7 % 13));
        let towns: Vec<String> = towns.collect();
        let amounts: Vec<f64> = ids.iter().map(|id| (id % 1000) as f64 / 8.0).collect();
        let write = array.write().column("id", ids).column("town", towns);
        write.column("amount", amounts).commit().unwrap();
    }
    let deleted = tdb::field("id")
        .ge(ROWS / 2)
        .and(tdb::field("id").lt(ROWS / 2 + 100));
    tdb::open(&uri).unwrap().delete(&deleted).unwrap();
    uri
}

/// Runs a query and returns its rows as text.
fn rows(context: &Context, query: &str) -> tdb::Result<String> {
    rows_of(&context.sql()?, query)
}

fn rows_of(sql: &Sql, query: &str) -> tdb::Result<String> {
    let rows = sql.query(query)?;
    let like = tdb::OutputFile::new("rows").format(tdb::FileFormat::Csv);
    let result = super::InMemory::default();
    rows.write_to(result.clone(), &like)?;
    let text = String::from_utf8(result.0.lock().unwrap().clone()).unwrap();
    Ok(text)
}

/// Exports the array to a Parquet file next to it.
fn as_file(context: &Context, uri: &str) {
    rows(
        context,
        &format!("copy (select * from '{uri}') to '{uri}.parquet'"),
    )
    .unwrap();
}

/// Queries with a defined row order, to be run on the array and on its file.
fn questions(uri: &str) -> Vec<String> {
    let questions = [
        "select count(*), sum(amount), min(id), max(town) from T",
        "select town, count(*), avg(amount) from T where amount > 3.5 and id < 300000 group by town order by town",
        "select id, amount from T order by id limit 20 offset 390000",
        "select id, town from T where id between 199990 and 200110 order by id",
        "select a.town, count(*) from T a join T b on a.id = b.id + 1 where b.amount = 10 group by a.town order by a.town",
        "select count(*) from (select distinct amount from T union all select id from T where id < 50)",
        "select id, sum(amount) over (order by id rows 3 preceding) s from T where id < 500 order by s, id",
        "select upper(town) u, count(distinct amount) from T where regexp_like(town, '[3-5]$') group by 1 order by 1",
        "select town, row_number() over (partition by town order by amount desc, id) r, id from T where id % 1000 = 3 order by town, r limit 20",
        "select town, max(amount) m from T group by town order by m desc, town limit 4",
        "select count(*) from T a left join T b on a.id = b.id and b.amount > 100 where b.id is null",
        "select town, sum(v.x) from T o join (values (1,2.5),(2,3.5),(100,4.5)) v(i,x) on o.id = v.i group by town order by town",
        "select distinct town from T where amount > (select avg(amount) from T) order by 1",
        "select count(*) from 'FILE' f join T o on f.id = o.id where o.amount < 50",
    ];
    let questions = questions.iter();
    questions
        .map(|q| {
            q.replace('T', "\u{0}")
                .replace("\u{0}", &format!("'{uri}'"))
                .replace("FILE", &format!("{uri}.parquet"))
        })
        .collect()
}

#[test]
fn two_workers_give_the_rows_of_one_process() {
    let folder = TempDir::new().unwrap();
    let uri = orders(folder.path());
    let (workers, token) = workers(folder.path());
    let addresses = workers.iter().map(|worker| &worker.address);
    let alone = Context::new().threads(2);
    as_file(&alone, &uri);
    let together = alone
        .clone()
        .cluster(Cluster::new(addresses, &token).unwrap());
    let mut shared = 0;
    for question in questions(&uri) {
        let wanted = rows(&alone, &question).unwrap();
        assert_eq!(rows(&together, &question).unwrap(), wanted, "{question}");
        let plan = rows(&together, &format!("explain {question}")).unwrap();
        shared += usize::from(plan.contains("DistributedExec"));
    }
    // Two of the queries need only a few cells, which one process reads alone.
    assert_eq!(shared, 12);
    // The client itself changes arrays, with rows from all workers.
    let sql = together.sql().unwrap();
    let statement = format!(
        "insert into '{uri}' select id + 1000 * 1000, town, amount from '{uri}' where id < 0; delete from '{uri}' where town = 'town 3'"
    );
    sql.run(&statement, |_| Ok::<_, tdb::Error>(())).unwrap();
    let count = format!("select count(*) from '{uri}'");
    assert_eq!(
        rows(&together, &count).unwrap(),
        rows(&alone, &count).unwrap()
    );
    assert_eq!(
        rows(&together, &format!("{count} where town = 'town 3'")).unwrap(),
        "count(*)\n0\n"
    );
    // The same holds if the affected cells, or their new values, are found by a query.
    let statement = format!(
        "update '{uri}' set amount = amount + 1000000, town = upper(town) where town like 'town 5%'; \
         delete from '{uri}' where town like '%OWN 5' and id in (select max(id) from '{uri}' where town = 'TOWN 5')"
    );
    let wanted = rows(
        &alone,
        &format!("select id, town from '{uri}' where town like 'town 5%'"),
    )
    .unwrap();
    let wanted = wanted.lines().count() as u64 - 1;
    let mut done = Vec::new();
    sql.run(&statement, |answer| {
        done.push(match answer {
            tdb::SqlAnswer::Changed(cells) | tdb::SqlAnswer::Deleted(cells) => cells,
            _ => 0,
        });
        Ok::<_, tdb::Error>(())
    })
    .unwrap();
    assert_eq!(done, [wanted, 1]);
    let changed = format!("{count} where amount >= 1000000 and town like 'TOWN 5%'");
    assert_eq!(
        rows(&alone, &changed).unwrap(),
        format!("count(*)\n{}\n", wanted - 1)
    );
}

#[test]
fn a_query_outlives_a_worker_that_has_given_nothing() {
    let folder = TempDir::new().unwrap();
    let uri = orders(folder.path());
    let (mut workers, token) = workers(folder.path());
    let addresses: Vec<String> = workers
        .iter()
        .map(|worker| worker.address.clone())
        .collect();
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let tell = Arc::clone(&told);
    let cluster = Cluster::new(&addresses, &token).unwrap();
    let cluster = cluster.listener(move |what| tell.lock().unwrap().push(what.to_owned()));
    let alone = Context::new().threads(2);
    let together = alone.clone().cluster(cluster);
    let question =
        format!("select town, count(*), sum(amount) from '{uri}' group by town order by town");
    let wanted = rows(&alone, &question).unwrap();
    let sql = together.sql().unwrap();
    // A suspended worker keeps the query waiting until the worker is killed.
    workers[1].stand_still();
    let found = std::thread::scope(|scope| {
        let asked = scope.spawn(|| rows_of(&sql, &question));
        std::thread::sleep(Duration::from_millis(500));
        assert!(!asked.is_finished(), "a worker that stands still answered");
        workers[1].kill();
        asked.join().unwrap().unwrap()
    });
    assert_eq!(found, wanted);
    let again = format!(
        "worker {} was lost: running the query again on the remaining workers",
        addresses[1]
    );
    assert_eq!(*told.lock().unwrap(), [again]);
    workers[0].kill();
    // Work for a single worker is done by the client instead.
    assert_eq!(rows_of(&sql, &question).unwrap(), wanted);
    let error = rows(&together, &question).unwrap_err().to_string();
    assert!(error.contains("does not answer"), "{error}");
}

#[test]
fn a_worker_that_is_lost_after_rows_were_given_is_an_error() {
    let folder = TempDir::new().unwrap();
    let uri = orders(folder.path());
    let (mut workers, token) = workers(folder.path());
    let addresses: Vec<String> = workers
        .iter()
        .map(|worker| worker.address.clone())
        .collect();
    let context = Context::new().threads(2);
    let context = context.cluster(Cluster::new(&addresses, &token).unwrap());
    // More rows than are prefetched.
    let question = format!(
        "select a.id, a.amount, b.amount from '{uri}' a cross join (select amount from '{uri}' where id < 30) b"
    );
    let sql = context.sql().unwrap();
    let mut batches = sql.query(&question).unwrap();
    batches.next().unwrap().unwrap();
    workers[1].kill();
    let error = batches.find_map(Result::err).unwrap().to_string();
    assert!(
        error.contains(&format!(
            "worker {} was lost: some rows were already returned",
            addresses[1]
        )),
        "{error}"
    );
}

#[test]
fn the_program_asks_workers_that_know_its_token() {
    let folder = TempDir::new().unwrap();
    let uri = orders(folder.path());
    std::fs::write(folder.path().join("token"), "a token of 26 bytes, or so\n").unwrap();
    std::fs::write(folder.path().join("other"), "another token of 26 bytes\n").unwrap();
    private(&folder.path().join("token"));
    private(&folder.path().join("other"));
    let worker = Worker::start(folder.path(), &["--token-file", "token"]);
    let said = |arguments: &[&str]| {
        let said = super::said(folder.path(), arguments, "");
        said.replace(&worker.address, "WORKER")
            .replace(&uri, "ORDERS")
    };
    let question = format!("select count(*), max(town) from '{uri}'");
    let with = |token| {
        [
            &*question,
            "--cluster",
            &*worker.address,
            "--token-file",
            token,
        ]
    };
    insta::assert_snapshot!(said(&with("token")));
    insta::assert_snapshot!(said(&with("other")));
    insta::assert_snapshot!(said(&[&question, "--cluster", &worker.address]));
    insta::assert_snapshot!(said(&[&question, "--cluster", "127.0.0.1:1"]));
    insta::assert_snapshot!(said(&[&question, "--cluster", "nowhere"]));
}

/// Restricts a file to its owner.
fn private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;

    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn a_worker_reads_below_the_folder_that_it_was_started_in() {
    let folder = TempDir::new().unwrap();
    let uri = orders(folder.path());
    let elsewhere = TempDir::new().unwrap();
    let shown = |mut said: String, workers: &[Worker]| {
        for worker in workers {
            said = said.replace(&worker.address, "WORKER");
        }
        let folder = folder.path().canonicalize().unwrap();
        said.replace(&*folder.to_string_lossy(), "FOLDER")
    };
    let question = format!("select count(distinct amount) from '{uri}'");
    let ask = |workers: &[Worker]| {
        let addresses: Vec<&str> = workers.iter().map(|worker| &*worker.address).collect();
        let arguments = [
            &*question,
            "--cluster",
            &*addresses.join(","),
            "--format",
            "csv",
        ];
        shown(super::said(folder.path(), &arguments, ""), workers)
    };
    let state = folder.path().join("state");
    let start = |arguments: &[&str]| {
        let state = state.display().to_string();
        [(); 2].map(|()| Worker::start_for(elsewhere.path(), &state, arguments))
    };
    insta::assert_snapshot!(ask(&start(&[])));
    let given = ["--allow", &*folder.path().display().to_string()];
    insta::assert_snapshot!(ask(&start(&given)));
}

#[test]
fn sigterm_ends_a_worker_whoever_is_connected() {
    let folder = TempDir::new().unwrap();
    let uri = orders(folder.path());
    let (mut workers, token) = workers(folder.path());
    let idle: Vec<_> = (0..20)
        .map(|_| std::net::TcpStream::connect(&workers[0].address).unwrap())
        .collect();
    let addresses = workers.iter().map(|worker| &worker.address);
    let cluster = Cluster::new(addresses, &token).unwrap();
    let sql = Context::new().threads(2).cluster(cluster).sql().unwrap();
    let question = format!(
        "select a.id, a.amount, b.amount from '{uri}' a cross join (select amount from '{uri}' where id < 30) b"
    );
    let mut rows = sql.query(&question).unwrap();
    rows.next().unwrap().unwrap();
    let begun = std::time::Instant::now();
    let pid = workers[0].process.id().to_string();
    let told = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(told.unwrap().success());
    let status = workers[0].process.wait().unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(status.code(), Some(0));
    drop((idle, rows));
}

/// Processor time used by a process, in clock ticks (hundredths of a second).
#[cfg(target_os = "linux")]
fn ticks(worker: &Worker) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", worker.process.id())).unwrap();
    // The program name, which may contain spaces, is enclosed in parentheses.
    let (_, fields) = status.rsplit_once(") ").unwrap();
    let used = fields.split(' ').skip(11).take(2);
    used.map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}

/// Polls until the condition holds, for up to a minute.
#[cfg(target_os = "linux")]
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "not {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn workers_do_not_work_on_for_a_client_that_was_killed() {
    let folder = TempDir::new().unwrap();
    let uri = orders(folder.path());
    let (workers, _) = workers(folder.path());
    let addresses = workers.each_ref().map(|worker| &*worker.address);
    let used = || workers.iter().map(ticks).sum::<u64>();
    for question in [
        // One batch has many times as many rows as it is given.
        format!(
            "select count(*) from (select a.id from '{uri}' a join '{uri}' b on a.id % 10 = b.id % 10)"
        ),
        // No pair fits, so nothing is handed on.
        format!("select count(*) from '{uri}' a join '{uri}' b on a.amount * b.amount < -1 - a.id"),
    ] {
        let before = used();
        let mut client = Command::new(env!("CARGO_BIN_EXE_tdb"));
        client.args(["sql", &question, "--cluster", &addresses.join(",")]);
        client.env("XDG_STATE_HOME", folder.path().join("state"));
        let mut client = client.stdout(Stdio::null()).spawn().unwrap();
        wait_until("at work", || used() > before + 100);
        assert!(client.try_wait().unwrap().is_none());
        client.kill().unwrap();
        client.wait().unwrap();
        wait_until("idle", || {
            let before = used();
            std::thread::sleep(Duration::from_millis(500));
            used() < before + 5
        });
    }
}

/// Pins which parts of queries run on workers, so that new refusals by workers do not silently reduce them.
#[test]
fn plans_are_spread_among_workers() {
    let folder = TempDir::new().unwrap();
    let uri = orders(folder.path());
    let (workers, token) = workers(folder.path());
    let addresses = workers.iter().map(|worker| &worker.address);
    let cluster = Cluster::new(addresses, &token).unwrap();
    let alone = Context::new().threads(2);
    as_file(&alone, &uri);
    let together = alone.cluster(cluster);
    let mut plans = String::new();
    for question in questions(&uri) {
        let plan = rows(&together, &format!("explain {question}")).unwrap();
        let spread = plan.lines().filter(|line| {
            let parts = [
                "[Stage",
                "DistributedLeaf",
                "DistributedUnion",
                "Repartition",
            ];
            parts.iter().any(|part| line.contains(part))
        });
        let spread: Vec<&str> = spread.collect();
        plans += &format!("{question}\n{}\n\n", spread.join("\n"));
    }
    // File paths appear without their leading slash.
    let plans = plans.replace(&uri, "ORDERS").replace(&uri[1..], "ORDERS");
    insta::assert_snapshot!(plans);
}
