//! The order in which slices of a part are read.

use std::collections::VecDeque;

use crate::parts::Part;

/// Slices of a part, from both of its ends in turn: the first that is read tells whoever wants the least or the greatest what is not
/// needed of the others.
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
