//! Memory of the machine that this process may use.

use std::fs::read_to_string;
use std::path::Path;

/// Mount point of the control groups.
const GROUPS: &str = "/sys/fs/cgroup";

/// Bytes of memory available to this process: the machine's memory, or less if a control group (as of a container) or
/// a limit of the process (`ulimit -v`, `ulimit -d`) restricts it. `None` if nothing is known.
pub(crate) fn memory() -> Option<u64> {
    let text = |path: &str| read_to_string(path).unwrap_or_else(|_| String::new());
    let machine = total(&text("/proc/meminfo"));
    let process = of_process(&text("/proc/self/limits"));
    let files = limit_files(&text("/proc/self/cgroup"));
    let groups = files.iter().filter_map(|file| {
        let limit = read_to_string(Path::new(GROUPS).join(file)).ok()?;
        limit.trim().parse().ok()
    });
    machine.into_iter().chain(process).chain(groups).min()
}

/// Parses the total memory in `/proc/meminfo`, which is given in KiB.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Smallest memory limit of the process in `/proc/self/limits`.
fn of_process(limits: &str) -> Option<u64> {
    let limits = limits.lines().filter_map(|line| {
        let line = line
            .strip_prefix("Max address space")
            .or_else(|| line.strip_prefix("Max data size"))?;
        // The soft limit comes first; an unlimited one is a word and does not parse.
        line.split_whitespace().next()?.parse().ok()
    });
    limits.min()
}

/// Paths of the memory limits of the control groups in `/proc/self/cgroup`, and of their ancestors. Inside a
/// container, its own group may be mounted as the root.
fn limit_files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (folder, file) = match controllers {
            "" => ("", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let around = Path::new(path.trim_start_matches('/')).ancestors();
        files.extend(around.map(|group| {
            let file = Path::new(folder).join(group).join(file);
            file.to_string_lossy().into_owned()
        }));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_in_kibibytes() {
        let text = "MemTotal:       24582844 kB\nMemFree:         1234 kB\n";
        assert_eq!(total(text), Some(24_582_844 * 1024));
        assert_eq!(total("MemFree: 1 kB\n"), None);
    }

    #[test]
    fn limits_of_the_process_are_those_in_force() {
        let text = "Limit                     Soft Limit           Hard Limit           Units\n\
            Max data size             unlimited            unlimited            bytes\n\
            Max stack size            8388608              unlimited            bytes\n\
            Max address space         1024000000           unlimited            bytes\n";
        assert_eq!(of_process(text), Some(1_024_000_000));
        assert_eq!(
            of_process("Max address space unlimited unlimited bytes\n"),
            None
        );
    }

    #[test]
    fn groups_have_the_limits_of_those_around_them() {
        let new = limit_files("0::/user.slice/job\n");
        assert_eq!(
            new,
            [
                "user.slice/job/memory.max",
                "user.slice/memory.max",
                "memory.max"
            ]
        );
        let old = limit_files("5:cpu,memory:/job\n3:cpuset:/\n");
        let wanted = [
            "memory/job/memory.limit_in_bytes",
            "memory/memory.limit_in_bytes",
        ];
        assert_eq!(old, wanted);
    }
}
