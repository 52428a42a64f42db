//! Random machines against a naive model: places on a line that never goes around, in 64 bits.

use core::fmt::Write as _;

use loligo_ids::IdString32;
use proptest::prelude::*;

use crate::machine_rig::{ClipTerms, packed, with_machine};
use crate::test_drawn::{check, seeded};

/// A time that is nearer to one at which something changes than this is left to rounding.
const NEAR: f64 = 2.0e-4;

/// Clips with marks: last frames, marks and events; frames of both are no fractions of laps.
const CLIPS: [(usize, [f64; 2], f64); 3] =
    [(32, [4.0, 20.0], 7.0), (21, [12.0, 2.0], 17.0), (57, [0.0, 31.0], 40.0)];

#[derive(Clone, Debug)]
struct ModelState {
    clips: Vec<usize>,
    is_looping: bool,
    speed: f64,
}

#[derive(Clone, Debug)]
struct ModelTransition {
    from: usize,
    to: usize,
    above: f64,
    /// 0 at once, 1 at the end, 2 at the event of a clip.
    when: u8,
    seconds: f64,
    is_synchronised: bool,
}

#[derive(Clone, Debug)]
struct Model {
    states: Vec<ModelState>,
    transitions: Vec<ModelTransition>,
}

/// A state that is played: its place in parts of laps, from its beginning on.
#[derive(Clone, Debug)]
struct ModelSlot {
    state: usize,
    place: f64,
    fade: f64,
    seconds: f64,
    is_linked: bool,
    is_fresh: bool,
}

impl Model {
    fn parts(&self, state: usize) -> f64 {
        if self.states[state].is_looping { 2.0 } else { 1.0 }
    }

    /// Returns a clip's frame at a place, on a line.
    fn frame(&self, state: usize, clip: usize, place: f64) -> f64 {
        let (last, [first, second], _) = CLIPS[clip];
        let last = last as f64;
        if !self.states[state].is_looping {
            return place * last;
        }
        let lap = (place / 2.0).floor();
        let half = (second - first).rem_euclid(last);
        let part = place - 2.0 * lap;
        let since = if part < 1.0 { part * half } else { half + (part - 1.0) * (last - half) };
        lap * last + first + since
    }

    /// Returns clips and weights of a state.
    fn mix(&self, state: usize, value: f64) -> Vec<(usize, f64)> {
        let clips = &self.states[state].clips;
        if clips.len() == 1 {
            return vec![(clips[0], 1.0)];
        }
        let all = [(clips[0], 1.0 - value), (clips[1], value)];
        all.into_iter().filter(|(_, weight)| *weight > 0.0).collect()
    }

    /// Returns how many seconds each part of a lap has, for slots with weights.
    fn seconds(&self, slots: &[(ModelSlot, f64)], value: f64) -> (Vec<f64>, f64) {
        let sum: f64 = slots.iter().map(|(_, weight)| weight).sum();
        let parts = self.parts(slots[0].0.state);
        let (mut seconds, mut speed) = (vec![0.0; parts as usize], 0.0);
        for (at, (slot, weight)) in slots.iter().enumerate() {
            let weight = match sum > 0.0 {
                true => weight / sum,
                false => f64::from(u8::from(at == 0)),
            };
            speed += weight * self.states[slot.state].speed;
            for (clip, share) in self.mix(slot.state, value) {
                for (part, seconds) in seconds.iter_mut().enumerate() {
                    let frames = self.frame(slot.state, clip, part as f64 + 1.0)
                        - self.frame(slot.state, clip, part as f64);
                    *seconds += weight * share * frames / 32.0;
                }
            }
        }
        (seconds, speed)
    }
}

/// Walks from a place for some seconds, part by part.
fn walked(mut place: f64, mut left: f64, seconds: &[f64], is_looping: bool) -> f64 {
    let parts = seconds.len() as f64;
    while left > 0.0 && (is_looping || place < parts) {
        let part = place.rem_euclid(parts).floor() as usize % seconds.len();
        let rest = (place.floor() + 1.0 - place) * seconds[part];
        if left < rest {
            return place + left / seconds[part];
        }
        (place, left) = (place.floor() + 1.0, left - rest);
    }
    while left < 0.0 && (is_looping || place > 0.0) {
        let above = place.ceil();
        let part = (above - 1.0).rem_euclid(parts) as usize;
        let rest = (place - (above - 1.0)) * seconds[part];
        if -left < rest {
            return place + left / seconds[part];
        }
        (place, left) = (above - 1.0, left + rest);
    }
    place
}

