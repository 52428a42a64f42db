//! The nodes of a sound: from a source with nodes within nodes to a list.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use loligo_compiler::{CompileError, Context, Property, PropertyValue};

use super::keys::{self, DraftCurve, DraftMarker, SECONDS};
use crate::compile::names::members_of;
use crate::tree::{SOUND_NODES_MAX, SoundNodeKind};
use crate::wave::WAVE_TYPE;

/// What sources call the kinds of nodes, in the order of their numbers.
const KINDS: [&str; 6] = ["wave", "layers", "sequence", "random", "shuffle", "switch"];

/// The keys of all nodes.
const COMMON: [&str; 5] = ["volume", "speed", "delay", "fade_in", "curves"];

/// The keys of a sound as a whole.
const WHOLE: [&str; 8] =
    ["bus", "group", "priority", "fade_out", "distance", "cone", "doppler", "occlusion"];

/// A node before it is written.
pub(super) struct DraftNode {
    pub(super) kind: SoundNodeKind,
    pub(super) wave: u32,
    pub(super) children: Vec<DraftChild>,
    pub(super) parameter: String,
    pub(super) is_looped: bool,
    pub(super) volume: [f32; 2],
    pub(super) speed: [f32; 2],
    pub(super) delay: [f32; 2],
    pub(super) fade: f32,
    pub(super) curves: Vec<DraftCurve>,
    pub(super) markers: Vec<DraftMarker>,
}

pub(super) struct DraftChild {
    pub(super) node: u32,
    pub(super) weight: f32,
    /// The word of a switch; empty for all others.
    pub(super) word: String,
}

/// What is above a node.
#[derive(Clone, Copy)]
struct Above {
    /// It is in a sequence, so it comes to one wave.
    is_single: bool,
    /// Something comes after it, so it has to end.
    has_next: bool,
    is_weighted: bool,
}

/// All nodes of a sound, parents before their children, and its waves.
#[derive(Default)]
pub(super) struct Nodes {
    pub(super) nodes: Vec<DraftNode>,
    pub(super) waves: Vec<String>,
}

impl DraftNode {
    fn wave(wave: u32) -> Self {
        Self {
            kind: SoundNodeKind::Wave,
            wave,
            children: Vec::new(),
            parameter: String::new(),
            is_looped: false,
            volume: [0.0; 2],
            speed: [1.0; 2],
            delay: [0.0; 2],
            fade: 0.0,
            curves: Vec::new(),
            markers: Vec::new(),
        }
    }
}

impl Nodes {
    /// Reads the first node, which has the keys of the whole as well.
    pub(super) fn read_root(
        &mut self,
        source: &Property,
        context: &mut Context<'_>,
    ) -> Result<(), CompileError> {
        let above = Above { is_single: false, has_next: false, is_weighted: false };
        self.read(source, &WHOLE, above, context).map(|_| ())
    }

    /// Reads a node and what is in it, and returns its number.
    fn read(
        &mut self,
        source: &Property,
        more: &[&str],
        above: Above,
        context: &mut Context<'_>,
    ) -> Result<u32, CompileError> {
        let at = self.nodes.len();
        if at == SOUND_NODES_MAX {
            let reason = format!("the sound has more than {SOUND_NODES_MAX} nodes");
            return Err(source.error(reason, "make two sounds of it"));
        }
        self.nodes.push(DraftNode::wave(0));
        if let PropertyValue::String(_) = source.value() {
            self.nodes[at].wave = self.wave(source, false, context)?;
            return Ok(at as u32);
        }
        let (kind, value) = kind_of(source)?;
        allow(source, kind, more, above)?;
        let mut node = DraftNode {
            kind,
            volume: keys::chance(source, "volume", -144.0..=48.0, 0.0)?,
            speed: keys::chance(source, "speed", 0.01..=crate::SPEED_MAX, 1.0)?,
            delay: keys::chance(source, "delay", SECONDS, 0.0)?,
            fade: source.number_or("fade_in", SECONDS, 0.0)?,
            curves: keys::curves(source)?,
            ..DraftNode::wave(0)
        };
        node.curves.iter().for_each(|curve| _ = context.name(&curve.parameter));
        match kind {
            SoundNodeKind::Wave => {
                node.is_looped = source.bool_or("loop", false)?;
                if node.is_looped && above.has_next {
                    let reason = "it loops, and what comes after it is never heard";
                    let place = source.get("loop").unwrap_or(source);
                    return Err(place.error(reason, "loop the last one of a sequence alone"));
                }
                node.wave = self.wave(value, node.is_looped, context)?;
                node.markers = keys::markers(source)?;
                node.markers.iter().for_each(|marker| _ = context.name(&marker.name));
            }
            SoundNodeKind::Switch => {
                node.parameter = value.string()?.to_string();
                context.name(&node.parameter);
                node.children = self.cases(source, above, context)?;
            }
            _ => node.children = self.items(value, kind, above, context)?,
        }
        self.nodes[at] = node;
        Ok(at as u32)
    }

