//! Sounds that play: what a game sees of them, and what is heard.

use loligo_ids::{IdString32, IdString64};
use loligo_sound::space::{Listener, Speakers};
use loligo_sound::{
    BLOCK, Parameter, SOUND_RAYS_MAX, SoundError, SoundEventKind, SoundId, SoundStart, gain_of,
};
use proptest::prelude::*;

use crate::memory::{every_refusal, with_memory};
use crate::playing::{FRAMES, STEP, Stage, project};

use SoundEventKind::{Ended, Started};

/// A wave that is louder in each frame, so that a sample says where it is from.
fn stairs(frames: i16) -> Vec<i16> {
    (1..=frames).collect()
}

/// Which frames of stairs were heard, 0 where nothing was.
fn frames(heard: &[f32]) -> Vec<i32> {
    heard.iter().map(|sample| (sample * 32_768.0).round() as i32).collect()
}

const PLAN: &str = "voices = 8 groups = { few = { voices = 1 } }";

#[test]
fn a_sound_is_heard_from_its_frame_on_and_ends_by_time() {
    let waves = [("stairs", &stairs(2000)[..], "")];
    let project = project(&[("one", "wave = \"stairs\" delay = 0.02")], &waves, PLAN);
    with_memory(|memory| {
        let mut stage = Stage::new(&project, true, memory);
        let sound = stage.play("one");
        assert!(stage.player.is_playing(sound), "at once");
        stage.steps(3);
        assert_eq!(stage.count(sound, Started), 1);
        assert!(stage.player.is_playing(sound), "0.02 and 2000 frames are 0.0617 seconds");
        stage.steps(1);
        assert!(!stage.player.is_playing(sound));
        assert_eq!(stage.count(sound, Ended), 1);
        let heard = frames(&stage.left());
        assert_eq!(heard.iter().position(|frame| *frame != 0), Some(960 + BLOCK), "to the frame");
        assert_eq!(heard[960 + BLOCK..2960 + BLOCK], (1..=2000).collect::<Vec<_>>()[..]);
        assert!(!stage.player.stop(sound, None), "its id is stale");
        assert_eq!(stage.player.stats().stale, 1);
    });
}

#[test]
fn a_sound_that_has_not_begun_begins_where_it_is_sought() {
    let waves = [("stairs", &stairs(2000)[..], "")];
    let sounds = [("now", "wave = \"stairs\""), ("later", "wave = \"stairs\" delay = 0.02")];
    let project = project(&sounds, &waves, PLAN);
    with_memory(|memory| {
        for (name, begin) in [("now", 0), ("later", 960)] {
            let mut stage = Stage::new(&project, true, memory);
            let sound = stage.play(name);
            assert!(stage.player.seek(sound, 1000.0 / 48_000.0), "it plays");
            stage.steps(1);
            assert!(stage.player.is_playing(sound), "1000 frames are left of it");
            stage.steps(2);
            assert!(!stage.player.is_playing(sound), "as it began there");
            let heard = frames(&stage.left());
            let from = begin + BLOCK;
            assert_eq!(heard.iter().position(|frame| *frame != 0), Some(from), "{name}");
            assert_eq!(heard[from..from + 1000], (1001..=2000).collect::<Vec<_>>()[..], "{name}");
        }
        // Those that wait for their delay, too.
        let mut stage = Stage::new(&project, true, memory);
        let sound = stage.play("later");
        stage.steps(1);
        stage.player.seek(sound, 1500.0 / 48_000.0);
        stage.steps(1);
        assert!(!stage.player.is_playing(sound), "it is over after 1460 frames");
        let heard = frames(&stage.left());
        let from = 960 + BLOCK;
        assert_eq!(heard.iter().position(|frame| *frame != 0), Some(from), "as its delay says");
        assert_eq!(heard[from..from + 500], (1501..=2000).collect::<Vec<_>>()[..], "from there on");
    });
}

