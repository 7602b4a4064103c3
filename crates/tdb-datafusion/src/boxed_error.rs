/// Error of any type, as DataFusion passes it on.
pub type BoxedError = Box<dyn std::error::Error + Send + Sync>;
