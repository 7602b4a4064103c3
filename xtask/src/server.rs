//! Servers that tests and benchmarks start on this machine, each on a free port.

use std::error::Error;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait until a server accepts connections.
const PATIENCE: Duration = Duration::from_secs(30);

/// Environment variables that lead TileDB and the program to a server.
pub(crate) type Settings = Vec<(&'static str, String)>;

/// A server in a process of its own, which is killed when this is dropped.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts a server with the command that `command` returns for a free port, and waits until it accepts
    /// connections. Its output goes to the file `log`.
    pub(crate) fn start(
        log: &Path,
        command: impl FnOnce(u16) -> Command,
    ) -> Result<Self, Box<dyn Error>> {
        let port = free_port()?;
        Self::at(log, port, command(port))
    }

    /// Starts a server that listens at a given port, and waits until it accepts connections.
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
        // Killing a process that has already ended fails, which does not matter.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a port that nothing listens on.
fn free_port() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

fn failed(log: &Path, what: &str) -> Box<dyn Error> {
    let said = fs::read_to_string(log);
    let said = said.unwrap_or_else(|error| error.to_string());
    format!("the server {what}; it said:\n{said}").into()
}

/// Returns the path of the log file of a server.
pub(crate) fn log_file(folder: &Path, name: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    Ok(folder.join(format!("{name}.log")))
}
