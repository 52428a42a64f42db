//! Damage reports for a map whose count or length is damaged.

use super::{PAGES_A_WORD, PageMap, Use};
use crate::pages::page::system;

impl PageMap {
    /// Counts a committed page too many.
    pub(in crate::pages::page) fn miscount(&mut self) {
        self.committed += 1;
    }
}

#[test]
fn damage_is_told() {
    let mut map = PageMap::new(40).expect("there is memory");
    assert_eq!(map.bytes(), system::page_size(), "two words are in one page");
    map.set(3..6, Use::Committed);
    assert_eq!(map.validate(), Ok(()), "sound");
    let what = "a reservation's count of committed pages differs from its map";
    for wrong in [2, 4] {
        map.committed = wrong;
        let damage = map.validate().expect_err("the count is wrong");
        assert_eq!((damage.what, damage.address), (what, map.words.as_ptr().cast_const().cast()));
    }
    map.committed = 3;
    let room = map.words().len() * PAGES_A_WORD;
    map.pages = room;
    assert_eq!(map.validate(), Ok(()), "as many as there are bits for");
    map.pages = room + 1;
    assert_eq!(map.validate().map_err(|damage| damage.what), Err(what), "one more");
}

#[test]
fn runs_of_whole_words_are_as_long_as_can_be() {
    let mut map = PageMap::new(200).expect("there is memory");
    map.set(10..170, Use::Committed);
    map.set(100..101, Use::Guard);
    let runs: std::vec::Vec<_> = map.runs(0..200).collect();
    let expected = [
        (0..10, Use::Reserved),
        (10..100, Use::Committed),
        (100..101, Use::Guard),
        (101..170, Use::Committed),
        (170..200, Use::Reserved),
    ];
    assert_eq!(runs, expected, "each in one piece");
    let within: std::vec::Vec<_> = map.runs(32..64).collect();
    assert_eq!(within, [(32..64, Use::Committed)], "one word");
}
