//! The subsystem without an engine: entities sound and hear, commands are obeyed, sources change, and a state
//! goes on.

use core::time::Duration;

use glam::{Affine3A, Vec3};
use loligo_allocators::{
    Allocator as _, HeapAllocator, Locked, Own, PageAllocator, SharedRef, own_dyn,
};
use loligo_containers::{Array, BlobBytes, Event, EventStream};
use loligo_entities::compile::{ComponentCompiler, TransformCompiler, compile};
use loligo_entities::{
    ComponentManager, Components, Entities, Entity, EntityResource, Pose, Transforms, Unknown,
};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{
    Frame, Phase, Places, ResourceChange, SideThread as _, Subsystem, SubsystemError,
};
use loligo_sound::device::{AudioDevice, AudioDevices, DeviceError, FramesOut};
use loligo_sound::{
    HearSounds, OccludeSound, PlaySound, Recorder, SetParameter, Sink, Sound, SoundEnded,
    SoundRayAsked, SoundStarted, SoundThread, SoundsHeard, StopSound,
};
use loligo_tasks::{Settings, Tasks};

use crate::playing::{FRAMES, STEP, project};
use crate::project::TestProject;

const EAR: &str = "components = { transform = {} listener = { volume = -6 } }";
const HUM: &str = r#"components = { transform = { position = [ 1 0 0 ] } sound = {
    play = "hum" parameters = { far = 0 }
} }"#;

struct Placed<'p, 'm>(&'p mut Transforms<'m>);

impl Places for Placed<'_, '_> {
    fn pose(&self, entity: Entity) -> Option<Pose> {
        self.0.pose(entity)
    }

    fn parent(&self, entity: Entity) -> Option<Entity> {
        self.0.parent(entity)
    }

    fn matrix(&self, entity: Entity) -> Option<Affine3A> {
        self.0.world(entity).copied()
    }

    fn set_poses(&mut self, entities: &[Entity], poses: &[Pose]) {
        for (entity, pose) in entities.iter().zip(poses) {
            self.0.set_pose(*entity, pose);
        }
    }
}

/// A game of one subsystem.
pub(crate) struct Play<'m> {
    pub(crate) sound: Sound<'m>,
    transforms: Transforms<'m>,
    entities: Entities<'m>,
    memory: SharedRef<'m>,
}

impl<'m> Play<'m> {
    pub(crate) fn new(project: &TestProject, memory: SharedRef<'m>) -> Self {
        let sound = Sound::try_new(memory).expect("there is memory");
        let (transforms, entities) = (Transforms::new(memory), Entities::new(memory));
        let mut play = Self { sound, transforms, entities, memory };
        for (type_name, name) in project.resources() {
            play.give(project, &type_name, &name);
        }
        play
    }

    pub(crate) fn give(&mut self, project: &TestProject, type_name: &str, name: &str) {
        let payload = project.payload(type_name, name);
        let payload = BlobBytes::try_copy(&payload, self.memory).expect("there is memory");
        let (type_hash, hash) = (IdString64::new(type_name), IdString64::new(name));
        let change = ResourceChange {
            type_hash,
            name: hash,
            debug_name: name,
            payload: &payload,
            is_changed: false,
        };
        self.sound.resource(&change).expect("it was compiled");
    }

    fn spawn(&mut self, source: &str) -> Entity {
        let own = loligo_sound::compile::components();
        let mut compilers: Vec<&dyn ComponentCompiler> = vec![&TransformCompiler];
        compilers.extend(own.iter().map(|own| &**own as &dyn ComponentCompiler));
        let bytes = compile("test", source.as_bytes(), &[][..], &compilers, self.memory);
        let bytes = bytes.unwrap_or_else(|error| panic!("{error}"));
        let resource = EntityResource::open(&bytes).expect("it was compiled");
        let Self { sound, transforms, entities, .. } = self;
        let mut managers: Vec<&mut dyn ComponentManager> = vec![transforms];
        sound.managers(&mut |manager| managers.push(manager));
        let mut components = Components::new(&mut managers).expect("each is there once");
        let poses = [Pose::IDENTITY];
        let spawned = entities.spawn(&resource, &poses, &mut components, Unknown::Refuse);
        spawned.expect("there is memory")[0]
    }

