//! Traces of runs: all that was recorded is in the file, while the game runs as without.

use std::collections::BTreeMap;
use std::fs::File;

use loligo_engine::{
    EngineOptions, FrameMemory, Logic, TraceFile, TraceReport, World, with_engine,
};
use loligo_monitor::{ExportError, current, name};

use crate::packets::Message;
use crate::support::Game;

const FRAMES: u64 = 50;

const SCRIPT: &str = "
function update()
    Profiler.start('walk') Profiler.record('height', Game.frame()) Profiler.stop('walk')
    Profiler.record_vector('wind', Vector3(1, 2, 3))
    if Game.frame() == 1 then print(pcall(Profiler.start, ('x'):rep(2000))) end
end";

/// Records two scopes in each update, one within the other.
#[derive(Default)]
struct Recorded(u64);

impl<'m> Logic<'m> for Recorded {
    fn update(&mut self, _: &mut World<'m>, _: &FrameMemory<'m>) {
        let _outer = current::scope(name!("outer"));
        let _inner = current::scope(name!("inner"));
        self.0 += 1;
    }
}

/// What is in a trace.
#[derive(Debug, Default)]
struct Seen {
    slices: BTreeMap<String, u64>,
    ends: u64,
    instants: BTreeMap<String, u64>,
    /// Values of each counter, in their order.
    values: BTreeMap<String, Vec<f64>>,
    threads: Vec<String>,
    /// Slices without a core.
    coreless: u64,
    events: u64,
}

fn read(bytes: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let mut names = BTreeMap::new();
    for (number, packet) in Message::read(bytes).0 {
        assert_eq!(number, 1, "a trace is packets");
        let packet = packet.into_message();
        if let Some(track) = packet.message(60) {
            seen.threads.extend(track.message(4).and_then(|thread| thread.text(5)));
            names.insert(track.number(1), track.text(2).unwrap_or_default());
        }
        let Some(event) = packet.message(11) else { continue };
        seen.events += 1;
        match event.number(9) {
            Some(1) => {
                *seen.slices.entry(event.text(23).expect("a name")).or_default() += 1;
                seen.coreless += u64::from(event.message(4).is_none());
            }
            Some(2) => seen.ends += 1,
            Some(3) => *seen.instants.entry(event.text(23).expect("a name")).or_default() += 1,
            _ => {
                let name = names[&event.number(11)].clone();
                seen.values.entry(name).or_default().push(event.double(44).expect("a float"));
            }
        }
    }
    seen.threads.sort();
    seen
}

/// Runs a game with a trace, and returns what it did and what became of the trace.
fn run(game: &Game, threads: u32, trace: TraceFile) -> (u64, TraceReport) {
    let data = game.data();
    let options = EngineOptions {
        threads: Some(threads),
        trace: Some(&trace),
        background_loading: Some(true),
        ..game.options(&data)
    };
    let updates = with_engine(&options, |engine| {
        let mut logic = Recorded::default();
        (0..FRAMES).for_each(|_| engine.frame(&mut logic).expect("a frame"));
        engine.finish().expect("it is drawn");
        logic.0
    });
    (updates.expect("it boots"), trace.into_report())
}

fn game() -> Game {
    let game = Game::new(1);
    game.start_with(SCRIPT);
    game
}

#[test]
fn a_trace_has_every_scope_of_the_run() {
    let game = game();
    for threads in [1, 4] {
        let path = game.sources().join("run.pftrace");
        let trace = TraceFile::new(File::create(&path).expect("it may be written"));
        let (updates, report) = run(&game, threads, trace);
        assert!(report.error.is_none() && report.lost == 0, "{threads} threads: {report:?}");
        let seen = read(&std::fs::read(&path).expect("it was written"));
        for name in ["frame", "draw", "window", "hand over"] {
            assert_eq!(seen.slices[name], FRAMES, "`{name}` with {threads} threads: {seen:?}");
        }
        for name in ["outer", "inner", "logic", "scripts", "walk"] {
            assert_eq!(seen.slices[name], updates, "`{name}` with {threads} threads");
        }
        assert!(seen.slices["debug_draw"] >= 5 * FRAMES, "each phase of a subsystem: {seen:?}");
        assert_eq!(seen.instants, BTreeMap::from([("frame".to_owned(), FRAMES)]));
        assert_eq!(seen.slices.values().sum::<u64>(), report.scopes, "as the engine counts");
        assert_eq!(seen.ends, report.scopes, "all scopes end");
        assert_eq!(seen.values["frame_ms"].len() as u64, FRAMES);
        let heights: Vec<f64> = (0..FRAMES).map(|frame| frame as f64).collect();
        assert_eq!(seen.values["height"], heights, "in their order");
        assert_eq!(seen.values["wind.y"], [2.0; FRAMES as usize]);
        // A vector is one event and three values.
        assert_eq!(seen.events, report.events + 2 * updates, "{threads} threads");
        let wanted: &[&str] = match threads {
            1 => &["main"],
            _ => &["main", "render", "worker 00", "worker 01"],
        };
        let named = |name: &str| seen.threads.iter().any(|own| own == name);
        assert!(wanted.iter().filter(|name| named(name)).count() >= wanted.len() / 2, "{seen:?}");
        assert!(named("main") && (threads == 1 || named("render")), "{seen:?}");
        if cfg!(target_os = "linux") {
            assert_eq!(seen.coreless, 0, "each scope has the core that it began on");
        }
    }
    let log = game.log.all();
    let said = "a name has 2000 bytes where 1024 are the most";
    assert!(log.iter().any(|line| line.contains(said)), "{log:#?}");
}

/// The device takes no byte.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_the_game_goes_on() {
    let full = File::options().write(true).open("/dev/full").expect("the device is there");
    let (updates, report) = run(&game(), 4, TraceFile::new(full));
    assert_eq!(updates, FRAMES);
    assert!(matches!(report.error, Some(ExportError::Write(_))), "{report:?}");
}

#[test]
fn without_the_monitor_a_trace_is_empty() {
    let game = game();
    let path = game.sources().join("run.pftrace");
    let trace = TraceFile::new(File::create(&path).expect("it may be written"));
    let data = game.data();
    let mut options = EngineOptions { trace: Some(&trace), ..game.options(&data) };
    options.without.add("monitor").expect("it may be left out");
    with_engine(&options, |engine| engine.frame(&mut ()).expect("a frame")).expect("it boots");
    assert_eq!(trace.into_report().events, 0);
    assert_eq!(std::fs::read(&path).expect("it is there"), [0; 0]);
}
