//! A step of the game's time.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError, SortedMap};
use loligo_ids::{IdString32, IdString64};

use super::event::{SoundEvent, SoundEventKind};
use super::instance::Instance;
use super::part_state::PartState;
use super::start::slot;
use super::voices::Voices;
use super::wave_info::{KnownWave, WaveInfo};
use super::{Player, SoundId};
use crate::tree::SoundTree;

/// The longest step: what is more is as if it were so long.
const STEP_MAX: u64 = 10_000_000_000;

impl<A: Allocator + ?Sized> Player<'_, A> {
    /// Goes on by some nanoseconds of the game's time, 10 seconds at the most. What is heard of it is played by
    /// `voices`, from now on, if there are any.
    ///
    /// # Complexity
    ///
    /// O(parts · log(waves) + parts · log(parts)); the latter where more are to be heard than there are voices.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory: sounds that were to begin begin later, and events are missing.
    pub fn step(
        &mut self,
        nanoseconds: u64,
        voices: Option<&mut (dyn Voices + '_)>,
    ) -> Result<(), GrowError> {
        let nanoseconds = nanoseconds.min(STEP_MAX);
        let begun = self.begin_all();
        self.renew();
        self.shape();
        self.fade(nanoseconds);
        let advanced = self.advance(nanoseconds);
        match voices {
            Some(voices) => self.hear(nanoseconds, voices)?,
            None => self.be_silent(),
        }
        begun.and(advanced).and(self.end())
    }

    /// Takes what has changed of sounds that were defined again.
    fn renew(&mut self) {
        if !core::mem::take(&mut self.is_redefined) {
            return;
        }
        let Self { instances, parts, sounds, spaces, .. } = self;
        for place in 0..instances.len() {
            let Some(id) = instances.id_at(place) else { continue };
            let instance = &mut instances.as_mut_slice()[place];
            if let Some(tree) = tree_of(sounds, instance.name) {
                instance.take(&tree);
                spaces[slot(id)].take(&tree);
            }
        }
        for part in parts.iter_mut() {
            let instance = SoundId::from_bits(part.sound).and_then(|id| instances.get(id));
            if let Some(tree) = instance.and_then(|instance| tree_of(sounds, instance.name)) {
                part.look(&tree);
            }
        }
    }

    /// Lets curves follow the parameters that have changed.
    fn shape(&mut self) {
        let Self { instances, parts, sounds, parameters, parameters_of, .. } = self;
        if !instances.iter().any(|instance| instance.has(Instance::CHANGED)) {
            return;
        }
        for part in parts.iter_mut() {
            let Some(id) = SoundId::from_bits(part.sound) else { continue };
            let changed = instances.get(id).filter(|instance| instance.has(Instance::CHANGED));
            let tree = changed.and_then(|instance| tree_of(sounds, instance.name));
            if let Some(tree) = tree {
                part.take(&tree.shape(&part.part(), parameters, &parameters_of[slot(id)]));
            }
        }
        instances.iter_mut().for_each(|instance| instance.set(Instance::CHANGED, false));
    }

    /// Has gains and fades go on.
    fn fade(&mut self, nanoseconds: u64) {
        let seconds = nanoseconds as f32 * 1e-9;
        for instance in self.instances.iter_mut() {
            if !instance.has(Instance::PAUSED) || instance.has(Instance::STOPPING) {
                instance.gain.step(seconds);
                instance.share.step(seconds);
            }
        }
    }

    /// Has parts go on in their waves.
    fn advance(&mut self, nanoseconds: u64) -> Result<(), GrowError> {
        let Self { instances, parts, sounds, waves, events, stats, .. } = self;
        let mut done = Ok(());
        // The sound of the part before, and the nanoseconds that are left of the step after its end.
        let mut before: (u32, Option<u64>) = (0, None);
        for part in parts.iter_mut() {
            part.set(PartState::NEW | PartState::JOINS, false);
            (part.from, part.offset) = (part.at, 0);
            let id = SoundId::from_bits(part.sound);
            let Some((id, instance)) = id.and_then(|id| Some((id, instances.get(id)?))) else {
                part.set(PartState::OVER, true);
                continue;
            };
            if instance.has(Instance::STOPPING) && instance.share.is_there() {
                part.set(PartState::OVER, true);
                continue;
            }
            let over = if before.0 == part.sound { before.1 } else { None };
            before = (part.sound, None);
            if instance.has(Instance::PAUSED) {
                continue;
            }
            let Some(info) = info_of(waves, part.wave) else {
                // What comes after it begins at once.
                stats.missing += 1;
                part.set(PartState::OVER, true);
                before.1 = Some(over.unwrap_or(nanoseconds));
                continue;
            };
            let Some(left) = left_of(part, nanoseconds, over) else { continue };
            let markers = match part.has(PartState::HAS_MARKERS) {
                true => tree_of(sounds, instance.name),
                false => None,
            };
            let (node, owner) = (part.node, instance.owner);
            let ended = part.advance(&info, left, instance.speed, |from, to| {
                if let Some(tree) = &markers {
                    let mut note = |name| note(events, id, owner, SoundEventKind::Marker { name });
                    let noted = pass(tree, node, [from, to], info.rate, &mut note);
                    done = done.and(noted);
                }
            });
            part.set(PartState::OVER, ended.is_some());
            before.1 = ended;
        }
        done
    }

    /// Drops what is over.
    fn end(&mut self) -> Result<(), GrowError> {
        let Self { instances, parts, events, parameters, parameters_of, .. } = self;
        parts.retain(|part| {
            let is_over = part.has(PartState::OVER);
            let id = SoundId::from_bits(part.sound).filter(|_| is_over);
            if let Some(instance) = id.and_then(|id| instances.get_mut(id)) {
                instance.parts = instance.parts.saturating_sub(1);
            }
            !is_over
        });
        let mut done = Ok(());
        let mut place = instances.len();
        while place > 0 {
            place -= 1;
            let Some(id) = instances.id_at(place) else { continue };
            let instance = instances.as_slice()[place];
            if instance.has(Instance::STARTING) || instance.parts > 0 {
                continue;
            }
            done = done.and(note(events, id, instance.owner, SoundEventKind::Ended));
            parameters.remove(core::mem::take(&mut parameters_of[slot(id)]));
            instances.remove(id);
        }
        done
    }
}

