//! What must not allocate does not: contexts, checks, warnings that are counted, and a log that has
//! its memory.

use std::sync::Mutex;

use loligo_allocators::{Arming, PageAllocator};
use loligo_diagnostics::{Level, Log, LogLine, LogSink, context, contexts, ensure, log, warning};

use crate::GUARD;

/// Held while the guard counts.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Returns how often `work` came to the global heap.
pub(crate) fn counted(work: impl FnOnce()) -> u64 {
    let _alone = ONE_AT_A_TIME.lock();
    let before = GUARD.violations();
    GUARD.armed_with(Arming::new().count_only(), work);
    let after = GUARD.violations();
    after.allocations - before.allocations + after.frees - before.frees
}

#[test]
fn the_guard_counts() {
    assert_eq!(counted(|| drop(core::hint::black_box(Box::new(1)))), 2, "or this proves nothing");
}

#[test]
fn contexts_and_checks_do_not_allocate() {
    let name = String::from("big_world");
    let mut depth = 0;
    let allocated = counted(|| {
        context!("When spawning level", name);
        for unit in 0..200 {
            context!("When spawning unit", unit);
            context!("When applying material", "feathers");
            ensure!(unit < 200, "unit {unit} of 200");
            depth = depth.max(contexts().count());
        }
    });
    assert_eq!((allocated, depth), (0, 3));
}

#[test]
fn contexts_of_a_new_thread_do_not_allocate() {
    let thread = std::thread::spawn(|| {
        counted(|| {
            context!("When in a thread", 1);
        })
    });
    assert_eq!(thread.join().expect("it runs"), 0);
}

struct Still;

impl LogSink for Still {
    fn line(&self, line: &LogLine<'_>) {
        assert!(line.text.len() < 512, "{line:?}");
    }
}

#[test]
fn lines_and_warnings_do_not_use_the_global_heap() {
    let pages = PageAllocator::new("log");
    let log = Log::try_new_in(&pages).expect("there is memory");
    log.try_add_sink(Level::Debug, &Still).expect("there is memory");
    let allocated = counted(|| {
        for unit in 0..100 {
            log!(log, Info, "unit {unit}");
            warning!(log, "unit {unit} has no physics");
        }
    });
    assert_eq!((allocated, log.lines(), log.unheard()), (0, 103, 0));
}
