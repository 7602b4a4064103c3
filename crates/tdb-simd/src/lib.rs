#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

/// A loop from bytes to bytes.
///
/// The loop is compiled for several kinds of processors. This works only if every function that it
/// calls is `#[inline(always)]`: a function that is not inlined is compiled once, for the oldest
/// processor.
pub trait Kernel {
    /// The result of the loop, besides the bytes written.
    type Output;

    /// Reads `from` and fills `to`. Implementations are `#[inline(always)]`.
    fn run(self, from: &[u8], to: &mut [u8]) -> Self::Output;
}

/// Runs a kernel with the widest vectors that it is compiled for and that the processor has.
#[inline]
pub fn run<K: Kernel>(kernel: K, from: &[u8], to: &mut [u8]) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if x86_64::has_avx2() {
        // SAFETY: `has_avx2` has just confirmed every processor feature that the function is
        // compiled for.
        return unsafe { x86_64::run_with_avx2(kernel, from, to) };
    }
    kernel.run(from, to)
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::Kernel;

    /// True if the processor has the features of [`run_with_avx2`].
    #[inline]
    pub(super) fn has_avx2() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }

    /// Runs the kernel, compiled for these features. The slices are separate arguments, so that the
    /// compiler knows that they do not overlap.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn run_with_avx2<K: Kernel>(kernel: K, from: &[u8], to: &mut [u8]) -> K::Output {
        kernel.run(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a number to all bytes, and counts them.
    struct Add(u8);

    impl Kernel for Add {
        type Output = usize;

        #[inline(always)]
        fn run(self, from: &[u8], to: &mut [u8]) -> usize {
            let pairs = from.iter().zip(to);
            let mut count = 0;
            for (from, to) in pairs {
                *to = from.wrapping_add(self.0);
                count += 1;
            }
            count
        }
    }

    #[test]
    fn what_is_run_is_the_kernel() {
        let all: Vec<u8> = (0..=255).cycle().take(700).collect();
        for start in 0..33 {
            for len in 0..=300 {
                let from = &all[start..start + len];
                let (mut plain, mut vectors) = (vec![0; len + start], vec![0; len + start]);
                let wanted = Add(7).run(from, &mut plain[start..]);
                assert_eq!(run(Add(7), from, &mut vectors[start..]), wanted);
                assert_eq!(vectors, plain);
            }
        }
    }
}
