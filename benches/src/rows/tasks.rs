//! The rows of tasks.
//!
//! `spawn1` and `spawn2` add tasks that do nothing and wait for them, on one thread and on two,
//! compared with peers; `spawn1-ns` and `spawn2-ns` hold ours to its own figure. `few` are scopes
//! of four such tasks, `chain-ns` tasks each of which waits for the one before, `fork` a tree whose
//! branches divide themselves in two. `for-small` and `for-large` are loops, `serial` and
//! `serial-tasks` what they cost on one thread compared with a plain loop. `frame2` is the frame of
//! the article on two threads; `frame2-bound` its time over the least that two threads could take,
//! of which the busy share is the reciprocal. Rows of two threads take the time on the wall, so the
//! machine must have two cores to spare.
//!
//! `spawn4` to `spawn16`, `frame8` and `frame16` have more threads than most machines that this
//! runs on have cores, so the note says how many there were. On a busy machine all of a pool's
//! threads can be on one core, and then these say no more than `spawn1`. `over` is the frame on
//! four threads a core compared with one a core.
//!
//! `wake` is the time from adding a task to its begin on a thread that slept, `idle` the CPU time
//! of sleeping threads, `urgent` the time from adding a task of the highest priority to its begin
//! where both threads have others to do, the 95th percentile. `dependents1000` are tasks that
//! depend on one, from the moment at which that may start.

use std::thread;

use loligo_tasks::THREADS_MAX;

use crate::contender::{Contender, Race};
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::tasks::{
    LARGE, Loop, SMALL, bevy_frame, bevy_loop, bevy_spawn, chili_tree, idle, our_chain,
    our_dependents, our_few, our_frame, our_loop, our_share, our_spawn, our_tasks_alone, our_tree,
    our_urgent, our_wake, plain_loop, raw_frame, raw_loop, raw_spawn, rayon_dependents, rayon_few,
    rayon_frame, rayon_loop, rayon_spawn, rayon_tree, rayon_wake,
};

/// A busy share of 95 %, and the goal of 98 %.
const BUSY: Aim = Aim::time(1.0 / 0.95, 1.0 / 0.98);

/// Sleeping threads take nothing.
const NONE: Aim = Aim::count(0.0, 0.0);

/// Tasks are not interrupted, so an urgent one waits until the first of the threads has ended what
/// it runs. The thread that adds it in the midst of a task has at most that whole task before it:
/// the goal, one length. That a task may take longer than the median one, where it loses its core
/// for a while, is what the target allows for: two.
const NEXT: Aim = Aim::time(2.0, 1.0);

/// Four threads a core run the same tasks as one a core. What they add is switches of the system's,
/// and that a thread with a task in hand may wait for a core while others look for tasks: a tenth.
const SHARED: Aim = Aim::over_peer(1.1, 1.0);

/// Returns the rows of tasks.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = rows_of_cores();
    rows.extend(rows_of_sleep());
    rows.extend(rows_of_many_threads());
    rows
}

