//! Output of results and messages.

use std::env;
use std::io::{self, BufWriter, IsTerminal, Write};

use tdb::WholeFile;
use terminal_size::{Height, Width, terminal_size, terminal_size_of};

use crate::failure::Failure;
use crate::global::{Global, When};
use crate::paint::{Look, Role, visible, wrapped};

/// Buffer size for results, in bytes.
const BUFFER: usize = 1 << 16;

/// Lines of a screen needed for titles, a note and the prompt.
const FRAME: usize = 4;

/// Writes results to standard output or a file, and messages to standard error.
pub(crate) struct Output {
    result: BufWriter<Box<dyn Write + Send>>,
    /// Style of results.
    pub(crate) look: Look,
    /// True if results go to a file that the user named.
    pub(crate) is_file: bool,
    /// True once anything was written to the result.
    pub(crate) is_written: bool,
    /// Style of messages.
    messages: Look,
    quiet: bool,
}

impl Output {
    /// Creates the output, and the file to which it goes if the user named one.
    pub(crate) fn begin(global: &Global) -> Result<(Self, Option<WholeFile>), Failure> {
        let mut file = None;
        let (result, look): (Box<dyn Write + Send>, _) = match &global.output {
            Some(path) => {
                let (begun, result) = WholeFile::begin(path)?;
                file = Some(begun);
                (result, Look::default())
            }
            None => {
                let terminal = io::stdout().is_terminal();
                let size = if terminal { terminal_size() } else { None };
                let look = Look {
                    color: colored(global.color, terminal),
                    width: size.map(|(Width(width), _)| usize::from(width)),
                    height: size
                        .map(|(_, Height(height))| usize::from(height).saturating_sub(FRAME)),
                };
                (Box::new(io::stdout()), look)
            }
        };
        let output = Self {
            result: BufWriter::with_capacity(BUFFER, result),
            look,
            is_file: global.output.is_some(),
            is_written: false,
            messages: messages(global.color),
            quiet: global.quiet,
        };
        Ok((output, file))
    }

    /// Creates an output that writes results to `result` in the given style.
    #[cfg(test)]
    pub(crate) fn of(result: impl Write + Send + 'static, look: Look) -> Self {
        Self {
            result: BufWriter::new(Box::new(result)),
            look,
            is_file: false,
            is_written: false,
            messages: Look::default(),
            quiet: true,
        }
    }

    /// Prints a warning on standard error.
    pub(crate) fn warn(&self, warning: &str) {
        self.messages().warn(warning);
    }

    /// Prints a note on standard error.
    pub(crate) fn note(&self, note: &str) {
        self.messages().note(note);
    }

    /// Returns a handle for messages that can be used after the result has been handed over.
    pub(crate) fn messages(&self) -> Messages {
        Messages {
            look: self.messages,
            quiet: self.quiet,
        }
    }

    /// True if the result is shown on a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.look.width.is_some()
    }

    /// Returns the writer of the result.
    pub(crate) fn into_writer(self) -> BufWriter<Box<dyn Write + Send>> {
        self.result
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_written = true;
        self.result.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.result.flush()
    }
}

/// Prints a warning on standard error.
pub(crate) fn warn(messages: Look, warning: &str) {
    let label = messages.paint(Role::Warning, "warning:");
    // If standard error is closed, there is nowhere left to report that.
    let warning = wrapped(&visible(warning), "warning: ", on_screen(messages));
    let _ = writeln!(io::stderr(), "{label} {warning}");
}

/// Prints a note on standard error.
pub(crate) fn note(messages: Look, note: &str) {
    let note = wrapped(&visible(note), "", on_screen(messages));
    let note = messages.paint(Role::Dim, &note);
    // If standard error is closed, there is nowhere left to report that.
    let _ = writeln!(io::stderr(), "{note}");
}

/// Returns the style of messages, with lines wrapped at the width of the terminal.
pub(crate) fn on_screen(messages: Look) -> Look {
    let size = terminal_size_of(io::stderr());
    Look {
        width: size.map(|(Width(width), _)| usize::from(width)),
        ..messages
    }
}

/// Prints messages on standard error, unless `--quiet` is given.
#[derive(Clone, Copy)]
pub(crate) struct Messages {
    look: Look,
    quiet: bool,
}

impl Messages {
    /// Prints a warning, about something unusual that is not an error.
    pub(crate) fn warn(self, warning: &str) {
        if !self.quiet {
            warn(self.look, warning);
        }
    }

    /// Prints a note.
    pub(crate) fn note(self, note: &str) {
        if !self.quiet {
            self::note(self.look, note);
        }
    }
}

/// The style of messages on standard error.
pub(crate) fn messages(color: When) -> Look {
    Look {
        color: colored(color, io::stderr().is_terminal()),
        ..Look::default()
    }
}

fn colored(when: When, terminal: bool) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}
