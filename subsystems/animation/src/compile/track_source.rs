//! The samples of a track as numbers around its base.

use std::vec::Vec;

use glam::{Quat, Vec3};
use loligo_entities::Pose;

use super::raw_clip::{RawClip, RawJump};
use crate::clip::{Channel, Track, base_of, number_of, range_code, turn_of, upper_half};

/// Below this w a turn is written the other way around: past 240 degrees from the base.
const TURN_BACK: f32 = -0.5;

/// A track that is to be fitted.
#[derive(Clone, Debug)]
pub(super) struct TrackSource {
    pub(super) channel: Channel,
    pub(super) bone: usize,
    /// How far the skin is that it moves, in metres.
    pub(super) reach: f32,
    /// How far each frame is from the base.
    pub(super) values: Vec<[f32; 3]>,
    /// The frames in which it jumps, and the values right before them.
    pub(super) jumps: Jumps,
    pub(super) base: [u16; 3],
    /// How far the base goes from the first to the last frame.
    pub(super) drift: Option<[u16; 3]>,
    pub(super) range_codes: [u16; 3],
}

impl TrackSource {
    /// Returns the track as a player reads it, but for the bytes of its keys.
    pub(super) fn unpacked(&self) -> Option<Track> {
        Track::unpack(&Track::pack((self.channel, self.bone), 1, self.range_codes, self.base))
    }
}

/// What a channel of a bone is in a clip.
#[derive(Clone, Debug)]
pub(super) enum TrackKind {
    /// As in the bind pose.
    Bind,
    /// The same in all frames.
    Constant([f32; 4]),
    /// Something that moves.
    Moving(TrackSource),
}

/// A channel of a bone whose kind is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackPlace<'c> {
    pub(super) channel: Channel,
    pub(super) bone: usize,
    pub(super) bones: usize,
    /// How far the skin is that it moves, in metres.
    pub(super) reach: f32,
    /// The jumps of the clip that are of this track, by frame.
    pub(super) jumps: &'c [RawJump],
}

impl TrackPlace<'_> {
    /// Returns what the channel is in a clip. What moves the skin by `still` metres at the most does
    /// not move.
    pub(super) fn kind(&self, clip: &RawClip, bind: &Pose, still: f32) -> TrackKind {
        let Self { channel, bone, bones, reach, .. } = *self;
        let samples = clip.samples.iter().skip(bone).step_by(bones);
        let samples: Vec<_> = samples.map(|pose| value_of(pose, channel)).collect();
        let mean = mean(&samples, channel);
        let is_near = |value: [f32; 4], other| moved(value, other, channel, reach) <= still;
        if samples.iter().all(|value| is_near(*value, mean)) {
            return match is_near(mean, value_of(bind, channel)) {
                true => TrackKind::Bind,
                false => TrackKind::Constant(mean),
            };
        }
        let drift = (channel == Channel::Position).then(|| drift_of(&samples)).flatten();
        let line = Line::new(drift, samples.len());
        let middle = match channel {
            Channel::Rotation => mean,
            _ => {
                middle(samples.iter().enumerate().map(|(frame, value)| line.without(*value, frame)))
            }
        };
        let (base, read) = base_of(channel, middle);
        let (values, jumps) = match channel {
            Channel::Rotation => self.turns(&samples, read),
            _ => self.offsets(&samples, &line, read),
        };
        let range_codes = core::array::from_fn(|axis| {
            let all = values.iter().chain(jumps.iter().map(|(_, value)| value));
            range_code(all.map(|value| value[axis].abs()).fold(0.0, f32::max))
        });
        let source = TrackSource { channel, bone, reach, values, jumps, base, drift, range_codes };
        TrackKind::Moving(source)
    }

    /// Returns the value right before a frame, if the track jumps there. Not so in the last frame,
    /// after which no time is left.
    fn before(&self, frame: usize, last: usize) -> Option<[f32; 4]> {
        let after = self.jumps.partition_point(|jump| jump.frame <= frame);
        let jump = self.jumps.get(after.checked_sub(1)?)?;
        (jump.frame == frame && frame < last).then(|| value_of(&jump.before, self.channel))
    }

    fn offsets(&self, samples: &[[f32; 4]], line: &Line, base: [f32; 4]) -> (Vec<[f32; 3]>, Jumps) {
        let last = samples.len() - 1;
        let off = |value, frame| {
            let value = line.without(value, frame);
            core::array::from_fn(|axis| value[axis] - base[axis])
        };
        let values = samples.iter().enumerate().map(|(frame, value)| off(*value, frame)).collect();
        let jump = |frame| Some((frame, off(self.before(frame, last)?, frame)));
        (values, (1..last).filter_map(jump).collect())
    }

    /// Returns how far each rotation is turned from the base. The way from sample to sample is the
    /// short one; where it leads too far around, the track jumps to the same rotation seen from the
    /// other side.
    fn turns(&self, samples: &[[f32; 4]], base: [f32; 4]) -> (Vec<[f32; 3]>, Jumps) {
        let last = samples.len() - 1;
        let mut values = Vec::with_capacity(samples.len());
        let mut jumps = Vec::new();
        let mut previous = [0.0, 0.0, 0.0, 1.0];
        for (frame, value) in samples.iter().enumerate() {
            let mut before = self.before(frame, last).map(|value| turn(value, base, previous));
            let from = if before.is_some() { [0.0, 0.0, 0.0, 1.0] } else { previous };
            let mut turned = turn(*value, base, from);
            if turned[3] < TURN_BACK && frame > 0 && frame < last {
                before = before.or(Some(turned));
                turned = turned.map(|number| -number);
            }
            if let Some(before) = before {
                jumps.push((frame, turn_of(before)));
            }
            values.push(turn_of(turned));
            previous = turned;
        }
        (values, jumps)
    }
}

