//! Records a few frames on two threads, prints where the time went, and writes `trace.json` and
//! `trace.pftrace`.
//!
//! Open either at <https://ui.perfetto.dev>, the first in chrome://tracing, too.
#![forbid(unsafe_code)]

use core::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Barrier;

use loligo_allocators::{HeapAllocator, Locked, PageAllocator};
use loligo_containers::Array;
use loligo_monitor::{
    ChromeTrace, GraphLimits, Graphs, Monitor, MonitoredAllocator, Options, PerfettoTrace,
    Recorder, Timeline, TimelineLimits, name,
};

const FRAMES: u32 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let folder = Path::new(&folder);
    let pages = PageAllocator::new("pages");
    // The memory of the debugging tools is separate from the game's.
    let debug = Locked::new(HeapAllocator::new("debug heap", &pages));
    let monitor = Monitor::try_new(&Options::default(), &debug)?;
    let mut graphs = Graphs::try_new(&GraphLimits::default(), &debug)?;
    for line in ["graph make frame", "graph add_scope frame animate", "graph range frame 0 2"] {
        graphs.command(line)?;
    }
    let mut timeline = Timeline::try_new(&TimelineLimits::default(), &debug)?;
    let json = BufWriter::new(File::create(folder.join("trace.json"))?);
    let mut chrome = ChromeTrace::try_new(json, 64, &debug)?;
    let packets = BufWriter::new(File::create(folder.join("trace.pftrace"))?);
    let mut perfetto = PerfettoTrace::try_new(packets, 64, &debug)?;

    let both = Barrier::new(2);
    std::thread::scope(|threads| {
        let worker = threads.spawn(|| {
            let recorder = monitor.try_recorder("worker")?;
            for _ in 0..FRAMES {
                both.wait();
                animate(&recorder, 20_000);
                recorder.flush();
                both.wait();
            }
            Ok::<_, loligo_monitor::MonitorError>(())
        });
        let main = monitor.try_recorder("main")?;
        for frame in 0..FRAMES {
            let update = main.scope(name!("update"));
            both.wait();
            units(&main, &pages, frame);
            animate(&main, 10_000);
            both.wait();
            drop(update);
            main.frame();
            let drained =
                monitor.drain(&mut [&mut graphs, &mut timeline, &mut chrome, &mut perfetto]);
            assert_eq!(drained.lost, 0, "we drain each frame");
        }
        worker.join().map_err(|_| "the worker panicked")??;
        Ok::<_, Box<dyn Error>>(())
    })?;
    // What the threads still had when they ended.
    let drained = monitor.drain(&mut [&mut graphs, &mut timeline, &mut chrome, &mut perfetto]);
    chrome.finish()?;
    perfetto.finish()?;

    print(&timeline, &graphs);
    println!("wrote {}", folder.join("trace.json").display());
    println!(
        "wrote {}, {} events after the last frame",
        folder.join("trace.pftrace").display(),
        drained.events
    );
    Ok(())
}

/// Prints the last scopes of each thread, and what each frame took.
fn print(timeline: &Timeline<'_>, graphs: &Graphs<'_>) {
    for track in timeline.tracks() {
        println!("{}", timeline.name(track.name()));
        for span in track.spans().rev().take(3) {
            let (name, us) = (timeline.name(span.name), (span.end_ns - span.start_ns) / 1000);
            println!(
                "  {:indent$}{name}: {us} us on core {}",
                "",
                span.core,
                indent = 2 * usize::from(span.depth)
            );
        }
    }
    let Some(frame) = graphs.get("frame") else {
        return;
    };
    println!(
        "animate, ms in each frame, from {:.3} to {:.3}:",
        frame.range().start(),
        frame.range().end()
    );
    for point in frame.series()[0].points() {
        println!("  {:.3}", point.value);
    }
}

/// Takes some time.
fn animate(recorder: &Recorder<'_>, bones: u32) {
    let _animate = recorder.scope(name!("animate"));
    let angle = (0..bones).fold(0.1_f32, |angle, bone| (angle * bone as f32 * 0.7).sin());
    recorder.vector3(name!("last bone"), [angle, -angle, 0.5]);
}

/// Allocates from a heap that is watched.
fn units(recorder: &Recorder<'_>, pages: &PageAllocator, frame: u32) {
    let _spawn = recorder.scope(name!("spawn \"units\""));
    let heap = HeapAllocator::new("units", pages);
    let heap = MonitoredAllocator::new(name!("units"), &heap);
    recorder.run(|| {
        let mut units: Array<'_, u32, _> = Array::new(&heap);
        units.extend(0..frame * 100);
        recorder.counter(name!("units"), units.len() as i64);
    });
    recorder.float(name!("wind"), (frame as f32).sin());
}
