//! A level is spawned whose last unit wants a texture that nobody loaded: the program stops and
//! reports that, with the contexts that it happened in. The report goes to standard error and to
//! the folder for temporary files.
//!
//! `cargo run -p loligo-diagnostics --example deliberate_error`; with `-- panic` a library panics
//! instead, with `-- threads` several threads fail at once.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Barrier;
use std::{env, thread};

use loligo_allocators::PageAllocator;
use loligo_diagnostics::{
    Level, Log, Options, OrStop, StderrSink, context, ensure, install, log, warning,
};

const LOADED: [&str; 2] = ["grey_stone", "brown_bark"];

type GameLog<'a> = Log<'a, PageAllocator>;

fn main() -> ExitCode {
    let folder = env::temp_dir();
    let options =
        Options { program: "deliberate_error", folder: Some(&folder), ..Options::default() };
    if let Err(error) = install(&options) {
        eprintln!("deliberate_error: {error}");
        return ExitCode::from(2);
    }
    let pages = PageAllocator::new("log");
    let Ok(log) = GameLog::try_new_in(&pages) else {
        eprintln!("deliberate_error: no memory for a log");
        return ExitCode::from(2);
    };
    let _ = log.try_add_sink(Level::Info, &StderrSink);
    match env::args().nth(1).as_deref() {
        Some("panic") => {
            context!("When reading", "settings.sjson");
            let digits = "12a";
            let _number: u32 = digits.parse().unwrap();
        }
        Some("threads") => {
            let together = Barrier::new(3);
            thread::scope(|threads| {
                for worker in ["worker 1", "worker 2", "worker 3"] {
                    let builder = thread::Builder::new().name(worker.to_owned());
                    let started = builder.spawn_scoped(threads, || {
                        context!("When spawning level", "big_world");
                        together.wait();
                        apply_material("feathers", "yellow_feathers")
                    });
                    started.or_stop("three threads can be had");
                }
            });
        }
        _ => spawn_level("big_world", &log),
    }
    ExitCode::SUCCESS
}

fn spawn_level(name: &str, log: &GameLog<'_>) {
    context!("When spawning level", name);
    for (unit, texture) in
        [("small_rock", "grey_stone"), ("tree", "brown_bark"), ("big_bird", "yellow_feathers")]
    {
        log!(log, Info, "spawning {unit}");
        spawn_unit(unit, texture, log);
    }
}

fn spawn_unit(name: &str, texture: &str, log: &GameLog<'_>) {
    context!("When spawning unit", name);
    warning!(log, "{name} has no physics");
    let index = apply_material("feathers", texture);
    log!(log, Debug, "texture {index}");
}

fn apply_material(name: &str, texture: &str) -> usize {
    context!("When applying material", name);
    let index = LOADED.iter().position(|loaded| *loaded == texture);
    ensure!(index.is_some(), "Texture not loaded: {texture}");
    index.unwrap_or_default()
}
