//! Tables and ids in JSON: round trips, and texts that no table wrote.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use serde_core::de::DeserializeSeed;
use serde_json::{Value, json};

use crate::id::Id;
use crate::policy::{Fifo, FreeList, GenerationEnd, Lifo, Refuse, Retire, Wrap};
use crate::table::deserialize::TableSeed;
use crate::table::shape::Shape;
use crate::table::{Holes, Packed, Table};
use crate::test_backing::{Random, TestBacking};

/// 4 bits of index, 2 of generation, so that slots retire soon; the rest is a tag.
type Small = Id<u8, u32, 4, 2>;

type Of<'a, S, F, E> = Table<'a, S, u32, Small, F, E, TestBacking>;

fn read<'a, S: Shape, F: FreeList, E: GenerationEnd>(
    text: &str,
    backing: &'a TestBacking,
) -> Result<Of<'a, S, F, E>, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let table = TableSeed::new_in(backing).deserialize(&mut reader);
    table.map_err(|error| error.to_string())
}

/// Returns a table after `steps` random calls.
fn used<'a, S: Shape, F: FreeList, E: GenerationEnd>(
    backing: &'a TestBacking,
    random: &mut Random,
    steps: u32,
) -> Of<'a, S, F, E> {
    let mut table = Of::<S, F, E>::new_in(backing).with_tag(5);
    for step in 0..steps {
        match random.below(8) {
            0..=3 => drop(table.insert(step)),
            4 => drop(table.reserve_id()),
            5 => {
                let bits = 5 << 6 | (1 + random.below(3) as u32) << 4 | random.below(16) as u32;
                let id = Small::from_bits(bits).expect("a generation");
                let _ = table.insert_at(id, step);
            }
            _ if table.is_empty() => {}
            _ => {
                let id = table.ids().nth(random.below(table.len())).expect("one of them");
                table.remove(id);
            }
        }
    }
    table
}

fn round_trips<S: Shape, F: FreeList, E: GenerationEnd>(seed: u64) {
    std::println!("seed {seed}");
    let backing = TestBacking::new();
    let mut random = Random::new(seed);
    for steps in 0..60 {
        let mut table = used::<S, F, E>(&backing, &mut random, steps);
        let text = serde_json::to_string(&table).expect("it can be written");
        let mut copy = read::<S, F, E>(&text, &backing).expect("what was written");
        assert_eq!((copy.validate(), copy.tag()), (Ok(()), 5), "whole: {text}");
        assert!(copy.iter_with_ids().eq(table.iter_with_ids()), "in one order: {text}");
        let again = serde_json::to_string(&copy).expect("it can be written");
        assert_eq!(again, text, "what was read is written again");
        for n in 0..6 {
            assert_eq!(copy.insert(n), table.insert(n), "the same ids from here on: {text}");
        }
        changed::<S, F, E>(&text, &backing, &mut random);
    }
}

/// Changes numbers of a text: it is refused, or the table is whole.
fn changed<S: Shape, F: FreeList, E: GenerationEnd>(
    text: &str,
    backing: &TestBacking,
    random: &mut Random,
) {
    for _ in 0..10 {
        let mut value: Value = serde_json::from_str(text).expect("it is JSON");
        let field = &mut value[1 + random.below(3)];
        let elements = field.as_array_mut().expect("a sequence");
        if !elements.is_empty() {
            let at = random.below(elements.len());
            let number = json!(random.below(18));
            match random.below(4) {
                0 => drop(elements.remove(at)),
                1 => elements.push(elements[at].clone()),
                _ if elements[at].is_array() => elements[at][0] = number,
                _ => elements[at] = number,
            }
        }
        if let Ok(table) = read::<S, F, E>(&value.to_string(), backing) {
            assert_eq!(table.validate(), Ok(()), "{value}");
        }
    }
}

#[test]
fn a_table_that_is_read_goes_on_as_the_one_written() {
    round_trips::<Holes, Lifo, Retire>(1);
    round_trips::<Packed, Lifo, Retire>(2);
    round_trips::<Holes, Fifo<2>, Wrap>(3);
    round_trips::<Packed, Fifo<2>, Wrap>(4);
    round_trips::<Packed, Lifo, Refuse>(5);
}

