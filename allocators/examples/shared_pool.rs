//! Jobs that are created on one thread and freed on others, in a pool without a lock.
//!
//! Run it with `cargo run -p loligo-allocators --example shared_pool`.
#![expect(
    unsafe_code,
    reason = "deleting is unsafe, as only the caller knows that nothing uses the object any more"
)]

use core::alloc::Layout;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;

use loligo_allocators::{
    AllocError, Allocator, Make, PageAllocator, SharedPool, SharedProxy, SharedRef,
};

/// A task: the sum of the squares of a range.
struct Job {
    from: u64,
    to: u64,
    result: u64,
}

/// A job that is sent to the thread that will run it.
struct Handed(NonNull<Job>);

// SAFETY: the thread that hands a job over does not use it afterwards.
unsafe impl Send for Handed {}

const JOBS: u64 = 20_000;
const WORKERS: usize = 3;

fn main() -> Result<(), AllocError> {
    let pages = PageAllocator::new("pages");
    // Everything here is `Sync`: the pages by a lock, proxy and pool by atomic operations alone.
    let game = SharedProxy::new("game", &pages).with_budget(1 << 20);
    let jobs = SharedPool::new("jobs", Layout::new::<Job>(), &game);

    let total = work(&jobs)?;
    let expected: u64 = (0..JOBS * 10).map(|n| n * n).sum();
    assert_eq!(total, expected, "every job was done once");

    // With no other thread working the counters are exact. If one job had leaked, dropping the pool
    // would panic and list it.
    print(&jobs);
    print(&game);
    print(&pages);
    assert_eq!(jobs.stats().live, 0, "every job was freed");
    let live_max = jobs.stats().peak_granted / size_of::<Job>();
    println!("{JOBS} jobs went through blocks for at most {live_max} at once");
    Ok(())
}

/// Creates jobs on this thread and lets others run and free them. The pool crosses threads as a
/// `SharedRef`, which is `&(dyn Allocator + Sync)`.
fn work(jobs: SharedRef<'_>) -> Result<u64, AllocError> {
    let (sender, receiver) = mpsc::sync_channel::<Handed>(256);
    let receiver = Mutex::new(receiver);
    let total = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    // The queue has a lock, the pool has none: freeing a block takes one atomic
                    // operation on its bit, on any thread.
                    let next = receiver.lock().map(|queue| queue.recv());
                    let Ok(Ok(Handed(job))) = next else { return };
                    total.fetch_add(done(job), Ordering::Relaxed);
                    // SAFETY: the job was made by this pool, was handed to this thread alone, and
                    // is not used again.
                    unsafe { jobs.destroy(job) };
                }
            });
        }
        let sender = sender;
        for n in 0..JOBS {
            let job = jobs.create(Job { from: n * 10, to: (n + 1) * 10, result: 0 })?;
            assert!(sender.send(Handed(job)).is_ok(), "a worker is there until the queue ends");
        }
        // The queue is closed when its sender is dropped here, and the workers end with it.
        Ok(())
    })?;
    Ok(total.into_inner())
}

/// Runs a job and returns its result.
fn done(mut job: NonNull<Job>) -> u64 {
    // SAFETY: the job is live, and this thread alone has it.
    let job = unsafe { job.as_mut() };
    job.result = (job.from..job.to).map(|n| n * n).sum();
    job.result
}

/// Prints how much an allocator has granted, and how much it has reserved for that.
fn print(allocator: &dyn Allocator) {
    let stats = allocator.stats();
    println!(
        "{:>6}: {:>5} live, {:>6} blocks in all, {:>6} bytes granted at most, {:>7} reserved",
        allocator.name(),
        stats.live,
        stats.allocations_total,
        stats.peak_granted,
        stats.reserved
    );
}
