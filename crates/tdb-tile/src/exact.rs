use crate::Bug;

/// Arithmetic on indexes, positions, lengths and sizes that can leave its type only through a defect of this library.
///
/// Where a number comes from stored bytes, use `checked_add` and its like with the error of the decoder instead.
///
/// ```
/// use tdb_tile::Exact;
/// assert_eq!(3_usize.exact_add(4), Ok(7));
/// let bug = 3_u64.exact_sub(4).unwrap_err();
/// assert!(bug.to_string().starts_with("a defect of tdb: a difference below 0 ("));
/// ```
pub trait Exact: Sized {
    /// Returns the sum.
    ///
    /// # Errors
    /// [`Bug`], located at the caller, if the sum is not in the type.
    #[track_caller]
    fn exact_add(self, other: Self) -> Result<Self, Bug>;

    /// Returns the difference.
    ///
    /// # Errors
    /// [`Bug`], located at the caller, if `other` is greater.
    #[track_caller]
    fn exact_sub(self, other: Self) -> Result<Self, Bug>;

    /// Returns the product.
    ///
    /// # Errors
    /// [`Bug`], located at the caller, if the product is not in the type.
    #[track_caller]
    fn exact_mul(self, other: Self) -> Result<Self, Bug>;
}

/// Implements [`Exact`]; a closure would lose the place of the caller.
macro_rules! exact {
    ($($t:ty)*) => {$(
        impl Exact for $t {
            #[inline]
            #[track_caller]
            fn exact_add(self, other: Self) -> Result<Self, Bug> {
                match self.checked_add(other) {
                    Some(sum) => Ok(sum),
                    None => Err(Bug::new("a sum beyond its type")),
                }
            }

            #[inline]
            #[track_caller]
            fn exact_sub(self, other: Self) -> Result<Self, Bug> {
                match self.checked_sub(other) {
                    Some(difference) => Ok(difference),
                    None => Err(Bug::new("a difference below 0")),
                }
            }

            #[inline]
            #[track_caller]
            fn exact_mul(self, other: Self) -> Result<Self, Bug> {
                match self.checked_mul(other) {
                    Some(product) => Ok(product),
                    None => Err(Bug::new("a product beyond its type")),
                }
            }
        }
    )*};
}

exact!(u8 u16 u32 u64 usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_names_the_place_of_the_caller() {
        let line = line!() + 1;
        let bug = u64::MAX.exact_add(1).unwrap_err();
        assert_eq!((bug.place.file(), bug.place.line()), (file!(), line));
        assert!(0_u8.exact_sub(1).is_err() && u32::MAX.exact_mul(2).is_err());
        let twenty = 2_usize.exact_add(3).and_then(|sum| sum.exact_mul(4));
        assert_eq!(twenty.and_then(|twenty| twenty.exact_sub(1)), Ok(19));
    }
}
