//! Runs several kinds of loops on arbitrary bytes at any alignment: the version for wide vectors
//! must give the same result as the plain loop.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_simd::{Kernel, run};

/// The loop to run on the bytes.
#[derive(Clone, Copy)]
enum Work {
    /// Adds a number to each byte.
    Add(u8),
    /// Rotates the bytes by this many places.
    Turn(usize),
    /// Replaces each byte by the exclusive or of all bytes up to it.
    Chain,
    /// Transposes each group of eight bytes as a matrix of 8 by 8 bits.
    Transpose,
}

impl Kernel for Work {
    type Output = u64;

    #[inline(always)]
    fn run(self, from: &[u8], to: &mut [u8]) -> u64 {
        match self {
            Self::Add(number) => {
                for (from, to) in from.iter().zip(&mut *to) {
                    *to = from.wrapping_add(number);
                }
            }
            Self::Turn(step) => {
                let turned = from.iter().cycle().skip(step);
                for (from, to) in turned.zip(&mut *to) {
                    *to = *from;
                }
            }
            Self::Chain => {
                let mut before = 0;
                for (from, to) in from.iter().zip(&mut *to) {
                    before ^= from;
                    *to = before;
                }
            }
            Self::Transpose => {
                for (from, to) in from.chunks_exact(8).zip(to.chunks_exact_mut(8)) {
                    for (bit, to) in to.iter_mut().enumerate() {
                        let bits = from.iter().enumerate();
                        *to = bits.fold(0, |row, (at, byte)| row | ((byte >> bit) & 1) << at);
                    }
                }
            }
        }
        to.iter().map(|byte| u64::from(*byte)).sum()
    }
}

fuzz_target!(|data: &[u8]| {
    let [work, number, start, from @ ..] = data else {
        return;
    };
    let work = match work % 4 {
        0 => Work::Add(*number),
        1 => Work::Turn(usize::from(*number)),
        2 => Work::Chain,
        _ => Work::Transpose,
    };
    // Input and output may begin at any alignment.
    let from = &from[(usize::from(start >> 5)).min(from.len())..];
    let start = usize::from(start & 31);
    let (mut plain, mut wide) = (
        vec![0xa5; start + from.len()],
        vec![0xa5; start + from.len()],
    );
    let said = work.run(from, &mut plain[start..]);
    assert_eq!(run(work, from, &mut wide[start..]), said);
    assert_eq!(wide, plain);
});
