//! Work on each of many things, as many at a time as there are processors.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;

use crate::outcome::{Failure, Outcome};

/// Returns how many things are worked on at a time.
pub(crate) fn workers() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does `work` on each item and hands `take` what it made, in the items' order, as soon as it can.
///
/// # Errors
///
/// The first of `work`; what comes after it is not begun.
///
/// # Panics
///
/// As `work`.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, Failure> + Sync,
    mut take: impl FnMut(R),
) -> Outcome {
    let next = AtomicUsize::new(0);
    let (sender, made) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers() {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    // Relaxed: a number is all that the threads share.
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    if sender.send((index, work(item))).is_err() {
                        // Nobody listens any more: another has failed.
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (index, result) in made {
            early.insert(index, result?);
            while let Some(result) = early.remove(&due) {
                take(result);
                due += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::each;
    use crate::outcome::Failure;

    #[test]
    fn all_is_done_and_handed_over_in_order() {
        let items: Vec<u32> = (0..100).collect();
        let mut taken = Vec::new();
        each(&items, |item| Ok(item * 2), |double| taken.push(double)).expect("nothing fails");
        assert_eq!(taken, items.iter().map(|item| item * 2).collect::<Vec<_>>(), "in order");
        each(&[], |_: &u32| Ok(()), |()| panic!("there is nothing")).expect("nothing fails");
    }

    #[test]
    fn after_a_failure_nothing_is_handed_over() {
        let items: Vec<u32> = (0..1000).collect();
        let work = |item: &u32| match item {
            3 => Err(Failure::Found("three".into())),
            _ => Ok(*item),
        };
        let mut taken = Vec::new();
        let failed = each(&items, work, |item| taken.push(item)).expect_err("three fails");
        assert!(failed.to_string().contains("three"), "{failed}");
        assert!([0, 1, 2].starts_with(&taken), "what comes after is not handed over: {taken:?}");
    }
}
