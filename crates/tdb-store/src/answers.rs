use crate::StoreError;

/// What a store answered, one for each key: an answer that the store left out is an error, and so nothing is taken for
/// absent or empty that was not looked at.
///
/// ```
/// let answers: Vec<_> = tdb_store::answers(["a", "b"], vec![Ok(1)]).collect();
/// assert!(matches!(answers.as_slice(), [Ok(1), Err(error)] if error.key() == "b"));
/// ```
pub fn answers<'a, T>(
    keys: impl IntoIterator<Item = &'a str>,
    given: Vec<Result<T, StoreError>>,
) -> impl Iterator<Item = Result<T, StoreError>> {
    let mut given = given.into_iter();
    keys.into_iter().map(move |key| {
        given
            .next()
            .unwrap_or_else(|| Err(StoreError::no_answer(key)))
    })
}
