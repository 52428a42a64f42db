//! The samples from `01-cube` on, each compiled and run: what it is to show is there.

use std::path::{Path, PathBuf};

use loligo_engine::{BackEndChoice, Engine, EngineOptions, with_engine};
use loligo_ids::id32;
use loligo_platform::{KeyCode, KeyInput, KeySymbol};

use crate::support::{Lines, compile_sample, frames, options};

/// Compiles a sample and runs it; nothing may be wrong with it.
fn with_sample(
    name: &str,
    back_end: BackEndChoice,
    work: impl FnOnce(&mut Engine<'_, '_>, &Lines),
) {
    let folder = tempfile::tempdir().expect("a folder");
    compile_sample(name, folder.path());
    let log = Lines::default();
    let options = EngineOptions {
        back_end,
        // Small, for those that draw it in software.
        size: Some([640, 360]),
        ..options(folder.path(), &log)
    };
    with_engine(&options, |engine| work(engine, &log)).expect("it boots");
    assert_eq!(log.errors_and_warnings(), [""; 0], "{name}");
}

/// Runs a frame, and returns what it draws as text.
fn text(engine: &mut Engine<'_, '_>) -> String {
    engine.want_text();
    frames(engine, 1);
    engine.finish().expect("it is drawn");
    engine.text().to_owned()
}

fn press(engine: &mut Engine<'_, '_>, code: KeyCode, is_pressed: bool) {
    let key = KeyInput { code, is_pressed, is_repeat: false, symbol: KeySymbol::NONE };
    engine.do_input(key).expect("there is memory");
}

/// Where an entity of the level is.
fn place(engine: &Engine<'_, '_>, name: loligo_ids::IdString32) -> glam::Vec3 {
    let world = engine.world();
    let pose = world.find(name).and_then(|entity| world.transforms().pose(entity));
    pose.expect("the level has it").position
}

#[test]
fn the_cube_is_drawn() {
    with_sample("01-cube", BackEndChoice::Text, |engine, _| {
        let text = text(engine);
        let opaque = text.split("layer 1 opaque").nth(1).expect("the standard frame has it");
        let opaque = opaque.split("layer 2 sky").next().unwrap_or_default();
        assert!(opaque.contains("instances 0..1\n"), "one cube: {text}");
        assert!(
            text.contains("draws 2, records 2, instances 2, indices 72"),
            "and its shadow: {text}"
        );
        let jobs = text.matches("    job 0x").count();
        assert_eq!(jobs, 2, "the sky and the tone mapping are built in: {text}");
    });
}

#[test]
fn the_light_lights() {
    with_sample("02-light", BackEndChoice::Text, |engine, _| {
        let text = text(engine);
        assert!(text.contains("lights 1: seen 1"), "{text}");
        assert!(text.contains("light at -1.500 0.900 1.200, range 5"), "{text}");
        let (_, sun) = engine.world().sun().expect("the level has one");
        assert_eq!(sun.color, [1.0, 0.55, 0.3]);
    });
}

#[test]
fn the_keys_move_the_cube() {
    with_sample("03-input", BackEndChoice::Text, |engine, _| {
        frames(engine, 2);
        let before = place(engine, id32!("cube"));
        press(engine, KeyCode::KeyD, true);
        frames(engine, 30);
        press(engine, KeyCode::KeyD, false);
        frames(engine, 30);
        let after = place(engine, id32!("cube"));
        assert!((after.x - before.x - 2.0).abs() < 0.2, "half a second to the right: {after}");
        assert_eq!((after.y, after.z), (before.y, before.z));
        press(engine, KeyCode::ArrowUp, true);
        frames(engine, 30);
        let last = place(engine, id32!("cube"));
        assert!(last.z < after.z - 1.0 && last.x == after.x, "away from the camera: {last}");
    });
}