/// Returns how long the way between two places is.
fn time_between(from: f64, to: f64, seconds: &[f64]) -> f64 {
    let at = |place: f64| {
        let parts = seconds.len() as f64;
        let lap = (place / parts).floor();
        let whole: f64 = seconds.iter().sum();
        let rest = place - lap * parts;
        let before: f64 = seconds[..rest as usize].iter().sum();
        let part = seconds.get(rest as usize).map_or(0.0, |part| rest.fract() * part);
        lap * whole + before + part
    };
    (at(to) - at(from)).abs()
}

/// A layer of the model that is stepped.
struct ModelLayer<'m> {
    model: &'m Model,
    slots: Vec<ModelSlot>,
    /// Clips and weights of the events that were passed.
    events: Vec<(usize, f64)>,
    /// Whether rounding may decide otherwise.
    is_near: bool,
}

impl ModelLayer<'_> {
    fn weights(&self) -> Vec<f64> {
        let mut rest = 1.0;
        let last = self.slots.len() - 1;
        let weight = |(at, slot): (usize, &ModelSlot)| {
            let weight = if at == last { rest } else { rest * slot.fade };
            rest -= weight;
            weight
        };
        self.slots.iter().enumerate().map(weight).collect()
    }

    fn groups(&self) -> Vec<usize> {
        let mut groups = vec![0];
        for pair in self.slots.windows(2) {
            let last = groups[groups.len() - 1];
            groups.push(if pair[0].is_linked { last } else { last + 1 });
        }
        groups
    }

    fn group(&self, number: usize) -> Vec<(ModelSlot, f64)> {
        let all = self.slots.iter().cloned().zip(self.weights()).zip(self.groups());
        all.filter(|(_, group)| *group == number).map(|(slot, _)| slot).collect()
    }

    /// Returns the time until a transition is taken, and the place.
    fn until(&self, transition: &ModelTransition, value: f64) -> Option<(f64, f64)> {
        let newest = &self.slots[0];
        let (seconds, speed) = self.model.seconds(&self.group(0), value);
        let parts = self.model.parts(newest.state);
        let is_looping = self.model.states[newest.state].is_looping;
        let place = match (transition.when, speed > 0.0) {
            (1, true) if is_looping => ((newest.place / parts).floor() + 1.0) * parts,
            (1, true) => parts,
            (1, false) if is_looping => ((newest.place / parts).ceil() - 1.0) * parts,
            (1, false) => 0.0,
            _ => {
                let clips = self.model.mix(newest.state, value);
                let places = clips.iter().flat_map(|(clip, _)| self.places_of(*clip));
                let is_ahead = |place: &f64| match speed > 0.0 {
                    true => *place > newest.place,
                    false => *place < newest.place,
                };
                let far = |place: &f64| (place - newest.place).abs();
                places.filter(is_ahead).min_by(|a, b| far(a).total_cmp(&far(b)))?
            }
        };
        Some((time_between(newest.place, place, &seconds) / speed.abs(), place))
    }

    /// Returns the places of the event of a clip around that of the newest state.
    fn places_of(&self, clip: usize) -> Vec<f64> {
        let newest = &self.slots[0];
        let (last, [first, second], event) = CLIPS[clip];
        let last = last as f64;
        if !self.model.states[newest.state].is_looping {
            return vec![event / last];
        }
        let half = (second - first).rem_euclid(last);
        let since = (event - first).rem_euclid(last);
        let part = if since < half { since / half } else { 1.0 + (since - half) / (last - half) };
        let lap = (newest.place / 2.0).floor();
        [-1.0, 0.0, 1.0].map(|more| 2.0 * (lap + more) + part).to_vec()
    }

    fn advance(&mut self, seconds: f64, value: f64, target: Option<f64>) {
        for slot in &mut self.slots {
            slot.fade = if slot.seconds > 0.0 { slot.fade + seconds / slot.seconds } else { 1.0 };
            self.is_near |= (slot.fade - 1.0).abs() < NEAR && slot.seconds > 0.0;
            slot.fade = slot.fade.min(1.0);
        }
        let (weights, groups) = (self.weights(), self.groups());
        for number in 0..=groups[groups.len() - 1] {
            let (parts, speed) = self.model.seconds(&self.group(number), value);
            for at in (0..self.slots.len()).filter(|at| groups[*at] == number) {
                let slot = self.slots[at].clone();
                let is_looping = self.model.states[slot.state].is_looping;
                let to = match target.filter(|_| number == 0) {
                    Some(target) => target,
                    None => walked(slot.place, seconds * speed, &parts, is_looping),
                };
                for (clip, share) in self.model.mix(slot.state, value) {
                    self.pass(&slot, to, clip, weights[at] * share);
                }
                self.slots[at].place = to;
                self.slots[at].is_fresh &= to == slot.place;
            }
        }
        if let Some(at) = self.slots.iter().position(|slot| slot.fade >= 1.0) {
            self.slots.truncate(at + 1);
        }
    }

    fn pass(&mut self, slot: &ModelSlot, to: f64, clip: usize, weight: f64) {
        let (last, _, event) = CLIPS[clip];
        let from = self.model.frame(slot.state, clip, slot.place);
        let to = self.model.frame(slot.state, clip, to);
        let (low, high) = (from.min(to), from.max(to));
        let first = ((low / last as f64).floor() - 1.0) as i64;
        for lap in first..=first + ((high - low) / last as f64) as i64 + 3 {
            let at = lap as f64 * last as f64 + event;
            self.is_near |= (at - from).abs() < 0.02 || (at - to).abs() < 0.02;
            let is_passed = if from < to { at > from && at <= to } else { at >= to && at < from };
            if is_passed && weight > 0.0 {
                self.events.push((clip, weight));
            }
        }
    }

    fn step(&mut self, seconds: f64, variable: f64, value: f64) {
        let mut left = seconds;
        for _ in 0..4 {
            let newest = self.slots[0].state;
            let mut first: Option<(f64, Option<f64>, &ModelTransition)> = None;
            for transition in &self.model.transitions {
                if transition.from != newest || variable <= transition.above {
                    continue;
                }
                if transition.when == 0 {
                    first = Some((0.0, None, transition));
                    break;
                }
                let Some((time, place)) = self.until(transition, value) else { continue };
                self.is_near |= (time - left).abs() < NEAR || time.abs() < NEAR && time > 0.0;
                if let Some((other, ..)) = first {
                    self.is_near |= (time - other).abs() < NEAR && time > 0.0;
                }
                if time <= left && first.is_none_or(|(first, ..)| time < first) {
                    first = Some((time, Some(place), transition));
                }
            }
            let Some((time, place, transition)) = first else { break };
            left -= time;
            if place.is_some() {
                self.advance(time, value, place);
            }
            let newest = &self.slots[0];
            let is_linked = transition.is_synchronised;
            let slot = ModelSlot {
                state: transition.to,
                place: if is_linked { newest.place } else { 0.0 },
                fade: if transition.seconds > 0.0 { 0.0 } else { 1.0 },
                seconds: transition.seconds,
                is_linked,
                is_fresh: !is_linked,
            };
            self.slots.insert(0, slot);
            self.slots.truncate(if transition.seconds > 0.0 { 4 } else { 1 });
        }
        if left > 0.0 {
            self.advance(left, value, None);
        }
    }

    /// Returns clips, frames and weights.
    fn samples(&self, value: f64) -> Vec<(usize, f64, f64)> {
        let mut samples = Vec::new();
        for (slot, weight) in self.slots.iter().zip(self.weights()) {
            for (clip, share) in self.model.mix(slot.state, value) {
                let frame = self.model.frame(slot.state, clip, slot.place);
                let last = CLIPS[clip].0 as f64;
                let is_looping = self.model.states[slot.state].is_looping;
                let frame = if is_looping { frame.rem_euclid(last) } else { frame };
                if weight * share > 0.0 {
                    samples.push((clip, frame, weight * share));
                }
            }
        }
        samples
    }
}

