//! Which nodes are taken, how their number grows, and damage to them.

use std::vec::Vec;

use loligo_allocators::{Allocator, Refusals};

use super::{LAST, Nodes};
use crate::error::GrowError;
use crate::pools::list_pool::{ListDamage, ListPool};
use crate::testing::test_memory::{Memory, Random, with_memory};

/// Nodes, and where the next one is to be looked for.
struct Rolling<'a> {
    nodes: Nodes<'a, u32, Memory<'a>, 1>,
    roll: u32,
}

impl Rolling<'_> {
    fn take(&mut self) {
        let expected = self.nodes.bits.free_from(self.roll).expect("a node is free");
        assert_eq!(self.nodes.take(), expected, "from {} on", self.roll);
        self.roll = expected + 1;
    }

    fn take_near(&mut self, node: u32) {
        let Some(expected) = self.nodes.bits.free_near(node) else {
            let expected = self.nodes.bits.free_from(self.roll).expect("a node is free");
            assert_eq!(self.nodes.take_near(node), expected, "from {} on", self.roll);
            self.roll = expected + 1;
            return;
        };
        assert_eq!(self.nodes.take_near(node), expected, "near {node}");
        if self.roll == expected {
            self.roll += 1;
        }
    }

    fn grow(&mut self, more: u64) {
        let old = self.nodes.count();
        self.nodes.try_reserve(more).expect("there is memory");
        if self.nodes.count() == old {
            return;
        }
        self.roll = old.max(1);
        while !self.nodes.bits.is_used(self.roll - 1) {
            self.roll -= 1;
        }
    }
}

#[test]
fn nodes_are_taken_in_turn() {
    for seed in 0..30 {
        with_memory(|memory| {
            let mut random = Random::new(seed);
            let mut all = Rolling { nodes: Nodes::new(memory), roll: 1 };
            all.grow(1);
            for step in 0..600 {
                let count = all.nodes.count();
                let used: Vec<u32> = (1..count).filter(|at| all.nodes.bits.is_used(*at)).collect();
                let free = all.nodes.free();
                match random.below(8) {
                    0 if count < 300 => all.grow(u64::from(free) + random.below(3) as u64),
                    0..3 if free > 0 => all.take(),
                    3..5 if free > 0 && !used.is_empty() => {
                        all.take_near(used[random.below(used.len())]);
                    }
                    _ if !used.is_empty() => all.nodes.give(used[random.below(used.len())]),
                    _ => {}
                }
                assert_eq!(all.nodes.roll, all.roll, "seed {seed}, step {step}");
                let free = all.nodes.count() - all.nodes.bits.count();
                assert_eq!(all.nodes.free(), free, "seed {seed}, step {step}");
            }
        });
    }
}

#[test]
fn nodes_of_items_without_size_double() {
    with_memory(|memory| {
        let mut nodes: Nodes<'_, (), Memory<'_>, 4> = Nodes::new(memory);
        for (more, count) in [(1, 8), (7, 8), (8, 16), (16, 32), (40, 64), (100, 128)] {
            nodes.try_reserve(more).expect("there is memory");
            assert_eq!((nodes.count(), nodes.free()), (count, count - 1), "{more} were reserved");
        }
    });
}

#[test]
fn links_take_no_more_than_they_need() {
    with_memory(|memory| {
        let mut nodes: Nodes<'_, (), Memory<'_>, 4> = Nodes::new(memory);
        nodes.try_reserve(100).expect("there is memory");
        assert_eq!(nodes.count(), 101, "and the one that is never used");
        nodes.try_reserve(300).expect("there is memory");
        assert_eq!(nodes.count(), 301, "more than twice as many");
        let room = nodes.links.capacity();
        assert!((301..400).contains(&room), "room for {room} links");
        assert_eq!(nodes.bytes(), memory.stats().granted, "what was granted");
    });
}

#[test]
fn what_is_needed_is_taken_where_twice_as_much_is_refused() {
    with_memory(|memory| {
        let mut nodes: Nodes<'_, (), Memory<'_>, 4> = Nodes::new(memory);
        nodes.try_reserve(63).expect("there is memory");
        assert_eq!(nodes.count(), 64, "as many as were asked for");
        memory.refuse(Refusals::Larger(400));
        assert_eq!(nodes.try_reserve(64), Ok(()), "65 links fit, 128 do not");
        assert_eq!(nodes.count(), 65, "one more");
        memory.refuse(Refusals::None);
        assert!(memory.refused() > 0, "more was asked for first");
    });
}

#[test]
fn what_is_needed_is_asked_for_once() {
    with_memory(|memory| {
        let mut nodes: Nodes<'_, (), Memory<'_>, 4> = Nodes::new(memory);
        memory.refuse(Refusals::Nth(0));
        let refused = nodes.try_reserve(100);
        assert!(matches!(refused, Err(GrowError::Memory { .. })), "{refused:?}");
        assert_eq!((nodes.count(), memory.requests()), (0, 1), "nothing has changed");
    });
}

