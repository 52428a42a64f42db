//! Steps against frames of known lengths, and how well a smoothed one guesses.

use super::{GameClock, TimeStep, UPDATES_MAX, Updates};

const LONGEST: u64 = 100_000_000;

fn clock() -> GameClock {
    GameClock::new(TimeStep::Smoothed { longest: LONGEST })
}

/// Lengths of frames, each drawn for itself, by the sum of several draws or by one.
fn noise(seed: u64, draws: u64, frames: usize) -> Vec<u64> {
    let mut state = seed;
    let mut draw = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 8_000_000
    };
    (0..frames).map(|_| 12_000_000 + (0..draws).map(|_| draw()).sum::<u64>() / draws).collect()
}

/// The sums of what a policy's steps, and the lengths of the frames before, are off the frames that
/// follow.
fn errors(frames: &[u64]) -> (u64, u64) {
    let mut clock = clock();
    let (mut ours, mut last) = (0, 0);
    for pair in frames.windows(2) {
        ours += clock.advance(pair[0]).abs_diff(pair[1]);
        last += pair[0].abs_diff(pair[1]);
    }
    (ours, last)
}

#[test]
fn a_smoothed_step_guesses_a_fifth_better_than_the_last_frame() {
    for (seed, draws) in [(1, 1), (2, 1), (3, 4), (4, 4), (5, 12), (6, 12)] {
        let (ours, last) = errors(&noise(seed, draws, 20_000));
        println!("seed {seed}, {draws} draws: {ours} of {last}");
        assert!(ours * 10 <= last * 8, "seed {seed}, {draws} draws: {ours} of {last}");
    }
}

#[test]
fn a_slow_frame_is_left_out() {
    let mut clock = clock();
    for _ in 0..30 {
        assert_eq!(clock.advance(16_000_000), 16_000_000, "all alike");
    }
    for frame in 0..2 {
        let step = clock.advance(90_000_000);
        assert!(step <= 16_800_000, "{step} after {frame} slow frames: the debt alone");
    }
}

#[test]
fn a_new_frame_rate_is_followed_and_the_debt_is_paid() {
    let mut clock = clock();
    let mut wall = 0;
    for elapsed in [16_000_000; 50].into_iter().chain([33_000_000; 2000]) {
        wall += elapsed;
        clock.advance(elapsed);
        let behind = wall.cast_signed() - clock.now().cast_signed();
        assert_eq!(clock.debt(), behind, "the debt is what the clocks differ by");
    }
    let step = clock.advance(33_000_000);
    assert!(step.abs_diff(33_000_000) < 1000, "{step} at 33 ms");
    assert!(clock.debt().abs() < 1000, "{} is owed in the end", clock.debt());
}

#[test]
fn no_payment_makes_a_jump() {
    let mut clock = clock();
    let frames = [[16_000_000; 40], [16_000_000; 40]].map(|frames| {
        // The program was halted.
        frames.into_iter().chain([9 * LONGEST, 9 * LONGEST])
    });
    let mut owed = 0;
    for elapsed in frames.into_iter().flatten().chain([16_000_000; 500]) {
        let step = clock.advance(elapsed);
        assert!(step.abs_diff(16_000_000) <= 800_000, "{step}, more than a twentieth off");
        owed = owed.max(clock.debt());
    }
    assert!(owed > 160_000_000, "the halts were owed: {owed}");
    assert!(clock.debt() < owed / 4, "{} of {owed} are owed in the end", clock.debt());
}

#[test]
fn the_first_step_is_the_first_frame() {
    assert_eq!(clock().advance(20_000_000), 20_000_000, "there is nothing before it");
    assert_eq!(clock().advance(u64::MAX), LONGEST, "cut to the longest");
}

#[test]
fn a_variable_step_is_the_last_frame_and_one_each_frame_is_none() {
    let mut variable = GameClock::new(TimeStep::Variable { longest: LONGEST });
    assert_eq!(variable.advance(17), 17, "as it was");
    assert_eq!(variable.advance(u64::MAX), LONGEST, "cut");
    let mut each = GameClock::new(TimeStep::EachFrame { step: 5 });
    assert_eq!([each.advance(1), each.advance(1000)], [5, 5], "whatever it was");
    assert_eq!((each.now(), each.debt()), (10, 0), "two steps, and nothing is owed");
}

#[test]
fn a_clock_of_zeros_stands_still() {
    let mut clock = clock();
    for _ in 0..20 {
        assert_eq!(clock.advance(0), 0, "no time has passed");
    }
    assert_eq!(clock.now(), 0, "none at all");
}

#[test]
fn the_memory_is_as_documented() {
    assert_eq!(size_of::<GameClock>(), 144, "as its documentation says");
}

#[test]
fn fixed_steps_are_as_many_as_have_passed() {
    const STEP: u64 = 16_666_667;
    let mut clock = GameClock::new(TimeStep::Fixed { step: STEP });
    // Frames of 1.26 ms, as a fast machine has them: a thousand are 1.26 s of game, and not 16.65.
    let counts: Vec<u32> = (0..1000).map(|_| clock.updates(1_260_000).count).collect();
    assert!(counts.iter().all(|count| *count <= 1), "one at most in a fast frame");
    assert_eq!(clock.now(), 75 * STEP, "75 whole steps fit into 1.26 s");
    assert_eq!(clock.now() + clock.debt().cast_unsigned(), 1_260_000_000, "the rest is kept");
    // A slow frame is caught up with, but not without end.
    assert_eq!(clock.updates(3 * STEP).count, 3, "three steps at once");
    assert_eq!(clock.updates(1000 * STEP), Updates { count: UPDATES_MAX, step: STEP }, "a halt");
    assert!(clock.debt().cast_unsigned() < STEP, "what was left out is not owed");
    let mut none = GameClock::new(TimeStep::Fixed { step: 0 });
    assert_eq!(none.updates(9).total(), 0, "no step moves nothing on");
}
