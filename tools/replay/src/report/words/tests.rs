//! Numbers as they are in sentences.

use super::{bytes, grouped, plural};

#[test]
fn digits_are_grouped() {
    let cases = [(0, "0"), (7, "7"), (100, "100"), (1000, "1,000"), (1_234_567, "1,234,567")];
    for (number, text) in cases {
        assert_eq!(grouped(number), text, "{number}");
    }
}

#[test]
fn counts_have_their_words() {
    assert_eq!(plural(1, "event"), "1 event");
    assert_eq!(plural(0, "event"), "0 events");
    assert_eq!(plural(12_345, "event"), "12,345 events");
}

#[test]
fn bytes_are_whole_in_their_unit() {
    let cases = [
        (0, "0 B"),
        (32, "32 B"),
        (1536, "1,536 B"),
        (2048, "2 KiB"),
        (3 << 20, "3 MiB"),
        (1 << 30, "1 GiB"),
        (1 << 42, "4,096 GiB"),
    ];
    for (number, text) in cases {
        assert_eq!(bytes(number), text, "{number}");
    }
}
