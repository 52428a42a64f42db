//! What others ask physics for, and the effects of touches by the table of a game.

use loligo_ids::{IdString32, IdString64};
use loligo_interface::Subsystem;
use loligo_physics::{AskRay, ImpactDue, ImpactKind, RayAnswered, StepOn, TouchBegan};

use crate::play::{CRATE, FLOOR, Play, play, play_with};

const IMPACTS: &[u8] = br#"settings = "game" rows = [
    { kind = "impact" materials = [ "wood" "stone" ] effect = "knock" strength = [ [ 0 0 ] [ 8000 1 ] ] }
    { kind = "footstep" materials = [ "stone" "*" ] effect = "clack" strength = 0.5 }
    { kind = "slide" materials = [ "wood" "stone" ] least = 0.1 effect = "scrape" strength = 1 }
]"#;

#[test]
fn rays_are_answered_in_the_next_step_in_their_order() {
    play(|memory, project| {
        let mut runs = Vec::new();
        for workers in [0, 3] {
            let mut play = Play::new(memory, project);
            play.workers = workers;
            let floor = play.spawn(FLOOR);
            let thing = play.spawn(&CRATE.replace("velocity = [ 1 0 0 ]", ""));
            play.update(120);
            play.events::<RayAnswered>();
            for asker in 0..300 {
                let x = asker as f32 * 0.1 - 15.0;
                play.command(AskRay::new(asker, [x, 5.0, 0.0], [x, -5.0, 0.0]));
            }
            let down = AskRay::new(300, [0.0, 5.0, 0.0], [0.0, -5.0, 0.0]);
            play.command(AskRay { ignored: thing.to_bits(), ..down });
            // Groups are bits: the second group is that of things.
            play.command(AskRay { asker: 301, groups: 0b10, ..down });
            play.command(AskRay { asker: 302, to: [0.0, 2.0, 0.0], ..down });
            play.command(AskRay { asker: 303, to: [f32::NAN, 2.0, 0.0], ..down });
            assert!(play.events::<RayAnswered>().is_empty(), "not before the step");
            // A question that waits is saved.
            let state = play.saved();
            play.physics.load(&state).expect("it was saved");
            play.update(1);
            let answers: Vec<RayAnswered> = play.events();
            let askers: Vec<u64> = answers.iter().map(|answer| answer.asker).collect();
            assert_eq!(askers, (0..304).collect::<Vec<u64>>(), "in their order");
            let middle = &answers[150];
            assert_eq!((middle.hit, middle.entity), (1, thing.to_bits()));
            assert!((middle.at[1] - 1.0).abs() < 0.02 && middle.normal[1] > 0.99, "{middle:?}");
            assert!((middle.distance - 4.0).abs() < 0.02, "{middle:?}");
            assert_eq!(middle.material, IdString32::new("wood").hash());
            assert_eq!(answers[0].entity, floor.to_bits());
            assert_eq!(answers[300].entity, floor.to_bits(), "it passes through the crate");
            assert_eq!(answers[301].entity, thing.to_bits());
            let none = RayAnswered { asker: 302, ..bytemuck::Zeroable::zeroed() };
            assert_eq!(answers[302..], [none, RayAnswered { asker: 303, ..none }]);
            play.update(1);
            assert!(play.events::<RayAnswered>().is_empty(), "once");
            runs.push(answers);
        }
        assert_eq!(runs[0], runs[1], "threads change nothing");
    });
}

#[test]
fn what_hits_has_the_effect_of_its_materials_and_impulse() {
    play_with(&[("game.impacts", IMPACTS)], |memory, project| {
        let mut play = Play::new(memory, project);
        let floor = play.spawn(FLOOR);
        let thing =
            play.spawn(&CRATE.replace("0 3 0", "0 0.6 0").replace("[ 1 0 0 ]", "[ 4 0 0 ]"));
        let (mut impacts, mut touches, mut slides) = (Vec::new(), Vec::new(), 0);
        for _ in 0..120 {
            play.update(1);
            let events = play.physics.events().expect("it has some");
            touches.extend(events.of::<TouchBegan>());
            let due: Vec<ImpactDue> = events.of().collect();
            slides += due.iter().filter(|due| due.kind == ImpactKind::Slide as u32).count();
            impacts.extend(due.into_iter().filter(|due| due.kind == ImpactKind::Impact as u32));
            events.clear();
        }
        assert!(!touches.is_empty() && touches.len() == impacts.len(), "each touch is heard");
        let (due, touch) = (&impacts[0], &touches[0]);
        assert_eq!((due.entity, due.other), (floor.to_bits(), thing.to_bits()));
        assert_eq!(due.effect, IdString64::new("knock").hash());
        assert_eq!(due.name, due.effect as u32);
        assert_eq!((due.at, due.normal, due.amount), (touch.point, touch.normal, touch.impulse));
        assert!((due.strength - touch.impulse / 8000.0).abs() < 1e-6, "{due:?}");
        assert!(slides > 0, "it slid");
        // A foot on the floor, and one in the air.
        let foot =
            StepOn { entity: thing.to_bits(), material: 7, at: [8.0, 0.05, 0.0], speed: 1.0 };
        play.command(foot);
        play.command(StepOn { at: [8.0, 3.0, 0.0], ..foot });
        let [due] = play.events::<ImpactDue>()[..] else { panic!("one step") };
        assert_eq!((due.kind, due.other, due.strength), (1, floor.to_bits(), 0.5));
        assert_eq!(due.effect, IdString64::new("clack").hash());
        assert!(due.at[1].abs() < 0.01 && due.normal[1] < -0.99, "{due:?}");
    });
}

#[test]
fn without_a_table_nothing_is_due() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        play.spawn(FLOOR);
        play.spawn(CRATE);
        play.update(120);
        assert!(play.events::<ImpactDue>().is_empty());
    });
}
