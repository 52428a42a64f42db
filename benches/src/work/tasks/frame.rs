//! The frame of the article: animation of many characters, the scene graph after it, the gui in
//! parallel to both, rendering after all of them, sound in parallel to everything.
//!
//! Ours braids them by dependencies. The peers have none: each has the form that is natural to it.

use core::ops::Range;

use loligo_tasks::{AddError, Scope, Task, TaskId, Worker};

use crate::contender::{Contender, Pass};

use super::peers::{bevy, raw, rayon};
use super::{ours, timed, work};

/// How many frames a pass has.
const FRAMES: u32 = 20;

/// Pieces of the parts of a frame, and the steps of each piece.
const ANIMATION: (usize, u32) = (20, 20_000);
const SCENE_GRAPH: (usize, u32) = (10, 10_000);
const GUI: u32 = 160_000;
const RENDER: (usize, u32) = (10, 15_000);
const SOUND: u32 = 100_000;

fn pieces((count, steps): (usize, u32)) -> impl Iterator<Item = impl FnOnce() + Send> {
    (0..count).map(move |piece| move || work(piece as u64, steps))
}

fn some((_, steps): (usize, u32), items: Range<usize>) {
    items.for_each(|piece| work(piece as u64, steps));
}

/// All of it, one after the other.
fn serial() {
    for part in [ANIMATION, SCENE_GRAPH, RENDER] {
        some(part, 0..part.0);
    }
    work(0, GUI);
    work(0, SOUND);
}

/// Adds a part of many pieces: a task that adds them as its children.
fn part<'s>(
    scope: &'s Scope<'s, '_>,
    part: &'static (usize, u32),
    after: Option<TaskId>,
    priority: u8,
) -> Result<TaskId, AddError> {
    let task = Task::new(&"part", move |worker: &Worker<'_>| {
        let Some(own) = worker.task() else { return };
        for piece in pieces(*part) {
            let piece = Task::new(&"piece", move |_| piece()).priority(priority);
            assert!(scope.add(piece.child_of(own)).is_ok(), "there is room");
        }
    });
    let task = task.priority(priority);
    scope.add(match after {
        Some(after) => task.after(after),
        None => task,
    })
}

fn braided(main: &Worker<'_>) {
    let frame = main.scope(&"frame", |scope| {
        let animation = part(scope, &ANIMATION, None, 3)?;
        let graph = part(scope, &SCENE_GRAPH, Some(animation), 3)?;
        let gui = scope.add(Task::new(&"gui", |_| work(0, GUI)).priority(2))?;
        let both = scope.join(&"gui and scene graph", &[graph, gui])?;
        let render = part(scope, &RENDER, Some(both), 3)?;
        let sound = scope.add(Task::new(&"sound", |_| work(0, SOUND)).priority(1))?;
        scope.join(&"done", &[render, sound])
    });
    assert!(matches!(frame, Ok(Ok(_))), "nothing fails");
}

/// The frame by ours, in time for a frame. The number of threads is one that is known only where
/// it runs: one row has as many as there are cores.
pub(crate) fn our_frame(threads: u32) -> Contender {
    ours(threads, move |main| frames(threads, || braided(main)))
}

/// The frame by ours, in its time over the least that two threads could take: half of what one
/// takes, which is more than the longest chain of tasks. What one takes is measured before and
/// after.
pub(crate) fn our_share() -> Contender {
    ours(2, |main| {
        let before = timed(2, FRAMES, serial);
        let ns = frames(2, || braided(main)).ns;
        let after = timed(2, FRAMES, serial);
        Pass { ns, operations: before.midpoint(after) / 2 }
    })
}

/// The frame by rayon.
pub(crate) fn rayon_frame(threads: u32) -> Contender {
    use rayon::prelude::*;
    let each = |part: (usize, u32)| {
        (0..part.0).into_par_iter().for_each(|piece| some(part, piece..piece + 1));
    };
    rayon(threads, move || {
        frames(threads, || {
            rayon::scope(|scope| {
                scope.spawn(|_| work(0, SOUND));
                let animate = || {
                    each(ANIMATION);
                    each(SCENE_GRAPH);
                };
                rayon::join(animate, || work(0, GUI));
                each(RENDER);
            });
        })
    })
}

/// The frame by bevy, phase by phase.
pub(crate) fn bevy_frame(threads: u32) -> Contender {
    bevy(threads, move |pool| {
        frames(threads, || {
            pool.scope(|scope| {
                scope.spawn(async { work(0, GUI) });
                scope.spawn(async { work(0, SOUND) });
                pieces(ANIMATION).for_each(|piece| scope.spawn(async move { piece() }));
            });
            for part in [SCENE_GRAPH, RENDER] {
                pool.scope(|scope| {
                    pieces(part).for_each(|piece| scope.spawn(async move { piece() }));
                });
            }
        })
    })
}

/// The frame by a pool as one writes it, phase by phase.
pub(crate) fn raw_frame(threads: u32) -> Contender {
    raw(threads, move |pool| {
        frames(threads, || {
            pool.spawn(|| work(0, GUI));
            pool.spawn(|| work(0, SOUND));
            for part in [ANIMATION, SCENE_GRAPH, RENDER] {
                pieces(part).for_each(|piece| pool.spawn(piece));
                pool.wait();
            }
        })
    })
}

fn frames(threads: u32, frame: impl FnMut()) -> Pass {
    let ns = timed(threads, FRAMES, frame);
    Pass { ns, operations: u64::from(FRAMES) }
}
