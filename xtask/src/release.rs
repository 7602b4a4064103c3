//! `cargo xtask release [--features F] [--twice]`: the program `tdb` as it is given to others, for Linux.
//!
//! cargo-zigbuild links it against an old C library, so that it starts on every distribution of the last years. No
//! path of this machine is in it: with `--twice`, a copy of the sources in another folder must give the same bytes.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::commands::{output, succeed};
use crate::outcome::Outcome;
use crate::workspace::{self, root};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Packages of PyPI that build the program: a linker with the symbols of each version of the C library, and the
/// command that calls it for cargo.
const TOOLS: [&str; 2] = ["cargo-zigbuild==0.24.1", "ziglang==0.17.1"];
/// The newest C library whose symbols may be needed: that of Debian 11 and Ubuntu 20.04.
const C_LIBRARY: u32 = 31;
/// Largest size of the program without SQL, in bytes.
const LARGEST: usize = 30_000_000;
/// Largest size of the program with SQL, in bytes.
const LARGEST_WITH_SQL: usize = 90_000_000;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_twice = arguments.iter().any(|argument| argument == "--twice");
    let features: Vec<&String> = arguments.iter().filter(|a| *a != "--twice").collect();
    let folder = workspace::target()?.join("release-linux");
    let cargo = tools(&folder.join("tools"))?;
    let program = build(&cargo, &root(), &folder.join("first"), &features)?;
    let bytes = fs::read(&program)?;
    let newest = newest_c_library(&bytes);
    println!("{}", program.display());
    println!("   {} bytes, needs glibc 2.{newest}", bytes.len());
    if newest > C_LIBRARY {
        return Err(format!("needs glibc 2.{newest}, and may need 2.{C_LIBRARY} at most").into());
    }
    let largest = if features.is_empty() {
        LARGEST
    } else {
        LARGEST_WITH_SQL
    };
    if bytes.len() > largest {
        return Err(format!("{} bytes are more than {largest}", bytes.len()).into());
    }
    if is_twice {
        let copy = folder.join("copy-of-the-sources");
        copy_sources(&copy)?;
        let again = build(&cargo, &copy, &folder.join("second"), &features)?;
        if fs::read(&again)? != bytes {
            return Err(format!("{} has other bytes", again.display()).into());
        }
        println!("   built twice, in two folders: the same bytes");
    }
    Ok(())
}

/// Installs the tools into an environment of Python, once, and returns the path of cargo-zigbuild.
fn tools(venv: &Path) -> Result<PathBuf> {
    let zigbuild = venv.join("bin/cargo-zigbuild");
    let installed = venv.join("installed");
    let wanted = TOOLS.join("\n");
    if fs::read_to_string(&installed).ok().as_deref() != Some(&wanted) {
        let mut make = Command::new("python3");
        succeed(make.args(["-m", "venv", "--clear"]).arg(venv))?;
        let mut pip = Command::new(venv.join("bin/python"));
        succeed(pip.args(["-m", "pip", "install", "--quiet"]).args(TOOLS))?;
        fs::write(installed, wanted)?;
    }
    Ok(zigbuild)
}

/// Builds the sources in `sources` into `target`, and returns the path of the program.
fn build(zigbuild: &Path, sources: &Path, target: &Path, features: &[&String]) -> Result<PathBuf> {
    let triple = workspace::host()?;
    // Panics and assertions name files: below the sources and below cargo's home, whatever these are called here.
    let folders = [
        (sources.to_owned(), "."),
        (cargo_home()?, "cargo"),
        (target.to_owned(), "target"),
    ];
    let of_rust = folders
        .iter()
        .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    let of_c = folders
        .iter()
        .map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display()));
    let mut build = Command::new(zigbuild);
    build.current_dir(sources);
    build.args([
        "zigbuild",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "tdb-cli",
        "--bin",
        "tdb",
    ]);
    build.arg("--target").arg(format!("{triple}.2.{C_LIBRARY}"));
    build.args(features).env("CARGO_TARGET_DIR", target);
    build.env("CARGO_INCREMENTAL", "0");
    build.env(
        "CARGO_ENCODED_RUSTFLAGS",
        of_rust.collect::<Vec<_>>().join("\x1f"),
    );
    let of_c = of_c.collect::<Vec<_>>().join(" ");
    build.env("CFLAGS", &of_c).env("CXXFLAGS", &of_c);
    // The environment of the tools also has the linker.
    let tools = zigbuild.parent().ok_or("no folder of the tools")?;
    let path = std::env::var("PATH").unwrap_or_default();
    build.env("PATH", format!("{}:{path}", tools.display()));
    output(&mut build)?;
    Ok(target.join(triple).join("release/tdb"))
}

fn cargo_home() -> Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let usual = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    Ok(home
        .or_else(usual)
        .ok_or("neither CARGO_HOME nor HOME is set")?)
}

/// Copies the files that git knows to another folder.
fn copy_sources(to: &Path) -> Outcome {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    let mut list = Command::new("git");
    let files = output(list.args(["ls-files", "-z"]).current_dir(root()))?;
    for file in files.split('\0').filter(|file| !file.is_empty()) {
        let copied = to.join(file);
        fs::create_dir_all(copied.parent().ok_or("a file without a folder")?)?;
        fs::copy(root().join(file), copied)?;
    }
    Ok(())
}

/// Returns the minor version of the newest glibc whose symbols a program names: `GLIBC_2.31` is 31.
fn newest_c_library(program: &[u8]) -> u32 {
    const NAME: &[u8] = b"GLIBC_2.";
    let versions = program.windows(NAME.len() + 3).filter_map(|bytes| {
        let digits = bytes.strip_prefix(NAME)?;
        let digits = digits.split(|byte| !byte.is_ascii_digit()).next()?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    });
    versions.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_the_c_library_is_found() {
        let program = b"x\0GLIBC_2.2.5\0GLIBC_2.17\0GLIBC_2.9\0GLIBC_PRIVATE\0GLIBC_2.28\0";
        assert_eq!(newest_c_library(program), 28);
        assert_eq!(newest_c_library(b"static"), 0);
    }
}
