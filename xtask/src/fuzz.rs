//! `cargo xtask fuzz`: builds the fuzz targets of all crates with the pinned compiler, runs their kept inputs, and
//! searches on.
//!
//! libFuzzer comes with the package `libfuzzer-sys`; its coverage instrumentation is compiled in by an LLVM pass that
//! stable compilers have. Stable compilers lack the sanitizers, which would find little in crates without `unsafe`.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::commands::{is_there, output};
use crate::outcome::{Missing, Outcome};
use crate::side_by_side;
use crate::workspace::{cargo, host, root, target};

/// Compiler flags for the coverage that guides a search: edges taken, values compared, stack depth.
const COVERAGE: &[&str] = &[
    "--cfg",
    "fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-sanitizer-coverage-stack-depth",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
];

/// Default duration of a search with one target, in seconds.
const SECONDS: u64 = 5;

/// Limits for one input, in seconds and in megabytes of memory.
const LIMITS: [&str; 2] = ["-timeout=5", "-rss_limit_mb=512"];

/// Limit on the address space of a target, used or not, in KiB.
const ADDRESSES_KIB: u64 = 4 << 20;

/// Number of output lines shown when a target fails.
const SHOWN: usize = 40;

/// Number of the latest commits on the main branch whose crates are searched.
const LATELY: u32 = 20;

/// A built fuzz target.
struct Target {
    name: String,
    /// Crate to which the target belongs.
    package: String,
    program: PathBuf,
    /// File with the kept inputs.
    seeds: PathBuf,
}

/// Options of the command line.
struct Options {
    seconds: u64,
    only: Vec<String>,
}

/// Runs the command with the arguments after `fuzz`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let options = Options::parse(arguments)?;
    let targets = build(&folder()?, &options.only)?;
    search(targets, |_| options.seconds)
}

/// Runs the fuzzing part of `cargo xtask ci`: the kept inputs of all targets, and a search with the targets whose
/// crate changed lately.
pub(crate) fn check() -> Outcome {
    let mut compiler = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    if !is_there(compiler.arg("--version")) {
        let missing =
            "no C++ compiler, by the name c++ or that of the variable CXX: libFuzzer is in C++";
        return Err(Missing(missing.to_owned()).into());
    }
    let changed = changed_crates()?;
    println!(
        "   changed lately: {}",
        changed
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    );
    let targets = build(&folder()?, &[])?;
    search(targets, |target| {
        if changed.contains(&target.package) {
            SECONDS
        } else {
            0
        }
    })
}

/// Returns the crates that changed since this branch began or, on the main branch, in the last commits, including
/// uncommitted changes. Returns all crates if git does not answer.
fn changed_crates() -> Result<BTreeSet<String>, Box<dyn Error>> {
    let git = |arguments: &[&str]| {
        let said = Command::new("git")
            .current_dir(root())
            .args(arguments)
            .output()
            .ok()?;
        let text = String::from_utf8(said.stdout).ok()?;
        said.status.success().then(|| text.trim().to_owned())
    };
    let here = git(&["rev-parse", "HEAD"]);
    let branched =
        git(&["merge-base", "HEAD", "origin/main"]).filter(|base| Some(base) != here.as_ref());
    let before = branched.or_else(|| git(&["rev-parse", &format!("HEAD~{LATELY}")]));
    let files = before.and_then(|before| git(&["diff", "--name-only", &before]));
    match files {
        Some(files) => Ok(crates_of(&files)),
        None => {
            let folders = fs::read_dir(root().join("crates"))?;
            let names = folders.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
            names.collect()
        }
    }
}

/// Returns the crates of files, given their paths.
fn crates_of(files: &str) -> BTreeSet<String> {
    let names = files
        .lines()
        .filter_map(|file| file.strip_prefix("crates/")?.split('/').next());
    names.map(str::to_owned).collect()
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            seconds: SECONDS,
            only: Vec::new(),
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--seconds" => options.seconds = value()?.parse()?,
                "--only" => options.only.extend(value()?.split(',').map(str::to_owned)),
                other => return Err(format!("unknown argument `{other}`").into()),
            }
        }
        Ok(options)
    }
}

