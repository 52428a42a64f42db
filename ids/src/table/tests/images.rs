//! Saving and restoring: the same bytes, the same ids from there on, and damage refused.

use core::mem::MaybeUninit;
use std::vec::Vec;

use crate::error::{RestoreError, SaveError};
use crate::id::{Id, SmallId, TableId};
use crate::policy::{Fifo, FreeList, GenerationEnd, Lifo, Refuse, Retire, Wrap};
use crate::table::image::{CHECKSUM, Counts, HEADER, checksum, put};
use crate::table::shape::Shape;
use crate::table::{Holes, Packed, Table};
use crate::test_backing::{Random, TestBacking};

type Of<'a, S, I, F, E> = Table<'a, S, [u16; 3], I, F, E, TestBacking>;

fn save<S: Shape, I: TableId, F: FreeList, E: GenerationEnd>(
    table: &Of<'_, S, I, F, E>,
) -> Vec<u8> {
    let mut image = std::vec![0xaa; table.saved_len()];
    table.save(&mut image).expect("the length is the one asked for");
    image
}

/// Does the same random things to each table, and finds them alike.
fn go_on<S: Shape, I: TableId, F: FreeList, E: GenerationEnd>(
    tables: &mut [&mut Of<'_, S, I, F, E>],
    random: &mut Random,
    steps: usize,
) {
    for step in 0..steps {
        let (what, which) = (random.below(8), random.next() as usize);
        let mut answers = Vec::new();
        for table in &mut *tables {
            let any = table.ids().nth(which % table.len().max(1));
            answers.push(match (what, any) {
                (0..=3, _) => table.insert([step as u16; 3]).ok(),
                (4, _) => table.reserve_id().ok(),
                (_, Some(id)) => table.remove(id).map(|_| id),
                (_, None) => None,
            });
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]), "step {step}: {answers:?}");
    }
}

fn same_from_there_on<S: Shape, I: TableId, F: FreeList, E: GenerationEnd>(seed: u64) {
    std::println!("seed {seed}");
    let backing = TestBacking::new();
    let mut random = Random::new(seed);
    let tag = if I::TAG_BITS > 0 { 1 } else { 0 };
    let len = Of::<S, I, F, E>::fixed_len(200);
    let mut memories = [const { Vec::new() }; 5];
    memories.iter_mut().for_each(|memory| memory.resize(len, MaybeUninit::uninit()));
    let mut table = Of::<S, I, F, E>::with_limit_in(200, &backing).with_tag(tag);
    for (steps, memory) in [0, 1, 7, 40, 300].into_iter().zip(&mut memories) {
        go_on(&mut [&mut table], &mut random, steps);
        let image = save(&table);
        let mut restored = Of::<S, I, F, E>::restore_in(&image, &backing).expect("an image");
        restored.validate().expect("a restored table is whole");
        assert_eq!(save(&restored), image, "bit for bit");
        let mut fixed =
            Of::<S, I, F, E>::restore_fixed(&image, memory, 200).expect("there is room");
        fixed.validate().expect("whole in memory of the caller");
        assert!(
            fixed.iter_with_ids().eq(table.iter_with_ids()),
            "the same objects by the same ids"
        );
        assert_eq!(fixed.limit(), 200, "the limit as given");
        go_on(&mut [&mut table, &mut restored, &mut fixed], &mut random, 200);
        assert_eq!(save(&restored), save(&table), "the same history, the same bytes");
    }
}

fn every_policy<S: Shape>(seed: u64) {
    same_from_there_on::<S, Id<u8>, Lifo, Retire>(seed);
    same_from_there_on::<S, SmallId<u8>, Lifo, Retire>(seed + 6);
    same_from_there_on::<S, Id<u8, u32, 8, 3>, Fifo<4>, Retire>(seed + 1);
    same_from_there_on::<S, Id<u8, u32, 8, 2>, Fifo<4>, Wrap>(seed + 2);
    same_from_there_on::<S, Id<u8, u64, 48, 12>, Lifo, Wrap>(seed + 3);
    same_from_there_on::<S, Id<u8, u64, 32, 32>, Fifo, Refuse>(seed + 4);
    same_from_there_on::<S, Id<u8, u32, 16, 16>, Lifo, Refuse>(seed + 5);
}

