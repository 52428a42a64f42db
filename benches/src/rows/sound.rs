//! The rows of sound.
//!
//! `voice` is a voice that is resampled, placed between left and right and looped, a frame of 256 of them in
//! blocks of 128, compared with kira and rodio; `voice-filtered`, `voice-ears` and `voice-surround` are one with a
//! low-pass filter, one for headphones (a delay and another filter for each ear), and one on six channels.
//!
//! `voices1000` is the part of a core that a thousand such voices take at 48 000 frames a second, and
//! `worst-block` the longest of all blocks of ten minutes in which up to 200 voices are played, moved and stopped by
//! chance, as a part of its deadline, of each the less of two runs; both are processor time. `command` is a command, written by the game and
//! obeyed by the mixer. `place1000` is a frame of 1 000 sources that are placed for headphones and two listeners.
//! `unpack` is a packed sample of a stream.
//!
//! `noise/..` is how far a sine of 1 kHz at 0.73 of its speed is above what is not a sine, and `alias/..` how far
//! 18 kHz at twice the speed are above what is mirrored, with eight and sixteen weights; rubato, with 256, is in the
//! note.
//!
//! `parameters` are the bytes of a sound among 512, of which half have 4 parameters and one in 16 has 32; in the
//! note is the case of the article, 32 each.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::sound::{
    Kind, alias, command, kira, noise, parameters, placing, rodio, thousand, unpacking, voices,
    worst_block,
};

/// Returns the rows of sound.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row =
        |name: &str, unit, aim, measure| Row::new(format!("sound/{name}"), unit, aim, measure);
    let alone = |name, unit, aim, made| row(name, unit, aim, Measure::Alone(made));
    let once = |name, unit, aim, made| row(name, unit, aim, Measure::Once(made));
    let decibels = |target, goal| Aim { at_least: true, ..Aim::count(target, goal) };
    vec![
        row("voice", Unit::Ns, Aim::over_peer(0.5, 0.25), Measure::Race(mixers)),
        alone("voice-time", Unit::Ns, Aim::time(5.0, 3.0), || voices(Kind::Plain)),
        alone("voice-filtered", Unit::Ns, Aim::time(8.0, 5.0), || voices(Kind::Filtered)),
        alone("voice-ears", Unit::Ns, Aim::time(16.0, 10.0), || voices(Kind::Ears)),
        alone("voice-surround", Unit::Ns, Aim::time(8.0, 5.0), || voices(Kind::Surround)),
        once("voices1000", Unit::CpuPerWall, Aim::time(0.25, 0.15), thousand),
        once("worst-block", Unit::TimePerBound, Aim::time(0.5, 0.2), worst_block),
        row("command", Unit::Ns, Aim::time(50.0, 30.0), Measure::Added(command)),
        alone("place1000", Unit::Us, Aim::time(200.0, 100.0), placing),
        alone("unpack", Unit::Ns, Aim::time(5.0, 2.0), unpacking),
        once("noise/8", Unit::Decibels, decibels(70.0, 72.0), noise::<8>),
        once("noise/16", Unit::Decibels, decibels(80.0, 90.0), noise::<16>),
        once("alias/8", Unit::Decibels, decibels(40.0, 50.0), alias::<8>),
        once("alias/16", Unit::Decibels, decibels(60.0, 70.0), alias::<16>),
        once("parameters", Unit::BytesPerItem, Aim::count(80.0, 60.0), parameters),
    ]
}

fn mixers() -> Race {
    let (mut peers, mut absent) = (Vec::new(), Vec::new());
    for (name, peer) in [("kira", kira()), ("rodio", rodio())] {
        match peer {
            Some(peer) => peers.push(peer),
            None => absent.push(name),
        }
    }
    Race { ours: voices(Kind::Plain), peers, absent }
}
