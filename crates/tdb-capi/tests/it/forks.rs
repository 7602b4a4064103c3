//! A child that is forked after its parent has read: the threads of the parent are not there.

use std::process::Command;

use tdb_capi::array::*;
use tdb_capi::constants::*;
use tdb_capi::query::fields::*;
use tdb_capi::query::*;
use tdb_capi::subarray::*;

use crate::dimensions::{domain, numbers};
use crate::program::{Program, c};
use crate::schemas::{create, empty};

/// Number of cells: so many that they are decoded on several threads.
const CELLS: i32 = 4_000_000;

/// The variable that tells the process of the test from the process that forks.
const FORKS: &str = "TDB_CAPI_TEST_FORKS";

/// Reads all cells, and returns whether they are what was written.
fn read(program: &Program, uri: &std::ffi::CStr) -> bool {
    let ctx = program.ctx;
    let array = program.make(|place| c!(tiledb_array_alloc, ctx, uri.as_ptr(), place));
    program.ok(c!(tiledb_array_open, ctx, array, TILEDB_READ));
    let subarray = program.make(|place| c!(tiledb_subarray_alloc, ctx, array.cast_const(), place));
    let ends = [1, CELLS];
    let code = c!(
        tiledb_subarray_set_subarray,
        ctx,
        subarray,
        ends.as_ptr().cast()
    );
    program.ok(code);
    let query = program.make(|place| c!(tiledb_query_alloc, ctx, array, TILEDB_READ, place));
    program.ok(c!(tiledb_query_set_subarray_t, ctx, query, subarray));
    let mut cells = vec![0_i32; usize::try_from(CELLS).unwrap()];
    let mut size = size_of_val(&cells[..]) as u64;
    let pointer = cells.as_mut_ptr().cast();
    let code = c!(
        tiledb_query_set_data_buffer,
        ctx,
        query,
        c"a".as_ptr(),
        pointer,
        &raw mut size
    );
    program.ok(code);
    program.ok(c!(tiledb_query_submit, ctx, query));
    cells.iter().copied().eq(1..=CELLS)
}

fn fork_and_read() {
    let (program, folder) = (Program::new(), tempfile::tempdir().unwrap());
    let ctx = program.ctx;
    let schema = empty(&program, TILEDB_DENSE);
    let domain = domain(&program, &[numbers(&program, c"x", [1, CELLS], 100_000)]);
    program.ok(c!(
        tdb_capi::array_schema::tiledb_array_schema_set_domain,
        ctx,
        schema,
        domain
    ));
    let a = crate::attributes::attribute(&program, c"a", TILEDB_INT32);
    program.ok(c!(
        tdb_capi::array_schema::tiledb_array_schema_add_attribute,
        ctx,
        schema,
        a
    ));
    let uri = create(&program, &folder, schema);
    let array = program.make(|place| c!(tiledb_array_alloc, ctx, uri.as_ptr(), place));
    program.ok(c!(tiledb_array_open, ctx, array, TILEDB_WRITE));
    let query = program.make(|place| c!(tiledb_query_alloc, ctx, array, TILEDB_WRITE, place));
    program.ok(c!(tiledb_query_set_layout, ctx, query, TILEDB_ROW_MAJOR));
    let mut cells: Vec<i32> = (1..=CELLS).collect();
    let mut size = size_of_val(&cells[..]) as u64;
    let pointer = cells.as_mut_ptr().cast();
    let code = c!(
        tiledb_query_set_data_buffer,
        ctx,
        query,
        c"a".as_ptr(),
        pointer,
        &raw mut size
    );
    program.ok(code);
    program.ok(c!(tiledb_query_submit, ctx, query));
    program.ok(c!(tiledb_array_close, ctx, array));
    assert!(read(&program, &uri));
    // SAFETY: this process does nothing else, and the child ends by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // A child that waits for threads that are not there is ended by the alarm.
        // SAFETY: as above.
        unsafe {
            libc::alarm(60);
            libc::_exit(i32::from(!read(&program, &uri)));
        }
    }
    let mut status = -1;
    // SAFETY: a pointer to a local variable.
    let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!((ended, status), (child, 0));
}

#[test]
fn a_child_reads_with_threads_of_its_own() {
    if std::env::var_os(FORKS).is_some() {
        return fork_and_read();
    }
    // A fork of a process in which other tests run would copy their locks.
    let name = "forks::a_child_reads_with_threads_of_its_own";
    let mut test = Command::new(std::env::current_exe().unwrap());
    let test = test
        .args(["--exact", name, "--test-threads", "1"])
        .env(FORKS, "1");
    let done = test.output().unwrap();
    let printed = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{printed}");
    assert!(printed.contains("1 passed"), "{printed}");
}