#[test]
fn what_begins_with_any_update_is_heard_at_its_frame() {
    let waves = [("click", &[16_000; 40][..], "")];
    let sounds = [("now", "wave = \"click\""), ("later", "wave = \"click\" delay = 0.00625")];
    let project = project(&sounds, &waves, PLAN);
    with_memory(|memory| {
        let mut stage = Stage::new(&project, true, memory);
        for _ in 0..20 {
            stage.play("now");
            stage.play("later");
            stage.steps(1);
        }
        stage.steps(1);
        let heard = stage.left();
        for step in 0..20 {
            // Blocks begin at other frames of each update; 300 frames are 0.00625 seconds.
            for frame in [BLOCK, BLOCK + 300].map(|frame| step * FRAMES + frame) {
                assert_eq!((heard[frame - 1], heard[frame] > 0.4), (0.0, true), "frame {frame}");
            }
        }
    });
}

#[test]
fn a_sequence_is_seamless() {
    let waves = [("stairs", &stairs(1000)[..], "")];
    let source = "sequence = [ \"stairs\" \"stairs\" { wave = \"stairs\" delay = 0.01 } ]";
    let project = project(&[("three", source)], &waves, PLAN);
    with_memory(|memory| {
        let mut stage = Stage::new(&project, true, memory);
        let sound = stage.play("three");
        stage.steps(6);
        assert_eq!(stage.count(sound, Ended), 1);
        let heard = &frames(&stage.left())[BLOCK..];
        let once: Vec<i32> = (1..=1000).collect();
        assert_eq!(heard[..1000], once[..]);
        assert_eq!(heard[1000..2000], once[..], "the second follows to the frame");
        assert_eq!(heard[2000..2480], [0; 480], "the third waits");
        assert_eq!(heard[2480..3480], once[..]);
    });
}

#[test]
fn the_loudest_have_voices_and_others_go_on_unheard() {
    let waves = [("stairs", &stairs(32_000)[..], ""), ("loud", &[0; 12_000][..], "")];
    let sounds = [
        ("quiet", "wave = \"stairs\" group = \"few\""),
        ("loud", "wave = \"loud\" group = \"few\""),
    ];
    let project = project(&sounds, &waves, PLAN);
    with_memory(|memory| {
        let mut stage = Stage::new(&project, true, memory);
        let quiet = stage.play_at("quiet", None, -6.0);
        stage.steps(2);
        assert_eq!(stage.player.stats().voices, 1);
        let loud = stage.play("loud");
        stage.steps(2);
        let stats = stage.player.stats();
        assert_eq!((stats.voices, stats.waiting, stats.stolen), (1, 1, 1), "one in a group of one");
        assert!(
            stage.left()[3 * FRAMES..].iter().all(|sample| *sample == 0.0),
            "the other is silent"
        );
        stage.steps(14);
        assert_eq!(stage.count(loud, Ended), 1);
        assert!(stage.player.is_playing(quiet), "it went on");
        stage.steps(3);
        // It is heard at its place, half as loud.
        let at = stage.heard.len() - 1;
        let frame = stage.heard[at][0] * 32_768.0 / gain_of(-6.0);
        assert!((frame + BLOCK as f32 - at as f32 - 1.0).abs() <= 1.0, "frame {frame} at {at}");
    });
}

#[test]
fn two_as_loud_do_not_take_turns() {
    let waves = [("hum", &[8000; 4800][..], "loop = [ 0 4800 ]")];
    let project = project(&[("hum", "wave = \"hum\" loop = true group = \"few\"")], &waves, PLAN);
    with_memory(|memory| {
        let mut stage = Stage::new(&project, true, memory);
        let both = [stage.play("hum"), stage.play("hum")];
        for step in 0..40 {
            for (at, sound) in both.into_iter().enumerate() {
                let louder = if step % 2 == at { 1.0 } else { -1.0 };
                stage.player.set_volume(sound, louder, 0.0);
            }
            stage.steps(1);
        }
        assert_eq!(stage.player.stats().stolen, 0, "two decibels are not enough");
        stage.player.set_volume(both[1], 6.0, 0.0);
        stage.steps(1);
        assert_eq!(stage.player.stats().stolen, 1, "but six are");
    });
}

#[test]
fn priority_counts_more_than_loudness() {
    let waves = [("hum", &[8000; 4800][..], "loop = [ 0 4800 ]")];
    let hum = "wave = \"hum\" loop = true group = \"few\"";
    let speech = format!("{hum} priority = 90 volume = -20");
    let project = project(&[("hum", hum), ("speech", &speech)], &waves, PLAN);
    with_memory(|memory| {
        let mut stage = Stage::new(&project, true, memory);
        stage.play("hum");
        stage.steps(2);
        stage.play("speech");
        stage.steps(2);
        let last = stage.heard.last().expect("some")[0] * 32_768.0;
        assert!((last / (8000.0 * gain_of(-20.0)) - 1.0).abs() < 0.01, "{last}");
    });
}

