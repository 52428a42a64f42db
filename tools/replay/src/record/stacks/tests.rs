//! Tests of tables of stacks that are written by hand, sound ones and broken ones.

use super::*;
use crate::trace::Trace;

/// Code that is not of a file: each address in it is taken for a return address.
const MAPS: &str = "1000-9000 r-xp 00000000 00:00 0\n";

/// Enters one event for each of the recorder's stacks and returns the frames of each, the innermost
/// first.
fn stacks_of(frames: Vec<[u64; 2]>, events: &[(u64, u32)]) -> Vec<Vec<String>> {
    let mut stacks = Stacks { frames, known: HashMap::new(), by_frame: HashMap::new() };
    let mut sites = Sites::new(MAPS, None);
    let mut writer = TraceWriter::new(Vec::new()).expect("a vector takes every write");
    let of_events: Vec<u32> = events
        .iter()
        .map(|&(site, stack)| {
            let record = Record { site, stack, ..Record::default() };
            let number = sites.of(site, 0, &mut writer).expect("a vector takes every write");
            stacks.of(&record, number, &mut sites, &mut writer).expect("it is entered")
        })
        .collect();
    let file = writer.finish().expect("a vector takes every write");
    let trace = Trace::read("stacks", &file[..]).expect("what is written is valid");
    let stacks = trace.stacks().expect("there are some");
    let names = trace.sites().expect("they are named");
    let frames = of_events.iter().map(|&stack| {
        stacks
            .frames(stack)
            .map(|site| names.name(site).replace("code made at run time", ""))
            .collect()
    });
    frames.collect()
}

fn frame(parent: u32, address: u64) -> [u64; 2] {
    [address | u64::from(parent) << 48, u64::from(parent) | raw::STACK_IS_WHOLE]
}

#[test]
fn stacks_share_their_outer_frames() {
    let frames = vec![frame(0, 0x1001), frame(1, 0x2002), frame(1, 0x3003)];
    let found = stacks_of(frames, &[(0x8008, 2), (0x8008, 3), (0x8008, 0), (0x8009, 2)]);
    let wanted = [
        &["+0x8008", "+0x2002", "+0x1001"][..],
        &["+0x8008", "+0x3003", "+0x1001"],
        &["+0x8008"],
        &["+0x8009", "+0x2002", "+0x1001"],
    ];
    let wanted = wanted.map(|names| names.iter().map(|name| relative(name)).collect::<Vec<_>>());
    assert_eq!(found, wanted);
}

/// Addresses are named by their offset in the code.
fn relative(name: &str) -> String {
    let offset = u64::from_str_radix(name.trim_start_matches("+0x"), 16).expect("a number");
    format!("+{:#x}", offset - 0x1000)
}

#[test]
fn what_is_no_return_address_ends_a_stack() {
    let frames = vec![frame(0, 0x1001), frame(1, 0xdead_0000), frame(2, 0x3003)];
    let found = stacks_of(frames, &[(0x8008, 3), (0x8008, 2)]);
    assert_eq!(found, [vec![relative("+0x8008"), relative("+0x3003")], vec![relative("+0x8008")]]);
}

#[test]
fn tables_that_a_program_has_broken_are_read_to_an_end() {
    // A circle, a frame that was never finished, a parent that is not there.
    let frames = vec![frame(2, 0x1001), frame(1, 0x2002), [0x3003, 0], frame(77, 0x4004)];
    let found = stacks_of(frames, &[(0x8008, 1), (0x8008, 2), (0x8008, 3), (0x8008, 4)]);
    assert!(found[0].len() <= raw::DEPTH_MAX + 1 && found[1].len() <= raw::DEPTH_MAX + 1);
    assert_eq!(found[2], [relative("+0x8008")]);
    assert_eq!(found[3], [relative("+0x8008"), relative("+0x4004")]);
    // A chain that is longer than any of the recorder's, met from its outer end inwards.
    let frames = (0..3000).map(|parent| frame(parent, 0x1000 + u64::from(parent))).collect();
    let events: Vec<_> = (1..=3000).map(|stack| (0x8008, stack)).collect();
    let found = stacks_of(frames, &events);
    assert!(found.iter().all(|frames| frames.len() <= raw::DEPTH_MAX + 1));
}
