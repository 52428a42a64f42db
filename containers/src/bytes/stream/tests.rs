//! What is written is read, in any version; and bytes that may be anything.

mod exact;
mod views;

use std::string::ToString;
use std::vec::Vec;

use loligo_ids::{Id, IdString32, IdString64, SmallId};

use super::*;
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, Random, every_refusal, with_memory};

enum Unit {}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Ground {
    #[default]
    Grass,
    Gravel,
}

#[derive(Debug, PartialEq)]
struct Item {
    name: IdString32,
    count: u16,
    worn: Option<bool>,
}

impl Default for Item {
    fn default() -> Self {
        Self { name: IdString32::new("nothing"), count: 0, worn: None }
    }
}

impl Streamed for Item {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        stream.field("name", &mut self.name)?;
        stream.field("count", &mut self.count)?;
        stream.added(2, "worn", &mut self.worn)
    }
}

struct Save<'a> {
    name: Array<'a, u8, Memory<'a>>,
    place: [f32; 3],
    health: f64,
    seed: u64,
    initial: char,
    ground: Ground,
    target: Option<Id<Unit>>,
    texture: IdString64,
    scores: Array<'a, i32, Memory<'a>>,
    bag: Array<'a, Item, Memory<'a>>,
    notes: Array<'a, Array<'a, u8, Memory<'a>>, Memory<'a>>,
    mood: u8,
}

impl<'a> Save<'a> {
    fn new(memory: &'a Memory<'a>) -> Self {
        Self {
            name: Array::new_in(memory),
            place: [0.0; 3],
            health: 0.0,
            seed: 0,
            initial: 'x',
            ground: Ground::Grass,
            target: None,
            texture: IdString64::new(""),
            scores: Array::new_in(memory),
            bag: Array::new_in(memory),
            notes: Array::new_in(memory),
            mood: 0,
        }
    }

    fn drawn(random: &mut Random, memory: &'a Memory<'a>) -> Self {
        let mut save = Self::new(memory);
        save.name.extend_from_slice("K\u{f6}nig Artus".as_bytes());
        save.place = [1.0, -2.5, random.below(100) as f32];
        save.health = 0.75;
        save.seed = random.next();
        save.initial = '\u{2665}';
        save.ground = Ground::Gravel;
        save.target = Id::from_bits(random.next() | 1 << 32);
        save.texture = IdString64::new("armour");
        for _ in 0..random.below(5) {
            save.scores.push(random.next() as i32);
            let count = random.below(9) as u16;
            save.bag.push(Item { name: IdString32::new("oil"), count, worn: Some(count > 4) });
            let mut note = Array::new_in(memory);
            note.extend_from_slice(b"by the well");
            save.notes.push(note);
        }
        save.mood = 200;
        save
    }

    /// Asserts that two saves have equal fields, as far as version 1 knows them.
    fn assert_same(&self, other: &Self, context: &str) {
        assert_eq!(self.name, other.name, "{context}");
        assert_eq!(self.place, other.place, "{context}");
        assert_eq!((self.health, self.seed), (other.health, other.seed), "{context}");
        assert_eq!((self.initial, self.ground), (other.initial, other.ground), "{context}");
        assert_eq!((self.target, self.texture), (other.target, other.texture), "{context}");
        assert_eq!(self.scores, other.scores, "{context}");
        assert_eq!(self.notes, other.notes, "{context}");
    }
}

impl Streamed for Save<'_> {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        stream.text("name", &mut self.name)?;
        stream.field("place", &mut self.place)?;
        stream.field("health", &mut self.health)?;
        stream.field("seed", &mut self.seed)?;
        stream.field("initial", &mut self.initial)?;
        stream.choice("ground", &mut self.ground, &[Ground::Grass, Ground::Gravel])?;
        stream.removed(2, "mood", &mut self.mood)?;
        stream.id("target", &mut self.target)?;
        stream.field("texture", &mut self.texture)?;
        stream.numbers("scores", &mut self.scores)?;
        stream.array("bag", &mut self.bag)?;
        let memory = self.notes.memory();
        stream.array_with("notes", &mut self.notes, || Array::new_in(memory))
    }
}

impl Streamed for Array<'_, u8, Memory<'_>> {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        stream.text("note", self)
    }
}

const FORMAT: StreamFormat = StreamFormat::new("save", 2);