#[test]
fn places_are_heard_by_distance_and_side() {
    let waves = [("hum", &[8000; 4800][..], "loop = [ 0 4800 ]")];
    let source = "wave = \"hum\" loop = true distance = [ 2 10 ]";
    let project = project(&[("hum", source)], &waves, "space = { near = 0.001 }");
    with_memory(|memory| {
        let mut stage = Stage::new(&project, true, memory);
        stage.player.set_listeners([Listener::default()]);
        let sound = stage.play_at("hum", Some([0.0, 0.0, -2.0]), 0.0);
        let mut loud = |at| {
            stage.player.set_place(sound, at);
            stage.steps(2);
            stage.heard.last().expect("some").map(|sample| sample * 32_768.0 / 8000.0)
        };
        let [left, right] = loud([0.0, 0.0, -2.0]);
        assert!((left - 1.0).abs() < 1e-6 && left == right, "before it: {left} {right}");
        let [left, right] = loud([2.0, 0.0, 0.0]);
        assert!(left.abs() < 1e-3 && (right - 2.0_f32.sqrt()).abs() < 1e-3, "{left} {right}");
        let [left, right] = loud([0.0, 0.0, 6.0]);
        assert!((left - 1.0 / 6.0).abs() < 1e-3 && left == right, "a third, and half of that");
        assert_eq!(loud([0.0, 20.0, 0.0]), [0.0, 0.0], "too far away");
        assert!(stage.player.is_playing(sound) && stage.player.stats().voices == 0, "unheard");
        stage.player.set_place(sound, [1.0, 0.0, 0.0]);
        stage.steps(2);
        assert_eq!(stage.player.stats().voices, 1, "heard again");
    });
}

/// Plays a sound in a plan without nearness, heard by a listener at the origin who looks along -z.
fn before_listener(source: &str, test: impl FnOnce(&mut Stage<'_>, SoundId)) {
    let waves = [("hum", &[8000; 4800][..], "loop = [ 0 4800 ]"), ("stairs", &stairs(32_000), "")];
    let project = project(&[("one", source)], &waves, "space = { near = 0.001 }");
    with_memory(|memory| {
        let mut stage = Stage::new(&project, true, memory);
        stage.player.set_listeners([Listener::default()]);
        let sound = stage.play_at("one", Some([0.0, 0.0, -10.0]), 0.0);
        test(&mut stage, sound);
    });
}

/// How loud a hum is on either side at the end of what was heard.
fn sides(stage: &Stage<'_>) -> [f32; 2] {
    stage.heard.last().expect("some").map(|sample| sample * 32_768.0 / 8000.0)
}

#[test]
fn what_moves_is_heard_higher_and_lower_and_the_game_sees_nothing_of_it() {
    before_listener("wave = \"stairs\" distance = [ 100 200 ]", |stage, sound| {
        let mut at = 10.0;
        for direction in [-1.0, 1.0] {
            for _ in 0..12 {
                // 34.3 metres a second, a tenth of the speed of sound.
                at += direction * 34.3 * STEP as f32 * 1e-9;
                stage.player.set_place(sound, [0.0, 0.0, -at]);
                stage.steps(1);
            }
            let (last, before) = (stage.heard.len() - 1, stage.heard.len() - 1001);
            let passed = (stage.heard[last][0] - stage.heard[before][0]) * 32_768.0;
            let expected = 1000.0 * 343.0 / (343.0 + direction * 34.3);
            assert!((passed / expected - 1.0).abs() < 1e-3, "{passed} frames of {expected}");
        }
        let seconds = 24.0 * STEP as f32 * 1e-9;
        let position = stage.player.position(sound).expect("it plays");
        assert!((position - seconds).abs() < 1e-4, "by the game's time: {position}");
        // What is put elsewhere has no speed.
        stage.player.set_place(sound, [0.0, 0.0, -90.0]);
        stage.steps(2);
        let last = stage.heard.len() - 1;
        let passed = (stage.heard[last][0] - stage.heard[last - 500][0]) * 32_768.0;
        assert!((passed - 500.0).abs() < 1.0, "{passed}");
    });
}

#[test]
fn a_cone_is_heard_from_before_it() {
    let source = "wave = \"hum\" loop = true distance = [ 20 50 ] cone = [ 60 90 -20 ]";
    before_listener(source, |stage, sound| {
        let toward = |stage: &mut Stage<'_>, toward: [f32; 3]| {
            let at = [0.0, 0.0, -10.0];
            stage.player.follow(|_| loligo_sound::Owner::At { at, toward });
            stage.steps(2);
            sides(stage)[0]
        };
        // It is of nobody, and so it looks along -z: away from the listener.
        assert!((toward(stage, [1.0; 3]) - 0.1).abs() < 1e-3);
        stage.player.stop(sound, Some(0.0));
        let start = SoundStart { owner: 7, ..SoundStart::new(IdString64::new("one")) };
        stage.player.play(&start).expect("it is known");
        assert!((toward(stage, [0.0, 0.0, 3.0]) - 1.0).abs() < 1e-3, "it looks here");
        assert!((toward(stage, [0.0, 1.0, 0.0]) - 0.1).abs() < 1e-3, "and up");
    });
}

