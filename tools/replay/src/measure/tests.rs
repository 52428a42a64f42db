//! Tests of measuring: allocators with planted faults, caps, memory, and the form of the results.

use core::alloc::Layout;
use core::ptr::null_mut;
use std::path::PathBuf;

use loligo_allocators::Allocator;

use super::*;
use crate::bundled::bundled;
use crate::child::alone;
use crate::our_rows::ours;
use crate::ours::{PAGES, address, free};
use crate::pass::verify::LossKind;
use crate::peers::System;
use crate::results::{RowResult, Spread};
use crate::rows::peers;
use crate::strategies::built_in;
use crate::subject::Subject;
use crate::trace::{Event, Op};

/// A small generator of numbers; tests print its seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// Returns a valid trace of `count` random events with all operations and several alignments.
fn random_trace(seed: u64, count: usize) -> Trace {
    println!("seed {seed}");
    let mut random = Random(seed);
    let mut live: Vec<(u32, u8)> = Vec::new();
    let mut free: Vec<u32> = Vec::new();
    let mut slots = 0;
    let mut events = Vec::new();
    while events.len() < count {
        let bytes = 1 + if random.next(20) == 0 { random.next(50_000) } else { random.next(300) };
        let choice = random.next(10);
        let event = if live.is_empty() || (choice < 5 && live.len() < 200) {
            let align_log2 = if random.next(30) == 0 { random.next(13) as u8 } else { 3 };
            let slot = free.pop().unwrap_or_else(|| {
                slots += 1;
                slots - 1
            });
            live.push((slot, align_log2));
            let op = if choice == 0 { Op::AllocateZeroed } else { Op::Allocate };
            Event { op, align_log2, thread: 0, slot, bytes }
        } else {
            let index = random.next(live.len() as u64) as usize;
            let (slot, align_log2) = live[index];
            let (op, bytes) = if choice < 7 { (Op::Reallocate, bytes) } else { (Op::Free, 0) };
            if op == Op::Free {
                live.swap_remove(index);
                free.push(slot);
            }
            Event { op, align_log2, thread: 0, slot, bytes }
        };
        events.push(event);
    }
    Trace::from_events("random", events).expect("the generator makes valid traces")
}

fn quick() -> Options {
    Options {
        rounds: 2,
        worst_rounds: 5,
        worst_at_once: 2,
        memory: false,
        verify: true,
        cap: Some(Duration::from_secs(20)),
        warm_percent: 0,
        fresh: false,
    }
}

fn run(trace: Trace, rows: &[Row], options: &Options) -> Measured {
    let traces = [trace];
    let mut measured =
        measure(&traces, rows, options, &mut |_| {}).expect("the system has what it takes");
    measured.pop().expect("one trace, one result")
}

/// Runs one faulty subject under verification and returns what it lost.
fn losses<S: Subject + 'static>(make: impl Fn() -> S + 'static) -> Vec<LossKind> {
    let _alone = alone();
    let rows = [Row::growing("faulty", Kind::Peer, make)];
    let options = Options { worst_rounds: 0, rounds: 1, ..quick() };
    let measured = run(random_trace(7, 3000), &rows, &options);
    let found = measured.verified[0].clone().expect("it was verified");
    found.losses.into_iter().map(|loss| loss.what).collect()
}

/// The system's malloc with a fault of choice.
struct Faulty {
    fault: Fault,
    calls: u64,
    system: System,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// Writes one byte into a block of somebody else.
    Writes(*mut u8),
    /// Returns blocks that are off by 4 bytes.
    Misaligned,
    /// Returns blocks as zeroed that are not.
    NotZeroed,
    /// Does not copy when a block grows.
    NotCopied,
    /// Ends the process.
    Crashes,
    /// Finds itself broken.
    Broken,
    /// Refuses every third request.
    Refuses,
    /// Takes 50 microseconds for each request.
    Slow,
}

impl Faulty {
    fn with(fault: Fault) -> impl Fn() -> Self {
        move || Self { fault, calls: 0, system: System }
    }

    /// Returns a layout with room for the fault.
    fn wide(layout: Layout) -> Layout {
        Layout::from_size_align(layout.size() + 64, layout.align().max(16)).expect("small layouts")
    }

    fn refuses(&mut self) -> bool {
        self.calls += 1;
        self.fault == Fault::Refuses && self.calls.is_multiple_of(3)
    }
}

