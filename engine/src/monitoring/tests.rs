//! A writer that comes too late: what is lost is counted, in the report and in the trace.

use std::fs::{self, File};

use loligo_allocators::PageAllocator;
use loligo_monitor::{BLOCK_BYTES, EVENT_BYTES, current, name};

use super::{ClosingTrace, Monitoring, TRACE_BLOCKS, TraceFile, TraceWriter};

#[test]
fn what_a_late_writer_has_lost_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("late.pftrace");
    let trace = TraceFile::new(File::create(&path).expect("it may be written"));
    let pages = PageAllocator::new("pages");
    let monitoring = Monitoring::try_new_in(true, &pages).expect("there is memory");
    // More than all blocks hold, before the writer begins.
    let count = u64::from(TRACE_BLOCKS) * (BLOCK_BYTES / EVENT_BYTES) as u64 + 100_000;
    monitoring.record("main", &mut || {
        for number in 0..count {
            current::counter(name!("number"), number.cast_signed());
            if number % 1000 == 0 {
                monitoring.end_frame();
            }
        }
    });
    drop(ClosingTrace(&monitoring));
    monitoring.serve(TraceWriter::try_new_in(&trace, &pages).expect("there is memory"));
    let report = trace.into_report();
    assert!(report.error.is_none() && report.lost >= 100_000, "{report:?}");
    let frames = count.div_ceil(1000);
    // The report of the loss is an event, too.
    assert_eq!(
        report.events + report.lost,
        count + frames + 1,
        "each is written or lost: {report:?}"
    );
    let bytes = fs::read(&path).expect("it was written");
    let said = b"events were lost";
    assert!(bytes.windows(said.len()).any(|part| part == said), "the trace shows it");
}
