//! Logs under the suite for subsystems: sinks, lines that grow, warnings.

use core::sync::atomic::{AtomicUsize, Ordering};

use loligo_allocators::Allocator;
use loligo_diagnostics::{Level, Log, LogLine, LogSink};

use crate::subsystems::conforms;

/// Counts the bytes that it gets, and keeps none.
#[derive(Default)]
struct Counter(AtomicUsize);

impl LogSink for Counter {
    fn line(&self, line: &LogLine<'_>) {
        self.0.fetch_add(line.text.len(), Ordering::Relaxed);
    }
}

#[test]
fn logs_conform() {
    let sinks: [Counter; 20] = Default::default();
    let bytes = || sinks.iter().map(|sink| sink.0.load(Ordering::Relaxed)).sum::<usize>();
    conforms(|watch| {
        let before = bytes();
        let mut log = watch
            .make(
                |memory: &dyn Allocator| Log::try_new_in(memory),
                |log: &Log<'_>| (log.lines(), log.sinks(), log.cut(), bytes() - before),
            )?
            .claiming(|log| 512 + 24 * log.sinks());
        let mut ids = Vec::new();
        for sink in &sinks {
            ids.push(log.call(|log| log.try_add_sink(Level::Info, sink))?);
        }
        for length in [0, 10, 512, 513, 5_000, 100] {
            // Without the global heap: the line is made by padding.
            log.call(|log| log.try_write(Level::Info, format_args!("{:length$}", "")))?;
        }
        assert!(log.change(|log| log.remove_sink(ids[3]))?, "it was registered");
        // It cannot be refused: without memory it is cut.
        log.change(|log| log.write(Level::Error, format_args!("{:400}", "")))?;
        assert_eq!((log.lines(), log.sinks(), log.cut()), (7, 19, 0));
        assert_eq!(bytes() - before, 20 * (10 + 512 + 513 + 5_000 + 100) + 19 * 400);
        Ok(())
    });
}
