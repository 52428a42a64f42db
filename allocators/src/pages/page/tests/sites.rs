//! The site of a block after a wrong free or resize.

use std::vec::Vec;

use super::{layout, misused};
use crate::bookkeeping::sites::Sites;
use crate::contract::allocator::Allocator;
use crate::contract::misuse::Misuse;
use crate::pages::page::PageAllocator;
use crate::testing::test_backing::TestBacking;

#[test]
fn only_a_right_free_forgets_the_site() {
    let books = TestBacking::new();
    let pages = PageAllocator::new("pages").with_sites(Sites::new_in(&books));
    let known = || {
        let mut lines = Vec::new();
        pages.walk(&mut |block| lines.push(block.site.map(|site| site.line())));
        (lines, pages.sites.with(|sites| sites.count()))
    };
    let (right, wrong) = (layout(5000, 8), layout(9000, 8));
    let line = line!() + 1;
    let start = pages.allocate(right).expect("there is memory").cast();
    let kept = (std::vec![Some(line)], 1);
    assert_eq!(known(), kept, "the site is known");
    // SAFETY: the misuse under test, which must be found before anything is done.
    misused(Misuse::WrongSize, || unsafe { pages.deallocate_sized(start, wrong) });
    assert_eq!(known(), kept, "a wrong free changes nothing");
    misused(Misuse::WrongSize, || {
        // SAFETY: as above.
        let _ = unsafe { pages.reallocate(start, wrong, right) };
    });
    assert_eq!(known(), kept, "a wrong resize changes nothing");
    // SAFETY: the block is live and has this layout.
    unsafe { pages.deallocate_sized(start, right) };
    assert_eq!(known(), (Vec::new(), 0), "forgotten with the block");
    let start = pages.allocate(right).expect("there is memory").cast();
    assert_eq!(known().1, 1, "another one");
    // SAFETY: the block is live.
    unsafe { pages.deallocate(start) };
    assert_eq!(known(), (Vec::new(), 0), "forgotten with the block");
}
