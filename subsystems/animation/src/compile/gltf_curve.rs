//! Channels of glTF animations as curves that are read at any time.

use std::format;
use std::vec::Vec;

use glam::{Quat, Vec4};
use loligo_compiler::CompileError;
use loligo_formats::GltfFile;
use loligo_formats::gltf::animation::{Channel as GltfChannel, Interpolation};

use crate::clip::Channel;

/// The values of a channel over time.
#[derive(Clone, Debug)]
pub(super) struct GltfCurve {
    channel: Channel,
    interpolation: Interpolation,
    times: Vec<f32>,
    /// One for each time; of cubic curves tangent, value and tangent.
    values: Vec<Vec4>,
}

impl GltfCurve {
    /// Reads a channel that moves what `channel` says.
    pub(super) fn read(
        file: &GltfFile,
        from: &GltfChannel<'_>,
        channel: Channel,
        name: &str,
    ) -> Result<Self, CompileError> {
        let wrong = |what: &str| file.wrong(&format!("the {channel:?} of `{name}`: {what}"));
        let sampler = from.sampler();
        let (input, output) = (file.view(&sampler.input())?, file.view(&sampler.output())?);
        let interpolation = sampler.interpolation();
        let each = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let components = if channel == Channel::Rotation { 4 } else { 3 };
        if input.components() != 1 || output.components() != components {
            return Err(wrong("its times or values have other numbers of components"));
        }
        if input.is_empty() || input.len().checked_mul(each) != Some(output.len()) {
            let (times, values) = (input.len(), output.len());
            return Err(wrong(&format!("{values} values for {times} times")));
        }
        let times: Vec<f32> = (0..input.len()).map(|at| input.numbers::<1>(at)[0]).collect();
        let is_early = |time: &f32| !time.is_finite() || *time < 0.0;
        if times.iter().any(is_early) || !times.is_sorted_by(|a, b| a < b) {
            return Err(wrong("its times do not ascend from 0"));
        }
        let values: Vec<_> =
            (0..output.len()).map(|at| Vec4::from_array(output.numbers::<4>(at))).collect();
        // Tangents of rotations are no rotations.
        let is_turn = |(at, value): (usize, &Vec4)| {
            each == 3 && at % 3 != 1 || value.length_squared() > 1.0e-6
        };
        let is_sound = channel != Channel::Rotation || values.iter().enumerate().all(is_turn);
        if !is_sound || values.iter().any(|value| !value.is_finite()) {
            return Err(wrong("a value is not finite, or no rotation"));
        }
        Ok(Self { channel, interpolation, times, values })
    }

    /// Returns the last time.
    pub(super) fn end(&self) -> f32 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Returns `true` if it jumps from value to value.
    pub(super) fn is_stepped(&self) -> bool {
        self.interpolation == Interpolation::Step
    }

    /// Returns the value at a time.
    pub(super) fn at(&self, time: f32) -> [f32; 4] {
        let after = self.times.partition_point(|at| *at <= time);
        let last = self.times.len() - 1;
        let (start, end) = (after.saturating_sub(1), after.min(last));
        let length = self.times[end] - self.times[start];
        let part =
            if length > 0.0 { ((time - self.times[start]) / length).clamp(0.0, 1.0) } else { 0.0 };
        let value = match self.interpolation {
            Interpolation::Step => self.values[start],
            Interpolation::Linear => self.linear(self.values[start], self.values[end], part),
            Interpolation::CubicSpline => self.cubic(start, end, part, length),
        };
        if self.channel == Channel::Rotation {
            return value.try_normalize().unwrap_or(Vec4::W).to_array();
        }
        value.to_array()
    }

    fn linear(&self, from: Vec4, to: Vec4, part: f32) -> Vec4 {
        if self.channel != Channel::Rotation {
            return from.lerp(to, part);
        }
        let (from, to) = (Quat::from_vec4(from).normalize(), Quat::from_vec4(to).normalize());
        Vec4::from(from.slerp(to, part))
    }

    /// Returns a value between two keys of a cubic curve.
    fn cubic(&self, start: usize, end: usize, part: f32, length: f32) -> Vec4 {
        let [from, leaves] = [1, 2].map(|at| self.values[3 * start + at]);
        let [arrives, to] = [0, 1].map(|at| self.values[3 * end + at]);
        let (square, cube) = (part * part, part * part * part);
        from * (2.0 * cube - 3.0 * square + 1.0)
            + leaves * (length * (cube - 2.0 * square + part))
            + to * (3.0 * square - 2.0 * cube)
            + arrives * (length * (cube - square))
    }
}
