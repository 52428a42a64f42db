//! The allocator's behaviour when the kernel refuses mappings or address space.

use core::ptr::NonNull;
use std::vec::Vec;

use super::child::{self, check};
use super::reservation::is_readable;
use super::{fill, is_mapped, is_resident, layout, page};
use crate::contract::allocator::Allocator;
use crate::pages::page::PageAllocator;

/// Returns the kernel's limit of mappings, if tests can reach it in reasonable time.
fn mappings_max() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").ok()?;
    text.trim().parse().ok().filter(|&max| max <= 200_000)
}

/// Freed, cut and dropped pages are unmapped at once.
#[test]
fn what_is_freed_is_unmapped() {
    let answer = child::run(|| {
        let pages = PageAllocator::new("gone");
        // The table has its pages from here on, and one spare.
        let (Ok(first), Ok(second)) = (pages.allocate(layout(1, 1)), pages.allocate(layout(1, 1)))
        else {
            return line!();
        };
        // SAFETY: the block is live.
        unsafe { pages.deallocate(second.cast()) };
        for (bytes, align) in [(1, 1), (10 * page(), 1), (3 * page(), 1 << 21)] {
            let before = address_space();
            let Ok(block) = pages.allocate(layout(bytes, align)) else {
                return line!();
            };
            fill(block, 1);
            let (first, last) = (block.cast(), block.len() - page());
            // SAFETY: the last page of the block.
            let last = unsafe { first.add(last) };
            check!(is_mapped(first) && is_mapped(last));
            // Only the block: the slack of an alignment was trimmed.
            check!(address_space() - before == block.len());
            if bytes > page() {
                // SAFETY: the block is live and has this layout.
                let cut = unsafe {
                    let old = layout(bytes, align);
                    pages.resize_in_place(first, old, layout(page(), align))
                };
                check!(cut.is_ok() && is_mapped(first) && !is_mapped(last));
            }
            // SAFETY: the block is live.
            unsafe { pages.deallocate(first) };
            check!(!is_mapped(first));
            check!(address_space() == before);
        }
        // SAFETY: the block is live.
        unsafe { pages.deallocate(first.cast()) };
        let Ok(space) = pages.reserve(8 * page(), 1 << 21) else {
            return line!();
        };
        let base = space.base();
        check!(is_mapped(base) && !is_resident(base));
        drop(space);
        check!(!is_mapped(base));
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
}

/// At the limit of mappings a commit is refused and changes nothing.
#[test]
fn commits_up_to_the_limit_of_mappings() {
    let Some(max) = mappings_max() else {
        std::println!("the limit of mappings is out of reach here");
        return;
    };
    let answer = child::run(|| {
        let pages = PageAllocator::new("limit");
        let Ok(space) = pages.reserve((max + 2) * 2 * page(), page()) else {
            return line!();
        };
        let mut count = 0;
        // Every second page: each is a separate mapping, and so is each gap.
        while count <= max {
            let at = count * 2 * page();
            if space.commit(at..at + page()).is_err() {
                break;
            }
            count += 1;
        }
        check!(count > 10_000 && count < max);
        let before = (pages.stats(), pages.committed_bytes());
        check!(before.1 == count * page());
        check!(space.committed_bytes() == before.1);
        let at = count * 2 * page();
        check!(space.commit(at..at + page()).is_err());
        check!(space.committed_bytes() == before.1);
        // Filling a gap joins two mappings, so there is room for this.
        check!(space.commit(at - 3 * page()..at).is_ok());
        // SAFETY: the memory is not used.
        check!(unsafe { space.decommit(at - page()..at) }.is_ok());
        // SAFETY: the memory is not used.
        check!(unsafe { space.decommit(at - 3 * page()..at - 2 * page()) }.is_ok());
        check!(space.committed_bytes() == before.1);
        // Alignment that needs trimming is refused or served; either way nothing is lost.
        if let Ok(block) = pages.allocate(layout(page(), 1 << 30)) {
            // SAFETY: the block was just allocated.
            unsafe { pages.deallocate(block.cast()) };
        }
        check!((pages.stats().live, pages.committed_bytes()) == (0, before.1));
        check!(pages.verify().is_ok());
        // SAFETY: the memory is not used.
        check!(unsafe { space.decommit(0..space.bytes()) }.is_ok());
        check!(pages.committed_bytes() == 0);
        drop(space);
        check!(pages.stats().reserved == 0);
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
}

/// Freeing every second page of a long mapping reaches the limit, beyond which the kernel refuses
/// to unmap. The memory is still released, the addresses are reused, and in the end everything is
/// unmapped.
#[test]
fn frees_beyond_the_limit_of_mappings() {
    let Some(max) = mappings_max() else {
        std::println!("the limit of mappings is out of reach here");
        return;
    };
    let answer = child::run(|| {
        let pages = PageAllocator::new("limit");
        let one = layout(page(), 1);
        let count = 2 * max + 20_000;
        let mut blocks: Vec<Option<NonNull<[u8]>>> = Vec::with_capacity(count);
        for _ in 0..count {
            let Ok(block) = pages.allocate(one) else {
                return line!();
            };
            blocks.push(Some(block));
        }
        blocks.sort_by_key(|block| block.map(|block| block.addr()));
        let late = blocks[count - 2];
        if let Some(block) = late {
            fill(block, 0xee);
        }
        for block in blocks.iter_mut().step_by(2) {
            // SAFETY: the block is live and freed once.
            unsafe { pages.deallocate_sized(block.take().unwrap().cast(), one) };
        }
        let stats = pages.stats();
        check!(stats.live == count / 2);
        check!(stats.granted == stats.live * page());
        // Some are parked: kept as addresses, but without memory.
        check!(stats.reserved > stats.granted);
        check!(pages.committed_bytes() == stats.granted);
        check!(!is_resident(late.unwrap().cast()));
        check!(!pages.owns(late.unwrap().as_ptr().cast()));
        check!(pages.verify().is_ok());
        // Now that the kernel maps nothing more, these come from parked ranges, and are zero.
        check!(is_limited(libc::RLIMIT_AS, address_space()));
        // Only a few, as each search starts at the lowest address.
        let parked = (stats.reserved - stats.granted) / page();
        let few = parked.min(20);
        for block in blocks.iter_mut().rev().skip(1).step_by(2).take(few) {
            let Ok(again) = pages.allocate_zeroed(one) else {
                return line!();
            };
            check!(super::bytes(again).iter().all(|&b| b == 0));
            *block = Some(again);
        }
        check!(pages.verify().is_ok());
        check!(pages.stats().reserved == stats.reserved);
        check!(few > 0 && pages.stats().granted == stats.granted + few * page());
        for block in blocks.iter_mut() {
            if let Some(block) = block.take() {
                // SAFETY: the block is live and freed once.
                unsafe { pages.deallocate(block.cast()) };
            }
        }
        let stats = pages.stats();
        check!((stats.live, stats.granted, stats.reserved) == (0, 0, 0));
        check!(pages.verify().is_ok());
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
}

/// A commit of several runs fails as a whole: the runs that were opened are closed again.
#[test]
fn a_commit_that_fails_half_way_is_undone() {
    let answer = child::run(|| {
        let pages = PageAllocator::new("half");
        let Ok(space) = pages.reserve(64 * page(), page()) else {
            return line!();
        };
        let Ok(kept) = space.commit(10 * page()..12 * page()) else {
            return line!();
        };
        fill(kept, 3);
        let Ok(text) = std::fs::read_to_string("/proc/self/status") else {
            return line!();
        };
        let line = text.lines().find_map(|line| line.strip_prefix("VmData:"));
        let word = line.and_then(|line| line.split_whitespace().next());
        let Some(data) = word.and_then(|word| word.parse::<usize>().ok()) else {
            return line!();
        };
        // Room for the ten pages before the committed ones, not for the 52 after them.
        check!(is_limited(libc::RLIMIT_DATA, data * 1024 + 20 * page()));
        check!(space.commit(0..space.bytes()).is_err());
        check!(pages.committed_bytes() == 2 * page());
        check!(!is_readable(space.base()));
        // SAFETY: a page of the reservation.
        check!(!is_readable(unsafe { space.base().add(12 * page()) }));
        check!(super::bytes(kept).iter().all(|&b| b == 3));
        check!(space.commit(0..12 * page()).is_ok());
        drop(space);
        check!(pages.committed_bytes() == 0 && pages.stats().reserved == 0);
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
}

/// Sets a limit of this child only, at most its initial one.
pub(super) fn is_limited(resource: libc::__rlimit_resource_t, bytes: usize) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes the struct that it is given.
    if unsafe { libc::getrlimit(resource, &raw mut limit) } != 0 {
        return false;
    }
    limit.rlim_cur = limit.rlim_max.min(bytes as libc::rlim_t);
    // SAFETY: reads the struct that it is given.
    unsafe { libc::setrlimit(resource, &raw const limit) == 0 }
}

/// Returns how much address space the process has mapped.
pub(super) fn address_space() -> usize {
    let mut text = [0_u8; 128];
    // SAFETY: plain system calls on a buffer of ours.
    let read = unsafe {
        let file = libc::open(c"/proc/self/statm".as_ptr(), libc::O_RDONLY);
        let read = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        read
    };
    let digits = text[..read.max(0) as usize].iter();
    let pages = digits
        .take_while(|b| b.is_ascii_digit())
        .fold(0, |sum, &b| sum * 10 + usize::from(b - b'0'));
    pages * page()
}

/// With room for ever more pages, every request and every page of the side table is refused once.
#[test]
fn address_space_runs_out_at_every_page() {
    let answer = child::run(|| {
        for spare in 0..48 {
            check!(is_limited(libc::RLIMIT_AS, address_space() + spare * page()));
            let line = starved();
            check!(is_limited(libc::RLIMIT_AS, usize::MAX));
            if line != 0 {
                return line;
            }
        }
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
}

fn starved() -> u32 {
    let pages = PageAllocator::new("starved");
    let mut blocks = [None; 8];
    let mut refused = 0;
    for (index, slot) in blocks.iter_mut().enumerate() {
        let before = pages.stats();
        let wanted = layout(1 + index * page(), page() << (index % 3));
        match pages.allocate(wanted) {
            Ok(block) => *slot = Some((block, wanted)),
            Err(_) => {
                refused += 1;
                check!(pages.stats() == before);
            }
        }
        check!(pages.verify().is_ok());
    }
    for slot in &mut blocks {
        let Some((block, old)) = *slot else { continue };
        fill(block, 5);
        let before = pages.stats();
        let new = layout(old.size() + 3 * page(), 4 * page());
        // SAFETY: the block is live and has the layout `old`.
        match unsafe { pages.reallocate(block.cast(), old, new) } {
            Ok(block) => *slot = Some((block, new)),
            Err(_) => {
                refused += 1;
                check!(pages.stats() == before);
            }
        }
        let (block, _) = slot.unwrap();
        check!(super::bytes(block)[..old.size()].iter().all(|&b| b == 5));
        check!(pages.verify().is_ok());
    }
    if let Ok(space) = pages.reserve(4 * page(), page()) {
        // The limit is of address space, which the reservation has already.
        check!(space.commit(0..space.bytes()).is_ok());
    } else {
        refused += 1;
    }
    check!(refused > 0);
    for (block, layout) in blocks.into_iter().flatten() {
        // SAFETY: the block is live and has this layout.
        unsafe { pages.deallocate_sized(block.cast(), layout) };
    }
    check!(pages.stats().reserved == 0 && pages.committed_bytes() == 0);
    check!(pages.verify().is_ok());
    0
}
