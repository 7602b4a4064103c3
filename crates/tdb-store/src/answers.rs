use crate::StoreError;

/// Pairs the answers of a store with the keys it was asked about, so that each key gets a result. A missing answer is
/// an error for its key: otherwise an object that was never looked at could pass for absent or empty.
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
