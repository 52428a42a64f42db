//! The bits of nodes compared with a vector of them, and bits that contradict each other.

use std::vec::Vec;
use std::{format, vec};

use loligo_allocators::Allocator;

use super::NodeBits;
use crate::testing::test_memory::{Memory, Random, with_memory};

type Bits<'a> = NodeBits<'a, Memory<'a>>;

fn made<'a>(memory: &'a Memory<'a>, used: &[bool]) -> Bits<'a> {
    let mut bits = NodeBits::new(memory);
    bits.try_grow(used.len() as u32).expect("there is memory");
    for (node, _) in (0..).zip(used).filter(|(_, used)| **used) {
        bits.set(node);
    }
    bits
}

/// The node after it, or else the first of the word from `node` on, or else the first of the word.
fn near(used: &[bool], node: usize) -> Option<u32> {
    if used.get(node + 1) == Some(&false) {
        return Some(node as u32 + 1);
    }
    // After the last node the word has zeros, as if free nodes were there.
    let is_free = |at: &usize| used.get(*at) != Some(&true);
    let base = node / 64 * 64;
    let found = (node..base + 64).find(is_free).or_else(|| (base..node).find(is_free))?;
    (found < used.len()).then_some(found as u32)
}

fn first(used: &[bool], from: usize, wanted: bool) -> Option<u32> {
    let behind = used.get(from..)?;
    behind.iter().position(|used| *used == wanted).map(|at| (from + at) as u32)
}

fn assert_as(used: &[bool], bits: &Bits<'_>, node: usize, at: &str) {
    let from = node as u32;
    assert_eq!(bits.is_used(from), used[node], "{at}: is {node} used");
    assert_eq!(bits.free_near(from), near(used, node), "{at}: near {node}");
    let free = first(used, node, false).or_else(|| first(used, 0, false));
    assert_eq!(bits.free_from(from), free, "{at}: free from {node} on");
    assert_eq!(bits.used_from(from), first(used, node, true), "{at}: used from {node} on");
}

#[test]
fn nodes_are_found_as_in_a_vector() {
    for seed in 0..40 {
        with_memory(|memory| {
            let mut random = Random::new(seed);
            for nodes in [1, 2, 63, 64, 65, 127, 128, 200, 320] {
                // From nearly all free to nearly all used.
                let share = random.below(24);
                let used: Vec<bool> =
                    (0..nodes).map(|_| random.below(20).saturating_sub(2) < share).collect();
                let bits = made(memory, &used);
                let count = used.iter().filter(|used| **used).count();
                assert_eq!(bits.count(), count as u32, "seed {seed}, {nodes} nodes");
                assert!(bits.is_sound(), "seed {seed}, {nodes} nodes");
                for node in 0..nodes {
                    assert_as(&used, &bits, node, &format!("seed {seed}, {nodes} nodes"));
                }
                let none = bits.used_from(nodes.next_multiple_of(64) as u32);
                assert_eq!(none, None, "nothing is after it");
            }
        });
    }
}

#[test]
fn single_nodes_are_found_far_away() {
    const NODES: usize = 3 * 4096 + 200;
    with_memory(|memory| {
        for lone in [0, 1, 63, 64, 200, 4095, 4096, 4096 + 70, 8192 + 130, NODES - 1] {
            for is_used in [false, true] {
                let mut used = vec![!is_used; NODES];
                used[lone] = is_used;
                let bits = made(memory, &used);
                assert!(bits.is_sound(), "the node {lone}");
                for from in (0..NODES).step_by(397).chain([lone, NODES - 1]) {
                    assert_as(&used, &bits, from, &format!("the node {lone} alone is {is_used}"));
                }
            }
        }
    });
}

#[test]
fn a_word_is_full_no_more_when_a_node_is_freed() {
    with_memory(|memory| {
        let mut used = vec![true; 4160];
        let mut bits = made(memory, &used);
        for node in [70, 4100, 71, 0] {
            bits.unset(node);
            used[node as usize] = false;
            assert!(bits.is_sound(), "{node} was freed");
            assert_as(&used, &bits, 20, "what was freed is found");
        }
        bits.set(70);
        bits.set(71);
        assert!(bits.is_sound(), "full again");
    });
}

#[test]
fn no_more_memory_is_taken_than_the_bits_need() {
    with_memory(|memory| {
        let mut bits: Bits<'_> = NodeBits::new(memory);
        assert_eq!(bits.bytes(), 0, "none at first");
        bits.try_grow(100 * 64).expect("there is memory");
        assert_eq!(bits.bytes(), memory.stats().granted, "what was granted");
        bits.try_grow(300 * 64).expect("there is memory");
        assert_eq!(bits.bytes(), memory.stats().granted, "what was granted");
        let words = bits.used.capacity();
        assert!((300..400).contains(&words), "room for {words} words where 300 are needed");
    });
}

/// Returns `true` if the bits of `nodes` nodes, all of them used, are still sound after some harm.
fn is_sound_after(nodes: usize, harm: impl FnOnce(&mut Bits<'_>)) -> bool {
    let mut sound = false;
    with_memory(|memory| {
        let mut bits = made(memory, &vec![true; nodes]);
        assert!(bits.is_sound(), "{nodes} nodes before the harm");
        harm(&mut bits);
        sound = bits.is_sound();
    });
    sound
}

#[test]
fn bits_that_contradict_each_other_are_found() {
    assert!(is_sound_after(4160, |_| ()), "65 full words have two words above them");
    assert!(!is_sound_after(4160, |bits| bits.full.push(0)), "a word too many above");
    assert!(!is_sound_after(64, |bits| bits.used.push(0)), "a word too many");
    assert!(!is_sound_after(64, |bits| bits.full[0] = 0), "the first word is full");
    assert!(!is_sound_after(70, |bits| bits.full[0] = 3), "the second word is not full");
    assert!(!is_sound_after(4160, |bits| bits.full[1] = 0), "the last word is full");
    assert!(!is_sound_after(70, |bits| bits.used[1] |= 1 << 6), "after the last node");
}
