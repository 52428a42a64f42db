//! What a value held before it is read, values next to each other, and refusals half-way.

use std::vec::Vec;

use loligo_allocators::Refusals;
use loligo_ids::{Id, SmallId};

use super::{FORMAT, Ground, Item, Nothing, Tree, Unit};
use crate::arrays::array::Array;
use crate::bytes::stream::{
    Stream, StreamError, StreamErrorKind, StreamFormat, StreamReader, StreamWriter, Streamed,
    sealed,
};
use crate::testing::test_memory::{Memory, with_memory};

/// Returns bytes of the format's head and these numbers.
fn bytes_of(numbers: &[u32]) -> Vec<u8> {
    let head = [FORMAT.tag, FORMAT.version];
    head.iter().chain(numbers).flat_map(|number| number.to_le_bytes()).collect()
}

struct Added(u32);

impl Streamed for Added {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        stream.added(5, "added", &mut self.0)
    }
}

#[test]
fn what_was_added_is_zero_in_older_streams_and_stays_when_written() {
    with_memory(|memory| {
        for (version, expected) in [(4, 0), (5, 3), (6, 3)] {
            let format = StreamFormat { tag: 1, version };
            let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
            let mut value = Added(3);
            format.save(&mut value, &mut bytes).expect("there is memory");
            assert_eq!(value.0, 3, "version {version}: writing changes nothing");
            let mut read = Added(99);
            format.load(&mut read, &bytes).expect("it is whole");
            assert_eq!(read.0, expected, "version {version}");
        }
    });
}

#[test]
fn a_value_that_is_no_choice_may_be_read_over() {
    let bytes = bytes_of(&[1]);
    let mut reader = StreamReader::open(&bytes, FORMAT).expect("the head is right");
    let mut number = 77;
    reader.choice("number", &mut number, &[5, 6]).expect("the second of them");
    assert_eq!(number, 6, "the second of them");
    let mut reader = StreamReader::open(&bytes, FORMAT).expect("the head is right");
    let mut ground = Ground::Gravel;
    let refused = reader.choice("ground", &mut ground, &[Ground::Grass]);
    let kind = StreamErrorKind::Choice { place: 1, choices: 1 };
    assert_eq!(refused, Err(StreamError { offset: 8, field: Some("ground"), kind }), "the place");
}

#[test]
fn an_id_may_be_missing() {
    with_memory(|memory| {
        let some = SmallId::<Unit>::from_bits(7 | 1 << 20);
        assert!(some.is_some(), "it is an id");
        for id in [None, some] {
            let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
            let mut writer = StreamWriter::begin(&mut bytes, FORMAT).expect("there is memory");
            let mut written = id;
            writer.id("target", &mut written).expect("there is memory");
            assert_eq!(written, id, "writing changes nothing");
            let bits = id.map_or(0, Id::to_bits);
            assert_eq!(bytes, bytes_of(&[bits]), "its bits, or zeros");
            for mut read in [None, SmallId::<Unit>::from_bits(9 | 3 << 20)] {
                let mut reader = StreamReader::open(&bytes, FORMAT).expect("the head is right");
                reader.id("target", &mut read).expect("it is an id, or none");
                assert_eq!(read, id, "whatever stood there");
            }
        }
        let bytes = bytes_of(&[5]);
        let mut reader = StreamReader::open(&bytes, FORMAT).expect("the head is right");
        let refused = reader.id::<Unit, u32, 20, 12>("target", &mut None);
        let kind = StreamErrorKind::Id(5);
        assert_eq!(refused, Err(StreamError { offset: 8, field: Some("target"), kind }), "no id");
    });
}

#[test]
fn arrays_beside_each_other_are_not_within_each_other() {
    with_memory(|memory| {
        // Far more than may be in each other; each but the last of their own level has none within.
        let count = 200;
        let bytes = bytes_of(&[&[count][..], &std::vec![0; count as usize]].concat());
        let mut tree = Tree::new(memory);
        FORMAT.load(&mut tree, &bytes).expect("they are next to each other");
        assert_eq!((tree.children.len(), tree.depth()), (count as usize, 2), "one level");
        let mut again: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
        FORMAT.save(&mut tree, &mut again).expect("there is memory");
        assert_eq!(again, bytes, "the same bytes");
    });
}

