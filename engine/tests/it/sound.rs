//! Sounds in a game: played by Lua and by components, heard where they are, saved and replayed; an impact
//! of physics is heard by itself.

use std::fs;

use loligo_containers::EventRecord;
use loligo_engine::{
    DisabledSubsystems, Engine, EngineOptions, FrameMemory, Logic, World, with_engine,
};
use loligo_resources::PreferenceOrder;
use loligo_sound::{HearSounds, SoundEnded, SoundMarker, SoundStarted, SoundsHeard};

use crate::support::Game;

/// A frame of a game has as many frames of sound.
pub(crate) const FRAMES: usize = 800;

/// The frames of a block, within which a loaded game goes on.
const BLOCK: f32 = 128.0;

const LEVEL: &str = r#"entities = {
    eye = { components = { transform = {} camera = {} listener = {} } }
    motor = { components = { transform = { position = [ 4 0 0 ] } sound = {
        play = "motor" parameters = { rpm = 1 }
    } } }
}"#;

const SCRIPT: &str = r#"
    local ramp
    function start() ramp = Sound.play("ramp") end
    function update()
        local frame = Game.frame()
        local motor = Entity.find('motor')
        if frame == 20 then Sound.play_at("click", Vector3(-2, 0, 0)) end
        if frame == 30 then Sound.set(Sound.of(motor), "rpm", 2) end
        if frame == 40 then Transform.set_position(motor, Vector3(-4, 0, 0)) end
        if frame == 50 then
            print('ramp', Sound.is_playing(ramp), math.abs(Sound.position(ramp) - 50 / 60) < 0.02, Sound.count())
            Sound.set_bus_volume("music", -6)
            print('bus', math.abs(Sound.bus_volume("music") + 6) < 0.01, pcall(Sound.bus_volume, "none"))
            print('none', pcall(Sound.play, "none"))
        end
        if frame == 60 then Sound.fade_out(ramp, 0.1) end
        if frame == 80 then Entity.destroy(motor) end
    end
    function sound_marker(sound, entity, name)
        print('marker', entity == Entity.find('motor'), name == Sound.id('turn'))
    end
    function on_save() return ramp end
    function on_load(saved) ramp = saved end
"#;

