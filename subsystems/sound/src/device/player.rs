//! The life of the audio thread.

use core::fmt;
use core::time::Duration;
use std::boxed::Box;
use std::thread;
use std::time::Instant;

use loligo_allocators::{Allocator, Own};

use super::converter::Converter;
use super::frames::{FramesIn, RING, frame_ring};
use super::opened::{AudioDevice, AudioDevices, DeviceError};
use super::switch::{DeviceStats, DeviceSwitch};
use super::wave_link::WavesOut;
use crate::block::BLOCK;
use crate::error::{BusError, BusErrorKind};
use crate::mixer::Mixer;
use crate::pipe::{PipeIn, PipeOut};

/// How long it sleeps where enough is rendered: less than a block.
const PAUSE: Duration = Duration::from_millis(2);

/// After how long without a device another is tried.
const RETRY: Duration = Duration::from_secs(1);

/// The frames that are rendered ahead at least: 21 ms.
const AHEAD: usize = 1024;

/// Plays a mixer on a device, and in silence where there is none: voices go on and end, and when a device
/// comes it takes over within a second.
///
/// It runs on a thread of yours, which has all that is in it.
///
/// # Examples
///
/// ```no_run
/// # #[cfg(feature = "device")] {
/// use loligo_allocators::{HeapAllocator, Locked, Own, PageAllocator};
/// use loligo_sound::device::{DevicePlayer, DeviceSwitch, SystemDevices, wave_link};
/// use loligo_sound::{Control, Mixer, MixerSettings, Pipe, Play, Wave};
///
/// let pages = PageAllocator::new("pages");
/// let heap = Locked::new(HeapAllocator::new_in("sound", &pages));
/// let settings = MixerSettings::default();
/// let mixer = Own::new_in(Mixer::try_new_in(&settings, &heap)?, &heap)?;
/// let (mut commands, mut events) = (Pipe::try_new_in(1024, &heap)?, Pipe::try_new_in(1024, &heap)?);
/// let ((commands, to_obey), (said, events)) = (commands.split(), events.split());
/// let mut control = Control::new_in(&settings, commands, events, &heap);
/// let (mut waves, to_mixer) = wave_link(1024, 64, &heap);
/// let mut player = DevicePlayer::try_new_in(mixer, to_obey, said, to_mixer, &heap)?;
///
/// let switch = &DeviceSwitch::new();
/// std::thread::scope(|scope| {
///     scope.spawn(move || {
///         player.run(&mut SystemDevices::new(), switch, |warning| eprintln!("{warning}"));
///     });
///     let wave = Wave::try_new_in(&[8_192; 48_000], 1, 48_000, &heap).expect("there is memory");
///     let wave = waves.add(wave).expect("there is room");
///     control.play(&Play::new(wave)).expect("there is room");
///     // The game goes on; at its end:
///     switch.turn_off();
/// });
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DevicePlayer<'p, 'a, A: Allocator + ?Sized> {
    mixer: Own<'a, Mixer<'a, A>, A>,
    commands: PipeOut<'p>,
    events: PipeIn<'p>,
    waves: WavesOut<'a, A>,
    converter: Converter<'a, A>,
    playing: Option<Playing>,
    /// How long until a device is tried again.
    retry: Duration,
    /// Whether it was said that there is silence.
    is_warned: bool,
    /// The part of a frame of silence that is due, in frames times nanoseconds.
    due: u128,
    stats: DeviceStats,
}

/// A device that plays.
struct Playing {
    /// Closes it when it is dropped.
    _device: Box<dyn AudioDevice>,
    frames: FramesIn,
    /// What was late before it.
    late: u32,
}

impl<'p, 'a, A: Allocator + ?Sized> DevicePlayer<'p, 'a, A> {
    /// Returns what plays a mixer, by the commands of a [`Control`](crate::Control) and with the waves of a
    /// [`WavesIn`](super::WavesIn).
    ///
    /// # Errors
    ///
    /// [`BusError`] if there is no memory.
    pub fn try_new_in(
        mut mixer: Own<'a, Mixer<'a, A>, A>,
        commands: PipeOut<'p>,
        events: PipeIn<'p>,
        waves: WavesOut<'a, A>,
        memory: &'a A,
    ) -> Result<Self, BusError> {
        let bus = Mixer::<'a, A>::MASTER;
        let failed = |error| BusError { bus, kind: BusErrorKind::Voices(error) };
        mixer.reserve_waves(waves.waves()).map_err(failed)?;
        let converter = Converter::try_new(mixer.kernels(), memory)
            .map_err(|error| BusError { bus, kind: BusErrorKind::Memory(error) })?;
        Ok(Self {
            mixer,
            commands,
            events,
            waves,
            converter,
            playing: None,
            retry: Duration::ZERO,
            is_warned: false,
            due: 0,
            stats: DeviceStats::default(),
        })
    }

