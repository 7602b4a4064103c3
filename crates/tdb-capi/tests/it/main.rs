//! The functions of the interface, called as C programs call them.

mod attributes;
mod dimensions;

mod filters;

mod program;
