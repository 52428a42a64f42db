//! Sounds and mixers from sources: what they become, and what is said of wrong ones.

use loligo_containers::BlobBytes;
use loligo_ids::{IdString32, IdString64};
use loligo_sound::{
    Chance, Choices, Mixer, MixerPlan, MixerSettings, Parameters, Part, SoundParameters, SoundTree,
};

use crate::memory::with_memory;
use crate::project::TestProject;
use crate::waves::wav;

/// Buses and groups of most tests.
pub(crate) const MIXER: &str = r#"
voices = 8
buses = {
    steps = { into = "main" sends = { hall = -6 } }
    music = { volume = -6 effects = [ { kind = "compressor" listen = "steps" threshold = -30 } ] }
    main = { effects = [ { kind = "limiter" } ] }
    hall = { into = "main" effects = [
        { kind = "filter" form = "high_pass" frequency = 200 } { kind = "reverb" seconds = 2 }
    ] }
}
groups = { steps = { voices = 2 } }
"#;

/// Compiles a sound, with waves `a` to `c` of 100 frames each, of which the last has a loop.
fn compile(sound: &str) -> Result<Vec<u8>, String> {
    let recording = wav(1, 48_000, &[1000; 4800]);
    let files = [
        ("game.mixer", MIXER.as_bytes()),
        ("a.wav", &recording[..]),
        ("a.wave", b"file = \"a.wav\""),
        ("b.wave", b"file = \"a.wav\""),
        ("c.wave", b"file = \"a.wav\" loop = [ 0 4800 ]"),
        ("test.sound", sound.as_bytes()),
    ];
    let project = TestProject::new(&files);
    project.compile()?;
    Ok(project.payload("sound", "test"))
}

/// Compiles a sound, and calls `act` with it.
fn with_sound<R>(sound: &str, act: impl FnOnce(&SoundTree<'_>, &[Part]) -> R) -> R {
    let payload = compile(sound).unwrap_or_else(|error| panic!("{error}"));
    with_memory(|memory| {
        let bytes = BlobBytes::try_copy(&payload, memory).expect("there is memory");
        let tree = SoundTree::open(&bytes).expect("it was compiled");
        let (parameters, own) = (Parameters::new(memory), SoundParameters::default());
        let (mut choices, mut chance) = (Choices::default(), Chance::new(3));
        let mut parts = Vec::new();
        tree.start(&parameters, &own, &mut choices, &mut chance, |part| parts.push(part));
        act(&tree, &parts)
    })
}

#[test]
fn a_sound_is_what_its_source_says() {
    let source = r#"
        bus = "steps" group = "steps" priority = 70 fade_out = 0.2 distance = [ 2 30 ] volume = -6
        layers = [
            { wave = "a" volume = -3 speed = 1.5 delay = 0.25 fade_in = 0.1 markers = [ { at = 0.01 name = "tick" } ] }
            { sequence = [ "b" { random = [ "a" { wave = "b" weight = 3 } ] } { wave = "c" loop = true } ] }
        ]
        curves = [ { target = "volume" parameter = "far" points = [ [ 0 0 ] [ 10 -20 ] ] } ]
    "#;
    with_sound(source, |tree, parts| {
        let steps = IdString32::new("steps");
        assert_eq!((tree.bus(), tree.group(), tree.priority()), (steps, Some(steps), 70));
        assert_eq!((tree.fade_out(), tree.distance()), (0.2, [2.0, 30.0]));
        assert_eq!(tree.waves(), ["a", "b", "c"].map(IdString64::new));
        assert!(tree.has_curves());
        let [first, second, third, fourth] = parts else { panic!("{parts:?}") };
        assert_eq!((first.wave, first.decibels, first.speed), (0, -9.0, 1.5));
        assert_eq!((first.delay, first.fade, first.is_next), (0.25, 0.1, false));
        assert_eq!((second.wave, second.is_next, second.is_looped), (1, false, false));
        assert_eq!(
            (third.is_next, fourth.wave, fourth.is_next, fourth.is_looped),
            (true, 2, true, true)
        );
        let markers = tree.markers(first.node);
        assert_eq!((markers[0].at, markers[0].name), (0.01, IdString32::new("tick")));
        assert!(tree.markers(second.node).is_empty());
    });
    with_sound("wave = \"a\"", |tree, parts| {
        assert_eq!(
            (tree.bus(), tree.group(), tree.priority()),
            (IdString32::new("master"), None, 50)
        );
        assert_eq!((tree.fade_out(), tree.distance(), parts.len()), (0.05, [1.0, 50.0], 1));
        let space = (tree.cone(), tree.doppler(), tree.occlusion());
        assert_eq!(space, ([360.0, 360.0, 1.0], 1.0, 0.0));
    });
}

#[test]
fn a_sequence_whose_first_comes_to_nothing_begins_with_its_second() {
    let source = r#"layers = [
        "a"
        { delay = 0.5 sequence = [ { switch = "ground" cases = { snow = "a" } } "b" "c" ] }
    ]"#;
    with_sound(source, |_, parts| {
        let all: Vec<_> = parts.iter().map(|part| (part.wave, part.is_next, part.delay)).collect();
        assert_eq!(all, [(0, false, 0.0), (1, false, 0.5), (2, true, 0.0)]);
    });
}

