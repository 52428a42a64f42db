//! Places against what is known of them.

use core::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Quat, Vec3};
use loligo_ids::IdString32;
use loligo_sound::space::{
    Cone, DistanceCurve, Listener, OPEN, Placement, Source, Sources, SpaceSettings, Speakers, Zone,
    ZoneShape, place,
};
use proptest::prelude::*;

use crate::memory::{every_refusal, with_memory};

const CURVES: [DistanceCurve<'_>; 2] =
    [DistanceCurve::EVERYWHERE, DistanceCurve::Inverse { near: 1.0, far: 100.0, rolloff: 1.0 }];

fn at(place: Vec3) -> Source {
    Source { at: place, ..Source::default() }
}

fn settings(speakers: Speakers) -> SpaceSettings {
    SpaceSettings { speakers, ..SpaceSettings::default() }
}

/// Returns how a listener at the origin hears a source.
fn heard(source: &Source, speakers: Speakers) -> Placement {
    place(source, &[Listener::default()], &CURVES, &settings(speakers))
}

/// Returns the sum of the squares of the gains without that for low frequencies.
fn power(placement: &Placement) -> f32 {
    let [a, b, c, _, e, f] = placement.gains;
    [a, b, c, e, f].iter().map(|gain| gain * gain).sum()
}

#[test]
fn the_power_is_the_same_in_all_directions() {
    for speakers in [Speakers::Stereo, Speakers::Ears, Speakers::Surround] {
        for step in 0..720 {
            let angle = step as f32 * PI / 360.0;
            for height in [0.0, 0.5, 40.0] {
                let way = Vec3::new(libm::sinf(angle), height, -libm::cosf(angle)) * 3.0;
                let found = power(&heard(&at(way), speakers));
                assert!((found - 1.0).abs() < 1e-5, "{speakers:?} at {angle}: {found}");
            }
        }
    }
}

#[test]
fn a_source_at_a_speaker_is_on_it_alone() {
    let far = 1e4;
    for (degrees, channel) in [(-30.0_f32, 0), (30.0, 1), (0.0, 2), (-110.0, 4), (110.0, 5)] {
        let angle = degrees.to_radians();
        let way = Vec3::new(libm::sinf(angle), 0.0, -libm::cosf(angle)) * far;
        let found = heard(&at(way), Speakers::Surround).gains;
        assert!(found[channel] > 0.999, "{degrees}: {found:?}");
        let others = found.iter().enumerate().filter(|(at, _)| *at != channel);
        let rest: f32 = others.map(|(_, gain)| gain * gain).sum();
        assert!(rest < 1e-3, "{degrees}: {found:?}");
    }
    // Between front left and centre, and straight at the back: two speakers alike.
    let angle = (-15.0_f32).to_radians();
    let way = Vec3::new(libm::sinf(angle), 0.0, -libm::cosf(angle)) * far;
    for (way, pair) in [(way, [0, 2]), (Vec3::Z * far, [4, 5])] {
        let found = heard(&at(way), Speakers::Surround).gains;
        let alike = (found[pair[0]] - found[pair[1]]).abs();
        assert!(alike < 1e-3 && found[pair[0]] > 0.7, "{pair:?}: {found:?}");
    }
}

#[test]
fn stereo_is_left_and_right_of_the_listener_and_not_of_the_world() {
    let listener = Listener { turn: Quat::from_rotation_y(FRAC_PI_2), ..Listener::default() };
    // Turned a quarter to the left it looks along -x, so -z is on its right.
    let found = place(&at(Vec3::NEG_Z * 50.0), &[listener], &CURVES, &SpaceSettings::default());
    assert!(found.gains[1] > 0.99 && found.gains[0] < 0.1, "{:?}", found.gains);
    let found = place(&at(Vec3::NEG_X * 50.0), &[listener], &CURVES, &SpaceSettings::default());
    assert!((found.gains[0] - found.gains[1]).abs() < 1e-4, "in front: {:?}", found.gains);
}

#[test]
fn a_car_that_passes_is_higher_before_and_lower_after() {
    let listener = Listener::default();
    let (sound, speed, aside) = (343.0_f64, 30.0_f64, 5.0_f64);
    for step in -40..=40 {
        let along = f64::from(step) * 2.5;
        let car = Source {
            at: Vec3::new(along as f32, 0.0, -aside as f32),
            speed: Vec3::X * speed as f32,
            ..Source::default()
        };
        let found = place(&car, &[listener], &CURVES, &SpaceSettings::default()).speed;
        // f' = f c / (c + v cos), with the angle between the way to the car and its own.
        let cosine = along / (along * along + aside * aside).sqrt();
        let expected = sound / (sound + speed * cosine);
        assert!((f64::from(found) - expected).abs() < 1e-5, "at {along}: {found}, not {expected}");
    }
    // A listener that goes towards a source that waits.
    let rider = Listener { speed: Vec3::NEG_Z * 34.3, ..Listener::default() };
    let found = place(&at(Vec3::NEG_Z * 9.0), &[rider], &CURVES, &SpaceSettings::default()).speed;
    assert!((found - 1.1).abs() < 1e-5, "{found}");
    // Faster than sound: at the bound, and no pole.
    let jet = Source { at: Vec3::X * 9.0, speed: Vec3::X * -900.0, ..Source::default() };
    assert_eq!(heard(&jet, Speakers::Stereo).speed, 2.0);
    let none = SpaceSettings { doppler: 0.0, ..SpaceSettings::default() };
    assert_eq!(place(&jet, &[listener], &CURVES, &none).speed, 1.0);
}

#[test]
fn ears_hear_the_far_side_later_and_duller() {
    // Woodworth: at the side, radius * (pi / 2 + 1) / c; at 30 degrees, radius * (pi / 6 + 1 / 2) / c.
    let settings = settings(Speakers::Ears);
    for (degrees, angle) in [(90.0_f32, FRAC_PI_2), (30.0, PI / 6.0), (150.0, PI / 6.0)] {
        let turn = degrees.to_radians();
        let way = Vec3::new(libm::sinf(turn), 0.0, -libm::cosf(turn)) * 1e4;
        let found = heard(&at(way), Speakers::Ears);
        let expected = settings.head.radius * (angle + libm::sinf(angle)) / 343.0;
        let distance = (found.delays[0] - expected).abs();
        assert!(distance < 1e-6, "{degrees}: {} s, not {expected}", found.delays[0]);
        assert_eq!(found.delays[1], 0.0, "the near ear hears it at once");
        assert!(found.low_pass[0] < found.low_pass[1], "{degrees}: {:?}", found.low_pass);
    }
    let found = heard(&at(Vec3::NEG_X * 1e4), Speakers::Ears);
    assert!((found.low_pass[1] - settings.head.shadow).abs() < 1.0, "{:?}", found.low_pass);
    assert!(found.delays[1] > 0.0006 && found.delays[0] == 0.0, "{:?}", found.delays);
}

#[test]
fn nothing_jumps_where_a_source_crosses_the_axis_or_the_listener() {
    const STEP: f32 = 0.002;
    for speakers in [Speakers::Stereo, Speakers::Ears, Speakers::Surround] {
        // Through the listener, before it, at its back, above it, and around it close by.
        let line = |way: Vec3, through: Vec3| move |step: i32| through + way * (step as f32 * STEP);
        let ring = |step: i32| {
            let angle = step as f32 * STEP * 2.0;
            Vec3::new(libm::sinf(angle), 0.0, libm::cosf(angle)) * 0.5
        };
        let paths: [&dyn Fn(i32) -> Vec3; 6] = [
            &line(Vec3::X, Vec3::ZERO),
            &line(Vec3::new(0.3, 0.1, -1.0), Vec3::ZERO),
            &line(Vec3::X, Vec3::NEG_Z * 0.3),
            &line(Vec3::X, Vec3::Z * 0.3),
            &line(Vec3::Z, Vec3::Y * 0.3),
            &ring,
        ];
        for (path, number) in paths.iter().zip(0..) {
            let mut before = heard(&at(path(-1000)), speakers);
            for step in -999..=1000 {
                let now = heard(&at(path(step)), speakers);
                for (a, b) in before.gains.iter().zip(now.gains) {
                    // A square root near 0 is steep; the power is not.
                    let jump = (a * a - b * b).abs();
                    assert!(jump < 0.02, "{speakers:?}, path {number} at {step}: by {jump}");
                }
                for (a, b) in before.delays.iter().zip(now.delays) {
                    assert!((a - b).abs() < 8e-6, "{speakers:?}, path {number} at {step}");
                }
                before = now;
            }
        }
    }
}

#[test]
fn curves_have_the_numbers_of_their_formulas() {
    let inverse = DistanceCurve::Inverse { near: 2.0, far: 32.0, rolloff: 1.0 };
    for (distance, expected) in [(0.0, 1.0), (2.0, 1.0), (4.0, 0.5), (8.0, 0.25), (99.0, 0.0625)] {
        assert!((inverse.gain(distance) - expected).abs() < 1e-6, "{distance}");
    }
    let linear = DistanceCurve::Linear { near: 10.0, far: 20.0 };
    for (distance, expected) in [(5.0, 1.0), (15.0, 0.5), (17.5, 0.25), (20.0, 0.0), (90.0, 0.0)] {
        assert!((linear.gain(distance) - expected).abs() < 1e-6, "{distance}");
    }
    let points = [[1.0, 0.8], [3.0, 0.4], [3.5, 0.0]];
    let points = DistanceCurve::Points(&points);
    for (distance, expected) in [(0.0, 0.8), (1.0, 0.8), (2.0, 0.6), (3.25, 0.2), (9.0, 0.0)] {
        assert!((points.gain(distance) - expected).abs() < 1e-6, "{distance}");
    }
}

#[test]
fn a_cone_is_quieter_at_its_back_and_occlusion_makes_dull() {
    let horn = Cone::new(90.0, 180.0, 0.1);
    for (degrees, least, most) in
        [(0.0, 1.0, 1.0), (44.0, 1.0, 1.0), (60.0, 0.5, 0.9), (91.0, 0.1, 0.1)]
    {
        let angle = f32::to_radians(degrees);
        let toward = Vec3::new(libm::sinf(angle), 0.0, -libm::cosf(angle));
        // The source is at the back of the listener and looks at it at 0 degrees.
        let source = Source { toward, cone: horn, ..at(Vec3::Z * 9.0) };
        let found = libm::sqrtf(power(&heard(&source, Speakers::Stereo)));
        assert!(found >= least - 1e-4 && found <= most + 1e-4, "{degrees} degrees: {found}");
    }
    let wall = SpaceSettings::default();
    for (occlusion, gain, low_pass) in [(0.0, 1.0, OPEN), (1.0, 0.25, 800.0), (7.0, 0.25, 800.0)] {
        let found = heard(&Source { occlusion, ..at(Vec3::NEG_Z * 9.0) }, Speakers::Stereo);
        assert!((libm::sqrtf(power(&found)) - gain).abs() < 1e-5, "{occlusion}");
        assert!((found.low_pass[0] - low_pass).abs() < 1.0, "{occlusion}: {:?}", found.low_pass);
        assert_eq!(wall.occluded_gain, 0.25, "as is expected above");
    }
}

#[test]
fn the_listener_that_hears_a_source_loudest_counts_and_then_the_nearest() {
    let place_of = |x: f32| Listener { at: Vec3::X * x, ..Listener::default() };
    let listeners = [place_of(-30.0), place_of(8.0), place_of(40.0)];
    for (x, expected) in [(0.0, 1), (-20.0, 0), (23.9, 1), (24.1, 2), (1000.0, 2)] {
        for curve in [0, 1] {
            let source = Source { curve, ..at(Vec3::X * x) };
            let found = place(&source, &listeners, &CURVES, &SpaceSettings::default());
            assert_eq!(found.listener, expected, "at {x} with curve {curve}");
        }
    }
    // A horn that looks at the far one is louder there.
    let horn = Source { toward: Vec3::X, cone: Cone::new(40.0, 60.0, 0.0), ..at(Vec3::X * 10.0) };
    let found = place(&horn, &listeners, &CURVES, &SpaceSettings::default());
    assert_eq!(found.listener, 2, "the near one is at its back");
    let none = place(&horn, &[], &CURVES, &SpaceSettings::default());
    assert_eq!(none, Placement::SILENT, "nobody hears it");
}

#[test]
fn zones_fade_around_their_shapes() {
    let bus = IdString32::new("cave");
    let turn = Quat::from_rotation_y(FRAC_PI_2);
    let shape = ZoneShape::Box { at: Vec3::X * 10.0, turn, half: Vec3::new(1.0, 2.0, 5.0) };
    let cave = Zone { shape, fade: 2.0, bus, level: 0.8 };
    // Turned by a quarter its long side is along x.
    for (place, expected) in [
        (Vec3::new(14.9, 0.0, 0.0), 0.8),
        (Vec3::new(10.0, 0.0, 2.0), 0.4),
        (Vec3::new(10.0, 3.5, 0.0), 0.2),
        (Vec3::new(18.0, 0.0, 0.0), 0.0),
    ] {
        assert!((cave.level_at(place) - expected).abs() < 1e-4, "{place}");
    }
    let hall = ZoneShape::Sphere { at: Vec3::ZERO, radius: 5.0 };
    let hall = Zone { shape: hall, fade: 10.0, bus, level: 0.5 };
    let found = Zone::most_at(&[cave, hall], bus, Vec3::new(10.0, 0.0, 0.0));
    assert!((found - 0.8).abs() < 1e-4, "the most of both: {found}");
    assert_eq!(Zone::most_at(&[cave, hall], IdString32::new("none"), Vec3::ZERO), 0.0);
}

#[test]
fn many_are_placed_as_each_is() {
    with_memory(|memory| {
        let mut sources = Sources::new(memory);
        let number = |at: u32, by: u32| (at.wrapping_mul(by) % 997) as f32 / 10.0 - 50.0;
        for at in 0..200 {
            let place = Vec3::new(number(at, 37), number(at, 101) * 0.1, number(at, 59));
            let speed = Vec3::new(number(at, 11), 0.0, number(at, 23));
            let angle = at as f32 / 200.0 * TAU;
            let toward = Vec3::new(libm::cosf(angle), 0.0, libm::sinf(angle));
            let cone = Cone::new(60.0, 200.0, 0.3);
            let (curve, occlusion) = (at % 3, (at % 5) as f32 / 4.0);
            let source = Source { at: place, speed, toward, cone, curve, occlusion, low: 0.2 };
            sources.try_push(&source).expect("there is memory");
        }
        let turn = Quat::from_rotation_y(0.7);
        let listeners =
            [Listener::default(), Listener { at: Vec3::X * 30.0, turn, speed: Vec3::Y, gain: 0.7 }];
        for speakers in [Speakers::Stereo, Speakers::Ears, Speakers::Surround] {
            let mut out = [Placement::SILENT; 200];
            sources.place(&listeners, &CURVES, &settings(speakers), &mut out);
            for (index, found) in out.iter().enumerate() {
                let source = sources.get(index).expect("it is there");
                let alone = place(&source, &listeners, &CURVES, &settings(speakers));
                assert_eq!(*found, alone, "source {index}");
            }
        }
        sources.swap_remove(3);
        assert_eq!(sources.len(), 199, "one less");
        assert!(sources.set_motion(3, Vec3::X, Vec3::Y, Vec3::Z), "the last one is there now");
        assert!(!sources.set_occlusion(199, 1.0), "there is none");
        assert_eq!(sources.get(3).map(|source| source.speed), Some(Vec3::Y));
    });
}

#[test]
fn sources_without_memory_are_refused_whole() {
    let refused = every_refusal(|memory| {
        let mut sources = Sources::new(memory);
        let pushed = sources.try_push(&Source::default());
        assert_eq!(sources.len(), usize::from(pushed.is_ok()), "all of it or nothing");
        pushed
    });
    assert!(refused >= 7, "{refused} refusals");
}

/// Any number: huge ones, infinite ones and none.
fn any_number() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -100.0_f32..100.0,
        1 => any::<f32>(),
        1 => Just(0.0),
        1 => prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(f32::MAX), Just(1e-40)],
    ]
}

