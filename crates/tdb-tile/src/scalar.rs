use std::fmt;

use crate::Physical;

/// A number of fixed width as the format stores it: little-endian, unaligned.
pub trait Scalar: Copy + Default + PartialEq + PartialOrd + fmt::Display + fmt::Debug {
    /// The size of one value in bytes.
    const SIZE: usize;

    /// The number type as a value.
    const PHYSICAL: Physical;

    /// Reads the value in the first [`Scalar::SIZE`] bytes; `None` if there are fewer.
    fn read(bytes: &[u8]) -> Option<Self>;

    /// Iterates over the values stored back to back in `bytes`; an incomplete value at the end is
    /// ignored.
    fn read_all(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> + Clone + '_;

    /// Appends the value to `out`.
    fn write(self, out: &mut Vec<u8>);

    /// Returns the memory of `values`, to copy stored bytes into; call [`Scalar::settle`]
    /// afterwards.
    fn memory(values: &mut [Self]) -> &mut [u8];

    /// Converts values whose memory was filled with stored bytes to the byte order of this machine;
    /// does nothing on little-endian machines.
    fn settle(values: &mut [Self]);
}

macro_rules! scalar {
    ($($t:ty = $physical:ident),*) => {$(
        impl Scalar for $t {
            const SIZE: usize = size_of::<$t>();
            const PHYSICAL: Physical = Physical::$physical;

            #[inline]
            fn read(bytes: &[u8]) -> Option<Self> {
                bytes.first_chunk().map(|b| <$t>::from_le_bytes(*b))
            }

            #[inline]
            fn read_all(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> + Clone + '_ {
                let (values, _) = bytes.as_chunks();
                values.iter().map(|value| <$t>::from_le_bytes(*value))
            }

            #[inline]
            fn write(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn memory(values: &mut [Self]) -> &mut [u8] {
                zerocopy::IntoBytes::as_mut_bytes(values)
            }

            #[inline]
            fn settle(values: &mut [Self]) {
                if cfg!(target_endian = "big") {
                    values.iter_mut().for_each(|value| *value = <$t>::from_le_bytes(value.to_ne_bytes()));
                }
            }
        }
    )*};
}

scalar!(
    i8 = I8,
    u8 = U8,
    i16 = I16,
    u16 = U16,
    i32 = I32,
    u32 = U32,
    i64 = I64,
    u64 = U64,
    f32 = F32,
    f64 = F64
);
