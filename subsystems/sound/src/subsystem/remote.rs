//! A mixer on the thread of a device, as the game has it.

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::boxed::Box;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use loligo_allocators::{Own, SharedRef};
use loligo_ids::IdString32;
use loligo_interface::{SideThread, SubsystemError, SubsystemMemory};

use super::meters::Meters;
use crate::control::Control;
use crate::device::{
    AudioDevices, DevicePlayer, DeviceStats, DeviceSwitch, WavesIn, WavesOut, wave_link,
};
use crate::mixer::{Mixer, MixerSettings};
use crate::pipe::Pipe;
use crate::player::ControlledVoices;

/// The most waves of a game with a device.
const WAVES: usize = 8192;

/// The orders about waves that may wait: those of a level that is loaded at once.
const ORDERS: usize = 4096;

/// The commands that may wait: those of some updates.
const COMMANDS: u32 = 4096;

/// How many frames ahead of what is computed an update begins: as long as updates come unevenly.
const AHEAD: u32 = 1024;

/// The most that it may be ahead of it.
const AHEAD_MAX: u32 = 8192;

/// The nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// How long the audio thread sleeps between its rounds: less than a block.
const PAUSE: Duration = Duration::from_millis(2);

/// A mixer that is handed to a device's thread.
pub(super) type OwnMixer<'m> = Own<'m, Mixer<'m, SubsystemMemory<'m>>, SubsystemMemory<'m>>;

pub(super) const NO_ROOM: SubsystemError = SubsystemError::Wrong {
    what: "there is no memory for the mixer",
    remedy: "give the subsystem `sound` more memory",
};

/// The game's end of a mixer on another thread.
pub(super) struct Remote<'m> {
    control: Control<'m, 'm, SubsystemMemory<'m>>,
    pub(super) waves: WavesIn<'m, SubsystemMemory<'m>>,
    switch: Arc<DeviceSwitch>,
    pub(super) meters: Arc<Meters>,
    rate: u32,
    /// The frame of the mixer at which the next update begins, and what is left of a frame before it, in
    /// frames times nanoseconds.
    begins: u32,
    left: u64,
    /// The warnings that were passed on.
    warned: u32,
}

/// What the thread has until it begins.
pub(super) struct RemoteEnd<'m> {
    commands: crate::pipe::PipeOut<'m>,
    events: crate::pipe::PipeIn<'m>,
    waves: WavesOut<'m, SubsystemMemory<'m>>,
    switch: Arc<DeviceSwitch>,
    meters: Arc<Meters>,
}

impl<'m> Remote<'m> {
    /// Returns both ends for a mixer with these settings.
    pub(super) fn try_new(
        settings: &MixerSettings,
        memory: SharedRef<'m>,
    ) -> Result<(Self, RemoteEnd<'m>), SubsystemError> {
        let (commands, to_obey) = Pipe::try_shared(COMMANDS, memory)?;
        let (said, events) = Pipe::try_shared(COMMANDS, memory)?;
        let (waves, to_mixer) = wave_link(WAVES, ORDERS, memory);
        let control = Control::new_in(settings, commands, events, memory);
        let switch = Arc::new(DeviceSwitch::new());
        let meters = Arc::new(Meters::default());
        let end = RemoteEnd {
            commands: to_obey,
            events: said,
            waves: to_mixer,
            switch: Arc::clone(&switch),
            meters: Arc::clone(&meters),
        };
        let rate = settings.rate;
        Ok((Self { control, waves, switch, meters, rate, begins: 0, left: 0, warned: 0 }, end))
    }