#[test]
fn what_walls_are_before_is_quieter_and_without_answers_all_is_heard() {
    let source = "wave = \"hum\" loop = true distance = [ 20 50 ] occlusion = 1";
    before_listener(source, |stage, sound| {
        stage.steps(2);
        assert!((sides(stage)[0] - 1.0).abs() < 1e-3, "nobody has answered");
        let mut rays = Vec::new();
        stage.player.ask_rays(0, |ray| rays.push(ray));
        let [ray] = rays[..] else { panic!("{rays:?}") };
        assert_eq!((ray.sound, ray.owner, ray.from), (sound, 0, [0.0, 0.0, -0.5]));
        assert_eq!(ray.to, [0.0, 0.0, -9.75]);
        assert!(stage.player.occlude(sound, 1.0));
        stage.steps(4);
        let half = sides(stage)[0];
        assert!(half < 0.9 && half > 0.3, "it takes an eighth of a second: {half}");
        stage.steps(8);
        let wall = sides(stage)[0];
        assert!((wall - gain_of(-12.0)).abs() < 1e-3, "{wall}");
        stage.player.occlude(sound, f32::NAN);
        stage.steps(12);
        assert!((sides(stage)[0] - 1.0).abs() < 1e-3, "what is no number is no wall");
        stage.player.set_place(sound, [0.0, 0.0, -51.0]);
        stage.player.ask_rays(0, |ray| panic!("it is too far away: {ray:?}"));
        stage.player.set_place(sound, [0.0, 0.0, -0.7]);
        stage.player.ask_rays(0, |ray| panic!("it is too near: {ray:?}"));
        assert!(!stage.player.occlude(SoundId::from_bits(1 << 20).expect("an id"), 1.0));
    });
}

#[test]
fn sounds_take_turns_where_there_are_too_many_rays() {
    let source = "wave = \"hum\" loop = true distance = [ 20 50 ] occlusion = 0.5";
    before_listener(source, |stage, _| {
        (0..99).for_each(|_| _ = stage.play_at("one", Some([0.0, 0.0, -3.0]), 0.0));
        stage.steps(1);
        let mut asked = Vec::new();
        for turn in 0..25 {
            let before = asked.len();
            stage.player.ask_rays(turn, |ray| asked.push(ray.sound));
            assert_eq!(asked.len() - before, SOUND_RAYS_MAX);
        }
        asked.sort_unstable();
        let each = asked.chunk_by(|a, b| a == b).map(<[_]>::len).collect::<Vec<_>>();
        assert_eq!(each, [16; 100], "each as often as others");
    });
}

#[test]
fn by_headphones_the_far_ear_hears_it_later() {
    let source = "wave = \"stairs\" distance = [ 20 50 ]";
    before_listener(source, |stage, sound| {
        stage.player.set_place(sound, [10.0, 0.0, 0.0]);
        stage.player.set_speakers(Speakers::Ears);
        stage.steps(3);
        let frames: Vec<[f32; 2]> = stage.heard.iter().map(|frame| frame.map(f32::abs)).collect();
        let first = |side: usize| frames.iter().position(|frame| frame[side] * 32_768.0 > 2.0);
        let [left, right] = [first(0), first(1)].map(|first| first.expect("both hear it"));
        // 0.0875 metres times a quarter of a circle and once more, at 343 metres a second: 31.5 frames.
        assert!((28..=40).contains(&(left - right)), "left {left}, right {right}");
    });
}