#[test]
fn wrong_sounds_are_refused_by_place_and_remedy() {
    let long = format!("layers = [ {} ]", "\"a\" ".repeat(256));
    for (source, expected) in [
        ("volume = 0", "nothing is said of what is played; add one of `wave`, `layers`"),
        ("wave = \"a\" random = [ \"b\" ]", "there are both `wave` and `random`; keep one"),
        ("wave = \"d\"", "there is no resource `d` of type `wave`"),
        ("wave = \"a\" bus = \"step\"", "there is no bus `step`; is `steps` meant?"),
        ("wave = \"a\" group = \"x\"", "there is no group `x`; the first one is `steps`"),
        ("wave = \"a\" priority = 101", "101 is not in the range"),
        ("wave = \"a\" distance = [ 5 5 ]", "it is from far to near"),
        ("wave = \"a\" cone = [ 90 60 -6 ]", "its angles are not from the inner to the outer one"),
        ("wave = \"a\" cone = [ 60 90 6 ]", "it is louder outside than within"),
        ("wave = \"a\" occlusion = 2", "2 is not in the range"),
        (
            "wave = \"a\" loop = true",
            "the wave `a` has no loop; add `loop = [ 0 48000 ]` to `a.wave`",
        ),
        ("wave = \"a\" volume = [ 0 -6 ]", "they are from more to less"),
        ("wave = \"a\" weight = 2", "the key `weight` means nothing here"),
        (
            "random = [ { wave = \"a\" markers = [ { at = 1 name = \"x\" } { at = 1 name = \"y\" } ] } ]",
            "is not after the one before",
        ),
        ("layers = []", "it is empty; put a wave into it"),
        ("sequence = [ { layers = [ \"a\" ] } ]", "what is in a sequence is one wave"),
        ("sequence = [ { wave = \"c\" loop = true } \"a\" ]", "what comes after it is never heard"),
        ("switch = \"ground\"", "there is no `cases`"),
        ("switch = \"ground\" cases = {}", "the switch has no cases"),
        (
            "wave = \"a\" curves = [ { target = \"pitch\" parameter = \"x\" points = [ [ 0 0 ] ] } ]",
            "\"pitch\" means nothing here",
        ),
        (
            "wave = \"a\" curves = [ { target = \"speed\" parameter = \"x\" points = [ [ 0 1 ] [ 0 2 ] ] } ]",
            "the value 0 is not more than the one before",
        ),
        (
            "wave = \"a\" curves = [ { target = \"speed\" parameter = \"x\" points = [] } ]",
            "the curve has 0 points; 1 to 64",
        ),
        (&long, "the sound has more than 256 nodes; make two sounds of it"),
    ] {
        let error = compile(source).expect_err("it is wrong");
        assert!(error.contains(expected), "{source}\n{error}\nnot: {expected}");
        assert!(error.contains("test.sound:1:"), "it says where: {error}");
    }
}