    fn destroy(&mut self, gone: Entity) {
        let Self { sound, transforms, entities, .. } = self;
        let mut managers: Vec<&mut dyn ComponentManager> = vec![transforms];
        sound.managers(&mut |manager| managers.push(manager));
        entities.destroy(&[gone], &mut Components::new(&mut managers).expect("each is there once"));
    }

    pub(crate) fn update(&mut self, count: u64) {
        self.try_update(count).expect("all is right");
    }

    /// Updates, and returns the first error.
    pub(crate) fn try_update(&mut self, count: u64) -> Result<(), SubsystemError> {
        self.steps(count, STEP)
    }

    /// Takes steps of some nanoseconds.
    pub(crate) fn steps(&mut self, count: u64, step: u64) -> Result<(), SubsystemError> {
        let pages = PageAllocator::new("pages");
        let settings = Settings { workers: Some(0), ..Settings::default() };
        let mut tasks = Tasks::try_new(&settings, &pages).expect("there is memory");
        let mut done = Ok(());
        tasks.run(|main| {
            for number in 0..count {
                let places = &mut Placed(&mut self.transforms);
                let now = number * step;
                let mut frame = Frame { number, now, step, worker: main, places, views: &[] };
                done = done.and(self.sound.step(Phase::Simulate, &mut frame));
            }
        });
        done
    }

    pub(crate) fn command<E: Event>(&mut self, command: E, tail: &[[u32; 2]]) {
        let mut stream: EventStream<'_, _> = EventStream::new_in(self.memory);
        stream.try_push_with_tail(command, tail).expect("there is memory");
        for command in &stream {
            self.sound.command(&command).expect("all is right");
        }
    }

    pub(crate) fn plain<E: Event>(&mut self, command: E) {
        let mut stream: EventStream<'_, _> = EventStream::new_in(self.memory);
        stream.try_push(command).expect("there is memory");
        for command in &stream {
            self.sound.command(&command).expect("all is right");
        }
    }

    /// Takes the events of a type that have happened, and drops all others.
    pub(crate) fn events<E: Event>(&mut self) -> Vec<E> {
        let events = self.sound.events().expect("it has some");
        let of = events.of::<E>().collect();
        events.clear();
        of
    }

    /// Takes what was heard.
    pub(crate) fn heard(&mut self) -> Vec<[f32; 2]> {
        let events = self.sound.events().expect("it has some");
        let mut heard = Vec::new();
        for event in events.iter() {
            if let Some((SoundsHeard { .. }, tail)) = event.get_with_tail::<_, [f32; 2]>() {
                heard.extend((0..tail.len()).filter_map(|at| tail.get(at)));
            }
        }
        events.clear();
        heard
    }

    fn saved(&self) -> Vec<u8> {
        let mut out = Array::new_in(self.memory);
        self.sound.save(&mut out).expect("there is memory");
        out.to_vec()
    }
}

fn hums(hum: &str, plan: &str) -> TestProject {
    let hum = format!("wave = \"hum\" loop = true bus = \"main\" {hum}");
    let hums = [("hum", &[8000; 4800][..], "loop = [ 0 4800 ]")];
    project(&[("hum", &hum)], &hums, plan)
}

const PLAN: &str = "buses = { main = {} } space = { near = 0.001 }";

