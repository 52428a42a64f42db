//! What the processes do that are started to be stopped.

use core::fmt;
use std::io::Write;
use std::panic::{catch_unwind, panic_any};
use std::path::Path;
use std::sync::Barrier;
use std::{fs, io, thread};

use loligo_allocators::{Misuse, PageAllocator, misuse};
use loligo_containers::Array;
use loligo_diagnostics::{
    After, Level, Log, LogLine, LogSink, Options, OrStop, Report, context, ensure, install, log,
    unreachable_state, warning,
};

use crate::GUARD;
use crate::child::job;
use crate::memory::counted;

/// The threads of the jobs that have several.
pub(crate) const THREADS: usize = 8;

/// Does the job of this process; when it runs as a test, it has none.
#[test]
fn job_of_this_process() {
    let Some((job, folder)) = job() else { return };
    let folder = Path::new(&folder);
    let options = Options { program: "job 1", folder: Some(folder), ..Options::default() };
    let unwinding = Options { after: After::Unwind, ..options };
    let installed = |options| install(options).expect("the folder is there");
    installed(if job.starts_with("unwind") { &unwinding } else { &options });
    context!("When doing", job);
    match job.as_str() {
        "ensure" => spawn_unit("big_bird"),
        "unreachable_state" => open_doors(3),
        "or_stop" => drop(fs::read(folder.join("none")).or_stop("the game's data must be there")),
        "none" => None::<()>.or_stop("a camera must be there"),
        "unwrap" => textures().next().map(drop).unwrap(),
        "library" => drop(Array::<u8>::new_in(&PageAllocator::new("pages")).remove(7)),
        "no_text" => panic_any(7),
        "display" => ensure!(folder.exists() && folder.is_file(), "{}", Faulty),
        "misuse" => {
            misuse(&loligo_allocators::Report::new(Misuse::DoubleFree, "sound", core::ptr::null()))
        }
        "armed" => GUARD.armed(|| ensure!(folder.is_file(), "in armed code")),
        "observer" => {
            installed(&Options { observer: Some(observe), ..options });
            unreachable_state!("for the observer");
        }
        "observer_panics" => {
            installed(&Options { observer: Some(|_| panic!("the observer fails")), ..options });
            unreachable_state!("for the observer");
        }
        "no_folder" => {
            fs::remove_dir(folder).expect("it is empty");
            unreachable_state!("nowhere to write to");
        }
        "logged" => logged(),
        "sink" => sink_panics(),
        "threads" | "unwind_threads" => threads(),
        "unwind" => {
            let caught = catch_unwind(|| spawn_unit("big_bird")).expect_err("it panics");
            let text = caught.downcast_ref::<String>().expect("its payload is a text");
            assert_eq!(text, "no texture for big_bird");
        }
        "unwind_install" => {
            // The hook that was there before owns no memory, and is replaced by one that owns none
            // either.
            let mut result = None;
            assert_eq!(counted(|| result = Some(install(&unwinding))), 0, "global heap");
            assert_eq!(result, Some(Ok(())), "a second time is no error");
        }
        "unwind_twice" => {
            let _fails = FailsToDrop;
            unreachable_state!("first");
        }
        "unwind_out_of_c" => not_to_unwind(),
        other => unreachable!("no job is called {other}"),
    }
}

fn spawn_unit(name: &str) {
    context!("When spawning unit", name);
    ensure!(textures().any(|texture| texture == name), "no texture for {name}");
}

/// Returns the textures that are loaded: none.
fn textures() -> impl Iterator<Item = &'static str> {
    core::iter::empty()
}

#[inline(never)]
fn open_doors(count: u32) {
    unreachable_state!("{count} doors");
}

/// Cannot be shown.
struct Faulty;

impl fmt::Display for Faulty {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("this cannot be shown")
    }
}

struct FailsToDrop;

impl Drop for FailsToDrop {
    fn drop(&mut self) {
        unreachable_state!("second");
    }
}

extern "C" fn not_to_unwind() {
    unreachable_state!("called by C");
}

fn observe(report: &Report<'_>) {
    // What a window would show; it may even install again.
    let text = report.to_string();
    install(&Options::default()).expect("it needs no folder");
    let line = text.lines().next().unwrap_or_default();
    let _ = writeln!(io::stderr(), "observed {:?} at line {}: {line}", report.kind, report.line);
}

fn logged() {
    let pages = PageAllocator::new("log");
    let log = Log::try_new_in(&pages).expect("there is memory");
    for number in 0..100 {
        log!(log, Info, "line {number} of {}", "x".repeat(300));
        warning!(log, "careful {number}");
    }
    unreachable_state!("after 100 lines");
}

struct PanickingSink;

impl LogSink for PanickingSink {
    fn line(&self, line: &LogLine<'_>) {
        ensure!(line.number == 0, "the second line");
    }
}

/// The report is written while the log is locked.
fn sink_panics() {
    let pages = PageAllocator::new("log");
    let log = Log::try_new_in(&pages).expect("there is memory");
    log.try_add_sink(Level::Debug, &PanickingSink).expect("there is memory");
    log!(log, Info, "one");
    log!(log, Info, "two");
}

/// All fail at once, some while they hold the lock of standard error.
fn threads() {
    let barrier = Barrier::new(THREADS);
    thread::scope(|threads| {
        let work = |number: usize| {
            context!("When in worker", number);
            barrier.wait();
            let _stderr = number.is_multiple_of(2).then(|| io::stderr().lock());
            unreachable_state!("worker {number} fails");
        };
        let started: Vec<_> = (0..THREADS)
            .map(|number| {
                let named = thread::Builder::new().name(format!("worker {number}"));
                named.spawn_scoped(threads, move || work(number)).expect("threads can be had")
            })
            .collect();
        for thread in started {
            // Each has failed, as it should.
            let _ = thread.join();
        }
    });
}