    /// Plays until the switch is turned off. `warn` is called once when there is no device, and again only
    /// after there was one.
    pub fn run(
        &mut self,
        devices: &mut dyn AudioDevices,
        switch: &DeviceSwitch,
        mut warn: impl FnMut(&DeviceError),
    ) {
        let mut last = Instant::now();
        while !switch.is_off() {
            let now = Instant::now();
            self.step(devices, now - last, switch, &mut warn);
            last = now;
            thread::sleep(PAUSE);
        }
        self.close();
    }

    /// A round of [`run`](Self::run), some time after the one before: renders as much as the device wants, or
    /// for silence as much as time has passed. For tests, and for threads that do something else as well.
    pub fn step(
        &mut self,
        devices: &mut dyn AudioDevices,
        passed: Duration,
        switch: &DeviceSwitch,
        warn: &mut dyn FnMut(&DeviceError),
    ) {
        self.waves.obey(&mut self.mixer);
        if self.playing.as_ref().is_some_and(|playing| playing.frames.is_lost()) {
            self.playing = None;
            self.stats.rate = 0;
            self.retry = Duration::ZERO;
            self.warn(&DeviceError::Lost, warn);
        }
        if self.playing.is_none() {
            self.retry = self.retry.saturating_sub(passed);
            if self.retry.is_zero() {
                self.open(devices, warn);
            }
        }
        match self.playing.take() {
            Some(mut playing) => {
                self.fill(&mut playing);
                self.playing = Some(playing);
            }
            None => self.be_silent(passed),
        }
        switch.note(&self.stats);
    }

    /// Returns the mixer that plays.
    #[cfg(feature = "subsystem")]
    pub(crate) fn mixer(&mut self) -> &mut Mixer<'a, A> {
        &mut self.mixer
    }

    /// Closes the device, if there is one.
    pub fn close(&mut self) {
        self.playing = None;
        self.stats.rate = 0;
    }

    fn warn(&mut self, error: &DeviceError, warn: &mut dyn FnMut(&DeviceError)) {
        if !core::mem::replace(&mut self.is_warned, true) {
            self.stats.warnings += 1;
            warn(error);
        }
    }

    fn open(&mut self, devices: &mut dyn AudioDevices, warn: &mut dyn FnMut(&DeviceError)) {
        let (frames, to_device) = frame_ring();
        match devices.open(self.mixer.rate(), to_device) {
            Ok(device) => {
                // What has no rate is as one that has that of the mixer.
                let rate = if device.rate() == 0 { self.mixer.rate() } else { device.rate() };
                self.converter.begin(self.mixer.rate(), rate);
                self.playing = Some(Playing { _device: device, frames, late: self.stats.late });
                self.stats.opened += 1;
                self.stats.rate = rate;
                self.is_warned = false;
                self.due = 0;
            }
            Err(error) => {
                self.retry = RETRY;
                self.warn(&error, warn);
            }
        }
    }

    /// Renders as much as a device will want next: twice what it asks for at a time.
    fn fill(&mut self, playing: &mut Playing) {
        let ahead = (playing.frames.asked() * 2).clamp(AHEAD, RING - BLOCK);
        // A device that takes faster than this renders does not keep it from all else.
        let mut left = RING / BLOCK;
        while playing.frames.waiting() < ahead && left > 0 {
            let mut block = [[0.0; 2]; BLOCK];
            self.next(&mut block);
            playing.frames.push(&block);
            left -= 1;
        }
        self.stats.late = playing.late.wrapping_add(playing.frames.late());
    }

    /// Renders the next block at the rate of the device.
    fn next(&mut self, out: &mut [[f32; 2]; BLOCK]) {
        if self.converter.is_off() {
            self.render(out);
            return;
        }
        while self.converter.needs(self.mixer.kernels()) {
            let mut block = [[0.0; 2]; BLOCK];
            self.render(&mut block);
            self.converter.feed(&block);
        }
        self.converter.convert(self.mixer.kernels(), out);
    }

    /// Renders for nobody.
    fn be_silent(&mut self, passed: Duration) {
        const SECOND: u128 = 1_000_000_000;
        let nanoseconds = passed.min(RETRY).as_nanos();
        self.due += nanoseconds * u128::from(self.mixer.rate());
        while self.due >= SECOND * BLOCK as u128 {
            self.due -= SECOND * BLOCK as u128;
            self.render(&mut [[0.0; 2]; BLOCK]);
        }
    }

    fn render(&mut self, out: &mut [[f32; 2]; BLOCK]) {
        self.mixer.render_for(&mut self.commands, &mut self.events, out);
        self.stats.frames += BLOCK as u64;
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for DevicePlayer<'_, '_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DevicePlayer").field("stats", &self.stats).finish_non_exhaustive()
    }
}