// SAFETY: broken on purpose, as each fault says; blocks are wide enough to keep the process alive.
unsafe impl Subject for Faulty {
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        if self.refuses() {
            return null_mut();
        }
        if self.fault == Fault::Slow {
            let from = clock::thread_cpu_ns();
            while clock::thread_cpu_ns() < from + 50_000 {}
        }
        if self.fault == Fault::Crashes && self.calls >= 500 && verifying() {
            std::process::abort();
        }
        let block = self.system.allocate(Self::wide(layout));
        match self.fault {
            Fault::Writes(last) => {
                if self.calls.is_multiple_of(100) && !last.is_null() {
                    // SAFETY: the byte is in a block of this subject or in its wide end.
                    let byte = unsafe { last.read() };
                    // SAFETY: as above.
                    unsafe { last.write(!byte) };
                }
                self.fault = Fault::Writes(block);
                block
            }
            // SAFETY: the block is 64 bytes longer than asked.
            Fault::Misaligned => unsafe { block.add(4) },
            _ => block,
        }
    }

    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        let block = self.allocate(layout);
        if !block.is_null() {
            // SAFETY: the block holds the layout's size.
            unsafe { block.write_bytes(0, layout.size()) };
            if self.fault == Fault::NotZeroed {
                // SAFETY: the last byte of the block.
                let last = unsafe { block.add(layout.size() - 1) };
                // SAFETY: as above.
                unsafe { last.write(1) };
            }
        }
        block
    }

    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        if let Fault::Writes(last) = self.fault
            && last == block
        {
            self.fault = Fault::Writes(null_mut());
        }
        let back = if self.fault == Fault::Misaligned { 4 } else { 0 };
        // SAFETY: the block is as far into the system's as `allocate` put it.
        let block = unsafe { block.sub(back) };
        // SAFETY: the block is the system's, with the layout that `allocate` asked.
        unsafe { self.system.deallocate(block, Self::wide(layout)) }
    }

    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        let new = Layout::from_size_align(bytes, old.align()).expect("small layouts");
        let moved = self.allocate(new);
        if !moved.is_null() {
            let copied = if self.fault == Fault::NotCopied { 0 } else { old.size().min(bytes) };
            // SAFETY: both blocks are live and hold the lesser size.
            unsafe { moved.copy_from_nonoverlapping(block, copied) };
            // SAFETY: the caller's promise.
            unsafe { self.deallocate(block, old) };
        }
        moved
    }

    fn check(&self) -> Result<(), String> {
        if self.fault == Fault::Broken { Err("a list leads nowhere".to_owned()) } else { Ok(()) }
    }
}

/// Returns `true` if this is a child: only there may a test crash.
fn verifying() -> bool {
    use std::sync::OnceLock;
    static TESTS: OnceLock<u32> = OnceLock::new();
    *TESTS.get_or_init(std::process::id) != std::process::id()
}

#[test]
fn a_write_into_another_block_is_found() {
    let lost = losses(Faulty::with(Fault::Writes(null_mut())));
    assert!(matches!(lost[0], LossKind::Contents { offset_bytes: 0, .. }), "{lost:?}");
}

#[test]
fn misaligned_blocks_are_found() {
    let lost = losses(Faulty::with(Fault::Misaligned));
    assert!(matches!(lost[0], LossKind::Alignment { align: 8 }), "{lost:?}");
}

#[test]
fn blocks_that_are_not_zeroed_are_found() {
    let lost = losses(Faulty::with(Fault::NotZeroed));
    let LossKind::NotZero { offset_bytes, block_bytes } = lost[0] else { panic!("{lost:?}") };
    assert_eq!(offset_bytes, block_bytes - 1);
}

#[test]
fn contents_that_are_not_copied_are_found() {
    let lost = losses(Faulty::with(Fault::NotCopied));
    assert!(matches!(lost[0], LossKind::Contents { .. }), "{lost:?}");
}

#[test]
fn a_crash_is_a_loss() {
    verifying();
    assert_eq!(losses(Faulty::with(Fault::Crashes)), [LossKind::Died]);
}

#[test]
fn a_failed_check_is_a_loss() {
    let lost = losses(Faulty::with(Fault::Broken));
    assert_eq!(lost, [LossKind::Structure("a list leads nowhere".to_owned())]);
}

