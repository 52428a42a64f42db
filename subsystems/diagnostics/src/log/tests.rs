//! Tests of logs: which sink gets which line, what runs out, and which calls are refused.

use core::fmt;
use std::string::String;
use std::sync::Mutex;
use std::vec::Vec;
use std::{format, thread};

use loligo_allocators::{FailingAllocator, HeapAllocator, PageAllocator, Refusals};

use super::{Level, Log, LogLine, LogSink};
use crate::log;

/// Keeps the lines that it gets.
#[derive(Default)]
struct Keeper(Mutex<Vec<(Level, String, u64)>>);

impl Keeper {
    fn texts(&self) -> Vec<String> {
        self.0.lock().expect("nobody failed").iter().map(|line| line.1.clone()).collect()
    }
}

impl LogSink for Keeper {
    fn line(&self, line: &LogLine<'_>) {
        let mut lines = self.0.lock().expect("nobody failed");
        lines.push((line.level, line.text.into(), line.number));
    }
}

#[test]
fn each_sink_gets_its_levels_whole_and_in_order() {
    let pages = PageAllocator::new("log");
    let (all, bad) = (Keeper::default(), Keeper::default());
    let log = Log::try_new_in(&pages).expect("there is memory");
    let all_id = log.try_add_sink(Level::Debug, &all).expect("there is memory");
    let bad_id = log.try_add_sink(Level::Warning, &bad).expect("there is memory");
    assert_ne!(all_id, bad_id);
    let long = "long ".repeat(10_000);
    log!(log, Debug, "{} of {}", 1, 2);
    log!(log, Error, "{long}");
    assert!(log.remove_sink(all_id), "it was registered");
    assert!(!log.remove_sink(all_id), "it no longer is");
    log!(log, Warning, "two\nlines");
    log!(log, Info, "for nobody");
    assert_eq!(all.texts(), ["1 of 2", &long]);
    assert_eq!(bad.texts(), [long.as_str(), "two\nlines"]);
    let third = bad.0.lock().expect("nobody failed")[1].clone();
    assert_eq!((third.0, third.2), (Level::Warning, 2), "its level and its number");
    assert_eq!((log.lines(), log.cut(), log.unheard(), log.sinks()), (4, 0, 0, 1));
}

#[test]
fn lines_of_several_threads_do_not_mix() {
    let pages = PageAllocator::new("log");
    let keeper = Keeper::default();
    let log = Log::try_new_in(&pages).expect("there is memory");
    log.try_add_sink(Level::Debug, &keeper).expect("there is memory");
    thread::scope(|threads| {
        for worker in 0..4 {
            let log = &log;
            threads.spawn(move || {
                for line in 0..100 {
                    log!(log, Info, "{worker} {line} {}", "x".repeat(worker * 7));
                }
            });
        }
    });
    let texts = keeper.texts();
    for worker in 0..4 {
        let own: Vec<_> =
            texts.iter().filter(|text| text.starts_with(&format!("{worker} "))).collect();
        let wanted: Vec<_> =
            (0..100).map(|line| format!("{worker} {line} {}", "x".repeat(worker * 7))).collect();
        assert!(own.iter().copied().eq(&wanted), "of worker {worker}: {own:?}");
    }
}

#[test]
fn a_line_without_memory_is_cut_or_refused() {
    let pages = PageAllocator::new("log");
    let heap = HeapAllocator::new_in("heap", &pages);
    // The sink's entry and the line at its first size are served.
    let failing = FailingAllocator::new_in("failing", Refusals::From(2), &heap);
    let keeper = Keeper::default();
    let log = Log::try_new_in(&failing).expect("the first is served");
    log.try_add_sink(Level::Debug, &keeper).expect("the second is served");
    let long = "\u{e4}".repeat(5_000);
    let refused = log.try_write(Level::Info, format_args!("{long}"));
    assert!(refused.is_err(), "there is no memory");
    assert_eq!((keeper.texts().len(), log.lines()), (0, 0), "nothing of it was passed on");
    log.write(Level::Info, format_args!("{long}"));
    let texts = keeper.texts();
    assert!(texts[0].len() >= 511 && long.starts_with(&texts[0]), "{texts:?}");
    log.write(Level::Info, format_args!("short"));
    assert_eq!(keeper.texts()[1], "short");
    assert_eq!((log.lines(), log.cut()), (2, 1));
}

/// Logs, while it is logged.
struct Logs<'l, 'a>(&'l Log<'a, PageAllocator>);

impl fmt::Display for Logs<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        log!(self.0, Info, "from within");
        f.write_str("outside")
    }
}

#[test]
fn what_is_logged_within_a_line_is_counted_and_does_not_hang() {
    let pages = PageAllocator::new("log");
    let keeper = Keeper::default();
    let log = Log::try_new_in(&pages).expect("there is memory");
    log.try_add_sink(Level::Debug, &keeper).expect("there is memory");
    log!(log, Info, "{}", Logs(&log));
    assert_eq!((keeper.texts(), log.unheard()), (["outside".into()].to_vec(), 1));
}

struct Panics;

impl LogSink for Panics {
    fn line(&self, _: &LogLine<'_>) {
        std::panic::resume_unwind(std::boxed::Box::new("a sink fails"));
    }
}

#[test]
fn a_log_goes_on_after_a_sink_has_panicked() {
    let pages = PageAllocator::new("log");
    let keeper = Keeper::default();
    let log = Log::try_new_in(&pages).expect("there is memory");
    let panics = log.try_add_sink(Level::Debug, &Panics).expect("there is memory");
    log.try_add_sink(Level::Debug, &keeper).expect("there is memory");
    let write = core::panic::AssertUnwindSafe(|| log!(log, Info, "one"));
    assert!(std::panic::catch_unwind(write).is_err(), "the panic is the caller's");
    assert!(log.remove_sink(panics), "the log is not locked any more");
    log!(log, Info, "two");
    assert_eq!((keeper.texts(), log.unheard()), (["two".into()].to_vec(), 0));
}

#[test]
fn levels_are_in_order() {
    assert!(
        Level::Debug < Level::Info && Level::Info < Level::Warning && Level::Warning < Level::Error
    );
    assert_eq!(format!("{:>8}", Level::Info), "    info");
}
