//! Transforms computed in pieces: the same matrices and the same order as on one thread.

use std::thread;

use glam::{Quat, Vec3};
use loligo_entities::{Entities, Entity, Pose, TransformPiece, Transforms};

use crate::memory::with_memory;

/// Enough for several pieces a level, on levels of several words.
const COUNT: usize = 9_000;

/// How what a level is cut into is computed.
type Run = fn(&mut [TransformPiece<'_>]);

/// A thread for each piece, the last one first.
fn on_threads(pieces: &mut [TransformPiece<'_>]) {
    assert!(pieces.len() > 1, "one piece is no piece");
    thread::scope(|scope| {
        for piece in pieces.iter_mut().rev() {
            scope.spawn(|| piece.compute());
        }
    });
}

/// Computes half of them, some twice.
fn half(pieces: &mut [TransformPiece<'_>]) {
    for piece in pieces.iter_mut().step_by(2) {
        piece.compute();
        piece.compute();
    }
}

/// Numbers from a seed.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 27) % end
    }
}

fn pose(drawn: &mut Drawn) -> Pose {
    let mut number = || drawn.below(2_000) as f32 / 1_000.0 - 1.0;
    let turned = Quat::from_xyzw(number(), number(), number(), 1.5).normalize();
    let (position, scale) =
        (Vec3::new(number(), number(), number()), Vec3::splat(1.0 + number() / 8.0));
    Pose { position, rotation: turned, scale }
}

/// Builds a forest; the same for a seed.
fn forest(
    drawn: &mut Drawn,
    transforms: &mut Transforms<'_>,
    entities: &mut Entities<'_>,
) -> Vec<Entity> {
    let mut all: Vec<Entity> = Vec::new();
    for at in 0..COUNT {
        let entity = entities.create().expect("there is memory");
        // A third are roots; the others hang below any that is there, at most some levels deep.
        let parent = (at % 3 != 0).then(|| all[drawn.below(at as u64) as usize]);
        transforms.try_insert(entity, parent, pose(drawn)).expect("there is memory");
        all.push(entity);
    }
    all
}

fn check(seed: u64, run: Run) {
    with_memory(|memory| {
        let [mut whole, mut cut] = [(); 2].map(|()| Transforms::new_in(memory));
        let [mut first, mut second] = [(); 2].map(|()| Entities::new_in(memory));
        let all = forest(&mut Drawn(seed), &mut whole, &mut first);
        forest(&mut Drawn(seed), &mut cut, &mut second);
        let mut drawn = Drawn(seed ^ 1);
        for round in 0..6 {
            let (mut expected, mut moved) = (Vec::new(), Vec::new());
            whole.update(|entity, matrix| expected.push((entity, *matrix)));
            cut.update_in_pieces(run, |entity, matrix| moved.push((entity, *matrix)));
            assert_eq!(moved.len(), expected.len(), "seed {seed}, round {round}");
            let is_same = expected == moved;
            assert!(is_same, "seed {seed}, round {round}: another order, or other bits");
            assert_eq!(expected.is_empty(), round == 5, "only the last round moves nothing");
            cut.validate().expect("it is whole");
            // Fewer from round to round, at last none.
            for _ in 0..[COUNT, 3_000, 200, 1, 0, 0][round] {
                let entity = all[drawn.below(COUNT as u64) as usize];
                let pose = pose(&mut drawn);
                let is_set = whole.set_pose(entity, &pose) && cut.set_pose(entity, &pose);
                assert!(is_set, "{entity:?} has a transform");
            }
        }
    });
}

#[test]
fn pieces_on_threads_compute_what_one_thread_does() {
    for seed in 0..4 {
        check(seed, on_threads);
    }
}

#[test]
fn what_a_run_leaves_out_is_computed_all_the_same() {
    check(7, half);
    check(8, |_| {});
}
