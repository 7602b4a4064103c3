use proptest::prelude::*;
use tdb_cells::{Buffer, Column};
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::{Datatype, Scalar};

use super::*;

const DATATYPES: [Datatype; 4] = [
    Datatype::Int16,
    Datatype::Float64,
    Datatype::UInt64,
    Datatype::StringAscii,
];

fn info(dimension: usize) -> FieldInfo {
    let datatype = DATATYPES[dimension];
    FieldInfo {
        name: format!("d{dimension}"),
        datatype,
        cell_val_num: if datatype == Datatype::StringAscii {
            CellValNum::Var
        } else {
            CellValNum::Fixed(1)
        },
        nullable: false,
        enumeration: None,
        field: FieldKind::Dimension(dimension),
    }
}

/// Converts a small number into a coordinate along a dimension.
fn coordinate(dimension: usize, number: i8) -> Vec<u8> {
    let mut bytes = Vec::new();
    match DATATYPES[dimension] {
        Datatype::Int16 => i16::from(number).write(&mut bytes),
        Datatype::Float64 => (f64::from(number) / 2.0).write(&mut bytes),
        Datatype::UInt64 => (u64::MAX / 2)
            .wrapping_add_signed(number.into())
            .write(&mut bytes),
        _ => bytes.extend(std::iter::repeat_n(b'a', (number + 5) as usize)),
    }
    bytes
}

/// The concatenated coordinates of cells along a dimension, and the start of each.
fn cells(dimension: usize, rows: &[[i8; 4]]) -> (Vec<u8>, Vec<u64>) {
    let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
    for row in rows {
        bytes.extend(coordinate(dimension, row[dimension]));
        offsets.push(bytes.len() as u64);
    }
    (bytes, offsets)
}

fn points(dimensions: &[usize], rows: &[[i8; 4]]) -> Points {
    let infos = dimensions.iter().map(|dimension| info(*dimension));
    let limits = Limits::default();
    let mut gathered = Points::gather(infos.collect(), &limits);
    // In two batches.
    let (first, second) = rows.split_at(rows.len() / 3);
    for rows in [first, second] {
        let columns = dimensions.iter().map(|dimension| {
            let (values, offsets) = cells(*dimension, rows);
            let info = info(*dimension);
            let offsets = offsets.iter().flat_map(|offset| offset.to_le_bytes());
            Column {
                name: info.name,
                datatype: info.datatype,
                cell_val_num: info.cell_val_num,
                nullable: false,
                values: values.into(),
                offsets: info
                    .cell_val_num
                    .is_var()
                    .then(|| offsets.collect::<Vec<u8>>().into()),
                validity: None,
                enumeration: None,
            }
        });
        let batch = Batch {
            rows: rows.len(),
            columns: columns.collect(),
        };
        gathered.add(&batch).unwrap();
    }
    assert_eq!(gathered.len(), rows.len());
    gathered.finish().unwrap()
}

fn column(dimension: usize, rows: &[[i8; 4]]) -> TableColumn {
    let (bytes, offsets) = cells(dimension, rows);
    let mut values = Buffer::zeroed(bytes.len()).unwrap();
    values.as_mut_slice().copy_from_slice(&bytes);
    let is_var = info(dimension).cell_val_num.is_var();
    TableColumn {
        values,
        cell_size: if is_var {
            8
        } else {
            DATATYPES[dimension].size()
        },
        offsets: is_var.then_some(offsets),
        ..TableColumn::default()
    }
}

fn row() -> impl Strategy<Value = [i8; 4]> {
    prop::array::uniform4(-4_i8..5)
}

