//! Each frame against what a buddy allocator may do.

use super::{Buddy, Camera, with_buddy};
use crate::report::data::{Call, Film, Frame};
use crate::report::drive::Drive;
use crate::report::tests::{nothing_live, random_trace, trace};
use crate::trace::{Op, Trace};

fn shoot_all(buddy: &Buddy<'_>, tree: usize, trace: &Trace) -> Vec<Frame> {
    let camera = Camera::new(buddy, tree);
    let mut frames = vec![camera.open()];
    let mut drive = Drive::new(buddy, trace.slots as usize);
    for event in &trace.events {
        camera.shoot(&mut drive, *event, &mut frames);
    }
    drop(drive);
    nothing_live(buddy);
    frames
}

/// Checks that a frame shows a sound tree: halves of split blocks alone, every leaf under just one
/// free or allocated block, no two free halves, each free block in the list of its level.
fn check(frame: &Frame) {
    let states = frame.states.as_bytes();
    let leaves = states.len().div_ceil(2);
    let mut covered = vec![0; leaves];
    let mut free = 0;
    for (number, state) in states.iter().enumerate() {
        let level = (number + 1).ilog2();
        let width = leaves >> level;
        let index = number + 1 - (1 << level);
        let parent = (number > 0).then(|| states[(number - 1) / 2]);
        assert_eq!(*state == b'.', parent.is_some_and(|parent| parent != b's'), "{frame:?}");
        if matches!(state, b'f' | b'a') {
            covered[index * width..][..width].iter_mut().for_each(|count| *count += 1);
        }
        if *state == b'f' {
            free += 1;
            let listed = frame.lists[level as usize].iter().filter(|other| **other == number);
            assert_eq!(listed.count(), 1, "block {number} is in its list once: {frame:?}");
            let buddy = (number > 0).then(|| states[((number + 1) ^ 1) - 1]);
            assert!(buddy != Some(b'f'), "two free halves: {frame:?}");
        }
    }
    assert!(covered.iter().all(|count| *count == 1), "each leaf is in one block: {frame:?}");
    assert_eq!(frame.lists.iter().map(Vec::len).sum::<usize>(), free, "nothing else is listed");
}

/// Checks that the calls of a film follow from each other: which blocks are alive, and how large.
pub(in crate::report) fn check_film(film: &Film) {
    let bytes_of = |number: usize| film.region_bytes >> (number + 1).ilog2();
    let mut live: std::collections::BTreeMap<_, _> = film.opening.iter().copied().collect();
    for frame in &film.calls {
        check(frame);
        match frame.call {
            Call::Open => {}
            Call::Allocate { bytes, block } => {
                let Some(block) = block else { continue };
                assert!(bytes <= bytes_of(block), "the block is large enough: {frame:?}");
                assert!(live.insert(block, bytes).is_none(), "it was not alive: {frame:?}");
            }
            Call::Free { block } => {
                assert!(live.remove(&block).is_some(), "it was alive: {frame:?}");
            }
            Call::Resize { block, bytes, to } => {
                let Some(to) = to else { continue };
                assert!(bytes <= bytes_of(to), "the block is large enough: {frame:?}");
                assert!(live.remove(&block).is_some(), "it was alive: {frame:?}");
                live.insert(to, bytes);
            }
        }
        let states = frame.states.bytes().enumerate();
        let shown: Vec<_> = states.filter(|(_, state)| *state == b'a').map(|(n, _)| n).collect();
        let known: Vec<_> = live.keys().copied().collect();
        assert_eq!(shown, known, "the blocks shown are those alive: {frame:?}");
    }
}

#[test]
fn a_film_opens_with_one_free_block() {
    for (bytes, levels) in [(1 << 12, 7), (1 << 17, 5), (1 << 20, 7), (1 << 15, 1)] {
        let frame = with_buddy(bytes, levels, |buddy, tree| Camera::new(buddy, tree).open());
        let frame = frame.expect("there is memory for so little");
        let absent = ".".repeat((1 << levels) - 2);
        assert_eq!(frame.states, format!("f{absent}"), "{levels} levels over {bytes} bytes");
        assert_eq!(frame.lists[0], [0], "it is in its list");
    }
}

#[test]
fn splits_merges_and_moves_are_seen() {
    let calls = trace(&[
        (Op::Allocate, 0, 1000),
        (Op::Allocate, 1, 2000),
        (Op::Reallocate, 0, 2000),
        (Op::Reallocate, 0, 4000),
        (Op::Reallocate, 0, 1000),
        (Op::Free, 1, 0),
        (Op::Allocate, 1, 9000),
        (Op::Free, 1, 0),
        (Op::Free, 0, 0),
    ]);
    let frames = with_buddy(8192, 4, |buddy, tree| shoot_all(buddy, tree, &calls));
    let frames = frames.expect("there is memory for so little");
    frames.iter().for_each(check);
    let seen: Vec<_> = frames.iter().map(|frame| frame.call).collect();
    let expected = [
        Call::Open,
        Call::Allocate { bytes: 1000, block: Some(7) },
        Call::Allocate { bytes: 2000, block: Some(4) },
        Call::Resize { block: 7, bytes: 2000, to: Some(3) },
        Call::Resize { block: 3, bytes: 4000, to: None },
        Call::Allocate { bytes: 4000, block: Some(2) },
        Call::Free { block: 3 },
        Call::Resize { block: 2, bytes: 1000, to: Some(11) },
        Call::Free { block: 4 },
        Call::Allocate { bytes: 9000, block: None },
        Call::Free { block: 11 },
    ];
    assert_eq!(seen, expected, "call by call");
    assert_eq!(frames[4].states, "ssfaa..........", "2 KiB twice, and 4 KiB free");
    assert_eq!(frames.last().map(|frame| &frame.states[..1]), Some("f"), "one block at the end");
}

#[test]
fn random_calls_show_sound_trees() {
    for seed in 1..20 {
        let trace = random_trace(seed, 400);
        let frames = with_buddy(1 << 16, 6, |buddy, tree| shoot_all(buddy, tree, &trace));
        let film = Film {
            title: String::new(),
            about: String::new(),
            region_bytes: 1 << 16,
            levels: 6,
            opening: Vec::new(),
            calls: frames.expect("there is memory for so little"),
        };
        check_film(&film);
    }
}
