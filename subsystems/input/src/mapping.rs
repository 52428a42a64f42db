//! Compiled mappings: which controls are which actions and axes.
//!
//! # Layout
//!
//! ```text
//! blob header  48 bytes
//! root         actions | axes | contexts | bindings | chords       8 bytes each: offset, count
//! actions      hashes of names, ascending                          4 bytes each
//! axes         hashes of names, ascending                          4 bytes each
//! contexts     | name | whether it is active at first | ..         8 bytes each, lowest first
//! bindings     | control | scale | edge | target, context | chord, held | ..      20 bytes each, sorted
//! chords       controls that are held meanwhile                    4 bytes each
//! ```
//!
//! Bindings are sorted by what of a device they are bound to, then from the highest context to the
//! lowest, then from the longest chord to the shortest: the first one that fits is the one that
//! counts, with those that follow in the same context with as long a chord.

use core::cmp::Reverse;

use loligo_containers::{Blob, BlobArray, blob_struct};
use loligo_ids::IdString32;

use crate::control::{Analog, Control};
use crate::mapping_error::MappingError;

/// The type of mappings.
pub const INPUT_TYPE: &str = "input";

/// The version of mappings that is compiled and read here.
pub const INPUT_VERSION: u32 = 1;

/// The most contexts of a mapping.
pub const CONTEXTS_MAX: usize = 32;

/// The largest scale of a binding, so that no value is infinite.
pub(crate) const SCALE_MAX: f32 = 1e6;

/// The most controls of a chord that are held when its last one is pressed.
pub const CHORD_MAX: usize = 3;

blob_struct! {
    /// A mapping as it is saved: a blob. [`Input`](crate::Input) reads it.
    pub struct InputImage {
        /// Hashes of the names of actions, ascending.
        pub actions: BlobArray<IdString32>,
        /// Hashes of the names of axes, ascending.
        pub axes: BlobArray<IdString32>,
        /// The contexts, lowest first.
        pub contexts: BlobArray<ContextImage>,
        /// The bindings, sorted.
        pub bindings: BlobArray<BindingImage>,
        /// The controls of chords.
        pub chords: BlobArray<u32>,
    }
}

blob_struct! {
    /// A context as it is saved.
    pub struct ContextImage {
        /// The hash of its name.
        pub name: IdString32,
        /// 1 where it is active at first.
        pub is_active: u32,
    }
}

blob_struct! {
    /// A binding as it is saved: 20 bytes.
    pub struct BindingImage {
        /// The number of the control.
        pub control: u32,
        /// What its value is multiplied by.
        pub scale: f32,
        /// The dead zone of an axis, or the value from which an action is down.
        pub edge: f32,
        /// The place of the action, or the number of actions and the place of the axis.
        pub target: u16,
        /// The place of the context.
        pub context: u16,
        /// Where the controls of its chord begin.
        pub chord: u16,
        /// How many these are.
        pub held: u16,
    }
}

/// A binding of a control to an action or an axis: 20 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Binding {
    pub(crate) control: Control,
    pub(crate) scale: f32,
    pub(crate) edge: f32,
    pub(crate) target: u16,
    pub(crate) context: u16,
    pub(crate) chord: u16,
    pub(crate) held: u16,
}

const _: () = assert!(size_of::<Binding>() == 20, "its doc states it");

impl Binding {
    /// Returns what bindings are sorted by.
    pub(crate) const fn order(&self) -> (Control, Reverse<(u16, u16)>) {
        (self.control.source(), Reverse(self.rank()))
    }

    /// Returns context and length of the chord: of the bindings of a control that fit, those of the
    /// highest rank count.
    pub(crate) const fn rank(&self) -> (u16, u16) {
        (self.context, self.held)
    }
}

/// A mapping that was opened: borrowed, and right.
///
/// # Invariants
///
/// 1. Names of actions are strictly ascending, those of axes as well, and no name is in both.
/// 2. Bindings are sorted; each names a control, a target, a context and a chord that are there,
///    and has finite numbers, an edge from 0 to less than 1 for an axis and up to 1 for an action.
/// 3. Controls of chords are digital; no action is bound to the motion of the mouse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping<'b> {
    pub(crate) actions: &'b [IdString32],
    pub(crate) axes: &'b [IdString32],
    contexts: &'b [ContextImage],
    bindings: &'b [BindingImage],
    chords: &'b [u32],
}

impl<'b> Mapping<'b> {
    /// Opens the payload of a resource of type `input`, and checks all of it.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing and trusts no length.
    pub(crate) fn open(payload: &'b [u8]) -> Result<Self, MappingError> {
        let blob = Blob::<InputImage>::open_structure(payload).map_err(MappingError::Blob)?;
        let image = blob.root();
        let mapping = Self {
            actions: blob.array(&image.actions),
            axes: blob.array(&image.axes),
            contexts: blob.array(&image.contexts),
            bindings: blob.array(&image.bindings),
            chords: blob.array(&image.chords),
        };
        mapping.check_names()?;
        mapping.check_bindings()?;
        Ok(mapping)
    }

