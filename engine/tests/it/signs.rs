//! The sign of the courtyard, whose texture and material have a French variant: at boot, and
//! changed while the game runs.

use loligo_containers::EventRecord;
use loligo_engine::{
    BackEndChoice, Engine, EngineOptions, FrameMemory, Logic, ResourceChanged, World, with_engine,
};
use loligo_ids::IdString64;
use loligo_resources::PreferenceOrder;

use crate::support::{Lines, compile_sample, options};

/// Keeps the names of what is swapped.
#[derive(Default)]
struct Swapped(Vec<&'static str>);

impl Logic<'_> for Swapped {
    fn event(&mut self, _: &mut World<'_>, event: &EventRecord<'_>, _: &FrameMemory<'_>) {
        let Some(changed) = event.get::<ResourceChanged>() else { return };
        let is_named = |[type_name, name]: &[&str; 2]| {
            (changed.type_hash, changed.name) == (halves(type_name), halves(name))
        };
        let names = [["texture", "textures/sign"], ["material", "materials/sign"]];
        let name = names.into_iter().find(is_named).map_or("something else", |[_, name]| name);
        self.0.push(name);
        self.0.sort_unstable();
    }
}

fn halves(name: &str) -> [u32; 2] {
    let hash = IdString64::new(name).hash();
    [hash as u32, (hash >> 32) as u32]
}

fn order(names: &str) -> PreferenceOrder {
    PreferenceOrder::parse(names).expect("names of properties")
}

/// Runs a frame, and returns the hash of all materials that it is drawn with.
fn materials(engine: &mut Engine<'_, '_>, logic: &mut Swapped) -> String {
    engine.want_text();
    engine.frame(logic).expect("a frame");
    engine.finish().expect("it is drawn");
    let line = engine.text().lines().find_map(|line| line.split_once("materials "));
    line.expect("a line").1.to_owned()
}

/// Draws a frame; the color of each pixel, or none without a driver that computes.
fn picture(engine: &mut Engine<'_, '_>, log: &Lines) -> Option<Vec<u8>> {
    engine.want_picture();
    engine.frame(&mut ()).expect("a frame");
    engine.finish().expect("it is drawn");
    let is_drawn = log.all().iter().any(|line| line.contains("a driver that computes"));
    is_drawn.then(|| engine.picture().to_vec())
}

#[test]
fn the_sign_of_the_courtyard_is_in_the_language_that_is_preferred() {
    let folder = tempfile::tempdir().expect("a folder");
    compile_sample("10-courtyard", folder.path());
    let log = Lines::default();
    let options = options(folder.path(), &log);
    let booted = |names: &str| {
        let options = EngineOptions { prefer: Some(order(names)), ..options };
        with_engine(&options, |engine| materials(engine, &mut Swapped::default()))
            .expect("it boots")
    };
    let [plain, french, german] = ["", "fr", "de"].map(booted);
    assert_ne!(plain, french, "the material of the French sign");
    assert_eq!(plain, german, "there is no German sign");

    with_engine(&options, |engine| {
        let both = &["materials/sign", "textures/sign"][..];
        for (names, wanted, swapped) in
            [("fr", &french, both), ("de fr", &french, &[]), ("", &plain, both)]
        {
            let mut logic = Swapped::default();
            let count = engine.prefer(order(names), &mut logic).expect("there is memory");
            assert_eq!(count, swapped.len(), "{names}");
            assert_eq!(&materials(engine, &mut logic), wanted, "{names}");
            assert_eq!(logic.0, swapped, "{names}");
        }
    })
    .expect("it boots");

    let drawn = ["", "fr"].map(|names| {
        let (back_end, prefer) = (BackEndChoice::Auto, Some(order(names)));
        let small = EngineOptions { back_end, prefer, size: Some([320, 180]), ..options };
        with_engine(&small, |engine| picture(engine, &log)).expect("it boots")
    });
    match drawn {
        [Some(plain), Some(french)] => {
            let [left, right, top, bottom] = differing(&plain, &french);
            let is_sign = 120 < left && left + 20 < right && right < 180;
            let is_sign = is_sign && 98 < top && top + 10 < bottom && bottom < 130;
            assert!(is_sign, "columns {left} to {right}, rows {top} to {bottom}: the sign alone");
        }
        _ => println!("skipped: the driver that computes is not there"),
    }
}

/// Returns the first and last column and row in which pictures clearly differ.
fn differing(one: &[u8], other: &[u8]) -> [usize; 4] {
    let pixels = one.chunks_exact(4).zip(other.chunks_exact(4)).enumerate();
    let is_other = |(one, other): &(&[u8], &[u8])| {
        one.iter().zip(*other).any(|(one, other)| one.abs_diff(*other) > 40)
    };
    pixels.filter(|(_, pair)| is_other(pair)).fold([320, 0, 180, 0], |seen, (place, _)| {
        let (column, row) = (place % 320, place / 320);
        [seen[0].min(column), seen[1].max(column), seen[2].min(row), seen[3].max(row)]
    })
}
