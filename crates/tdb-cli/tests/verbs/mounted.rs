//! File systems without unnamed files, hard links or renames that refuse to replace, such as mounted object stores.
//! The test has the kernel refuse these calls.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{fixtures, told};

/// C program that installs a filter to refuse the calls, then runs a program.
const WITHOUT: &str = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define CALL(number, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, skip)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error)
int main(int count, char **arguments) {
    struct sock_filter steps[] = {
        LOAD(nr),
        CALL(SYS_linkat, 1), ANSWER(EPERM),
        CALL(SYS_renameat2, 3), LOAD(args[4]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), ANSWER(EINVAL),
        LOAD(nr),
        CALL(SYS_openat, 3), LOAD(args[2]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 020000000, 0, 1), ANSWER(EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {sizeof(steps) / sizeof(*steps), steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all)) {
        perror("no filter");
        return 99;
    }
    execv(arguments[1], arguments + 1);
    return count + 100;
}
"#;

fn without(folder: &Path) -> PathBuf {
    let (source, program) = (folder.join("without.c"), folder.join("without"));
    std::fs::write(&source, WITHOUT).unwrap();
    let made = Command::new("cc")
        .arg("-o")
        .args([&program, &source])
        .status();
    assert!(made.unwrap().success());
    program
}

#[test]
fn arrays_are_written_where_no_name_can_be_given_without_looking() {
    let folder = tempfile::tempdir().unwrap();
    let program = without(folder.path());
    let run = |line: &str| -> Output {
        let mut command = Command::new(&program);
        command.arg(env!("CARGO_BIN_EXE_tdb")).args(line.split(' '));
        command.current_dir(folder.path()).output().unwrap()
    };
    let succeeds = |line: &str| {
        let done = run(line);
        assert!(done.status.success(), "{line}: {}", told(&done));
        String::from_utf8(done.stdout).unwrap()
    };
    let golden = fixtures().join("v22_tour/array");
    succeeds(&format!("cp {} a", golden.display()));
    std::fs::write(folder.path().join("f.csv"), "k,v\n1,1\n2,2\n").unwrap();
    succeeds("import f.csv b --dim k");
    succeeds("write b f.csv");
    succeeds("set b k=2 v=7");
    succeeds("delete b --where k=1");
    succeeds("consolidate b");
    succeeds("vacuum b --grace 0s");
    succeeds("meta set b key value");
    assert_eq!(succeeds("read b --format csv"), "k,v\n2,7\n");
    succeeds("verify a");
    succeeds(&format!("compare a {}", golden.display()));
    let again = run("import f.csv b --dim k");
    assert!(!again.status.success(), "{}", told(&again));
    // No temporary files are left.
    let left = std::fs::read_dir(folder.path().join("b")).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let odd: Vec<String> = names.filter(|name| !name.starts_with("__")).collect();
    assert_eq!(odd, [""; 0]);
}
