use super::*;

#[test]
fn a_set_of_bytes_has_the_rows_that_are_not_zero() {
    for rows in [0, 1, 7, 8, 9, 63, 64, 65, 130, 1000, 70_000] {
        let byte = |row: usize| [0, 1, 0x80, 0xff, 0, 2][row * 7 % 6];
        let bytes: Vec<u8> = (0..rows).map(byte).collect();
        let set = CellSet::of_bytes(&bytes).unwrap();
        let wanted = |is_set: bool| -> Vec<usize> {
            let rows = 0..rows;
            rows.filter(|&row| (byte(row) != 0) == is_set).collect()
        };
        let found: Vec<usize> = set.iter().map(Row::index).collect();
        assert_eq!(found, wanted(true));
        let listed = set.to_rows().into_iter().map(Row::index);
        assert_eq!(listed.collect::<Vec<_>>(), found);
        for size in [1, 2, 3, 4, 8, 16] {
            let mut cells = vec![1; rows * size];
            set.fill_lacking(&mut cells, &vec![9; size]).unwrap();
            let filled: Vec<usize> = (0..rows)
                .filter(|row| cells[row * size..][..size].iter().all(|byte| *byte == 9))
                .collect();
            assert_eq!(filled, wanted(false));
            let kept = cells.iter().filter(|byte| **byte == 1).count();
            assert_eq!(kept, wanted(true).len() * size);
            assert!(set.fill_lacking(&mut [1; 3], &[9; 8]).is_err());
        }
        assert_eq!(set.count(), found.len());
        let bitmap = set.to_bitmap().unwrap();
        let bit = |row: &usize| bitmap.as_slice()[row / 8] >> (row % 8) & 1 == 1;
        let of_bits: Vec<usize> = (0..rows).filter(bit).collect();
        assert_eq!(of_bits, found);
        assert_eq!(bitmap.as_slice().len(), rows.div_ceil(8));
    }
}

#[test]
fn sets_are_joined_word_by_word() {
    let rows = RowRange::first(150).unwrap();
    let of = |step: usize| {
        let holds = |row: Row| Ok::<_, Bug>(row.index().is_multiple_of(step));
        CellSet::of_rows(rows, holds).unwrap()
    };
    let (twos, threes) = (of(2), of(3));
    let joined = |join: fn(&mut CellSet, &CellSet) -> Result<(), Bug>| {
        let mut set = twos.clone();
        join(&mut set, &threes).unwrap();
        set
    };
    let sixes = joined(CellSet::keep);
    assert_eq!(sixes, of(6));
    assert_eq!(joined(CellSet::add).count(), 75 + 50 - 25);
    assert_eq!(joined(CellSet::remove).count(), 75 - 25);
    assert_eq!(CellSet::all(rows).count(), 150);
    let all: Vec<Row> = rows.iter().collect();
    assert_eq!(CellSet::all(rows).to_rows(), all);
    assert_eq!(CellSet::none(rows).count(), 0);
    let mut few = CellSet::all(rows);
    few.remove_rows(RowRange::first(70).unwrap()).unwrap();
    assert_eq!(few.iter().next().map(Row::index), Some(70));
    assert!(
        few.keep(&CellSet::all(RowRange::first(149).unwrap()))
            .is_err()
    );
    assert!(few.contains(Row::new(150).unwrap()).is_err());
    let even = |row: Row| Ok(row.index().is_multiple_of(2));
    let end = RowRange::first(70).unwrap().next(80).unwrap();
    few.remove_where(end, even).unwrap();
    assert_eq!(few.iter().next().map(Row::index), Some(71));
    let row = |index| Row::new(index).unwrap();
    let mut list = vec![row(149), row(72), row(71)];
    few.keep_in(&mut list).unwrap();
    assert_eq!(list, [row(149), row(71)]);
    assert!(few.keep_in(&mut vec![row(150)]).is_err());
}

#[test]
fn sets_one_behind_the_other_are_the_set_of_all_their_rows() {
    for lens in [
        &[][..],
        &[0],
        &[64, 64],
        &[1, 63, 64, 5],
        &[130, 0, 70, 1, 1000, 7],
    ] {
        let total: usize = lens.iter().sum();
        let bytes: Vec<u8> = (0..total).map(|row| u8::from(row * 5 % 7 < 3)).collect();
        let (mut parts, mut rest) = (Vec::new(), &bytes[..]);
        for &len in lens {
            let (part, behind) = rest.split_at(len);
            // Bits after the last row of a part must not reach the next part.
            let mut part = CellSet::of_bytes(part).unwrap();
            part.bits.set_uninitialized(true);
            parts.push(part);
            rest = behind;
        }
        let joined = CellSet::concat(&parts).unwrap();
        assert_eq!(joined, CellSet::of_bytes(&bytes).unwrap(), "{lens:?}");
        assert_eq!(joined.rows(), total);
    }
}
