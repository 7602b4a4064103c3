//! Servers that tests and measurements start on this machine: each on a free port, waited for, and ended with its owner.

use std::error::Error;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a server may take until it takes calls.
const PATIENCE: Duration = Duration::from_secs(30);

/// The variables that lead TileDB and the program to a server.
pub(crate) type Settings = Vec<(&'static str, String)>;

/// A server in a process of its own, which ends when this is dropped, also where a comparison fails.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts what `command` makes of a free port, and waits until it takes calls. What it prints goes into the file `log`.
    pub(crate) fn start(
        log: &Path,
        command: impl FnOnce(u16) -> Command,
    ) -> Result<Self, Box<dyn Error>> {
        let port = free_port()?;
        Self::at(log, port, command(port))
    }

    /// Starts what listens at a port, and waits until it takes calls.
    pub(crate) fn at(log: &Path, port: u16, mut command: Command) -> Result<Self, Box<dyn Error>> {
        let file = fs::File::create(log)?;
        command.stdin(Stdio::null());
        command.stdout(file.try_clone()?).stderr(file);
        let process = command
            .spawn()
            .map_err(|error| format!("{command:?}: {error}"))?;
        let mut server = Self { process, port };
        server.wait(log)?;
        Ok(server)
    }

    fn wait(&mut self, log: &Path) -> Result<(), Box<dyn Error>> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.process.try_wait()? {
                return Err(failed(log, &format!("ended with {status}")));
            }
            sleep(Duration::from_millis(100));
        }
        Err(failed(log, "took no call within 30 s"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended by itself cannot be ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A port that nothing listens on.
fn free_port() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

fn failed(log: &Path, what: &str) -> Box<dyn Error> {
    let said = fs::read_to_string(log);
    let said = said.unwrap_or_else(|error| error.to_string());
    format!("the server {what}; it said:\n{said}").into()
}

/// The file that a server of this name writes what it prints into.
pub(crate) fn log_file(folder: &Path, name: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    Ok(folder.join(format!("{name}.log")))
}