    /// Returns what plays the voices of an update that is some nanoseconds long, and what gives waves to it.
    pub(super) fn voices(
        &mut self,
        nanoseconds: u64,
    ) -> (ControlledVoices<'_, 'm, 'm, SubsystemMemory<'m>>, &mut WavesIn<'m, SubsystemMemory<'m>>)
    {
        // Ids of what has ended are free from here on.
        self.control.take_events(|_| {});
        self.waves.collect();
        let computed = self.switch.stats().frames as u32;
        if self.begins.wrapping_sub(computed) > AHEAD_MAX {
            // The first time, and where either thread was held up.
            self.begins = computed.wrapping_add(AHEAD);
        }
        let begins = Some(self.begins);
        self.left += nanoseconds * u64::from(self.rate);
        self.begins = self.begins.wrapping_add((self.left / SECOND) as u32);
        self.left %= SECOND;
        let Self { control, waves, rate, .. } = self;
        (ControlledVoices { control, rate: *rate, begins }, waves)
    }

    pub(super) fn set_bus_gain(&mut self, bus: IdString32, gain: f32) {
        self.control.set_bus_gain(bus, gain);
    }

    pub(super) fn set_send(&mut self, bus: IdString32, into: IdString32, gain: f32) {
        self.control.set_send(bus, into, gain);
    }

    /// Has another mixer take over, in which nothing plays.
    pub(super) fn replace(&mut self, mixer: OwnMixer<'m>) -> Result<(), SubsystemError> {
        if !self.waves.replace(mixer) {
            return Err(NO_ROOM);
        }
        self.control.restart();
        Ok(())
    }

    /// Returns what the thread counts.
    pub(super) fn stats(&self) -> DeviceStats {
        self.switch.stats()
    }

    /// Returns whether there is silence since the last call for want of a device.
    pub(super) fn take_warning(&mut self) -> bool {
        let warnings = self.switch.stats().warnings;
        core::mem::replace(&mut self.warned, warnings) != warnings
    }
}

impl<'m> RemoteEnd<'m> {
    /// Returns the work of the thread.
    pub(super) fn into_thread(
        self,
        mixer: OwnMixer<'m>,
        devices: Box<dyn AudioDevices + Send>,
        memory: SharedRef<'m>,
    ) -> Result<SoundThread<'m>, SubsystemError> {
        let Self { commands, events, waves, switch, meters } = self;
        let player = DevicePlayer::try_new_in(mixer, commands, events, waves, memory)
            .map_err(|_| NO_ROOM)?;
        Ok(SoundThread { player, devices, switch, meters })
    }
}

/// The work of the thread that plays a game on a device: see [`Sound::play_on`](super::Sound::play_on).
pub struct SoundThread<'m> {
    player: DevicePlayer<'m, 'm, SubsystemMemory<'m>>,
    devices: Box<dyn AudioDevices + Send>,
    switch: Arc<DeviceSwitch>,
    meters: Arc<Meters>,
}

impl SoundThread<'_> {
    /// A round of it, some time after the one before: see [`DevicePlayer::step`]. For tests, and for threads that
    /// do something else as well.
    pub fn step(&mut self, passed: Duration) {
        // The game passes warnings on: they are counted.
        self.player.step(&mut *self.devices, passed, &self.switch, &mut |_| {});
        self.meters.measure(self.player.mixer());
    }

    /// Returns what was counted.
    #[must_use]
    pub fn stats(&self) -> DeviceStats {
        self.switch.stats()
    }
}

impl SideThread for SoundThread<'_> {
    fn run(&mut self, is_over: &AtomicBool) {
        let mut last = Instant::now();
        // Relaxed: it is set once, and nothing else is read by it.
        while !is_over.load(Ordering::Relaxed) {
            let now = Instant::now();
            self.step(now - last);
            last = now;
            thread::sleep(PAUSE);
        }
        self.player.close();
    }
}

impl fmt::Debug for SoundThread<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SoundThread").field("player", &self.player).finish_non_exhaustive()
    }
}

/// Moves a mixer to where it stays.
pub(super) fn own<'m>(
    mixer: Mixer<'m, SubsystemMemory<'m>>,
    memory: SharedRef<'m>,
) -> Result<OwnMixer<'m>, SubsystemError> {
    Ok(Own::new_in(mixer, memory)?)
}
