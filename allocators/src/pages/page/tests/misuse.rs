//! Wrong frees and leaks.

use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::boxed::Box;
use std::format;
use std::panic::catch_unwind;
use std::string::String;
use std::vec::Vec;

use super::{fill, free, layout, misused, page};
use crate::contract::allocator::Allocator;
use crate::contract::misuse::Misuse;
use crate::pages::page::{PageAllocator, system};

#[test]
fn wrong_frees_are_found() {
    let pages = PageAllocator::new("frees");
    let at = layout(3 * page(), 64);
    let block = pages.allocate(at).unwrap();
    let start = block.cast::<u8>();
    let before = pages.stats();
    // SAFETY: the offsets are within the block.
    let (interior, next_page) = unsafe { (start.add(1), start.add(page())) };
    let mut local = 0_u8;
    // SAFETY: these are the misuses under test, which must be found before anything is done.
    unsafe {
        misused(Misuse::InteriorFree, || pages.deallocate(interior));
        misused(Misuse::InteriorFree, || pages.deallocate(next_page));
        misused(Misuse::ForeignFree, || pages.deallocate(NonNull::from(&mut local)));
        misused(Misuse::ForeignFree, || pages.deallocate(NonNull::dangling()));
        for wrong in [layout(2 * page(), 64), layout(3 * page() + 1, 64), layout(3 * page(), 32)] {
            misused(Misuse::WrongSize, || pages.deallocate_sized(start, wrong));
            misused(Misuse::WrongSize, || {
                let _ = pages.reallocate(start, wrong, at);
            });
            misused(Misuse::WrongSize, || {
                let _ = pages.resize_in_place(start, wrong, at);
            });
        }
        misused(Misuse::InteriorFree, || {
            let _ = pages.allocated_size(interior);
        });
    }
    assert_eq!(pages.stats(), before, "a wrong free changes nothing");
    assert_eq!(pages.verify(), Ok(()), "a wrong free changes nothing");
    free(&pages, block);
    // SAFETY: as above.
    let report = misused(Misuse::DoubleFree, || unsafe { pages.deallocate(start) });
    assert!(report.contains("`frees`"), "named: {report}");
    assert!(report.contains("tests/misuse.rs"), "with the site: {report}");
    let erased: &dyn Allocator = &pages;
    // SAFETY: as above.
    let report = misused(Misuse::DoubleFree, || unsafe {
        erased.deallocate_sized(start, at);
    });
    assert!(report.contains("tests/misuse.rs"), "also through dyn: {report}");
}

#[test]
fn a_double_free_is_known_among_the_last_64() {
    let pages = PageAllocator::new("pages");
    let layout = layout(1, 1);
    let blocks: Vec<_> = (0..64).map(|_| pages.allocate(layout).unwrap()).collect();
    blocks.iter().for_each(|&block| free(&pages, block));
    for block in blocks {
        // SAFETY: the misuse under test.
        misused(Misuse::DoubleFree, || unsafe { pages.deallocate(block.cast()) });
    }
}

#[test]
fn a_leak_is_told_when_dropped() {
    let pages = Box::new(PageAllocator::new("leaky"));
    let block = pages.allocate(layout(5000, 8)).unwrap();
    let panic = catch_unwind(AssertUnwindSafe(|| drop(pages))).expect_err("a leak panics");
    let text = *panic.downcast::<String>().expect("with text");
    assert!(text.contains("`leaky`") && text.contains("1 live block of 5000"), "{text}");
    assert!(text.contains(&format!("{:p}", block.cast::<u8>())), "lists it: {text}");
    fill(block, 1);
    // SAFETY: the block outlives its allocator, so the test gives its pages back.
    unsafe { system::unmap(block.cast(), block.len()) }.unwrap();
}