#[test]
fn what_stood_in_an_array_is_gone_when_it_is_read() {
    with_memory(|memory| {
        let bytes = bytes_of(&[2, 10, 11]);
        let open = || StreamReader::open(&bytes, FORMAT).expect("the head is right");
        for before in 0..5 {
            let mut numbers: Array<'_, u32, Memory<'_>> = Array::new_in(memory);
            numbers.try_extend_from_slice(&[7; 5][..before]).expect("there is memory");
            open().numbers("numbers", &mut numbers).expect("two are there");
            assert_eq!(numbers, [10, 11], "in place of {before} numbers");
            numbers.try_extend_from_slice(&[7; 5][..before]).expect("there is memory");
            open().array("numbers", &mut numbers).expect("two are there");
            assert_eq!(numbers, [10, 11], "in place of {} numbers", before + 2);
            let mut text: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
            // Not UTF-8, which does not matter where it is read over.
            text.try_extend_from_slice(&[0xff; 5][..before]).expect("there is memory");
            open().text("text", &mut text).expect("two letters are there");
            assert_eq!(text, [10, 0], "in place of {before} bytes");
        }
    });
}

#[test]
fn what_is_refused_leaves_no_numbers_and_no_text() {
    with_memory(|memory| {
        let bytes = bytes_of(&[3, 0xff, 0]);
        let open = || StreamReader::open(&bytes, FORMAT).expect("the head is right");
        let mut numbers: Array<'_, u32, Memory<'_>> = Array::new_in(memory);
        numbers.try_extend_from_slice(&[7; 5]).expect("there is memory");
        let refused = open().numbers("numbers", &mut numbers).map_err(|error| error.kind);
        assert_eq!(refused, Err(StreamErrorKind::Length { claimed: 3, left: 8 }), "two are there");
        assert!(numbers.is_empty(), "{numbers:?} are left");
        let mut text: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
        text.try_extend_from_slice(b"before").expect("there is memory");
        let refused = open().text("text", &mut text).map_err(|error| error.kind);
        assert_eq!(refused, Err(StreamErrorKind::Text), "0xff is no letter");
        assert!(text.is_empty(), "{text:?} are left");
    });
}

#[test]
fn arrays_that_find_no_memory_say_so() {
    with_memory(|memory| {
        let numbers: Vec<u32> = (0..100).collect();
        let bytes = bytes_of(&[&[100][..], &numbers].concat());
        let open = || StreamReader::open(&bytes, FORMAT).expect("the head is right");
        let mut whole: Array<'_, u32, Memory<'_>> = Array::new_in(memory);
        open().array("numbers", &mut whole).expect("there is memory");
        assert_eq!(whole, numbers, "all are there");
        memory.refuse(Refusals::Larger(64));
        let mut few: Array<'_, u32, Memory<'_>> = Array::new_in(memory);
        let refused = open().array("numbers", &mut few).expect_err("there is little memory");
        let of_memory = matches!(refused.kind, StreamErrorKind::Memory(_));
        assert!(of_memory && refused.field == Some("numbers"), "{refused}");
        assert_eq!(few, numbers[..few.len()], "those before it");
        assert!(few.len() < 100, "{} were read", few.len());
        let mut none: Array<'_, u32, Memory<'_>> = Array::new_in(memory);
        let refused = open().numbers("numbers", &mut none).expect_err("there is little memory");
        assert!(matches!(refused.kind, StreamErrorKind::Memory(_)), "{refused}");
        assert!(none.is_empty(), "{} were read", none.len());
        memory.refuse(Refusals::None);
    });
}

#[test]
fn a_writer_has_no_end() {
    with_memory(|memory| {
        let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
        let mut writer = StreamWriter::begin(&mut bytes, FORMAT).expect("there is memory");
        assert_eq!(sealed::Ends::left(&writer), u64::MAX, "room for any length");
        let mut items: Array<'_, Item, Memory<'_>> = Array::new_in(memory);
        writer.array("items", &mut items).expect("none are written");
        let mut nothings: Array<'_, Nothing, Memory<'_>> = Array::new_in(memory);
        writer.array("nothings", &mut nothings).expect("none are written");
        assert_eq!(bytes, bytes_of(&[0, 0]), "two lengths");
    });
}