#[test]
fn a_restored_table_goes_on_as_the_saved_one() {
    every_policy::<Holes>(0);
    every_policy::<Packed>(10);
}

fn a_million<S: Shape>() {
    type Million<'a, S> = Table<'a, S, u64, Id<u8>, Fifo<1000>, Retire, TestBacking>;
    let backing = TestBacking::new();
    let mut table = Million::<S>::new_in(&backing);
    let mut ids = Vec::new();
    table.insert_batch(0..1_000_000, |id| ids.push(id)).expect("memory for a million");
    let mut random = Random::new(7);
    let gone: Vec<Id<u8>> = (0..5000).map(|_| ids[random.below(ids.len())]).collect();
    table.remove_batch(gone);
    let mut image = std::vec![0; table.saved_len()];
    table.save(&mut image).expect("the length is right");
    let mut restored = Million::<S>::restore_in(&image, &backing).expect("an image");
    let mut again = std::vec![0; restored.saved_len()];
    restored.save(&mut again).expect("the length is right");
    assert!(again == image, "byte for byte");
    for n in 0..1000 {
        assert_eq!(restored.insert(n), table.insert(n), "the same id");
    }
}

#[test]
fn a_million_objects_are_restored_byte_for_byte() {
    a_million::<Holes>();
    a_million::<Packed>();
}

type Small<'a, S> = Of<'a, S, Id<u8, u32, 8, 3>, Fifo<2>, Retire>;

/// A table with slots of every state.
fn sample<'a, S: Shape>(backing: &'a TestBacking) -> Small<'a, S> {
    let mut table = Small::<S>::with_limit_in(60, backing).with_tag(3);
    go_on(&mut [&mut table], &mut Random::new(5), 120);
    // One slot through all of its lives.
    for _ in 0..30 {
        let id = table.insert([1; 3]).expect("room");
        table.remove(id);
    }
    let stats = table.stats();
    assert!(stats.live > 0 && stats.free > 2 && stats.reserved > 0, "{stats:?}");
    table
}

/// Takes an image over if it can, and then finds the table whole.
fn refused_or_whole<S: Shape>(image: &[u8]) -> Option<RestoreError> {
    let backing = TestBacking::new();
    match Small::<S>::restore_in(image, &backing) {
        Err(error) => {
            assert!(error.offset <= image.len() as u64 || image.len() < HEADER, "{error}");
            Some(error)
        }
        Ok(mut table) => {
            table.validate().unwrap_or_else(|damage| panic!("restored broken: {damage}"));
            go_on(&mut [&mut table], &mut Random::new(1), 50);
            table.validate().unwrap_or_else(|damage| panic!("broke later: {damage}"));
            None
        }
    }
}

fn damage<S: Shape>() {
    let backing = TestBacking::new();
    let image = save(&sample::<S>(&backing));
    assert_eq!(refused_or_whole::<S>(&image), None, "the image itself is good");
    for len in 0..image.len() {
        assert!(refused_or_whole::<S>(&image[..len]).is_some(), "cut to {len} bytes");
    }
    let mut longer = image.clone();
    longer.push(0);
    assert!(refused_or_whole::<S>(&longer).is_some(), "a byte more");
    for bit in 0..image.len() * 8 {
        let mut flipped = image.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(refused_or_whole::<S>(&flipped).is_some(), "bit {bit}");
    }
}

#[test]
fn any_flipped_bit_and_any_cut_is_refused() {
    damage::<Holes>();
    damage::<Packed>();
}

