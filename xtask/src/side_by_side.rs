//! Work on several things at a time.

use std::collections::VecDeque;
use std::error::Error;
use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

/// Does `work` on each item, `most` at a time, beginning with the first; gives what came of each, in the order in which they ended.
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
    // A panic in one of them is one of the whole.
    thread::scope(|scope| (0..most).for_each(|_| drop(scope.spawn(worker))));
    Ok(done.into_inner().map_err(|_| "work ended early")?)
}

/// As many as there are processors.
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