/// Runs the kept inputs of each target, and searches with it for `seconds`; one target per processor at a time.
fn search(targets: Vec<Target>, seconds: impl Fn(&Target) -> u64 + Sync) -> Outcome {
    let folder = folder()?;
    let searched = targets.iter().filter(|target| seconds(target) > 0).count();
    let count = targets.len();
    let done = side_by_side::each(targets, side_by_side::processors(), |target| {
        let said = target.search(&folder, seconds(&target));
        said.map(|said| println!("   {said}"))
            .map_err(|error| error.to_string())
    })?;
    let failures: Vec<String> = done.into_iter().filter_map(Result::err).collect();
    if failures.is_empty() {
        println!("   {count} targets, a search with {searched} of them");
        Ok(())
    } else {
        Err(failures.join("\n").into())
    }
}

/// Returns the folder for built targets and their findings.
fn folder() -> Result<PathBuf, Box<dyn Error>> {
    Ok(target()?.join("fuzz"))
}

fn build(folder: &Path, only: &[String]) -> Result<Vec<Target>, Box<dyn Error>> {
    let mut build = cargo();
    build
        .current_dir(root().join("fuzz"))
        .args(["build", "--quiet", "--release", "--target", &host()?])
        .arg("--target-dir")
        .arg(folder)
        .args(["--message-format", "json-render-diagnostics"])
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", COVERAGE.join(" "));
    if only.is_empty() {
        build.arg("--bins");
    }
    for name in only {
        build.args(["--bin", name]);
    }
    let built = output(&mut build)?;
    let messages = built
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut targets: BTreeMap<PathBuf, Target> = BTreeMap::new();
    for target in messages.filter_map(|message| Target::of(&message)) {
        targets.insert(target.seeds.clone(), target);
    }
    Ok(targets.into_values().collect())
}

impl Target {
    /// Returns the target that a message of cargo reports as built.
    fn of(message: &Value) -> Option<Self> {
        let text = |value: Option<&Value>| Some(value?.as_str()?.to_owned());
        let name = text(message.get("target")?.get("name"))?;
        let manifest = text(message.get("manifest_path"))?;
        let program = text(message.get("executable"))?;
        let seeds = Path::new(&manifest).with_file_name("seeds");
        let package = Path::new(&manifest).parent()?.parent()?.file_name()?;
        Some(Self {
            package: package.to_str()?.to_owned(),
            seeds: seeds.join(format!("{name}.txt")),
            program: program.into(),
            name,
        })
    }

    /// Runs the kept inputs, and continues the search from the inputs found so far.
    fn search(&self, folder: &Path, seconds: u64) -> Result<String, Box<dyn Error>> {
        let place = |kind: &str| folder.join(kind).join(&self.name);
        let (seeds, corpus, found) = (place("seeds"), place("corpus"), place("artifacts"));
        let kept = self.unpack(&seeds)?;
        for folder in [&corpus, &found] {
            fs::create_dir_all(folder)?;
        }
        let until = match seconds {
            0 => "-runs=0".to_owned(),
            seconds => format!("-max_total_time={seconds}"),
        };
        let done = self
            .limited()
            .args(LIMITS)
            .args(["-verbosity=0", "-print_final_stats=1", &until])
            .arg(format!("-artifact_prefix={}/", found.display()))
            .args([&corpus, &seeds])
            .output()?;
        self.verdict(&done, kept)
    }

    /// Returns the command that runs the target with limited address space.
    fn limited(&self) -> Command {
        let mut shell = Command::new("sh");
        let limit = format!("ulimit -v {ADDRESSES_KIB} && exec \"$0\" \"$@\"");
        shell.args(["-c", &limit]).arg(&self.program);
        shell
    }

