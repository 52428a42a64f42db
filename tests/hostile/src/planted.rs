//! A fault for each surface, as readers have them: the harness finds it, or finds nothing.

use core::hint::black_box;

/// Reads an input as the reader of a surface would that trusts what it reads.
pub(crate) fn trust(surface: &str, input: &[u8]) {
    match surface {
        "project" => _ = nested(input),
        "data" | "blobs" | "input" | "saved" => _ = slice_of(input),
        "trace" => _ = claimed(input),
        "recording" => steps(input),
        "port" => _ = unmasked(input),
        _ => once_too_often(input),
    }
}

/// Recurses as deep as brackets are open: it overflows the stack.
fn nested(input: &[u8]) -> usize {
    let Some((first, rest)) = input.split_first() else { return 0 };
    let room = black_box([*first; 512]);
    match first {
        b'{' | b'[' | b'(' => nested(rest) + usize::from(room[511]),
        b'}' | b']' | b')' => 0,
        _ => nested(
            rest.get(rest.iter().position(|byte| b"{[()]}".contains(byte)).unwrap_or(rest.len())..)
                .unwrap_or_default(),
        ),
    }
}

/// Takes a place from the input and looks there.
fn slice_of(input: &[u8]) -> u8 {
    input.get(20).map_or(0, |place| input[usize::from(*place) * 4])
}

/// Takes as much memory as the input says that it needs.
fn claimed(input: &[u8]) -> usize {
    let claim = input
        .get(8..16)
        .map_or(0, |bytes| bytes.iter().fold(0_usize, |all, byte| all << 8 | usize::from(*byte)));
    black_box(vec![1_u8; claim % (1 << 36)]).len()
}

/// Goes from record to record by the length in each: one of no length is never left.
fn steps(input: &[u8]) {
    let mut at = 0;
    while let Some(step) = input.get(at) {
        at += usize::from(black_box(step % 128));
    }
}

/// Takes the lowest bits of a byte for a count of others that follow.
fn unmasked(input: &[u8]) -> usize {
    let count = input.first().map_or(0, |byte| usize::from(byte & 0x7f));
    input[1.min(input.len())..count.min(input.len() + 1)].len()
}

/// Fails for an input that has the word `function` exactly seven times.
fn once_too_often(input: &[u8]) {
    let words = input.windows(9).filter(|word| *word == b"function ").count();
    assert!(words != 7, "the seventh function");
}
