//! Reads any bytes as a `.npy` file, also into some field. It must not panic, and must not allocate more memory than
//! there are bytes for.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_cells::FieldInfo;
use tdb_cells::files::{Input, InputOptions};
use tdb_schema::{CellValNum, FieldKind};
use tdb_text::NpyInput;
use tdb_tile::Datatype;

fuzz_target!(|data: &[u8]| {
    let [kind, file @ ..] = data else {
        return;
    };
    let options = InputOptions::default().batch_bytes(4096).memory(1 << 20);
    let inner = u32::from(kind % 4);
    let open = || NpyInput::try_new(file, "a", inner, options.clone()).map(Box::new);
    let Ok(input) = open() else {
        return;
    };
    let cells = input.shape().axes.iter().product::<u64>();
    if let Ok(guesses) = input.guess() {
        assert_eq!(guesses[0].cells, cells);
    }
    let field = FieldInfo {
        name: "a".to_owned(),
        datatype: Datatype::ALL[usize::from(kind / 4) % Datatype::ALL.len()],
        cell_val_num: match inner {
            0 => CellValNum::Var,
            inner => CellValNum::Fixed(inner),
        },
        nullable: false,
        enumeration: None,
        field: FieldKind::Attribute(0),
    };
    let Ok(mut input) = open().and_then(|input| input.cells(&[field])) else {
        return;
    };
    let mut rows = 0;
    while let Ok(Some(batch)) = input.next() {
        assert!(batch.rows > 0 && batch.columns[0].cell(batch.rows - 1).is_some());
        rows += batch.rows as u64;
    }
    assert!(rows <= cells);
});
