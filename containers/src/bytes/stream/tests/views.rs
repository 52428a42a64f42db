//! What faults say, and the writer as others see it.

use std::format;
use std::string::ToString;

use crate::arrays::array::Array;
use crate::bytes::stream::{Stream, StreamError, StreamErrorKind, StreamFormat, StreamWriter};
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, with_memory};

#[test]
fn a_fault_says_what_is_wrong() {
    let grow = GrowError::Length { wanted: 2, limit: 1 };
    let faults = [
        (StreamErrorKind::Ends { needed: 4, left: 3 }, "4 bytes are needed where 3 are left"),
        (
            StreamErrorKind::Length { claimed: 9, left: 3 },
            "9 elements are claimed where 3 bytes are left",
        ),
        (StreamErrorKind::TooLong, "there are more elements than 4294967295"),
        (StreamErrorKind::NoBytes, "the elements take no bytes, so they could not be counted"),
        (StreamErrorKind::Bool(2), "2 is neither 0 nor 1"),
        (StreamErrorKind::Char(0xd800), "0xd800 is no character"),
        (StreamErrorKind::Id(0xab), "0xab is no id"),
        (StreamErrorKind::Text, "the text is no UTF-8"),
        (StreamErrorKind::Choice { place: 3, choices: 2 }, "3 is none of the 2 choices"),
        (StreamErrorKind::Depth { limit: 64 }, "arrays lie more than 64 deep in arrays"),
        (
            StreamErrorKind::Format { found: 0xab, expected: 0xcd },
            "the format is 000000ab and not 000000cd",
        ),
        (
            StreamErrorKind::Version { found: 3, newest: 2 },
            "the version is 3; those up to 2 are known",
        ),
        (StreamErrorKind::Trailing { left: 5 }, "5 bytes follow where the end should be"),
        (StreamErrorKind::Refused("no such thing"), "no such thing"),
    ];
    for (kind, words) in faults {
        assert_eq!(kind.to_string(), words, "{kind:?}");
        let error = StreamError { offset: 7, field: None, kind };
        assert_eq!(error.to_string(), format!("byte 7: {words}"), "{kind:?}");
    }
    assert_eq!(StreamErrorKind::Memory(grow).to_string(), grow.to_string(), "as the cause says it");
}

#[test]
fn the_innermost_field_is_named() {
    let error = StreamError { offset: 7, field: None, kind: StreamErrorKind::Text };
    let inner = error.in_field("name");
    assert_eq!(inner.to_string(), "`name` at byte 7: the text is no UTF-8", "where it is");
    assert_eq!(inner.in_field("item"), inner, "not those around it");
}

#[test]
fn a_writer_prints_how_far_it_is() {
    with_memory(|memory| {
        let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
        bytes.try_extend_from_slice(b"before").expect("there is memory");
        let format = StreamFormat { tag: 0xab, version: 3 };
        let mut writer = StreamWriter::begin(&mut bytes, format).expect("there is memory");
        assert_eq!(format!("{writer:?}"), "StreamWriter { offset: 8, version: 3, .. }", "the head");
        writer.field("number", &mut 7_u32).expect("there is memory");
        assert_eq!(
            format!("{writer:?}"),
            "StreamWriter { offset: 12, version: 3, .. }",
            "and more"
        );
        assert_eq!(writer.offset(), 12, "from where it began");
        let expected = [&b"before"[..], &[0xab, 0, 0, 0, 3, 0, 0, 0, 7, 0, 0, 0]].concat();
        assert_eq!(bytes, expected, "tag, version and number");
    });
}
