//! Text compared with `str`, damage, and refusals.

mod views;

use core::fmt;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::println;
use std::string::{String, ToString};
use std::vec::Vec;

use crate::arrays::array::Array;
use crate::bytes::text::{self, FormatError};
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, Random, every_refusal, with_memory};

type Text<'a> = Array<'a, u8, Memory<'a>>;

#[test]
fn text_is_appended_formatted_and_cut() {
    with_memory(|memory| {
        let mut line: Text<'_> = Array::new_in(memory);
        assert_eq!(text::view(&line), Ok(""));
        assert_eq!(text::pop(&mut line), None);
        text::append(&mut line, "h\u{e9}\u{20ac}");
        text::push(&mut line, '\u{1d11e}');
        text::format(&mut line, format_args!("{:>3}|{}", 7, "x"));
        text::format(&mut line, format_args!("plain"));
        let expected = "h\u{e9}\u{20ac}\u{1d11e}  7|xplain";
        assert_eq!(text::view(&line), Ok(expected));
        for len in (0..=expected.len() + 1).rev() {
            let mut cut: Text<'_> = Array::new_in(memory);
            text::append(&mut cut, expected);
            text::truncate(&mut cut, len);
            let floor = expected.floor_char_boundary(len);
            assert_eq!(text::view(&cut), Ok(&expected[..floor]), "cut to {len}");
        }
        let mut popped = String::new();
        while let Some(character) = text::pop(&mut line) {
            popped.push(character);
        }
        assert_eq!(popped, expected.chars().rev().collect::<String>());
        assert_eq!(text::tail("a\u{e9}b", 2), "b");
        assert_eq!(text::tail("a\u{e9}b", 3), "\u{e9}b");
        assert_eq!(text::tail("ab", 3), "ab");
    });
}

/// Bytes of which some are text and some are not.
fn random_bytes(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..random.below(12) {
        let character = char::from_u32(random.next() as u32 >> (11 + random.below(14)));
        match (random.below(4), character) {
            (0, _) | (_, None) => bytes.push(random.next() as u8),
            (1, Some(character)) => {
                let mut room = [0; 4];
                let whole = character.encode_utf8(&mut room).as_bytes();
                bytes.extend_from_slice(&whole[..1 + random.below(whole.len())]);
            }
            (_, Some(character)) => {
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    bytes
}

/// The characters of damaged text by a plain rule: the longest sound character, else one byte.
fn model(mut bytes: &[u8]) -> Vec<(char, usize)> {
    let mut characters = Vec::new();
    while !bytes.is_empty() {
        let whole =
            (1..=bytes.len().min(4)).find_map(|len| core::str::from_utf8(&bytes[..len]).ok());
        let (character, len) =
            whole.map_or(('\u{fffd}', 1), |text| (text.chars().next().expect("one"), text.len()));
        characters.push((character, len));
        bytes = &bytes[len..];
    }
    characters
}

#[test]
fn walking_on_and_back_meets_the_same_characters() {
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let bytes = random_bytes(&mut random);
        let characters = model(&bytes);
        let mut at = 0;
        for &(character, len) in &characters {
            assert_eq!(text::next_char(&bytes, at), Some((character, at + len)), "seed {seed}");
            assert_eq!(text::previous_char(&bytes, at + len), Some((character, at)), "seed {seed}");
            at += len;
        }
        assert_eq!(text::next_char(&bytes, at), None);
        assert_eq!(text::next_char(&bytes, at + 1), None);
        assert_eq!(text::previous_char(&bytes, 0), None);
        assert_eq!(text::previous_char(&bytes, at + 1), None);
        let all: String = characters.iter().map(|(character, _)| *character).collect();
        assert_eq!(text::chars(&bytes).collect::<String>(), all, "seed {seed}");
        let back: String = text::chars(&bytes).rev().collect();
        assert_eq!(back.chars().rev().collect::<String>(), all, "seed {seed}");
        // From both ends at once no character is met twice.
        let mut both = text::chars(&bytes);
        let mut met = 0;
        loop {
            let (least, most) = both.size_hint();
            let left = characters.len() - met;
            assert!(least <= left && most.is_some_and(|most| left <= most), "seed {seed}");
            let next = if random.below(2) == 0 { both.next() } else { both.next_back() };
            if next.is_none() {
                break;
            }
            met += 1;
        }
        assert_eq!(met, characters.len(), "seed {seed}");
    }
}

#[test]
fn boundaries_are_those_of_str() {
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let string = String::from_utf8_lossy(&random_bytes(&mut random)).into_owned();
        let bytes = string.as_bytes();
        for at in 0..bytes.len() + 2 {
            assert_eq!(text::is_boundary(bytes, at), string.is_char_boundary(at), "seed {seed}");
            let next = (at + 1..bytes.len()).find(|at| string.is_char_boundary(*at));
            assert_eq!(text::next_boundary(bytes, at), next.unwrap_or(bytes.len()), "seed {seed}");
            let before = (0..at.min(bytes.len())).rev().find(|at| string.is_char_boundary(*at));
            assert_eq!(text::previous_boundary(bytes, at), before.unwrap_or(0), "seed {seed}");
        }
    }
    // Where nothing begins, nothing is out of bounds.
    let damaged = [0x80; 9];
    for at in 0..12 {
        assert_eq!(text::next_boundary(&damaged, at), 9);
        assert_eq!(text::previous_boundary(&damaged, at), 0);
    }
    println!("boundaries agree");
}

struct Shy;
impl fmt::Display for Shy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("begun")?;
        Err(fmt::Error)
    }
}