    /// Reads what is in a list.
    fn items(
        &mut self,
        list: &Property,
        kind: SoundNodeKind,
        above: Above,
        context: &mut Context<'_>,
    ) -> Result<Vec<DraftChild>, CompileError> {
        use SoundNodeKind::{Layers, Random, Sequence, Shuffle};
        if above.is_single && matches!(kind, Layers | Sequence) {
            let reason = "what is in a sequence is one wave";
            return Err(list.error(reason, "put a wave here, or `random`, `shuffle` or `switch`"));
        }
        let items = list.items()?;
        if items.is_empty() {
            return Err(list.error("it is empty", "put a wave into it"));
        }
        let is_weighted = matches!(kind, Random | Shuffle);
        let mut children = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let is_last = at + 1 == items.len();
            let below = Above {
                is_single: above.is_single || kind == Sequence,
                has_next: above.has_next || (kind == Sequence && !is_last),
                is_weighted,
            };
            let node = self.read(item, &[], below, context)?;
            let weight = match (is_weighted, item.get("weight")) {
                (true, Some(weight)) => weight.number(0.001..=1e6)?,
                _ => 1.0,
            };
            children.push(DraftChild { node, weight, word: String::new() });
        }
        Ok(children)
    }

    /// Reads the cases of a switch.
    fn cases(
        &mut self,
        source: &Property,
        above: Above,
        context: &mut Context<'_>,
    ) -> Result<Vec<DraftChild>, CompileError> {
        let remedy = "add some: `cases = { wood = \"steps/wood\" }`";
        source.need("cases", remedy)?;
        let members = members_of(source, "cases", SOUND_NODES_MAX)?;
        if members.is_empty() {
            return Err(source.error("the switch has no cases", remedy));
        }
        let below = Above { is_weighted: false, ..above };
        let mut children = Vec::new();
        for member in members {
            context.name(member.key());
            let node = self.read(member, &[], below, context)?;
            children.push(DraftChild { node, weight: 1.0, word: member.key().to_string() });
        }
        if let Some(other) = source.get("default") {
            let node = self.read(other, &[], below, context)?;
            children.push(DraftChild { node, weight: 1.0, word: String::new() });
        }
        Ok(children)
    }

    /// Returns the place of a wave among those of the sound.
    fn wave(
        &mut self,
        named: &Property,
        is_looped: bool,
        context: &mut Context<'_>,
    ) -> Result<u32, CompileError> {
        let name = named.string()?;
        if name.is_empty() {
            return Err(named.error("the name is empty", "name a wave"));
        }
        context.refer(WAVE_TYPE, name, named.place());
        if is_looped {
            check_loop(named, name, context)?;
        }
        let found = self.waves.iter().position(|known| known == name);
        Ok(found.unwrap_or_else(|| {
            self.waves.push(name.to_string());
            self.waves.len() - 1
        }) as u32)
    }
}

/// Checks that a wave has a loop. That it exists is checked with all that is referred to.
fn check_loop(named: &Property, name: &str, context: &mut Context<'_>) -> Result<(), CompileError> {
    let Some(path) = context.source_of(WAVE_TYPE, name)? else { return Ok(()) };
    let bytes = context.read(&path)?;
    // What is wrong with the wave is said there.
    match Property::read(&bytes) {
        Ok(wave) if wave.get("loop").is_none() => {
            let reason = format!("the wave `{name}` has no loop");
            let remedy = format!(
                "add `loop = [ 0 48000 ]` to `{path}`: its first frame and the one after its last"
            );
            Err(named.error(reason, remedy))
        }
        _ => Ok(()),
    }
}

/// Returns what a node is, and the value of the key that says so.
fn kind_of(source: &Property) -> Result<(SoundNodeKind, &Property), CompileError> {
    source.members()?;
    let mut found = SoundNodeKind::ALL
        .into_iter()
        .zip(KINDS)
        .filter_map(|(kind, key)| Some((kind, source.get(key)?)));
    let Some((kind, value)) = found.next() else {
        let reason = "nothing is said of what is played";
        return Err(source.error(reason, format!("add one of `{}`", KINDS.join("`, `"))));
    };
    match found.next() {
        None => Ok((kind, value)),
        Some((other, place)) => {
            let [one, other] = [kind, other].map(|kind| KINDS[kind as usize]);
            let reason = format!("there are both `{one}` and `{other}`");
            Err(place.error(reason, "keep one, or put both into `layers`"))
        }
    }
}

/// Holds a node to its keys.
fn allow(
    source: &Property,
    kind: SoundNodeKind,
    more: &[&str],
    above: Above,
) -> Result<(), CompileError> {
    let mut keys = Vec::from([KINDS[kind as usize]]);
    keys.extend(COMMON);
    keys.extend(more);
    match kind {
        SoundNodeKind::Wave => keys.extend(["loop", "markers"]),
        SoundNodeKind::Switch => keys.extend(["cases", "default"]),
        _ => {}
    }
    if above.is_weighted {
        keys.push("weight");
    }
    source.allow(&keys)
}
