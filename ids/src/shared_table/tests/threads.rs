//! One thread against a set, several against each other, and the limits.

use std::collections::{BTreeSet, VecDeque};
#[cfg(any(unix, windows))]
use std::thread;
use std::vec::Vec;

#[cfg(any(unix, windows))]
use loligo_allocators::PageAllocator;

use crate::error::InsertError;
use crate::id::{Id, TableId};
use crate::policy::{Refuse, Retire, Wrap};
use crate::shared_table::SharedTable;
#[cfg(any(unix, windows))]
use crate::shared_table::lane::Lanes;
use crate::test_backing::{Random, TestBacking};

type Brief = Id<u8, u32, 4, 3>;

#[test]
fn one_thread_sees_a_queue() {
    for seed in 0..8 {
        std::println!("seed {seed}");
        let backing = TestBacking::new();
        let mut random = Random::new(seed);
        let mut table: SharedTable<'_, Brief, Wrap, TestBacking> =
            SharedTable::new_in(11, &backing).expect("there is memory");
        let (mut live, mut dead) = (Vec::new(), BTreeSet::new());
        let (mut ready, mut removed): (VecDeque<_>, Vec<_>) = ((0..11).collect(), Vec::new());
        for _ in 0..2000 {
            match random.below(7) {
                0..=2 => {
                    let made = table.create().ok();
                    assert_eq!(made.map(|id| id.index()), ready.pop_front(), "the oldest slot");
                    dead.retain(|id| Some(*id) != made);
                    live.extend(made);
                }
                3..=5 if !live.is_empty() => {
                    let id = live.swap_remove(random.below(live.len()));
                    assert!(table.remove(id) && !table.remove(id), "{id:?} ends once");
                    removed.push(id.index());
                    dead.insert(id);
                }
                _ => {
                    assert_eq!(table.collect(), removed.len(), "those removed since the last");
                    ready.extend(removed.drain(..));
                }
            }
            assert_eq!(table.len(), live.len(), "ids alive");
            assert!(live.iter().all(|&id| table.contains(id)), "the living are known");
            assert!(dead.iter().all(|&id| table.index_of(id).is_none()), "the dead are not");
            table.validate().expect("whole");
        }
    }
}

#[test]
fn limits_are_named() {
    let backing = TestBacking::new();
    let many = SharedTable::<'_, Brief, Retire, _>::new_in(17, &backing).err();
    assert!(matches!(many, Some(InsertError::Full { limit: 16, .. })), "{many:?}");
    backing.refuse_from(0);
    let refused = SharedTable::<'_, Brief, Retire, _>::new_in(16, &backing).err();
    assert_eq!(refused, Some(InsertError::Memory { slots: 16, bytes: 256 }), "memory is refused");
    backing.refuse_none();
    let none = SharedTable::<'_, Brief, Retire, _>::new_in(0, &backing).expect("no memory needed");
    let id = Brief::from_bits(1 << 4).expect("an id");
    assert!(none.create().is_err() && !none.contains(id) && !none.remove(id), "no slots");

    let mut table = SharedTable::<'_, Brief, Retire, _>::new_in(2, &backing).expect("memory");
    let mut given = 0;
    while let Ok(id) = table.create() {
        given += 1;
        assert!(table.remove(id), "{id:?} was alive");
        table.collect();
        table.validate().expect("whole");
    }
    assert_eq!(given, 2 * Brief::GENERATIONS, "every life was lived");
    let full = InsertError::Full { limit: 2, live: 0, reserved: 0, retired: 2, held_back: 0 };
    assert_eq!(table.create(), Err(full), "all are retired");

    let mut table = SharedTable::<'_, Brief, Refuse, _>::new_in(1, &backing).expect("memory");
    for _ in 0..Brief::GENERATIONS {
        let id = table.create().expect("lives are left");
        let full = InsertError::Full { limit: 1, live: 1, reserved: 0, retired: 0, held_back: 0 };
        assert_eq!(table.create(), Err(full), "one slot");
        table.remove(id);
        let held = InsertError::Full { limit: 1, live: 0, reserved: 0, retired: 0, held_back: 1 };
        assert_eq!(table.create(), Err(held), "removed, but not collected");
        table.collect();
    }
    let spent = InsertError::Spent { index: 0, generations: Brief::GENERATIONS };
    assert_eq!(table.create(), Err(spent), "the end is an error");
}

/// Each thread owns the places of its ids: a number written there must be read back.
#[test]
#[cfg(any(unix, windows))]
fn threads_never_share_an_index() {
    use core::sync::atomic::{AtomicUsize, Ordering};
    const SLOTS: usize = 64;
    let pages = PageAllocator::new("shared table");
    // Four lanes, each of which is used up at times.
    let mut table: SharedTable<'_, Id<u8, u64, 32, 32>, Retire, PageAllocator> =
        SharedTable::with_lanes(Lanes::of(SLOTS, 4), &pages).expect("there is memory");
    let owners: [AtomicUsize; SLOTS] = [const { AtomicUsize::new(0) }; SLOTS];
    for round in 0..60 {
        thread::scope(|scope| {
            for me in 1..=4 {
                let (table, owners) = (&table, &owners);
                scope.spawn(move || {
                    let mut random = Random::new(round * 10 + me as u64);
                    let mut mine = Vec::new();
                    for _ in 0..200 {
                        if random.below(2) == 0 {
                            let Ok(id) = table.create() else { continue };
                            let index = table.index_of(id).expect("just made");
                            let before = owners[index].swap(me, Ordering::SeqCst);
                            assert_eq!(before, 0, "index {index} belongs to another");
                            mine.push((id, index));
                        } else if let Some((id, index)) = mine.pop() {
                            assert_eq!(owners[index].swap(0, Ordering::SeqCst), me, "it was mine");
                            assert!(table.remove(id), "and alive");
                        }
                    }
                    for (id, index) in mine {
                        owners[index].store(0, Ordering::SeqCst);
                        assert!(table.remove(id), "alive to the end");
                    }
                });
            }
        });
        table.collect();
        table.validate().expect("whole");
        assert!(table.is_empty(), "all were removed");
    }
}

#[test]
fn it_crosses_threads() {
    use loligo_allocators::Allocator;
    fn crosses<T: Send + Sync>() {}
    crosses::<SharedTable<'_, Id<*const u8>, Retire, dyn Allocator + Sync>>();
}
