//! Sparse cells that arrive in global order are written immediately.

use super::*;

/// Cells of an array with many types of fields, in global order; `repeated` of them have the coordinates of the cell
/// before.
fn in_order(schema: &ArraySchema, repeated: usize) -> Vec<Vec<Option<Vec<u8>>>> {
    let store = memory();
    write(
        &array(&store, schema),
        &at(10),
        &batch(schema, &mixed_cells(300)),
    )
    .unwrap();
    let mut cells = rows(&open(&store), Some(ResultOrder::Global));
    let dimensions = schema.dimensions.len();
    for row in 100..100 + repeated {
        let coordinates = cells[row - 1][..dimensions].to_vec();
        cells[row][..dimensions].clone_from_slice(&coordinates);
    }
    cells
}

/// Converts rows into the columns of a batch.
fn fields(rows: &[Vec<Option<Vec<u8>>>]) -> Vec<(&'static str, Values)> {
    let names = mixed_cells(1).into_iter().map(|(name, _)| name);
    let fields = names.enumerate().map(|(index, name)| {
        let cells = rows.iter().map(|row| row[index].clone());
        (name, cells.collect())
    });
    fields.collect()
}

/// Writes `step` rows at a time, sorting 4000 bytes at a time; also returns the number of spilled runs after each
/// step.
fn written(
    schema: &ArraySchema,
    rows: &[Vec<Option<Vec<u8>>>],
    step: usize,
    duplicates: Option<Duplicates>,
) -> (Arc<dyn Store>, Result<(), WriteError>, Vec<usize>) {
    let (store, aside) = (memory(), memory());
    let array = array(&store, schema);
    let options = at(10)
        .sort_store(Some(Arc::clone(&aside)))
        .sort_bytes(Some(4000))
        .duplicates(duplicates);
    let mut put_aside = Vec::new();
    let mut push_all = || {
        let mut writer = Writer::open(&Session::default(), &array, &options)?;
        for rows in rows.chunks(step) {
            writer.push(&batch(schema, &fields(rows)))?;
            put_aside.push(objects(&*aside).len());
        }
        writer.finish().map(drop)
    };
    let done = push_all();
    assert_eq!(objects(&*aside), []);
    (store, done, put_aside)
}

/// Whether there is a single fragment, and no object of another.
fn has_one_fragment(store: &Arc<dyn Store>) -> bool {
    let array = open(store);
    let [fragment] = array.fragments() else {
        return false;
    };
    let folder = format!("a/__fragments/{}/", fragment.name);
    fragments(&**store)
        .iter()
        .all(|key| key.starts_with(&folder))
}

/// The cells as stored by a write of a single batch, sorted in memory.
fn stored_at_once(
    schema: &ArraySchema,
    cells: &[Vec<Option<Vec<u8>>>],
    duplicates: Option<Duplicates>,
) -> Vec<Vec<Option<Vec<u8>>>> {
    let store = memory();
    let options = at(10).duplicates(duplicates);
    let batch = batch(schema, &fields(cells));
    write(&array(&store, schema), &options, &batch).unwrap();
    rows(&open(&store), Some(ResultOrder::Global))
}

#[test]
fn cells_in_global_order_are_never_put_aside() {
    let schema = mixed();
    let cells = in_order(&schema, 0);
    for step in [7, 40, 300] {
        let (store, done, aside) = written(&schema, &cells, step, None);
        done.unwrap();
        assert!(aside.iter().all(|runs| *runs == 0));
        assert_eq!(rows(&open(&store), Some(ResultOrder::Global)), cells);
        assert!(has_one_fragment(&store));
    }
}

#[test]
fn a_cell_out_of_order_has_what_was_written_read_again() {
    let mut schema = mixed();
    for (repeated, allows_duplicates, duplicates) in [
        (0, false, None),
        (20, false, Some(Duplicates::First)),
        (20, true, Some(Duplicates::Keep)),
    ] {
        schema.allows_duplicates = allows_duplicates;
        let mut cells = in_order(&mixed(), repeated);
        // From here on, the coordinates begin again, some of them with ones that exist already.
        cells.rotate_left(150);
        let again = cells[20..50].to_vec();
        if allows_duplicates || duplicates.is_some() {
            cells.extend(again);
        }
        let wanted = stored_at_once(&schema, &cells, duplicates);
        for step in [7, 40] {
            let (store, done, aside) = written(&schema, &cells, step, duplicates);
            done.unwrap();
            // The ordered cells exceed the buffer.
            let in_order = 150 / step;
            assert_eq!(aside[in_order - 1], 0);
            assert!(aside[in_order..].iter().any(|runs| *runs > 0), "{aside:?}");
            assert_eq!(rows(&open(&store), Some(ResultOrder::Global)), wanted);
            assert!(has_one_fragment(&store));
        }
    }
}

#[test]
fn equal_cells_in_a_stream_in_order_are_refused_dropped_or_kept() {
    let mut schema = mixed();
    let cells = in_order(&schema, 20);
    let (store, done, ..) = written(&schema, &cells, 40, None);
    let error = done.unwrap_err();
    assert!(
        error.to_string().contains("has the same coordinates"),
        "{error}"
    );
    assert_eq!(fragments(&*store), [""; 0]);
    for duplicates in [Duplicates::First, Duplicates::Keep] {
        schema.allows_duplicates = duplicates == Duplicates::Keep;
        let wanted = stored_at_once(&schema, &cells, Some(duplicates));
        let (store, done, aside) = written(&schema, &cells, 40, Some(duplicates));
        done.unwrap();
        assert!(aside.iter().all(|runs| *runs == 0));
        assert_eq!(rows(&open(&store), Some(ResultOrder::Global)), wanted);
    }
}