#[test]
fn refused_requests_are_counted_and_the_replay_goes_on() {
    let _alone = alone();
    let rows = [Row::growing("refuses", Kind::Peer, Faulty::with(Fault::Refuses))];
    let trace = random_trace(11, 3000);
    let asked = trace.events.iter().filter(|event| event.op != Op::Free).count() as u64;
    let measured = run(trace, &rows, &quick());
    let row = &measured.result.rows[0];
    let refused = row.refused.expect("it is counted");
    assert!(refused > asked / 5 && refused < asked / 2, "{refused} of {asked}");
    assert_eq!(row.events_done, 3000);
    let verified = measured.verified[0].as_ref().expect("it was verified");
    assert_eq!(verified.losses, []);
    assert_eq!(verified.events_done, 3000);
    assert!(verified.refused > 0, "refused while verifying too");
}

#[test]
fn a_slow_row_is_capped_and_not_run_again() {
    let _alone = alone();
    let rows = [
        Row::growing("slow", Kind::Peer, Faulty::with(Fault::Slow)),
        Row::growing("system", Kind::Peer, || System),
    ];
    let cap = Duration::from_millis(30);
    let options = Options { cap: Some(cap), verify: false, memory: true, ..quick() };
    let measured = run(random_trace(13, 20_000), &rows, &options);
    let [slow, system] = &measured.result.rows[..] else { panic!("two rows") };
    assert!(slow.capped, "50 us a request over a cap of 30 ms");
    assert!((512..20_000).contains(&slow.events_done), "{}", slow.events_done);
    assert_eq!(slow.rounds_ns.len(), 1, "its one round is what it has");
    assert!(slow.ns_per_event.expect("a time").median > 10_000.0, "{slow:?}");
    assert_eq!((slow.memory_ratio, slow.worst_ns), (None, None));
    assert!(!system.capped && system.events_done == 20_000, "{system:?}");
    assert_eq!(system.rounds_ns.len(), 2);
    assert!(system.memory_ratio.is_some() && system.worst_ns.is_some(), "{system:?}");
}

#[test]
fn every_row_holds_a_random_trace() {
    let _alone = alone();
    let mut rows = vec![Row::null()];
    rows.extend(ours());
    rows.extend(built_in().iter().map(|strategy| strategy.row()));
    rows.extend(peers());
    let options = Options { memory: true, ..quick() };
    let measured = run(random_trace(17, 6000), &rows, &options);
    assert_eq!(measured.result.rows.len(), rows.len());
    for (row, verified) in measured.result.rows.iter().zip(&measured.verified) {
        assert!(!row.capped, "{row:?}");
        assert_eq!(row.rounds_ns.len(), 2, "{}", row.name);
        let spread = row.ns_per_event.expect("a time");
        assert!(spread.min <= spread.median && spread.median <= spread.max, "{row:?}");
        if row.kind == Kind::Loop {
            assert_eq!((row.memory_ratio, row.worst_ns, row.refused), (None, None, None));
            assert_eq!(*verified, None);
            continue;
        }
        // What the peers that are global hold from other tests of this process hides what they
        // need.
        let least = if row.kind == Kind::Peer { 0.0 } else { 0.5 };
        assert!(row.memory_ratio.expect("memory") >= least, "{row:?}");
        assert!(row.worst_ns.expect("a worst operation") > 0.0, "{row:?}");
        let verified = verified.as_ref().expect("it was verified");
        assert_eq!(verified.losses, [], "{}", row.name);
        assert_eq!(verified.events_done, 6000, "{}", row.name);
        if ["heap", "heap-region", "page"].contains(&&*row.name) {
            assert_eq!(row.refused, Some(0), "{}", row.name);
        }
    }
}

/// Returns a trace that allocates `count` blocks and then frees them.
fn pile(count: u32, bytes: u64) -> Trace {
    let event = |op, slot, bytes| Event { op, align_log2: 3, thread: 0, slot, bytes };
    let mut events: Vec<Event> = (0..count).map(|n| event(Op::Allocate, n, bytes)).collect();
    events.extend((0..count).map(|n| event(Op::Free, n, 0)));
    Trace::from_events("pile", events).expect("valid")
}

/// Whole pages, with as many bytes wasted as are given out. What a malloc needs for these blocks
/// depends on what the process did before, so it is not one.
struct Wasteful;

