//! Which class is the largest, and which the least that is sure to do.

use super::{Bins, COUNT, NIL, class_from, class_of};

/// Lets the bit of a class say the contrary of what its list does.
pub(in crate::pools::handle_heap) fn flip_bit(bins: &mut Bins, class: usize) {
    bins.some[class / 64] ^= 1 << (class % 64);
}

#[test]
fn the_largest_class_with_holes_is_found() {
    let mut bins = Bins::new();
    assert_eq!(bins.largest(), None, "there are no holes");
    for class in 1..COUNT {
        bins.set_first(class, 7);
        assert_eq!(bins.largest(), Some(class), "the last one that got a hole");
        assert_eq!(bins.next(class), Some(class), "it has a hole");
    }
    for class in (1..COUNT).rev() {
        assert_eq!(bins.largest(), Some(class), "those above have none");
        bins.set_first(class, NIL);
        assert_eq!(bins.next(class), None, "nor has it");
    }
    assert_eq!(bins.largest(), None, "there are no holes");
}

#[test]
fn the_class_that_is_sure_to_do_is_the_least() {
    for granules in 2..100_000_u32 {
        let own = class_of(granules);
        // Its own one will do where no hole in it is shorter.
        let shorter = class_of(granules - 1) == own;
        assert_eq!(class_from(granules), own + usize::from(shorter), "{granules} granules");
    }
    assert_eq!((class_from(1), class_of(1)), (1, 1), "the least there is");
}