/// Bytes that were changed and given a right checksum: refused, or a table that is whole.
fn forged<S: Shape>(seed: u64) {
    std::println!("seed {seed}");
    let backing = TestBacking::new();
    let image = save(&sample::<S>(&backing));
    let mut random = Random::new(seed);
    let (mut refused, mut taken) = (0, 0);
    for _ in 0..20_000 {
        let mut forged = image.clone();
        for _ in 0..=random.below(3) {
            let at = 80 + random.below(image.len() - 80);
            match random.below(3) {
                0 => forged[at] ^= 1 << random.below(8),
                1 => forged[at] = random.next() as u8,
                _ => {
                    let from = 80 + random.below(image.len() - 84);
                    let at = at.min(image.len() - 4);
                    forged.copy_within(from..from + 4, at);
                }
            }
        }
        let sum = checksum(&forged);
        put(&mut forged, CHECKSUM, sum);
        *(if refused_or_whole::<S>(&forged).is_some() { &mut refused } else { &mut taken }) += 1;
    }
    assert!(refused > 5000 && taken > 500, "{refused} refused, {taken} taken: the test is blunt");
}

#[test]
fn forged_images_are_refused_or_harmless() {
    forged::<Holes>(3);
    forged::<Packed>(4);
}

/// A table without a limit of its owner has as many slots as the index names, which is what its
/// image says, and it is taken over where an address has 32 bits and cannot count them.
fn without_a_limit<I: TableId>() {
    let backing = TestBacking::new();
    let mut table = Of::<Holes, I, Lifo, Retire>::new_in(&backing);
    let id = table.insert([1; 3]).expect("room");
    let image = save(&table);
    let limit = image[Counts::LIMIT..Counts::LIMIT + 8].try_into().expect("a number");
    assert_eq!(u64::from_ne_bytes(limit), I::SLOTS, "all that the index names");
    let restored = Of::<Holes, I, Lifo, Retire>::restore_in(&image, &backing).expect("an image");
    assert_eq!((restored.limit(), restored.get(id)), (table.limit(), Some(&[1; 3])), "the same");
    assert_eq!(save(&restored), image, "bit for bit");
}

#[test]
fn a_table_without_a_limit_is_restored_on_any_machine() {
    without_a_limit::<Id<u8>>();
    without_a_limit::<SmallId<u8>>();
    without_a_limit::<Id<u8, u64, 48, 16>>();
}

/// Where an address has 32 bits, an index that is cut to one may look like the slot's own.
fn wide_index<S: Shape>() {
    type Far<'a, S> = Of<'a, S, Id<u8, u64, 48, 16>, Lifo, Retire>;
    let backing = TestBacking::new();
    let mut table = Far::<S>::with_limit_in(4, &backing);
    let ids = [1, 2].map(|n| table.insert([n; 3]).expect("room"));
    table.reserve_id().expect("room");
    table.remove(ids[0]);
    let image = save(&table);
    for slot in [0, 2] {
        let at = HEADER + 8 * slot;
        let mut forged = image.clone();
        put(&mut forged, at, 1 << 48 | 1 << 32 | slot as u64);
        let sum = checksum(&forged);
        put(&mut forged, CHECKSUM, sum);
        let error = Far::<S>::restore_in(&forged, &backing).err().map(|error| error.offset);
        assert_eq!(error, Some(at as u64), "slot {slot} is none of the living");
    }
}

#[test]
fn an_index_is_compared_whole() {
    wide_index::<Holes>();
    wide_index::<Packed>();
}

