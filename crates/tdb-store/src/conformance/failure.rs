/// A law that a store broke.
#[derive(Debug, thiserror::Error)]
#[error("{law}: {found}")]
pub struct Failure {
    /// What every store must do.
    pub law: &'static str,
    /// What this one did.
    pub found: String,
}