proptest! {
    #[test]
    fn cells_at_points_are_found_and_so_are_boxes_with_points(
        dimensions in prop::sample::subsequence(vec![0, 1, 2, 3], 1..5).prop_shuffle(),
        given in prop::collection::vec(row(), 0..40),
        asked in prop::collection::vec(row(), 0..40),
        boxes in prop::collection::vec((row(), row()), 1..20),
    ) {
        let points = points(&dimensions, &given);
        prop_assert_eq!(points.len(), given.len());
        let columns: Vec<TableColumn> = dimensions.iter().map(|d| column(*d, &asked)).collect();
        let columns: Vec<&TableColumn> = columns.iter().collect();
        let mut keep = vec![1; asked.len()];
        points.choose(&columns, RowRange::first(asked.len()).unwrap(), &mut keep).unwrap();
        let is_point = |row: &[i8; 4]| given.iter().any(|point| dimensions.iter().all(|d| point[*d] == row[*d]));
        let expected: Vec<u8> = asked.iter().map(|row| u8::from(is_point(row))).collect();
        prop_assert_eq!(keep, expected);

        for (lo, hi) in boxes {
            let ranges: Vec<Range> = dimensions.iter().map(|d| {
                let (lo, hi) = (lo[*d].min(hi[*d]), lo[*d].max(hi[*d]));
                Range::new(coordinate(*d, lo), coordinate(*d, hi))
            }).collect();
            let has = |point: &[i8; 4]| dimensions.iter().all(|d| {
                (lo[*d].min(hi[*d])..=lo[*d].max(hi[*d])).contains(&point[*d])
            });
            let ranges: Vec<&Range> = ranges.iter().collect();
            prop_assert_eq!(points.any_in(&ranges).unwrap(), given.iter().any(has));
        }

        let bounds = dimensions.iter().map(|d| {
            let along = || given.iter().map(|point| point[*d]);
            let (lo, hi) = (along().min()?, along().max()?);
            Some(Range::new(coordinate(*d, lo), coordinate(*d, hi)))
        });
        prop_assert_eq!(points.bounds(), bounds.collect::<Option<Vec<_>>>());
        for (at, d) in dimensions.iter().enumerate() {
            let mut found: Vec<Vec<u8>> = points.coordinates(at).map(|c| c.to_vec()).collect();
            let mut expected: Vec<Vec<u8>> = given.iter().map(|point| coordinate(*d, point[*d])).collect();
            found.sort();
            expected.sort();
            prop_assert_eq!(found, expected);
        }
    }
}

#[test]
fn many_points_are_found_among_many_cells() {
    let number = |n: u32| {
        [
            (n % 9) as i8 - 4,
            (n / 9 % 9) as i8 - 4,
            (n / 81 % 9) as i8 - 4,
            0,
        ]
    };
    let given: Vec<[i8; 4]> = (0..3000).step_by(7).map(number).collect();
    let asked: Vec<[i8; 4]> = (0..729).map(number).collect();
    let points = points(&[0, 1, 2], &given);
    let columns: Vec<TableColumn> = (0..3).map(|d| column(d, &asked)).collect();
    let columns: Vec<&TableColumn> = columns.iter().collect();
    let mut keep = vec![1; asked.len()];
    let rows = RowRange::first(asked.len()).unwrap();
    points.choose(&columns, rows, &mut keep).unwrap();
    let expected: Vec<u8> = asked
        .iter()
        .map(|row| u8::from(given.contains(row)))
        .collect();
    assert_eq!(keep, expected);
    assert!(expected.contains(&0) && expected.contains(&1));
}

#[test]
fn what_is_no_point_is_told() {
    let add = |column: Column, limits: &Limits| {
        let mut gathered = Points::gather(vec![info(1)], limits);
        let (rows, columns) = (2, vec![column]);
        gathered
            .add(&Batch { rows, columns })
            .unwrap_err()
            .to_string()
    };
    let column = |datatype, values: Vec<u8>, validity: Option<u8>| Column {
        name: "d1".to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: validity.is_some(),
        values: values.into(),
        offsets: None,
        validity: validity.map(|bits| vec![bits].into()),
        enumeration: None,
    };
    let floats = |numbers: [f64; 2]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let limits = Limits::default();
    let told = [
        add(
            column(Datatype::Float64, floats([0.0, f64::NAN]), None),
            &limits,
        ),
        add(
            column(Datatype::Float64, floats([0.0, 1.0]), Some(2)),
            &limits,
        ),
        add(column(Datatype::Int64, floats([0.0, 1.0]), None), &limits),
        add(
            column(Datatype::Float64, floats([0.0, 1.0]), None),
            &Limits::with_budget(15),
        ),
    ];
    insta::assert_snapshot!(told.join("\n"), @r#"
    point 1 (counted from 0) is NaN along dimension "d1"
    point 0 (counted from 0) is null along dimension "d1"
    points of dimension "d1" are not of type float64, but int64
    memory of 16 is over the limit of 15 (memory budget)
    "#);
    // 0.0 and -0.0 are the same coordinate.
    let mut gathered = Points::gather(vec![info(1)], &limits);
    let columns = vec![column(Datatype::Float64, floats([-0.0, 1.0]), None)];
    gathered.add(&Batch { rows: 2, columns }).unwrap();
    let points = gathered.finish().unwrap();
    let zero = Range::of(0.0, 0.0);
    assert!(points.any_in(&[&zero]).unwrap());
}