#[test]
fn markers_come_by_time_also_in_loops_and_at_other_speeds() {
    let waves = [("bar", &[0; 24_000][..], "loop = [ 0 24000 ]")];
    let source = "wave = \"bar\" loop = true markers = [ { at = 0 name = \"bar\" } { at = 0.25 name = \"half\" } ]";
    let project = project(&[("music", source)], &waves, PLAN);
    with_memory(|memory| {
        let mut stage = Stage::new(&project, false, memory);
        let [slow, fast] = [stage.play("music"), stage.play("music")];
        stage.player.set_speed(fast, 2.0);
        stage.steps(119);
        let name = |name| SoundEventKind::Marker { name: IdString32::new(name) };
        let count = |stage: &Stage<'_>, sound| {
            [stage.count(sound, name("bar")), stage.count(sound, name("half"))]
        };
        assert_eq!(count(&stage, slow), [4, 4], "two seconds are four bars");
        assert_eq!(count(&stage, fast), [8, 8]);
        stage.player.set_paused(slow, true);
        stage.steps(60);
        assert_eq!(count(&stage, slow), [4, 4], "no time passes for it");
        stage.player.set_paused(slow, false);
        stage.player.seek(slow, 0.2);
        assert!((stage.player.position(slow).expect("it plays") - 0.2).abs() < 1e-6);
        stage.steps(6);
        assert_eq!(count(&stage, slow), [4, 5], "from there on");
        stage.player.stop(slow, Some(0.05));
        stage.steps(2);
        assert!(stage.player.is_playing(slow), "it fades out");
        stage.steps(3);
        assert_eq!(stage.count(slow, Ended), 1);
    });
}

#[test]
fn what_is_defined_again_changes_what_plays() {
    let hum = [("hum", &[8000; 4800][..], "loop = [ 0 4800 ]")];
    let old = project(&[("hum", "wave = \"hum\" loop = true")], &hum, PLAN);
    let curve = "wave = \"hum\" loop = true curves = [ { target = \"volume\" parameter = \"far\" points = [ [ 0 -20 ] [ 1 0 ] ] } ]";
    let new = project(&[("hum", curve)], &[("hum", &[4000; 9600][..], "loop = [ 0 9600 ]")], PLAN);
    with_memory(|memory| {
        let mut stage = Stage::new(&old, true, memory);
        let sound = stage.play("hum");
        stage.steps(2);
        let last = |stage: &Stage<'_>| stage.heard.last().expect("some")[0] * 32_768.0;
        assert_eq!(last(&stage), 8000.0);
        stage.define(&new, "sound", "hum");
        stage.steps(2);
        assert!((last(&stage) - 800.0).abs() < 1.0, "{}", last(&stage));
        let far = Parameter::number(IdString32::new("far"), 1.0);
        assert_eq!(stage.player.set(sound, far), Ok(true));
        stage.define(&new, "wave", "hum");
        stage.steps(2);
        assert!((last(&stage) - 4000.0).abs() < 1.0, "{}", last(&stage));
        assert_eq!(stage.events.len(), 1, "it has started once, and plays");
        stage.player.undefine_wave(IdString64::new("hum"));
        stage.steps(1);
        assert_eq!(stage.count(sound, Ended), 1, "without its wave it is over");
        assert_eq!(stage.player.stats().missing, 1);
        let unknown = stage.player.play(&SoundStart::new(IdString64::new("none")));
        assert_eq!(unknown, Err(SoundError::Unknown(IdString64::new("none"))));
    });
}

