//! Real inputs, spoiled.

use crate::random::Random;

/// The longest input.
const BYTES_MAX: usize = 1 << 20;

/// Numbers at which lengths, counts and places go wrong.
const EDGES: [u64; 10] =
    [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];

/// Pieces that mean something in one of the languages that are read.
const WORDS: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "\\",
    "//",
    "/*",
    "=",
    ",",
    ":",
    "-",
    ".",
    "\n",
    "\0",
    "null",
    "true",
    "1e999",
    "-0",
    "18446744073709551616",
    "nan",
    "\u{feff}",
    "\u{1f409}",
    "function ",
    " end ",
    "while true do ",
    "repeat ",
    "string.rep('x', 1e9)",
    "setmetatable({}, {__index = ",
    "coroutine.wrap(",
    ":gsub('.', ",
    "../../",
    "/dev/zero",
    "+ ff ff ff\n",
    "vec4(",
    "array<f32, 4294967295>",
    "loop { ",
    "\"type\":",
];

/// Spoils an input at one to eight places; a piece may be copied from `other`.
pub(crate) fn spoil(random: &mut Random, input: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..=random.below(8) {
        once(random, input, other);
        input.truncate(BYTES_MAX);
    }
}

fn once(random: &mut Random, input: &mut Vec<u8>, other: &[u8]) {
    let at = random.below(input.len());
    let len = random.below((input.len() - at).min(64) + 1);
    match random.below(10) {
        0 if !input.is_empty() => input[at] ^= 1 << random.below(8),
        1 if !input.is_empty() => input[at] = random.next() as u8,
        2 => input.truncate(at),
        3 => _ = input.drain(at..at + len),
        4 => {
            let piece = input[at..at + len].to_vec();
            let times = 1 << random.below(12);
            let many = piece.repeat(times.min(BYTES_MAX / (len + 1)));
            input.splice(at..at, many);
        }
        5 => {
            let from = random.below(other.len());
            let count = random.below((other.len() - from).min(256) + 1);
            input.splice(at..at + len, other[from..from + count].iter().copied());
        }
        6 => {
            let bytes = EDGES[random.below(EDGES.len())].to_le_bytes();
            let width = 1 << random.below(4);
            let end = (at + width).min(input.len());
            input.splice(at..end, bytes[..width].iter().copied());
        }
        7 => {
            // A number as text, in place of the digits that are there.
            let digits = |byte: &u8| byte.is_ascii_digit();
            let Some(start) = input[at..].iter().position(digits).map(|start| at + start) else {
                return;
            };
            let end = start + input[start..].iter().take_while(|byte| digits(byte)).count();
            let number = EDGES[random.below(EDGES.len())].to_string();
            input.splice(start..end, number.into_bytes());
        }
        _ => {
            let word = WORDS[random.below(WORDS.len())];
            let times = if random.below(4) == 0 { 1 << random.below(14) } else { 1 };
            input.splice(at..at + len, word.repeat(times).into_bytes());
        }
    }
}
