//! Tests of the temporary allocator: blocks inside and in the backing, moves, wrong frees, memory
//! that runs out.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::boxed::Box;
use std::println;
use std::vec::Vec;

use super::TempAllocator;
use crate::contract::allocator::{AllocError, Allocator, SharedRef};
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};

type Temp<'a> = TempAllocator<'a, 1024, TestBacking>;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn take(temp: &dyn Allocator, size: usize) -> NonNull<u8> {
    temp.allocate(layout(size, 1)).expect("there is memory").cast()
}

fn free(temp: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: the block is live, or its free is the subject of a test.
    unsafe { temp.deallocate(block) };
}

fn is_inside<const N: usize>(temp: &TempAllocator<'_, N, TestBacking>, block: NonNull<u8>) -> bool {
    let start = core::ptr::from_ref(temp).addr();
    (start..start + size_of_val(temp)).contains(&block.addr().get())
}

/// This function's name is ambiguous if the type is `Unpin`: a unique reference would then be
/// assumed to be the only access to the bytes inside it.
trait Pinned<A> {
    fn is_pinned() {}
}
impl<T> Pinned<()> for T {}
impl<T: Unpin> Pinned<u8> for T {}
const _: fn() = <Temp<'static> as Pinned<_>>::is_pinned;

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<TempAllocator<'static, 64, dyn Allocator + Sync>>();
    assert_send::<TempAllocator<'static, 64, SharedRef<'static>>>();
};
const _: () = assert!(
    size_of::<TempAllocator<'static, 0, TestBacking>>() <= 368,
    "the size that the docs state"
);

#[test]
fn small_requests_stay_inside() {
    let backing = TestBacking::new();
    let temp = Temp::new_in("temp", &backing);
    let blocks: Vec<_> = (0..20).map(|size| take(&temp, size)).collect();
    assert!(blocks.iter().all(|&block| is_inside(&temp, block)));
    assert_eq!(backing.requests(), 0);
    let stats = temp.stats();
    assert_eq!((stats.live, stats.requested, stats.reserved), (20, 191, 1024));
    let last = blocks[19];
    free(&temp, last);
    assert_eq!(take(&temp, 19), last, "the last block's bytes are given out again");
    temp.verify().expect("sound");
    let report = panic_of(|| temp.assert_empty());
    assert!(report.contains("`temp`") && report.contains("20 live blocks"), "{report}");
}

#[test]
fn what_does_not_fit_falls_back_and_is_released() {
    let backing = TestBacking::new();
    {
        let temp = Temp::new_in("temp", &backing);
        let inside = take(&temp, 800);
        let fallen = take(&temp, 800);
        assert!(is_inside(&temp, inside) && !is_inside(&temp, fallen));
        assert!(temp.owns(inside.as_ptr()) && temp.owns(fallen.as_ptr()));
        assert_eq!(temp.fell_back().requested, 800);
        // SAFETY: the block is live.
        assert_eq!(unsafe { temp.allocated_size(fallen) }, 800);
        let stats = temp.stats();
        assert_eq!((stats.live, stats.requested), (2, 1600));
        assert_eq!(stats.reserved, 1024 + backing.stats().granted);
        free(&temp, inside);
        assert_eq!(temp.stats().peak_requested, 1600);
        // SAFETY: the block is live and has this layout.
        let moved = unsafe { temp.reallocate(fallen, layout(800, 1), layout(700, 1)) };
        assert!(is_inside(&temp, moved.expect("there is room").cast()), "there is room again");
        take(&temp, 5000);
        temp.verify().expect("sound");
    }
    assert_eq!(backing.stats().live, 0);
}

