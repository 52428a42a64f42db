//! Tests of slots, of figures, and of what recorders miss.

use super::*;
use crate::trace::Trace;

fn who(thread: u64) -> Who {
    Who { thread, ..Who::default() }
}

#[test]
fn slots_are_used_again_the_last_one_first() {
    let writer = TraceWriter::new(Vec::new()).expect("a vector takes every write");
    let mut books = Books::new(writer);
    let mut write = || -> io::Result<()> {
        for address in [100, 200, 300] {
            books.allocate(address, (Op::Allocate, 4, address), who(70))?;
        }
        books.free(100, who(50))?;
        books.free(200, who(70))?;
        books.allocate(100, (Op::AllocateZeroed, 40, 0), who(50))?;
        let lifted = books.lift(300).expect("it is live");
        // Meanwhile its address is another's.
        books.allocate(300, (Op::Allocate, 4, 9), who(70))?;
        books.land(400, lifted, 500, who(50))?;
        let lifted = books.lift(400).expect("it is live");
        books.put_back(400, lifted).expect("there is memory");
        books.mark(12, who(50))?;
        books.free(999, who(50))
    };
    write().expect("a vector takes every write");
    let (summary, file) = books.finish().expect("a vector takes every write");
    let trace = Trace::read("books", &file[..]).expect("valid");
    let slots: Vec<_> =
        trace.events.iter().map(|event| (event.op, event.slot, event.thread)).collect();
    let wanted = [
        (Op::Allocate, 0, 0),
        (Op::Allocate, 1, 0),
        (Op::Allocate, 2, 0),
        (Op::Free, 0, 1),
        (Op::Free, 1, 0),
        (Op::AllocateZeroed, 1, 1),
        (Op::Allocate, 0, 0),
        (Op::Reallocate, 2, 1),
    ];
    assert_eq!(slots, wanted);
    assert_eq!((trace.events[5].bytes, trace.events[5].align_log2), (1, ALIGN_LOG2_MAX));
    assert_eq!((summary.peak_bytes, summary.peak_blocks), (trace.peak_live_bytes, 3));
    assert_eq!((summary.events, summary.threads, summary.marks), (8, 2, 1));
    assert_eq!((summary.strangers, summary.overlaid, summary.allocations), (1, 0, 5));
}

#[test]
fn percentiles_are_sizes_that_so_many_do_not_exceed() {
    let mut summary = Summary::default();
    assert_eq!(summary.size_percentile(50), 0, "there is none");
    summary.sizes = BTreeMap::from([(8, 50), (16, 40), (1000, 9), (4096, 1)]);
    summary.allocations = 100;
    let found = [1, 50, 51, 90, 91, 99, 100].map(|percent| summary.size_percentile(percent));
    assert_eq!(found, [8, 8, 16, 16, 1000, 1000, 4096]);
}