#[test]
fn what_is_written_is_read() {
    with_memory(|memory| {
        for seed in 0..50 {
            let context = std::format!("seed {seed}");
            let mut save = Save::drawn(&mut Random::new(seed), memory);
            let mut bytes: Array<'_, u8, _> = Array::new_in(memory);
            FORMAT.save(&mut save, &mut bytes).expect("there is memory");
            let mut read = Save::new(memory);
            FORMAT.load(&mut read, &bytes).expect("it is whole");
            read.assert_same(&save, &context);
            assert_eq!(read.bag, save.bag, "{context}");
            assert_eq!(read.mood, 0, "{context}: it is of a version before");
            let mut again: Array<'_, u8, _> = Array::new_in(memory);
            FORMAT.save(&mut read, &mut again).expect("there is memory");
            assert_eq!(again, bytes, "{context}");
        }
    });
}

#[test]
fn versions_are_read_by_those_that_come_after() {
    with_memory(|memory| {
        let mut save = Save::drawn(&mut Random::new(6), memory);
        let mut bytes: Array<'_, u8, _> = Array::new_in(memory);
        // As a program of version 1 would have written it.
        StreamFormat { version: 1, ..FORMAT }.save(&mut save, &mut bytes).expect("there is memory");
        let mut read = Save::new(memory);
        FORMAT.load(&mut read, &bytes).expect("it is older, and known");
        read.assert_same(&save, "version 1");
        assert_eq!(read.mood, 200);
        assert!(read.bag.iter().all(|item| item.worn.is_none()), "version 1 knew no wear");
        assert_eq!(read.bag.len(), save.bag.len());

        let error = StreamFormat { version: 0, ..FORMAT }.load(&mut read, &bytes);
        assert_eq!(
            error.expect_err("it is newer").to_string(),
            "`version` at byte 4: the version is 1; those up to 0 are known"
        );
        let error = StreamFormat::new("other", 1).load(&mut read, &bytes).expect_err("another");
        assert_eq!((error.offset, error.field), (0, Some("format")));
    });
}

struct Added(u32);

impl Streamed for Added {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        stream.added_or(5, "added", &mut self.0, 77)
    }
}

#[test]
fn what_was_added_has_its_default_in_older_streams_alone() {
    with_memory(|memory| {
        for (version, expected) in [(4, 77), (5, 3), (6, 3)] {
            let format = StreamFormat { tag: 1, version };
            let mut bytes: Array<'_, u8, _> = Array::new_in(memory);
            let mut value = Added(3);
            format.save(&mut value, &mut bytes).expect("there is memory");
            assert_eq!(value.0, 3, "writing changes nothing");
            format.load(&mut value, &bytes).expect("it is whole");
            assert_eq!(value.0, expected, "version {version}");
        }
    });
}

#[test]
fn numbers_are_little_endian() {
    with_memory(|memory| {
        let mut bytes: Array<'_, u8, _> = Array::new_in(memory);
        let mut stream =
            StreamWriter::begin(&mut bytes, StreamFormat { tag: 0x0403_0201, version: 5 })
                .expect("there is memory");
        stream.value(&mut 0x0102u16).expect("there is memory");
        stream.value(&mut -2i32).expect("there is memory");
        stream.value(&mut 1.0f32).expect("there is memory");
        stream.value(&mut Some(true)).expect("there is memory");
        let mut numbers: Array<'_, u16, _> = Array::new_in(memory);
        numbers.push(0x0a0b);
        stream.numbers("numbers", &mut numbers).expect("there is memory");
        assert_eq!(numbers, [0x0a0b], "they are as they were");
        assert_eq!(stream.offset(), 26);
        assert_eq!(
            bytes,
            [
                1, 2, 3, 4, 5, 0, 0, 0, 2, 1, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0x80, 0x3f, 1, 1, 1, 0,
                0, 0, 0x0b, 0x0a
            ]
        );
    });
}

#[test]
fn every_cut_and_every_flip_is_refused_or_readable() {
    with_memory(|memory| {
        let seed = 9;
        let mut save = Save::drawn(&mut Random::new(seed), memory);
        assert!(!save.bag.is_empty(), "seed {seed} has something in the bag");
        let mut bytes: Array<'_, u8, _> = Array::new_in(memory);
        FORMAT.save(&mut save, &mut bytes).expect("there is memory");
        let mut read = Save::new(memory);
        for cut in 0..bytes.len() {
            let error = FORMAT.load(&mut read, &bytes[..cut]).expect_err("nothing may be missing");
            assert!(error.offset <= cut as u64, "cut to {cut}: {error}");
            assert!(error.field.is_some(), "cut to {cut}: {error}");
        }
        let mut longer = bytes.to_vec();
        longer.push(0);
        let error = FORMAT.load(&mut read, &longer).expect_err("a byte follows");
        assert_eq!(error.kind, StreamErrorKind::Trailing { left: 1 });
        for at in 0..bytes.len() {
            for flip in 1..=u8::MAX {
                let mut bytes = bytes.to_vec();
                bytes[at] ^= flip;
                let mut read = Save::new(memory);
                let Err(error) = FORMAT.load(&mut read, &bytes) else { continue };
                assert!(error.offset <= bytes.len() as u64, "byte {at} flipped by {flip}: {error}");
            }
        }
    });
}

