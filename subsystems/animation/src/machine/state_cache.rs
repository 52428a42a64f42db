//! What is kept of the newest state of a layer while the variables are the same.

use super::image::NONE;
use super::machine_table::MachineView;
use super::mix::Mix;

/// The most transitions of a state whose conditions are kept.
const CONDITIONS: usize = 32;

/// What the formulas of a state have resulted in: its clips, and its conditions, but for what depends on
/// how long it has been played.
///
/// # Memory
///
/// 104 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateCache {
    pub(super) mix: Mix,
    /// The weight of the layer.
    pub(super) weight: f32,
    /// The state that it is of; none if variables have changed.
    pub(super) state: u16,
    pub(super) is_weight_steady: bool,
    /// The transitions of the state whose conditions are kept, a bit each, and those that are met.
    steady: u32,
    met: u32,
    /// Whether no transition can be taken.
    pub(super) is_quiet: bool,
}

impl StateCache {
    pub(super) const EMPTY: Self = Self {
        mix: Mix::EMPTY,
        weight: 0.0,
        state: NONE,
        is_weight_steady: false,
        steady: 0,
        met: 0,
        is_quiet: false,
    };

    /// Forgets everything: variables have changed.
    pub(super) const fn clear(&mut self) {
        self.state = NONE;
    }

    /// Becomes that of a state, for variables of the machine and of the state.
    pub(super) fn set(
        &mut self,
        table: &MachineView<'_, '_>,
        layer: usize,
        state: u16,
        row: &[f32],
    ) {
        let machine = table.machine;
        self.mix.set(table, usize::from(state), row);
        let weight = machine.layers[layer].weight;
        self.weight = table.run(weight, row).clamp(0.0, 1.0);
        self.is_weight_steady = table.is_steady(weight);
        self.state = state;
        (self.steady, self.met) = (0, 0);
        let transitions = machine.transitions_of(&machine.states[usize::from(state)]);
        let count = transitions.len();
        for (at, number) in transitions.take(CONDITIONS).enumerate() {
            let condition = machine.transitions[number].condition;
            if table.is_steady(condition) {
                self.steady |= 1 << at;
                self.met |= u32::from(table.run(condition, row) != 0.0) << at;
            }
        }
        self.is_quiet = self.steady.count_ones() as usize == count && self.met == 0;
    }

    /// Returns whether the condition of a transition is met, if that is kept.
    #[inline]
    pub(super) const fn is_met(&self, at: usize) -> Option<bool> {
        if at < CONDITIONS && self.steady >> at & 1 != 0 {
            return Some(self.met >> at & 1 != 0);
        }
        None
    }
}