#[test]
fn wrong_frees_are_found() {
    let backing = TestBacking::new();
    let temp = Temp::new_in("temp", &backing);
    let [first, second, fallen] = [take(&temp, 40), take(&temp, 40), take(&temp, 2000)];
    free(&temp, first);
    // SAFETY: it is in the block.
    let inside = unsafe { second.add(8) };
    let mut foreign = 0_u8;
    for (address, word) in [
        (first, "double free"),
        (inside, "interior free"),
        (NonNull::from(&mut foreign), "foreign free"),
    ] {
        let report = misuse_of(|| free(&temp, address));
        assert!(report.contains(word) && report.contains("`temp`"), "{report}");
        assert!(report.contains("temp/tests.rs"), "the report names the caller: {report}");
    }
    // SAFETY: the size is wrong on purpose; it is reported and nothing changes.
    let wrong = misuse_of(|| unsafe { temp.deallocate_sized(second, layout(48, 1)) });
    assert!(wrong.contains("wrong size"), "{wrong}");
    free(&temp, fallen);
    assert!(misuse_of(|| free(&temp, fallen)).contains("double free"));
    free(&temp, second);
    temp.assert_empty();
    temp.verify().expect("sound");
}

#[test]
fn a_moved_one_starts_again_at_its_new_place() {
    let backing = TestBacking::new();
    let first = Box::new(Temp::new_in("temp", &backing));
    let block = take(&*first, 100);
    let fallen = take(&*first, 3000);
    let second = Box::new(*first);
    assert_eq!(second.stats().live, 1, "blocks inside are gone, those that fell back are not");
    let again = take(&*second, 100);
    assert!(is_inside(&second, again));
    // The address may be another's now, but is never taken for a block.
    let old = misuse_of(|| free(&*second, block));
    assert!(old.contains("foreign free") || old.contains("double free"), "{old}");
    second.verify().expect("sound");
    free(&*second, fallen);
    free(&*second, again);
    second.assert_empty();
    drop(second);
    let untouched = Box::new(Temp::new_in("temp", &backing));
    drop(untouched);
    assert_eq!(backing.stats().live, 0);
}

#[test]
fn buffers_of_any_size() {
    fn with<const N: usize>(backing: &TestBacking, holds: usize) {
        let temp = TempAllocator::<N, _>::new_in("temp", backing);
        let small = temp.allocate(layout(1, 1)).expect("there is memory").cast();
        assert_eq!(is_inside(&temp, small), holds > 0, "{N} bytes");
        free(&temp, small);
        if holds > 0 {
            let most = take(&temp, holds);
            assert!(is_inside(&temp, most), "{N} bytes hold {holds}");
            free(&temp, most);
        }
        let over = take(&temp, holds + 1);
        assert!(!is_inside(&temp, over), "{N} bytes hold no more than {holds}");
        temp.verify().expect("sound");
    }
    let backing = TestBacking::new();
    with::<0>(&backing, 0);
    with::<1>(&backing, 0);
    with::<31>(&backing, 0);
    with::<32>(&backing, 8);
    with::<64>(&backing, 40);
    with::<1000>(&backing, 968);
    with::<4096>(&backing, 4016);
    assert_eq!(backing.stats().live, 0);
}

#[test]
fn memory_is_zeroed_only_where_that_is_asked() {
    let backing = TestBacking::new();
    let temp = Temp::new_in("temp", &backing);
    let large = layout(3000, 1);
    let fresh = temp.allocate(large).expect("there is memory");
    let zeroed = temp.allocate_zeroed(large).expect("there is memory");
    // SAFETY: the block is live, and the test backing writes over each block it gives.
    assert!(unsafe { fresh.as_ref() }.iter().all(|&byte| byte == 0xa5), "as the backing gave it");
    // SAFETY: the block is live and zeroed.
    assert!(unsafe { zeroed.as_ref() }.iter().all(|&byte| byte == 0), "zeroed");
    free(&temp, fresh.cast());
    free(&temp, zeroed.cast());
}

