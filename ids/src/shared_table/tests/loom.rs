//! Every interleaving, up to the preemption bound, of two threads on a small table.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;
use std::alloc::System;
use std::sync::atomic::{AtomicUsize as Plain, Ordering as PlainOrdering};

use ::loom::model::Builder;
use ::loom::sync::Arc;
use ::loom::thread;
use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};

use crate::id::Id;
use crate::policy::Retire;
use crate::shared_table::SharedTable;
use crate::shared_table::lane::Lanes;
use crate::sync::{AtomicUsize, Ordering};

type Two = Id<u8, u32, 1, 2>;
type Shared = SharedTable<'static, Two, Retire, Plainly>;

/// The system's memory and nothing around it: the checker's threads have small stacks.
struct Plainly;

static MEMORY: Plainly = Plainly;

// SAFETY: blocks come from the system's allocator with the layout asked for.
unsafe impl Allocator for Plainly {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        assert!(layout.size() > 0, "the table asks for no empty block");
        // SAFETY: the size is not zero.
        let block = NonNull::new(unsafe { System.alloc(layout) }).ok_or(AllocError)?;
        Ok(NonNull::slice_from_raw_parts(block, layout.size()))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        panic!("the table frees with the layout, but {block:p} came without");
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the block came from `System` with this layout, and nothing uses it afterwards.
        unsafe { System.dealloc(block.as_ptr(), layout) };
    }

    unsafe fn allocated_size(&self, _: NonNull<u8>) -> usize {
        // It is not known: no table may rely on it.
        0
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn name(&self) -> &str {
        "system"
    }

    fn owns(&self, _address: *const u8) -> bool {
        false
    }

    fn walk(&self, _visit: &mut dyn FnMut(Block)) {}

    fn verify(&self) -> Result<(), Damage> {
        Ok(())
    }
}

/// Runs a model with at most three preemptions and returns how many interleavings there were.
fn interleavings(model: impl Fn() + Sync + Send + 'static) -> usize {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    // The tests of this binary may run side by side: each counts its own.
    let runs = std::sync::Arc::new(Plain::new(0));
    let counted = runs.clone();
    builder.check(move || {
        counted.fetch_add(1, PlainOrdering::Relaxed);
        model();
    });
    runs.load(PlainOrdering::Relaxed)
}

fn table(slots: usize) -> Shared {
    SharedTable::new_in(slots, &MEMORY).expect("there is memory")
}

/// A first step of every thread, without which the checker tries too few orders of the second.
fn gate(gate: &AtomicUsize) {
    gate.fetch_add(1, Ordering::Relaxed);
}

/// Two threads take the two slots of a table, which are in these lanes.
fn two_threads_take_two_slots(shape: Lanes) -> usize {
    interleavings(move || {
        let table = Shared::with_lanes(shape, &MEMORY).expect("there is memory");
        let (shared, first) = (Arc::new(table), Arc::new(AtomicUsize::new(0)));
        let spawned = thread::spawn({
            let (shared, first) = (shared.clone(), first.clone());
            move || {
                gate(&first);
                shared.create().expect("two slots")
            }
        });
        gate(&first);
        let mine = shared.create().expect("two slots");
        let other = spawned.join().expect("no panic");
        assert_ne!(mine.index(), other.index(), "two slots");
        assert!(shared.contains(mine) && shared.contains(other), "both alive");
        assert!(shared.create().is_err(), "no third");
    })
}

#[test]
fn loom_shared_table_two_threads_are_given_two_ids() {
    let count = two_threads_take_two_slots(Lanes::new(2));
    std::println!("loom: shared_table::two_threads_are_given_two_ids: {count} interleavings");
    assert!(count > 5, "only {count} interleavings");
}

/// The thread that finds the first lane used up takes from the second.
#[test]
fn loom_shared_table_two_threads_take_from_two_lanes() {
    let count = two_threads_take_two_slots(Lanes::of(2, 0));
    std::println!("loom: shared_table::two_threads_take_from_two_lanes: {count} interleavings");
    assert!(count > 5, "only {count} interleavings");
}

