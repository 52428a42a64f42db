//! Lists of ids of four bytes in one array, changed and walked, against Cranelift's lists of
//! entities.

use core::hint::black_box;

use cranelift_entity::{EntityList, entity_impl};
use loligo_containers::{List, ListPool};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::random::Random;

/// Lists, of 0 to 16 items.
const LISTS: u32 = 2_000;
const ITEMS_MOST: u32 = 16;

/// Changes before the first pass, and those of a pass that is timed.
const CHANGES_BEFORE: u32 = 100 * LISTS;
const CHANGES: u32 = 200_000;

/// Runs over all lists of a pass that is timed.
const WALKS: u32 = 30;

/// An id as Cranelift's lists take them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entity(u32);
entity_impl!(Entity);

/// Lists in one array.
trait Lists {
    fn len(&self, list: usize) -> u32;
    fn push(&mut self, list: usize, id: u32);
    fn swap_remove(&mut self, list: usize, at: usize);
    fn sum(&self, list: usize) -> u32;
}

/// Ids of a node: a cache line of them. A list has one node then, which is 64 bytes where the peer
/// has 48 in the mean.
const IDS: usize = 16;

struct Ours {
    pool: ListPool<'static, u32, Heap, IDS>,
    ids: Vec<List<u32>>,
}

impl Lists for Ours {
    fn len(&self, list: usize) -> u32 {
        self.pool.len(self.ids[list]) as u32
    }

    fn push(&mut self, list: usize, id: u32) {
        self.pool.push(self.ids[list], id);
    }

    fn swap_remove(&mut self, list: usize, at: usize) {
        self.pool.swap_remove(self.ids[list], at);
    }

    fn sum(&self, list: usize) -> u32 {
        self.pool.iter(self.ids[list]).fold(0, |sum, id| sum.wrapping_add(*id))
    }
}

struct Cranelift {
    pool: cranelift_entity::ListPool<Entity>,
    lists: Vec<EntityList<Entity>>,
}

impl Lists for Cranelift {
    fn len(&self, list: usize) -> u32 {
        self.lists[list].len(&self.pool) as u32
    }

    fn push(&mut self, list: usize, id: u32) {
        self.lists[list].push(Entity(id), &mut self.pool);
    }

    fn swap_remove(&mut self, list: usize, at: usize) {
        self.lists[list].swap_remove(at, &mut self.pool);
    }

    fn sum(&self, list: usize) -> u32 {
        let ids = self.lists[list].as_slice(&self.pool);
        ids.iter().fold(0, |sum, id| sum.wrapping_add(id.0))
    }
}

fn ours() -> Ours {
    let mut pool = ListPool::new_in(&HEAP);
    let ids = (0..LISTS).map(|_| pool.create()).collect();
    Ours { pool, ids }
}

fn cranelift() -> Cranelift {
    let lists = (0..LISTS).map(|_| EntityList::new()).collect();
    Cranelift { pool: cranelift_entity::ListPool::new(), lists }
}

/// Pushes an id to any list or removes one; as many come as go.
fn change(lists: &mut impl Lists, random: &mut Random, number: u32) {
    let list = random.below(LISTS) as usize;
    let len = lists.len(list);
    if random.below(ITEMS_MOST + 1) >= len {
        lists.push(list, number);
    } else {
        lists.swap_remove(list, random.below(len) as usize);
    }
}

/// Returns lists that were changed often.
fn changed<L: Lists>(mut lists: L) -> (L, Random) {
    let mut random = Random::new(61);
    (0..CHANGES_BEFORE).for_each(|number| change(&mut lists, &mut random, number));
    (lists, random)
}

fn changing(name: &'static str, lists: impl Lists + 'static) -> Contender {
    let (mut lists, mut random) = changed(lists);
    Contender::new(name, move || {
        let ns = clock::time(|| {
            (0..CHANGES).for_each(|number| change(&mut lists, &mut random, number));
        });
        Pass { ns, operations: u64::from(CHANGES) }
    })
}

fn walking(name: &'static str, lists: impl Lists + 'static) -> Contender {
    let (lists, _) = changed(lists);
    let items: u64 = (0..LISTS as usize).map(|list| u64::from(lists.len(list))).sum();
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..WALKS {
                (0..LISTS as usize).for_each(|list| _ = black_box(lists.sum(list)));
            }
        });
        Pass { ns, operations: items * u64::from(WALKS) }
    })
}

/// Changes our lists.
pub(crate) fn change_ours() -> Contender {
    changing("ListPool", ours())
}

/// Changes the peer's.
pub(crate) fn change_peer() -> Contender {
    changing("cranelift-entity", cranelift())
}

/// Walks our lists after many changes.
pub(crate) fn walk_ours() -> Contender {
    walking("ListPool", ours())
}

/// Walks the peer's.
pub(crate) fn walk_peer() -> Contender {
    walking("cranelift-entity", cranelift())
}
