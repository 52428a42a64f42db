//! The allocators that are drawn serve a whole trace and end empty.

use super::{in_region, sample_all};
use crate::report::tests::{random_trace, trace};
use crate::report::timeline::Timeline;
use crate::trace::Op;

#[test]
fn heap_slab_and_buddy_follow_the_trace() {
    let trace = random_trace(77, 6000);
    let line = Timeline::of(&trace);
    let all: Vec<_> =
        sample_all(&trace, &line).into_iter().map(|one| one.finish(1 << 20)).collect();
    let names: Vec<_> = all.iter().map(|data| data.name).collect();
    assert_eq!(names, ["heap", "slab", "buddy"], "the three");
    for data in &all {
        assert_eq!(data.refused, 0, "{} refuses nothing", data.name);
        assert_eq!(data.live, line.live_bytes, "{} holds what is live", data.name);
        for (reserved, live) in data.reserved.iter().zip(&data.live) {
            assert!(*reserved as u64 >= *live, "{} holds all that is live", data.name);
        }
        for (free, largest) in data.free.iter().zip(&data.largest_free) {
            assert!(largest <= free && *free > 0, "{} has gaps", data.name);
        }
        assert_eq!(data.moments.len(), 5, "{} has its strips", data.name);
        for moment in &data.moments {
            assert!(moment.reserved as u64 >= moment.live, "{}: {moment:?}", data.name);
            assert!(moment.cells.contains(|cell| cell != '0'), "{}: {moment:?}", data.name);
        }
    }
}

#[test]
fn the_smallest_region_that_refuses_nothing_is_drawn() {
    let large = trace(&[(Op::Allocate, 0, 1 << 20)]);
    let tried = core::cell::RefCell::new(Vec::new());
    let line = Timeline::of(&large);
    let samples = in_region(&large, |region| {
        tried.borrow_mut().push(region.len());
        super::buddy(region, &large, &line)
    });
    let samples = samples.expect("there is memory for so little");
    assert_eq!(samples.refused(), 0, "a block of 1 MiB fits at last");
    let tried = tried.into_inner();
    assert!(tried.is_sorted() && tried[0] > 5 << 18, "from a quarter over the peak: {tried:?}");
    assert_eq!(samples.longest(), tried[tried.len() - 1], "the last one is drawn");
}
