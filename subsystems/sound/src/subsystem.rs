//! The sounds of a game as a subsystem of an engine: entities whose component `sound` says what they
//! sound like, and whose component `listener` says who hears.

use core::fmt;
use std::boxed::Box;

use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Array, Event, EventRecord, EventStream};
use loligo_entities::{ComponentManager, Entity, EntityResource};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{
    EventSchema, Frame, MadeSubsystem, Phase, Report, ResourceChange, Subsystem, SubsystemError,
    SubsystemMemory, SubsystemRow, TailRead,
};
use loligo_monitor::{current, name};

use crate::component::{SOUND, SoundSource};
use crate::device::AudioDevices;
use crate::parameters::Parameter;
use crate::plan::MIXER_TYPE;
use crate::player::{
    DefineError, Owner, Player, SoundError, SoundEventKind, SoundId, SoundRay, SoundStart, Voices,
};
use crate::sink::Sink;
use crate::tree::SOUND_TYPE;
use crate::wave::WAVE_TYPE;

mod any_mixer;
mod emitters;
#[cfg(feature = "script")]
mod functions;
mod heard_by;
mod messages;
mod meters;
mod output;
mod remote;
mod report;
mod saved;
mod schemas;
mod streams;
mod zones;

use emitters::{Ears, Emitters, forward_of, matrix_of};
pub use messages::{
    HearSounds, OccludeSound, PlaySound, SetParameter, SoundEnded, SoundMarker, SoundRayAsked,
    SoundStarted, SoundsHeard, StopSound,
};
use output::{Output, OwnSink, RATE};
pub use remote::SoundThread;
use zones::Zones;

/// The row by which it joins an engine.
pub const ROW: SubsystemRow = SubsystemRow::new("sound", make).with_needs(needs);

/// The buses and groups of a game: `game.mixer`.
const GAME: IdString64 = IdString64::new("game");

/// The seed of what sounds choose.
const SEED: u64 = 0x50_55_4E_44;

/// The sounds of a game.
///
/// In [`Phase::Simulate`] sounds go on by the time of the update, and their events are sent. Where somebody
/// takes what is heard, a [`Sink`] or a tool that asked by [`HearSounds`], the mixer renders as many frames as the
/// update is long; else nothing is mixed, and the game sees the same.
///
/// # Memory
///
/// That of [`Player`](crate::Player), of the waves, once, and of a mixer. 92 bytes for each entity that sounds. Of a
/// wave that is streamed its first piece, up to 33 KiB, and two pieces, 5 KiB and a ring of 128 KiB for each time that it
/// plays, 32 at the most. An update allocates nothing once all lists have grown, but for pieces.
pub struct Sound<'m> {
    player: Player<'m, SubsystemMemory<'m>>,
    output: Output<'m>,
    emitters: Emitters<'m>,
    ears: Ears<'m>,
    zones: Zones<'m>,
    events: EventStream<'m, SubsystemMemory<'m>>,
    /// Sounds that were asked for by names that none has.
    unknown: u64,
}

impl<'m> Sound<'m> {
    /// Returns one that knows no sounds.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory.
    pub fn try_new(memory: SharedRef<'m>) -> Result<Self, SubsystemError> {
        Ok(Self {
            player: Player::try_new_in(SEED, memory)?,
            output: Output::try_new(memory)?,
            emitters: Emitters::new_in(memory),
            ears: Ears::new_in(memory),
            zones: Zones::new_in(memory),
            events: EventStream::new_in(memory),
            unknown: 0,
        })
    }

    /// Has a sink take what is heard from the next update on, in place of the one before, or none.
    pub fn set_sink(&mut self, sink: Option<Own<'m, dyn Sink + Send + 'm, SubsystemMemory<'m>>>) {
        let sink: Option<OwnSink<'m>> = sink;
        self.output.sink = sink;
    }

