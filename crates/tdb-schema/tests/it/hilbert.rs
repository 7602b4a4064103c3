//! The Hilbert curve, compared with the published algorithm.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use crate::common::{dimension, raw, sparse, strings};
use proptest::prelude::*;
use tdb_schema::CellOrder;
use tdb_schema::hilbert::{HilbertCurve, HilbertSpace};
use tdb_schema::order::WriterRule;
use tdb_tile::Datatype;

/// Skilling's transform, one point and one branch at a time.
fn naive(bits: u32, point: &[u64]) -> u64 {
    let mut x = point.to_vec();
    let n = x.len();
    let mut q = 1_u64 << (bits - 1);
    while q > 1 {
        let p = q - 1;
        for i in 0..n {
            if x[i] & q != 0 {
                x[0] ^= p;
            } else {
                let t = (x[0] ^ x[i]) & p;
                x[0] ^= t;
                x[i] ^= t;
            }
        }
        q >>= 1;
    }
    for i in 1..n {
        x[i] ^= x[i - 1];
    }
    let mut t = 0;
    let mut q = 1_u64 << (bits - 1);
    while q > 1 {
        if x[n - 1] & q != 0 {
            t ^= q - 1;
        }
        q >>= 1;
    }
    x.iter_mut().for_each(|x| *x ^= t);
    let mut place = 0;
    for bit in (0..bits).rev() {
        for x in &x {
            place = (place << 1) | ((x >> bit) & 1);
        }
    }
    place
}

proptest! {
    #[test]
    fn places_are_those_of_the_textbook(n in 2_usize..=16, seeds in any::<[u64; 16]>()) {
        let curve = HilbertCurve::new(n).unwrap();
        let point: Vec<u64> = seeds[..n].iter().map(|s| s >> (64 - curve.bits())).collect();
        let place = curve.index(&mut point.clone());
        prop_assert_eq!(place, naive(curve.bits(), &point));
        prop_assert_eq!(curve.point(place), point);
        prop_assert!(place.checked_shr(curve.place_bits()).unwrap_or(0) == 0);
    }

    #[test]
    fn the_next_place_is_one_step_away(n in 2_usize..=7, seed in any::<u64>()) {
        let curve = HilbertCurve::new(n).unwrap();
        let place = (seed >> (64 - curve.place_bits())).saturating_sub(1);
        let (a, b) = (curve.point(place), curve.point(place + 1));
        let steps: u64 = a.iter().zip(&b).map(|(a, b)| a.abs_diff(*b)).sum();
        prop_assert_eq!(steps, 1);
    }
}

#[test]
fn one_dimension_is_its_own_curve() {
    let mut schema = sparse(vec![dimension("x", Datatype::Int32, 0, 100, 10)]);
    schema.cell_order = CellOrder::Hilbert;
    let space = HilbertSpace::new(&schema, WriterRule::Current).unwrap();
    let place = |v: i32| space.place(&[&raw(v)[..]]).unwrap();
    assert_eq!(place(0), 0);
    // The last bucket rounds up to a number of its own; the order stays correct.
    assert_eq!(place(100), 1 << 63);
    assert!(place(99) < place(100));
}

#[test]
fn a_cell_without_a_coordinate_has_no_place() {
    let schema = sparse(vec![
        dimension("x", Datatype::Int32, 0, 7, 1),
        dimension("y", Datatype::Int32, 0, 7, 1),
    ]);
    let space = HilbertSpace::new(&schema, WriterRule::Current).unwrap();
    assert!(space.place(&[&raw(1)[..], &raw(1)[..]]).is_ok());
    for cell in [&[&raw(1)[..]][..], &[&raw(1)[..], &[]], &[&[0; 3], &raw(1)]] {
        let error = space.place(cell).unwrap_err().to_string();
        assert!(error.contains("no coordinate to place it by"), "{error}");
    }
}

#[test]
fn a_domain_of_one_value_is_one_bucket() {
    let schema = sparse(vec![
        dimension("x", Datatype::Int32, 5, 5, 1),
        dimension("y", Datatype::Int32, 0, 7, 1),
    ]);
    let space = HilbertSpace::new(&schema, WriterRule::Current).unwrap();
    let place = |y: i32| space.place(&[&raw(5)[..], &raw(y)[..]]).unwrap();
    assert_eq!(place(0), 0);
    assert!(place(0) < place(7));
}

#[test]
fn old_writers_count_values_instead_of_steps() {
    let schema = sparse(vec![
        dimension("x", Datatype::Int32, 0, 1, 1),
        dimension("y", Datatype::Int32, 0, 1, 1),
    ]);
    let place = |rule| {
        let space = HilbertSpace::new(&schema, rule).unwrap();
        space.place(&[&raw(1)[..], &raw(0)[..]]).unwrap()
    };
    let curve = HilbertCurve::new(2).unwrap();
    let last = (1 << 31) - 1;
    assert_eq!(place(WriterRule::Current), curve.index(&mut [last, 0]));
    assert_eq!(
        place(WriterRule::CountsHilbertValues),
        curve.index(&mut [last / 2, 0])
    );
}

#[test]
fn bytes_of_strings_have_a_sign() {
    let schema = sparse(vec![strings("s"), strings("t")]);
    let space = HilbertSpace::new(&schema, WriterRule::Current).unwrap();
    let bucket = |text: &[u8]| space.curve().point(space.place(&[text, b""]).unwrap())[0];
    assert_eq!(bucket(b"a"), (0x61_u64 << 56) >> 33);
    assert_eq!(bucket(b"abcdefghi"), 0x6162_6364_6566_6768 >> 33);
    assert_eq!(bucket(b"\x80"), (0x80_u64 << 56) >> 33);
    // The byte 0x80 sets all bits of the byte before.
    assert_eq!(bucket(b"a\x80"), (0xffff_u64 << 48 & !(0x7f << 48)) >> 33);
}