    fn verdict(&self, done: &Output, kept: usize) -> Result<String, Box<dyn Error>> {
        let said = String::from_utf8_lossy(&done.stderr);
        if !done.status.success() {
            let lines: Vec<&str> = said.lines().collect();
            let shown = lines
                .get(lines.len().saturating_sub(SHOWN)..)
                .unwrap_or(&lines);
            let (name, program) = (&self.name, self.program.display());
            return Err(format!(
                "{name}: {}\n  once more: {program} FILE, with the file that is named above\n{}",
                done.status,
                shown.join("\n")
            )
            .into());
        }
        let number = |what: &str| {
            let mut lines = said.lines().filter_map(|line| line.strip_prefix(what));
            lines.find_map(|number| number.trim().parse::<usize>().ok())
        };
        let runs = number("stat::number_of_executed_units:").ok_or("libFuzzer tells no runs")?;
        if runs < kept {
            return Err(format!("{}: {kept} inputs are kept, {runs} were run", self.name).into());
        }
        let memory = number("stat::peak_rss_mb:").unwrap_or(0);
        Ok(format!(
            "{}: {kept} kept, {runs} runs, {memory} MiB",
            self.name
        ))
    }

    /// Writes each kept input to a file in a folder, and returns their number.
    fn unpack(&self, folder: &Path) -> Result<usize, Box<dyn Error>> {
        let text = fs::read_to_string(&self.seeds).unwrap_or_default();
        let inputs = inputs(&text).map_err(|line| {
            format!(
                "{}: neither digits nor a string: {line}",
                self.seeds.display()
            )
        })?;
        if inputs.is_empty() {
            return Err(format!("{}: no input is kept", self.seeds.display()).into());
        }
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        for (number, input) in inputs.iter().enumerate() {
            fs::write(folder.join(format!("{number:03}")), input)?;
        }
        Ok(inputs.len())
    }
}

/// Parses a file of inputs: hexadecimal digits or a JSON string per line; lines that begin with `#` are comments.
fn inputs(text: &str) -> Result<Vec<Vec<u8>>, &str> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| input(line).ok_or(line)).collect()
}

fn input(line: &str) -> Option<Vec<u8>> {
    if line.starts_with('"') {
        return serde_json::from_str::<String>(line)
            .ok()
            .map(String::into_bytes);
    }
    let byte = |at: usize| u8::from_str_radix(line.get(at..at + 2)?, 16).ok();
    (0..line.len()).step_by(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_changed_if_a_file_of_it_did() {
        let files = "README.md\ncrates/tdb-tile/src/lib.rs\ncrates/tdb-tile/fuzz/seeds/x.txt\ncrates/tdb/src/lib.rs\n";
        assert_eq!(
            crates_of(files),
            ["tdb", "tdb-tile"].map(str::to_owned).into()
        );
    }

    #[test]
    fn inputs_are_digits_or_strings() {
        let text = "# from v22\n00ff\n\n\"a\\n\"\n";
        assert_eq!(inputs(text), Ok(vec![vec![0, 255], b"a\n".to_vec()]));
        assert_eq!(inputs("0g"), Err("0g"));
        assert_eq!(inputs("012"), Err("012"));
    }

    #[test]
    fn every_target_has_inputs_that_are_kept() {
        let members = fs::read_dir(root().join("crates")).unwrap();
        let fuzz = members.map(|entry| entry.unwrap().path().join("fuzz"));
        for folder in fuzz.filter(|folder| folder.is_dir()) {
            for target in fs::read_dir(folder.join("fuzz_targets")).unwrap() {
                let path = target.unwrap().path();
                let name = path.file_stem().unwrap().to_str().unwrap();
                let file = folder.join(format!("seeds/{name}.txt"));
                let text = fs::read_to_string(&file).unwrap_or_default();
                assert!(!inputs(&text).unwrap().is_empty(), "{}", file.display());
                assert!(text.len() < 40_000, "{}: large", file.display());
            }
        }
    }
}
