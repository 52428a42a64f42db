//! The rows of animation.
//!
//! The crowd has 90 bones that all move, each character at its own time of a generated clip of 8
//! seconds (30 samples a second, 0.02 degrees of noise, off by a millimetre at most on a skin of 3
//! cm), and goes on by half a sample in each frame: `sample1000` is a frame of 1 000 of them on one
//! thread, `sample-bone` a bone of 100 of them compared with curves of `bevy_curve` through the same
//! samples; `ozz-animation-rs` needs a nightly compiler, and no published package builds ACL or ozz in
//! C++. `leap-bone` is a bone of characters that are at another time in each frame, compared
//! with those that go on, `restart-bone` the same with restart points at every fourth frame, `back-bone` of
//! characters that go back. `blend-bone` is a bone of a pose that is mixed into another. In all of these the
//! clip is of curves; in the rows `dense-..` it has a key in each frame.
//!
//! `machine` is a character of a state machine with two layers, a blend space in two directions and
//! conditions, in a step without sampling.
//!
//! `ratio/NAME` is how many times smaller a clip is in memory than ten floats a bone and sample, off by
//! 0.01 cm at most, measured 3 cm from each bone, and `stored/NAME` in its file: real motion capture with 120 (`cmu`, `jump`), 100 (`dance`) and
//! 30 samples a second (`jacks`, `zombie`), and a generated clip of 30.

use crate::contender::Race;
use crate::outcome::{Aim, Reading};
use crate::rows::{Measure, Row, Unit};
use crate::work::animation::{
    CAPTURES, Crowd, Place, blending, generated_ratio, machines, our_crowd, ratio_of, their_bones,
};

/// At least 21 times smaller; the goal is that of ACL's figures, 21.8, and a fifth.
const SMALL: Aim = Aim { at_least: true, ..Aim::bytes(21.0, 26.0) };

/// Returns the rows of animation.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row =
        |name: &str, unit, aim, measure| Row::new(format!("animation/{name}"), unit, aim, measure);
    let alone = |name, unit, aim, made| row(name, unit, aim, Measure::Alone(made));
    let mut rows = vec![
        alone("sample1000", Unit::Ms, Aim::time(2.0, 1.2), our_crowd::<false>),
        alone("dense-sample1000", Unit::Ms, Aim::time(2.0, 1.2), our_crowd::<true>),
        alone("blend-bone", Unit::Ns, Aim::time(3.0, 2.0), blending),
        alone("machine", Unit::Ns, Aim::time(300.0, 150.0), machines),
    ];
    type Rivals = (&'static str, Aim, fn() -> Race);
    let (ours, near) = (Aim::over_peer(1.0, 0.5), Aim::over_peer(2.0, 1.5));
    let races: [Rivals; 8] = [
        ("sample-bone", ours, || beside_curves(Crowd::FORWARD)),
        ("leap-bone", near, || beside_forward(Crowd::LEAPS)),
        ("restart-bone", near, || beside_forward(Crowd::LEAPS.with_restart_points())),
        ("back-bone", near, || beside_forward(Crowd::BACKWARD)),
        ("dense-sample-bone", ours, || beside_curves(Crowd::FORWARD.dense())),
        ("dense-leap-bone", near, || beside_forward(Crowd::LEAPS.dense())),
        ("dense-restart-bone", near, || beside_forward(Crowd::LEAPS.dense().with_restart_points())),
        ("dense-back-bone", near, || beside_forward(Crowd::BACKWARD.dense())),
    ];
    rows.extend(races.map(|(name, aim, race)| row(name, Unit::Ns, aim, Measure::Race(race))));
    type Ratios = [fn() -> Reading; 5];
    let ratios: Ratios = [ratio::<0>, ratio::<1>, ratio::<2>, ratio::<3>, ratio::<4>];
    let stored: Ratios = [stored::<0>, stored::<1>, stored::<2>, stored::<3>, stored::<4>];
    for (kind, measures) in [("ratio", ratios), ("stored", stored)] {
        rows.extend(CAPTURES.iter().zip(measures).map(|(capture, measure)| {
            let name = format!("{kind}/{}", capture.name);
            row(&name, Unit::RawBytesPerByte, SMALL, Measure::Once(measure))
        }));
    }
    let generated = Measure::Once(generated_ratio);
    rows.push(row("ratio/generated", Unit::RawBytesPerByte, SMALL, generated));
    rows
}

fn beside_curves(crowd: Crowd) -> Race {
    Race { ours: crowd.bones(), peers: vec![their_bones()], absent: Vec::new() }
}

/// Compares a crowd with one that goes on in a clip of the same kind.
fn beside_forward(crowd: Crowd) -> Race {
    let forward = Crowd { is_dense: crowd.is_dense, ..Crowd::FORWARD };
    let peers = vec![forward.bones().named("forward")];
    Race { ours: crowd.bones(), peers, absent: Vec::new() }
}

fn ratio<const INDEX: usize>() -> Reading {
    ratio_of(&CAPTURES[INDEX], Place::Memory)
}

fn stored<const INDEX: usize>() -> Reading {
    ratio_of(&CAPTURES[INDEX], Place::File)
}
