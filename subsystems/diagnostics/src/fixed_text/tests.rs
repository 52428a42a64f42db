//! Tests of texts of bounded length.

use core::fmt::Write;

use super::FixedText;

#[test]
fn a_text_is_cut_between_two_characters_and_stays_cut() {
    let mut text = FixedText::<4>::new();
    assert!(text.write_str("ab").is_ok(), "it fits");
    assert!(text.write_str("c\u{e4}").is_err(), "two bytes where there is room for one");
    assert_eq!((text.as_str(), text.is_cut()), ("abc", true));
    assert!(text.write_str("d").is_err(), "a text with a hole would mislead");
    assert_eq!(text.as_str(), "abc");
    text.clear();
    assert!(text.write_str("a\u{e4}b").is_ok(), "four bytes fit again");
    assert_eq!((text.as_str(), text.is_cut()), ("a\u{e4}b", false));
}
