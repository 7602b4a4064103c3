//! Expectations of a law; anything else is a [`Failure`].

use std::fmt::Debug;

use super::failure::Failure;
use crate::StoreError;

pub(super) fn fail<T>(law: &'static str, found: &dyn Debug) -> Result<T, Failure> {
    Err(Failure {
        law,
        found: format!("{found:?}"),
    })
}

pub(super) fn ensure(law: &'static str, holds: bool, found: &dyn Debug) -> Result<(), Failure> {
    if holds { Ok(()) } else { fail(law, found) }
}

pub(super) fn done(law: &'static str, answer: Result<(), StoreError>) -> Result<(), Failure> {
    or_fail(law, answer)
}

pub(super) fn or_fail<T>(law: &'static str, answer: Result<T, StoreError>) -> Result<T, Failure> {
    answer.or_else(|error| fail(law, &error))
}

pub(super) fn equal<T: PartialEq + Debug, E: Debug>(
    law: &'static str,
    found: &Result<T, E>,
    expected: &T,
) -> Result<(), Failure> {
    ensure(
        law,
        found.as_ref().is_ok_and(|found| found == expected),
        found,
    )
}

pub(super) fn is_exists(law: &'static str, answer: &Result<(), StoreError>) -> Result<(), Failure> {
    ensure(
        law,
        matches!(answer, Err(StoreError::Exists { .. })),
        answer,
    )
}

pub(super) fn out_of_range<T: Debug>(
    law: &'static str,
    answer: &Result<T, StoreError>,
) -> Result<(), Failure> {
    ensure(
        law,
        matches!(answer, Err(StoreError::OutOfRange { .. })),
        answer,
    )
}