/// What memory held before is no more trusted than the image: the ids of objects follow the slots,
/// and here each place that was not written yet looks like a live slot.
#[test]
fn an_object_names_one_of_the_slots_whatever_lies_behind_them() {
    type Near<'a> = Of<'a, Packed, Id<u8, u32, 16, 8>, Lifo, Retire>;
    const SLOTS: usize = 8;
    // A few of the slots, and all of them; the ids follow.
    for used in [3, SLOTS] {
        let backing = TestBacking::new();
        let mut table = Near::with_limit_in(SLOTS, &backing).with_tag(0);
        let batch = table.insert_batch((0..used).map(|n| [n as u16; 3]), |_| ());
        assert_eq!(batch, Ok(used), "there is room");
        let image = save(&table);
        let at = HEADER + 4 * used;
        let generation = u32::from_ne_bytes(image[at..at + 4].try_into().expect("an id")) & !0xffff;
        // After the slots there is room for as many ids as half of them.
        for index in used..SLOTS + SLOTS / 2 {
            let forged_id = generation | index as u32;
            let mut forged = image.clone();
            forged[at..at + 4].copy_from_slice(&forged_id.to_ne_bytes());
            let sum = checksum(&forged);
            put(&mut forged, CHECKSUM, sum);
            let looks_live: u64 = bytemuck::cast([forged_id, used as u32]);
            let mut memory = std::vec![MaybeUninit::new(looks_live); Near::fixed_len(SLOTS)];
            let refused = Near::restore_fixed(&forged, &mut memory, SLOTS).err();
            let what = "the id of an object is not live";
            let expected = RestoreError { offset: at as u64, what, refused: None };
            assert_eq!(refused, Some(expected), "slot {index} is none of the table's {used}");
        }
    }
}

/// Each rule of the counts by its own words, in a table of three slots of which the second is free
/// or was not.
#[test]
fn counts_that_do_not_agree_are_told_apart() {
    type Plain<'a> = Of<'a, Holes, Id<u8, u32, 8, 3>, Lifo, Retire>;
    let backing = TestBacking::new();
    let mut table = Plain::with_limit_in(60, &backing).with_tag(0);
    let ids = [1, 2, 3].map(|n| table.insert([n; 3]).expect("room"));
    let full = save(&table);
    table.remove(ids[1]);
    let image = save(&table);
    let said = |image: &[u8], at: usize, number: u64| {
        let mut forged = image.to_vec();
        put(&mut forged, at, number);
        let sum = checksum(&forged);
        put(&mut forged, CHECKSUM, sum);
        let error = Plain::restore_in(&forged, &backing).err();
        error.map(|RestoreError { offset, what, .. }| (offset as usize, what))
    };
    let tag = Some((Counts::TAG, "the tag does not stand where an id has it"));
    assert_eq!(said(&image, Counts::TAG, 1 << 40), tag, "above all bits of an id");
    let longer = [&image[..], &[0; 8]].concat();
    let length = Some((Counts::USED, "the counts do not make up the length"));
    assert_eq!(said(&longer, Counts::BYTES, longer.len() as u64), length, "a word too many");
    let sum = Some((Counts::LIVE, "live, free and reserved slots are more than all"));
    assert_eq!(said(&image, Counts::FREE, 2), sum, "one too many");
    let free = Some((Counts::HEAD, "the free list leads to a slot that is not free"));
    assert_eq!(said(&image, Counts::HEAD, 0), free, "to one that lives");
    assert_eq!(said(&image, Counts::HEAD, 3), free, "to the first that was never used");
    let ends = Some((Counts::TAIL, "the free list ends elsewhere"));
    assert_eq!(said(&full, Counts::HEAD, 1), ends, "no list begins anywhere");
    assert_eq!((said(&full, Counts::HEAD, 0), said(&image, Counts::HEAD, 1)), (None, None), "good");
}

