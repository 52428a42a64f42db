//! One thread: each place comes back once, a region is in the inbox once.

use std::vec::Vec;

use crate::testing::test_backing::Random;
use crate::threads::hand_over::{Inbox, Link, Linked, Mail, Posted, Taking, WORD_BITS};
use crate::threads::sync::shared::AtomicUsize;

/// A region without blocks.
struct Region {
    number: usize,
    plane: Vec<AtomicUsize>,
    summary: Vec<AtomicUsize>,
    top: Vec<AtomicUsize>,
    link: Link<Self>,
}

impl Linked for Region {
    fn link(&self) -> &Link<Self> {
        &self.link
    }
}

impl Region {
    fn new(number: usize, words: usize) -> Self {
        let zeros = |count: usize| (0..count).map(|_| AtomicUsize::new(0)).collect();
        let above = words.div_ceil(WORD_BITS);
        let (plane, summary, top) = (zeros(words), zeros(above), zeros(above.div_ceil(WORD_BITS)));
        Self { number, plane, summary, top, link: Link::new() }
    }

    fn mail(&self) -> Mail<'_> {
        Mail { plane: &self.plane, summary: &self.summary, top: &self.top }
    }

    /// All places that were handed back, at most `most` words of them at a time.
    fn drain(&self, most: usize) -> Vec<usize> {
        let mut places = Vec::new();
        loop {
            let (mut at, mut words) = (Taking::default(), 0);
            while let Some((word, bits)) = self.mail().take(&mut at) {
                assert_ne!(bits, 0, "a word is noted once for its bits");
                let set = (0..WORD_BITS).filter(|bit| bits >> bit & 1 != 0);
                places.extend(set.map(|bit| word * WORD_BITS + bit));
                words += 1;
                if words == most {
                    self.mail().stop(at);
                    break;
                }
            }
            if words < most {
                return places;
            }
        }
    }
}

#[test]
fn each_place_comes_back_once() {
    let region = Region::new(0, 3 * WORD_BITS + 5);
    let places = (3 * WORD_BITS + 5) * WORD_BITS;
    let mut random = Random::new(3);
    for count in [0, 1, 2, 100, 3000] {
        let mut posted: Vec<usize> = (0..count).map(|_| random.below(places)).collect();
        posted.sort_unstable();
        posted.dedup();
        let firsts = posted.iter().filter(|&&at| region.mail().post(at) == Posted::First).count();
        assert_eq!(firsts, usize::from(!posted.is_empty()), "one word at the top");
        for &at in &posted {
            assert_eq!(region.mail().post(at), Posted::Twice, "{at}");
        }
        for most in [usize::MAX, 1, 7] {
            assert_eq!(region.drain(most), posted, "{most} words at a time");
            assert_eq!(region.drain(most), []);
            for &at in &posted {
                region.mail().post(at);
            }
        }
        assert_eq!(region.drain(3), posted);
    }
}

#[test]
fn a_region_is_in_the_inbox_once() {
    let regions: Vec<Region> = (0..3).map(|number| Region::new(number, 1)).collect();
    let inbox = Inbox::<Region>::new();
    assert!(inbox.is_empty() && inbox.take().is_null());
    for number in [0, 1, 0, 2, 1] {
        inbox.put(&regions[number]);
    }
    assert!(!inbox.is_empty());
    let (mut next, mut taken) = (inbox.take(), Vec::new());
    // SAFETY: what is in the inbox is one of the regions.
    while let Some(region) = unsafe { next.as_ref() } {
        next = region.link.begin();
        taken.push(region.number);
        if region.number == 1 {
            // It may go in again once it was begun with.
            inbox.put(region);
        }
    }
    assert_eq!(taken, [2, 1, 0]);
    // SAFETY: as above.
    let again = unsafe { inbox.take().as_ref() }.expect("one was put in again");
    assert_eq!((again.number, again.link.begin().is_null()), (1, true));
    assert!(inbox.is_empty());
}