impl Model {
    /// Returns the source of the machine.
    fn source(&self) -> String {
        let mut text =
            String::from("skeleton = \"chain\"\nvariables = { go = 0 mix = 0 }\nclips = {\n");
        for (clip, (_, [first, second], _)) in CLIPS.iter().enumerate() {
            let _ =
                writeln!(text, "c{clip} = {{ clip = \"c{clip}\" marks = [ {first} {second} ] }}");
        }
        text.push_str("}\nlayers = [ { name = \"base\" states = {\n");
        for (number, state) in self.states.iter().enumerate() {
            let what = match state.clips[..] {
                [clip] => format!("clip = \"c{clip}\""),
                [a, b, ..] => format!(
                    "along = \"mix\" points = [ {{ clip = \"c{a}\" at = 0 }} {{ clip = \"c{b}\" at = 1 }} ]"
                ),
                [] => String::new(),
            };
            let (loops, speed) = (state.is_looping, state.speed);
            let _ = writeln!(text, "s{number} = {{ {what} loops = {loops} speed = {speed} }}");
        }
        text.push_str("} transitions = [\n");
        for transition in &self.transitions {
            let ModelTransition { from, to, above, seconds, is_synchronised, .. } = transition;
            let when = ["when = \"now\"", "when = \"end\"", "event = \"e\""];
            let when = when[usize::from(transition.when)];
            let _ = writeln!(
                text,
                "{{ from = \"s{from}\" to = \"s{to}\" if = \"go > {above}\" {when} seconds = {seconds} sync = \
                 {is_synchronised} }}"
            );
        }
        text + "] } ]"
    }
}

