/// A law of the contract that a store breaks.
#[derive(Debug, thiserror::Error)]
#[error("{law}: {found}")]
pub struct Failure {
    /// The required behaviour.
    pub law: &'static str,
    /// The observed behaviour.
    pub found: String,
}
