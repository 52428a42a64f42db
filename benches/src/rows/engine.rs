//! The rows of the engine: what a frame's script takes.
//!
//! `batch10k` is the update of 10 000 entities by one function in the table `batches`, from the
//! beginning of the frame to the end of its scripts: their positions are copied, changed by the
//! script, compared and set. `batch10k-over-calls` compares it with an `update` that calls
//! `Transform.set_xyz` for each.
//!
//! `boot` is a boot of the courtyard until its first frame is drawn as text. `saved1000` and
//! `saved20000` are a material that is saved in a project of as many, until it is drawn: the pause
//! after the system's notice, the compile in a session until its tables are written, the swap and the
//! frame; `cargo run --release -p loligo-benches --bin saved -- 20000` shows the parts.
//!
//! `inspected` is how much longer a frame of the courtyard is, of the processor on the thread that runs the
//! game, while the page of `loligo inspect` hears of frames, scopes, the log, memory and objects, at 60 frames a
//! second; a fiftieth of such a frame is 0.33 ms. `inspected-garbage` is the same while the page records which
//! calls of scripts make garbage, too: scripts are not compiled meanwhile, and the game is to stay playable.
//!
//! `level10k` is how much longer than a frame of a whole level of 10 000 models the longest of those
//! frames is in which it comes, of the processor on the thread that runs the game; drawing is on that
//! thread. `change10k` is how much longer that frame is in which such a level begins again.
//!
//! `lines100k` is how much longer a frame with 100 000 debug lines is than one without, from the
//! game's logic to the list of what is drawn, of the processor on the thread that runs the game and
//! draws; the game makes them and sends them with one command, or each with one (`lines100k-each`).
//!
//! `loading` is the longest frame of those that go on while a package of 1 500 resources is loaded, of
//! the processor on the thread that runs the game.
//!
//! `read4k` and its like are files of that size that the system has in memory, opened, read by a call
//! into memory of ours and looked at, compared with the same mapped.
//!
//! `save10k` and `load10k` are a save and a load of the same game. `spawn` is what an entity takes of
//! those that a script spawns by name and by a table of positions, which it fills again, in one call,
//! beyond the same entities spawned by logic in one call; both are destroyed again, which is not
//! measured. `spawn-each` is the same by a call for each. `event-rust` is an event of a
//! subsystem from its stream to the game's logic, `event-lua` to a function of a script with two
//! arguments, `event-lua-all` as a part of one call for all: each beyond a frame without events.

use crate::contender::{Contender, Race};
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::engine::events::{Hearing, heard};
use crate::work::engine::inspected::{PAGE, PAGE_AND_GARBAGE, inspected};
use crate::work::engine::levels::{in_one_frame, over_frames};
use crate::work::engine::lines::lines;
use crate::work::engine::loading::longest_frame;
use crate::work::engine::reads::read_beside_mapped;
use crate::work::engine::saves::kept;
use crate::work::engine::shows::{boot, saved};
use crate::work::engine::spawns::{by_logic, by_script, one_by_one};
use crate::work::engine::{batch, calls};

/// Returns the rows of the engine.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row = |name: &str, aim, measure| Row::new(format!("engine/{name}"), Unit::Ms, aim, measure);
    let in_ns =
        |name: &str, aim, measure| Row::new(format!("engine/{name}"), Unit::Ns, aim, measure);
    vec![
        row("batch10k", Aim::time(1.0, 0.3), Measure::Alone(batch)),
        row("batch10k-over-calls", Aim::over_peer(1.0, 0.5), Measure::Race(beside_calls)),
        row("save10k", Aim::time(2.0, 1.0), Measure::Alone(|| kept(false))),
        row("load10k", Aim::time(2.0, 1.0), Measure::Alone(|| kept(true))),
        row("boot", Aim::time(500.0, 250.0), Measure::Alone(boot)),
        row("saved1000", Aim::time(200.0, 50.0), Measure::Alone(|| saved(1000))),
        row("saved20000", Aim::time(200.0, 50.0), Measure::Alone(|| saved(20_000))),
        row("inspected", Aim::time(0.33, 0.17), Measure::Alone(|| inspected(PAGE))),
        row(
            "inspected-garbage",
            Aim::time(2.0, 1.0),
            Measure::Alone(|| inspected(PAGE_AND_GARBAGE)),
        ),
        row("level10k", Aim::time(1.0, 0.5), Measure::Alone(over_frames)),
        row("change10k", Aim::time(16.6, 8.0), Measure::Alone(in_one_frame)),
        row("lines100k", Aim::time(1.0, 0.5), Measure::Alone(|| lines(true))),
        row("lines100k-each", Aim::time(1.0, 0.5), Measure::Alone(|| lines(false))),
        row("loading", Aim::time(1.0, 0.7), Measure::Alone(longest_frame)),
        over_mapped("read4k", || read_beside_mapped(4 << 10)),
        over_mapped("read64k", || read_beside_mapped(64 << 10)),
        over_mapped("read1m", || read_beside_mapped(1 << 20)),
        in_ns("spawn", Aim::time(40.0, 40.0), Measure::Added(|| [by_script(), by_logic()])),
        in_ns("spawn-each", Aim::time(40.0, 40.0), Measure::Added(|| [one_by_one(), by_logic()])),
        in_ns("event-rust", Aim::time(5.0, 5.0), Measure::Added(|| beyond(Hearing::Logic))),
        in_ns("event-lua", Aim::time(60.0, 60.0), Measure::Added(|| beyond(Hearing::Script))),
        in_ns("event-lua-all", Aim::time(60.0, 20.0), Measure::Added(|| beyond(Hearing::Batch))),
    ]
}

fn beyond(hearing: Hearing) -> [Contender; 2] {
    [heard(hearing), heard(Hearing::Nothing)]
}

/// Returns a row of files that are read, compared with the same mapped.
fn over_mapped(name: &str, race: fn() -> Race) -> Row {
    let measure = Measure::Race(race);
    Row::new(format!("engine/{name}"), Unit::Us, Aim::over_peer(1.0, 0.8), measure)
}

fn beside_calls() -> Race {
    Race { ours: batch(), peers: vec![calls()], absent: Vec::new() }
}
