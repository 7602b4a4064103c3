//! Measures the resources that the process has used so far.

/// Returns the processor time of all threads of this process, in seconds.
pub(crate) fn processor_time() -> f64 {
    let mut nanoseconds = 0_u64;
    for task in std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten()
    {
        let text = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        nanoseconds += text
            .split(' ')
            .next()
            .and_then(|n| n.parse::<u64>().ok())
            .unwrap_or(0);
    }
    nanoseconds as f64 / 1e9
}

/// Returns the peak memory of this process, in bytes.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