/// Returns the rows of one and two threads.
fn rows_of_cores() -> Vec<Row> {
    let ahead = Aim::over_peer(1.0, 0.7);
    let level = Aim::over_peer(1.0, 1.0);
    let under = Aim::time(80.0, 50.0);
    let chain = Aim::time(160.0, 80.0);
    vec![
        row("spawn1", Unit::Ns, ahead, Measure::Race(spawn::<1>)),
        row("spawn1-ns", Unit::Ns, under, Measure::Alone(our_spawn::<1>)),
        row("spawn2", Unit::Ns, ahead, Measure::Race(spawn::<2>)),
        row("spawn2-ns", Unit::Ns, under, Measure::Alone(our_spawn::<2>)),
        row("few1", Unit::Ns, level, Measure::Race(few::<1>)),
        row("few2", Unit::Ns, level, Measure::Race(few::<2>)),
        row("chain1-ns", Unit::Ns, chain, Measure::Alone(our_chain::<1>)),
        row("chain2-ns", Unit::Ns, chain, Measure::Alone(our_chain::<2>)),
        row("dependents1000-1", Unit::Ns, level, Measure::Race(dependents::<1>)),
        row("dependents1000-2", Unit::Ns, level, Measure::Race(dependents::<2>)),
        row("fork1", Unit::Ns, level, Measure::Race(fork::<1>)),
        row("fork2", Unit::Ns, level, Measure::Race(fork::<2>)),
        row("for-small1", Unit::Ns, level, Measure::Race(|| each::<1>(SMALL))),
        row("for-small2", Unit::Ns, level, Measure::Race(|| each::<2>(SMALL))),
        row("for-large1", Unit::Us, level, Measure::Race(|| each::<1>(LARGE))),
        row("for-large2", Unit::Us, level, Measure::Race(|| each::<2>(LARGE))),
        row("serial", Unit::Ns, level, Measure::Race(serial)),
        row("serial-tasks", Unit::Us, level, Measure::Race(serial_tasks)),
        row("frame2", Unit::Us, level, Measure::Race(frame2)),
        row("frame2-bound", Unit::TimePerBound, BUSY, Measure::Alone(our_share)),
        row("urgent", Unit::TimePerTask, NEXT, Measure::Alone(our_urgent)),
    ]
}

/// Returns the rows of threads that have nothing to do.
fn rows_of_sleep() -> Vec<Row> {
    let level = Aim::over_peer(1.0, 1.0);
    vec![
        row("wake-p50", Unit::Us, level, Measure::Race(wake::<50>)),
        row("wake-p99", Unit::Us, level, Measure::Race(wake::<99>)),
        row("idle", Unit::CpuPerWall, NONE, Measure::Once(idle)),
    ]
}

/// Returns the rows of more threads than cores, or what are more on small machines. Held to
/// rayon's alone: a queue with one lock is no measure of how threads share cores.
fn rows_of_many_threads() -> Vec<Row> {
    let level = Aim::over_peer(1.0, 1.0);
    let cores = cores();
    let noted = |row: Row, threads| row.noted(format!("{threads} threads on {cores} cores"));
    vec![
        noted(row("spawn4", Unit::Ns, level, Measure::Race(spawn_many::<4>)), 4),
        noted(row("spawn8", Unit::Ns, level, Measure::Race(spawn_many::<8>)), 8),
        noted(row("spawn16", Unit::Ns, level, Measure::Race(spawn_many::<16>)), 16),
        noted(row("frame8", Unit::Us, level, Measure::Race(|| frame_many(8))), 8),
        noted(row("frame16", Unit::Us, level, Measure::Race(|| frame_many(16))), 16),
        noted(row("over", Unit::Us, SHARED, Measure::Race(over)), many()),
    ]
}

fn row(name: &str, unit: Unit, aim: Aim, measure: Measure) -> Row {
    Row::new(format!("tasks/{name}"), unit, aim, measure)
}

/// Returns how many cores this process may use.
fn cores() -> u32 {
    thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}

/// Returns four threads a core, or the most that there can be.
fn many() -> u32 {
    cores().saturating_mul(4).min(THREADS_MAX)
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

fn frame2() -> Race {
    race(our_frame(2), vec![rayon_frame(2), bevy_frame(2), raw_frame(2)])
}

fn dependents<const THREADS: u32>() -> Race {
    race(our_dependents::<THREADS>(), vec![rayon_dependents::<THREADS>()])
}

fn wake<const PERCENT: usize>() -> Race {
    race(our_wake::<PERCENT>(), vec![rayon_wake::<PERCENT>()])
}

fn spawn_many<const THREADS: u32>() -> Race {
    race(our_spawn::<THREADS>(), vec![rayon_spawn::<THREADS>()])
}

fn frame_many(threads: u32) -> Race {
    race(our_frame(threads), vec![rayon_frame(threads)])
}

fn over() -> Race {
    race(our_frame(many()), vec![our_frame(cores()).named("one thread a core")])
}