#[test]
fn as_many_nodes_as_can_be_counted_are_a_matter_of_memory() {
    with_memory(|memory| {
        let mut nodes: Nodes<'_, u32, Memory<'_>, 4> = Nodes::new(memory);
        memory.refuse(Refusals::From(0));
        let limit = u64::from(Nodes::<'_, u32, Memory<'_>, 4>::MAX);
        let refused = nodes.try_reserve(limit - 1);
        assert!(matches!(refused, Err(GrowError::Memory { .. })), "{refused:?}");
        let refused = nodes.try_reserve(limit);
        let beyond = GrowError::Length { wanted: limit + 1, limit };
        assert_eq!(refused, Err(beyond), "one more cannot be named");
    });
}

#[test]
fn exactly_what_is_reserved_is_taken() {
    type Pool<'a> = ListPool<'a, u64, Memory<'a>, 1>;
    with_memory(|memory| {
        let pool = Pool::try_with_capacity_in(0, memory).expect("none is needed");
        assert_eq!((memory.requests(), pool.validate()), (0, Ok(())), "nothing was asked for");
    });
    with_memory(|memory| {
        let pool = Pool::try_with_capacity_in(1, memory).expect("there is memory");
        let stats = pool.stats();
        assert!((1..4).contains(&stats.free), "{stats:?} for one node");
        assert_eq!(stats.bytes, memory.stats().granted as u64, "what was granted");
        assert_eq!(pool.validate(), Ok(()), "and whole");
    });
}

type Lists<'a> = ListPool<'a, u32, Memory<'a>, 1>;

/// Breaks a pool of two lists of four items each, 1 to 3 to 5 to 7 and 2 to 4 to 6 to 8, and of a
/// slot between two that had a list; returns what is said of it, and how many nodes there are.
fn damaged(harm: impl FnOnce(&mut Lists<'_>)) -> (Option<ListDamage>, u32) {
    let mut found = (None, 0);
    with_memory(|memory| {
        let mut pool: Lists<'_> = ListPool::new_in(memory);
        let lists = [pool.create(), pool.create(), pool.create(), pool.create()];
        for number in 0..8 {
            pool.push(lists[number as usize % 2], number);
        }
        assert!(pool.destroy(lists[2]), "it was there");
        assert_eq!(pool.validate(), Ok(()), "whole before it is broken");
        let count = pool.nodes.count();
        harm(&mut pool);
        found = (pool.validate().err(), count);
    });
    found
}

#[test]
fn damage_is_named_with_its_place() {
    let said = |harm: fn(&mut Lists<'_>)| damaged(harm).0.map(|it| (it.what, it.list, it.node));
    let nodes = damaged(|_| ()).1;
    assert!((9..64).contains(&nodes), "{nodes} nodes, whose bits leave some of their word");

    let bits = Some(("the bits or links are not as many as the nodes", 0, nodes));
    assert_eq!(said(|pool| pool.nodes.bits.set(pool.nodes.count())), bits, "a bit after the last");
    assert_eq!(said(|pool| pool.nodes.links.truncate(9)), bits, "too few links");
    assert_eq!(said(|pool| pool.nodes.links.push(0)), bits, "too many links");

    let apart = Some(("node 0 is not set apart", 0, 0));
    assert_eq!(said(|pool| pool.nodes.give(0)), apart, "it is free");
    let free = Some(("free nodes are miscounted", 0, 0));
    assert_eq!(said(|pool| pool.nodes.free += 1), free, "one more");
    assert_eq!(said(|pool| pool.nodes.free -= 1), free, "one less");
    let heads = Some(("heads and lives are not as many", 0, 0));
    assert_eq!(said(|pool| pool.lives.truncate(3)), heads, "a life less");
    assert_eq!(said(|pool| pool.heads.truncate(3)), heads, "a head less");
    let lists = Some(("lists or broken lists are miscounted", 3, 0));
    assert_eq!(said(|pool| pool.lists += 1), lists, "a list more");
    assert_eq!(said(|pool| pool.broken -= 1), lists, "a broken list less");
    let nobody = Some(("a node in use is in no list", 0, 8));
    assert_eq!(said(|pool| assert_eq!(pool.nodes.take(), 9, "the next")), nobody, "nobody's");

    // 1 to 3 to 1 and so on, as many steps as there are nodes.
    let circle = ("a list leads in a circle", 0, if nodes.is_multiple_of(2) { 1 } else { 3 });
    assert_eq!(said(|pool| pool.nodes.set_link(3, 1)), Some(circle), "back to the first");
    let other = Some(("a list ends as another's", 0, 7));
    assert_eq!(said(|pool| pool.nodes.set_link(7, LAST | 1)), other, "list 1's mark");

    let vacant = Some(("the vacant slots lead to one with a list", 0, 0));
    assert_eq!(said(|pool| pool.vacant = 1), vacant, "the first");
    let beyond = Some(("the vacant slots lead on beyond the last", 2, 0));
    assert_eq!(said(|pool| pool.heads[2].end = 2), beyond, "to a list");
}

#[test]
fn a_lone_node_is_damage() {
    with_memory(|memory| {
        let mut pool: Lists<'_> = ListPool::new_in(memory);
        pool.nodes.items.grow_exact(0, 1).expect("there is memory");
        pool.nodes.try_grow_links(1).expect("there is memory");
        pool.nodes.bits.set(0);
        let said = pool.validate().map_err(|damage| (damage.what, damage.list, damage.node));
        assert_eq!(
            said,
            Err(("node 0 is not set apart", 0, 0)),
            "it is nobody's, so none is there"
        );
    });
}
