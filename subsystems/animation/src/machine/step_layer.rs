//! A step of a layer of a character.

use super::MIX_MAX;
use super::event::MachineEvent;
use super::ground_track::{Ground, way_of};
use super::image::{AT_END, AT_ONCE, MachineTransition};
use super::machine_table::MachineView;
use super::mix::{Mix, set_state_variables};
use super::sample::MachineSample;
use super::slot::{LayerSlots, SLOTS};
use super::state_cache::StateCache;
use super::timeline::{Place, Timeline, Way};
use crate::motion::Passage;

/// The most transitions of a layer in one step, so that those in a ring end.
const TRANSITIONS_A_STEP: usize = 4;

/// A layer of a character that is stepped.
pub(super) struct StepLayer<'s, 't, 'b, V> {
    pub(super) table: &'s MachineView<'t, 'b>,
    pub(super) slots: &'s mut LayerSlots,
    /// The variables, and those of a state after them.
    pub(super) row: &'s mut [f32],
    pub(super) character: usize,
    pub(super) layer: usize,
    /// What is kept of the newest state.
    pub(super) cache: &'s mut StateCache,
    /// The clips of those before it.
    pub(super) older: &'s mut [Mix; SLOTS - 1],
    /// Whether the way of the root is that of this layer.
    pub(super) has_root: bool,
    /// The way of the root in this step.
    pub(super) way: Ground,
    pub(super) visit: V,
}

/// A transition that is taken, and the way of the newest state until then.
struct Taken {
    transition: usize,
    way: Option<Way>,
    seconds: f32,
}

