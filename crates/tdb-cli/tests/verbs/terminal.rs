//! The program on a terminal of some width.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::common::{repeatable, tdb};

/// Lines of the terminal.
const LINES: u16 = 24;

/// What a verb shows on a terminal with so many columns, without colours.
pub(crate) fn on_terminal(columns: u16, arguments: &str) -> String {
    let mut command = tdb(arguments);
    command.env("NO_COLOR", "1");
    repeatable(&shown(columns, command))
}

/// What a command shows on a terminal with so many columns.
pub(crate) fn shown(columns: u16, mut command: std::process::Command) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let screen = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let size = Winsize {
        ws_row: LINES,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&screen, size).unwrap();
    command
        .stdin(Stdio::null())
        .stderr(screen.try_clone().unwrap())
        .stdout(screen);
    let mut child = command.spawn().unwrap();
    // The command holds the screen open.
    drop(command);
    let mut bytes = Vec::new();
    // Its end is told as an error, once nobody holds the screen any more.
    let _ = File::from(terminal).read_to_end(&mut bytes);
    child.wait().unwrap();
    String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
}

/// The widest line.
pub(crate) fn widest(text: &str) -> usize {
    text.lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0)
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for columns in [60, 80, 200] {
        for verb in ["info", "read", "show"] {
            let array = if verb == "show" {
                "v22_dense_basics"
            } else {
                "v22_tour"
            };
            let text = on_terminal(columns, &format!("{verb} {array}/array"));
            assert!(
                widest(&text) <= usize::from(columns),
                "{verb} at {columns}:\n{text}"
            );
        }
    }
}
