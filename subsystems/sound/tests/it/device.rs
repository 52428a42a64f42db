//! The audio thread with devices that are played by the test: what arrives, what is lost, and who frees what.

use core::cell::RefCell;
use core::time::Duration;
use std::rc::Rc;

use loligo_allocators::{Allocator, HeapAllocator, Locked, Own, PageAllocator};
use loligo_sound::device::{
    AudioDevice, AudioDevices, DeviceError, DevicePlayer, DeviceSwitch, FramesOut, WavesIn,
    wave_link,
};
use loligo_sound::{
    BLOCK, Bus, Control, Mixer, MixerEvent, MixerSettings, Pipe, Play, PlayError, Wave,
};

use crate::memory::with_memory;
use crate::tones::{distance_from_sine, left, sine};

const SETTINGS: MixerSettings = MixerSettings { rate: 48_000, voices: 16, taps: 16, channels: 2 };

/// Devices of a test: the rates of those that can be opened, one after the other; 0 is one that cannot.
struct Rates {
    rates: Vec<u32>,
    /// What the last one takes.
    taken: Rc<RefCell<Option<FramesOut>>>,
}

impl Rates {
    fn new(rates: &[u32]) -> Self {
        Self { rates: rates.to_vec(), taken: Rc::default() }
    }

    /// Takes frames as the callback of a device does.
    fn take(&self, count: usize) -> Vec<[f32; 2]> {
        let mut taken = Vec::new();
        let mut frames = self.taken.borrow_mut();
        frames.as_mut().expect("it is open").take(count, |frame| taken.push(frame));
        taken
    }

    fn lose(&self) {
        self.taken.borrow().as_ref().expect("it is open").loss()();
    }
}

impl AudioDevices for Rates {
    fn open(&mut self, rate: u32, frames: FramesOut) -> Result<Box<dyn AudioDevice>, DeviceError> {
        assert_eq!(rate, SETTINGS.rate, "what the mixer wants");
        assert!(!self.rates.is_empty(), "no more are opened");
        let first = self.rates.remove(0);
        if first == 0 {
            return Err(DeviceError::Unopened { reason: "none".to_string() });
        }
        *self.taken.borrow_mut() = Some(frames);
        Ok(Box::new(Rated(first)))
    }
}

struct Rated(u32);

impl AudioDevice for Rated {
    fn rate(&self) -> u32 {
        self.0
    }
}

/// A player, and what the game has of it.
struct Stage<'p, 'a> {
    player: DevicePlayer<'p, 'a, dyn Allocator + 'a>,
    control: Control<'p, 'a>,
    waves: WavesIn<'a>,
    switch: DeviceSwitch,
    warnings: Vec<DeviceError>,
}

impl Stage<'_, '_> {
    fn step(&mut self, devices: &mut Rates, milliseconds: u64) {
        let Self { player, switch, warnings, .. } = self;
        let passed = Duration::from_millis(milliseconds);
        player.step(devices, passed, switch, &mut |warning| warnings.push(warning.clone()));
    }

    /// Steps, and takes frames of the device.
    fn heard(&mut self, devices: &mut Rates, count: usize) -> Vec<[f32; 2]> {
        let mut heard = Vec::new();
        while heard.len() < count {
            self.step(devices, 5);
            heard.extend(devices.take(256.min(count - heard.len())));
        }
        heard
    }

    fn ended(&mut self) -> usize {
        let mut ended = 0;
        self.control
            .take_events(|event| ended += usize::from(matches!(event, MixerEvent::Ended { .. })));
        ended
    }
}

