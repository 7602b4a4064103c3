//! `cargo xtask capi [--release] [--features F] [--prefix FOLDER] [--bless]`: builds the library of the C interface,
//! checks its names and its header, and installs both.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::commands::{output, succeed};
use crate::outcome::{Missing, Outcome};
use crate::report::Report;
use crate::workspace::{self, root};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The name under which programs look for the library.
const SONAME: &str = "libtiledb.so.2.30";

/// The constants of the interface that are objects, and their types.
const CONSTANTS: [(&str, &str); 6] = [
    ("tiledb_channel_operator_sum", "tiledb_channel_operator_t"),
    ("tiledb_channel_operator_min", "tiledb_channel_operator_t"),
    ("tiledb_channel_operator_max", "tiledb_channel_operator_t"),
    ("tiledb_channel_operator_mean", "tiledb_channel_operator_t"),
    (
        "tiledb_channel_operator_null_count",
        "tiledb_channel_operator_t",
    ),
    ("tiledb_aggregate_count", "tiledb_channel_operation_t"),
];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let mut arguments = arguments.iter();
    let (mut built, mut is_blessed, mut prefix) = (Build::default(), false, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--release" => built.is_release = true,
            "--features" => built.features = arguments.next().ok_or("--features needs names")?,
            "--bless" => is_blessed = true,
            "--prefix" => prefix = Some(arguments.next().ok_or("--prefix needs a folder")?),
            other => return Err(format!("no option `{other}`").into()),
        }
    }
    let library = build(&built)?;
    println!("{}", library.display());
    check_names(&library)?;
    check_soname(&library)?;
    check_header(is_blessed)?;
    check_program(&library)?;
    if let Some(prefix) = prefix {
        install(&library, Path::new(prefix))?;
    }
    Ok(())
}

/// Checks the library that clients take, and keeps it for them.
pub(crate) fn check(_report: &mut Report) -> Outcome {
    let library = keep(&build(&FOR_CLIENTS)?)?;
    check_names(&library)?;
    check_soname(&library)?;
    check_header(false)?;
    check_program(&library)
}

/// Builds the library that clients take, and returns the path of the copy that is kept for them.
pub(crate) fn for_clients() -> Result<PathBuf> {
    keep(&build(&FOR_CLIENTS)?)
}

/// Builds the library that clients take as it is installed, and returns its path.
pub(crate) fn released() -> Result<PathBuf> {
    build(&Build {
        is_release: true,
        ..FOR_CLIENTS
    })
}

/// Returns the path of the library that is kept for clients.
pub(crate) fn kept() -> Result<PathBuf> {
    Ok(fs::canonicalize(workspace::target()?)?.join("clients/libtiledb.so"))
}

/// Keeps a copy of the library, since later builds of cargo replace the one in its folder.
fn keep(library: &Path) -> Result<PathBuf> {
    let kept = kept()?;
    let half = kept.with_extension("half");
    fs::create_dir_all(kept.parent().ok_or("no folder of the library")?)?;
    // Written to another file first, since processes may have loaded the old one.
    fs::copy(library, &half)?;
    fs::rename(half, &kept)?;
    Ok(kept)
}

/// How the library is built.
#[derive(Default)]
struct Build<'a> {
    is_release: bool,
    /// Names of features, separated by commas.
    features: &'a str,
}

/// The library that clients take: with everything that TileDB's own has.
const FOR_CLIENTS: Build<'static> = Build {
    is_release: false,
    features: "webp-lossy",
};

/// Builds the shared library, and returns its path.
fn build(built: &Build<'_>) -> Result<PathBuf> {
    let mut build = Command::new("cargo");
    build.current_dir(root());
    build.args([
        "rustc",
        "--quiet",
        "--locked",
        "--package",
        "tdb-capi-cdylib",
        "--features",
        built.features,
    ]);
    if built.is_release {
        build.arg("--release");
    }
    // The static library has all of the standard library in it, and takes as long again.
    succeed(build.args(["--lib", "--crate-type", "cdylib"]))?;
    let profile = if built.is_release { "release" } else { "debug" };
    Ok(workspace::target()?.join(profile).join("libtiledb.so"))
}

/// The library has TileDB's names, and no others: what it is built from stays inside.
fn check_names(library: &Path) -> Outcome {
    let mut nm = Command::new("nm");
    let listed = output(nm.args(["-D", "--defined-only"]).arg(library));
    let listed = listed.map_err(|error| Missing(format!("no nm of binutils: {error}")))?;
    let found: BTreeSet<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    let list = fs::read_to_string(root().join("xtask/capi/names-2.30.0.txt"))?;
    let wanted: BTreeSet<&str> = list.lines().collect();
    let missing: Vec<&&str> = wanted.difference(&found).collect();
    let others: Vec<&&str> = found.difference(&wanted).collect();
    if !missing.is_empty() || !others.is_empty() {
        return Err(
            format!("names that are missing: {missing:?}; further ones: {others:?}").into(),
        );
    }
    println!("   {} names, all of TileDB 2.30", found.len());
    Ok(())
}

