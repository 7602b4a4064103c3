//! The prompt on a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Timeout, longer than any step takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A prompt with a simulated keyboard and screen.
struct Prompt {
    child: Child,
    keyboard: File,
    screen: Arc<Mutex<Vec<u8>>>,
}

impl Prompt {
    fn open(folder: &Path) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let end = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tdb"));
        command.arg("sql").current_dir(folder).env("NO_COLOR", "1");
        command.env("XDG_STATE_HOME", folder).env("TERM", "xterm");
        command.stdin(end.try_clone().unwrap());
        command.stderr(end.try_clone().unwrap()).stdout(end);
        let child = command.spawn().unwrap();
        let mut reader = File::from(terminal);
        let keyboard = reader.try_clone().unwrap();
        let screen: Arc<Mutex<Vec<u8>>> = Arc::default();
        let shown = Arc::clone(&screen);
        thread::spawn(move || {
            let mut bytes = [0; 1024];
            // Closing the terminal is reported as an error.
            while let Ok(count) = reader.read(&mut bytes) {
                shown.lock().unwrap().extend(bytes.iter().take(count));
            }
        });
        Self {
            child,
            keyboard,
            screen,
        }
    }

    fn type_line(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
        self.keyboard.write_all(b"\r").unwrap();
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// Waits until the text appears on the screen.
    fn wait_for(&self, text: &str) {
        let begun = Instant::now();
        while !self.shown().contains(text) {
            assert!(
                begun.elapsed() < PATIENCE,
                "no {text:?} in {}",
                self.shown()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sends the signal that Ctrl-C causes.
    fn interrupt(&self) {
        let told = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        assert!(told.unwrap().success());
    }
}

#[test]
fn after_ctrl_c_the_next_statement_runs() {
    let folder = super::folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.wait_for("tdb> ");
    for (round, answer) in [(1, "42"), (2, "43")] {
        prompt.type_line(
            "select count(*) from generate_series(1, 1000000) a(x), generate_series(1, 1000000) b(y) where x * y % 7 = 3;",
        );
        thread::sleep(Duration::from_millis(700));
        prompt.interrupt();
        let begun = Instant::now();
        while prompt.shown().matches("interrupted").count() < round {
            assert!(
                begun.elapsed() < Duration::from_secs(5),
                "{}",
                prompt.shown()
            );
            thread::sleep(Duration::from_millis(20));
        }
        prompt.type_line(&format!(
            "select 40 + {} as sum, count(*) as cells from tour;",
            round + 1
        ));
        prompt.wait_for(answer);
        prompt.wait_for("80");
    }
    // The timer of the interrupted statement must not affect later statements.
    thread::sleep(Duration::from_secs(6));
    prompt.type_line("select 40 + 4;");
    prompt.wait_for("44");
    prompt.type_line("\\q");
    assert!(prompt.child.wait().unwrap().success());
}
