//! State machines: which clips a character plays, at which frames and weights.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root          | variables | clips | marks | masks | .. | root |      100 bytes
//! variables     | hash of the name | default | ..                        8 bytes each
//! clips         | name of the resource | first mark | marks | ..        16 bytes each
//! marks         | frame | ..                                             4 bytes each
//! masks         | first bone | bones | ..   and | bone | weight | ..     8 bytes each
//! layers        | name | weight | mask | additive | states | start |    16 bytes each
//! states        | name | kind | loops | speed | x | y | lists .. |      28 bytes each
//! motions       | clip | weight | x | y | ..                            12 bytes each
//! triangles     | three corners | ..                                     6 bytes each
//! transitions   | to | condition | when | sync | seconds | start | ..   20 bytes each
//! formulas      | where its words begin | ..    and words                4 bytes each
//! ```

mod event;
mod formula;
mod ground_track;
mod image;
mod machine_error;
mod machine_players;
mod machine_table;
mod machines;
mod mix;
mod sample;
mod saved;
mod slot;
mod state_cache;
mod step_layer;
mod timeline;
mod triangle;
mod verify;

pub use event::MachineEvent;
#[cfg(feature = "subsystem")]
pub(crate) use formula::Formula;
#[cfg(feature = "subsystem")]
pub(crate) use ground_track::Ground;
#[cfg(feature = "compile")]
pub(crate) use image::{AT_END, AT_EVENT, AT_ONCE, CLIP, LINE, LIST, NONE, PLANE};
pub use image::{
    MachineClip, MachineImage, MachineLayer, MachineMotion, MachineState, MachineTransition,
    MachineVariable, MaskBone,
};
pub use machine_error::MachineError;
pub use machine_players::MachinePlayers;
pub use machine_table::MachineTable;
#[cfg(feature = "subsystem")]
pub(crate) use machine_table::{MachineParts, MachineView, formula_of};
pub use machines::Machines;
pub use sample::MachineSample;
pub use saved::SavedError;
#[cfg(feature = "subsystem")]
pub(crate) use saved::fingerprint;

use core::fmt;

use loligo_containers::Blob;
use loligo_ids::{IdString32, IdString64};
use loligo_resources::DataError;

/// The type of state machines.
pub const MACHINE_TYPE: &str = "machine";

/// The version of state machines that is compiled and read here.
pub const MACHINE_VERSION: u32 = 1;

/// The most variables of a machine.
pub const VARIABLES_MAX: usize = 64;

/// The most clips of a machine, and the most of its states.
pub const STATES_MAX: usize = 1024;

/// The most layers of a machine.
pub const LAYERS_MAX: usize = 8;

/// The most clips that a state plays at the same time, and the most marks of a clip.
pub const MIX_MAX: usize = 8;

/// The variables that a state has besides those of the machine: the seconds that it has been played, which
/// part of its lap is done, and how far it is faded in.
pub const STATE_VARIABLES: [&str; 3] = ["state.time", "state.phase", "state.fade"];

/// A state machine that was opened: a view of bytes that were verified once.
///
/// # Complexity
///
/// Opening is O(bytes), allocates nothing and believes no length. Reading is free.
///
/// # Memory
///
/// The bytes are borrowed and used in place. The object is twelve slices and a name.
///
/// # Examples
///
/// ```
/// use loligo_animation::Machine;
///
/// let error = Machine::open(&[0; 16]).expect_err("it is none");
/// assert!(error.to_string().starts_with("no compiled machine: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. Each layer has a state at the least; layers have all states in order, states all motions, triangles
///    and transitions. A state has motions, and as many as its kind has: at most [`MIX_MAX`] in a list.
/// 2. Transitions lead to states of the same layer. Where one is synchronised, both states loop and have
///    as many parts.
/// 3. Each index is in its list. Formulas are verified bytecode over the variables and those of states.
/// 4. All numbers are finite; durations are 0 or more; the points of a line ascend strictly; triangles have
///    an area.
#[derive(Clone, Copy)]
pub struct Machine<'b> {
    pub(crate) variables: &'b [MachineVariable],
    pub(crate) clips: &'b [MachineClip],
    pub(crate) marks: &'b [f32],
    pub(crate) masks: &'b [[u32; 2]],
    pub(crate) mask_bones: &'b [MaskBone],
    pub(crate) root: IdString32,
    pub(crate) layers: &'b [MachineLayer],
    pub(crate) states: &'b [MachineState],
    pub(crate) motions: &'b [MachineMotion],
    pub(crate) triangles: &'b [[u16; 3]],
    pub(crate) transitions: &'b [MachineTransition],
    pub(crate) formulas: &'b [u32],
    pub(crate) words: &'b [u32],
}

