//! `tdb completions` and `tdb man`: shell completions and manual pages, generated from the command line's definition.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;
use tdb::engine::array::ErrorKind;

use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb completions bash\n  tdb completions zsh -o target/_tdb\n\n\
    Save the script for bash as ~/.local/share/bash-completion/completions/tdb, for zsh as _tdb in a folder of $fpath, for fish as \
    ~/.config/fish/completions/tdb.fish."
)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Option<Shell>,
}

/// `tdb man`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb man target/man")]
pub(crate) struct ManArguments {
    /// Folder for the pages, one per verb; created if necessary
    folder: PathBuf,
}

/// Prints a completion script. In `command`, each verb has only the global options that apply to it.
pub(crate) fn run(
    arguments: &Arguments,
    mut command: Command,
    out: &mut Output,
) -> Result<(), Failure> {
    let Some(shell) = arguments.shell else {
        let known = Shell::value_variants()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ");
        let failure = Failure::invalid("the shell is missing: tdb completions SHELL");
        return Err(failure.hint(format!("one of {known}")));
    };
    // The generator panics if writing fails, so it writes into memory.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "tdb", &mut script);
    Ok(std::io::Write::write_all(out, &script)?)
}

pub(crate) fn man(arguments: &ManArguments, command: Command) -> Result<(), Failure> {
    let folder = &arguments.folder;
    tdb::check_folder(folder)?;
    let written =
        fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written
        .map_err(|error| Failure::new(ErrorKind::Store, format!("{}: {error}", folder.display())))
}
