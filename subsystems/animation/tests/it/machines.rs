//! State machines: transitions at their time, weights that add up, events, ways, and saved states.

use glam::Vec3;
use loligo_animation::{
    BoneGroup, MachinePlayers, Players, SavedError, add_pose, blend_into, bone, groups_of,
    space_of, subtract_pose, take_ground,
};
use loligo_entities::Pose;
use loligo_ids::IdString32;

use crate::machine_rig::{MachineRig, machine_bytes, packed, with_machine};
use crate::memory::with_memory;

/// Idle, walk, run, jump: 2, 1, 0.5 and 0.75 seconds.
fn clips() -> Vec<Vec<u8>> {
    packed(&[
        ("idle", 64, 32.0, vec![]),
        ("walk", 32, 32.0, vec![(4.0, "left"), (20.0, "right")]),
        ("run", 16, 32.0, vec![(2.0, "left"), (10.0, "right")]),
        ("jump", 24, 32.0, vec![(12.0, "hit")]),
    ])
}

const HEAD: &str = "
skeleton = \"chain\"
root = \"bone 0\"
variables = { speed = 0 side = 0 jump = 0 aim = 0 }
clips = {
    idle = \"clips/idle\"
    walk = { clip = \"clips/walk\" marks = [ 4 20 ] }
    run = { clip = \"clips/run\" marks = [ 2 10 ] }
    jump = \"clips/jump\"
}
masks = { upper = [ \"bone 1\" ] }
";

/// Returns a source with one layer.
fn base(states: &str, transitions: &str) -> String {
    format!(
        "{HEAD}layers = [ {{ name = \"base\" states = {{ {states} }} transitions = [ {transitions} ] }} ]"
    )
}

fn names(events: &[(IdString32, f32, f32)]) -> Vec<&'static str> {
    let all = ["left", "right", "hit"];
    let name = |hash| all.into_iter().find(|name| IdString32::new(name) == hash);
    events.iter().map(|(hash, ..)| name(*hash).expect("a name")).collect()
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() < 1.0e-3
}

#[test]
fn a_transition_fades_from_state_to_state() {
    let source = base(
        "idle = { clip = \"idle\" } walk = { clip = \"walk\" }",
        "{ from = \"idle\" to = \"walk\" if = \"speed > 0.5\" seconds = 0.25 }",
    );
    with_machine(&source, &clips(), |rig| {
        rig.step(0.5);
        assert_eq!(rig.samples(0), [(0, 16.0, 1.0)]);
        rig.set("speed", 1.0);
        rig.step(0.125);
        assert!(rig.is_in(0, "walk"), "at once");
        let samples = rig.samples(0);
        assert_eq!(samples.len(), 2, "{samples:?}");
        // The walk begins at its first mark.
        assert!(near(samples[0].1, 8.0) && samples[0].2 == 0.5, "{samples:?}");
        assert!(near(samples[1].1, 20.0) && samples[1].2 == 0.5, "{samples:?}");
        rig.step(0.125);
        assert_eq!(rig.samples(0).len(), 1, "it is faded in");
    });
}

#[test]
fn a_state_that_ends_leaves_the_rest_of_the_step_to_the_next() {
    let source = base(
        "jump = { clip = \"jump\" loops = false } idle = { clip = \"idle\" }",
        "{ from = \"jump\" to = \"idle\" when = \"end\" seconds = 0 }",
    );
    with_machine(&source, &clips(), |rig| {
        assert_eq!(names(&rig.step(1.0)), ["hit"]);
        assert!(rig.is_in(0, "idle"), "after 0.75 seconds");
        assert_eq!(rig.samples(0), [(0, 8.0, 1.0)], "a quarter of a second");
    });
}

#[test]
fn a_transition_is_taken_at_an_event() {
    let source = base(
        "jump = { clip = \"jump\" } idle = { clip = \"idle\" }",
        "{ from = \"jump\" to = \"idle\" event = \"hit\" if = \"jump\" seconds = 0 }",
    );
    with_machine(&source, &clips(), |rig| {
        let events = rig.step(0.5);
        assert_eq!(names(&events), ["hit"], "the condition does not hold");
        assert!(near(events[0].2, 0.125), "{events:?}");
        rig.set("jump", 1.0);
        rig.step(0.125);
        assert!(rig.is_in(0, "jump"), "it is past the event");
        rig.step(0.75);
        assert!(rig.is_in(0, "idle"), "the next lap");
        assert!(near(rig.samples(0)[0].1, 0.25 * 32.0), "{:?}", rig.samples(0));
    });
}

#[test]
fn several_transitions_in_a_ring_end() {
    let ring = "{ from = \"a\" to = \"b\" } { from = \"b\" to = \"a\" }";
    let source = base("a = { clip = \"idle\" } b = { clip = \"walk\" }", ring);
    with_machine(&source, &clips(), |rig| {
        for _ in 0..100 {
            rig.step(0.01);
            let sum: f32 = rig.samples(0).iter().map(|(.., weight)| weight).sum();
            assert!(near(sum, 1.0), "{:?}", rig.samples(0));
        }
    });
}

#[test]
fn cycles_stay_in_step_while_they_are_blended() {
    let source = base(
        "move = { along = \"speed\" points = [ { clip = \"walk\" at = 1 } { clip = \"run\" at = 3 } ] }",
        "",
    );
    with_machine(&source, &clips(), |rig| {
        for (speed, weights) in [(0.0, &[1.0][..]), (2.0, &[0.5, 0.5]), (1.5, &[0.75, 0.25])] {
            rig.set("speed", speed);
            rig.step(0.1);
            let samples = rig.samples(0);
            let found: Vec<f32> = samples.iter().map(|(.., weight)| *weight).collect();
            assert_eq!(found, weights);
            if let [(_, walk, _), (_, run, _)] = samples[..] {
                assert!(near(walk - 4.0, 2.0 * (run - 2.0)), "{samples:?}");
            }
        }
        // Both clips pass the left and the right step in each lap of 0.75 seconds.
        rig.set("speed", 2.0);
        let events = rig.step(7.5);
        assert_eq!(events.len(), 40, "{:?}", names(&events));
        let sum: f32 = events.iter().map(|(_, weight, _)| weight).sum();
        assert!(near(sum, 20.0), "{sum}");
    });
}

#[test]
fn synchronised_states_share_a_phase() {
    let source = base(
        "walk = { clip = \"walk\" } run = { clip = \"run\" }",
        "{ from = \"walk\" to = \"run\" if = \"speed > 2\" seconds = 1 sync = true }",
    );
    with_machine(&source, &clips(), |rig| {
        rig.step(0.3);
        rig.set("speed", 3.0);
        for _ in 0..9 {
            rig.step(0.1);
            let samples = rig.samples(0);
            let [(2, run, _), (1, walk, _)] = samples[..] else { panic!("{samples:?}") };
            let (walk, run) = ((walk + 28.0) % 32.0, (run + 14.0) % 16.0);
            assert!(near(walk, 2.0 * run), "{samples:?}");
        }
    });
}

#[test]
fn a_plane_is_continuous_and_ends_at_its_border() {
    let points = "points = [
        { clip = \"idle\" at = [ 0 0 ] } { clip = \"walk\" at = [ 0 2 ] }
        { clip = \"run\" at = [ 2 0 ] } { clip = \"jump\" at = [ -2 -2 ] } ]";
    let plain = HEAD.replace("marks = [ 4 20 ]", "").replace("marks = [ 2 10 ]", "");
    let source = base(&format!("move = {{ along = [ \"side\" \"speed\" ] {points} }}"), "");
    let source = source.replace(HEAD, &plain);
    with_machine(&source, &clips(), |rig| {
        let weights = |rig: &mut MachineRig<'_, '_, '_>, x: f32, y: f32| {
            rig.set("side", x);
            rig.set("speed", y);
            rig.step(0.01);
            let mut weights = [0.0; 4];
            for (clip, _, weight) in rig.samples(0) {
                weights[usize::from(clip)] = weight;
            }
            weights
        };
        for (x, y, wanted) in [
            (0.0, 0.0, [1.0, 0.0, 0.0, 0.0]),
            (0.0, 2.0, [0.0, 1.0, 0.0, 0.0]),
            (1.0, 1.0, [0.0, 0.5, 0.5, 0.0]),
            (9.0, 9.0, [0.0, 0.5, 0.5, 0.0]),
            (-1.0, -1.0, [0.5, 0.0, 0.0, 0.5]),
            (-9.0, -9.0, [0.0, 0.0, 0.0, 1.0]),
        ] {
            let found = weights(rig, x, y);
            let is_near = found.iter().zip(wanted).all(|(a, b)| near(*a, b));
            assert!(is_near, "{x} {y}: {found:?} and not {wanted:?}");
        }
        let mut last = weights(rig, -3.0, 0.3);
        for at in 0..=6000 {
            let x = -3.0 + at as f32 / 1000.0;
            let next = weights(rig, x, 0.3 * x.cos());
            let off = next.iter().zip(last).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off < 0.01 || at == 0, "a jump of {off} at {x}");
            assert!(near(next.iter().sum(), 1.0), "{next:?}");
            last = next;
        }
    });
}

#[test]
fn layers_have_weights_and_masks() {
    let aim = "{ name = \"aim\" additive = true mask = \"upper\" weight = \"aim * 0.5\"
        states = { still = { clip = \"idle\" } } }";
    let source = format!(
        "{HEAD}layers = [ {{ name = \"base\" states = {{ walk = {{ clip = \"walk\" }} }} }} {aim} ]"
    );
    with_machine(&source, &clips(), |rig| {
        let machine = rig.table.machine();
        assert_eq!((machine.is_additive(0), machine.is_additive(1)), (false, true));
        assert!(rig.table.mask(0).is_none(), "all bones");
        let mask = rig.table.mask(1).expect("a mask");
        assert_eq!([0, 1, 2].map(|bone| mask.get(bone)), [0.0, 1.0, 1.0]);
        rig.set("aim", 1.0);
        rig.step(0.1);
        assert_eq!((rig.machines.layer_weight(0, 0), rig.machines.layer_weight(0, 1)), (1.0, 0.5));
        assert_eq!((rig.samples(0).len(), rig.samples(1).len()), (1, 1));
        assert_eq!(rig.samples(1)[0].0, 0, "the second layer plays idle");
    });
}

/// Samples a clip as its own player does, without what of the root is on the ground.
fn sampled(rig: &MachineRig<'_, '_, '_>, clip: usize, frame: f32, is_root: bool) -> Vec<BoneGroup> {
    with_memory(|memory| {
        let mut pose = vec![BoneGroup::IDENTITY; groups_of(3)];
        let mut players = Players::try_new(1, rig.clips[clip], memory).expect("memory");
        players.sample(rig.clips[clip], 0, frame, &mut pose);
        if is_root {
            take_ground(&mut pose, 0);
        }
        pose
    })
}

#[test]
fn poses_are_those_of_the_samples_of_all_layers() {
    let states = "idle = { clip = \"idle\" } walk = { clip = \"walk\" }";
    let rest = "{ name = \"aim\" additive = true mask = \"upper\" weight = \"aim * 0.5\"
        states = { still = { clip = \"jump\" } } }
        { name = \"arm\" mask = \"upper\" weight = \"jump\" states = { run = { clip = \"run\" } } }";
    let source = base(states, "{ from = \"idle\" to = \"walk\" if = \"speed\" seconds = 1 }");
    let source = format!("{} {rest} ]", source.strip_suffix(" ]").expect("an array"));
    with_machine(&source, &clips(), |rig| {
        with_memory(|memory| {
            let (table, clips) = (rig.table, rig.clips);
            let mut players = MachinePlayers::try_new(1, 2, table, clips, memory).expect("memory");
            let mut pose = vec![BoneGroup::IDENTITY; groups_of(3)];
            for (aim, arm, speed) in [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.5, 1.0)] {
                rig.set("aim", aim);
                rig.set("jump", arm);
                rig.set("speed", speed);
                rig.step(0.3);
                players.write_pose(table, clips, &rig.machines, 0, &mut pose);
                let mut wanted = vec![BoneGroup::IDENTITY; groups_of(3)];
                for (at, (clip, frame, weight)) in rig.samples(0).into_iter().enumerate() {
                    let sample = sampled(rig, clip.into(), frame, true);
                    let weight = if at == 0 { 1.0 } else { weight };
                    blend_into(&mut wanted, &sample, weight, None);
                }
                let mask = table.mask(1);
                let mut added = sampled(rig, 3, rig.samples(1)[0].1, false);
                subtract_pose(&mut added, &sampled(rig, 3, 0.0, false));
                add_pose(&mut wanted, &added, 0.5 * aim, mask);
                let over = sampled(rig, 2, rig.samples(2)[0].1, true);
                blend_into(&mut wanted, &over, arm, mask);
                for index in 0..3 {
                    let (found, wanted) = (bone(&pose, index), bone(&wanted, index));
                    let is_near = found.position.distance(wanted.position) < 1.0e-4
                        && found.rotation.angle_between(wanted.rotation) < 2.0e-3;
                    assert!(is_near, "{aim} {arm} {speed}, bone {index}: {found:?} {wanted:?}");
                }
                assert!(bone(&pose, 0).position.x.abs() < 1.0e-4, "the way is the entity's");
            }
            players.try_push().expect("memory");
            players.swap_remove(0);
            assert_eq!(players.len(), 1);
        });
    });
}

#[test]
fn an_event_is_where_its_bone_is() {
    let source = base("walk = { clip = \"walk\" }", "");
    with_machine(&source, &clips(), |rig| {
        let mut found = Vec::new();
        rig.machines.step(rig.table, 0.6, |event| found.push(event));
        let frame = rig.samples(0)[0].1;
        let pose = sampled(rig, 1, frame, true);
        let place = found[0].place(&rig.skeleton, &pose);
        assert_eq!(place, space_of(&rig.skeleton, &pose, 1), "{found:?}");
        assert!(place.position.y > 1.0, "{place:?}");
    });
}

#[test]
fn ways_of_any_steps_add_up() {
    let source = base("walk = { clip = \"walk\" speed = \"speed\" }", "");
    with_machine(&source, &clips(), |rig| {
        rig.set("speed", 1.0);
        let mut walk = |steps: usize, seconds: f32| {
            rig.machines.reset(rig.table, 0);
            rig.set("speed", 1.0);
            let mut place = Pose::IDENTITY;
            for _ in 0..steps {
                rig.step(seconds);
                place = place.place(&rig.machines.way(0));
            }
            place
        };
        let whole = walk(1, 3.0);
        let parts = walk(300, 0.01);
        let off = whole.position.distance(parts.position);
        assert!(off < 0.01, "{whole:?} and {parts:?}");
        assert!(whole.rotation.angle_between(parts.rotation) < 0.01, "{whole:?} and {parts:?}");
        assert!(whole.position.length() > 1.0 && whole.position.y == 0.0, "{whole:?}");
        assert!(whole.rotation.mul_vec3(Vec3::Y).distance(Vec3::Y) < 1.0e-4, "around y");
    });
}

#[test]
fn a_saved_character_goes_on_where_it_was() {
    let source = base(
        "walk = { clip = \"walk\" } run = { clip = \"run\" }",
        "{ from = \"walk\" to = \"run\" if = \"speed > 2\" seconds = 1 sync = true }",
    );
    with_machine(&source, &clips(), |rig| {
        rig.step(0.3);
        rig.set("speed", 3.0);
        rig.step(0.2);
        let mut bytes = vec![0; rig.machines.saved_bytes()];
        rig.machines.save(rig.table, 0, &mut bytes);
        let first = (rig.step(0.7), rig.samples(0));
        rig.machines.restore(rig.table, 0, &bytes).expect("it was saved");
        assert_eq!((rig.step(0.7), rig.samples(0)), first);
        for at in 0..bytes.len() {
            for change in [0x01, 0x40, 0x80, 0xff] {
                let mut spoiled = bytes.clone();
                spoiled[at] ^= change;
                if rig.machines.restore(rig.table, 0, &spoiled).is_ok() {
                    for seconds in [0.1, 0.0, 3.0] {
                        rig.step(seconds);
                        let sum: f32 = rig.samples(0).iter().map(|(.., weight)| weight).sum();
                        assert!(near(sum, 1.0), "{at}: {:?}", rig.samples(0));
                    }
                }
            }
        }
        let error = rig.machines.restore(rig.table, 0, &bytes[1..]).expect_err("it is short");
        let expected = bytes.len();
        assert_eq!(error, SavedError::Length { found: expected - 1, expected });
        bytes[0] ^= 1;
        assert_eq!(rig.machines.restore(rig.table, 0, &bytes), Err(SavedError::Machine));
    });
}

#[test]
fn characters_are_added_and_removed() {
    let source = base("walk = { clip = \"walk\" speed = \"speed\" }", "");
    with_machine(&source, &clips(), |rig| {
        for character in 1..5 {
            assert_eq!(rig.machines.try_push(rig.table), Ok(character));
            rig.machines.set(character, 0, character as f32);
        }
        rig.step(0.25);
        rig.machines.swap_remove(1);
        assert_eq!(rig.machines.len(), 4);
        let frame = |character| rig.machines.samples(character, 0)[0].frame;
        assert!(near(frame(1), 4.0), "the last took its number: {}", frame(1));
        assert!(near(frame(2), 20.0) && near(frame(3), 28.0), "{} {}", frame(2), frame(3));
        assert_eq!(rig.machines.get(1, 0), 4.0);
    });
}

#[test]
fn wrong_sources_are_refused_with_place_and_remedy() {
    let idle = "idle = { clip = \"idle\" }";
    let transition = |text: &str| base(idle, &format!("{{ {text} }}"));
    for (source, wanted) in [
        (base("idle = { clip = \"idel\" }", ""), "there is no clip `idel`; is `idle` meant?"),
        (base("idle = { }", ""), "it is not clear what `idle` plays; give it one of"),
        (base("idle = { clip = \"idle\" speed = \"sped\" }", ""), "is `speed` meant?"),
        (
            transition("from = \"idle\" to = \"run\""),
            "there is no state `run`; the first one is `idle`",
        ),
        (transition("to = \"idle\""), "there is no `from`; name the state"),
        (transition("from = \"idle\" to = \"idle\" when = \"later\""), "\"later\" means nothing"),
        (
            base(
                "a = { clip = \"walk\" } b = { clip = \"idle\" }",
                "{ from = \"a\" to = \"b\" sync = true }",
            ),
            "`a` has 2 marks and `b` 1, so they cannot be in step",
        ),
        (
            base("a = { clips = [ { clip = \"walk\" } { clip = \"idle\" } ] }", ""),
            "`walk` has 2 marks and `idle` 1, so they cannot be in step",
        ),
        (
            base(
                "a = { along = [ \"speed\" \"side\" ] points = [ { clip = \"idle\" at = [ 0 1 ] } ] }",
                "",
            ),
            "all points are on a line, or nearly; add one off the line",
        ),
        (
            HEAD.replace("root = \"bone 0\"", "root = \"bone 2\""),
            "has a parent; name the bone that has none",
        ),
        (HEAD.replace("[ 4 20 ]", "[ 4 20 8 20 ]"), "the marks do not go around once"),
        (HEAD.replace("\"bone 1\"", "\"bone 7\""), "there is no bone `bone 7`"),
        (HEAD.replace("aim = 0", "state.aim = 0"), "cannot be declared"),
        (HEAD.to_owned(), "there is no `layers`"),
    ] {
        let error = machine_bytes(&source).expect_err(&source);
        assert!(error.contains(wanted), "{error}\n{wanted}\n{source}");
        let place =
            error.strip_prefix(':').and_then(|rest| rest.split(':').next()?.parse::<u32>().ok());
        assert!(place.is_some_and(|line| line > 0), "a line: {error}");
    }
}
