//! Samples against an allocator whose every block is known.

use loligo_allocators::{Allocator, PageAllocator, SlabAllocator};

use super::{Ground, Samples, WALK_EVERY, moments};
use crate::report::data::Moment;
use crate::report::tests::{Toy, nothing_live, random_trace, trace};
use crate::report::timeline::Timeline;
use crate::trace::Op;

#[test]
fn the_moments_are_the_quarters_and_the_peak() {
    let expected = [(25, "25 %"), (40, "peak"), (50, "50 %"), (75, "75 %"), (100, "100 %")];
    assert_eq!(moments(40, 100), expected, "in order");
    assert_eq!(moments(1, 1), ["25 %", "50 %", "75 %", "100 %", "peak"].map(|label| (1, label)));
}

#[test]
fn lines_gaps_and_strips_are_those_of_the_allocator() {
    let trace = trace(&[
        (Op::Allocate, 0, 1600),
        (Op::Allocate, 1, 800),
        (Op::Free, 0, 0),
        (Op::Allocate, 2, 160),
    ]);
    let toy = Toy::new(4800);
    let line = Timeline::of(&trace);
    let ground = Ground::Region(toy.region());
    let samples = Samples::take("heap", &toy, &ground, &trace, &line);
    nothing_live(&toy);
    assert_eq!(samples.longest(), 4800, "the whole region");
    let data = samples.finish(4800);
    assert_eq!(data.reserved, [4800; 4], "reserved at each moment");
    assert_eq!(data.live, [1600, 2400, 800, 960], "live at each moment");
    assert_eq!(data.walked_at, [1], "every fifth moment");
    assert_eq!((data.free, data.largest_free), (vec![3200], vec![3200]), "one gap after it");
    let labels: Vec<_> = data.moments.iter().map(|moment| (moment.at, moment.label)).collect();
    assert_eq!(labels, [(1, "25 %"), (2, "50 %"), (2, "peak"), (3, "75 %"), (4, "100 %")]);
    let last = Moment {
        label: "100 %",
        at: 4,
        live: 960,
        reserved: 4800,
        bytes_per_cell: 20,
        cells: ["z".repeat(8), "0".repeat(72), "z".repeat(40), "0".repeat(120)].concat(),
        regions: 1,
    };
    assert_eq!(data.moments.last(), Some(&last), "two blocks and two gaps");
}

#[test]
fn a_long_trace_is_sampled_at_its_line() {
    let trace = random_trace(41, 5000);
    let toy = Toy::new(1 << 22);
    let line = Timeline::of(&trace);
    let ground = Ground::Region(toy.region());
    let data = Samples::take("slab", &toy, &ground, &trace, &line).finish(1 << 22);
    nothing_live(&toy);
    assert_eq!(data.live, line.live_bytes, "nothing was refused, so it is the trace's own line");
    let walked: Vec<_> = line.at.iter().copied().step_by(WALK_EVERY).collect();
    assert_eq!(data.walked_at, walked, "every fifth of its moments");
    for (index, free) in data.free.iter().enumerate() {
        // The toy grants what was asked, so all that is not live is gap.
        let live = line.live_bytes[index * WALK_EVERY] as usize;
        assert_eq!(*free, (1 << 22) - live, "free bytes at walk {index}");
        assert!(data.largest_free[index] <= *free, "a gap is no more than all");
    }
}

#[test]
fn a_block_that_is_passed_on_is_live_as_a_whole() {
    let trace = trace(&[(Op::Allocate, 0, 100), (Op::Allocate, 1, 100_000), (Op::Free, 0, 0)]);
    let line = Timeline::of(&trace);
    let pages = PageAllocator::new("pages");
    let slab = SlabAllocator::new_in("slab", &pages);
    let data = Samples::take("slab", &slab, &Ground::Backing(&pages), &trace, &line).finish(240);
    nothing_live(&slab);
    let last = data.moments.last().expect("there are moments");
    let table = slab.stats().peak_reserved - 100_000 - (1 << 20);
    assert!(table < 8192, "the slab's table of large blocks is small: {table} bytes");
    assert_eq!((last.regions, last.live), (3, 100_000), "a region, the large block, the table");
    assert_eq!(last.cells.matches('z').count(), 100_000, "the small block is free");
    let first = &data.moments[0];
    assert_eq!((first.regions, first.live), (1, 100), "before the large block came");
}

#[test]
fn regions_are_the_blocks_of_the_backing() {
    let backing = Toy::new(4096);
    let trace = trace(&[(Op::Allocate, 0, 512)]);
    let line = Timeline::of(&trace);
    // The toy serves as both: what it holds is then at once region and block.
    let ground = Ground::Backing(&backing);
    let data = Samples::take("heap", &backing, &ground, &trace, &line).finish(512);
    assert_eq!(data.moments[0].reserved, 512, "one region");
    assert_eq!(data.moments[0].cells, "z".repeat(512_usize.div_ceil(3)), "all of it live");
}