    /// Has what sounds be heard by a device from now on: returns what the thread of that does. Frames are not
    /// sent nor given to a sink any more.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory.
    pub fn play_on(
        &mut self,
        devices: Box<dyn AudioDevices + Send>,
    ) -> Result<SoundThread<'m>, SubsystemError> {
        self.output.play_on(devices, &mut self.player)
    }

    /// Returns what was counted.
    #[must_use]
    pub fn stats(&self) -> crate::PlayerStats {
        self.player.stats()
    }

    /// Goes on by an update.
    fn go_on(&mut self, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        let _scope = current::scope(name!("sound_step"));
        let places = &*frame.places;
        let mut done = self.emit();
        let emitters = &self.emitters.records;
        self.player.follow(|owner| {
            let matrix = Entity::from_bits(owner).and_then(|entity| matrix_of(places, entity));
            match matrix {
                Some(matrix) => {
                    Owner::At { at: matrix.translation.to_array(), toward: forward_of(&matrix) }
                }
                None if emitters.contains_key(&owner) => Owner::Nowhere,
                None => Owner::Gone,
            }
        });
        let listeners = self.ears.listeners(places, frame.step as f32 * 1e-9);
        self.player.set_listeners(listeners.into_iter().flatten());
        if self.output.is_heard() {
            done = done.and(self.zones.look(places));
            let (zones, listeners) = (&self.zones, self.player.listeners());
            self.output.set_rooms(|bus| zones.level(bus, listeners));
        }
        let mut heard_by = self.output.voices(frame.step);
        let voices = heard_by.as_mut().map(|voices| voices as &mut (dyn Voices + '_));
        done = done.and(self.player.step(frame.step, voices).map_err(Into::into));
        if self.output.take_warning() {
            done = done.and(Err(SILENCE));
        }
        done = done.and(self.send());
        done = done.and(self.ask(frame.number));
        done = done.and(self.render(frame.step));
        self.count();
        done
    }

    /// Plays what entities sound like that are new.
    fn emit(&mut self) -> Result<(), SubsystemError> {
        if !core::mem::take(&mut self.emitters.is_due) {
            return Ok(());
        }
        let mut done = Ok(());
        for (bits, emitter) in self.emitters.records.iter_mut() {
            if core::mem::take(&mut emitter.is_due) == 0 {
                continue;
            }
            if let Some(old) = emitter.sound() {
                self.player.stop(old, None);
            }
            let played = start(&mut self.player, *bits, &emitter.source);
            emitter.sound = *played.as_ref().unwrap_or(&0);
            done = done.and(played.map(|_| ()));
        }
        done
    }

    /// Sends what has happened.
    fn send(&mut self) -> Result<(), SubsystemError> {
        let Self { player, events, .. } = self;
        let mut done = Ok(());
        player.take_events(|event| {
            let (sound, entity) = (event.sound.to_bits(), event.owner);
            let sent = match event.kind {
                SoundEventKind::Started => events.try_push(SoundStarted { sound, entity }),
                SoundEventKind::Ended => events.try_push(SoundEnded { sound, entity }),
                SoundEventKind::Marker { name } => {
                    events.try_push(SoundMarker { sound, entity, name: name.hash() })
                }
            };
            done = done.and(sent);
        });
        Ok(done?)
    }

    /// Asks where walls are.
    fn ask(&mut self, turn: u64) -> Result<(), SubsystemError> {
        let Self { player, events, .. } = self;
        let mut done = Ok(());
        player.ask_rays(turn, |SoundRay { sound, owner, from, to }| {
            let asked = SoundRayAsked { sound: sound.to_bits(), entity: owner, from, to };
            done = done.and(events.try_push(asked));
        });
        Ok(done?)
    }

    /// Renders what is heard of the update.
    fn render(&mut self, nanoseconds: u64) -> Result<(), SubsystemError> {
        let _scope = current::scope(name!("sound_mix"));
        let is_sent = self.output.is_sent;
        let frames = self.output.render(nanoseconds)?;
        if is_sent {
            let heard = SoundsHeard { rate: RATE, frames: frames.len() as u32 };
            self.events.try_push_with_tail(heard, frames)?;
        }
        Ok(())
    }

    /// Records the numbers that graphs show, where there is something to show.
    fn count(&self) {
        let stats = self.player.stats();
        if current::is_recording() && stats.sounds > 0 {
            current::float(name!("sounds"), stats.sounds as f32);
            current::float(name!("sound_voices"), stats.voices as f32);
            current::float(name!("sound_waiting"), stats.waiting as f32);
            current::float(name!("sound_streams"), self.output.streams.stats().open as f32);
        }
    }

    /// Plays what is asked for.
    fn play(&mut self, command: &EventRecord<'_>) -> Result<(), SubsystemError> {
        let Some((play, tail)) = command.get_with_tail::<PlaySound, [u32; 2]>() else {
            return Ok(());
        };
        let start = SoundStart {
            owner: play.entity,
            at: (play.is_placed != 0).then_some(play.at),
            volume: play.volume,
            ..SoundStart::new(IdString64::from_hash(play.sound))
        };
        match self.player.play(&start) {
            Ok(id) => {
                for at in 0..tail.len() {
                    let Some([name, value]) = tail.get(at) else { break };
                    set(&mut self.player, id, [name, value])?;
                }
                Ok(())
            }
            Err(SoundError::Unknown(_)) => {
                self.unknown += 1;
                Ok(())
            }
            Err(error) => Err(of_sound(error)),
        }
    }
}

const SILENCE: SubsystemError = SubsystemError::Wrong {
    what: "no audio device can be opened, or it is gone; the game goes on in silence until there is one",
    remedy: "connect one, or choose another in the system's settings",
};

/// Plays what an entity sounds like. Returns the bits of the sound.
fn start<'m>(
    player: &mut Player<'m, SubsystemMemory<'m>>,
    entity: u32,
    source: &SoundSource,
) -> Result<u32, SubsystemError> {
    let Some(name) = source.play.name() else { return Ok(0) };
    let (volume, speed) = (source.volume, source.speed);
    let start = SoundStart { owner: entity, volume, speed, ..SoundStart::new(name) };
    let id = player.play(&start).map_err(of_sound)?;
    for parameter in source.parameters.iter().filter(|[name, _]| *name != 0) {
        set(player, id, *parameter)?;
    }
    Ok(id.to_bits())
}

