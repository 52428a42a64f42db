//! A source that was read: contexts, and what is bound in each.

use loligo_compiler::{CompileError, Property, PropertyValue};
use loligo_diagnostics::context;
use loligo_ids::IdString32;
use std::collections::BTreeMap;
use std::format;
use std::string::{String, ToString as _};
use std::vec::Vec;

use super::binding::ReadBinding;
use crate::mapping::{Binding, CONTEXTS_MAX};

/// The most bindings, and the most controls of their chords.
const BINDINGS_MAX: usize = u16::MAX as usize;

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Action,
    Axis,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Axis => "axis",
        }
    }
}

/// A source.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// The name of each context, and whether it is active at first.
    pub(super) contexts: Vec<(String, bool)>,
    /// Actions and axes, by their hashes: in the order of the image.
    targets: BTreeMap<IdString32, (String, Kind)>,
    /// The context, the target and the binding.
    bindings: Vec<(u16, IdString32, ReadBinding)>,
}

impl Source {
    /// Reads a source.
    pub(super) fn read(root: &Property) -> Result<Self, CompileError> {
        root.allow(&["contexts"])?;
        let remedy = "name one: `contexts = { play = { actions = { jump = \"Space\" } } }`";
        let contexts = root.need("contexts", remedy)?;
        let mut source = Self::default();
        for context in contexts.members()? {
            source.context(context)?;
        }
        Ok(source)
    }

    fn context(&mut self, context: &Property) -> Result<(), CompileError> {
        context!("In the context", context.key());
        context.allow(&["active", "actions", "axes"])?;
        let hash = IdString32::new(context.key());
        let same = self.contexts.iter().find(|(name, _)| IdString32::new(name) == hash);
        if let Some((name, _)) = same {
            let reason = match name == context.key() {
                true => format!("the context `{name}` comes twice"),
                false => format!("the context has the hash of `{name}`"),
            };
            return Err(context.error(reason, "give one of them another name"));
        }
        if self.contexts.len() == CONTEXTS_MAX {
            let reason = format!("there are more than {CONTEXTS_MAX} contexts");
            return Err(context.error(reason, "join some"));
        }
        let place = self.contexts.len() as u16;
        self.contexts.push((context.key().to_string(), context.bool_or("active", true)?));
        for (key, kind) in [("actions", Kind::Action), ("axes", Kind::Axis)] {
            let Some(targets) = context.get(key) else { continue };
            let targets = targets.members()?;
            for (at, target) in targets.iter().enumerate() {
                if targets[..at].iter().any(|other| other.key() == target.key()) {
                    let reason = format!("`{}` comes twice", target.key());
                    return Err(target.error(reason, "name all of its controls in one array"));
                }
                self.target(place, target, kind)?;
            }
        }
        Ok(())
    }

    fn target(&mut self, place: u16, target: &Property, kind: Kind) -> Result<(), CompileError> {
        let (name, hash) = (target.key(), IdString32::new(target.key()));
        context!("In the action or axis", name);
        let known = self.targets.entry(hash).or_insert_with(|| (name.to_string(), kind));
        if known.0 != name {
            let reason = format!("`{name}` has the hash of `{}`", known.0);
            return Err(target.error(reason, "give one of them another name"));
        }
        if known.1 != kind {
            let [kind, other] = [kind, known.1].map(Kind::name);
            let reason = format!("`{name}` is an {kind} here and an {other} before");
            return Err(target.error(reason, "give one of them another name"));
        }
        let bindings = match target.value() {
            PropertyValue::Array(items) => items.as_slice(),
            _ => core::slice::from_ref(target),
        };
        let mut read = Vec::new();
        for binding in bindings {
            read.push(match kind {
                Kind::Action => ReadBinding::of_action(binding)?,
                Kind::Axis => ReadBinding::of_axis(binding)?,
            });
        }
        let chords: usize = read.iter().map(|binding| binding.chord.held.len()).sum();
        self.bindings.extend(read.into_iter().map(|binding| (place, hash, binding)));
        if self.bindings.len() + chords > BINDINGS_MAX / 4 || self.targets.len() > BINDINGS_MAX {
            let reason = format!("there are more than {} bindings", BINDINGS_MAX / 4);
            return Err(target.error(reason, "make two files of it"));
        }
        Ok(())
    }

    /// Returns all names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let contexts = self.contexts.iter().map(|(name, _)| &**name);
        contexts.chain(self.targets.values().map(|(name, _)| &**name))
    }

    /// Returns the hashes of actions, ascending.
    pub(super) fn actions(&self) -> Vec<IdString32> {
        self.of_kind(Kind::Action)
    }

    /// Returns the hashes of axes, ascending.
    pub(super) fn axes(&self) -> Vec<IdString32> {
        self.of_kind(Kind::Axis)
    }

    fn of_kind(&self, kind: Kind) -> Vec<IdString32> {
        let targets = self.targets.iter().filter(|(_, (_, other))| *other == kind);
        targets.map(|(hash, _)| *hash).collect()
    }

    /// Returns the bindings, sorted, and the controls of their chords.
    pub(super) fn bindings(&self) -> (Vec<Binding>, Vec<u32>) {
        let targets: Vec<_> = self.actions().into_iter().chain(self.axes()).collect();
        let mut chords = Vec::new();
        let mut bindings = Vec::new();
        for (context, target, read) in &self.bindings {
            let held = &read.chord.held;
            bindings.push(Binding {
                control: read.chord.control,
                scale: read.scale,
                edge: read.edge,
                target: targets.iter().position(|name| name == target).unwrap_or(0) as u16,
                context: *context,
                chord: chords.len() as u16,
                held: held.len() as u16,
            });
            chords.extend(held.iter().map(|control| control.number()));
        }
        bindings.sort_by_key(|binding| (binding.order(), binding.control, binding.target));
        (bindings, chords)
    }
}