#[test]
fn loom_shared_table_one_of_two_threads_ends_an_id() {
    let count = interleavings(|| {
        let (shared, first) = (Arc::new(table(2)), Arc::new(AtomicUsize::new(0)));
        let id = shared.create().expect("two slots");
        let spawned = thread::spawn({
            let (shared, first) = (shared.clone(), first.clone());
            move || {
                gate(&first);
                shared.remove(id)
            }
        });
        gate(&first);
        let mine = shared.remove(id);
        let other = spawned.join().expect("no panic");
        assert!(mine != other, "one of both: {mine}, {other}");
        assert!(!shared.contains(id), "it is dead");
        let mut shared = Arc::try_unwrap(shared).unwrap_or_else(|_| panic!("the only owner"));
        shared.validate().expect("whole");
        assert_eq!(shared.collect(), 1, "one slot came back");
        shared.validate().expect("whole");
    });
    std::println!("loom: shared_table::one_of_two_threads_ends_an_id: {count} interleavings");
    assert!(count > 5, "only {count} interleavings");
}

#[test]
fn loom_shared_table_a_removed_index_waits_for_the_collection() {
    let count = interleavings(|| {
        let (shared, first) = (Arc::new(table(2)), Arc::new(AtomicUsize::new(0)));
        let old = shared.create().expect("two slots");
        let spawned = thread::spawn({
            let (shared, first) = (shared.clone(), first.clone());
            move || {
                gate(&first);
                let index = shared.index_of(old);
                assert!(shared.remove(old), "alive until now");
                index
            }
        });
        gate(&first);
        let new = shared.create().expect("the other slot");
        assert!(shared.create().is_err(), "the removed one is held back");
        let index = spawned.join().expect("no panic").expect("it was alive");
        assert_ne!(Some(index), shared.index_of(new), "its index was not given out");
        let mut shared = Arc::try_unwrap(shared).unwrap_or_else(|_| panic!("the only owner"));
        assert_eq!(shared.collect(), 1, "it came back");
        let again = shared.create().expect("the slot of the old one");
        assert_eq!((again.index(), again.generation()), (old.index(), 2), "another life");
        shared.validate().expect("whole");
    });
    std::println!(
        "loom: shared_table::a_removed_index_waits_for_the_collection: {count} interleavings"
    );
    assert!(count > 5, "only {count} interleavings");
}

/// The twin with a planted fault: taking a position by reading and writing apart. The checker must
/// see two threads get one slot, else it sees nothing.
#[test]
fn loom_shared_table_a_planted_fault_is_caught() {
    fn create_badly(shared: &Shared) -> u32 {
        let taken = &shared.lane(0).taken;
        let at = taken.load(Ordering::Relaxed);
        taken.store(at + 1, Ordering::Relaxed);
        shared.entry(shared.shape.share(0), at).load(Ordering::Relaxed)
    }
    let seen = std::sync::Arc::new(Plain::new(0));
    let count = interleavings({
        let seen = seen.clone();
        move || {
            let (shared, first) = (Arc::new(table(2)), Arc::new(AtomicUsize::new(0)));
            let spawned = thread::spawn({
                let (shared, first) = (shared.clone(), first.clone());
                move || {
                    gate(&first);
                    create_badly(&shared)
                }
            });
            gate(&first);
            let mine = create_badly(&shared);
            let other = spawned.join().expect("no panic");
            seen.fetch_add(usize::from(mine == other), PlainOrdering::Relaxed);
        }
    });
    let seen = seen.load(PlainOrdering::Relaxed);
    std::println!(
        "loom: shared_table::creation: the planted fault is caught {seen} times in {count} interleavings"
    );
    assert!(seen > 0 && seen < count, "the checker saw {seen} of {count}");
}
