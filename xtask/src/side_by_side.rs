//! Working on several items at once.

use std::collections::VecDeque;
use std::error::Error;
use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

/// Calls `work` on each item, at most `most` at a time, starting with the first. Returns the results in the order in
/// which they were finished.
pub(crate) fn each<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    most: usize,
    work: impl Fn(T) -> R + Sync,
) -> Result<Vec<R>, Box<dyn Error>> {
    let waiting: Mutex<VecDeque<T>> = Mutex::new(items.into_iter().collect());
    let done = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let next = waiting.lock().ok().and_then(|mut all| all.pop_front());
            let Some(item) = next else { return };
            let result = work(item);
            let Ok(mut done) = done.lock() else { return };
            done.push(result);
        }
    };
    // If one worker panics, `scope` panics, too.
    thread::scope(|scope| (0..most).for_each(|_| drop(scope.spawn(worker))));
    Ok(done.into_inner().map_err(|_| "work ended early")?)
}

/// Returns the number of processors.
pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_worked_on_once() {
        let mut done = each(0..100, 3, |item| item * 2).unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..100).map(|item| item * 2).collect::<Vec<_>>());
        let in_order = each(0..5, 1, |item| item).unwrap();
        assert_eq!(in_order, [0, 1, 2, 3, 4]);
    }
}
