//! Lists of parameters in one array: walked, settled, changed.

use core::hint::black_box;

use loligo_containers::{List, ListPool};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::random::Random;

/// The default number of lists. They have 0 to 16 items, all lengths alike, so 8 in the mean.
pub(crate) const LISTS: u32 = 2_000;
const ITEMS_MOST: u32 = 16;

/// Changes for each list that lists have been through which are not settled.
const CHURN: u32 = 100;

/// Runs over all lists of a pass that is timed.
const WALKS: u32 = 30;

/// A parameter of a sound, as the article has it: a hashed name and a number.
#[derive(Clone, Copy, Debug)]
struct Parameter {
    #[expect(dead_code, reason = "it takes space next to the value, as in play")]
    key: u32,
    value: f32,
}

/// A pool of lists with the given number of items a node, and the ids of the lists as their owners
/// keep them.
pub(crate) struct Lists<const K: usize> {
    pool: ListPool<'static, Parameter, Heap, K>,
    ids: Vec<List<Parameter>>,
}

/// Draws the lists that get an item each, in turn: no order, as sounds come and go.
fn script(lists: u32) -> Vec<u32> {
    let mut random = Random::new(41);
    let lengths = (0..lists).flat_map(|list| {
        let length = random.below(ITEMS_MOST + 1);
        core::iter::repeat_n(list, length as usize)
    });
    let mut script: Vec<u32> = lengths.collect();
    Random::new(42).shuffle(&mut script);
    script
}

fn parameter(number: u32) -> Parameter {
    Parameter { key: number.wrapping_mul(0x9e37_79b9), value: number as f32 }
}

impl<const K: usize> Lists<K> {
    /// Makes lists whose items were pushed one by one in no order: the items of a list are not
    /// adjacent.
    fn scattered(lists: u32) -> Self {
        let script = script(lists);
        let mut pool = ListPool::new_in(&HEAP);
        let ids: Vec<_> = (0..lists).map(|_| pool.create()).collect();
        for (number, list) in (0..).zip(&script) {
            pool.push(ids[*list as usize], parameter(number));
        }
        Self { pool, ids }
    }

    /// Makes lists as they are in play: single items came and went in no order for long, and
    /// nothing was settled.
    pub(crate) fn unsettled(lists: u32) -> Self {
        let mut lists = Self::scattered(lists);
        let mut random = Random::new(44);
        for change in 0..CHURN * lists.ids.len() as u32 {
            lists.change(&mut random, change);
        }
        lists
    }

    /// Pushes an item or removes one, to or from any list; as many come as go.
    fn change(&mut self, random: &mut Random, number: u32) {
        let list = self.ids[random.below(self.ids.len() as u32) as usize];
        let len = self.pool.len(list) as u32;
        if random.below(ITEMS_MOST + 1) >= len {
            self.pool.push(list, parameter(number));
        } else {
            self.pool.swap_remove(list, random.below(len) as usize);
        }
    }

    /// Makes lists that have settled.
    pub(crate) fn settled(lists: u32) -> Self {
        let mut lists = Self::scattered(lists);
        lists.settle();
        lists
    }

    /// Settles until nothing is left to do, four nodes a call, and returns how many were moved.
    fn settle(&mut self) -> u64 {
        let mut moved = 0;
        while !self.pool.is_settled() {
            moved += u64::from(self.pool.settle(4));
        }
        moved
    }

    /// Walks all lists, `times` times.
    #[inline(never)]
    pub(crate) fn walk(&self, times: u32) {
        for _ in 0..times {
            for id in black_box(&self.ids) {
                let values = self.pool.iter(*id).map(|parameter| parameter.value);
                black_box(values.fold(0.0, add));
            }
        }
    }

    /// Returns how many items there are.
    pub(crate) fn items(&self) -> u64 {
        self.pool.stats().items
    }
}

#[inline(always)]
fn add(sum: f32, value: f32) -> f32 {
    sum + value
}

/// The same data as flat items and offsets: what lists cannot be while they change, and as quick to
/// walk as can be.
struct Flat {
    items: Vec<Parameter>,
    offsets: Vec<u32>,
}