fn with_stage(test: impl for<'a> FnOnce(&mut Stage<'_, 'a>, &'a (dyn Allocator + 'a))) {
    with_memory(|memory| {
        let mixer = Mixer::try_new(&SETTINGS, memory).expect("there is memory");
        let mixer = Own::new_in(mixer, memory).expect("there is memory");
        let pipe = || Pipe::try_new(64, memory).expect("there is memory");
        let (mut commands, mut events) = (pipe(), pipe());
        let ((commands, to_obey), (said, events)) = (commands.split(), events.split());
        let control = Control::new(&SETTINGS, commands, events, memory);
        let (waves, to_mixer) = wave_link(8, 4, memory);
        let player = DevicePlayer::try_new_in(mixer, to_obey, said, to_mixer, memory);
        let player = player.expect("there is memory");
        let (switch, warnings) = (DeviceSwitch::new(), Vec::new());
        test(&mut Stage { player, control, waves, switch, warnings }, memory);
    });
}

#[test]
fn a_device_hears_what_a_mixer_renders() {
    let samples = sine(48.0, 9600);
    let mut alone = vec![[0.0; 2]; 4800];
    with_memory(|memory| {
        let mut mixer = Mixer::try_new(&SETTINGS, memory).expect("there is memory");
        let wave = Wave::try_new(&samples, 1, 48_000, memory).expect("there is memory");
        let wave = mixer.add_wave(wave).expect("there is memory");
        mixer.play(&Play::new(wave)).expect("it plays");
        mixer.render(&mut alone);
    });
    with_stage(|stage, memory| {
        let wave = Wave::try_new(&samples, 1, 48_000, memory).expect("there is memory");
        let wave = stage.waves.add(wave).expect("there is room");
        stage.control.play(&Play::new(wave)).expect("there is room");
        let mut devices = Rates::new(&[48_000]);
        let heard = stage.heard(&mut devices, 4800);
        // The first frames of a device fade in.
        assert!(heard[64..] == alone[64..], "to the bit");
        assert!(stage.warnings.is_empty(), "{:?}", stage.warnings);
        let stats = stage.switch.stats();
        assert_eq!((stats.late, stats.opened, stats.rate), (0, 1, 48_000));
        assert!(stats.frames >= 4800 + 512, "it is ahead by twice of what is asked for");
        // A device that takes more at a time has more ahead of it.
        devices.take(4000);
        stage.step(&mut devices, 5);
        let late = stage.switch.stats().late;
        assert!(late > 0 && devices.take(4000).len() == 4000);
        stage.step(&mut devices, 5);
        assert_eq!(stage.switch.stats().late, late, "from the second time on all is there");
    });
}

#[test]
fn devices_of_other_rates_hear_the_same_tone() {
    for rate in [44_100, 32_000, 96_000, 192_000, 8000] {
        with_stage(|stage, memory| {
            let samples = sine(48.0, 48_000);
            let wave = Wave::try_new(&samples, 1, 48_000, memory).expect("there is memory");
            let wave = stage.waves.add(wave).expect("there is room");
            stage.control.play(&Play::new(wave)).expect("there is room");
            let mut devices = Rates::new(&[rate]);
            let before = memory.stats().allocations_total;
            stage.step(&mut devices, 5);
            let heard = stage.heard(&mut devices, rate as usize / 4);
            assert_eq!(memory.stats().allocations_total, before, "it has all that it needs");
            // The first frames fade in.
            let apart = distance_from_sine(&left(&heard[100..]), 1000.0 / f64::from(rate));
            assert!(apart > 60.0, "{apart} decibels at {rate}");
        });
    }
}

#[test]
fn without_a_device_all_goes_on_in_silence_after_one_warning() {
    with_stage(|stage, memory| {
        let mut devices = Rates::new(&[0, 0, 44_100, 0, 48_000]);
        let wave = Wave::try_new(&[8192; 4800], 1, 48_000, memory).expect("there is memory");
        let wave = stage.waves.add(wave).expect("there is room");
        let play = Play::new(wave);
        let voice = stage.control.play(&play).expect("there is room");
        (0..21).for_each(|_| stage.step(&mut devices, 5));
        assert_eq!((stage.ended(), stage.control.is_playing(voice)), (1, false), "by its time");
        assert_eq!(stage.warnings.len(), 1, "{:?}", stage.warnings);
        assert!(stage.warnings[0].to_string().contains("goes on in silence"));
        // One second later none, and one more later there is one.
        stage.step(&mut devices, 900);
        stage.step(&mut devices, 999);
        assert_eq!((stage.switch.stats().opened, stage.warnings.len()), (0, 1));
        stage.step(&mut devices, 1);
        assert_eq!((stage.switch.stats().opened, stage.switch.stats().rate), (1, 44_100));
        // It is lost while something plays, and with it a bit of that.
        let voice = stage.control.play(&play).expect("there is room");
        stage.heard(&mut devices, 2000);
        devices.lose();
        stage.step(&mut devices, 5);
        assert_eq!(stage.warnings[1..], [DeviceError::Lost]);
        assert_eq!(stage.switch.stats().rate, 0);
        (0..21).for_each(|_| stage.step(&mut devices, 5));
        assert_eq!((stage.ended(), stage.control.is_playing(voice)), (1, false));
        stage.step(&mut devices, 1000);
        assert_eq!((stage.switch.stats().opened, stage.warnings.len()), (2, 2));
        stage.control.play(&play).expect("there is room");
        let heard = stage.heard(&mut devices, 4000);
        assert_eq!(heard[3000], [0.25; 2], "it is heard again");
    });
}

#[test]
fn what_comes_too_late_fades_out_and_in() {
    with_stage(|stage, memory| {
        let wave = Wave::try_new(&[16_384; 48_000], 1, 48_000, memory).expect("there is memory");
        let wave = stage.waves.add(wave).expect("there is room");
        stage.control.play(&Play::new(wave)).expect("there is room");
        let mut devices = Rates::new(&[48_000]);
        let mut heard = stage.heard(&mut devices, 1000);
        heard.extend(devices.take(4000));
        heard.extend(stage.heard(&mut devices, 1000));
        let steps = heard.windows(2).map(|two| (two[1][0] - two[0][0]).abs());
        let most = steps.fold(0.0, f32::max);
        assert!(most < 0.5 * 0.05, "no jump is heard: {most}");
        assert!(heard[3500] == [0.0; 2] && heard[5900] == [0.5; 2], "there was silence");
    });
}

#[test]
fn waves_are_freed_by_the_game_alone() {
    with_stage(|stage, memory| {
        let mut devices = Rates::new(&[48_000]);
        stage.step(&mut devices, 5);
        let wave = || Wave::try_new(&[8192; 4800], 1, 48_000, memory).expect("memory");
        let own: Vec<_> = (0..4).map(|_| stage.waves.add(wave()).expect("there is room")).collect();
        let refused = stage.waves.add(wave()).expect_err("four may wait");
        drop(refused);
        stage.control.play(&Play::new(own[0])).expect("there is room");
        let (before, live) = (memory.stats().allocations_total, memory.stats().live);
        stage.step(&mut devices, 5);
        stage.step(&mut devices, 5);
        own.iter().for_each(|id| assert!(stage.waves.remove(*id), "there is room"));
        assert!(!stage.waves.remove(own[0]), "it is gone");
        devices.take(2000);
        stage.step(&mut devices, 5);
        assert_eq!(stage.ended(), 1, "without its wave it ends");
        let stats = memory.stats();
        assert_eq!((stats.allocations_total, stats.live), (before, live), "nothing is freed there");
        assert_eq!(stage.waves.collect(), 4, "but here");
        assert_eq!(memory.stats().live, live - 4);
        // What names a wave that is gone ends at once.
        stage.control.play(&Play::new(own[1])).expect("there is room");
        devices.take(2000);
        stage.step(&mut devices, 5);
        assert_eq!(stage.ended(), 1);
        let many: Vec<_> = (0..20).map(|_| stage.control.play(&Play::new(own[1]))).collect();
        assert_eq!(many[19], Err(PlayError::Full { voices: 16 }), "ids are given out here");
    });
}

#[test]
fn another_mixer_takes_over_with_all_waves() {
    with_stage(|stage, memory| {
        let mut devices = Rates::new(&[48_000]);
        let wave = Wave::try_new(&[8192; 48_000], 1, 48_000, memory).expect("there is memory");
        let wave = stage.waves.add(wave).expect("there is room");
        stage.control.play(&Play::new(wave)).expect("there is room");
        assert_eq!(stage.heard(&mut devices, 2000)[1900], [0.25; 2]);
        let bus = loligo_ids::IdString32::new("quiet");
        let mut mixer = Mixer::try_new(&SETTINGS, memory).expect("there is memory");
        mixer.add_bus(&Bus { gain: 0.5, ..Bus::new(bus) }).expect("there is memory");
        let live = memory.stats().live;
        assert!(stage.waves.replace(Own::new_in(mixer, memory).expect("there is memory")));
        stage.control.restart();
        stage.control.play(&Play::new(wave).on(bus)).expect("there is room");
        let heard = stage.heard(&mut devices, 4000);
        assert_eq!(heard[3900], [0.125; 2], "only what was played since, on the new bus");
        assert!(memory.stats().live > live, "the other is freed by the game");
        assert_eq!(stage.waves.collect(), 1);
        // Frames are counted on, so that what is to begin at one does: after those that wait for the device.
        let frames = stage.switch.stats().frames;
        let waiting = (frames - 6000) as usize;
        stage.control.play_at(&Play::new(wave), frames as u32 + 4321).expect("there is room");
        let heard = stage.heard(&mut devices, 8000);
        let first = heard.iter().position(|frame| frame[0] > 0.2);
        assert_eq!(first, Some(waiting + 4321));
    });
}

/// What the tests above do by steps, on a thread: it ends when it is told to.
#[test]
fn the_audio_thread_ends_with_its_switch() {
    let pages = PageAllocator::new("test pages");
    let heap = Locked::new(HeapAllocator::new_in("sound", &pages));
    {
        let mixer = Mixer::try_new_in(&SETTINGS, &heap).expect("there is memory");
        let mixer = Own::new_in(mixer, &heap).expect("there is memory");
        let pipe = || Pipe::try_new_in(64, &heap).expect("there is memory");
        let (mut commands, mut events) = (pipe(), pipe());
        let ((_, to_obey), (said, _)) = (commands.split(), events.split());
        let (_waves, to_mixer) = wave_link(8, 4, &heap);
        let player = DevicePlayer::try_new_in(mixer, to_obey, said, to_mixer, &heap);
        let mut player = player.expect("there is memory");
        let switch = &DeviceSwitch::new();
        std::thread::scope(|scope| {
            let thread = scope.spawn(move || {
                let mut devices = Rates::new(&[48_000]);
                player.run(&mut devices, switch, |warning| panic!("{warning}"));
            });
            while switch.stats().frames < BLOCK as u64 {
                std::thread::yield_now();
            }
            switch.turn_off();
            thread.join().expect("it does not panic");
        });
    }
    assert_eq!(heap.stats().live, 0, "all memory is given back");
}

/// ALSA's own device that hears nothing: as a real one, but for its speed.
#[cfg(feature = "device")]
#[test]
fn a_device_of_the_system_takes_frames() {
    use loligo_sound::device::SystemDevices;

    with_stage(|stage, memory| {
        let mut devices = SystemDevices::named("alsa:null");
        let wave = Wave::try_new(&[8192; 4800], 1, 48_000, memory).expect("there is memory");
        let wave = stage.waves.add(wave).expect("there is room");
        stage.control.play(&Play::new(wave)).expect("there is room");
        let Stage { player, control, switch, .. } = stage;
        let mut warnings = Vec::new();
        for _ in 0..2000 {
            let passed = Duration::from_millis(1);
            player.step(&mut devices, passed, switch, &mut |said| warnings.push(said.to_string()));
            if let [warning] = &warnings[..] {
                println!("skipped: {warning}");
                return;
            }
            let mut ended = 0;
            control.take_events(|_| ended += 1);
            if ended == 1 {
                let stats = switch.stats();
                assert!(stats.opened == 1 && stats.frames >= 4800, "{stats:?}");
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("no frame was taken within two seconds: {:?}", switch.stats());
    });
}
