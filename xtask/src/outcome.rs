/// What a command gives back: an error is printed, and the exit status is 1.
pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;
