//! The proleptic Gregorian calendar, in integers that hold any year.

/// Number of days in 400 years, after which the calendar repeats.
const CYCLE: i128 = 146_097;

/// Converts a date to days since 1970-01-01; `None` for a date that does not exist.
pub(super) fn days_from_date(year: i128, month: i128, day: i128) -> Option<i128> {
    if !(1..=12).contains(&month) || day < 1 || day > days_of_month(year, month) {
        return None;
    }
    // Years start in March, so that the leap day is the last day of a year.
    let (year, month) = match month {
        3.. => (year, month.checked_sub(3)?),
        _ => (year.checked_sub(1)?, month.checked_add(9)?),
    };
    let (cycle, year) = (year.div_euclid(400), year.rem_euclid(400));
    let leaps = (year / 4).checked_sub(year / 100)?;
    let before_month = month.checked_mul(153)?.checked_add(2)? / 5;
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    cycle
        .checked_mul(CYCLE)?
        .checked_add(year.checked_mul(365)?)?
        .checked_add(leaps)?
        .checked_add(before_month)?
        .checked_add(day)?
        .checked_sub(719_469)
}

/// Like [`days_from_date`], for years from 1600 to 9999, in 32 bits; also `None` for other years.
pub(super) fn plain_days_from_date(year: u32, month: u32, day: u32) -> Option<i32> {
    const LENGTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    const BEFORE: [u32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    /// Number of days from 1600-01-01, where the calendar starts to repeat, to 1970-01-01.
    const TO_1970: i32 = 135_140;
    let index = usize::try_from(month.checked_sub(1)?).ok()?;
    let (length, before) = (LENGTHS.get(index)?, BEFORE.get(index)?);
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let odd_day = u32::from(is_leap);
    let length = if month == 2 {
        length.checked_add(odd_day)?
    } else {
        *length
    };
    if !(1600..=9999).contains(&year) || day < 1 || day > length {
        return None;
    }
    let years = year.checked_sub(1600)?;
    let leaps = match years.checked_sub(1) {
        None => 0,
        // 1600 was a leap year.
        Some(past) => (past / 4)
            .checked_sub(past / 100)?
            .checked_add(past / 400)?
            .checked_add(1)?,
    };
    let this_year = if month > 2 { odd_day } else { 0 };
    let days = years
        .checked_mul(365)?
        .checked_add(leaps)?
        .checked_add(*before)?
        .checked_add(this_year)?
        .checked_add(day)?
        .checked_sub(1)?;
    i32::try_from(days).ok()?.checked_sub(TO_1970)
}

/// Converts days since 1970-01-01 to year, month and day.
pub(super) fn date_from_days(days: i128) -> Option<(i128, i128, i128)> {
    let days = days.checked_add(719_468)?;
    let (cycle, day) = (days.div_euclid(CYCLE), days.rem_euclid(CYCLE));
    // Removes the leap days before the day: one every 4 years, except every 100, except every 400.
    let shifted = day
        .checked_sub(day / 1_460)?
        .checked_add(day / 36_524)?
        .checked_sub(day / 146_096)?;
    let year = shifted / 365;
    let before_year = year
        .checked_mul(365)?
        .checked_add(year / 4)?
        .checked_sub(year / 100)?;
    let day_of_year = day.checked_sub(before_year)?;
    let month = day_of_year.checked_mul(5)?.checked_add(2)? / 153;
    let before_month = month.checked_mul(153)?.checked_add(2)? / 5;
    let day = day_of_year.checked_sub(before_month)?.checked_add(1)?;
    let year = cycle.checked_mul(400)?.checked_add(year)?;
    Some(match month {
        ..10 => (year, month.checked_add(3)?, day),
        _ => (year.checked_add(1)?, month.checked_sub(9)?, day),
    })
}

fn days_of_month(year: i128, month: i128) -> i128 {
    let is_leap =
        year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::{date_from_days, days_from_date};

    #[test]
    fn days_follow_each_other() {
        let mut date = date_from_days(-800_000).unwrap();
        for days in -799_999..800_000 {
            let next = date_from_days(days).unwrap();
            let (year, month, day) = next;
            assert_eq!(days_from_date(year, month, day), Some(days));
            assert!(next > date && (day == 1 || next == (date.0, date.1, date.2 + 1)));
            date = next;
        }
    }

    #[test]
    fn dates_that_do_not_exist_are_no_days() {
        for (year, month, day) in [
            (1900, 2, 29),
            (2023, 2, 29),
            (2023, 4, 31),
            (2023, 13, 1),
            (2023, 1, 0),
        ] {
            assert_eq!(days_from_date(year, month, day), None);
        }
        assert_eq!(days_from_date(2000, 2, 29), Some(11_016));
        assert_eq!(date_from_days(0), Some((1970, 1, 1)));
    }
}
