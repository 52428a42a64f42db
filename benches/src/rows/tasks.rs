//! The rows of tasks.
//!
//! `spawn1` and `spawn2` add tasks that do nothing and wait for them, on one thread and on two,
//! compared with peers; `spawn1-ns` and `spawn2-ns` hold ours to its own figure. `few` are scopes of
//! four such tasks, `chain-ns` tasks each of which waits for the one before, `fork` a tree whose
//! branches divide themselves in two. `for-small` and
//! `for-large` are loops, `serial` and `serial-tasks` what they cost on one thread compared with a
//! plain loop. `frame2` is the frame of the article on two threads; `frame2-bound` its time over
//! the least that two threads could take, of which the busy share is the reciprocal. Rows of two
//! threads take the time on the wall, so the machine must have two cores to spare.

use crate::contender::{Contender, Race};
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::tasks::{
    LARGE, Loop, SMALL, bevy_frame, bevy_loop, bevy_spawn, chili_tree, our_chain, our_few,
    our_frame, our_loop, our_share, our_spawn, our_tasks_alone, our_tree, plain_loop, raw_frame,
    raw_loop, raw_spawn, rayon_few, rayon_frame, rayon_loop, rayon_spawn, rayon_tree,
};

/// A busy share of 95 %, and the goal of 98 %.
const BUSY: Aim = Aim::time(1.0 / 0.95, 1.0 / 0.98);

/// Returns the rows of tasks.
#[must_use]
pub fn rows() -> Vec<Row> {
    let ahead = Aim::over_peer(1.0, 0.7);
    let level = Aim::over_peer(1.0, 1.0);
    let under = Aim::time(80.0, 50.0);
    let chain = Aim::time(160.0, 80.0);
    let row =
        |name: &str, unit, aim, measure| Row::new(format!("tasks/{name}"), unit, aim, measure);
    vec![
        row("spawn1", Unit::Ns, ahead, Measure::Race(spawn::<1>)),
        row("spawn1-ns", Unit::Ns, under, Measure::Alone(our_spawn::<1>)),
        row("spawn2", Unit::Ns, ahead, Measure::Race(spawn::<2>)),
        row("spawn2-ns", Unit::Ns, under, Measure::Alone(our_spawn::<2>)),
        row("few1", Unit::Ns, level, Measure::Race(few::<1>)),
        row("few2", Unit::Ns, level, Measure::Race(few::<2>)),
        row("chain1-ns", Unit::Ns, chain, Measure::Alone(our_chain::<1>)),
        row("chain2-ns", Unit::Ns, chain, Measure::Alone(our_chain::<2>)),
        row("fork1", Unit::Ns, level, Measure::Race(fork::<1>)),
        row("fork2", Unit::Ns, level, Measure::Race(fork::<2>)),
        row("for-small1", Unit::Ns, level, Measure::Race(|| each::<1>(SMALL))),
        row("for-small2", Unit::Ns, level, Measure::Race(|| each::<2>(SMALL))),
        row("for-large1", Unit::Us, level, Measure::Race(|| each::<1>(LARGE))),
        row("for-large2", Unit::Us, level, Measure::Race(|| each::<2>(LARGE))),
        row("serial", Unit::Ns, level, Measure::Race(serial)),
        row("serial-tasks", Unit::Us, level, Measure::Race(serial_tasks)),
        row("frame2", Unit::Us, level, Measure::Race(frame)),
        row("frame2-bound", Unit::TimePerBound, BUSY, Measure::Alone(our_share)),
    ]
}

fn race(ours: Contender, peers: Vec<Contender>) -> Race {
    Race { ours, peers, absent: Vec::new() }
}

fn spawn<const THREADS: u32>() -> Race {
    let peers = vec![rayon_spawn::<THREADS>(), bevy_spawn::<THREADS>(), raw_spawn::<THREADS>()];
    race(our_spawn::<THREADS>(), peers)
}

fn few<const THREADS: u32>() -> Race {
    race(our_few::<THREADS>(), vec![rayon_few::<THREADS>()])
}

fn fork<const THREADS: u32>() -> Race {
    race(our_tree::<THREADS>(), vec![rayon_tree::<THREADS>(), chili_tree::<THREADS>()])
}

fn each<const THREADS: u32>(each: Loop) -> Race {
    let peers =
        vec![rayon_loop::<THREADS>(each), bevy_loop::<THREADS>(each), raw_loop::<THREADS>(each)];
    race(our_loop::<THREADS>(each), peers)
}

fn serial() -> Race {
    race(our_loop::<1>(SMALL), vec![plain_loop(SMALL)])
}

fn serial_tasks() -> Race {
    race(our_tasks_alone(), vec![plain_loop(LARGE)])
}

fn frame() -> Race {
    race(our_frame(), vec![rayon_frame(), bevy_frame(), raw_frame()])
}