// SAFETY: as the page allocator's.
unsafe impl Subject for Wasteful {
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        let double = Layout::from_size_align(layout.size() * 2, layout.align()).expect("small");
        let block = address(PAGES.allocate_zeroed(double));
        // SAFETY: the block has twice the size.
        let waste = unsafe { block.add(layout.size()) };
        // SAFETY: as above.
        unsafe { waste.write_bytes(1, layout.size()) };
        block
    }

    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        self.allocate(layout)
    }

    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        let double = Layout::from_size_align(layout.size() * 2, layout.align()).expect("small");
        // SAFETY: the block was allocated with this layout.
        unsafe { free(&PAGES, block, double) }
    }

    unsafe fn reallocate(&mut self, _: *mut u8, _: Layout, _: usize) -> *mut u8 {
        null_mut()
    }
}

#[test]
fn memory_is_what_is_touched() {
    let _alone = alone();
    let rows: Vec<Row> =
        ours().into_iter().chain([Row::growing("wasteful", Kind::Peer, || Wasteful)]).collect();
    let options = Options { memory: true, verify: false, worst_rounds: 0, ..quick() };
    let measured = run(pile(1000, 64 << 10), &rows, &options);
    for row in &measured.result.rows {
        let ratio = row.memory_ratio.expect("memory");
        let expected = match &*row.name {
            "wasteful" => 1.995..2.01,
            "page" => 0.997..1.005,
            _ => 0.99..1.3,
        };
        assert!(expected.contains(&ratio), "{}: {ratio}", row.name);
    }
}

/// The allocator of a program that brings its own to compare is the C library's.
#[cfg(target_env = "gnu")]
#[test]
fn memory_that_the_program_has_freed_is_not_a_rows() {
    let _alone = alone();
    let mut blocks: Vec<Box<[u8; 1000]>> = (0..8000).map(|_| Box::new([7; 1000])).collect();
    // The last block keeps the C library from giving the others back by itself.
    let last = blocks.pop();
    drop(blocks);
    let rows = [Row::growing("system", Kind::Peer, || System)];
    let options = Options { memory: true, verify: false, worst_rounds: 0, ..quick() };
    let measured = run(pile(4000, 1000), &rows, &options);
    let peak = measured.result.rows[0].peak_bytes.expect("it is measured");
    // What a peak can be too small by: 8 pages, and 16 between two looks.
    assert!(peak >= 4_000_000 - (24 << 12), "{peak} bytes for 4000000 that are live");
    drop(last);
}

#[test]
fn an_empty_trace_is_measured() {
    let _alone = alone();
    let rows = [Row::null(), Row::growing("system", Kind::Peer, || System)];
    let empty = Trace::from_events("empty", Vec::new()).expect("valid");
    let measured = run(empty, &rows, &Options { memory: true, ..quick() });
    for row in &measured.result.rows {
        assert_eq!((row.ns_per_event, row.memory_ratio, row.events_done), (None, None, 0));
    }
}

#[test]
fn a_trace_that_no_machine_holds_is_refused_or_left_out() {
    let _alone = alone();
    let huge = || pile(3, 1 << 45);
    let rows: Vec<Row> = ours().into_iter().filter(|row| row.name() == "heap-region").collect();
    let error = measure(&[huge()], &rows, &quick(), &mut |_| {}).expect_err("too large");
    assert!(error.to_string().contains("211106232532992"), "{error}");
    let options = Options { verify: false, memory: true, ..quick() };
    let measured = run(huge(), &rows, &options);
    let row = &measured.result.rows[0];
    assert_eq!((row.events_done, row.ns_per_event, row.memory_ratio), (0, None, None));
    assert!(row.note.as_ref().is_some_and(|note| note.starts_with("not run")), "{row:?}");
}

#[test]
fn progress_counts_to_its_end() {
    let _alone = alone();
    let rows = [Row::null(), Row::growing("system", Kind::Peer, || System)];
    let traces = [pile(10, 10), pile(20, 10)];
    let mut seen = Vec::new();
    let options = Options { memory: true, ..quick() };
    measure(&traces, &rows, &options, &mut |progress| seen.push((progress.done, progress.of)))
        .expect("measured");
    let of = seen[0].1;
    assert_eq!(seen, (0..of).map(|done| (done, of)).collect::<Vec<_>>());
}

