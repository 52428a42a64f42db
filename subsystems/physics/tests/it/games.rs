//! Random games: entities come and go, and what is saved and loaded at random frames goes on byte for byte, as a
//! game does that is never loaded. What is damaged is refused whole.

use loligo_allocators::SharedRef;
use loligo_entities::Entity;
use loligo_interface::Subsystem;

use crate::fields::Random;
use crate::play::{CRATE, FLOOR, LIFT, Play, play_with};
use crate::project::TestProject;

const BRIDGE: &str = r#"components = {
    transform = { position = [ X 4 Z ] } actor = { collision = "crate" template = "floor" }
} children = { plank = { components = {
    transform = { position = [ 1.5 0 0 ] } actor = { collision = "crate" template = "box" }
    joint = { kind = "hinge" position = [ -0.75 0 0 ] }
} } }"#;

const WIND: &str =
    r#"components = { transform = { position = [ X 1 Z ] } field = { field = "wind" } }"#;

/// Plays a game that the seed draws; what loads it at some frames gets it and numbers to draw from.
fn game<'m>(
    memory: SharedRef<'m>,
    project: &TestProject,
    seed: u64,
    load: impl Fn(&mut Play<'m>, &mut Random),
) -> Vec<u8> {
    let (mut random, mut other) = (Random(seed), Random(!seed));
    let mut play = Play::new(memory, project);
    play.workers = (seed % 3) as u32;
    play.spawn(FLOOR);
    let mut live: Vec<Vec<Entity>> = Vec::new();
    for _ in 0..40 {
        let [x, z] = [random.number(3.0), random.number(3.0)];
        match random.next() % 12 {
            0..4 => {
                let place = format!("{x} {} {z}", 2.0 + random.number(1.4));
                live.push(play.spawn_all(&CRATE.replace("0 3 0", &place)));
            }
            4 => live.push(play.spawn_all(&LIFT.replace("9 1 0", &format!("{x} 1 {z}")))),
            kind @ 5..7 => {
                let source = if kind == 5 { BRIDGE } else { WIND };
                let source = source.replace('X', &x.to_string()).replace('Z', &z.to_string());
                live.push(play.spawn_all(&source));
            }
            7 | 8 if !live.is_empty() => {
                let at = random.next() as usize % live.len();
                play.destroy(&live.swap_remove(at));
            }
            9 => load(&mut play, &mut other),
            _ => play.update(1 + random.next() as usize % 9),
        }
    }
    play.update(30);
    play.saved()
}

/// Loads what was saved, after some of it was damaged, which must be refused whole.
fn load(play: &mut Play<'_>, random: &mut Random) {
    let state = play.saved();
    for _ in 0..8 {
        let mut damaged = state.clone();
        let at = random.next() as usize % damaged.len();
        match random.next() % 2 {
            0 => damaged.truncate(at),
            _ => damaged[at] ^= 1 << (random.next() % 8),
        }
        if play.physics.load(&damaged).is_err() {
            assert!(play.saved() == state, "all, or nothing");
        }
        play.physics.load(&state).expect("it was saved");
    }
    assert!(play.saved() == state, "what was loaded is saved as the same bytes");
}

#[test]
fn a_game_that_is_loaded_goes_on_as_one_that_is_not() {
    let wind = ("wind.field", &b"region = { box = [ 4 4 4 ] } strength = [ 0 4 0 ]"[..]);
    play_with(&[wind], |memory, project| {
        for seed in 1..25 {
            let went_on = game(memory, project, seed, |_, _| {});
            let loaded = game(memory, project, seed, load);
            assert!(went_on == loaded, "seed {seed}");
        }
    });
}

#[test]
fn worlds_know_nothing_of_each_other() {
    play_with(&[], |memory, project| {
        let run = |number: usize, play: &mut Play<'_>| {
            if number == 0 {
                play.spawn(FLOOR);
            }
            if number.is_multiple_of(7) {
                play.spawn(CRATE);
            }
            play.update(3);
        };
        let mut alone = Play::new(memory, project);
        (0..30).for_each(|number| run(number, &mut alone));
        // Another one has other things in it, and is stepped in between.
        let (mut one, mut other) = (Play::new(memory, project), Play::new(memory, project));
        for number in 0..30 {
            run(number, &mut one);
            other.spawn(&CRATE.replace("0 3 0", "0 9 0"));
            other.update(2);
        }
        assert!(one.saved() == alone.saved(), "it is as it would be alone");
        assert_ne!(one.physics.state_hash(), other.physics.state_hash());
    });
}
