//! Memory of results, and memory that sessions and workers keep.

use bytes::Bytes;
use tdb_cells::{Buffer, CellsError, KeptMemory};
use tdb_tile::{ErrorKind, Limits};

use crate::support::{session, session_of_memory};

/// A size large enough to be kept.
const LARGE: usize = 1 << 20;

#[test]
fn memory_is_aligned_and_as_long_as_asked_for() {
    let session = session(1);
    for len in [0, 1, 63, 64, 65, 5_000, LARGE] {
        let zeroed = Buffer::zeroed(len).unwrap();
        assert!(zeroed.as_slice().iter().all(|byte| *byte == 0));
        let buffers = [
            zeroed.another(len).unwrap(),
            session.buffer(len).unwrap(),
            zeroed,
        ];
        for mut buffer in buffers {
            buffer.as_mut_slice().fill(7);
            assert_eq!(buffer.as_ref(), vec![7; len]);
            assert_eq!(format!("{buffer:?}"), format!("Buffer({len} bytes)"));
            let shared = buffer.freeze();
            assert_eq!((shared.len(), shared.as_ptr().align_offset(64)), (len, 0));
        }
    }
    assert!(Buffer::default().as_slice().is_empty());
}

#[test]
fn memory_that_no_system_has_is_refused() {
    for error in [
        Buffer::zeroed(usize::MAX),
        session(1).buffer(usize::MAX - 64),
    ]
    .map(|buffer| buffer.err())
    {
        let error = error.unwrap();
        assert!(matches!(error, CellsError::Limit(_)));
        assert_eq!(error.kind(), ErrorKind::Memory);
        assert!(
            error
                .to_string()
                .starts_with("memory of a column of 184467440737095"),
            "{error}"
        );
    }
}

#[test]
fn memory_of_a_dropped_result_is_that_of_the_next() {
    let session = session(1);
    let buffer = session.buffer(LARGE).unwrap();
    let place = buffer.as_slice().as_ptr();
    let shared = buffer.freeze();
    let part = shared.slice(5..9);
    drop(shared);
    // The memory cannot be reused while a part of it is in use.
    assert_ne!(session.buffer(LARGE).unwrap().as_slice().as_ptr(), place);
    drop(part);
    let kept: Vec<Buffer> = (0..2).map(|_| session.buffer(LARGE).unwrap()).collect();
    assert!(
        kept.iter()
            .any(|buffer| buffer.as_slice().as_ptr() == place)
    );
}

#[test]
fn memory_outlives_its_session() {
    let session = session(1);
    let mut buffer = session.buffer(LARGE).unwrap();
    drop(session);
    buffer.as_mut_slice().fill(3);
    assert_eq!(buffer.another(9).unwrap().as_slice().len(), 9);
    assert!(buffer.freeze().iter().all(|byte| *byte == 3));
}

#[test]
fn memory_that_grows_counts_as_long_as_it_is_kept() {
    let session = session_of_memory(1_000);
    let limits = session.limits();
    let mut kept = KeptMemory::default();
    kept.lend(300, limits).unwrap().copy_from_slice(&[5; 300]);
    assert_eq!(limits.budget.used(), 300);
    // A smaller request takes no more memory.
    assert_eq!(kept.lend(200, limits).unwrap(), [5; 200]);
    assert_eq!(
        (kept.first(250), limits.budget.used()),
        (&[5; 250][..], 300)
    );
    // The old memory is released before more is taken.
    assert_eq!(kept.lend(900, limits).unwrap().len(), 900);
    assert_eq!(limits.budget.used(), 900);
    assert!(kept.lend(1_001, limits).is_err());
    assert_eq!(limits.budget.used(), 0);
    kept.lend(10, limits).unwrap().fill(1);
    assert_eq!(Bytes::from(kept), [1_u8; 10][..]);
    assert_eq!(limits.budget.used(), 0);
    assert!(
        KeptMemory::default()
            .lend(1, &Limits::with_budget(0))
            .is_err()
    );
}
