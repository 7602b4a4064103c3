//! Disk space of the build: a full disk is reported as such, and a target folder that grows too large is an error.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::outcome::Outcome;
use crate::workspace;

/// Maximum size of the target folder after all parts, in bytes.
const MOST: u64 = 12_000_000_000;

/// Messages of systems and compilers for a full disk.
const FULL: [&str; 3] = [
    "No space left on device",
    "os error 28",
    "Disk quota exceeded",
];

/// Returns an error text, with advice if the disk is full.
pub(crate) fn explained(error: &str) -> String {
    if !FULL.iter().any(|words| error.contains(words)) {
        return error.to_owned();
    }
    let target = workspace::target().unwrap_or_default();
    let free = Command::new("df").arg("-h").arg(&target).output();
    let free = free.map_or(String::new(), |output| {
        String::from_utf8_lossy(&output.stdout).into_owned()
    });
    format!(
        "{error}\nTHE DISK IS FULL: {} needs up to {} GB. Make room, or set CARGO_TARGET_DIR to a folder with room, and run this again: \
         it goes on with what is built.\n{free}",
        target.display(),
        MOST / 1_000_000_000
    )
}

/// Fails if the target folder is larger than allowed.
pub(crate) fn check() -> Outcome {
    let target = workspace::target()?;
    let size = taken(&target);
    println!(
        "   {} takes {:.1} GB of at most {}",
        target.display(),
        gigabytes(size),
        MOST / 1_000_000_000
    );
    if size > MOST {
        return Err(format!(
            "{} takes {:.1} GB, more than {}: `cargo clean` removes what earlier versions left",
            target.display(),
            gigabytes(size),
            MOST / 1_000_000_000
        )
        .into());
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "to be printed with one digit")]
fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

/// Returns the bytes of all files in a folder; files that disappear meanwhile do not count. Hard links count once for
/// each name, so the disk may hold less.
fn taken(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let sizes = entries
        .flatten()
        .map(|entry| match entry.path().symlink_metadata() {
            Ok(data) if data.is_dir() => taken(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told() {
        let told = explained("error: failed to write x: No space left on device (os error 28)");
        assert!(told.contains("THE DISK IS FULL"), "{told}");
        assert_eq!(explained("error: no"), "error: no");
    }

    #[test]
    fn what_lies_in_folders_counts() {
        let folder = std::env::temp_dir().join(format!("xtask-disk-{}", std::process::id()));
        fs::create_dir_all(folder.join("a")).unwrap();
        fs::write(folder.join("a/b"), [0; 1000]).unwrap();
        fs::write(folder.join("c"), [0; 24]).unwrap();
        assert_eq!(taken(&folder), 1024);
        fs::remove_dir_all(folder).unwrap();
    }
}