/// Returns the nanoseconds of the step for which a part plays, and `None` if it does not begin yet. `over` are
/// those after the end of the part before it, if that has ended in this step.
fn left_of(part: &mut PartState, nanoseconds: u64, over: Option<u64>) -> Option<u64> {
    if part.has(PartState::BEGUN) {
        return Some(nanoseconds);
    }
    let mut left = nanoseconds;
    if part.has(PartState::NEXT) {
        left = over?.min(nanoseconds);
        part.set(PartState::NEXT, false);
        part.set(PartState::JOINS, part.wait == 0);
    }
    if part.wait > 0 && part.wait >= left {
        part.wait -= left;
        return None;
    }
    left -= part.wait;
    part.wait = 0;
    part.set(PartState::BEGUN | PartState::NEW, true);
    part.offset = (nanoseconds - left).min(u32::MAX.into()) as u32;
    Some(left)
}

/// Calls `note` with the markers of a node in a piece of its wave.
fn pass(
    tree: &SoundTree<'_>,
    node: u32,
    [from, to]: [u64; 2],
    rate: u32,
    note: &mut dyn FnMut(IdString32) -> Result<(), GrowError>,
) -> Result<(), GrowError> {
    for marker in tree.markers(node) {
        let at = (f64::from(marker.at) * f64::from(rate) * 4_294_967_296.0) as u64;
        if (from..to).contains(&at) {
            note(marker.name)?;
        }
    }
    Ok(())
}

fn note<A: Allocator + ?Sized>(
    events: &mut Array<'_, SoundEvent, A>,
    sound: SoundId,
    owner: u32,
    kind: SoundEventKind,
) -> Result<(), GrowError> {
    events.try_push(SoundEvent { sound, owner, kind })
}

fn info_of<A: Allocator + ?Sized>(
    waves: &SortedMap<'_, IdString64, KnownWave, A>,
    name: IdString64,
) -> Option<WaveInfo> {
    waves.get(&name).map(|known| known.info)
}

/// Returns the sound of a name, if it is known.
pub(super) fn tree_of<'s, A: Allocator + ?Sized>(
    sounds: &'s SortedMap<'_, IdString64, loligo_containers::BlobBytes<'_, A>, A>,
    name: IdString64,
) -> Option<SoundTree<'s>> {
    sounds.get(&name).and_then(|bytes| SoundTree::open_verified(bytes).ok())
}
