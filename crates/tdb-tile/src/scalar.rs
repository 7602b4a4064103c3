use std::fmt;

/// A number of fixed width as the format stores it: little-endian, unaligned.
pub trait Scalar: Copy + Default + PartialEq + PartialOrd + fmt::Display + fmt::Debug {
    /// Bytes that one value takes.
    const SIZE: usize;

    /// The value in the first [`Scalar::SIZE`] bytes, `None` where there are fewer.
    fn read(bytes: &[u8]) -> Option<Self>;

    /// Appends the value to `out`.
    fn write(self, out: &mut Vec<u8>);
}

macro_rules! scalar {
    ($($t:ty),*) => {$(
        impl Scalar for $t {
            const SIZE: usize = size_of::<$t>();

            #[inline]
            fn read(bytes: &[u8]) -> Option<Self> {
                bytes.first_chunk().map(|b| <$t>::from_le_bytes(*b))
            }

            #[inline]
            fn write(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

scalar!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);
