//! The parts of `cargo xtask` that need the engine, in a program of their own, so that xtask itself builds in seconds.
//!
//! `xtask-engine versions`, `xtask-engine write FOLDER`, `xtask-engine merge FOLDER`.

mod chain;
mod merges;
mod plan;
mod versions;
mod writes;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["versions"] => {
            print!("{}", versions::page());
            Ok(())
        }
        ["write", folder] => writes::run(Path::new(folder)),
        ["merge", folder] => merges::run(Path::new(folder)),
        _ => Err("usage: xtask-engine versions | write FOLDER | merge FOLDER".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", chain::chain(&*error));
            ExitCode::FAILURE
        }
    }
}