impl Flat {
    fn new(lists: u32) -> Self {
        let Lists { pool, ids } = Lists::<1>::scattered(lists);
        let mut flat = Self { items: Vec::new(), offsets: vec![0] };
        for id in ids {
            flat.items.extend(pool.iter(id).copied());
            flat.offsets.push(flat.items.len() as u32);
        }
        flat
    }

    #[inline(never)]
    fn walk(&self, times: u32) {
        for _ in 0..times {
            for ends in black_box(&self.offsets).windows(2) {
                let items = &self.items[ends[0] as usize..ends[1] as usize];
                let values = items.iter().map(|parameter| parameter.value);
                black_box(values.fold(0.0, add));
            }
        }
    }
}

/// Returns a contender whose walks run over `items` items. One goes before and is not timed, so
/// that the caches do not hold the data of the contender before.
fn walking(name: &'static str, items: u64, walk: impl Fn(u32) + 'static) -> Contender {
    Contender::new(name, move || {
        walk(1);
        Pass { ns: clock::time(|| walk(WALKS)), operations: items * u64::from(WALKS) }
    })
}

/// Walks lists as they are.
pub(crate) fn walk<const K: usize>(name: &'static str, lists: Lists<K>) -> Contender {
    walking(name, lists.items(), move |times| lists.walk(times))
}

/// Walks flat items with offsets in the order of the lists.
pub(crate) fn walk_flat(lists: u32) -> Contender {
    let flat = Flat::new(lists);
    walking("flat items and offsets", flat.items.len() as u64, move |times| flat.walk(times))
}

/// Settles scattered lists. An operation is a node moved.
pub(crate) fn settle_moved<const K: usize>() -> Contender {
    Contender::new("ListPool", || {
        let mut lists = Lists::<K>::scattered(LISTS);
        let mut operations = 0;
        let ns = clock::time(|| operations = lists.settle());
        Pass { ns, operations }
    })
}

/// Settles lists of which the one before the last is not adjacent, again and again, so that all
/// others are passed. An operation is a list passed.
pub(crate) fn settle_settled<const K: usize>() -> Contender {
    let mut lists = Lists::<K>::settled(LISTS);
    let list = lists.ids[LISTS as usize - 2];
    Contender::new("ListPool", move || {
        lists.pool.truncate(list, K);
        let (mut ns, mut passed) = (0, 0);
        for _ in 0..WALKS {
            // Sooner or later its next node is the last list's, so it must take one elsewhere.
            while lists.pool.is_settled() {
                lists.pool.extend_from_slice(list, &[parameter(3); K]);
            }
            ns += clock::time(|| {
                black_box(lists.settle());
            });
            passed += u64::from(LISTS);
        }
        Pass { ns, operations: passed }
    })
}

/// Returns the bytes that settled lists take, in blocks no larger than they need, for each item.
pub(crate) fn bytes_an_item<const K: usize>() -> f64 {
    let Lists { pool, ids } = Lists::<K>::scattered(LISTS);
    let used = (pool.stats().nodes - pool.stats().free) as usize;
    let fitting = ListPool::<'_, Parameter, Heap, K>::try_with_capacity_in(used, &HEAP);
    let mut fitting = fitting.expect("the machine has this memory");
    fitting.try_reserve_lists(LISTS as usize).expect("the machine has this memory");
    for id in ids {
        let items: Vec<Parameter> = pool.iter(id).copied().collect();
        let list = fitting.create();
        fitting.extend_from_slice(list, &items);
    }
    let stats = fitting.stats();
    stats.bytes as f64 / stats.items as f64
}

/// Changes of the course of [`share_adjacent`].
const CHANGES: u32 = 20_000;

/// Accesses for each change.
const ACCESSES: u32 = 100;

/// Changes settled lists item by item, one change for each hundred accesses and `settle(4)` at
/// every access. Returns the least share of adjacent links that was met.
pub(crate) fn share_adjacent<const K: usize>() -> f64 {
    let mut lists = Lists::<K>::settled(LISTS);
    let mut random = Random::new(43);
    let mut least = 1.0_f64;
    for change in 0..CHANGES {
        lists.change(&mut random, change);
        for _ in 0..ACCESSES {
            lists.pool.settle(4);
        }
        if change.is_multiple_of(500) {
            let stats = lists.pool.stats();
            least = least.min(stats.adjacent as f64 / stats.links as f64);
        }
    }
    least
}