    /// Returns the name of each context and whether it is active at first.
    pub(crate) fn contexts(&self) -> impl ExactSizeIterator<Item = (IdString32, bool)> + use<'b> {
        self.contexts.iter().map(|context| (context.name, context.is_active == 1))
    }

    /// Returns the bindings.
    pub(crate) fn bindings(&self) -> impl ExactSizeIterator<Item = Binding> + use<'b> {
        self.bindings.iter().map(|image| binding(image).unwrap_or(NO_BINDING))
    }

    /// Returns the controls of chords.
    pub(crate) fn chords(&self) -> impl ExactSizeIterator<Item = Control> + use<'b> {
        self.chords.iter().map(|number| Control::from_number(*number).unwrap_or(Control::NONE))
    }

    fn check_names(&self) -> Result<(), MappingError> {
        let must = "strictly ascending";
        for (part, names) in [("actions", self.actions), ("axes", self.axes)] {
            if let Some(at) = names.windows(2).position(|pair| pair[0] >= pair[1]) {
                return Err(MappingError::part(part, at + 1, must));
            }
        }
        if self.actions.len() + self.axes.len() > usize::from(u16::MAX) {
            let at = self.actions.len() + self.axes.len();
            return Err(MappingError::part("axes", at, "fewer, with the actions"));
        }
        let is_action = |name: &IdString32| self.actions.binary_search(name).is_ok();
        if let Some(at) = self.axes.iter().position(is_action) {
            return Err(MappingError::part("axes", at, "named unlike any action"));
        }
        if self.contexts.len() > CONTEXTS_MAX {
            return Err(MappingError::part("contexts", self.contexts.len(), "at most 32"));
        }
        for (at, context) in self.contexts.iter().enumerate() {
            if context.is_active > 1 {
                return Err(MappingError::part("contexts", at, "active or not, 1 or 0"));
            }
            if self.contexts[..at].iter().any(|other| other.name == context.name) {
                return Err(MappingError::part("contexts", at, "named unlike those before"));
            }
        }
        Ok(())
    }

    fn check_bindings(&self) -> Result<(), MappingError> {
        for (at, number) in self.chords.iter().enumerate() {
            if !Control::from_number(*number).is_some_and(Control::is_digital) {
                return Err(MappingError::part("chords", at, "keys or buttons"));
            }
        }
        if self.bindings.len() > usize::from(u16::MAX) {
            let count = self.bindings.len();
            return Err(MappingError::part("bindings", count, "fewer than 65536"));
        }
        let mut before = None;
        for (at, image) in self.bindings.iter().enumerate() {
            let Some(binding) = binding(image) else {
                return Err(MappingError::part("bindings", at, "of a control that is known"));
            };
            if let Some(must) = self.fault(&binding) {
                return Err(MappingError::part("bindings", at, must));
            }
            if before.is_some_and(|before| before > binding.order()) {
                return Err(MappingError::part("bindings", at, "sorted"));
            }
            before = Some(binding.order());
        }
        Ok(())
    }

    /// Returns what a binding must be and is not.
    fn fault(&self, binding: &Binding) -> Option<&'static str> {
        let target = usize::from(binding.target);
        let is_action = target < self.actions.len();
        let chord_end = usize::from(binding.chord) + usize::from(binding.held);
        if target >= self.actions.len() + self.axes.len() {
            return Some("of an action or an axis that is there");
        }
        if usize::from(binding.context) >= self.contexts.len() {
            return Some("in a context that is there");
        }
        if usize::from(binding.held) > CHORD_MAX || chord_end > self.chords.len() {
            return Some("with a chord that is there, of 3 held controls at most");
        }
        // What is not a number is in no range.
        if !(-SCALE_MAX..=SCALE_MAX).contains(&binding.scale) {
            return Some("from -1000000 to 1000000 in its scale");
        }
        let edges_end = if is_action { 1.0 } else { 0.99 };
        if !(0.0..=edges_end).contains(&binding.edge) {
            return Some("from 0 to 0.99 in its dead zone, to 1 in its threshold");
        }
        if is_action && binding.control.analog() == Some(Analog::Motion) {
            return Some("of an axis where it is the motion of the mouse");
        }
        None
    }
}

/// What a binding would be that no control has: it never is, since all are checked.
const NO_BINDING: Binding = Binding {
    control: Control::NONE,
    scale: 0.0,
    edge: 0.0,
    target: 0,
    context: 0,
    chord: 0,
    held: 0,
};

fn binding(image: &BindingImage) -> Option<Binding> {
    Some(Binding {
        control: Control::from_number(image.control)?,
        scale: image.scale,
        edge: image.edge,
        target: image.target,
        context: image.context,
        chord: image.chord,
        held: image.held,
    })
}