fn compile_mixer(source: &str) -> Result<Vec<u8>, String> {
    let project = TestProject::new(&[("game.mixer", source.as_bytes())]);
    project.compile()?;
    Ok(project.payload("mixer", "game"))
}

#[test]
fn a_mixer_has_the_buses_of_its_source() {
    let payload = compile_mixer(MIXER).expect("it is right");
    with_memory(|memory| {
        let bytes = BlobBytes::try_copy(&payload, memory).expect("there is memory");
        let plan = MixerPlan::open(&bytes).expect("it was compiled");
        assert_eq!(
            (plan.voices(), plan.groups().collect::<Vec<_>>()),
            (8, vec![(IdString32::new("steps"), 2)])
        );
        let mut mixer = Mixer::try_new(&MixerSettings::default(), memory).expect("there is memory");
        plan.add_to(&mut mixer).expect("it takes them");
        let names: Vec<_> = mixer.buses().map(|bus| (bus.name, bus.into)).collect();
        let expected = [
            ("master", "master"),
            ("main", "master"),
            ("hall", "main"),
            ("steps", "main"),
            ("music", "master"),
        ];
        assert_eq!(
            names,
            expected.map(|(name, into)| (IdString32::new(name), IdString32::new(into)))
        );
        let music = mixer.bus(IdString32::new("music")).expect("it is there");
        assert!((music.gain - 0.501).abs() < 0.001, "{music:?}");
    });
}

#[test]
fn wrong_mixers_are_refused_by_place_and_remedy() {
    for (source, expected) in [
        ("voices = 0", "0 is not in the range"),
        ("buses = { master = {} }", "`master` is there without being said, and has no effects"),
        ("buses = { a = { into = \"bb\" } b = {} }", "there is no bus `bb`; is `b` meant?"),
        (
            "buses = { a = { into = \"b\" } b = { sends = { a = 0 } } }",
            "`a` needs `b`, and in the end each of them needs the other",
        ),
        (
            "buses = { a = { effects = [ { kind = \"reverb\" seconds = 40 } ] } }",
            "`seconds` is out of its range; it is from 0.1 to 30",
        ),
        ("buses = { a = { effects = [ { kind = \"filter\" } ] } }", "there is no `form`"),
        (
            "buses = { a = { effects = [ { kind = \"limiter\" listen = \"a\" } ] } }",
            "the key `listen` means nothing here",
        ),
        ("groups = { a = {} }", "there is no `voices`; say how many are heard"),
        ("space = { speakers = \"mono\" }", "\"mono\" means nothing here"),
        ("space = { near = 0 }", "0 is not in the range"),
        ("space = { size = 1 }", "the key `size` means nothing here"),
    ] {
        let error = compile_mixer(source).expect_err("it is wrong");
        assert!(error.contains(expected), "{source}\n{error}\nnot: {expected}");
        assert!(error.contains("game.mixer:1:"), "it says where: {error}");
    }
}

#[test]
fn damaged_mixers_are_refused_or_harmless() {
    let payload = compile_mixer(MIXER).expect("it is right");
    with_memory(|memory| {
        for at in 0..payload.len() {
            for bit in [0, 3, 7] {
                let mut bytes = payload.clone();
                bytes[at] ^= 1 << bit;
                let bytes = BlobBytes::try_copy(&bytes, memory).expect("there is memory");
                let Ok(plan) = MixerPlan::open(&bytes) else { continue };
                let mut mixer =
                    Mixer::try_new(&MixerSettings::default(), memory).expect("there is memory");
                plan.add_to(&mut mixer).expect("what is opened is taken");
            }
        }
    });
}
