//! Order in which the slices of a part are read.

use std::collections::VecDeque;

use crate::parts::Part;

/// Slices of a part, taken from both ends in turn: after the first, a query for the smallest or largest values can
/// skip much of the others.
pub(crate) struct Slices {
    left: VecDeque<Part>,
    is_last_next: bool,
}

impl Slices {
    pub(crate) fn new(slices: Vec<Part>) -> Self {
        Self {
            left: slices.into(),
            is_last_next: false,
        }
    }
}

impl Iterator for Slices {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        let is_last = self.is_last_next;
        self.is_last_next = !is_last;
        if is_last {
            self.left.pop_back()
        } else {
            self.left.pop_front()
        }
    }
}
