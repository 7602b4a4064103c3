//! Which texts are numbers and truth values, where nobody says that they are.

/// Whether a text is true or false, as programs write it.
pub(super) fn is_flag(text: &str) -> bool {
    matches!(text, "true" | "True" | "TRUE" | "false" | "False" | "FALSE")
}

/// A whole number whose digits say nothing else: neither a plus nor a zero in front.
pub(super) fn whole(text: &str) -> Option<i128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_code = matches!(digits.as_bytes(), [b'0', _, ..]) || text == "-0";
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    (all_digits && !is_code)
        .then(|| text.parse().ok())
        .flatten()
}

/// Whether a signed number of 64 bits holds it.
pub(super) fn is_64_bit(number: i128) -> bool {
    i64::try_from(number).is_ok()
}

/// A whole number of so few digits that none need be looked at twice; `None` for others, too.
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
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number.wrapping_mul(10).wrapping_add(digit.into());
    }
    let number = if is_negative {
        number.wrapping_neg()
    } else {
        number
    };
    Some(number.into())
}

/// A float with digits in front of a point and nothing else that is special; `None` for others, too.
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
    is_plain.then(|| text.parse().ok()).flatten()
}

pub(super) fn float(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_code = matches!(digits.as_bytes(), [b'0', b'0'..=b'9', ..]);
    let is_number = digits
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_word = matches!(digits, "Infinity" | "inf") || matches!(text, "NaN" | "nan");
    // Digits alone that are no whole number are too many of them for a float.
    let is_whole =
        digits.bytes().all(|byte| byte.is_ascii_digit()) && whole(text).is_none() && text != "-0";
    if is_code || is_whole || !(is_number || is_word) {
        return None;
    }
    text.parse().ok()
}

/// Whether JSON has this text in place of a number.
pub(super) fn is_no_number(text: &str) -> bool {
    matches!(text, "NaN" | "Infinity" | "-Infinity")
}

/// The float that is a whole number, or next to it: those up to 2 to the power of 53 are floats.
pub(super) fn float_of(number: i128) -> f64 {
    number as f64
}