fn drawn_model() -> impl Strategy<Value = Model> {
    let clips = prop::collection::vec(0_usize..3, 1..3);
    let speed = prop::sample::select(vec![1.0, 1.3, 0.4, 2.6, -0.7, 0.0]);
    let state = (clips, any::<bool>(), speed);
    let state =
        state.prop_map(|(clips, is_looping, speed)| ModelState { clips, is_looping, speed });
    let fade = prop::sample::select(vec![0.0, 0.11, 0.37, 1.3]);
    let transition = (0_usize..9, 0_usize..9, 0_u8..4, 0_u8..3, fade, any::<bool>());
    let lists = (prop::collection::vec(state, 1..5), prop::collection::vec(transition, 0..8));
    lists.prop_map(|(states, transitions)| {
        let count = states.len();
        let to_transition = |(from, to, above, when, seconds, is_synchronised)| {
            let (from, to): (usize, usize) = (from % count, to % count);
            let is_cycle = |state: usize| -> bool { states[state].is_looping };
            let is_synchronised = is_synchronised && is_cycle(from) && is_cycle(to);
            let above = f64::from(above) + 0.5;
            ModelTransition { from, to, above, when, seconds, is_synchronised }
        };
        let transitions = transitions.into_iter().map(to_transition).collect();
        Model { states, transitions }
    })
}

