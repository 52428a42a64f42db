//! Checking a plan once, when it comes in.

use loligo_ids::IdString32;
use loligo_resources::DataError;

use super::{
    BusImage, EFFECTS_MAX, EffectImage, GROUPS_MAX, MIXER_TYPE, MixerPlan, SENDS_MAX, effect_of,
};
use crate::effects::check;

/// The bus into which all others flow.
const MASTER: IdString32 = IdString32::new("master");

/// The most buses but for the master.
const BUSES_MAX: usize = 63;

/// The least and greatest numbers of [`MixerImage::space`](super::MixerImage::space).
pub(crate) const SPACE: [[f32; 2]; 6] =
    [[1.0, 10_000.0], [0.0, 10.0], [1.0, 8.0], [0.001, 10.0], [0.0, 1.0], [20.0, 20_000.0]];

/// The greatest gain: 48 decibels.
const GAIN_MAX: f32 = 256.0;

pub(super) fn verify(plan: &MixerPlan<'_>) -> Result<(), DataError> {
    if !(1..=1024).contains(&plan.voices) {
        return wrong("voices", "1 to 1024", plan.voices as usize);
    }
    let is_space = |(number, range): (&f32, &[f32; 2])| (range[0]..=range[1]).contains(number);
    if !(plan.is_for_ears <= 1 && plan.space.iter().zip(&SPACE).all(is_space)) {
        return wrong("space", "of numbers within their ranges", 0);
    }
    if plan.buses.len() > BUSES_MAX {
        return wrong("buses", "63 at the most", plan.buses.len());
    }
    if let Some(at) = (0..plan.buses.len()).position(|at| !is_right(plan, at)) {
        return wrong("buses", "after those that it names, with numbers within their ranges", at);
    }
    if plan.groups.len() > GROUPS_MAX {
        return wrong("groups", "64 at the most", plan.groups.len());
    }
    let is_group = |at: usize| {
        let group = &plan.groups[at];
        let is_new = plan.groups[..at].iter().all(|other| other.name != group.name);
        is_new && group.voices >= 1 && group.name.hash() != 0
    };
    match (0..plan.groups.len()).position(|at| !is_group(at)) {
        Some(at) => wrong("groups", "with a voice at least, each once", at),
        None => Ok(()),
    }
}

/// Returns whether a bus is as it must be.
fn is_right(plan: &MixerPlan<'_>, at: usize) -> bool {
    let (bus, before) = (&plan.buses[at], &plan.buses[..at]);
    let has = |name: IdString32| name == MASTER || before.iter().any(|bus| bus.name == name);
    let is_gain = |gain: f32| (0.0..=GAIN_MAX).contains(&gain);
    let Some(effects) = part(bus.effects, plan.effects) else { return false };
    let Some(sends) = part(bus.sends, plan.sends) else { return false };
    !has(bus.name)
        && has(bus.into)
        && is_gain(bus.gain)
        && sends.len() <= SENDS_MAX
        && sends.iter().all(|send| has(send.into) && is_gain(send.gain))
        && effects.len() <= EFFECTS_MAX
        && effects.iter().all(|effect| is_effect(effect, bus, has))
}

fn is_effect(image: &EffectImage, bus: &BusImage, has: impl Fn(IdString32) -> bool) -> bool {
    let effect = effect_of(image.kind, image.form, image.listen, image.numbers);
    let hears = image.listen.hash() == 0 || (has(image.listen) && image.listen != bus.name);
    hears && effect.is_some_and(|effect| check(&effect).is_ok())
}

/// The elements that a first one and a count name, if they are there.
fn part<T>([first, count]: [u32; 2], all: &[T]) -> Option<&[T]> {
    let first = first as usize;
    all.get(first..first.checked_add(count as usize)?)
}

fn wrong(field: &'static str, must: &'static str, found: usize) -> Result<(), DataError> {
    Err(DataError::part(MIXER_TYPE, field, must, found as u64))
}
