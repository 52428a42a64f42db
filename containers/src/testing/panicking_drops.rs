//! Every operation of the containers that drops keys, values or elements, with each of the
//! destructors panicking in turn: nothing is leaked and nothing is dropped twice.
//!
//! A value that a function has put into its answer is leaked where a local variable's destructor
//! panics as the function ends, so what is dropped must be dropped before.
//!
//! `HashMap` is left out: hashbrown's table leaks where a destructor panics, its block included.

use core::cell::Cell;
use core::hash::{Hash, Hasher};
use core::panic::AssertUnwindSafe;
use std::boxed::Box;
use std::panic::{catch_unwind, resume_unwind};
use std::vec::Vec;

use crate::arrays::array::Array;
use crate::arrays::ring::Ring;
use crate::maps::multi_map::MultiMap;
use crate::maps::sorted_map::{SortedMap, SortedSet};
use crate::pools::list_pool::ListPool;
use crate::testing::test_memory::{Memory, with_memory};

/// Counts the items alive, and says which drop panics.
struct World {
    alive: Cell<i32>,
    drops: Cell<u32>,
    bad: u32,
}

impl World {
    fn item(&self, key: u32) -> Item<'_> {
        self.alive.set(self.alive.get() + 1);
        Item { key, world: self }
    }

    fn items(&self, keys: impl IntoIterator<Item = u32>) -> impl Iterator<Item = Item<'_>> {
        keys.into_iter().map(|key| self.item(key))
    }

    fn pairs(&self, keys: impl IntoIterator<Item = u32>) -> Vec<(Item<'_>, Item<'_>)> {
        keys.into_iter().map(|key| (self.item(key), self.item(100 + key))).collect()
    }
}

/// A key, a value or an element.
struct Item<'w> {
    key: u32,
    world: &'w World,
}

impl Clone for Item<'_> {
    fn clone(&self) -> Self {
        self.world.item(self.key)
    }
}

impl Drop for Item<'_> {
    fn drop(&mut self) {
        let world = self.world;
        world.alive.set(world.alive.get() - 1);
        world.drops.set(world.drops.get() + 1);
        if world.drops.get() == world.bad && !std::thread::panicking() {
            // Not a panic, whose message would be printed each time.
            resume_unwind(Box::new("a destructor panics"));
        }
    }
}

impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Item<'_> {}

impl PartialOrd for Item<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Item<'_> {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

impl Hash for Item<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

/// Runs `script` with the first drop panicking, then the second, until there are no more of them.
fn each_drop(name: &str, script: impl Fn(&World, &Memory<'_>)) {
    for bad in 1.. {
        let world = World { alive: Cell::new(0), drops: Cell::new(0), bad };
        with_memory(|memory| {
            let ended = catch_unwind(AssertUnwindSafe(|| script(&world, memory)));
            let reached = world.drops.get() >= bad;
            assert!(ended.is_err() == reached, "{name}: panic {bad} went astray");
        });
        assert_eq!(world.alive.get(), 0, "{name}: items alive after panic {bad}");
        if world.drops.get() < bad {
            assert!(bad > 1, "{name}: nothing is dropped");
            return;
        }
    }
}

type Items<'m, 'w, 'x> = Array<'m, Item<'w>, Memory<'x>>;

fn array<'m, 'w, 'x>(world: &'w World, memory: &'m Memory<'x>) -> Items<'m, 'w, 'x> {
    let mut array = Array::new_in(memory);
    array.extend(world.items([1, 2, 2, 3, 3, 4]));
    array
}