/// Sounds and waves of random games.
fn random_project() -> crate::project::TestProject {
    let hum: Vec<i16> = (0..6000).map(|at| ((at * 37) % 4000) as i16).collect();
    let waves = [
        ("hum", &hum[..], "loop = [ 500 5500 ]"),
        ("click", &hum[..900], ""),
        ("long", &hum[..], ""),
    ];
    let sounds = [
        ("hum", "wave = \"hum\" loop = true fade_in = 0.1 markers = [ { at = 0.05 name = \"m\" } ]
            curves = [ { target = \"speed\" parameter = \"p\" points = [ [ 0 0.5 ] [ 1 2 ] ] } ]"),
        ("steps", "group = \"few\" priority = 60 random = [ \"click\" { wave = \"long\" volume = [ -9 0 ] speed = [ 0.8 1.2 ] } ]"),
        ("all", "layers = [ { sequence = [ \"click\" { shuffle = [ \"long\" \"click\" ] } \"click\" ] }
            { switch = \"w\" cases = { a = \"long\" } default = { wave = \"click\" delay = [ 0 0.2 ] } } ]"),
    ];
    project(&sounds, &waves, "voices = 3 groups = { few = { voices = 1 } }")
}

/// What a random game does before a step.
#[derive(Clone, Copy, Debug)]
enum Act {
    Play(u8, f32),
    Stop(u8, f32),
    Pause(u8, bool),
    Seek(u8, f32),
    Speed(u8, f32),
    Set(u8, f32),
    Steps(u8),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0_u8..3, -30.0_f32..6.0).prop_map(|(of, volume)| Act::Play(of, volume)),
        (0_u8..20, 0.0_f32..0.3).prop_map(|(of, seconds)| Act::Stop(of, seconds)),
        (0_u8..20, any::<bool>()).prop_map(|(of, is_paused)| Act::Pause(of, is_paused)),
        (0_u8..20, -0.1_f32..0.2).prop_map(|(of, seconds)| Act::Seek(of, seconds)),
        (0_u8..20, -1.0_f32..12.0).prop_map(|(of, speed)| Act::Speed(of, speed)),
        (0_u8..20, -1.0_f32..2.0).prop_map(|(of, value)| Act::Set(of, value)),
        (1_u8..6).prop_map(Act::Steps),
    ]
}

/// Does something; all of a game's sounds are in `known`.
fn run(stage: &mut Stage<'_>, known: &mut Vec<SoundId>, act: Act) {
    let of = |at: u8| known.get(at as usize).copied();
    let player = &mut stage.player;
    match act {
        Act::Play(name, volume) => {
            let name = ["hum", "steps", "all"][name as usize];
            known.push(stage.play_at(name, None, volume));
        }
        Act::Stop(at, seconds) => _ = of(at).map(|sound| player.stop(sound, Some(seconds))),
        Act::Pause(at, is_paused) => _ = of(at).map(|sound| player.set_paused(sound, is_paused)),
        Act::Seek(at, seconds) => _ = of(at).map(|sound| player.seek(sound, seconds)),
        Act::Speed(at, speed) => _ = of(at).map(|sound| player.set_speed(sound, speed)),
        Act::Set(at, value) => {
            let parameters = [
                Parameter::number(IdString32::new("p"), value),
                Parameter::word(IdString32::new("w"), IdString32::new("a")),
            ];
            for (sound, parameter) in
                of(at).into_iter().flat_map(|sound| parameters.map(|of| (sound, of)))
            {
                player.set(sound, parameter).expect("there is memory");
            }
        }
        Act::Steps(count) => stage.steps(count.into()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_game_sees_the_same_whether_it_is_heard_or_not(
        acts in proptest::collection::vec(act(), 1..60),
        pause in 0_usize..60,
    ) {
        let project = random_project();
        with_memory(|memory| {
            let [mut heard, mut silent] = [true, false].map(|is_heard| Stage::new(&project, is_heard, memory));
            let (mut known, mut same) = (Vec::new(), Vec::new());
            for (at, act) in acts.iter().enumerate() {
                run(&mut heard, &mut known, *act);
                run(&mut silent, &mut same, *act);
                assert_eq!(heard.player.state_hash(), silent.player.state_hash(), "after {at}");
                if at == pause {
                    // A game that was saved and loaded goes on as the one that was not.
                    let state = silent.saved();
                    silent = Stage::new(&project, false, memory);
                    silent.player.load(&state).expect("it was saved");
                    assert_eq!(silent.saved(), state, "what was read is what was written");
                    heard.events.clear();
                }
            }
            assert_eq!(known, same);
            let last = silent.events.len();
            assert!(heard.events.ends_with(&silent.events) || pause < acts.len(), "{last}");
            assert_eq!(heard.saved(), silent.saved());
            assert!(heard.heard.as_flattened().iter().all(|sample| sample.is_finite()));
            let stats = heard.player.stats();
            assert!(stats.voices <= 3, "{stats:?}");
        });
    }
}

#[test]
fn what_is_loaded_is_heard_where_it_was() {
    let waves = [("stairs", &stairs(32_000)[..], "")];
    let project = project(&[("one", "wave = \"stairs\"")], &waves, PLAN);
    with_memory(|memory| {
        let mut stage = Stage::new(&project, true, memory);
        stage.play("one");
        stage.steps(10);
        let state = stage.saved();
        let mut loaded = Stage::new(&project, true, memory);
        loaded.player.load(&state).expect("it was saved");
        for stage in [&mut stage, &mut loaded] {
            stage.steps(4);
        }
        let [went_on, again] =
            [&stage, &loaded].map(|stage| stage.heard.last().expect("some")[0] * 32_768.0);
        assert!((went_on - again).abs() <= 1.0, "{went_on} and {again}");
        assert!(again > 10_000.0, "it is heard");
        for end in (0..state.len()).step_by(7) {
            assert!(loaded.player.load(&state[..end]).is_err(), "{end} bytes");
        }
        for at in 0..state.len() {
            let mut bytes = state.clone();
            bytes[at] ^= 0x41;
            if loaded.player.load(&bytes).is_ok() {
                loaded.steps(2);
            }
        }
    });
}

#[test]
fn steps_allocate_nothing_once_all_has_played() {
    let project = random_project();
    with_memory(|memory| {
        let mut stage = Stage::new(&project, true, memory);
        let round = |stage: &mut Stage<'_>| {
            for name in ["hum", "steps", "all", "all"] {
                let sound = stage.play(name);
                let parameter = Parameter::number(IdString32::new("p"), 0.5);
                stage.player.set(sound, parameter).expect("there is memory");
            }
            stage.steps(20);
            stage.player.stop_all(None, Some(0.01));
            stage.steps(30);
            assert_eq!(stage.player.stats().sounds, 0, "all have ended");
        };
        (0..3).for_each(|_| round(&mut stage));
        let before = memory.stats().allocations_total;
        round(&mut stage);
        assert_eq!(memory.stats().allocations_total, before, "a round allocates nothing");
    });
}

#[test]
fn without_memory_nothing_breaks() {
    let project = random_project();
    let payloads = [("sound", "all"), ("wave", "click"), ("wave", "long")]
        .map(|(type_name, name)| (type_name, name, project.payload(type_name, name)));
    let refused = every_refusal(|memory| {
        let failed = |error: &dyn core::fmt::Display| error.to_string();
        let mut player =
            loligo_sound::Player::try_new(1, memory).map_err(|error| failed(&error))?;
        for (type_name, name, payload) in &payloads {
            let bytes = loligo_containers::BlobBytes::try_copy(payload, memory)
                .map_err(|error| failed(&error))?;
            let name = IdString64::new(name);
            if *type_name == "sound" {
                player.define(name, &bytes).map_err(|error| failed(&error))?;
            } else {
                let info = loligo_sound::WaveInfo { frames: 900, rate: 48_000, loop_range: None };
                player.define_wave(name, info, None).map_err(|error| failed(&error))?;
            }
        }
        let sound = player
            .play(&SoundStart::new(IdString64::new("all")))
            .map_err(|error| failed(&error))?;
        let parameter = Parameter::number(IdString32::new("p"), 0.5);
        player.set(sound, parameter).map_err(|error| failed(&error))?;
        let done = (0..40).map(|_| player.step(STEP, None)).find(Result::is_err).unwrap_or(Ok(()));
        assert!(done.is_err() || !player.is_playing(sound), "it has ended");
        done.map_err(|error| failed(&error))
    });
    assert!(refused > 5, "{refused}");
}

#[test]
fn a_sound_costs_what_its_page_says() {
    let waves = [("hum", &[0; 4800][..], "loop = [ 0 4800 ]")];
    let project = project(&[("hum", "wave = \"hum\" loop = true")], &waves, PLAN);
    with_memory(|memory| {
        let mut stage = Stage::new(&project, false, memory);
        let before = memory.stats().requested;
        (0..512).for_each(|_| _ = stage.play("hum"));
        stage.steps(1);
        stage.events = Vec::new();
        let bytes = (memory.stats().requested - before) / 512;
        // 156 and 8 of it, 88 of its part, 4 of its parameters and 16 of its events, and room to grow.
        assert!((272..=544).contains(&bytes), "{bytes} bytes a sound");
    });
}
