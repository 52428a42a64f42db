//! What errors say, and the writer as others see it.

use core::fmt::Write;
use std::format;
use std::string::ToString;

use loligo_allocators::Refusals;

use super::Text;
use crate::arrays::array::Array;
use crate::bytes::text::{FormatError, Writer};
use crate::error::GrowError;
use crate::testing::test_memory::with_memory;

#[test]
fn an_error_says_what_is_wrong() {
    let said = "a value to be formatted returned an error";
    assert_eq!(FormatError::Value.to_string(), said, "no more is known");
    let grow = GrowError::Memory { elements: 8, bytes: 64 };
    let error = FormatError::from(grow);
    assert_eq!((error, error.to_string()), (FormatError::Memory(grow), grow.to_string()));
    let said = "the allocator has no memory for 8 elements, which take 64 bytes; free blocks, or \
                give it more";
    assert_eq!(grow.to_string(), said, "what was asked for, and what to do");
    let long = GrowError::Length { wanted: 9, limit: 8 };
    let said = "9 elements were wanted where there may be 8 at most";
    assert_eq!(long.to_string(), said, "how many there may be");
}

#[test]
fn a_writer_keeps_the_refusal() {
    with_memory(|memory| {
        let mut text: Text<'_> = Array::new_in(memory);
        let mut writer = Writer::new(&mut text);
        assert_eq!(format!("{writer:?}"), "Writer { written: 0, refusal: None }", "nothing yet");
        writer.write_str("abc").expect("there is memory");
        assert_eq!(writer.refusal(), None, "nothing was refused");
        memory.refuse(Refusals::From(0));
        let long = "x".repeat(1000);
        assert!(writer.write_str(&long).is_err(), "there is no memory");
        let refusal = writer.refusal();
        assert!(matches!(refusal, Some(GrowError::Memory { .. })), "{refusal:?}");
        let said = format!("Writer {{ written: 3, refusal: {refusal:?} }}");
        assert_eq!(format!("{writer:?}"), said, "what was written before");
        assert_eq!(text, b"abc", "as it was");
    });
}