#[test]
fn lengths_are_not_believed() {
    with_memory(|memory| {
        let mut bytes: Vec<u8> =
            [FORMAT.tag, FORMAT.version, u32::MAX].map(u32::to_le_bytes).concat();
        bytes.extend([0; 40]);
        let open = || StreamReader::open(&bytes, FORMAT).expect("the head is right");
        let before = memory.requests();
        let claimed = StreamErrorKind::Length { claimed: u32::MAX, left: 40 };
        let mut text: Array<'_, u8, _> = Array::new_in(memory);
        let error = open().text("text", &mut text).expect_err("so much is not there");
        assert_eq!(error, StreamError { offset: 8, field: Some("text"), kind: claimed });
        let mut numbers: Array<'_, u64, _> = Array::new_in(memory);
        assert!(open().numbers("numbers", &mut numbers).is_err());
        let mut items: Array<'_, Item, _> = Array::new_in(memory);
        assert!(open().array("items", &mut items).is_err());
        let mut six = bytes.clone();
        six[8..12].copy_from_slice(&6u32.to_le_bytes());
        let mut stream = StreamReader::open(&six, FORMAT).expect("the head is right");
        let error = stream.numbers("numbers", &mut numbers).expect_err("five numbers are there");
        assert_eq!(error.kind, StreamErrorKind::Length { claimed: 6, left: 40 });
        assert_eq!(memory.requests(), before, "nothing was asked for");

        // Elements that begin to be read and then are not there cost no more than those that are.
        let mut bytes = bytes.clone();
        bytes[8..12].copy_from_slice(&40u32.to_le_bytes());
        let mut stream = StreamReader::open(&bytes, FORMAT).expect("the head is right");
        let error = stream.array("items", &mut items).expect_err("an item is seven bytes long");
        assert_eq!(error.field, Some("count"));
        assert_eq!(items.len(), 5);
    });
}

#[test]
fn values_that_none_can_have_are_refused() {
    fn refused<T: Streamed>(mut value: T, bytes: &[u8]) -> StreamErrorKind {
        let bytes = [&[0; 8], bytes].concat();
        let format = StreamFormat { tag: 0, version: 0 };
        format.load(&mut value, &bytes).expect_err("it cannot be read").kind
    }
    assert_eq!(refused(false, &[2]), StreamErrorKind::Bool(2));
    assert_eq!(refused('a', &[0, 0xd8, 0, 0]), StreamErrorKind::Char(0xd800));
    assert_eq!(refused(Some(5u8), &[3, 0]), StreamErrorKind::Bool(3));
    let id = SmallId::<Unit>::from_bits(1 << 20).expect("the first id");
    assert_eq!(refused(id, &[5, 0, 0, 0]), StreamErrorKind::Id(5));
    let id = Id::<Unit>::from_bits(1 << 32).expect("the first id");
    assert_eq!(refused(id, &[5, 0, 0, 0, 0, 0, 0, 9]), StreamErrorKind::Id(9 << 56 | 5));
    assert_eq!(refused([0u8; 3], &[1, 2]), StreamErrorKind::Ends { needed: 1, left: 0 });
    with_memory(|memory| {
        assert_eq!(refused(Save::new(memory), &[1, 0, 0, 0, 0xff]), StreamErrorKind::Text);
        let mut bytes: Array<'_, u8, _> = Array::new_in(memory);
        let mut stream = StreamWriter::begin(&mut bytes, FORMAT).expect("there is memory");
        let error = stream.choice("ground", &mut 5, &[1, 2]).expect_err("it is no choice");
        assert_eq!(error.to_string(), "`ground` at byte 8: 4294967295 is none of the 2 choices");
        let mut wrong: Array<'_, u8, _> = Array::new_in(memory);
        wrong.push(0x80);
        let error = stream.text("name", &mut wrong).expect_err("it could not be read");
        assert_eq!(error.kind, StreamErrorKind::Text);
        assert_eq!(stream.refuse("so").to_string(), "byte 8: so");
    });
}

/// A tree, which bytes could make as deep as they like.
struct Tree<'a> {
    memory: &'a Memory<'a>,
    children: Array<'a, Tree<'a>, Memory<'a>>,
}