/// The frames in which a track jumps, and the values right before them.
type Jumps = Vec<(usize, [f32; 3])>;

/// Returns the numbers of a channel.
pub(super) fn value_of(pose: &Pose, channel: Channel) -> [f32; 4] {
    match channel {
        Channel::Rotation => pose.rotation.normalize().to_array(),
        Channel::Position => pose.position.extend(0.0).to_array(),
        Channel::Scale => pose.scale.extend(0.0).to_array(),
    }
}

/// Returns how far the skin at the reach is moved by the difference of two values.
fn moved(a: [f32; 4], b: [f32; 4], channel: Channel, reach: f32) -> f32 {
    let distance = |a: [f32; 4], b: [f32; 4]| {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
    };
    match channel {
        // A quaternion is half as far as its rotation is turned, and its opposite is the same.
        Channel::Rotation => 2.0 * reach * distance(a, b).min(distance(a, b.map(|number| -number))),
        Channel::Position => distance(a, b),
        Channel::Scale => reach * distance(a, b),
    }
}

/// A line that positions are around.
struct Line {
    drift: [f32; 3],
    /// One frame as a part of the clip.
    frame: f32,
}

impl Line {
    fn new(drift: Option<[u16; 3]>, frames: usize) -> Self {
        let drift = drift.map_or([0.0; 3], |drift| drift.map(number_of));
        Self { drift, frame: 1.0 / (frames.max(2) - 1) as f32 }
    }

    /// Returns a value of a frame without the way that the line has gone until then.
    fn without(&self, value: [f32; 4], frame: usize) -> [f32; 4] {
        let part = frame as f32 * self.frame;
        let [x, y, z] = core::array::from_fn(|axis| value[axis] - self.drift[axis] * part);
        [x, y, z, value[3]]
    }
}

/// Returns how far positions go from the first to the last frame, if they are half as far from that line
/// as they are from their middle.
fn drift_of(samples: &[[f32; 4]]) -> Option<[u16; 3]> {
    let (first, last) = (samples.first()?, samples.last()?);
    let drift = core::array::from_fn(|axis| upper_half(last[axis] - first[axis]));
    let width = |line: &Line| {
        let values =
            || samples.iter().enumerate().map(|(frame, value)| line.without(*value, frame));
        let middle = middle(values());
        values().map(|value| moved(value, middle, Channel::Position, 1.0)).fold(0.0, f32::max)
    };
    let (with, without) = (Line::new(Some(drift), samples.len()), Line::new(None, samples.len()));
    (width(&with) < 0.5 * width(&without)).then_some(drift)
}

/// Returns the middle between the lowest and the highest value of each axis, which wastes no range.
fn middle(values: impl Iterator<Item = [f32; 4]>) -> [f32; 4] {
    let mut low = [f32::MAX; 4];
    let mut high = [f32::MIN; 4];
    for value in values {
        for axis in 0..4 {
            low[axis] = low[axis].min(value[axis]);
            high[axis] = high[axis].max(value[axis]);
        }
    }
    core::array::from_fn(|axis| 0.5 * (low[axis] + high[axis]))
}

/// Returns what all values are around.
fn mean(values: &[[f32; 4]], channel: Channel) -> [f32; 4] {
    if channel != Channel::Rotation {
        return middle(values.iter().copied());
    }
    let first = values.first().copied().unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let mut sum = [0.0_f64; 4];
    for value in values {
        let dot: f32 = value.iter().zip(first).map(|(a, b)| a * b).sum();
        for (sum, number) in sum.iter_mut().zip(value) {
            *sum += f64::from(if dot < 0.0 { -number } else { *number });
        }
    }
    let mean = Quat::from_array(sum.map(|sum| (sum / values.len() as f64) as f32));
    // Turns that cancel each other out have no mean.
    if mean.length() < 0.1 { first } else { mean.normalize().to_array() }
}

/// Returns a rotation as seen from the base, on the same side as another.
fn turn(value: [f32; 4], base: [f32; 4], other: [f32; 4]) -> [f32; 4] {
    let turned = (Quat::from_array(base).conjugate() * Quat::from_array(value)).normalize();
    let is_far = turned.dot(Quat::from_array(other)) < 0.0;
    if is_far { (-turned).to_array() } else { turned.to_array() }
}

/// Returns how much a number of the track moves the skin where its value is this one.
pub(super) fn skin_per_unit(source: &TrackSource, value: [f32; 3]) -> f32 {
    match source.channel {
        // A turn is a quarter of the angle where it is small, and grows faster than it further out.
        Channel::Rotation => 4.0 * source.reach / (1.0 + Vec3::from_array(value).length_squared()),
        Channel::Position => 1.0,
        Channel::Scale => source.reach,
    }
}
