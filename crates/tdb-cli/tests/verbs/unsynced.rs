//! File systems whose folders cannot be synced, such as shares of virtual machines. A preloaded library simulates
//! them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{fixtures, tdb, told};

/// C library whose `fsync` fails for folders, or for files.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static int answer(int fd, long call) {
    struct stat found;
    int wanted = getenv("SHIM_FILES") ? S_IFREG : S_IFDIR;
    if (fstat(fd, &found) == 0 && (int)(found.st_mode & S_IFMT) == wanted) {
        errno = atoi(getenv("SHIM_ERROR"));
        return -1;
    }
    return (int)syscall(call, fd);
}
int fsync(int fd) { return answer(fd, SYS_fsync); }
int fdatasync(int fd) { return answer(fd, SYS_fdatasync); }
"#;

fn shim(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("shim.c"), folder.join("shim.so"));
    std::fs::write(&source, SHIM).unwrap();
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    assert!(made.unwrap().success());
    library
}

#[test]
fn folders_that_cannot_be_synced_are_passed_over_and_files_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let library = shim(folder.path());
    let copy = |name: &str, error: i32, of_files: bool| -> Output {
        let from = fixtures().join("v22_tour/array");
        let to = folder.path().join(name);
        let mut command = tdb(&format!("cp {} {}", from.display(), to.display()));
        command
            .env("LD_PRELOAD", &library)
            .env("SHIM_ERROR", error.to_string());
        if of_files {
            command.env("SHIM_FILES", "1");
        }
        command.output().unwrap()
    };
    let (eio, einval, enosys, eopnotsupp) = (5, 22, 38, 95);
    for error in [einval, enosys, eopnotsupp] {
        let name = format!("folders-{error}");
        let done = copy(&name, error, false);
        assert!(done.status.success(), "{error}: {}", told(&done));
        let path = folder.path().join(&name);
        let counted = tdb(&format!("count {}", path.display())).output().unwrap();
        assert!(counted.status.success(), "{}", told(&counted));
    }
    for (name, error, of_files) in [
        ("failing", eio, false),
        ("files", einval, true),
        ("files-too", eio, true),
    ] {
        let failed = copy(name, error, of_files);
        assert!(!failed.status.success(), "{name}: {}", told(&failed));
        assert!(!folder.path().join(name).join("__schema").exists());
    }
}