/// Sets a parameter of a sound.
fn set<'m>(
    player: &mut Player<'m, SubsystemMemory<'m>>,
    sound: SoundId,
    words: [u32; 2],
) -> Result<(), SubsystemError> {
    let [name, value] = words.map(IdString32::from_hash);
    let full = SubsystemError::Wrong {
        what: "a sound has too many parameters, or there is no memory for them",
        remedy: "give the subsystem `sound` more memory",
    };
    player.set(sound, Parameter::word(name, value)).map(|_| ()).map_err(|_| full)
}

fn of_sound(error: SoundError) -> SubsystemError {
    match error {
        SoundError::Memory(error) => SubsystemError::Grow(error),
        SoundError::Full => SubsystemError::Wrong {
            what: "as many sounds play as can",
            remedy: "stop those that loop, with their entities or by `Sound.stop`",
        },
        SoundError::Unknown(_) => SubsystemError::Wrong {
            what: "an entity has a sound that is not loaded",
            remedy: "list the sound and its waves in the package of the entity",
        },
    }
}

impl<'m> Sound<'m> {
    /// Reads all that was saved, before any of it takes the place of what is here.
    fn load_all(&mut self, state: &[u8]) -> Result<(), SubsystemError> {
        let memory = self.events.memory();
        let mut emitters = Emitters::new_in(memory);
        let mut ears = Ears::new_in(memory);
        let mut zones = Zones::new_in(memory);
        let from = &mut &state[..];
        let mut gains = loligo_containers::SortedMap::new_in(memory);
        if !state.is_empty() {
            emitters.records = saved::load(from, memory)?;
            ears.records = saved::load(from, memory)?;
            zones.records = saved::load(from, memory)?;
            gains = saved::load_gains(from, memory)?;
            self.player.load(from).map_err(saved::said)?;
        } else {
            let empty = Player::try_new_in(SEED, memory)?;
            let mut out = Array::new_in(memory);
            empty.save(&mut out)?;
            self.player.load(&out).map_err(saved::said)?;
        }
        emitters.is_due = true;
        (self.emitters, self.ears, self.zones) = (emitters, ears, zones);
        self.output.set_gains(gains);
        // What is heard begins again where it is. Without memory for that, what played before ends by itself.
        let _ = self.output.remake(&mut self.player);
        Ok(())
    }
}