#[test]
fn random_machines_are_as_a_naive_model_says() {
    let step = (0.0_f64..0.4, 0_u8..6, 0_u8..5, prop::bool::weighted(0.05));
    let drawn = (drawn_model(), prop::collection::vec(step, 1..40));
    let clips: Vec<ClipTerms> = CLIPS
        .iter()
        .zip(["c0", "c1", "c2"])
        .map(|((last, _, event), name)| (name, *last, 32.0, vec![(*event as f32, "e")]))
        .collect();
    let clips = packed(&clips);
    let compared = core::cell::Cell::new(0_usize);
    check(seeded(48, 400), &drawn, |(model, steps)| {
        with_machine(&model.source(), &clips, |rig| {
            let first = ModelSlot {
                state: 0,
                place: 0.0,
                fade: 1.0,
                seconds: 0.0,
                is_linked: false,
                is_fresh: true,
            };
            let (slots, events) = (vec![first], Vec::new());
            let mut layer = ModelLayer { model: &model, slots, events, is_near: false };
            for (seconds, go, mix, is_long) in &steps {
                let seconds = (if *is_long { 20.0 * seconds } else { *seconds }) as f32;
                let mix = f64::from(*mix) / 4.0;
                rig.set("go", f32::from(*go));
                rig.set("mix", mix as f32);
                layer.events.clear();
                layer.step(f64::from(seconds), f64::from(*go), mix);
                if layer.is_near {
                    return;
                }
                let mut passed = Vec::new();
                rig.machines.step(rig.table, seconds, |event| {
                    assert_eq!((event.name, event.bone), (IdString32::new("e"), Some(1)));
                    passed.push((event.clip, f64::from(event.weight)));
                });
                let name = format!("s{}", layer.slots[0].state);
                assert!(rig.is_in(0, &name), "{name} after {seconds}: {:?}", layer.slots);
                let found = rig.samples(0);
                let wanted = layer.samples(mix);
                assert_eq!(found.len(), wanted.len(), "{found:?}\n{wanted:?}");
                for ((clip, frame, weight), wanted) in found.iter().zip(&wanted) {
                    let off = (f64::from(*frame) - wanted.1).abs();
                    let off = off.min(CLIPS[wanted.0].0 as f64 - off);
                    let is_near = off < 0.02 && (f64::from(*weight) - wanted.2).abs() < 1.0e-3;
                    let is_its = usize::from(*clip) == wanted.0;
                    assert!(is_its && is_near, "{found:?}\n{wanted:?}\n{:?}", layer.slots);
                }
                let sum = |clip: usize, events: &[(usize, f64)]| -> (usize, f64) {
                    let its = events.iter().filter(|event| event.0 == clip);
                    (its.clone().count(), its.map(|event| event.1).sum())
                };
                for clip in 0..3 {
                    let (found, wanted) = (sum(clip, &passed), sum(clip, &layer.events));
                    let is_near = (found.1 - wanted.1).abs() < 0.01 * wanted.1.max(1.0);
                    assert!(found.0 == wanted.0 && is_near, "{passed:?}\n{:?}", layer.events);
                }
                compared.set(compared.get() + 1);
            }
        });
        Ok(())
    });
    assert!(compared.get() > 2000, "{} steps were compared", compared.get());
}

#[test]
fn each_event_is_passed_once_by_any_steps_of_a_blend() {
    let source = Model {
        states: vec![ModelState { clips: vec![0, 1], is_looping: true, speed: 1.0 }],
        transitions: vec![],
    };
    let source = source.source().replace("speed = 1", "speed = \"go\"");
    let clips: Vec<ClipTerms> = CLIPS[..]
        .iter()
        .zip(["c0", "c1", "c2"])
        .map(|((last, [first, _], event), name)| {
            let ends =
                [(0.0, "e"), (*event as f32, "e"), (*last as f32, "e"), (*first as f32, "e")];
            (name, *last, 32.0, ends.to_vec())
        })
        .collect();
    let clips = packed(&clips);
    // One clip alone: a way forwards and the same way back pass each event as often, and as often as the
    // laps say.
    let drawn = prop::collection::vec((1_u32..4000, any::<bool>()), 1..60);
    check(seeded(4, 200), &drawn, |steps| {
        with_machine(&source, &clips, |rig| {
            let (mut ahead, mut back, mut laps) = (0, 0, 0.0_f64);
            for (step, is_large) in &steps {
                let seconds = *step as f32 / if *is_large { 100.0 } else { 20_000.0 };
                let before = rig.machines.phase(rig.table, 0, 0);
                rig.set("go", 1.0);
                ahead += rig.step(seconds).len();
                laps += f64::from(seconds);
                let middle = rig.machines.phase(rig.table, 0, 0);
                rig.set("go", -1.0);
                back += rig.step(seconds).len();
                let after = rig.machines.phase(rig.table, 0, 0);
                let off = (before - after).abs();
                assert!(off.min(1.0 - off) < 1.0e-3, "{before} {middle} {after}");
            }
            // Each is passed 4 times a lap, but for those near the turns.
            let most = 4 * 2 * steps.len();
            assert!(ahead.abs_diff(back) <= most, "{ahead} {back}");
            let wanted = 4.0 * laps;
            assert!((ahead as f64 - wanted).abs() <= most as f64, "{ahead} {wanted}");
        });
        Ok(())
    });
}
