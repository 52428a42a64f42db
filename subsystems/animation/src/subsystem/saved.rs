//! The state of all characters as bytes.

use glam::Affine3A;
use loligo_allocators::SharedRef;
use loligo_entities::Entity;
use loligo_interface::SubsystemError;

use super::attachments::{Attachment, Attachments};
use super::body::{Body, VOICES};
use super::characters::Characters;
use super::description::Description;
use super::feet::Feet;
use super::goals::{self, GOALS_MAX, Goal};
use super::voice;

const WRONG: SubsystemError = SubsystemError::Wrong {
    what: "the state of the characters is torn",
    remedy: "save the game again",
};

/// Calls `each` with the words of all of it.
///
/// ```text
/// words | rigs: count | component | .. | bodies: count | entity | rig | flags | speed | phase | matrix: 12 |
///       clip: 8 | .. 6 | goal: 6 | .. 4 | words of the machine: count | .. | feet: 34 | hand-over: 4 | bone: 8 | .. | .. | attachments: count | child | owner | bone | pose: 10 | ..
/// ```
pub(crate) fn each_word(
    characters: &Characters<'_>,
    attachments: &Attachments<'_>,
    each: &mut dyn FnMut(u32),
) {
    each(characters.rigs.len() as u32);
    for rig in &characters.rigs {
        rig.words().iter().for_each(|word| each(*word));
    }
    each(characters.bodies.len() as u32);
    for body in &characters.bodies {
        let phase = body.beginning.unwrap_or(NO_PHASE).to_bits();
        let flags = body.is_hidden.into();
        for word in [body.entity.to_bits(), body.rig, flags, body.speed.to_bits(), phase] {
            each(word);
        }
        body.matrix.to_cols_array().iter().for_each(|number| each(number.to_bits()));
        body.voices.iter().flat_map(voice::Voice::to_words).for_each(&mut *each);
        for goal in &body.goals {
            let words = goal.map_or(NO_GOAL, Goal::to_words);
            words.into_iter().for_each(&mut *each);
        }
        let mut count = 0;
        body.machine.each_word(&mut |_| count += 1);
        each(count);
        body.machine.each_word(each);
        body.feet.to_words().into_iter().for_each(&mut *each);
        body.hand_over.each_word(each);
    }
    each(attachments.list.len() as u32);
    for attachment in &attachments.list {
        let words: &[u32] = bytemuck::cast_slice(core::slice::from_ref(attachment));
        words.iter().for_each(|word| each(*word));
    }
}

/// The phase of one that has begun.
const NO_PHASE: f32 = -1.0;

/// In place of a goal.
const NO_GOAL: [u32; goals::SAVED_WORDS] = [u32::MAX; goals::SAVED_WORDS];

/// The words of a body before its clips.
const BODY_WORDS: usize = 5 + 12;

/// Reads what was saved.
pub(crate) fn load<'m>(
    bytes: &[u8],
    memory: SharedRef<'m>,
) -> Result<(Characters<'m>, Attachments<'m>), SubsystemError> {
    let mut characters = Characters::new_in(memory);
    let mut attachments = Attachments::new_in(memory);
    if bytes.is_empty() {
        return Ok((characters, attachments));
    }
    let mut from = Words { bytes };
    for _ in 0..from.count()? {
        from.rig(&mut characters)?;
    }
    for _ in 0..from.count()? {
        from.body(&mut characters)?;
    }
    for _ in 0..from.count()? {
        let words: [u32; size_of::<Attachment>() / 4] = from.take()?;
        let attachment: Attachment = bytemuck::cast(words);
        if !attachment.is_sound() {
            return Err(WRONG);
        }
        attachments.list.try_push(attachment)?;
    }
    match from.bytes {
        [] => Ok((characters, attachments)),
        _ => Err(WRONG),
    }
}

/// The words that are left.
struct Words<'b> {
    bytes: &'b [u8],
}

impl Words<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u32; N], SubsystemError> {
        let (words, rest) = self.bytes.split_at_checked(4 * N).ok_or(WRONG)?;
        self.bytes = rest;
        let word = |at: usize| [0, 1, 2, 3].map(|byte| words[4 * at + byte]);
        Ok(core::array::from_fn(|at| u32::from_ne_bytes(word(at))))
    }

    /// Returns how many follow, of which each has a word at the least.
    fn count(&mut self) -> Result<usize, SubsystemError> {
        let [count] = self.take()?;
        let count = count as usize;
        if count > self.bytes.len() / 4 { Err(WRONG) } else { Ok(count) }
    }

    fn rig(&mut self, characters: &mut Characters<'_>) -> Result<(), SubsystemError> {
        let [length] = Words { bytes: self.bytes }.take()?;
        let bytes = 4 * length as usize;
        let (own, rest) = self.bytes.split_at_checked(bytes).ok_or(WRONG)?;
        self.bytes = rest;
        let memory = characters.memory();
        let mut words = loligo_containers::Array::new_in(memory);
        let (all, _) = own.as_chunks::<4>();
        words.try_extend(all.iter().map(|word| u32::from_ne_bytes(*word)))?;
        let (of, rest) = Description::read(&words).ok_or(WRONG)?;
        let is_new = !characters.rigs.iter().any(|rig| rig.words() == of.words());
        if !rest.is_empty() || !is_new {
            return Err(WRONG);
        }
        let rig = super::rig::Rig::try_new(&of, memory)?;
        characters.rigs.try_push(rig)?;
        Ok(())
    }

    fn body(&mut self, characters: &mut Characters<'_>) -> Result<(), SubsystemError> {
        let words: [u32; BODY_WORDS] = self.take()?;
        let [entity, rig, flags, speed, phase, matrix @ ..] = words;
        let entity = Entity::from_bits(entity).ok_or(WRONG)?;
        let [speed, phase] = [speed, phase].map(f32::from_bits);
        let is_whole = characters.find(entity).is_none()
            && (rig as usize) < characters.rigs.len()
            && flags < 2
            && speed.is_finite()
            && phase.is_finite();
        if !is_whole {
            return Err(WRONG);
        }
        let mut body = Body::new(entity, rig, characters.memory());
        body.is_hidden = flags != 0;
        body.speed = speed;
        body.beginning = (phase >= 0.0).then_some(phase);
        body.matrix = Affine3A::from_cols_array(&matrix.map(f32::from_bits));
        for at in 0..VOICES {
            if !body.voices[at].become_saved(&self.take()?) {
                return Err(WRONG);
            }
        }
        for at in 0..GOALS_MAX {
            let words = self.take()?;
            body.goals[at] = match words == NO_GOAL {
                true => None,
                false => Some(Goal::from_words(words).ok_or(WRONG)?),
            };
        }
        let count = self.count()?;
        for _ in 0..count {
            let [word] = self.take()?;
            body.machine.saved.try_extend_from_slice(&word.to_le_bytes())?;
        }
        body.feet = Feet::from_words(&self.take()?).ok_or(WRONG)?;
        let is_sound = body.hand_over.become_saved(&mut || self.take().map(|[word]| word))?;
        if is_sound { characters.add(body) } else { Err(WRONG) }
    }
}