#[test]
fn what_is_spawned_comes_and_goes() {
    with_sample("04-spawn", BackEndChoice::Text, |engine, _| {
        frames(engine, 1);
        let first = engine.world().entities().len();
        let ball = *engine.world().models().last().expect("one was thrown");
        assert!(engine.world().entities().is_alive(ball), "it flies");
        frames(engine, 60);
        let after_a_second = engine.world().entities().len();
        assert!(after_a_second >= first + 8, "ten a second: {first}, {after_a_second}");
        frames(engine, 120);
        let full = engine.world().entities().len();
        frames(engine, 600);
        let later = engine.world().entities().len();
        assert!(later.abs_diff(full) <= 1, "as many go as come: {full}, {later}");
        assert!(!engine.world().entities().is_alive(ball), "the first is long gone");
    });
}

#[test]
fn the_event_arrives() {
    with_sample("05-event", BackEndChoice::Text, |engine, log| {
        frames(engine, 2);
        let lamp = engine.world().find(id32!("lamp")).expect("the level has one");
        let brightness =
            |engine: &Engine<'_, '_>| engine.world().light(lamp).expect("it has a light").intensity;
        assert_eq!(brightness(engine), 0.0, "nothing has happened");
        press(engine, KeyCode::Space, true);
        frames(engine, 2);
        assert_eq!(engine.world().tags().entities(id32!("cube")).len(), 4);
        let flash = brightness(engine);
        assert!(flash > 20.0, "{flash}");
        frames(engine, 60);
        assert!(brightness(engine) < 1.0, "it fades: {}", brightness(engine));
        // Another removal is the same event.
        let said = |text: &str| log.all().iter().any(|line| line.contains(text));
        assert!(said("1 gone, 4 left") && !said("2 gone"), "{:#?}", log.all());
        press(engine, KeyCode::Space, false);
        press(engine, KeyCode::Space, true);
        frames(engine, 3);
        assert!(said("2 gone, 3 left"), "{:#?}", log.all());
    });
}

#[test]
fn the_parade_walks_turns_and_looks() {
    with_sample("30-parade", BackEndChoice::Text, |engine, _| {
        frames(engine, 2);
        let people = engine.world().tags().entities(id32!("walker")).to_vec();
        assert_eq!(people.len(), 1000);
        let matrix = |engine: &Engine<'_, '_>, at: usize| {
            *engine.world().transforms().world(people[at]).expect("it is somewhere")
        };
        let before: Vec<_> = (0..1000).map(|at| matrix(engine, at)).collect();
        frames(engine, 600);
        let shown = text(engine);
        let skinned = shown.lines().find_map(|line| line.strip_prefix("skinned "));
        let skinned = skinned.and_then(|line| line.split(':').next()).unwrap_or("0");
        let skinned: usize = skinned.parse().expect("a number");
        assert!((300..=1000).contains(&skinned), "those that are seen: {skinned}");
        let (mut walked, mut turned) = (0, 0);
        for (at, old) in before.iter().enumerate() {
            let new = matrix(engine, at);
            walked += usize::from((new.translation - old.translation).length() > 2.0);
            turned += usize::from(new.matrix3.z_axis.dot(old.matrix3.z_axis) < 0.1);
            assert!(new.translation.y.abs() < 1e-3, "on the ground: {new:?}");
        }
        assert!(walked >= 600 && turned >= 100, "{walked} have walked, {turned} have turned");
    });
}

#[test]
fn the_parade_is_replayed_byte_for_byte() {
    const FRAMES: usize = 120;
    let (folder, log) = (tempfile::tempdir().expect("a folder"), Lines::default());
    compile_sample("30-parade", folder.path());
    let options = EngineOptions { is_recorded: true, ..options(folder.path(), &log) };
    let played = with_engine(&options, |engine| {
        frames(engine, FRAMES - 1);
        let last = text(engine);
        let recording = engine.recording().expect("there is memory").expect("it is recorded");
        (recording.to_vec(), last)
    });
    let (recording, last) = played.expect("it boots");
    assert!(last.contains("skinned "), "people are seen: {last}");
    let (replay, threads, is_recorded) = (Some(&*recording), Some(1), false);
    let options = EngineOptions { replay, threads, is_recorded, ..options };
    with_engine(&options, |engine| {
        frames(engine, FRAMES - 1);
        let again = text(engine);
        assert!(engine.replay_error().is_none(), "{:?}", engine.replay_error());
        assert_eq!(engine.replay_difference(), None, "each subsystem has the same state");
        assert!(again == last, "and the frame the same bytes");
    })
    .expect("it boots");
}

