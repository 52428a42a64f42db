//! Which clips a state plays at the same time.

use super::image::{CLIP, LINE, MachineMotion, MachineState, PLANE};
use super::machine_table::MachineView;
use super::triangle::locate;
use super::{MIX_MAX, STATE_VARIABLES};

/// The clips of a state that have a weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mix {
    clips: [(u16, f32); MIX_MAX],
    len: usize,
}

impl Mix {
    pub(super) const EMPTY: Self = Self { clips: [(0, 0.0); MIX_MAX], len: 0 };

    /// Computes the clips of a state, and their weights, which add up to 1.
    pub(super) fn of(table: &MachineView<'_, '_>, number: usize, row: &[f32]) -> Self {
        let state = &table.machine.states[number];
        let motions = table.machine.motions_of(state);
        let mut mix = Self::EMPTY;
        match state.kind {
            CLIP => mix.add(motions, 0, 1.0),
            LINE => mix.line(motions, table.run(state.x, row)),
            PLANE => mix.plane(table, state, motions, row),
            _ => mix.list(table, motions, row),
        }
        mix
    }

    /// Returns clips and weights.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let clips = self.clips.get(..self.len).unwrap_or_default();
        clips.iter().map(|(clip, weight)| (usize::from(*clip), *weight))
    }

    /// Adds a clip, unless it has no weight.
    fn add(&mut self, motions: &[MachineMotion], motion: usize, weight: f32) {
        if weight > 0.0 && self.len < MIX_MAX {
            self.clips[self.len] = (motions[motion].clip, weight);
            self.len += 1;
        }
    }

    fn line(&mut self, motions: &[MachineMotion], value: f32) {
        let upper = motions.partition_point(|motion| motion.x <= value);
        if upper == 0 || upper == motions.len() {
            return self.add(motions, upper.min(motions.len() - 1), 1.0);
        }
        let (low, high) = (motions[upper - 1].x, motions[upper].x);
        let weight = ((value - low) / (high - low)).clamp(0.0, 1.0);
        self.add(motions, upper - 1, 1.0 - weight);
        self.add(motions, upper, weight);
    }

    fn plane(
        &mut self,
        table: &MachineView<'_, '_>,
        state: &MachineState,
        motions: &[MachineMotion],
        row: &[f32],
    ) {
        let first = usize::from(state.first_triangle);
        let triangles = &table.triangles[first..first + usize::from(state.triangles)];
        let (x, y) = (table.run(state.x, row), table.run(state.y, row));
        let (corners, weights) = locate(triangles, x, y);
        for (corner, weight) in corners.into_iter().zip(weights) {
            self.add(motions, usize::from(corner), weight);
        }
        self.scale();
    }

    fn list(&mut self, table: &MachineView<'_, '_>, motions: &[MachineMotion], row: &[f32]) {
        for (at, motion) in motions.iter().enumerate() {
            self.add(motions, at, table.run(motion.weight, row));
        }
        match self.len {
            0 => self.add(motions, 0, 1.0),
            _ => self.scale(),
        }
    }

    /// Divides the weights by their sum.
    fn scale(&mut self) {
        let clips = &mut self.clips[..self.len];
        let sum: f32 = clips.iter().map(|(_, weight)| weight).sum();
        let part = if sum > 0.0 && sum.is_finite() { 1.0 / sum } else { 1.0 };
        clips.iter_mut().for_each(|(_, weight)| *weight *= part);
    }
}

/// Sets the variables of a state, after those of the machine.
pub(super) fn set_state_variables(row: &mut [f32], time: f32, phase: f32, fade: f32) {
    let first = row.len() - STATE_VARIABLES.len();
    row[first..].copy_from_slice(&[time, phase, fade]);
}
