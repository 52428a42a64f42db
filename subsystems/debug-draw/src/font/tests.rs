//! What the strokes of all letters have in common.

use std::collections::BTreeSet;
use std::vec::Vec;

use super::{Anchor, LETTERS, UNKNOWN, strokes, strokes_of};

fn all(text: &str, anchor: Anchor) -> Vec<[[i32; 2]; 2]> {
    let mut all = Vec::new();
    strokes(text, anchor, &mut |from, to| all.push([from, to]));
    all
}

#[test]
fn letters_are_whole_strokes_within_their_grid() {
    for (letter, strokes) in ('!'..).zip(LETTERS) {
        for stroke in strokes.split(' ') {
            assert!(stroke.len() >= 4 && stroke.len() % 2 == 0, "`{letter}`: {stroke}");
            for point in stroke.as_bytes().chunks_exact(2) {
                let is_within =
                    (b'0'..=b'4').contains(&point[0]) && (b'0'..=b'8').contains(&point[1]);
                assert!(is_within, "`{letter}`: {stroke}");
            }
        }
        assert!(all(strokes, Anchor::UpperLeft).len() > 1, "`{letter}` is seen");
    }
    let different: BTreeSet<_> = LETTERS.iter().collect();
    assert_eq!(different.len(), LETTERS.len(), "each looks like itself");
}

#[test]
fn what_the_font_does_not_have_is_a_box() {
    for letter in ['\t', '\u{7f}', '\u{e4}', '\u{1f600}'] {
        assert_eq!(strokes_of(letter), UNKNOWN, "{letter:?}");
    }
    assert!(all(" ", Anchor::UpperLeft).is_empty());
    assert!(all("", Anchor::LowerMiddle).is_empty());
}

#[test]
fn texts_begin_at_their_anchors() {
    let box_of = |text: &str, anchor| {
        let points: Vec<[i32; 2]> = all(text, anchor).into_iter().flatten().collect();
        [0, 1].map(|axis| {
            let of_axis = || points.iter().map(|point| point[axis]);
            (of_axis().min(), of_axis().max())
        })
    };
    let from_to = |from, to| (Some(from), Some(to));
    assert_eq!(box_of("HH", Anchor::UpperLeft), [from_to(0, 10), from_to(-6, 0)]);
    assert_eq!(box_of("H\nH", Anchor::UpperLeft), [from_to(0, 4), from_to(-17, 0)]);
    assert_eq!(box_of("HH", Anchor::LowerMiddle), [from_to(-5, 5), from_to(0, 6)]);
    assert_eq!(box_of("HHH\nH", Anchor::LowerMiddle), [from_to(-8, 8), from_to(0, 17)]);
    assert_eq!(all("\u{e4}", Anchor::UpperLeft).len(), 4, "a box");
}
