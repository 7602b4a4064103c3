//! The functions of the interface, called as C programs call them.

mod attributes;
mod dimensions;
mod enumerations;
mod evolution;
mod filters;
mod labels;
mod program;
mod schemas;
mod shapes;