/// Returns a WAV of one channel.
pub(crate) fn wav(samples: &[i16]) -> Vec<u8> {
    let bytes = 2 * samples.len() as u32;
    let mut wav = Vec::from(*b"RIFF");
    wav.extend((36 + bytes).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\xbb\0\0\0\x77\x01\0\x02\0\x10\0data");
    wav.extend(bytes.to_le_bytes());
    samples.iter().for_each(|sample| wav.extend(sample.to_le_bytes()));
    wav
}

pub(crate) fn game(script: &str) -> Game {
    let game = Game::new(1);
    let ramp: Vec<i16> = (0..120_000).map(|at| (at / 4) as i16).collect();
    let hum: Vec<i16> = (0..4800).map(|at| if at % 100 < 50 { 2000 } else { -2000 }).collect();
    for (name, samples, more) in
        [("ramp", &ramp, ""), ("hum", &hum, "loop = [ 0 4800 ]"), ("click", &hum, "")]
    {
        fs::write(game.sources().join(format!("{name}.wav")), wav(samples)).expect("it may be");
        game.write(&format!("{name}.wave"), &format!("file = \"{name}.wav\" {more}"));
    }
    for (path, text) in [
        ("game.mixer", "buses = { music = {} hall = { effects = [ { kind = \"reverb\" } ] } }"),
        ("ramp.sound", "wave = \"ramp\" bus = \"music\" priority = 90"),
        ("click.sound", "random = [ \"click\" { wave = \"click\" speed = [ 0.5 2 ] } ] bus = \"hall\""),
        (
            "motor.sound",
            "wave = \"hum\" loop = true distance = [ 1 60 ] markers = [ { at = 0.05 name = \"turn\" } ]
            curves = [ { target = \"speed\" parameter = \"rpm\" points = [ [ 0 0.5 ] [ 2 1.5 ] ] } ]",
        ),
        ("yard.level", LEVEL),
    ] {
        game.write(path, text);
    }
    game.start_with(script);
    game
}

/// Asks for what is heard, and keeps it with the events of sounds.
#[derive(Default)]
pub(crate) struct Ears {
    pub(crate) is_asked: bool,
    pub(crate) heard: Vec<[f32; 2]>,
    pub(crate) events: Vec<String>,
}

impl Ears {
    /// Ears that ask for what is heard.
    pub(crate) fn asking() -> Self {
        Self { is_asked: true, ..Self::default() }
    }
}

impl<'m> Logic<'m> for Ears {
    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        if self.is_asked {
            world.command(HearSounds { is_on: 1 }).expect("there is memory");
            self.is_asked = false;
        }
    }

    fn event(&mut self, world: &mut World<'m>, event: &EventRecord<'_>, _: &FrameMemory<'m>) {
        let frame = world.frame();
        if let Some((SoundsHeard { rate, frames }, tail)) = event.get_with_tail::<_, [f32; 2]>() {
            assert_eq!((rate, frames as usize), (48_000, tail.len()), "all follow");
            self.heard.extend((0..tail.len()).filter_map(|at| tail.get(at)));
        } else if let Some(SoundStarted { sound, .. }) = event.get() {
            self.events.push(format!("{frame}: start {sound}"));
        } else if let Some(SoundEnded { sound, .. }) = event.get() {
            self.events.push(format!("{frame}: end {sound}"));
        } else if let Some(SoundMarker { sound, name, .. }) = event.get() {
            self.events.push(format!("{frame}: marker {sound} {name}"));
        }
    }
}

pub(crate) fn frames(engine: &mut Engine<'_, '_>, ears: &mut Ears, count: usize) {
    for _ in 0..count {
        engine.frame(ears).expect("a frame");
    }
}

#[test]
fn a_game_is_heard_the_same_with_any_number_of_threads_and_unheard_sees_the_same() {
    let game = game(SCRIPT);
    let data = game.data();
    let runs = [(1, true), (3, true), (1, false)].map(|(threads, is_asked)| {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            let mut ears = Ears { is_asked, ..Ears::default() };
            frames(engine, &mut ears, 120);
            (ears.heard, ears.events, engine.state_hashes().collect::<Vec<_>>())
        })
        .expect("it boots")
    });
    let [one, three, unheard] = &runs;
    assert!(one.0 == three.0, "to the bit");
    assert_eq!(one.1, three.1);
    assert_eq!((&unheard.1, &unheard.2), (&one.1, &one.2), "unheard");
    assert!(unheard.0.is_empty(), "nothing is mixed where nobody listens");
    assert!(one.0.len() >= 118 * FRAMES, "{}", one.0.len());
    let side = |from: usize| {
        let frames = &one.0[from * FRAMES..][..FRAMES];
        [0, 1].map(|side| frames.iter().map(|frame| f64::from(frame[side]).powi(2)).sum::<f64>())
    };
    // The motor is on the right, and from frame 40 on on the left; all else is on both sides.
    let ([left, right], [left_later, right_later]) = (side(32), side(72));
    assert!(right > left + 0.1, "{left} {right}");
    assert!(left_later > right_later + 0.1, "{left_later} {right_later}");
    assert!(one.1.iter().any(|event| event.contains("marker")), "{:?}", one.1);
    let log = game.log.all();
    for said in ["ramp\ttrue\ttrue\t2", "bus\ttrue\tfalse", "none\tfalse", "marker\ttrue\ttrue"] {
        assert!(log.iter().any(|line| line.contains(said)), "{said}: {log:#?}");
    }
    assert_eq!(game.log.errors(), [""; 0]);
}

#[test]
fn a_wave_of_another_language_is_heard_after_a_change() {
    let game = game("function update() if Game.frame() == 30 then Game.prefer('fr') end end");
    let low: Vec<i16> = (0..4800).map(|at| if at % 400 < 200 { 9000 } else { -9000 }).collect();
    fs::write(game.sources().join("low.wav"), wav(&low)).expect("it may be");
    game.write("hum.fr.wave", "file = \"low.wav\" loop = [ 0 4800 ]");
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    let heard = |prefer: &str| {
        let prefer = PreferenceOrder::parse(prefer).expect("names");
        let options = EngineOptions { prefer: Some(prefer), ..game.options(&data) };
        with_engine(&options, |engine| {
            let mut ears = Ears { is_asked: true, ..Ears::default() };
            frames(engine, &mut ears, 60);
            ears.heard
        })
        .expect("it boots")
    };
    // How often the wave crosses zero, in ten frames.
    let crossings = |heard: &[[f32; 2]], from: usize| {
        let some = &heard[from * FRAMES..][..10 * FRAMES];
        some.windows(2).filter(|pair| (pair[0][1] < 0.0) != (pair[1][1] < 0.0)).count()
    };
    let [changed, french] = ["", "fr"].map(heard);
    let (before, after) = (crossings(&changed, 15), crossings(&changed, 45));
    assert!(before > 3 * after && after > 0, "it is lower: {before} and {after}");
    assert!(after.abs_diff(crossings(&french, 45)) <= 1, "{after}");
    assert_eq!(game.log.errors(), [""; 0]);
}

