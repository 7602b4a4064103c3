//! Memory use with large cells.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::common::{stdout, tdb};

/// Text that hardly compresses.
fn text(size: usize) -> String {
    let mut state = 1_u64;
    let letters = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(b'0' + u8::try_from(state >> 58).unwrap())
    });
    letters.filter(|c| *c != '\\').take(size).collect()
}

/// Writes a file with one cell in every format. Returns the paths.
fn files(folder: &Path, text: &str) -> Vec<String> {
    let path = |ending: &str| folder.join(format!("cell.{ending}")).display().to_string();
    std::fs::write(path("csv"), format!("x,s\n1,{text}\n")).unwrap();
    std::fs::write(path("jsonl"), format!("{{\"x\":1,\"s\":\"{text}\"}}\n")).unwrap();
    let array = folder.join("whole").display().to_string();
    stdout(&format!("import {} {array} --dim x", path("csv")));
    for ending in ["arrow", "parquet"] {
        stdout(&format!("read {array} -o {}", path(ending)));
    }
    ["csv", "jsonl", "arrow", "parquet"].map(path).to_vec()
}

/// Runs a verb. Returns its exit status, its messages, and its peak memory in bytes.
#[cfg(target_os = "linux")]
fn measured(arguments: &str) -> (i32, String, u64) {
    let mut command = tdb(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        peak = peak.max(kibibytes.map_or(0, |number| number.parse::<u64>().unwrap() * 1024));
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap(), said, peak)
}

/// Creates a sparse array with one uncompressed text attribute.
#[cfg(target_os = "linux")]
fn array(folder: &Path, name: &str, datatype: &str) -> String {
    let schema = format!(
        "{{\"type\":\"sparse\",\"dimensions\":[{{\"name\":\"x\",\"datatype\":\"int64\",\"domain\":[0,99],\
         \"extent\":100}}],\"attributes\":[{{\"name\":\"s\",\"datatype\":\"{datatype}\",\
         \"cell_val_num\":\"var\",\"filters\":[]}}]}}"
    );
    let file = folder.join("schema.json");
    std::fs::write(&file, schema).unwrap();
    let array = folder.join(name).display().to_string();
    stdout(&format!("create {array} --schema {}", file.display()));
    array
}

#[cfg(target_os = "linux")]
#[test]
fn a_cell_that_is_larger_than_the_memory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plain = array(folder.path(), "plain", "string_utf8");
    let small = folder.path().join("small");
    std::fs::create_dir(&small).unwrap();
    let of_small = array(&small, "plain", "string_utf8");
    // Memory of the program itself.
    let least = files(&small, &text(10)).into_iter().map(|file| {
        let (status, said, peak) = measured(&format!("write {of_small} {file} --memory 5MB"));
        assert_eq!(status, 0, "{said}");
        peak
    });
    let least = least.max().unwrap();
    for file in files(folder.path(), &text(30_000_000)) {
        let new = folder.path().join("new").display().to_string();
        for verb in [
            format!("import {file} {new} --dim x"),
            format!("write {plain} {file}"),
        ] {
            let (status, said, peak) = measured(&format!("{verb} --memory 5MB"));
            assert_eq!(status, 4, "{verb}: {said}");
            assert!(
                said.contains("use --memory to allow more"),
                "{verb}: {said}"
            );
            assert!(!Path::new(&new).exists(), "{verb}");
            // Lines of text are read only up to the maximum length.
            let is_text = file.ends_with(".csv") || file.ends_with(".jsonl");
            assert!(
                !is_text || peak < least + 20_000_000,
                "{verb}: {peak} bytes, {least} of a small cell"
            );
        }
        assert_eq!(stdout(&format!("fragments {plain} --json")).trim(), "[]");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_cell_takes_three_times_its_size() {
    const SIZE: usize = 40_000_000;
    // Memory that threads keep.
    const KEPT: u64 = 6_000_000;
    let folder = tempfile::tempdir().unwrap();
    let small = folder.path().join("small");
    std::fs::create_dir(&small).unwrap();
    // Returns the peak memory of the verbs for a file of each format.
    let peaks = |folder: &Path, size: usize| {
        let files = files(folder, &text(size)).into_iter();
        let peaks = files.map(|file| {
            let (_, ending) = file.rsplit_once('.').unwrap();
            let array = array(folder, &format!("of-{ending}"), "string_utf8");
            let verbs = [
                format!("import {file} {array}-new --dim x"),
                format!("write {array} {file}"),
            ];
            let peaks = verbs.map(|verb| {
                let (status, said, peak) = measured(&verb);
                assert_eq!(status, 0, "{verb}: {said}");
                peak
            });
            std::fs::remove_dir_all(&array).unwrap();
            std::fs::remove_dir_all(format!("{array}-new")).unwrap();
            (file, peaks.into_iter().max().unwrap())
        });
        peaks.collect::<Vec<(String, u64)>>()
    };
    // Memory of the program itself.
    let least = peaks(&small, 10).into_iter().map(|(_, peak)| peak);
    let most = 3 * SIZE as u64 + least.max().unwrap() + KEPT;
    for (file, peak) in peaks(folder.path(), SIZE) {
        // A compressed Parquet page is in memory together with its decompressed form.
        let stored = if file.ends_with(".parquet") {
            std::fs::metadata(&file).unwrap().len()
        } else {
            0
        };
        assert!(peak < most + stored, "{file}: {peak} of {most} + {stored}");
    }
    // The minimum and maximum of the tile are stored as well, twice each.
    for (name, cell) in [("same", "x".repeat(SIZE)), ("any", text(SIZE))] {
        let file = folder.path().join(format!("{name}.csv"));
        std::fs::write(&file, format!("x,s\n1,{cell}\n")).unwrap();
        let array = array(folder.path(), name, "string_ascii");
        let (status, said, peak) = measured(&format!("write {array} {}", file.display()));
        assert_eq!(status, 0, "{said}");
        assert!(peak < most, "{name}: {peak} of {most}");
    }
}