#[test]
fn arrays() {
    each_drop("truncate", |world, memory| array(world, memory).truncate(2));
    each_drop("clear", |world, memory| array(world, memory).clear());
    each_drop("pop", |world, memory| drop(array(world, memory).pop()));
    each_drop("insert", |world, memory| array(world, memory).insert(2, world.item(9)));
    each_drop("remove", |world, memory| drop(array(world, memory).remove(1)));
    each_drop("swap_remove", |world, memory| drop(array(world, memory).swap_remove(1)));
    each_drop("retain", |world, memory| array(world, memory).retain(|item| item.key % 2 == 0));
    each_drop("dedup", |world, memory| array(world, memory).dedup());
    each_drop("dedup_by_key", |world, memory| {
        array(world, memory).dedup_by_key(|item| world.item(item.key / 2));
    });
    each_drop("drain", |world, memory| drop(array(world, memory).drain(1..4)));
    each_drop("drain, one taken", |world, memory| drop(array(world, memory).drain(1..4).next()));
    each_drop("split_off", |world, memory| drop(array(world, memory).split_off(2)));
    each_drop("resize_with", |world, memory| {
        array(world, memory).resize_with(9, || world.item(8));
    });
    each_drop("extend_cloned", |world, memory| {
        let other = array(world, memory);
        array(world, memory).extend_cloned(&other);
    });
    each_drop("into_iter", |world, memory| drop(array(world, memory).into_iter().nth(1)));
    each_drop("append", |world, memory| {
        array(world, memory).append(&mut array(world, memory));
    });
}

fn ring<'m, 'w, 'x>(world: &'w World, memory: &'m Memory<'x>) -> Ring<'m, Item<'w>, Memory<'x>> {
    let mut ring = Ring::new_in(memory);
    ring.extend(world.items([1, 2, 3]));
    ring.push_front(world.item(4));
    ring.push_front(world.item(5));
    ring
}

#[test]
fn rings() {
    each_drop("pop_front", |world, memory| drop(ring(world, memory).pop_front()));
    each_drop("pop_back", |world, memory| drop(ring(world, memory).pop_back()));
    each_drop("push_over", |world, memory| {
        let mut ring = ring(world, memory);
        for key in 0..9 {
            drop(ring.push_over(world.item(key)));
        }
    });
    each_drop("truncate", |world, memory| ring(world, memory).truncate(1));
    each_drop("truncate_front", |world, memory| ring(world, memory).truncate_front(3));
    each_drop("clear", |world, memory| ring(world, memory).clear());
    each_drop("remove", |world, memory| drop(ring(world, memory).remove(2)));
    each_drop("retain", |world, memory| ring(world, memory).retain(|item| item.key % 2 == 0));
}

type Lists<'m, 'w, 'x> = ListPool<'m, Item<'w>, Memory<'x>>;

#[test]
fn lists() {
    fn pool<'m, 'w, 'x>(world: &'w World, memory: &'m Memory<'x>) -> Lists<'m, 'w, 'x> {
        let mut pool = ListPool::new_in(memory);
        for first in [0, 10, 20] {
            let list = pool.create();
            pool.extend(list, world.items(first..first + 9));
        }
        pool
    }
    fn first<'w>(pool: &Lists<'_, 'w, '_>) -> crate::List<Item<'w>> {
        pool.lists().next().expect("there are lists")
    }
    each_drop("destroy", |world, memory| {
        let mut pool = pool(world, memory);
        let list = first(&pool);
        assert!(pool.destroy(list), "it was there");
    });
    each_drop("insert and remove", |world, memory| {
        let mut pool = pool(world, memory);
        let list = first(&pool);
        pool.insert(list, 1, world.item(50));
        drop(pool.remove(list, 2));
        drop(pool.swap_remove(list, 3));
        drop(pool.pop(list));
    });
    each_drop("retain", |world, memory| {
        let mut pool = pool(world, memory);
        let list = first(&pool);
        pool.retain(list, |item| item.key % 2 == 0);
    });
    each_drop("truncate", |world, memory| {
        let mut pool = pool(world, memory);
        let list = first(&pool);
        pool.truncate(list, 2);
        pool.clear_list(list);
    });
    each_drop("clear", |world, memory| pool(world, memory).clear());
}

type Sorted<'m, 'w, 'x> = SortedMap<'m, Item<'w>, Item<'w>, Memory<'x>>;