/// The average brightness of a part of a picture, from 0 to 255: columns and rows in hundredths.
fn brightness(picture: &[u8], size: [u32; 2], [left, top, right, bottom]: [u32; 4]) -> f64 {
    let [width, height] = size;
    let (mut sum, mut count) = (0_u64, 0_u64);
    for y in height * top / 100..height * bottom / 100 {
        for x in width * left / 100..width * right / 100 {
            let at = (y * width + x) as usize * 4;
            sum += picture[at..at + 3].iter().map(|part| u64::from(*part)).sum::<u64>();
            count += 3;
        }
    }
    sum as f64 / count as f64
}

/// Draws a frame; nothing where nobody draws.
fn picture(engine: &mut Engine<'_, '_>) -> Vec<u8> {
    engine.want_picture();
    frames(engine, 1);
    engine.finish().expect("it is drawn");
    engine.picture().to_vec()
}

/// Pictures of all samples, where there is a driver. `LOLIGO_PICTURES=DIR` keeps them, to be looked
/// at.
#[test]
fn each_sample_is_seen() {
    let keep = std::env::var_os("LOLIGO_PICTURES").map(PathBuf::from);
    for name in ["01-cube", "02-light", "03-input", "04-spawn", "05-event", "06-views"] {
        with_sample(name, BackEndChoice::Auto, |engine, log| {
            // Few, since a driver in software takes its time for each.
            frames(engine, 10);
            press(engine, KeyCode::Space, true);
            frames(engine, 2);
            let (shown, size) = (picture(engine), engine.size());
            if shown.is_empty() {
                // Said plainly, and no more can be looked at here.
                assert!(log.all().iter().any(|line| line.contains("drawn by nobody")), "it says");
                return println!("skipped: no driver draws {name}");
            }
            if let Some(folder) = &keep {
                write_picture(&folder.join(format!("{name}.png")), &shown, size);
            }
            let middle = brightness(&shown, size, [40, 40, 60, 60]);
            let corner = brightness(&shown, size, [0, 0, 10, 10]);
            assert!((middle - corner).abs() > 10.0, "{name}: {middle} in the middle, {corner}");
            if name == "06-views" {
                // The ground looks up, which is green among normals; it is gray elsewhere.
                let quarters = [[0, 0], [50, 0], [0, 50], [50, 50]];
                let greens = quarters.map(|quarter| greenness(&shown, size, quarter));
                let [others @ .., normals] = greens;
                assert!(normals > 15.0, "{greens:?}");
                assert!(others.iter().all(|green| green.abs() < 8.0), "{greens:?}");
            }
            if name == "02-light" {
                let left = [20, 55, 45, 80];
                let lamp = engine.world().find(id32!("lamp")).expect("the level has one");
                let with = brightness(&shown, size, left);
                engine.world_mut().destroy(lamp).expect("there is memory");
                let without = brightness(&picture(engine), size, left);
                assert!(with > without + 5.0, "the lamp lights: {with}, without it {without}");
            }
        });
    }
}

/// Returns how much greener than red and blue the lowest part of a quarter of a picture is.
fn greenness(picture: &[u8], [width, height]: [u32; 2], [left, top]: [u32; 2]) -> f64 {
    let (columns, rows) = (width / 2, height / 20);
    let (left, top) = (left * width / 100, top * height / 100 + height / 2 - rows);
    let pixels = (0..rows * columns).map(|at| {
        let (x, y) = (left + at % columns, top + at / columns);
        let [red, green, blue] = [0, 1, 2].map(|part| picture[(y * width + x) as usize * 4 + part]);
        f64::from(green) - f64::midpoint(f64::from(red), f64::from(blue))
    });
    pixels.sum::<f64>() / f64::from(rows * columns)
}

fn write_picture(path: &Path, picture: &[u8], [width, height]: [u32; 2]) {
    let file = std::fs::File::create(path).expect("the folder may be written");
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().expect("it may be written");
    writer.write_image_data(picture).expect("it has as many pixels");
}