#[test]
fn damage_to_the_buffer_is_told() {
    let backing = TestBacking::new();
    let temp = Temp::new_in("temp", &backing);
    let block = take(&temp, 10);
    temp.verify().expect("sound");
    let buffer = temp.buffer.get().cast::<u8>();
    // After the end of the frame's table there is a bit for each 8 bytes.
    let end = 1024 - 1024 / 64 - 8;
    // SAFETY: the buffer has 1024 bytes.
    let end = unsafe { buffer.add(end) }.cast::<[u8; 8]>();
    // SAFETY: the bytes are written, as the frame is open.
    let before = unsafe { end.read() };
    // SAFETY: no reference to them exists; writing there is the point of the test.
    unsafe { end.write([0x5a; 8]) };
    let damage = temp.verify().expect_err("planted");
    assert_eq!(damage.what, "the end of the table is overwritten", "what is broken");
    // SAFETY: as above.
    unsafe { end.write(before) };
    temp.verify().expect("sound again");
    free(&temp, block);
}

#[test]
fn a_refusal_changes_nothing() {
    let backing = TestBacking::new();
    let temp = Temp::new_in("temp", &backing);
    for nth in [0, 1] {
        let before = (temp.stats(), backing.stats().live);
        backing.refuse_nth(nth);
        assert_eq!(temp.allocate(layout(2000, 1)), Err(AllocError), "request {nth}");
        assert_eq!((temp.stats(), backing.stats().live), before);
        temp.verify().expect("sound");
    }
}

#[test]
fn random_programs_keep_the_counters_true() {
    for seed in 0..100 {
        println!("seed {seed}");
        let backing = TestBacking::new();
        let temp = Temp::new_in("temp", &backing);
        if seed % 2 == 0 {
            backing.refuse_nth(seed / 2);
        }
        let mut random = Random::new(seed);
        let mut live: Vec<(NonNull<u8>, Layout)> = Vec::new();
        let mut peak = 0;
        for _ in 0..300 {
            if random.below(2) == 0 || live.is_empty() {
                let layout = layout(random.below(120), 1 << random.below(6));
                if let Ok(block) = temp.allocate(layout) {
                    assert_eq!(block.cast::<u8>().addr().get() % layout.align(), 0);
                    live.push((block.cast(), layout));
                }
            } else {
                let at = live.len() - 1 - random.below(live.len()).min(random.below(4));
                let (block, layout) = live.remove(at);
                // SAFETY: the block is live and has this layout.
                unsafe { temp.deallocate_sized(block, layout) };
            }
            let bytes: usize = live.iter().map(|(_, layout)| layout.size().max(1)).sum();
            peak = peak.max(bytes);
            let stats = temp.stats();
            assert_eq!((stats.live, stats.requested, stats.granted), (live.len(), bytes, bytes));
            assert_eq!((stats.peak_requested, stats.peak_granted), (peak, peak));
            assert!(stats.granted <= stats.reserved && stats.reserved <= stats.peak_reserved);
            temp.verify().expect("sound");
        }
        drop(temp);
        assert_eq!(backing.stats().live, 0, "everything is released");
    }
}

#[test]
fn a_reset_frees_the_buffer_and_what_fell_back() {
    let backing = TestBacking::new();
    let mut temp = Temp::new_in("temp", &backing);
    temp.reset();
    for _ in 0..3 {
        let first = take(&temp, 700);
        [600, 3000].iter().for_each(|&size| _ = take(&temp, size));
        let before = temp.stats();
        assert!(is_inside(&temp, first), "the buffer is free at the start of a turn");
        assert_eq!((before.live, temp.fell_back().live), (3, 2));
        temp.reset();
        temp.verify().expect("sound");
        temp.assert_empty();
        assert_eq!(backing.stats().live, 0, "the table is freed, too");
        assert_eq!(temp.stats().peak_requested, 4300, "the peak is kept");
    }
    let mut moved = Box::new(temp);
    moved.reset();
    let block = take(&*moved, 700);
    assert!(is_inside(&moved, block), "a moved one starts again");
}
