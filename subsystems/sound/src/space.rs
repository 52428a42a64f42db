//! Where sounds are heard: from the places of sources and listeners to gains, delays, filters and speeds.
//!
//! All of this is plain data and functions of it, which own nothing and remember nothing. What comes out is a
//! [`Placement`] for each source, which [`Mixer::place`](crate::Mixer::place) applies to a voice; what was
//! placed before fades into it over a block, so that sources may move in steps.
//!
//! ```text
//! sources   at | speed | toward | cone | curve | occlusion | low    an array for each
//!               \    for each listener: distance, cone -> gain       the loudest wins, then the nearest
//! placements    gains of six channels | delay and filter of each side | speed | listener
//! ```
//!
//! Places are in metres; axes are those of cameras: x to the right, y up, and forwards is -z.
//!
//! # Examples
//!
//! ```
//! use glam::Vec3;
//! use loligo_sound::space::{DistanceCurve, Listener, Source, SpaceSettings, place};
//!
//! let listener = Listener::default();
//! let car = Source { at: Vec3::new(20.0, 0.0, 0.0), speed: Vec3::X * -30.0, ..Source::default() };
//! let curves = [DistanceCurve::Inverse { near: 2.0, far: 200.0, rolloff: 1.0 }];
//! let placed = place(&car, &[listener], &curves, &SpaceSettings::default());
//! assert!(placed.gains[1] > placed.gains[0], "it is on the right");
//! assert!((placed.speed - 343.0 / 313.0).abs() < 1e-5, "and comes nearer, so it is higher");
//! ```

mod curve;
mod listener;
mod panning;
mod placement;
mod settings;
mod source;
mod sources;
mod zone;

pub use curve::DistanceCurve;
pub use listener::Listener;
pub use placement::{Placement, place};
pub use settings::{Head, OPEN, SpaceSettings, Speakers};
pub use source::{Cone, Source};
pub use sources::Sources;
pub use zone::{Zone, ZoneShape};

/// The channels of 5.1, in the order of files: front left and right, centre, low frequencies, back left and
/// right. Stereo is the first two.
pub const CHANNELS: usize = 6;