/// Every number that can pass for a word of a slot or an id, in every such word: refused, or a
/// table that is whole, in memory where that number looks like a live slot.
fn every_word<S: Shape>() -> (usize, usize) {
    type Near<'a, S> = Of<'a, S, Id<u8, u32, 16, 8>, Lifo, Retire>;
    const SLOTS: usize = 4;
    let backing = TestBacking::new();
    let mut table = Near::<S>::with_limit_in(SLOTS, &backing).with_tag(0);
    let ids = [1, 2, 3].map(|n| table.insert([n; 3]).expect("room"));
    table.remove(ids[1]);
    let (image, live) = (save(&table), table.len());
    let (mut refused, mut taken) = (0, 0);
    // Three slots, and after them two ids or the first objects.
    for at in (HEADER..HEADER + 4 * 5).step_by(4) {
        for number in 0..4_u32 * 16 {
            let word = ((number / 16) << 16) | (number % 16);
            let mut forged = image.clone();
            forged[at..at + 4].copy_from_slice(&word.to_ne_bytes());
            let sum = checksum(&forged);
            put(&mut forged, CHECKSUM, sum);
            let looks_live: u64 = bytemuck::cast([word, live as u32]);
            let len = Near::<S>::fixed_len(SLOTS);
            let mut memory = std::vec![MaybeUninit::new(looks_live); len];
            match Near::<S>::restore_fixed(&forged, &mut memory, SLOTS) {
                Err(_) => refused += 1,
                Ok(mut table) => {
                    let what = |damage| panic!("{word:#x} at {at} restored: {damage}");
                    table.validate().unwrap_or_else(what);
                    go_on(&mut [&mut table], &mut Random::new(1), 20);
                    table.validate().unwrap_or_else(what);
                    taken += 1;
                }
            }
        }
    }
    (refused, taken)
}

#[test]
fn every_number_in_every_word_of_a_small_image() {
    for (refused, taken) in [every_word::<Holes>(), every_word::<Packed>()] {
        assert_eq!(refused + taken, 5 * 64, "all were tried");
        assert!(refused > 64 && taken > 5, "{refused} refused, {taken} taken: the test is blunt");
    }
}

#[test]
fn a_table_that_never_retires_has_no_retired_slot() {
    let backing = TestBacking::new();
    let mut table = Of::<Holes, SmallId<u8>, Lifo, Wrap>::new_in(&backing);
    table.insert([1; 3]).expect("room");
    table.reserve_id().expect("room");
    let mut forged = save(&table);
    let at = HEADER + 4;
    // The slot of the reserved id, without its generation.
    forged[at..at + 4].copy_from_slice(&0_u32.to_ne_bytes());
    put(&mut forged, Counts::RESERVED, 0);
    let sum = checksum(&forged);
    put(&mut forged, CHECKSUM, sum);
    let refused = Of::<Holes, SmallId<u8>, Lifo, Wrap>::restore_in(&forged, &backing).err();
    let what = "a slot is retired though none should be";
    let expected = RestoreError { offset: at as u64, what, refused: None };
    assert_eq!(refused, Some(expected), "not with Wrap");
}

/// Each rule of the header by its own offset and words.
#[test]
fn the_error_names_offset_and_reason() {
    let backing = TestBacking::new();
    let image = save(&sample::<Holes>(&backing));
    let with = |at: usize, number: u64| {
        let mut forged = image.clone();
        put(&mut forged, at, number);
        let sum = checksum(&forged);
        put(&mut forged, CHECKSUM, sum);
        refused_or_whole::<Holes>(&forged).map(|error| error.offset as usize)
    };
    for at in (0..80).step_by(8) {
        assert_eq!(with(at, 77), Some(at), "the type, field {}", at / 8);
    }
    assert_eq!(with(Counts::TAG, 1), Some(Counts::TAG), "the tag");
    assert_eq!(with(Counts::LIMIT, 257), Some(Counts::LIMIT), "the limit");
    assert_eq!(with(Counts::USED, u64::MAX), Some(Counts::USED), "slots in use");
    assert_eq!(with(Counts::LIVE, u64::MAX), Some(Counts::LIVE), "live slots");
    assert_eq!(with(Counts::LIVE, 1), Some(Counts::LIVE), "live slots");
    assert_eq!(with(Counts::FREE, 1), Some(Counts::TAIL), "the list is shorter");
    assert_eq!(with(Counts::HEAD, 200), Some(Counts::HEAD), "the head");
    assert_eq!(with(Counts::TAIL, 201), Some(Counts::TAIL), "the tail");
    assert_eq!(with(Counts::RESERVED, 0), Some(Counts::RESERVED), "reserved slots");
    assert_eq!(with(Counts::BYTES, 1 << 60), Some(Counts::BYTES), "the length");
    backing.refuse_from(0);
    let refused = Small::<Holes>::restore_in(&image, &backing).err();
    let asked = refused.and_then(|error| error.refused);
    assert_eq!(refused.map(|error| error.offset as usize), Some(Counts::USED), "no memory");
    assert!(asked.is_some_and(|bytes| bytes > 0 && bytes < 1 << 20), "and how much: {asked:?}");
    backing.refuse_none();
    let short = Small::<Holes>::restore_fixed(&image, &mut [], 60).err();
    assert_eq!(short.map(|error| error.what), Some("the memory is too short for so many slots"));
    let few = Small::<Holes>::restore_fixed(&image, &mut [], 1).err();
    assert_eq!(few.map(|error| error.what), Some("more slots are in use than there are to be"));
    let table = sample::<Holes>(&backing);
    let error = SaveError { needed: image.len() as u64, given: 3 };
    assert_eq!(table.save(&mut [0; 3]), Err(error), "too short to save into");
}