#[test]
fn json_is_as_agreed() {
    let row = RowResult {
        name: "heap".to_owned(),
        kind: Kind::Ours,
        ns_per_event: Some(Spread { median: 2.0, min: 1.0, max: 3.0 }),
        memory_ratio: None,
        peak_bytes: None,
        worst_ns: Some(7.5),
        faults: Some(1),
        refused: Some(0),
        capped: false,
        events_done: 9,
        rounds_ns: vec![1.0, 2.0, 3.0],
        note: Some("not in the document".to_owned()),
        threads: None,
    };
    let trace =
        TraceResult { name: "lua".to_owned(), events: 9, peak_live_bytes: 8, rows: vec![row] };
    let results = crate::results::Results { traces: vec![trace] };
    assert_eq!(
        serde_json::to_string(&results).expect("plain data"),
        "{\"traces\":[{\"name\":\"lua\",\"events\":9,\"peak_live_bytes\":8,\"rows\":[{\"name\":\
         \"heap\",\"kind\":\"ours\",\"ns_per_event\":{\"median\":2.0,\"min\":1.0,\"max\":3.0},\
         \"memory_ratio\":null,\"worst_ns\":7.5,\"faults\":1,\"refused\":0,\"capped\":false,\
         \"events_done\":9}]}]}"
    );
}

#[test]
fn json_of_threads_has_their_figures_in_addition() {
    let spread = |median| Some(Spread { median, min: median, max: median });
    let figures = crate::results::ThreadFigures {
        threads: 2,
        recorded_threads: 3,
        elapsed_ns: spread(9e3),
        events_per_second: spread(1e6),
        cpu_ns_per_event: Some(1500.0),
        hand_overs: 5,
        waits: Some(4),
        peak_bytes: None,
        peak_live_bytes: Some(7),
    };
    let spread = |value: &str| format!("{{\"median\":{value},\"min\":{value},\"max\":{value}}}");
    let expected = format!(
        "{{\"threads\":2,\"recorded_threads\":3,\"elapsed_ns\":{},\"events_per_second\":{},\
         \"cpu_ns_per_event\":1500.0,\"hand_overs\":5,\"waits\":4,\"peak_bytes\":null,\
         \"peak_live_bytes\":7}}",
        spread("9000.0"),
        spread("1000000.0")
    );
    assert_eq!(serde_json::to_string(&figures).expect("plain data"), expected);
}

#[test]
fn medians_are_in_the_middle() {
    assert_eq!(Spread::of(&[]), None);
    let odd = Spread::of(&[3.0, 1.0, 2.0]).expect("three values");
    assert_eq!((odd.median, odd.min, odd.max), (2.0, 1.0, 3.0));
    assert_eq!(Spread::of(&[4.0, 1.0, 2.0, 3.0]).expect("four values").median, 2.5);
}

/// The folder of recorded traces: `LOLIGO_DATA`, or `shared` next to the checkout.
fn recordings() -> Option<PathBuf> {
    let data = std::env::var_os("LOLIGO_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let folder = data.join("traces");
    folder.is_dir().then_some(folder)
}

/// Replays the first events of a trace under verification on our rows and asserts that nothing is
/// lost.
fn hold(trace: &Trace) {
    let first = trace.events.iter().take(60_000).copied().collect();
    let trace = Trace::from_events(&trace.name, first).expect("the start of a valid trace");
    let rows: Vec<Row> = ours().into_iter().filter(|row| row.name() != "page").collect();
    let options = Options { rounds: 1, worst_rounds: 0, ..quick() };
    let measured = run(trace, &rows, &options);
    for (row, verified) in measured.result.rows.iter().zip(measured.verified) {
        let verified = verified.expect("it was verified");
        assert_eq!(verified.losses, [], "{} on {}", row.name, measured.result.name);
    }
}

#[test]
fn our_allocators_hold_real_traces() {
    let _alone = alone();
    let Some(folder) = recordings() else {
        println!("no recordings next to the checkout and none in LOLIGO_DATA: the bundled ones do");
        for bundle in bundled() {
            hold(&bundle.open().expect("the bundled traces are valid"));
        }
        return;
    };
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.to_string_lossy().contains(".altrace") {
            hold(&Trace::open(&path).expect("the recordings are valid"));
            count += 1;
        }
    }
    assert!(count > 0, "the folder has recordings");
}