#[test]
fn a_saved_game_goes_on_within_a_block() {
    // Without the click, since tails of rooms are not saved.
    let game = game(&SCRIPT.replace("frame == 20", "frame == -1"));
    let data = game.data();
    let options = game.options(&data);
    for before in [1, 25, 47] {
        let (bytes, went_on) = with_engine(&options, |engine| {
            let mut ears = Ears::asking();
            frames(engine, &mut ears, before);
            let bytes = engine.save().expect("there is memory").to_vec();
            let mut later = Ears::default();
            frames(engine, &mut later, 40);
            (bytes, (later, engine.state_hashes().collect::<Vec<_>>()))
        })
        .expect("it boots");
        let loaded = with_engine(&options, |engine| {
            let mut ears = Ears::asking();
            frames(engine, &mut ears, 3);
            engine.load(&bytes).expect("it was saved");
            let again = engine.save().expect("there is memory").to_vec();
            assert!(again == bytes, "what was loaded is saved as the same bytes");
            let mut later = Ears::default();
            frames(engine, &mut later, 40);
            (later, engine.state_hashes().collect::<Vec<_>>())
        })
        .expect("it boots");
        assert_eq!(
            (&loaded.0.events, &loaded.1),
            (&went_on.0.events, &went_on.1),
            "after {before}"
        );
        // The ramp says at which frame of it each sample is: both sides have it, and the motor is on one.
        let [a, b] = [&went_on.0.heard, &loaded.0.heard].map(|heard| {
            let last = &heard[10 * FRAMES..][..100];
            last.iter().map(|frame| frame[0].min(frame[1])).fold(f32::INFINITY, f32::min)
        });
        // A frame is a quarter of a step of the 16 bits.
        let apart = (a - b).abs() * 32_768.0;
        assert!(apart <= BLOCK / 4.0, "{a} and {b} after {before}");
        assert!(a > 0.02, "it is heard: {a}");
    }
}

#[test]
fn an_impact_of_physics_is_heard_where_it_is() {
    let game = game("function update() end");
    game.write("game.physics", &format!("impacts = \"game\" {}", crate::physics::SETTINGS));
    game.write(
        "game.impacts",
        r#"settings = "game" rows = [ { kind = "impact" materials = [ "*" "stone" ] effect = "click" } ]"#,
    );
    for (name, shape) in [
        ("floor", "template = \"floor\" box = [ 40 1 40 ]"),
        ("crate", "template = \"crate\" box = [ 1 1 1 ]"),
    ] {
        let source = format!("settings = \"game\" shapes = [ {{ {shape} }} ]");
        game.write(&format!("{name}.collision"), &source);
    }
    game.write(
        "yard.level",
        r#"entities = {
            eye = { components = { transform = {} camera = {} listener = {} } }
            ground = { components = {
                transform = { position = [ 0 -0.5 0 ] } actor = { collision = "floor" template = "floor" }
            } }
            crate = { components = {
                transform = { position = [ 3 1.5 0 ] } actor = { collision = "crate" template = "crate" }
            } }
        }"#,
    );
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        let mut ears = Ears::asking();
        frames(engine, &mut ears, 10);
        assert!(ears.heard.iter().all(|frame| *frame == [0.0; 2]), "it falls");
        frames(engine, &mut ears, 50);
        assert!(ears.events[0].contains("start"), "{:?}", ears.events);
        let loud = |side: usize| {
            ears.heard.iter().map(|frame| f64::from(frame[side]).powi(2)).sum::<f64>()
        };
        assert!(loud(1) > 0.01, "it is heard");
        assert_eq!(game.log.errors(), [""; 0]);
    })
    .expect("it boots");
}

#[test]
fn a_wall_of_physics_is_heard_and_without_physics_there_is_none() {
    let [walled, open] = [true, false].map(|has_physics| {
        let game = game("function update() end");
        game.write("game.physics", crate::physics::SETTINGS);
        let wall = "settings = \"game\" shapes = [ { template = \"floor\" box = [ 1 20 20 ] } ]";
        game.write("wall.collision", wall);
        game.write("motor.sound", "wave = \"hum\" loop = true distance = [ 20 60 ] occlusion = 1");
        // An engine without physics refuses what only physics knows.
        let actor = "actor = { collision = \"wall\" template = \"floor\" }";
        let actor = if has_physics { actor } else { "" };
        let level = format!(
            r#"entities = {{
                eye = {{ components = {{ transform = {{}} camera = {{}} listener = {{}} }} }}
                wall = {{ components = {{ transform = {{ position = [ 4 0 0 ] }} {actor} }} }}
                motor = {{ components = {{
                    transform = {{ position = [ 8 0 0 ] }} sound = {{ play = "motor" }}
                }} }}
            }}"#
        );
        game.write("yard.level", &level);
        assert_eq!(game.compile(), [""; 0], "it is right");
        let data = game.data();
        let mut without = DisabledSubsystems::default();
        if !has_physics {
            without.add("physics").expect("it may be left out");
        }
        let options = EngineOptions { without, ..game.options(&data) };
        with_engine(&options, |engine| {
            let mut ears = Ears::asking();
            frames(engine, &mut ears, 40);
            let last = &ears.heard[30 * FRAMES..];
            last.iter().map(|frame| f64::from(frame[1]).powi(2)).sum::<f64>().sqrt()
        })
        .expect("it boots")
    });
    // Twelve decibels, and what is high of it.
    assert!(walled > 0.0 && walled < open * 0.3, "{walled} and {open}");
}