impl<'b> Machine<'b> {
    /// Opens the payload of a resource of type `machine`. It must be at a multiple of 16, as that of a
    /// loaded resource is.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let machine = Self::read(payload)?;
        machine.verify()?;
        Ok(machine)
    }

    /// Opens what was opened before, without another look at it.
    pub(crate) fn read(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<MachineImage>::open_structure(payload)
            .map_err(|error| DataError::blob(MACHINE_TYPE, error))?;
        let image = blob.root();
        Ok(Self {
            variables: blob.array(&image.variables),
            clips: blob.array(&image.clips),
            marks: blob.array(&image.marks),
            masks: blob.array(&image.masks),
            mask_bones: blob.array(&image.mask_bones),
            root: image.root,
            layers: blob.array(&image.layers),
            states: blob.array(&image.states),
            motions: blob.array(&image.motions),
            triangles: blob.array(&image.triangles),
            transitions: blob.array(&image.transitions),
            formulas: blob.array(&image.formulas),
            words: blob.array(&image.words),
        })
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn verify(&self) -> Result<(), DataError> {
        verify::verify(self)
    }

    /// Returns the names of the resources of type `clip` that it plays, in the order of their numbers.
    pub fn clips(&self) -> impl ExactSizeIterator<Item = IdString64> + use<'b> {
        self.clips.iter().map(|clip| clip.name)
    }

    /// Returns how many variables it has, without those of states.
    #[must_use]
    pub const fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// Returns the number of the variable of a name. O(variables): keep the number.
    #[must_use]
    pub fn variable(&self, name: IdString32) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name)
    }

    /// Returns how many layers it has.
    #[must_use]
    pub const fn layer_count(&self) -> usize {
        self.layers.len()
    }

    /// Returns the number of the layer of a name.
    #[must_use]
    pub fn layer(&self, name: IdString32) -> Option<usize> {
        self.layers.iter().position(|layer| layer.name == name)
    }

    /// Returns whether a layer is added to those below; else it takes their place.
    ///
    /// # Panics
    ///
    /// If there is no such layer.
    #[must_use]
    pub fn is_additive(&self, layer: usize) -> bool {
        self.layers[layer].is_additive != 0
    }

    /// Returns the number of the state of a name in a layer. Numbers are of all states.
    ///
    /// # Panics
    ///
    /// If there is no such layer.
    #[must_use]
    pub fn state(&self, layer: usize, name: IdString32) -> Option<usize> {
        self.states_of(layer).find(|state| self.states[*state].name == name)
    }

    /// Returns the name of a state, hashed.
    ///
    /// # Panics
    ///
    /// If there is no such state.
    #[must_use]
    pub fn state_name(&self, state: usize) -> IdString32 {
        self.states[state].name
    }

    /// Returns the numbers of the states of a layer.
    ///
    /// # Panics
    ///
    /// If there is no such layer.
    #[must_use]
    pub fn states_of(&self, layer: usize) -> core::ops::Range<usize> {
        let layer = &self.layers[layer];
        let first = usize::from(layer.first_state);
        first..first + usize::from(layer.states)
    }

    /// Returns the name of the bone whose way is given to the entity, hashed, if there is one.
    #[must_use]
    pub fn root(&self) -> Option<IdString32> {
        (self.root != IdString32::default()).then_some(self.root)
    }

    /// Returns the motions of a state.
    pub(crate) fn motions_of(&self, state: &MachineState) -> &'b [MachineMotion] {
        let first = usize::from(state.first_motion);
        &self.motions[first..first + usize::from(state.motions)]
    }

    /// Returns the transitions of a state.
    pub(crate) fn transitions_of(&self, state: &MachineState) -> core::ops::Range<usize> {
        let first = usize::from(state.first_transition);
        first..first + usize::from(state.transitions)
    }

    /// Returns the words of a formula.
    pub(crate) fn words_of(&self, formula: usize) -> &'b [u32] {
        let bounds = self.formulas.get(formula..formula + 2);
        let Some([start, end]) = bounds else { return &[] };
        self.words.get(*start as usize..*end as usize).unwrap_or_default()
    }
}

impl fmt::Debug for Machine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine")
            .field("layers", &self.layers.len())
            .field("states", &self.states.len())
            .field("clips", &self.clips.len())
            .finish_non_exhaustive()
    }
}