/// The checksum as its constants are in images that exist.
fn sum_of(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0x9e37_79b9_7f4a_7c15_u64, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let mixed = (sum ^ u64::from_ne_bytes(word)).wrapping_mul(0x9fb2_1c65_1e98_df25);
        mixed ^ mixed >> 32
    })
}

/// Images are kept in files: each number stays in its place, now and in every version to come.
fn lies_as_drawn<S: Shape>(code: u64, words: &[u32], objects: &[[u16; 3]]) {
    let backing = TestBacking::new();
    type Kept<'a, S> = Of<'a, S, Id<u8, u32, 8, 3>, Fifo<2>, Wrap>;
    let mut table = Kept::<S>::with_limit_in(60, &backing).with_tag(5);
    let ids = [1_u16, 2, 3, 4].map(|n| table.insert([n; 3]).expect("room"));
    table.remove_batch([ids[2], ids[0]]);
    table.reserve_id().expect("room");
    let body: Vec<u8> = [bytemuck::cast_slice(words), bytemuck::cast_slice(objects)].concat();
    let magic = u64::from_ne_bytes(*b"LOLIGOID");
    let end = 1;
    let kind = [magic, 1, code, 32, 8, 3, 0, 2, end, 6];
    let counts = [5 << 11, 60, 5, 2, 2, 2, 0, 1, 160 + body.len() as u64];
    let head: Vec<u8> = bytemuck::cast_slice(&[&kind[..], &counts].concat()).to_vec();
    // What is summed is a multiple of 8 before the body.
    let sum = sum_of(&[&head[..], &body].concat());
    let expected = [&head[..], &sum.to_ne_bytes(), &body].concat();
    assert_eq!(save(&table), expected, "arrangement {code}");
    let mut restored = Kept::<S>::restore_in(&expected, &backing).expect("an image");
    assert_eq!(restored.get(ids[3]), Some(&[4; 3]), "by its id");
    restored.validate().expect("whole");
    restored.clear();
}

#[test]
fn an_image_lies_as_drawn() {
    let (tag, life) = (5 << 11, 1 << 8);
    // Slots 0 and 2 are free, 2 first, and each leads to the next, the last one to none; 4 is
    // reserved.
    let words = [life | 1, tag | life | 1, life, tag | life | 3, life | 5];
    let none = [0; 3];
    lies_as_drawn::<Holes>(1, &words, &[none, [2; 3], none, [4; 3], none]);
    // The last object moved into the first gap.
    let ids = [tag | life | 3, tag | life | 1];
    lies_as_drawn::<Packed>(2, &[&words[..], &ids].concat(), &[[4; 3], [2; 3]]);
}