impl<'a> Tree<'a> {
    fn new(memory: &'a Memory<'a>) -> Self {
        Self { memory, children: Array::new_in(memory) }
    }

    fn depth(&self) -> usize {
        1 + self.children.iter().map(Self::depth).max().unwrap_or(0)
    }
}

impl Streamed for Tree<'_> {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        let memory = self.memory;
        stream.array_with("children", &mut self.children, || Tree::new(memory))
    }
}

#[test]
fn depth_has_a_bound() {
    with_memory(|memory| {
        let format = StreamFormat { tag: 0, version: 0 };
        for (depth, is_read) in [(1, true), (64, true), (65, false), (200_000, false)] {
            let mut bytes = std::vec![0; 8];
            for level in 1..=depth {
                bytes.extend(u32::to_le_bytes(u32::from(level < depth)));
            }
            let mut tree = Tree::new(memory);
            let read = format.load(&mut tree, &bytes);
            assert_eq!(read.is_ok(), is_read, "{depth} levels: {read:?}");
            if is_read {
                assert_eq!(tree.depth(), depth);
                let mut again: Array<'_, u8, _> = Array::new_in(memory);
                format.save(&mut tree, &mut again).expect("it is no deeper than when it was read");
                assert_eq!(again, bytes);
            } else {
                assert_eq!(read.expect_err("it is").kind, StreamErrorKind::Depth { limit: 64 });
            }
        }
    });
}

#[derive(Default)]
struct Nothing;

impl Streamed for Nothing {
    fn stream<S: Stream>(&mut self, _: &mut S) -> Result<(), StreamError> {
        Ok(())
    }
}

struct Nothings<'a>(Array<'a, Nothing, Memory<'a>>);

impl Streamed for Nothings<'_> {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        stream.array("nothings", &mut self.0)
    }
}

#[test]
fn what_could_not_be_read_is_not_written() {
    with_memory(|memory| {
        let mut nothings = Nothings(Array::new_in(memory));
        nothings.0.push(Nothing);
        let mut bytes: Array<'_, u8, _> = Array::new_in(memory);
        bytes.push(5);
        let error = FORMAT.save(&mut nothings, &mut bytes).expect_err("it takes no bytes");
        assert_eq!(error.kind, StreamErrorKind::NoBytes);
        assert_eq!(bytes, [5], "what was written is taken back");
    });
}

#[test]
fn elements_without_bytes_do_not_multiply_the_work() {
    with_memory(|memory| {
        // Arrays of arrays whose elements take no bytes, each of them as long as it may claim.
        let mut hostile = Vec::new();
        hostile.extend(FORMAT.tag.to_le_bytes());
        hostile.extend(FORMAT.version.to_le_bytes());
        let arrays = 200_u32;
        hostile.extend(arrays.to_le_bytes());
        for left in (0..arrays).rev() {
            hostile.extend((4 * left).to_le_bytes());
        }
        let mut reader = StreamReader::open(&hostile, FORMAT).expect("its head is right");
        let mut outer: Array<'_, Nothings<'_>, _> = Array::new_in(memory);
        let read = reader.array_with("outer", &mut outer, || Nothings(Array::new_in(memory)));
        let error = read.expect_err("none of them could have been written");
        assert_eq!(error.kind, StreamErrorKind::NoBytes);
        assert_eq!((error.field, error.offset), (Some("nothings"), 16));
        assert!(outer.is_empty(), "{} were read", outer.len());
    });
}

#[test]
fn loses_nothing_when_memory_runs_out() {
    every_refusal(|memory: &Memory<'_>| {
        let is_memory = |error: StreamError| match error.kind {
            StreamErrorKind::Memory(refused) => refused,
            _ => panic!("{error}"),
        };
        // The save itself is made on other memory.
        let mut first: Result<(), GrowError> = Ok(());
        with_memory(|other| {
            let mut save = Save::drawn(&mut Random::new(9), other);
            let mut bytes: Array<'_, u8, _> = Array::new_in(memory);
            first = bytes.try_push(1);
            let before = bytes.to_vec();
            let saved = FORMAT.save(&mut save, &mut bytes).map_err(is_memory);
            if saved.is_err() {
                assert_eq!(bytes, before);
            }
            first = first.and(saved);
            let mut whole: Array<'_, u8, _> = Array::new_in(other);
            FORMAT.save(&mut save, &mut whole).expect("there is memory");
            let mut read = Save::new(memory);
            first = first.and(FORMAT.load(&mut read, &whole).map_err(is_memory));
        });
        first
    });
}
