//! The suites compared with recordings of the C programs.
//!
//! The programs are those of mimalloc-bench, commit ce5784f, built by GCC with `-O2` for glibc on
//! x86-64 Linux with two cores. A library that was preloaded counted calls, sizes, and the blocks
//! that another thread freed than the one that allocated them. Recorded calls include a few of the
//! C library's own, for threads and for output.
//!
//! cfrac and espresso replay a recording, so they are exactly as recorded by construction. What is
//! compared is that reading and replaying drops and adds nothing: the figures below were counted by
//! another program that read the same files.

use loligo_replay::suites::counting::{Counts, counted};
use loligo_replay::suites::{Larson, Mstress, Rptest, Xmalloc};

use crate::suites::recording;
use crate::suites::replay::Replay;

/// How far a port's figure may be from the program's, as a share of it.
const TOLERANCE: f64 = 0.05;

/// Classes with a smaller share of the blocks are compared together, as one.
const SHARE_MIN: f64 = 0.02;

/// What a C program did.
struct Recording {
    /// Blocks allocated, by whichever function.
    allocations: u64,
    /// Blocks freed.
    frees: u64,
    /// Of these, by another thread than the one that allocated.
    foreign_frees: u64,
    /// Blocks by class: `(k, n)` are `n` of over 2^(k - 1), up to 2^k bytes.
    classes: &'static [(usize, u64)],
}

/// `larson 1 8 1000 5000 100 4141 2`: 14 threads in turns on 2 tables, the last two cut short.
const LARSON: Recording = Recording {
    allocations: 6_856_623,
    frees: 6_846_606,
    foreign_frees: 70_000,
    classes: &[
        (3, 6830),
        (4, 55_077),
        (5, 110_320),
        (6, 220_714),
        (7, 442_719),
        (8, 885_055),
        (9, 1_769_746),
        (10, 3_366_160),
    ],
};

/// Threads of [`LARSON`], without the main thread.
const LARSON_THREADS: u64 = 14;

/// `xmalloc-test -w 2 -t 1 -s 64`.
const XMALLOC: Recording = Recording {
    allocations: 6_460_977,
    frees: 6_460_972,
    foreign_frees: 6_460_969,
    classes: &[(6, 6_459_392), (16, 1577)],
};

/// `mstress 2 50 25`. What is freed by another thread depends on how the threads interleave.
const MSTRESS: Recording = Recording {
    allocations: 562_627,
    frees: 562_625,
    foreign_frees: 20_246,
    classes: &[
        (3, 100_725),
        (4, 99_925),
        (5, 99_100),
        (6, 97_900),
        (7, 101_700),
        (8, 26_500),
        (9, 25_551),
        (10, 1800),
        (11, 1750),
        (12, 1776),
        (13, 2125),
        (14, 1875),
        (15, 950),
        (16, 500),
        (17, 175),
        (18, 100),
        (19, 50),
        (20, 125),
    ],
};

/// `rptest 1 0 1 2 500 1000 100 8 16000`.
const RPTEST_ALONE: Recording = Recording {
    allocations: 130_337,
    frees: 130_329,
    foreign_frees: 0,
    classes: &[
        (3, 70),
        (4, 1304),
        (5, 1302),
        (6, 2279),
        (7, 3670),
        (8, 7323),
        (9, 11_547),
        (10, 17_198),
        (11, 22_643),
        (12, 29_653),
        (13, 25_232),
        (14, 8116),
    ],
};

/// `rptest 2 0 1 2 500 1000 100 8 16000`. Parcels were stopped when a thread was ready, here after
/// about 1 800 of 2 000; in another run after 1 670.
const RPTEST: Recording = Recording {
    allocations: 383_462,
    frees: 383_453,
    foreign_frees: 122_808,
    classes: &[
        (3, 195),
        (4, 3796),
        (5, 5621),
        (6, 6638),
        (7, 10_652),
        (8, 21_372),
        (9, 34_456),
        (10, 51_046),
        (11, 66_042),
        (12, 86_535),
        (13, 73_535),
        (14, 23_574),
    ],
};

/// The window of `cfrac 17545186520507317056371138836327483792789528` that is bundled.
const CFRAC: Recording = Recording {
    allocations: 501_319,
    frees: 499_929,
    foreign_frees: 0,
    classes: &[(4, 84_671), (5, 416_079), (6, 563), (9, 4), (11, 1), (12, 1)],
};

/// The window of `espresso largest.espresso` that is bundled. A reallocation counts as an allocation
/// and a free.
const ESPRESSO: Recording = Recording {
    allocations: 349_279 + 1650,
    frees: 349_171 + 1650,
    foreign_frees: 0,
    classes: &[
        (3, 350),
        (4, 135_696),
        (5, 360),
        (6, 165_211),
        (7, 28_551),
        (8, 13_296),
        (9, 4374),
        (10, 1002),
        (11, 371),
        (12, 225),
        (13, 1307),
        (14, 94),
        (15, 89),
        (16, 3),
    ],
};

#[test]
fn cfrac_and_espresso_are_exactly_as_recorded() {
    let cfrac = Replay::new(recording::Recording::cfrac, 1, 1);
    let espresso = Replay::new(recording::Recording::espresso, 1, 1);
    for (replay, theirs) in [(cfrac, &CFRAC), (espresso, &ESPRESSO)] {
        let replay = replay.expect("the bundled recordings are sound");
        let (timing, counts) = counted(|heap| replay.run(heap));
        assert_eq!(counts.allocations, theirs.allocations);
        // What is live at the end of the window is freed as well.
        let live = theirs.allocations - theirs.frees;
        assert_eq!(counts.frees, theirs.frees + live);
        assert_eq!(counts.foreign_frees, 0, "one thread allocates and frees");
        let calls = counts.allocations + counts.frees - counts.reallocations;
        assert_eq!(timing.operations, calls);
        let classes: Vec<_> = (0..).zip(counts.classes).filter(|(_, count)| *count > 0).collect();
        assert_eq!(classes, theirs.classes);
    }
}

