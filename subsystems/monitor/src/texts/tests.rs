//! Texts get numbers, keep them, and end at their limits.

use std::format;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};

use super::Texts;

#[test]
fn texts_keep_their_numbers() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    {
        let mut texts = Texts::try_new_in(100, &heap).expect("there is memory");
        let made = heap.stats().allocations_total;
        for round in 0..2 {
            for number in 0..100 {
                assert_eq!(texts.number(&format!("text {number}")), Some(number), "round {round}");
            }
        }
        assert_eq!(texts.number("one more"), None, "a hundred have room");
        assert_eq!(texts.number("text 99"), Some(99), "those that are there are found");
        assert!(
            (0..100).all(|number| texts.text(number) == format!("text {number}")),
            "all are kept"
        );
        assert_eq!(heap.stats().allocations_total, made, "nothing is allocated later");
    }
    assert_eq!(heap.stats().live, 0, "all is given back");
}

#[test]
fn long_texts_fill_the_table() {
    let pages = PageAllocator::new("pages");
    let mut texts = Texts::try_new_in(4, &pages).expect("there is memory");
    assert_eq!(texts.number(&"x".repeat(129)), None, "four of 32 bytes are 128");
    assert_eq!(texts.number(&"x".repeat(128)), Some(0));
    assert_eq!(texts.number(""), Some(1), "the empty one always has room");
    assert_eq!(texts.number("y"), None, "no byte is left");
    assert_eq!((texts.text(1), texts.len()), ("", 2));
}
