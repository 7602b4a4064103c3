//! The program on a terminal of a given width.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::common::{repeatable, tdb};

/// Height of the terminal, in lines.
const LINES: u16 = 24;

/// Runs a verb on a terminal with this many columns, without colours.
pub(crate) fn on_terminal(columns: u16, arguments: &str) -> String {
    let mut command = tdb(arguments);
    command.env("NO_COLOR", "1");
    repeatable(&shown(columns, command))
}

/// Runs a command on a terminal with this many columns and returns what the terminal shows.
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
    // Releases the command's handle of the screen.
    drop(command);
    let mut bytes = Vec::new();
    // Once no process has the screen open, reading fails.
    let _ = File::from(terminal).read_to_end(&mut bytes);
    child.wait().unwrap();
    String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
}

/// Length of the longest line.
pub(crate) fn widest(text: &str) -> usize {
    text.lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0)
}

/// True if a line is wider than the terminal although it contains no overlong word.
fn is_too_wide(line: &str, columns: u16) -> bool {
    let columns = usize::from(columns);
    let is_long = |word: &str| word.chars().count() + 4 > columns;
    line.chars().count() > columns && !line.split_whitespace().any(is_long)
}

#[test]
fn nothing_is_cut_at_any_width() {
    for (verb, array) in [
        ("info", "v22_tour/array"),
        ("schema", "v22_tour/array"),
        ("fragments", "v22_tour/array"),
        ("info", "v22_dense_basics/array"),
        ("schema", "v22_dense_basics/array"),
        ("ls -l", "v22_group/group"),
        ("tree", "v22_group/group"),
        ("info", "v22_group/group"),
        ("meta ls", "v22_group/group"),
        ("filters", ""),
        ("stats", "v22_tour/array"),
    ] {
        let whole = on_terminal(1000, &format!("{verb} {array}"));
        for columns in [60, 80, 200] {
            let text = on_terminal(columns, &format!("{verb} {array}"));
            let wide = text.lines().find(|line| is_too_wide(line, columns));
            assert_eq!(wide, None, "{verb} at {columns}:\n{text}");
            let words = |text: &str| {
                let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
                words.sort();
                words
            };
            assert_eq!(words(&whole), words(&text), "{verb} at {columns}:\n{text}");
        }
    }
}

#[test]
fn listings_fit_terminals() {
    for columns in [60, 80, 200] {
        for verb in ["info", "schema", "fragments"] {
            let text = on_terminal(columns, &format!("{verb} v22_tour/array"));
            insta::assert_snapshot!(format!("{verb}_at_{columns}"), text);
        }
    }
}
