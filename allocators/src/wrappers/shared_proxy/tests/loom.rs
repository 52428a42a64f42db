//! Every interleaving of two threads on a shared proxy, up to a bound of preemptions.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::sync::LazyLock;

use loom::sync::Arc;
use loom::thread;

use crate::contract::allocator::Allocator;
use crate::testing::test_backing::TestBacking;
use crate::threads::sync::shared::model::{Fault, Gate, explore, must_fail};
use crate::wrappers::shared_proxy::SharedProxy;

/// The system's memory, with a lock that the model checker does not see and that is never held
/// where it switches threads.
static BACKING: LazyLock<TestBacking> = LazyLock::new(TestBacking::new);

type Proxy = SharedProxy<'static, TestBacking>;

const BLOCK: Layout = Layout::new::<[u8; 60]>();

/// A block that is sent to another thread.
struct Sent(NonNull<u8>);

// SAFETY: the sender keeps no use of it.
unsafe impl Send for Sent {}

fn free(proxy: &Proxy, Sent(block): Sent) {
    // SAFETY: the block is live and has this layout.
    unsafe { proxy.deallocate_sized(block, BLOCK) };
}

fn take(proxy: &Proxy) -> Option<Sent> {
    proxy.allocate(BLOCK).ok().map(|block| Sent(block.cast()))
}

/// Runs `one` in a thread and `two` in this one on a proxy with this budget.
fn both<R: 'static>(
    budget: usize,
    one: impl FnOnce(&Proxy) -> R + 'static,
    two: impl FnOnce(&Proxy) -> R,
) -> (Arc<Proxy>, R, R) {
    let proxy = Arc::new(SharedProxy::new_in("model", &*BACKING).with_budget(budget));
    let gate = Gate::new();
    let (other, other_gate) = (Arc::clone(&proxy), gate.clone());
    let thread = thread::spawn(move || {
        other_gate.pass();
        one(&other)
    });
    gate.pass();
    let mine = two(&proxy);
    let theirs = thread.join().expect("the thread ends well");
    proxy.verify().expect("sound");
    (proxy, mine, theirs)
}

/// Both request a block, and the budget allows one.
fn budget() {
    let (proxy, mine, theirs) = both(100, take, take);
    assert!(proxy.stats().granted <= 100, "the budget is exceeded");
    assert!(mine.is_some() != theirs.is_some(), "exactly one is served within the budget");
    for block in [mine, theirs].into_iter().flatten() {
        free(&proxy, block);
    }
    assert_eq!((proxy.stats().live, proxy.stats().granted), (0, 0), "all is counted");
    assert_eq!(proxy.stats().peak_granted, 60);
}

/// Both allocate and free without a budget.
fn counts() {
    let work = |proxy: &Proxy| {
        let block = take(proxy).expect("there is memory");
        free(proxy, block);
    };
    let (proxy, ..) = both(usize::MAX, work, work);
    let stats = proxy.stats();
    assert_eq!((stats.live, stats.granted), (0, 0), "all is counted");
    assert_eq!((stats.allocations_total, stats.granted_total), (2, 120), "all is counted");
}

/// One allocates and frees while the other reads the counters.
fn order() {
    both(
        usize::MAX,
        |proxy| {
            let block = take(proxy).expect("there is memory");
            free(proxy, block);
        },
        |proxy| {
            proxy.verify().expect("sound at every moment");
            let stats = proxy.stats();
            assert!(stats.requested_total <= stats.granted_total, "out of order: {stats:?}");
            assert!(stats.live <= 1, "out of order: {stats:?}");
        },
    );
}

#[test]
fn loom_shared_proxy_budget() {
    explore("shared_proxy::budget", 3, 15, budget);
}

#[test]
fn loom_shared_proxy_counts() {
    explore("shared_proxy::counts", 3, 900, counts);
}

#[test]
fn loom_shared_proxy_order() {
    explore("shared_proxy::order", 3, 3000, order);
}

#[test]
fn loom_shared_proxy_faults_are_caught() {
    let budgets = ["is exceeded", "exactly one is served"];
    must_fail("shared_proxy::budget", Fault::SplitExchange, &budgets, budget);
    must_fail("shared_proxy::counts", Fault::SplitAdd, &["all is counted", "sound"], counts);
    must_fail("shared_proxy::order", Fault::Relaxed, &["sound", "out of order"], order);
}