struct Loud;
impl fmt::Display for Loud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("begun")?;
        panic!("a value's own panic");
    }
}

#[test]
fn what_fails_half_way_is_taken_off() {
    with_memory(|memory| {
        let mut line: Text<'_> = Array::new_in(memory);
        text::append(&mut line, "kept");
        let refused = text::try_format(&mut line, format_args!("{}{}", 1, Shy));
        assert_eq!(refused, Err(FormatError::Value));
        assert_eq!(text::view(&line), Ok("kept"));
        let panicked =
            catch_unwind(AssertUnwindSafe(|| text::format(&mut line, format_args!("{Loud}"))));
        assert!(panicked.is_err(), "the panic comes through");
        assert_eq!(text::view(&line), Ok("kept"));
    });
}

/// Writes three pieces and does not care how it goes.
struct Careless;

impl fmt::Display for Careless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in 0..3 {
            let _ = f.write_str("a piece of text that takes memory, then as much again");
        }
        Ok(())
    }
}

#[test]
fn a_value_cannot_hide_that_memory_was_refused() {
    every_refusal(|memory| {
        let mut line: Text<'_> = Array::new_in(memory);
        let outcome = text::try_format(&mut line, format_args!("{Careless}"));
        assert_eq!(line.len(), if outcome.is_ok() { 159 } else { 0 });
        outcome
    });
}

#[test]
fn refusals_change_nothing() {
    every_refusal(|memory| {
        let mut line: Text<'_> = Array::new_in(memory);
        let mut kept = String::new();
        for step in 0..40 {
            let outcome: Result<(), FormatError> = match step % 3 {
                0 => text::try_append(&mut line, "\u{e9}t\u{e9}").map_err(FormatError::from),
                1 => text::try_push(&mut line, '\u{20ac}').map_err(FormatError::from),
                _ => text::try_format(&mut line, format_args!("{step}{:9}", kept.len())),
            };
            match (&outcome, step % 3) {
                (Err(_), _) => {}
                (Ok(()), 0) => kept.push_str("\u{e9}t\u{e9}"),
                (Ok(()), 1) => kept.push('\u{20ac}'),
                (Ok(()), _) => kept.push_str(&std::format!("{step}{:9}", kept.len())),
            }
            assert_eq!(text::view(&line), Ok(kept.as_str()));
            outcome?;
        }
        Ok::<(), FormatError>(())
    });
    let error = GrowError::Length { wanted: 5, limit: 4 };
    assert_eq!(FormatError::from(error).to_string(), error.to_string());
}
