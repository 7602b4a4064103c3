/// Returns `part / whole` of an amount, rounded down; all of it if `part` is greater than `whole`.
#[must_use]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "a product of two numbers of 64 bits has 128"
)]
pub fn share(amount: u64, part: u64, whole: u64) -> u64 {
    let product = u128::from(amount) * u128::from(part.min(whole));
    let share = product.checked_div(whole.into());
    // The share is at most `amount`.
    share.map_or(0, |share| u64::try_from(share).unwrap_or(amount))
}

/// Returns the amount for `part` if `whole` takes `amount`, rounded up; more than `amount` if `part` is greater than
/// `whole`.
#[must_use]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "a product of two numbers of 64 bits has 128"
)]
pub fn scaled(amount: u64, part: u64, whole: u64) -> u64 {
    let product = u128::from(amount) * u128::from(part);
    let scaled = product.div_ceil(u128::from(whole.max(1)));
    // Saturates: no budget has more.
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{scaled, share};

    #[test]
    fn what_is_taken_several_times_takes_more() {
        assert_eq!(scaled(10, 1, 3), 4);
        assert_eq!(scaled(10, 6, 3), 20);
        assert_eq!(scaled(u64::MAX, 2, 1), u64::MAX);
        assert_eq!(scaled(0, 5, 0), 0);
    }

    #[test]
    fn a_share_is_at_most_the_amount() {
        assert_eq!(share(10, 1, 3), 3);
        assert_eq!(share(u64::MAX, u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(share(u64::MAX, 1, 2), u64::MAX / 2);
        assert_eq!(share(10, 5, 3), 10);
        assert_eq!(share(10, 0, 0), 0);
    }
}
