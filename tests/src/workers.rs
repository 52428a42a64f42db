//! Work on each of many things, several at a time.

use std::sync::Mutex;
use std::{io, thread};

/// Does `work` on each item, on as many threads as there are processors, and returns what it made
/// in the items' order.
///
/// # Errors
///
/// The first that `work` returns, or that a worker panicked.
pub(crate) fn on_each<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> io::Result<R> + Sync,
) -> io::Result<Vec<R>> {
    let queue = Mutex::new(items.iter().enumerate());
    let made = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().ok().and_then(|mut queue| queue.next());
                    let Some((index, item)) = next else { return };
                    let result = work(item);
                    if let Ok(mut made) = made.lock() {
                        made.push((index, result));
                    }
                }
            });
        }
    });
    let mut made = made.into_inner().map_err(|_| io::Error::other("a worker panicked"))?;
    made.sort_by_key(|&(index, _)| index);
    made.into_iter().map(|(_, result)| result).collect()
}