fn any_vector() -> impl Strategy<Value = Vec3> {
    [any_number(), any_number(), any_number()].prop_map(Vec3::from_array)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_numbers_are_placements_are_finite(
        vectors in [any_vector(), any_vector(), any_vector(), any_vector(), any_vector()],
        turn in [any_number(), any_number(), any_number(), any_number()],
        numbers in [any_number(), any_number(), any_number(), any_number(), any_number()],
    ) {
        let [place_of, speed, toward, ears, motion] = vectors;
        let [inner, outer, gain, occlusion, low] = numbers;
        let listener = Listener { at: ears, turn: Quat::from_array(turn), speed: motion, gain };
        let cone = Cone::new(inner, outer, gain);
        let source = Source { at: place_of, speed, toward, cone, curve: 0, occlusion, low };
        let points = [[inner, outer], [gain, occlusion]];
        for curve in [
            DistanceCurve::Inverse { near: inner, far: outer, rolloff: gain },
            DistanceCurve::Linear { near: inner, far: outer },
            DistanceCurve::Fading { near: inner, far: outer },
            DistanceCurve::Points(&points),
        ] {
            for speakers in [Speakers::Stereo, Speakers::Ears, Speakers::Surround] {
                let found = place(&source, &[listener], &[curve], &settings(speakers));
                let all = found.gains.iter().chain(&found.delays).chain(&found.low_pass);
                prop_assert!(all.clone().all(|number| number.is_finite() && *number >= 0.0), "{found:?}");
                prop_assert!(found.speed >= 0.5 && found.speed <= 2.0, "{found:?}");
                let most = if gain.is_finite() { gain.abs().max(1.0) } else { 1.0 };
                prop_assert!(power(&found).is_finite() || most > 1e15, "{found:?}");
            }
        }
        let shape = ZoneShape::Sphere { at: toward, radius: inner };
        let zone = Zone { shape, fade: outer, bus: IdString32::new("a"), level: gain };
        prop_assert!(zone.level_at(ears).is_finite());
    }
}
