//! A consumer that writes down what it sees, and a monitor whose clock counts ticks as nanoseconds.

use loligo_allocators::{Allocator, HeapAllocator, Locked, PageAllocator};
use loligo_monitor::{Clock, Consumer, Event, Monitor, Options, What};

/// A heap that threads share, and that counts.
pub(crate) type Debug<'a> = Locked<HeapAllocator<'a, PageAllocator>>;

/// A line for each event but those of frames: thread, time, what.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) lines: Vec<String>,
    pub(crate) times: Vec<u64>,
}

impl Consumer for Seen {
    fn event(&mut self, event: &Event<'_>) {
        let thread = event.thread_name;
        let what = match event.what {
            What::Enter { name, .. } => format!("{thread} > {name}"),
            What::Leave { name, cut: false } => format!("{thread} < {name}"),
            What::Leave { name, cut: true } => format!("{thread} <! {name}"),
            What::Frame { number } => format!("{thread} frame {number}"),
            What::Counter { name, value } => format!("{thread} {name} {value}"),
            What::Float { name, value } => format!("{thread} {name} {value:?}"),
            What::Vector { name, value } => format!("{thread} {name} {value:?}"),
            What::Allocate { heap, bytes, .. } => format!("{thread} {heap} +{bytes}"),
            What::Free { heap, bytes, .. } => format!("{thread} {heap} -{bytes}"),
            What::Lost { events } => format!("{thread} lost {events}"),
        };
        self.lines.push(what);
        self.times.push(event.time_ns);
    }
}

/// Runs `test` with a heap, all of which must come back.
pub(crate) fn with_heap<R>(test: impl FnOnce(&Debug<'_>) -> R) -> R {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("debug heap", &pages));
    let result = test(&heap);
    assert_eq!(heap.stats().live, 0, "everything is given back");
    result
}

/// Options for few blocks and threads.
pub(crate) const SMALL: Options = Options { blocks: 4, threads: 4, names: 16 };

/// Returns a monitor in whose time a tick is a nanosecond.
pub(crate) fn small<'h, 'p>(heap: &'h Debug<'p>) -> Monitor<'h, Debug<'p>> {
    Monitor::try_with_clock_in(&SMALL, Clock::new(0, 1.0), heap).expect("there is memory")
}

/// Returns everything that was handed in.
pub(crate) fn all(monitor: &Monitor<'_, Debug<'_>>) -> Seen {
    let mut seen = Seen::default();
    monitor.validate().expect("nothing is broken");
    let drained = monitor.drain(&mut [&mut seen]);
    assert_eq!(drained.events, seen.lines.len() as u64, "it counts what it passes on");
    monitor.validate().expect("nothing is broken");
    seen
}
