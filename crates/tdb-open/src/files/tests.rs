use std::collections::BTreeSet;
use std::sync::Arc;

use tempfile::TempDir;

use super::{Files, OpenMode};
use crate::{ErrorKind, LocalStores};

/// A local folder and a folder in memory: what holds for one holds for the other.
fn both() -> (TempDir, Files, [String; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let local = format!("file://{}", root.to_str().unwrap());
    let files = Files::new(Arc::new(LocalStores));
    files.create_folder("mem://root").unwrap();
    (folder, files, [local, "mem://root".to_owned()])
}

fn write(files: &Files, uri: &str, mode: OpenMode, bytes: &[u8]) {
    let mut file = files.open(uri, mode).unwrap();
    file.write(bytes).unwrap();
    file.close().unwrap();
    assert!(file.is_closed());
}

fn content(files: &Files, uri: &str) -> Vec<u8> {
    let size = files.size(uri).unwrap();
    let mut bytes = vec![0; usize::try_from(size).unwrap()];
    let mut file = files.open(uri, OpenMode::Read).unwrap();
    file.read_at(0, &mut bytes).unwrap();
    bytes
}

fn below(files: &Files, root: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut see = |entry: &super::FileEntry| {
        let name = entry.uri.strip_prefix(root).unwrap();
        let end = if entry.is_folder { "/" } else { "" };
        found.insert(format!("{name}{end}"));
        Ok(true)
    };
    files.walk(root, &mut see).unwrap();
    found
}

#[test]
fn files_are_written_replaced_and_appended_to() {
    let (_folder, files, roots) = both();
    for root in roots {
        let uri = format!("{root}/a/b");
        assert!(!files.is_file(&uri).unwrap());
        write(&files, &uri, OpenMode::Write, b"first");
        write(&files, &uri, OpenMode::Append, b" and second");
        assert_eq!(content(&files, &uri), b"first and second");
        write(&files, &uri, OpenMode::Write, b"third");
        assert_eq!(content(&files, &uri), b"third");
        assert!(files.is_folder(&format!("{root}/a")).unwrap());
        assert!(!files.is_folder(&uri).unwrap());
        assert_eq!(files.folder_size(&root).unwrap(), 5);
    }
}

#[test]
fn what_is_written_is_seen_before_the_file_is_closed() {
    let (_folder, files, roots) = both();
    for root in roots {
        let uri = format!("{root}/a");
        let mut file = files.open(&uri, OpenMode::Write).unwrap();
        assert!(!files.is_file(&uri).unwrap());
        file.write(b"abc").unwrap();
        assert_eq!(files.size(&uri).unwrap(), 3);
        file.close().unwrap();
        assert!(file.close().is_err());
        assert!(file.write(b"d").is_err());
        files.open(&uri, OpenMode::Write).unwrap().close().unwrap();
        assert_eq!(files.size(&uri).unwrap(), 0);
    }
}

#[test]
fn reads_outside_of_a_file_fail() {
    let (_folder, files, roots) = both();
    for root in roots {
        let uri = format!("{root}/a");
        write(&files, &uri, OpenMode::Write, b"abc");
        let mut file = files.open(&uri, OpenMode::Read).unwrap();
        file.read_at(1, &mut [0; 2]).unwrap();
        file.read_at(3, &mut []).unwrap();
        for (offset, len) in [(1, 3), (4, 0), (u64::MAX, 1)] {
            assert!(file.read_at(offset, &mut vec![0; len]).is_err());
        }
        assert!(file.write(b"d").is_err());
        let missing = files.open(&format!("{root}/none"), OpenMode::Read);
        assert_eq!(missing.unwrap_err().kind(), ErrorKind::NotFound);
    }
}

#[test]
fn folders_are_made_listed_and_removed() {
    let (_folder, files, roots) = both();
    for root in roots {
        files.create_folder(&format!("{root}/a/empty")).unwrap();
        files.touch(&format!("{root}/a/file")).unwrap();
        files.touch(&format!("{root}/b/c/file")).unwrap();
        let uris = [format!("{root}/a"), format!("{root}/b")];
        assert_eq!(files.list(&root).unwrap(), uris);
        assert_eq!(files.list(&format!("{root}/")).unwrap(), uris);
        let uris = [format!("{root}/a/empty"), format!("{root}/a/file")];
        assert_eq!(files.list(&format!("{root}/a")).unwrap(), uris);
        assert!(files.list(&format!("{root}/none")).unwrap().is_empty());
        assert!(files.is_folder(&format!("{root}/a/empty")).unwrap());
        files.remove_folder(&format!("{root}/a")).unwrap();
        assert!(!files.is_folder(&format!("{root}/a")).unwrap());
        assert!(files.remove_folder(&format!("{root}/a")).is_err());
        files.remove_file(&format!("{root}/b/c/file")).unwrap();
        assert!(files.remove_file(&format!("{root}/b/c/file")).is_err());
    }
}

#[test]
fn files_and_folders_are_copied_and_moved() {
    let (_folder, files, [local, memory]) = both();
    for (from, to) in [(&local, &local), (&memory, &memory), (&local, &memory)] {
        let (from, to) = (format!("{from}/from"), format!("{to}/to"));
        write(&files, &format!("{from}/a/b"), OpenMode::Write, b"abc");
        files.touch(&format!("{from}/c")).unwrap();
        files.create_folder(&to).unwrap();
        write(&files, &format!("{to}/c"), OpenMode::Write, b"replaced");
        files.copy_folder(&from, &to).unwrap();
        let found = below(&files, &to);
        assert!(found.contains("/a/b") && found.contains("/c"), "{found:?}");
        assert_eq!(content(&files, &format!("{to}/c")), b"");
        assert_eq!(content(&files, &format!("{to}/a/b")), b"abc");
        files
            .move_file(&format!("{from}/a/b"), &format!("{to}/c"))
            .unwrap();
        assert_eq!(content(&files, &format!("{to}/c")), b"abc");
        assert!(!files.is_file(&format!("{from}/a/b")).unwrap());
        files.move_folder(&to, &format!("{from}/new")).unwrap();
        assert!(!files.is_folder(&to).unwrap());
        assert_eq!(content(&files, &format!("{from}/new/c")), b"abc");
        files.remove_folder(&from).unwrap();
    }
}

#[test]
fn a_folder_is_not_copied_into_itself() {
    let (_folder, files, [local, _]) = both();
    files.touch(&format!("{local}/a/b")).unwrap();
    let copied = files.copy_folder(&format!("{local}/a"), &format!("{local}/a/b/c"));
    assert_eq!(copied.unwrap_err().kind(), ErrorKind::Invalid);
    let file = format!("{local}/a/b");
    write(&files, &file, OpenMode::Write, b"abc");
    files.copy_file(&file, &file).unwrap();
    assert_eq!(content(&files, &file), b"abc");
}

#[test]
fn paths_are_made_absolute_without_dots() {
    let (_folder, files, [local, _]) = both();
    let path = local.strip_prefix("file://").unwrap();
    files.touch(&format!("{path}/a/../b/./c")).unwrap();
    assert_eq!(
        files.list(&format!("{path}/x/../b//")).unwrap(),
        [format!("{local}/b/c")]
    );
}

#[test]
fn unknown_stores_and_buckets_of_files_are_errors() {
    let (_folder, files, [local, memory]) = both();
    assert!(files.is_file("nothing://a/b").is_err());
    for uri in [local, memory] {
        let kind = files.is_bucket(&uri).unwrap_err().kind();
        assert_eq!(kind, ErrorKind::Unsupported);
    }
}