fn sorted<'m, 'w, 'x>(world: &'w World, memory: &'m Memory<'x>) -> Sorted<'m, 'w, 'x> {
    let mut map = SortedMap::new_in(memory);
    map.try_extend(world.pairs([3, 1, 4, 5, 9, 2, 6])).expect("there is memory");
    map.sort();
    map
}

#[test]
fn sorted_maps() {
    each_drop("insert, new", |world, memory| {
        drop(sorted(world, memory).insert(world.item(7), world.item(8)));
    });
    each_drop("insert, known", |world, memory| {
        drop(sorted(world, memory).insert(world.item(4), world.item(8)));
    });
    each_drop("get_or_insert_with", |world, memory| {
        let mut map = sorted(world, memory);
        map.get_or_insert_with(world.item(4), || world.item(8));
        map.get_or_insert_with(world.item(7), || world.item(8));
    });
    each_drop("remove", |world, memory| {
        drop(sorted(world, memory).remove(&world.item(4)));
    });
    each_drop("remove_entry", |world, memory| {
        drop(sorted(world, memory).remove_entry(&world.item(4)));
    });
    each_drop("pop_last", |world, memory| drop(sorted(world, memory).pop_last()));
    each_drop("push and sort", |world, memory| {
        let mut map = sorted(world, memory);
        map.try_extend(world.pairs([4, 8, 4, 1, 0, 8])).expect("there is memory");
        map.sort();
    });
    each_drop("retain", |world, memory| {
        sorted(world, memory).retain(|key, _| key.key % 2 == 0);
    });
    each_drop("clear", |world, memory| {
        let mut map = sorted(world, memory);
        map.push(world.item(2), world.item(2));
        map.clear();
    });
}

#[test]
fn sorted_sets() {
    fn set<'m, 'w, 'x>(
        world: &'w World,
        memory: &'m Memory<'x>,
    ) -> SortedSet<'m, Item<'w>, Memory<'x>> {
        let mut set = SortedSet::new_in(memory);
        set.try_extend(world.items([3, 1, 4])).expect("there is memory");
        set.sort();
        set
    }
    each_drop("insert", |world, memory| {
        let mut set = set(world, memory);
        set.insert(world.item(4));
        set.insert(world.item(5));
    });
    each_drop("remove", |world, memory| drop(set(world, memory).remove(&world.item(3))));
    each_drop("pop_last", |world, memory| drop(set(world, memory).pop_last()));
    each_drop("retain", |world, memory| set(world, memory).retain(|item| item.key == 3));
    each_drop("push and sort", |world, memory| {
        let mut set = set(world, memory);
        set.try_extend(world.items([4, 2, 4])).expect("there is memory");
        set.sort();
    });
}

type Multi<'m, 'w, 'x> =
    MultiMap<'m, Item<'w>, Item<'w>, crate::maps::hasher::BuildKeyHasher, Memory<'x>>;

fn multi<'m, 'w, 'x>(world: &'w World, memory: &'m Memory<'x>) -> Multi<'m, 'w, 'x> {
    let mut map = MultiMap::new_in(memory);
    for (key, value) in world.pairs([1, 2, 1, 3, 1, 2]) {
        map.insert(key, value);
    }
    map
}

#[test]
fn multi_maps() {
    each_drop("insert", |world, memory| {
        multi(world, memory).insert(world.item(2), world.item(7));
    });
    each_drop("remove_first", |world, memory| {
        drop(multi(world, memory).remove_first(&world.item(1)));
    });
    each_drop("remove_at", |world, memory| {
        let mut map = multi(world, memory);
        let place = map.find_first(&world.item(2)).expect("it is there");
        drop(map.remove_at(place));
    });
    each_drop("remove_all", |world, memory| {
        multi(world, memory).remove_all(&world.item(1));
    });
    each_drop("retain_of", |world, memory| {
        multi(world, memory).retain_of(&world.item(1), |value| value.key == 1);
    });
    each_drop("retain", |world, memory| {
        multi(world, memory).retain(|key, _| key.key == 2);
    });
    each_drop("clear", |world, memory| multi(world, memory).clear());
}