pub(crate) fn play(test: impl FnOnce(SharedRef<'_>)) {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("sound", &pages));
    test(&heap);
    assert_eq!(heap.stats().live, 0, "all memory is given back");
}

#[test]
fn entities_sound_where_they_are_until_they_are_gone() {
    let curve =
        "curves = [ { target = \"volume\" parameter = \"far\" points = [ [ 0 0 ] [ 1 -20 ] ] } ]";
    let project = hums(curve, PLAN);
    play(|memory| {
        let mut play = Play::new(&project, memory);
        let (ear, hum) = (play.spawn(EAR), play.spawn(HUM));
        play.update(2);
        assert!(play.heard().is_empty(), "nothing is mixed where nobody asks");
        play.plain(HearSounds { is_on: 1 });
        play.update(2);
        let heard = play.heard();
        assert_eq!(heard.len(), 2 * FRAMES);
        let [left, right] = heard[2 * FRAMES - 1].map(|sample| sample * 32_768.0 / 8000.0);
        let half = loligo_sound::gain_of(-6.0) * 2.0_f32.sqrt();
        assert!(left.abs() < 1e-3 && (right - half).abs() < 1e-3, "{left} {right}");
        // It moves to the left, and the one who hears turns around.
        play.transforms.set_position(hum, Vec3::new(-1.0, 0.0, 0.0));
        play.transforms.set_rotation(ear, glam::Quat::from_rotation_y(core::f32::consts::PI));
        play.update(2);
        let [left, right] = play.heard()[2 * FRAMES - 1];
        assert!(left.abs() < 1e-3 && right > 0.1, "{left} {right}");
        play.destroy(hum);
        play.update(6);
        let ended: Vec<SoundEnded> = play.events();
        assert_eq!((ended.len(), ended[0].entity), (1, hum.to_bits()));
        assert_eq!(play.sound.stats().sounds, 0);
    });
}

#[test]
fn walls_are_asked_for_as_data_whether_anyone_listens_or_not() {
    let project = hums("occlusion = 1 distance = [ 20 50 ]", PLAN);
    play(|memory| {
        for is_heard in [0, 1] {
            let mut play = Play::new(&project, memory);
            play.plain(HearSounds { is_on: is_heard });
            let (_, hum) = (play.spawn(EAR), play.spawn(HUM));
            play.transforms.set_position(hum, Vec3::new(0.0, 0.0, -8.0));
            play.update(3);
            let asked: Vec<SoundRayAsked> = play.events();
            let [.., last] = asked[..] else { panic!("{asked:?}") };
            assert_eq!((asked.len(), last.entity), (3, hum.to_bits()), "one in each update");
            assert_eq!((last.from, last.to), ([0.0, 0.0, -0.5], [0.0, 0.0, -7.75]));
            play.plain(OccludeSound { sound: last.sound, share: 1.0 });
            play.plain(OccludeSound { sound: 7, share: 1.0 });
            play.update(12);
            let heard = play.heard();
            let loud = heard.last().map_or(0.0, |frame| frame[0] * 32_768.0 / 8000.0);
            let wall = loligo_sound::gain_of(-6.0 - 12.0) * is_heard as f32;
            assert!((loud - wall).abs() < 1e-3, "{loud} and {wall}");
        }
    });
}

#[test]
fn a_room_is_heard_where_its_zone_is() {
    let plan = "buses = { room = {} main = { volume = -144 sends = { room = -6 } } }";
    let project = hums("", plan);
    let zone =
        "components = { transform = { position = [ 100 0 0 ] rotation = [ 0 0.7071 0 0.7071 ] }
        sound_zone = { bus = \"room\" box = [ 4 4 20 ] fade = 4 level = 0.5 } }";
    play(|memory| {
        let mut play = Play::new(&project, memory);
        play.plain(HearSounds { is_on: 1 });
        let ear = play.spawn("components = { transform = {} listener = {} }");
        // It is heard as loud everywhere, so that only the room differs.
        let middle = PlaySound {
            sound: IdString64::new("hum").hash(),
            entity: 0,
            is_placed: 0,
            at: [0.0; 3],
            volume: 0.0,
        };
        play.command(middle, &[]);
        play.update(3);
        let loud = |play: &mut Play<'_>| {
            play.update(2);
            play.heard().last().map_or(0.0, |frame| frame[0] * 32_768.0 / 8000.0)
        };
        let send = loligo_sound::gain_of(-6.0);
        let found = loud(&mut play);
        assert!((found - send).abs() < 1e-3, "without zones all is heard: {found}");
        let zone = play.spawn(zone);
        // Turned by a quarter its long side is along x.
        for (x, expected) in [(0.0, 0.0), (91.0, 0.5), (88.0, 0.25), (112.0, 0.25), (120.0, 0.0)] {
            play.transforms.set_position(ear, Vec3::new(x, 0.0, 0.0));
            let found = loud(&mut play);
            assert!((found - send * expected).abs() < 1e-2, "at {x}: {found}");
        }
        let state = play.saved();
        play.sound.load(&state).expect("it was saved");
        assert_eq!(play.saved(), state);
        play.destroy(zone);
        let found = loud(&mut play);
        assert!((found - send).abs() < 1e-3, "without zones again: {found}");
    });
}

#[test]
fn commands_are_obeyed() {
    let curve =
        "curves = [ { target = \"volume\" parameter = \"far\" points = [ [ 0 0 ] [ 1 -20 ] ] } ]";
    let project = hums(curve, PLAN);
    play(|memory| {
        let mut play = Play::new(&project, memory);
        let far = IdString32::new("far").hash();
        let mut ask = PlaySound {
            sound: IdString64::new("hum").hash(),
            entity: 0,
            is_placed: 0,
            at: [0.0; 3],
            volume: 0.0,
        };
        play.plain(HearSounds { is_on: 1 });
        play.command(ask, &[[far, 1.0_f32.to_bits()]]);
        play.update(2);
        let last = |heard: &[[f32; 2]]| heard.last().expect("some")[0] * 32_768.0;
        assert!((last(&play.heard()) - 800.0).abs() < 1.0, "a tenth, by its parameter");
        play.command(ask, &[]);
        play.update(1);
        let started: Vec<SoundStarted> = play.events();
        let sound = started[0].sound;
        play.plain(SetParameter { sound, name: far, value: 1.0_f32.to_bits() });
        play.update(2);
        assert!((last(&play.heard()) - 1600.0).abs() < 1.0, "both are far");
        play.plain(StopSound { sound, seconds: 0.0 });
        play.update(2);
        assert_eq!(play.events::<SoundEnded>()[0].sound, sound);
        ask.sound = 7;
        play.command(ask, &[]);
        play.update(1);
        assert_eq!(play.sound.stats().sounds, 1, "one that is not there is passed over");
        play.plain(HearSounds { is_on: 0 });
        play.update(1);
        let _ = play.heard();
        play.update(1);
        assert!(play.heard().is_empty());
    });
}

/// Hands on to a recorder that a test looks at.
struct Shared<'r, 'm>(&'r std::sync::Mutex<Recorder<'m, loligo_interface::SubsystemMemory<'m>>>);

impl Sink for Shared<'_, '_> {
    fn hear(&mut self, frames: &[[f32; 2]]) {
        self.0.lock().expect("nobody panics").hear(frames);
    }
}

#[test]
fn a_sink_takes_what_is_heard_and_a_plan_may_change() {
    let old = hums("", PLAN);
    let new = hums("", "voices = 2 buses = { main = { volume = -20 } }");
    play(|memory| {
        let recorder = std::sync::Mutex::new(Recorder::new_in(memory));
        let mut play = Play::new(&old, memory);
        let sink = Own::new_in(Shared(&recorder), memory).expect("there is memory");
        play.sound.set_sink(Some(own_dyn!(sink => dyn Sink + Send + '_)));
        play.spawn(HUM);
        play.update(2);
        play.give(&new, "mixer", "game");
        play.update(2);
        play.give(&new, "wave", "hum");
        play.update(2);
        let recorder = recorder.lock().expect("nobody panics");
        let at = |frame: usize| recorder.frames()[frame][0] * 32_768.0;
        assert_eq!((recorder.frames().len(), recorder.lost()), (6 * FRAMES, 0));
        assert!((at(2 * FRAMES - 1) - 8000.0).abs() < 1.0, "no one hears, so it is in the middle");
        assert!((at(4 * FRAMES - 1) - 800.0).abs() < 1.0, "{}", at(4 * FRAMES - 1));
        assert!((at(6 * FRAMES - 1) - 800.0).abs() < 1.0, "{}", at(6 * FRAMES - 1));
        drop(recorder);
        drop(play);
    });
}

#[test]
fn a_state_goes_on() {
    let project = hums("markers = [ { at = 0.03 name = \"m\" } ]", PLAN);
    play(|memory| {
        for pause in [0, 3] {
            let mut play = Play::new(&project, memory);
            let made = [EAR, HUM].map(|source| play.spawn(source));
            play.update(pause);
            let state = play.saved();
            let mut other = Play::new(&project, memory);
            assert_eq!(made, [EAR, HUM].map(|source| other.spawn(source)));
            other.plain(HearSounds { is_on: 1 });
            other.update(1);
            other.sound.load(&state).expect("it was saved");
            assert_eq!(other.saved(), state);
            for _ in 0..20 {
                play.update(1);
                other.update(1);
                assert_eq!(play.sound.state_hash(), other.sound.state_hash());
            }
            assert_eq!(play.saved(), other.saved());
            let loud = other.heard().last().map_or(0.0, |frame| frame[1]) * 32_768.0;
            assert!(
                (loud - 8000.0 * loligo_sound::gain_of(-6.0) * 2.0_f32.sqrt()).abs() < 2.0,
                "{loud}"
            );
            for end in (1..state.len()).step_by(5) {
                assert!(other.sound.load(&state[..end]).is_err(), "{end} bytes");
            }
        }
    });
}

/// A device of a test, on which frames are taken as its callback does.
#[derive(Clone, Default)]
pub(crate) struct TestDevice(std::sync::Arc<std::sync::Mutex<Option<FramesOut>>>);

struct Open;

impl AudioDevice for Open {
    fn rate(&self) -> u32 {
        48_000
    }
}

impl AudioDevices for TestDevice {
    fn open(&mut self, _: u32, frames: FramesOut) -> Result<Box<dyn AudioDevice>, DeviceError> {
        *self.0.lock().expect("nobody panics") = Some(frames);
        Ok(Box::new(Open))
    }
}

impl TestDevice {
    /// Returns the last frame on the left that the device has of some updates, in samples.
    pub(crate) fn heard(
        &self,
        play: &mut Play<'_>,
        thread: &mut SoundThread<'_>,
        updates: u64,
    ) -> f32 {
        let mut last = 0.0;
        for _ in 0..updates {
            play.update(1);
            thread.step(Duration::from_nanos(STEP));
            if let Some(frames) = &mut *self.0.lock().expect("nobody panics") {
                frames.take(FRAMES, |frame| last = frame[0] * 32_768.0);
            }
        }
        last
    }
}

#[test]
fn a_device_hears_a_game_and_what_changes_in_it() {
    /// The updates after which all that a game asked for is heard: 33 ms are ahead of it.
    const SOON: u64 = 8;
    let old = hums("", "buses = { main = {} }");
    let new = hums("", "voices = 2 buses = { main = { volume = -20 } }");
    let other = project(
        &[("hum", "wave = \"hum\" loop = true bus = \"main\"")],
        &[("hum", &[2000; 4800][..], "loop = [ 0 4800 ]")],
        "buses = { main = {} }",
    );
    play(|memory| {
        let mut play = Play::new(&old, memory);
        let device = TestDevice::default();
        let mut thread = play.sound.play_on(Box::new(device.clone())).expect("there is memory");
        let mut hears = |play: &mut Play<'_>, wanted: f32, what: &str| {
            let heard = device.heard(play, &mut thread, SOON);
            assert!((heard - wanted).abs() < 2.0, "{what}: {heard}");
        };
        let hum = play.spawn(HUM);
        hears(&mut play, 8000.0, "the hum");
        // With a device no frames are sent.
        play.plain(HearSounds { is_on: 1 });
        play.update(1);
        assert!(play.heard().is_empty(), "the mixer is elsewhere");
        play.give(&new, "mixer", "game");
        hears(&mut play, 800.0, "the bus of the other plan");
        play.give(&other, "wave", "hum");
        hears(&mut play, 200.0, "the other wave");
        let state = play.saved();
        play.sound.load(&state).expect("it was saved");
        hears(&mut play, 200.0, "what was loaded");
        play.give(&new, "wave", "hum");
        hears(&mut play, 800.0, "the wave of before");
        play.destroy(hum);
        hears(&mut play, 0.0, "silence");
        assert_eq!(play.sound.stats().sounds, 0, "it ended with its entity");
        assert_eq!(thread.stats().late, 0, "all was there in time");
        drop((thread, play));
    });
}

/// A system without devices.
struct NoDevices;

impl AudioDevices for NoDevices {
    fn open(&mut self, _: u32, _: FramesOut) -> Result<Box<dyn AudioDevice>, DeviceError> {
        Err(DeviceError::Unopened { reason: "none".to_string() })
    }
}

#[test]
fn without_a_device_or_when_it_goes_there_is_one_warning() {
    let project = hums("", PLAN);
    let is_warning = |done: Result<(), SubsystemError>| {
        done.is_err_and(|error| error.to_string().contains("the game goes on in silence"))
    };
    play(|memory| {
        let mut play = Play::new(&project, memory);
        let mut thread = play.sound.play_on(Box::new(NoDevices)).expect("there is memory");
        play.spawn(HUM);
        thread.step(Duration::from_nanos(STEP));
        assert!(is_warning(play.try_update(1)), "it is said");
        for _ in 0..200 {
            thread.step(Duration::from_nanos(STEP));
            play.update(1);
        }
        assert_eq!(play.sound.stats().voices, 1, "it goes on in silence, after one warning");
        drop((thread, play));
    });
    play(|memory| {
        let mut play = Play::new(&project, memory);
        let device = TestDevice::default();
        let mut thread = play.sound.play_on(Box::new(device.clone())).expect("there is memory");
        play.spawn(HUM);
        let heard = device.heard(&mut play, &mut thread, 8);
        assert!((heard - 8000.0).abs() < 2.0, "{heard}");
        let loss = device.0.lock().expect("nobody panics").as_ref().map(FramesOut::loss);
        loss.expect("it was opened")();
        thread.step(Duration::from_nanos(STEP));
        assert!(is_warning(play.try_update(1)), "it is said");
        let heard = device.heard(&mut play, &mut thread, 8);
        assert!((heard - 8000.0).abs() < 2.0, "the next device goes on: {heard}");
        assert_eq!(thread.stats().opened, 2, "after one warning");
        drop((thread, play));
    });
}

/// Either thread is held up while waves, buses and states change: what was last is what is heard in the end.
#[test]
fn a_device_hears_what_was_last_however_late_it_is() {
    let buses = |volume: i32| format!("buses = {{ main = {{ volume = {volume} }} }}");
    let projects = [8000, 2000].map(|level| {
        let waves = [("hum", &[level; 4800][..], "loop = [ 0 4800 ]")];
        let hum = [("hum", "wave = \"hum\" loop = true bus = \"main\"")];
        [0, -20].map(|volume| project(&hum, &waves, &buses(volume)))
    });
    for seed in 1..=8_u64 {
        println!("seed {seed}");
        let mut state = seed;
        let mut chance = move |sides: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % sides
        };
        play(|memory| {
            let mut play = Play::new(&projects[0][0], memory);
            let device = TestDevice::default();
            let mut thread = play.sound.play_on(Box::new(device.clone())).expect("memory");
            play.spawn(HUM);
            let (mut wave, mut plan) = (0, 0);
            for _ in 0..60 {
                match chance(8) {
                    0 => {
                        wave = chance(2) as usize;
                        play.give(&projects[wave][0], "wave", "hum");
                    }
                    1 => {
                        plan = chance(2) as usize;
                        play.give(&projects[0][plan], "mixer", "game");
                    }
                    2 => {
                        let state = play.saved();
                        play.sound.load(&state).expect("it was saved");
                    }
                    3 => play.update(chance(30)),
                    4 => thread.step(Duration::from_millis(chance(100))),
                    _ => _ = device.heard(&mut play, &mut thread, chance(3)),
                }
            }
            let heard = device.heard(&mut play, &mut thread, 20);
            let wanted = [8000.0, 2000.0][wave] * [1.0, 0.1][plan];
            assert!((heard - wanted).abs() < 2.0, "{wave} {plan}: {heard} instead of {wanted}");
            drop((thread, play));
        });
    }
}

#[test]
fn the_thread_of_a_game_runs_until_it_is_over() {
    let project = hums("", PLAN);
    play(|memory| {
        let mut play = Play::new(&project, memory);
        let device = TestDevice::default();
        let mut thread = play.sound.play_on(Box::new(device.clone())).expect("there is memory");
        let is_over = core::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let ending = Ending(&is_over);
            scope.spawn(|| thread.run(&is_over));
            // It opens the device as long as it runs.
            while device.0.lock().expect("nobody panics").is_none() {
                std::thread::yield_now();
            }
            drop(ending);
        });
        assert_eq!(thread.stats().opened, 1, "one device was opened");
        drop((thread, play));
    });
}

/// Lets a thread end, also where a test fails.
struct Ending<'e>(&'e core::sync::atomic::AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, core::sync::atomic::Ordering::Relaxed);
    }
}