fn check_soname(library: &Path) -> Outcome {
    let headers = output(Command::new("objdump").arg("-p").arg(library))?;
    let is_there = headers
        .lines()
        .any(|line| line.split_whitespace().eq(["SONAME", SONAME]));
    if is_there {
        return Ok(());
    }
    Err(format!(
        "{}: its name for programs is not {SONAME}",
        library.display()
    )
    .into())
}

/// The checked-in header is the one that cbindgen makes of the sources.
fn check_header(is_blessed: bool) -> Outcome {
    let path = root().join("crates/tdb-capi/include/tiledb/tiledb.h");
    let made = header()?;
    if is_blessed {
        fs::create_dir_all(path.parent().ok_or("no folder of the header")?)?;
        fs::write(&path, &made)?;
        return Ok(());
    }
    if fs::read_to_string(&path).ok().as_ref() == Some(&made) {
        println!("   the header is that of the sources");
        return Ok(());
    }
    Err(format!(
        "{}: differs from what the sources say; cargo xtask capi --bless",
        path.display()
    )
    .into())
}

fn header() -> Result<String> {
    let sources = root().join("crates/tdb-capi");
    let mut config = cbindgen::Config::from_file(root().join("xtask/capi/cbindgen.toml"))?;
    // cbindgen does not see what macros make.
    let mut handles = String::new();
    for name in opaque_types(&sources.join("src"))? {
        handles.push_str(&format!("typedef struct {name} {name};\n"));
    }
    for (name, of) in CONSTANTS {
        config.export.exclude.push(name.to_owned());
        handles.push_str(&format!("extern const {of} *{name};\n"));
    }
    config.after_includes = Some(format!(
        "\n/* Handles: keys of objects, which are not to be followed. */\n{handles}"
    ));
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_crate(sources)
        .generate()?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    Ok(String::from_utf8(text)?)
}

/// A program in C, built against the header, prints what it shall.
fn check_program(library: &Path) -> Outcome {
    let folder = workspace::target()?.join("capi-program");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    fs::copy(library, folder.join(SONAME))?;
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-pthread", "-o"]);
    cc.arg(folder.join("program"));
    cc.arg(root().join("xtask/capi/program.c")).arg("-I");
    cc.arg(root().join("crates/tdb-capi/include"));
    succeed(cc.arg(folder.join(SONAME)))?;
    let mut program = Command::new(folder.join("program"));
    program.current_dir(&folder).env("LD_LIBRARY_PATH", &folder);
    let printed = output(&mut program)?;
    let expected = fs::read_to_string(root().join("xtask/capi/program.out"))?;
    if printed != expected {
        return Err(
            format!("xtask/capi/program.c printed\n{printed}instead of\n{expected}").into(),
        );
    }
    println!("   a program in C prints what it shall");
    Ok(())
}

/// Returns the names of the types of handles, ordered.
fn opaque_types(folder: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for file in workspace::sources(folder)? {
        let text = fs::read_to_string(file)?;
        let declared = text
            .lines()
            .filter_map(|line| line.trim().split_once(" => "))
            .filter(|(name, _)| name.starts_with("tiledb_") && name.ends_with("_t"));
        names.extend(declared.map(|(name, _)| name.to_owned()));
    }
    Ok(names)
}

/// Copies the library and the header below a folder, with what builds of other programs look for.
fn install(library: &Path, prefix: &Path) -> Outcome {
    let lib = prefix.join("lib");
    let include = prefix.join("include/tiledb");
    let cmake = lib.join("cmake/TileDB");
    for folder in [&include, &cmake, &lib.join("pkgconfig")] {
        fs::create_dir_all(folder)?;
    }
    fs::copy(library, lib.join(SONAME))?;
    let link = lib.join("libtiledb.so");
    if link.exists() {
        fs::remove_file(&link)?;
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(SONAME, &link)?;
    let header = root().join("crates/tdb-capi/include/tiledb/tiledb.h");
    fs::copy(header, include.join("tiledb.h"))?;
    let prefix = fs::canonicalize(prefix)?;
    for (template, place) in [
        ("tiledb.pc.in", lib.join("pkgconfig/tiledb.pc")),
        ("TileDBConfig.cmake.in", cmake.join("TileDBConfig.cmake")),
        (
            "TileDBConfigVersion.cmake.in",
            cmake.join("TileDBConfigVersion.cmake"),
        ),
    ] {
        let text = fs::read_to_string(root().join("xtask/capi").join(template))?;
        fs::write(place, text.replace("@prefix@", &prefix.to_string_lossy()))?;
    }
    println!("   installed below {}", prefix.display());
    Ok(())
}
