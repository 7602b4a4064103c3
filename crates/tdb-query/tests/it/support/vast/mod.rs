//! Arrays of up to 10^6 fragments and 10^12 cells of which nothing is stored: the store makes each requested object
//! on the fly, in the bytes of the format.

mod format;
mod plan;
mod store;

pub(crate) use plan::{Plan, Upkeep};
pub(crate) use store::{Asked, VastStore};
