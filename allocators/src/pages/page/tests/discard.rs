//! Memory of parts of blocks that goes back to the kernel.

use std::vec;

use super::*;

/// How many pages of a block are in memory.
fn resident(block: NonNull<[u8]>) -> usize {
    let mut pages = vec![0_u8; block.len().div_ceil(PageAllocator::page_size())];
    let (start, bytes) = (block.cast::<u8>().as_ptr(), block.len());
    // SAFETY: the block is mapped, and there is a byte for each of its pages.
    let result = unsafe { libc::mincore(start.cast(), bytes, pages.as_mut_ptr().cast()) };
    assert_eq!(result, 0, "the block is mapped");
    pages.iter().filter(|&&page| page & 1 != 0).count()
}

#[test]
fn whole_pages_of_a_part_go_back_and_read_as_zero() {
    let page = PageAllocator::page_size();
    let pages = PageAllocator::new("pages");
    let layout = Layout::from_size_align(8 * page, 8).expect("a valid layout");
    for (from, bytes, first, count) in [
        (0, 8 * page, 0, 8),
        (1, 8 * page - 1, 1, 7),
        (0, 8 * page - 1, 0, 7),
        (page - 1, 2, 0, 0),
        (1, page - 1, 0, 0),
        (2 * page, page, 2, 1),
        (3 * page, 0, 0, 0),
    ] {
        let block = pages.allocate(layout).expect("there is memory");
        // SAFETY: the block is ours.
        unsafe { block.cast::<u8>().write_bytes(7, block.len()) };
        assert_eq!(resident(block), 8, "all pages were written");
        // SAFETY: the part is inside the block.
        let part = unsafe { block.cast::<u8>().add(from) };
        // SAFETY: the same.
        let given = unsafe { pages.discard(NonNull::slice_from_raw_parts(part, bytes)) };
        assert_eq!(given, count * page, "{bytes} bytes from {from}");
        assert_eq!(resident(block), 8 - count, "{bytes} bytes from {from}");
        // SAFETY: the block is live and initialised.
        let bytes = unsafe { block.as_ref() };
        for (at, &byte) in bytes.iter().enumerate() {
            let is_gone = (first * page..(first + count) * page).contains(&at);
            assert_eq!(byte, if is_gone { 0 } else { 7 }, "byte {at} from {from}");
        }
        // SAFETY: the block is live.
        unsafe { pages.deallocate_sized(block.cast(), layout) };
    }
}

#[test]
fn huge_pages_go_back_whole() {
    let pages = PageAllocator::new("pages").with_huge_pages();
    let layout = Layout::from_size_align(4 << 20, 8).expect("a valid layout");
    let block = pages.allocate(layout).expect("there is memory");
    let part = |from: usize, bytes| {
        // SAFETY: the part is inside the block.
        NonNull::slice_from_raw_parts(unsafe { block.cast::<u8>().add(from) }, bytes)
    };
    // SAFETY: the parts are inside the block.
    let given = [part(0, (2 << 20) - 1), part(4096, 3 << 20), part(2 << 20, 2 << 20)]
        .map(|part| unsafe { pages.discard(part) });
    assert_eq!(given, [0, 0, 2 << 20], "only the second huge page was given up as a whole");
    // SAFETY: the block is live.
    unsafe { pages.deallocate_sized(block.cast(), layout) };
}

#[test]
fn a_heap_of_which_little_is_left_gives_its_memory_back() {
    use crate::heaps::heap::HeapAllocator;
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let layout = Layout::from_size_align(1 << 10, 8).expect("a valid layout");
    let in_memory = || {
        let mut bytes = 0;
        pages.walk(&mut |region| {
            let block = NonNull::slice_from_raw_parts(region.address, region.bytes);
            bytes += resident(block) * PageAllocator::page_size();
        });
        bytes
    };
    // 64 MiB, a tenth of what the design asks, of which every 8 192nd block stays.
    let mut blocks: Vec<_> = (0..64 << 10)
        .map(|_| {
            let block = heap.allocate(layout).expect("there is memory").cast::<u8>();
            // SAFETY: the block is ours.
            unsafe { block.write_bytes(3, 1 << 10) };
            block
        })
        .collect();
    let filled = in_memory();
    assert!(filled >= 64 << 20, "{filled} bytes are in memory");
    let stay: Vec<_> = blocks.iter().copied().step_by(8 << 10).collect();
    blocks.retain(|block| !stay.contains(block));
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { heap.deallocate_sized(block, layout) };
    }
    heap.shrink();
    heap.verify().expect("sound");
    let left = in_memory();
    assert!(left <= 2 << 20, "{left} bytes are in memory for {} blocks", stay.len());
    for block in stay {
        // SAFETY: the block is live and was written.
        let bytes = unsafe { NonNull::slice_from_raw_parts(block, 1 << 10).as_ref() };
        assert!(bytes.iter().all(|&byte| byte == 3), "what stays is whole");
        // SAFETY: the block is live.
        unsafe { heap.deallocate_sized(block, layout) };
    }
}

#[test]
fn wrappers_and_heaps_pass_a_part_on() {
    use crate::{
        CanaryAllocator, FailingAllocator, FillAllocator, HeapAllocator, Locked, ProxyAllocator,
        QuarantineAllocator, Refusals, SharedProxy, SlabAllocator, TraceAllocator, VerifyAllocator,
    };
    let (pages, books) = (PageAllocator::new("pages"), PageAllocator::new("books"));
    let locked = Locked::new(PageAllocator::new("locked"));
    let (proxy, shared) = (ProxyAllocator::new_in("p", &pages), SharedProxy::new_in("s", &pages));
    let trace = TraceAllocator::new_in("trace", &pages, &books);
    let fill = FillAllocator::new_in("fill", &pages);
    let verify = VerifyAllocator::new_in("verify", 1, &pages);
    let canary = CanaryAllocator::new_in("canary", &pages);
    let failing = FailingAllocator::new_in("failing", Refusals::None, &pages);
    let quarantine =
        QuarantineAllocator::new_in("quarantine", 8, 4 << 20, &pages, &books).expect("room");
    let heap = HeapAllocator::new_in("heap", &pages);
    let slab = SlabAllocator::new_in("slab", &pages);
    let all: [&dyn Allocator; 12] = [
        &&pages,
        &locked,
        &proxy,
        &shared,
        &trace,
        &fill,
        &verify,
        &canary,
        &failing,
        &quarantine,
        &heap,
        &slab,
    ];
    for allocator in all {
        let layout = Layout::from_size_align(1 << 20, 8).expect("a valid layout");
        let block = allocator.allocate(layout).expect("there is memory");
        // SAFETY: the block is ours.
        unsafe { block.cast::<u8>().write_bytes(7, block.len()) };
        let page = PageAllocator::page_size();
        // SAFETY: the part is inside the block.
        let middle = unsafe { block.cast::<u8>().add(4 * page) };
        // SAFETY: the same.
        let given = unsafe { allocator.discard(NonNull::slice_from_raw_parts(middle, 4 * page)) };
        assert!(given >= 3 * page, "{}: {given} bytes", allocator.name());
        // SAFETY: the block is live and was written over its length.
        let bytes = unsafe { block.as_ref() };
        let kept = bytes.iter().filter(|&&byte| byte == 7).count();
        assert_eq!(kept, bytes.len() - given, "{}: the rest is whole", allocator.name());
        // SAFETY: the block is live.
        unsafe { allocator.deallocate_sized(block.cast(), layout) };
        allocator.verify().expect("sound");
    }
}