#[test]
fn larson_is_as_recorded() {
    let larson = Larson::new(2, 1);
    let counts = counted(|heap| larson.run(heap)).1;
    // The tables, of 10 000 blocks, are filled beforehand, and four times as many replaced. At our
    // end they are freed.
    let ours = (counts.allocations - 10_000) as f64 / (counts.frees - 10_000) as f64;
    let theirs = (LARSON.allocations - 10_000) as f64 / LARSON.frees as f64;
    assert_near("allocations a free", ours, theirs);
    // The main thread frees the tables at our end.
    let foreign = counts.foreign_frees - 10_000;
    let theirs = LARSON.foreign_frees as f64 / LARSON_THREADS as f64;
    assert_near("frees by another thread a thread", foreign as f64 / 2.0, theirs);
    assert_classes(&counts, &LARSON);
}

#[test]
fn xmalloc_test_is_as_recorded() {
    let counts = counted(|heap| Xmalloc::new(2, 20).run(heap)).1;
    let theirs = XMALLOC.foreign_frees as f64 / XMALLOC.frees as f64;
    let ours = counts.foreign_frees as f64 / counts.frees as f64;
    assert_near("share of frees by another thread", ours, theirs);
    let blocks_a_batch = |blocks: u64, batches: u64| blocks as f64 / batches as f64;
    let [(_, blocks), (_, batches)] = XMALLOC.classes else { panic!("two classes") };
    let theirs = blocks_a_batch(*blocks, *batches);
    assert_near("blocks a batch", blocks_a_batch(counts.classes[6], counts.classes[16]), theirs);
    assert_classes(&counts, &XMALLOC);
}

#[test]
fn mstress_is_as_recorded() {
    // Each of the program's 25 iterations makes the same draws.
    let counts = counted(|heap| Mstress::new(2, 1).run(heap)).1;
    assert_near("allocations", counts.allocations as f64, MSTRESS.allocations as f64 / 25.0);
    assert_near("frees", counts.frees as f64, MSTRESS.frees as f64 / 25.0);
    assert_classes(&counts, &MSTRESS);
    assert!(counts.foreign_frees > 0, "some blocks are exchanged");
    // How many depends on the scheduler: recorded in the same way, four runs of the program had
    // 19 856 to 20 379, and one of the port 19 826. The bound is for schedules that are less even.
    let most = MSTRESS.foreign_frees as f64 / MSTRESS.frees as f64 * 3.0;
    let ours = counts.foreign_frees as f64 / counts.frees as f64;
    assert!(ours < most, "{ours} of the frees are by another thread");
}

#[test]
fn rptest_is_as_recorded() {
    // The program starts its threads twice.
    let counts = counted(|heap| Rptest::new(1, 1).run(heap)).1;
    let theirs = RPTEST_ALONE.allocations as f64 / 2.0;
    assert_near("allocations", counts.allocations as f64, theirs);
    assert_near("frees", counts.frees as f64, RPTEST_ALONE.frees as f64 / 2.0);
    assert_eq!(counts.foreign_frees, RPTEST_ALONE.foreign_frees, "one thread alone");
    assert_classes(&counts, &RPTEST_ALONE);
}

#[test]
fn rptest_of_two_threads_is_as_recorded_but_for_the_number_of_parcels() {
    let rptest = Rptest::new(2, 1);
    let counts = counted(|heap| rptest.run(heap)).1;
    let own = counts.allocations - counts.foreign_frees;
    let theirs = (RPTEST.allocations - RPTEST.foreign_frees) as f64 / 2.0;
    assert_near("allocations without parcels", own as f64, theirs);
    // As many blocks on average as a thread fills slots in a loop, and two for the parcel itself.
    let blocks_a_loop = RPTEST_ALONE.allocations as f64 / 2000.0;
    let ours = counts.foreign_frees as f64 / rptest.parcels() as f64;
    assert_near("frees by another thread a parcel", ours, blocks_a_loop + 2.0);
    assert_classes(&counts, &RPTEST);
}

fn assert_near(what: &str, ours: f64, theirs: f64) {
    let error = (ours / theirs - 1.0).abs();
    assert!(error <= TOLERANCE, "{what}: {ours} here, {theirs} in the program");
}

/// Compares the shares of the classes.
fn assert_classes(ours: &Counts, theirs: &Recording) {
    let ours_total: u64 = ours.classes.iter().sum();
    let theirs_total: u64 = theirs.classes.iter().map(|(_, count)| count).sum();
    let mut rest = [0.0, 0.0];
    for class in 0..ours.classes.len() {
        let recorded = theirs.classes.iter().find(|(recorded, _)| *recorded == class);
        let theirs = recorded.map_or(0, |(_, count)| *count) as f64 / theirs_total as f64;
        let ours = ours.classes[class] as f64 / ours_total as f64;
        if theirs >= SHARE_MIN {
            assert_near(&format!("share of blocks up to 2^{class} bytes"), ours, theirs);
        } else {
            rest[0] += ours;
            rest[1] += theirs;
        }
    }
    let [ours, theirs] = rest;
    assert!((ours - theirs).abs() <= TOLERANCE * SHARE_MIN, "rest: {ours}, {theirs} recorded");
}