#[test]
fn a_text_has_the_form_that_is_drawn() {
    let backing = TestBacking::new();
    let mut table = Of::<Packed, Lifo, Retire>::new_in(&backing).with_tag(5);
    let ids = [10, 11, 12, 13].map(|value| table.insert(value).expect("room"));
    table.remove_batch([ids[0], ids[2]]);
    table.reserve_id().expect("room");
    let text = serde_json::to_string(&table).expect("it can be written");
    assert_eq!(text, "[5,[1,1,2,1],[0],[[3,13],[1,11]]]", "tag, generations, free, objects");
}

#[test]
fn what_does_not_hold_together_is_refused_with_the_slot() {
    let backing = TestBacking::new();
    let refused = |text: &str| {
        let table = read::<Holes, Lifo, Retire>(text, &backing).map(drop);
        table.expect_err("it is refused")
    };
    for (text, expected) in [
        ("[0,[4],[],[]]", "the generation is more than an id can have at slot 0"),
        ("[0,[1,1],[1,1],[]]", "the slot is named twice at slot 1"),
        ("[0,[1,1],[1],[[1,7]]]", "the slot is named twice at slot 1"),
        ("[0,[1,1],[],[[1,7],[1,8]]]", "the slot is named twice at slot 1"),
        ("[0,[1],[1],[]]", "the slot is not among those with a generation at slot 1"),
        ("[0,[1],[],[[4294967295,1]]]", "the slot is not among those with a generation"),
        ("[0,[1],[18446744073709551615],[]]", "the slot is not among those with a generation"),
        ("[0,[0],[],[[0,7]]]", "an object has no generation at slot 0"),
        ("[0,[3],[0],[]]", "a slot is free that has lived all its lives at slot 0"),
        ("[67108864,[],[],[]]", "tag 67108864 does not fit into an id"),
        ("[0,[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],[],[]]", "the slots are more than the limit"),
        ("[0,[1],[]]", "invalid length 3, expected a table of 4 fields"),
        ("7", "invalid type: integer `7`, expected a table: its tag, generations"),
    ] {
        let message = refused(text);
        assert!(message.starts_with(expected), "{text}: {message}");
    }
    let wraps = read::<Holes, Lifo, Wrap>("[0,[0],[],[]]", &backing).map(drop);
    let message = wraps.expect_err("none retires");
    assert!(message.starts_with("a slot is retired though none should be at slot 0"), "{message}");
    backing.refuse_from(0);
    let message = refused("[0,[1],[],[]]");
    assert!(message.starts_with("there is no memory for all slots at slot 0"), "{message}");
    backing.refuse_none();
    let mut reader = serde_json::Deserializer::from_str("[0,[1,1],[],[]]");
    let seed: TableSeed<'_, Holes, u32, Small, Lifo, Retire, _> = TableSeed::new_in(&backing);
    let message = seed.with_limit(1).deserialize(&mut reader).expect_err("one slot").to_string();
    assert!(message.starts_with("the slots are more than the limit at slot 1"), "{message}");
}

#[test]
fn an_id_is_its_bits() {
    type Wide = Id<u8, u64, 32, 24>;
    let small = Small::from_bits(5 << 6 | 1 << 4 | 7).expect("generation 1");
    let wide = Wide::from_bits(1 << 56 | 3 << 32 | 7).expect("generation 3");
    let text = serde_json::to_string(&(small, Some(wide), None::<Wide>)).expect("numbers");
    assert_eq!(text, format!("[{},{},null]", small.to_bits(), wide.to_bits()), "their bits");
    let read: (Small, Option<Wide>, Option<Wide>) = serde_json::from_str(&text).expect("ids");
    assert_eq!(read, (small, Some(wide), None), "the same ids");
    let refused = serde_json::from_str::<Vec<Wide>>("[7]").expect_err("no generation");
    let message = refused.to_string();
    assert!(message.starts_with("7 is not an id: its generation is 0"), "{message}");
    assert!(serde_json::from_str::<Small>("4294967296").is_err(), "more than 32 bits");
}
