//! Recognizes numbers and truth values among texts of unknown type.

/// All whole numbers up to this one are exact as 64-bit floats.
pub(super) const EXACT: i128 = 1 << 53;

/// Whether a text is a truth value in the form that common programs write.
pub(super) fn is_flag(text: &str) -> bool {
    matches!(text, "true" | "True" | "TRUE" | "false" | "False" | "FALSE")
}

/// Parses a whole number without a plus sign or leading zeros, which codes may have.
pub(super) fn whole(text: &str) -> Option<i128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_code = matches!(digits.as_bytes(), [b'0', _, ..]) || text == "-0";
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    (all_digits && !is_code)
        .then(|| text.parse().ok())
        .flatten()
}

/// Whether a number fits into `i64`.
#[inline]
pub(super) fn is_64_bit(number: i128) -> bool {
    i64::try_from(number).is_ok()
}

/// Whether `i64` or `u64` can hold all numbers between these two.
pub(super) fn is_one_type(lo: i128, hi: i128) -> bool {
    (is_64_bit(lo) && is_64_bit(hi)) || (lo >= 0 && u64::try_from(hi).is_ok())
}

/// Returns the lesser number; the first one if they are equal, such as zeros of both signs, or if the second is NaN.
#[inline]
pub(super) fn least(first: f64, second: f64) -> f64 {
    if second < first { second } else { first }
}

/// Returns the greater number, with the rules of [`least`].
#[inline]
pub(super) fn greatest(first: f64, second: f64) -> f64 {
    if second > first { second } else { first }
}

/// Parses a whole number of at most 18 digits, without overflow checks; `None` for all other texts.
#[inline]
pub(super) fn short_whole(text: &str) -> Option<i128> {
    let (is_negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 || (digits.first() == Some(&b'0') && text != "0") {
        return None;
    }
    let mut number = 0_i64;
    for byte in digits {
        let digit = byte ^ b'0';
        if digit > 9 {
            return None;
        }
        number = number.wrapping_mul(10).wrapping_add(digit.into());
    }
    let number = i128::from(number);
    Some(if is_negative { -number } else { number })
}

/// Powers of ten that are exact as floats.
const POWERS: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// Parses a decimal number with so few digits that these, and the power of ten to divide by, are exact as floats: a
/// single division then rounds exactly as the standard library does. `None` for all other texts.
#[inline]
pub(super) fn short_decimal(text: &str) -> Option<f64> {
    let (is_negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let point = digits.iter().position(|byte| *byte == b'.')?;
    let places = digits.len().checked_sub(point)?.checked_sub(1)?;
    if point == 0 || places == 0 || digits.len() > POWERS.len() {
        return None;
    }
    let mut number = 0_i64;
    for (at, byte) in digits.iter().enumerate() {
        let digit = byte ^ b'0';
        if digit <= 9 {
            number = number.wrapping_mul(10).wrapping_add(digit.into());
        } else if at != point {
            return None;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "it has 15 digits at most")]
    let number = number as f64 / POWERS.get(places)?;
    Some(if is_negative { -number } else { number })
}

/// Parses a float with digits, a decimal point and no leading zeros, exponent or sign but `-`; `None` for other texts.
#[inline]
pub(super) fn decimal(text: &str) -> Option<f64> {
    let digits = match text.as_bytes() {
        [b'-', digits @ ..] => digits,
        digits => digits,
    };
    let is_plain = match digits {
        [b'0', b'.', ..] => true,
        [b'1'..=b'9', rest @ ..] => rest.contains(&b'.'),
        _ => false,
    };
    let read = || short_decimal(text).or_else(|| finite(text));
    is_plain.then(read).flatten()
}

/// Parses a float; `None` if it is too large.
fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|float: &f64| float.is_finite())
}

pub(super) fn float(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_code = matches!(digits.as_bytes(), [b'0', b'0'..=b'9', ..]);
    let is_number = digits
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_word = matches!(digits, "Infinity" | "inf") || matches!(text, "NaN" | "nan");
    // Digits alone that are not a valid whole number have too many digits for an exact float.
    let is_whole =
        digits.bytes().all(|byte| byte.is_ascii_digit()) && whole(text).is_none() && text != "-0";
    if is_code || is_whole || !(is_number || is_word) {
        return None;
    }
    if is_word {
        return text.parse().ok();
    }
    finite(text)
}

/// Whether JSON writes this text instead of a number.
pub(super) fn is_no_number(text: &str) -> bool {
    matches!(text, "NaN" | "Infinity" | "-Infinity")
}

/// Converts a whole number into the nearest float; exact up to 2^53.
pub(super) fn float_of(number: i128) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_type_holds_numbers_up_to_its_ends() {
        let (i64_lo, i64_hi) = (i128::from(i64::MIN), i128::from(i64::MAX));
        let u64_hi = i128::from(u64::MAX);
        for (lo, hi) in [(i64_lo, i64_hi), (0, u64_hi), (5, 5)] {
            assert!(is_one_type(lo, hi));
        }
        for (lo, hi) in [(i64_lo - 1, 5), (-1, i64_hi + 1), (0, u64_hi + 1)] {
            assert!(!is_one_type(lo, hi));
        }
    }

    proptest! {
        #[test]
        fn short_decimals_are_what_the_library_reads(text in "-?[0-9]{0,17}\\.?[0-9]{0,17}[e:/x]?") {
            if let Some(number) = short_decimal(&text) {
                let wanted: f64 = text.parse().expect("digits around a point");
                prop_assert_eq!(number.to_bits(), wanted.to_bits());
            }
        }

        #[test]
        fn numbers_of_few_digits_are_short(whole in 0_u32.., part in 0_u16..) {
            let text = format!("-{whole}.{part}");
            let wanted: f64 = text.parse().expect("a number");
            prop_assert_eq!(short_decimal(&text).map(f64::to_bits), Some(wanted.to_bits()));
        }
    }
}
