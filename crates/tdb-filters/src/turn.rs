//! Transpositions of small matrices of bytes or bits, held in several `u64`.
//!
//! Each swaps ever smaller blocks across the diagonal: first the off-diagonal quarters of the whole
//! matrix, then those within each quarter, and so on. A matrix of 8 by 8 takes three steps, and a
//! step handles all rows in whole words.

/// The low half of a `u64`.
pub(crate) const LOW: u64 = 0x0000_0000_ffff_ffff;
/// The high half of a `u64`.
pub(crate) const HIGH: u64 = !LOW;

/// Swaps the bits of `a` in `mask << by` with the bits of `b` in `mask`.
#[inline(always)]
const fn exchange(a: u64, b: u64, by: u32, mask: u64) -> (u64, u64) {
    let turned = ((a >> by) ^ b) & mask;
    (a ^ (turned << by), b ^ turned)
}

/// Transposes 8 by 8 bytes: byte `j` of number `i` becomes byte `i` of number `j`.
#[inline(always)]
pub(crate) const fn bytes_of_eights([a, b, c, d, e, f, g, h]: [u64; 8]) -> [u64; 8] {
    let (a, e) = exchange(a, e, 32, LOW);
    let (b, f) = exchange(b, f, 32, LOW);
    let (c, g) = exchange(c, g, 32, LOW);
    let (d, h) = exchange(d, h, 32, LOW);
    let [a, b, c, d] = bytes_of_fours([a, b, c, d]);
    let [e, f, g, h] = bytes_of_fours([e, f, g, h]);
    [a, b, c, d, e, f, g, h]
}

/// Transposes 4 by 4 pairs of bytes: pair `j` of number `i` becomes pair `i` of number `j`.
#[inline(always)]
pub(crate) const fn twos_of_fours([a, b, c, d]: [u64; 4]) -> [u64; 4] {
    let (a, c) = exchange(a, c, 32, LOW);
    let (b, d) = exchange(b, d, 32, LOW);
    let (a, b) = exchange(a, b, 16, 0x0000_ffff_0000_ffff);
    let (c, d) = exchange(c, d, 16, 0x0000_ffff_0000_ffff);
    [a, b, c, d]
}

/// Returns the low halves of both numbers as one, and their high halves as the other.
#[inline(always)]
pub(crate) const fn halves_of_twos(a: u64, b: u64) -> (u64, u64) {
    exchange(a, b, 32, LOW)
}

/// Transposes 4 by 4 bytes in each half: byte `j` of a half of number `i` becomes byte `i` of the
/// same half of number `j`.
#[inline(always)]
pub(crate) const fn bytes_of_fours([a, b, c, d]: [u64; 4]) -> [u64; 4] {
    let (a, c) = exchange(a, c, 16, 0x0000_ffff_0000_ffff);
    let (b, d) = exchange(b, d, 16, 0x0000_ffff_0000_ffff);
    let (a, b) = exchange(a, b, 8, 0x00ff_00ff_00ff_00ff);
    let (c, d) = exchange(c, d, 8, 0x00ff_00ff_00ff_00ff);
    [a, b, c, d]
}

/// Transposes 8 by 8 bits at each byte: bit `k` of a byte of number `i` becomes bit `i` of the same
/// byte of number `k`.
#[inline(always)]
pub(crate) const fn bits_of_eights([a, b, c, d, e, f, g, h]: [u64; 8]) -> [u64; 8] {
    const FOUR: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const TWO: u64 = 0x3333_3333_3333_3333;
    const ONE: u64 = 0x5555_5555_5555_5555;
    let (a, e) = exchange(a, e, 4, FOUR);
    let (b, f) = exchange(b, f, 4, FOUR);
    let (c, g) = exchange(c, g, 4, FOUR);
    let (d, h) = exchange(d, h, 4, FOUR);
    let (a, c) = exchange(a, c, 2, TWO);
    let (b, d) = exchange(b, d, 2, TWO);
    let (e, g) = exchange(e, g, 2, TWO);
    let (f, h) = exchange(f, h, 2, TWO);
    let (a, b) = exchange(a, b, 1, ONE);
    let (c, d) = exchange(c, d, 1, ONE);
    let (e, f) = exchange(e, f, 1, ONE);
    let (g, h) = exchange(g, h, 1, ONE);
    [a, b, c, d, e, f, g, h]
}
