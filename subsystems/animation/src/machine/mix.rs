//! Which clips a state plays at the same time.

use super::image::{CLIP, LINE, MachineMotion, MachineState, PLANE};
use super::machine_table::MachineView;
use super::triangle::locate;
use super::{MIX_MAX, STATE_VARIABLES};

/// The fastest that a state is played, forwards or backwards.
const SPEED_MAX: f32 = 1000.0;

/// The clips of a state that have a weight, and what follows from them.
///
/// # Memory
///
/// 88 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mix {
    clips: [u16; MIX_MAX],
    weights: [f32; MIX_MAX],
    /// How long the parts of its lap are.
    pub(super) seconds: [f32; MIX_MAX],
    /// How fast it is played.
    pub(super) speed: f32,
    len: u16,
    /// Whether it is the same as long as the variables of the machine are.
    pub(super) is_steady: bool,
}

impl Mix {
    pub(super) const EMPTY: Self = Self {
        clips: [0; MIX_MAX],
        weights: [0.0; MIX_MAX],
        seconds: [0.0; MIX_MAX],
        speed: 0.0,
        len: 0,
        is_steady: false,
    };

    /// Becomes the clips of a state, with weights that add up to 1.
    pub(super) fn set(&mut self, table: &MachineView<'_, '_>, number: usize, row: &[f32]) {
        let state = &table.machine.states[number];
        let motions = table.machine.motions_of(state);
        self.len = 0;
        self.is_steady = table.is_steady(state.speed);
        match state.kind {
            CLIP => self.add(motions, 0, 1.0),
            LINE => {
                let x = self.run(table, state.x, row);
                self.line(motions, x);
            }
            PLANE => self.plane(table, state, motions, row),
            _ => self.list(table, motions, row),
        }
        self.speed = table.run(state.speed, row).clamp(-SPEED_MAX, SPEED_MAX);
        let parts = usize::from(state.parts).min(MIX_MAX);
        self.seconds[..parts].fill(0.0);
        for at in 0..self.len() {
            let (clip, weight) = self.get(at);
            let seconds = &mut self.seconds[..parts];
            table.add_seconds(clip, weight, state.is_looping != 0, seconds);
        }
    }

    /// Returns how many clips have a weight.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns a clip and its weight.
    #[inline]
    pub(super) fn get(&self, at: usize) -> (usize, f32) {
        let at = at % MIX_MAX;
        (usize::from(self.clips[at]), self.weights[at])
    }

    /// Returns clips and weights.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }

    fn run(&mut self, table: &MachineView<'_, '_>, formula: u16, row: &[f32]) -> f32 {
        self.is_steady &= table.is_steady(formula);
        table.run(formula, row)
    }

    /// Adds a clip, unless it has no weight.
    fn add(&mut self, motions: &[MachineMotion], motion: usize, weight: f32) {
        let at = self.len();
        if weight > 0.0 && at < MIX_MAX {
            (self.clips[at], self.weights[at]) = (motions[motion].clip, weight);
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
        let (x, y) = (self.run(table, state.x, row), self.run(table, state.y, row));
        let (corners, weights) = locate(triangles, x, y);
        for (corner, weight) in corners.into_iter().zip(weights) {
            self.add(motions, usize::from(corner), weight);
        }
        self.scale();
    }

    fn list(&mut self, table: &MachineView<'_, '_>, motions: &[MachineMotion], row: &[f32]) {
        for (at, motion) in motions.iter().enumerate() {
            let weight = self.run(table, motion.weight, row);
            self.add(motions, at, weight);
        }
        match self.len {
            0 => self.add(motions, 0, 1.0),
            _ => self.scale(),
        }
    }

    /// Divides the weights by their sum.
    fn scale(&mut self) {
        let weights = &mut self.weights[..usize::from(self.len)];
        let sum: f32 = weights.iter().sum();
        let part = if sum > 0.0 && sum.is_finite() { 1.0 / sum } else { 1.0 };
        weights.iter_mut().for_each(|weight| *weight *= part);
    }
}

/// Sets the variables of a state, after those of the machine.
pub(super) fn set_state_variables(row: &mut [f32], time: f32, phase: f32, fade: f32) {
    let first = row.len() - STATE_VARIABLES.len();
    row[first..].copy_from_slice(&[time, phase, fade]);
}
