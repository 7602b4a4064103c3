//! What the machine has.

use std::fs::read_to_string;

/// Bytes of memory that this program may count on: those of the machine, or of the container
/// that it runs in. `None` where that is not known.
pub(crate) fn memory() -> Option<u64> {
    let machine = total(&read_to_string("/proc/meminfo").ok()?);
    let container = read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok());
    machine.into_iter().chain(container).min()
}

/// The total of `/proc/meminfo`, which counts in kibibytes.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_total_is_in_kibibytes() {
        let text = "MemTotal:       24582844 kB\nMemFree:         1234 kB\n";
        assert_eq!(super::total(text), Some(24_582_844 * 1024));
        assert_eq!(super::total("MemFree: 1 kB\n"), None);
    }
}