impl<V: FnMut(MachineEvent)> StepLayer<'_, '_, '_, V> {
    /// Steps the layer, and writes its samples; returns how many there are.
    pub(super) fn step(&mut self, seconds: f32, samples: &mut [MachineSample]) -> usize {
        let mut left = seconds;
        self.mix();
        for _ in 0..TRANSITIONS_A_STEP {
            let Some(taken) = self.next_transition(left) else { break };
            left -= taken.seconds;
            self.advance(taken.seconds, taken.way, left);
            self.begin(taken.transition);
            self.mix();
        }
        self.advance(left, None, 0.0);
        self.write_samples(samples)
    }

    /// Returns the weight of the layer.
    pub(super) const fn weight(&self) -> f32 {
        self.cache.weight
    }

    fn set_variables_of(&mut self, slot: usize) {
        let slot = &self.slots.0[slot];
        let parts = self.table.machine.states[usize::from(slot.state)].parts;
        set_state_variables(self.row, slot.time, slot.phase / f32::from(parts), slot.fade);
    }

    /// Computes the clips of all states that are played, and the weight of the layer: what may be others
    /// than before.
    fn mix(&mut self) {
        for at in (1..self.slots.len()).rev() {
            self.set_variables_of(at);
            let state = usize::from(self.slots.0[at].state);
            self.older[at - 1].set(self.table, state, self.row);
        }
        let newest = self.slots.0[0].state;
        if self.cache.state != newest {
            self.set_variables_of(0);
            return self.cache.set(self.table, self.layer, newest, self.row);
        }
        if self.cache.mix.is_steady && self.cache.is_weight_steady {
            return;
        }
        self.set_variables_of(0);
        if !self.cache.mix.is_steady {
            self.cache.mix.set(self.table, usize::from(newest), self.row);
        }
        let formula = self.table.machine.layers[self.layer].weight;
        self.cache.weight = self.table.run(formula, self.row).clamp(0.0, 1.0);
    }

    /// Returns the clips of a state that is played.
    fn mix_of(&self, slot: usize) -> &Mix {
        slot.checked_sub(1).map_or(&self.cache.mix, |older| &self.older[older])
    }

    /// Returns the first transition that is taken within some seconds.
    fn next_transition(&mut self, left: f32) -> Option<Taken> {
        if self.cache.is_quiet {
            return None;
        }
        let machine = self.table.machine;
        let newest = self.slots.0[0];
        let transitions = machine.transitions_of(&machine.states[usize::from(newest.state)]);
        self.set_variables_of(0);
        let mut timeline = None;
        let mut first: Option<Taken> = None;
        for (at, number) in transitions.enumerate() {
            let transition = &machine.transitions[number];
            let is_met = self.cache.is_met(at);
            if !is_met.unwrap_or_else(|| self.table.run(transition.condition, self.row) != 0.0) {
                continue;
            }
            if transition.when == AT_ONCE {
                return Some(Taken { transition: number, way: None, seconds: 0.0 });
            }
            let timeline = timeline.get_or_insert_with(|| {
                let len = self.slots.len();
                let (count, weights) = (self.group_len(0, len), self.slots.weights(len));
                self.timeline(&weights, 0, count)
            });
            let found = match transition.when {
                AT_END => timeline.way_to_end(newest.phase),
                _ => self.way_to_event(&self.cache.mix, timeline, transition),
            };
            let earliest = first.as_ref().map_or(left, |first| first.seconds);
            let is_earlier =
                |seconds: f32| seconds < earliest || first.is_none() && seconds <= left;
            if let Some((way, seconds)) = found.filter(|(_, seconds)| is_earlier(*seconds)) {
                first = Some(Taken { transition: number, way: Some(way), seconds });
            }
        }
        first
    }

    /// Returns the way of the newest state to the next event of a transition's name, in any of its clips.
    fn way_to_event(
        &self,
        mix: &Mix,
        timeline: &Timeline,
        transition: &MachineTransition,
    ) -> Option<(Way, f32)> {
        let newest = &self.slots.0[0];
        let mut first: Option<(Way, f32)> = None;
        for (clip, _) in mix.iter() {
            for event in self.table.events[clip] {
                if event.name() != transition.event {
                    continue;
                }
                let phase = self.table.phase_of(clip, event.frame(), timeline.is_looping);
                let found = timeline.way_to(newest.phase, phase, newest.is_fresh());
                let is_earlier = |seconds| first.is_none_or(|(_, first)| seconds < first);
                if let Some(found) = found.filter(|(_, seconds)| is_earlier(*seconds)) {
                    first = Some(found);
                }
            }
        }
        first
    }

    /// Returns how many of some states from one on are played in step with it.
    #[inline]
    fn group_len(&self, first: usize, len: usize) -> usize {
        if first + 1 >= len {
            return 1;
        }
        let slots = &self.slots.0[first..len];
        let is_linked = |slot: &&super::slot::Slot| {
            let transition = slot.transition().map(|at| &self.table.machine.transitions[at]);
            transition.is_some_and(|transition| transition.is_synchronised != 0)
        };
        (1 + slots.iter().take_while(is_linked).count()).min(slots.len())
    }

    /// Returns the lap of states that are played in step: each as much of it as its weight.
    fn timeline(&self, weights: &[f32; SLOTS], first: usize, count: usize) -> Timeline {
        let state = &self.table.machine.states[usize::from(self.slots.0[first].state)];
        let parts = usize::from(state.parts).min(MIX_MAX);
        let is_looping = state.is_looping != 0;
        let mix = self.mix_of(first);
        if count == 1 {
            return Timeline { seconds: mix.seconds, parts, is_looping, speed: mix.speed };
        }
        let mut timeline = Timeline { seconds: [0.0; MIX_MAX], parts, is_looping, speed: 0.0 };
        let sum: f32 = weights[first..first + count].iter().sum();
        for (at, weight) in weights.iter().enumerate().skip(first).take(count) {
            let weight = match sum > 0.0 {
                true => weight / sum,
                false => f32::from(u8::from(at == first)),
            };
            let mix = self.mix_of(at);
            timeline.speed += weight * mix.speed;
            for (sum, seconds) in timeline.seconds[..parts].iter_mut().zip(&mix.seconds) {
                *sum += weight * seconds;
            }
        }
        timeline
    }

    /// Fades all states by some seconds.
    fn fade(&mut self, seconds: f32, len: usize) {
        for slot in &mut self.slots.0[..len] {
            slot.time += seconds;
            if slot.fade < 1.0 {
                let transition = slot.transition().map(|at| &self.table.machine.transitions[at]);
                let fade = transition.map_or(1.0, |transition| transition.seconds);
                let is_long = fade > seconds * 1.0e-6;
                slot.fade = if is_long { (slot.fade + seconds / fade).min(1.0) } else { 1.0 };
            }
        }
    }

    /// Plays all states for some seconds, after which `after` are left of the step. The newest one goes
    /// the way that is passed, if one is.
    fn advance(&mut self, seconds: f32, way: Option<Way>, after: f32) {
        if seconds <= 0.0 && way.is_none() {
            return;
        }
        let len = self.slots.len();
        self.fade(seconds, len);
        let weights = self.slots.weights(len);
        let mut moved = Ground::NOTHING;
        let mut first = 0;
        let mut way = way;
        while first < len {
            let count = self.group_len(first, len);
            let timeline = self.timeline(&weights, first, count);
            let slot = &self.slots.0[first];
            let (from, is_fresh) = (slot.phase, slot.is_fresh());
            let its = way.take().unwrap_or_else(|| timeline.way(from, seconds));
            let parts = timeline.parts;
            let places = [Place::new(its.from, parts), Place::new(its.to, parts)];
            let is_looping = timeline.is_looping;
            let pass = Pass { way: its, places, is_fresh, is_looping, seconds, after };
            for (at, weight) in weights.iter().enumerate().skip(first).take(count) {
                self.pass(at, *weight, &pass, &mut moved);
                let slot = &mut self.slots.0[at];
                slot.phase = its.to;
                if !pass.is_still() {
                    slot.set_passed();
                }
            }
            first += count;
        }
        if self.has_root {
            let moved = moved.normalized();
            self.way = if self.way == Ground::STILL { moved } else { self.way.then(&moved) };
        }
        if len > 1 {
            self.slots.drop_covered();
        }
    }

    /// Visits the events of a way of a state, and adds to the way of the root.
    fn pass(&mut self, slot: usize, weight: f32, pass: &Pass, moved: &mut Ground) {
        for number in 0..self.mix_of(slot).len() {
            let (clip, share) = self.mix_of(slot).get(number);
            let weight = weight * share;
            if weight <= 0.0 {
                continue;
            }
            let events = self.table.events[clip];
            if !self.has_root && events.is_empty() {
                continue;
            }
            let passage = pass.passage(self.table, clip);
            if self.has_root {
                moved.add(&way_of(self.table.ground(clip), &passage), weight);
            }
            if !pass.is_still() && passage.may_pass(events) {
                self.pass_events(clip, weight, &passage, pass);
            }
        }
    }

    /// Visits the events of a clip.
    fn pass_events(&mut self, clip: usize, weight: f32, passage: &Passage, pass: &Pass) {
        let seconds_a_frame = pass.seconds / passage.frames().max(f32::MIN_POSITIVE);
        let weight = weight * self.cache.weight;
        passage.each_of(self.table.events[clip], |event| {
            let since = event.frames_since * seconds_a_frame;
            (self.visit)(MachineEvent {
                character: self.character,
                name: event.name,
                bone: event.bone,
                layer: self.layer,
                clip,
                weight,
                frame: event.frame,
                seconds_since: since.min(pass.seconds) + pass.after,
            });
        });
    }

    /// Begins the state that a transition leads to.
    fn begin(&mut self, number: usize) {
        let transition = &self.table.machine.transitions[number];
        let newest = self.slots.0[0];
        let parts = self.table.machine.states[usize::from(transition.to)].parts;
        let (phase, is_fresh) = match transition.is_synchronised != 0 {
            true => (newest.phase, newest.is_fresh()),
            false => (transition.start * f32::from(parts), true),
        };
        self.slots.begin(transition.to, number as u16, phase, is_fresh);
        if transition.seconds <= 0.0 {
            self.slots.0[0].fade = 1.0;
            self.slots.drop_covered();
        }
    }

    fn write_samples(&self, samples: &mut [MachineSample]) -> usize {
        let len = self.slots.len();
        let weights = self.slots.weights(len);
        let mut count = 0;
        for (at, slot) in self.slots.0[..len].iter().enumerate() {
            let state = &self.table.machine.states[usize::from(slot.state)];
            let place = Place::new(slot.phase, usize::from(state.parts));
            for (clip, share) in self.mix_of(at).iter() {
                let weight = weights[at] * share;
                if weight > 0.0 && count < samples.len() {
                    let frame = self.table.frame_at(clip, place, state.is_looping != 0).0;
                    let (clip, layer) = (clip as u16, self.layer as u16);
                    samples[count] = MachineSample { clip, layer, frame, weight };
                    count += 1;
                }
            }
        }
        count
    }
}

/// What a group of states that are played in step passes.
struct Pass {
    way: Way,
    /// Where it begins and ends.
    places: [Place; 2],
    is_fresh: bool,
    is_looping: bool,
    seconds: f32,
    /// The seconds of the step that are left after it.
    after: f32,
}

impl Pass {
    fn is_still(&self) -> bool {
        self.way.laps == 0 && self.way.from == self.way.to
    }

    /// Returns the way in frames of a clip.
    #[inline]
    fn passage(&self, table: &MachineView<'_, '_>, clip: usize) -> Passage {
        let Way { laps, is_forward, .. } = self.way;
        let [from, to] = self.places.map(|place| table.frame_at(clip, place, self.is_looping));
        let ((from, from_laps), (to, to_laps)) = (from, to);
        // Laps of the clip are counted from its first frame, those of the way from its first mark.
        let laps = match is_forward {
            true => (laps + to_laps).saturating_sub(from_laps),
            false => (laps + from_laps).saturating_sub(to_laps),
        };
        let last_frame = table.clips[clip].last_frame;
        Passage {
            from,
            to,
            last_frame,
            laps,
            is_forward,
            has_start: self.is_fresh,
            is_still: self.is_still(),
        }
    }
}