impl<'m> Subsystem<'m> for Sound<'m> {
    fn managers<'s>(&'s mut self, each: &mut dyn FnMut(&'s mut (dyn ComponentManager + 's))) {
        each(&mut self.emitters);
        each(&mut self.ears);
        each(&mut self.zones);
    }

    fn resource_types(&self) -> &'static [&'static str] {
        &[MIXER_TYPE, SOUND_TYPE, WAVE_TYPE]
    }

    fn resource(&mut self, change: &ResourceChange<'_>) -> Result<(), SubsystemError> {
        let Self { player, output, .. } = self;
        if change.is_of(WAVE_TYPE) {
            return output.define_wave(change.name, change.payload, player);
        }
        if change.is_of(SOUND_TYPE) {
            return player.define(change.name, change.payload).map_err(|error| match error {
                DefineError::Memory(error) => SubsystemError::Grow(error),
                DefineError::Data(_) => SubsystemError::Wrong {
                    what: "it is not a compiled sound",
                    remedy: "compile the project again",
                },
            });
        }
        match change.name == GAME {
            true => output.set_plan(change.payload, player),
            false => Ok(()),
        }
    }

    fn drop_resource(&mut self, type_hash: IdString64, name: IdString64) {
        if type_hash == IdString64::new(WAVE_TYPE) {
            self.output.undefine_wave(name, &mut self.player);
        } else if type_hash == IdString64::new(SOUND_TYPE) {
            self.player.undefine(name);
        } else if name == GAME {
            self.output.drop_plan();
        }
    }

    fn tails(&mut self, ask: &mut dyn FnMut(&TailRead) -> bool) {
        let is_waited_for = self.output.is_waited_for();
        self.output.streams.ask(is_waited_for, ask);
    }

    fn take_tail(&mut self, read: &TailRead, bytes: Option<&[u8]>) -> Result<(), SubsystemError> {
        self.output.streams.take(read, bytes)
    }

    fn needs(&self, each: &mut dyn FnMut(&'static str, IdString64)) {
        for emitter in self.emitters.records.values() {
            if let Some(name) = emitter.source.play.name() {
                each(SOUND_TYPE, name);
            }
        }
        self.player.needs(each);
    }

    fn step(&mut self, phase: Phase, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        match phase {
            Phase::Simulate => self.go_on(frame),
            Phase::Input | Phase::Think | Phase::Pose | Phase::Listen => Ok(()),
        }
    }

    #[cfg(feature = "device")]
    fn thread(&mut self) -> Result<Option<loligo_interface::MadeThread<'m>>, SubsystemError> {
        let thread = self.play_on(Box::new(crate::device::SystemDevices::new()))?;
        let thread = Own::new_in(thread, self.events.memory())?;
        Ok(Some(own_dyn!(thread => dyn loligo_interface::SideThread + 'm)))
    }

    fn set_reported(&mut self, is_reported: bool) {
        self.output.set_metered(is_reported);
    }

    fn report(&self, out: &mut dyn Report) {
        self.write_report(out);
    }

    fn schemas(&self) -> &'static [EventSchema] {
        &schemas::SCHEMAS
    }

    fn events(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(&mut self.events)
    }

    fn obeys(&self, kind: u32) -> bool {
        let known = [
            PlaySound::TYPE,
            StopSound::TYPE,
            SetParameter::TYPE,
            OccludeSound::TYPE,
            HearSounds::TYPE,
        ];
        known.contains(&kind)
    }

    fn command(&mut self, command: &EventRecord<'_>) -> Result<(), SubsystemError> {
        if command.kind() == PlaySound::TYPE {
            return self.play(command);
        }
        if let Some(StopSound { sound, seconds }) = command.get() {
            if let Some(id) = SoundId::from_bits(sound) {
                self.player.stop(id, (seconds >= 0.0).then_some(seconds));
            }
        } else if let Some(SetParameter { sound, name, value }) = command.get() {
            if let Some(id) = SoundId::from_bits(sound) {
                return set(&mut self.player, id, [name, value]);
            }
        } else if let Some(OccludeSound { sound, share }) = command.get() {
            SoundId::from_bits(sound).map(|id| self.player.occlude(id, share));
        } else if let Some(HearSounds { is_on }) = command.get() {
            self.output.is_sent = is_on != 0;
        }
        Ok(())
    }

    fn state_version(&self) -> u32 {
        2
    }

    fn state_hash(&self) -> u64 {
        let mut hash = self.player.state_hash();
        let mut add =
            |word: u32| hash = (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01B3);
        for (entity, emitter) in self.emitters.records.iter() {
            add(*entity);
            add(emitter.sound);
            add(emitter.is_due);
        }
        for (entity, source) in self.ears.records.iter() {
            add(*entity);
            add(source.volume.to_bits());
        }
        for (entity, source) in self.zones.records.iter() {
            add(*entity);
            add(source.bus);
        }
        hash
    }

    fn save(&self, out: &mut Array<'m, u8, SubsystemMemory<'m>>) -> Result<(), SubsystemError> {
        saved::save(&self.emitters.records, out)?;
        saved::save(&self.ears.records, out)?;
        saved::save(&self.zones.records, out)?;
        saved::save_gains(&self.output.gains, out)?;
        // It is last, since it is read to the end.
        Ok(self.player.save(out)?)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), SubsystemError> {
        self.load_all(state)
    }

    #[cfg(feature = "script")]
    fn functions(&self) -> &'static [loligo_interface::SubsystemFunction] {
        &functions::FUNCTIONS
    }

    #[cfg(feature = "script")]
    fn call(
        &mut self,
        function: usize,
        call: &mut loligo_script::Call<'_>,
    ) -> Result<(), loligo_script::ArgumentError> {
        functions::call(self, function, call)
    }
}

impl fmt::Debug for Sound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sound").field("player", &self.player).finish_non_exhaustive()
    }
}

fn make(memory: SharedRef<'_>) -> Result<MadeSubsystem<'_>, SubsystemError> {
    let made = Own::new_in(Sound::try_new(memory)?, memory)?;
    Ok(own_dyn!(made => dyn Subsystem<'_> + '_))
}

/// Calls `each` with the sounds that the entities of a resource name, and the buses of the game.
fn needs(entities: &EntityResource<'_>, each: &mut dyn FnMut(&'static str, IdString64)) {
    let Some(part) = entities.part(SOUND.name) else { return };
    let (sources, _) = part.data.as_chunks::<{ size_of::<SoundSource>() / 4 }>();
    let names = sources.iter().map(|words| bytemuck::cast::<_, SoundSource>(*words).play);
    names.filter_map(|play| play.name()).for_each(|name| each(SOUND_TYPE, name));
}
