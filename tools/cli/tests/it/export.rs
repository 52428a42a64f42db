//! Tests of `loligo export`.

use std::fs;

use crate::support::Place;

fn game() -> Place {
    let place = Place::new();
    fs::create_dir_all(place.path("island")).expect("it may be made");
    place.file("island/door.config", "width = 0.9\n");
    place.file("player", "a program");
    place.file("player.licences.txt", "terms");
    place
}

const EXPORT: [&str; 6] = ["export", "island", "-o", "shipped", "--player", "player"];

#[test]
fn a_game_is_written_with_its_program_and_its_licences() {
    let place = game();
    let (code, stdout, stderr) = place.run(&EXPORT);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(stdout.starts_with("shipped/island: bundles 1, of "), "{stdout}");
    let text = |path: &str| fs::read_to_string(place.path(path)).expect("it was written");
    assert_eq!(
        (text("shipped/island"), text("shipped/licences.txt")),
        ("a program".into(), "terms".into())
    );
    let (code, stdout, stderr) = place.run(&["bundle", "verify", "shipped/data"]);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    let bytes = fs::read(place.path("shipped/data/game.bundle")).expect("it was written");
    let has = |name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
    assert!(!has(b"door") && has(b"loliresc"), "its resources have no names");
    let message = place.refused(&EXPORT);
    assert!(message.contains("name an empty folder or a new one"), "{message}");
}

#[test]
fn the_languages_that_are_named_are_shipped() {
    let place = game();
    for language in ["fr", "de"] {
        place.file(&format!("island/door.{language}.config"), "width = 0.8\n");
    }
    let (code, stdout, stderr) = place.run(&[&EXPORT[..], &["--languages", "en,fr"]].concat());
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    let (_, listed, _) = place.run(&["bundle", "list", "shipped/data"]);
    let all = game();
    all.file("island/door.fr.config", "width = 0.8\n");
    assert_eq!(all.run(&EXPORT).0, 0);
    assert_eq!(listed, all.run(&["bundle", "list", "shipped/data"]).1, "German is left out");
    let message = place.refused(&[&EXPORT[..], &["--languages", "french"]].concat());
    assert!(message.contains("two letters of ISO 639-1"), "{message}");
}

#[test]
fn what_keeps_a_game_from_being_written_is_said() {
    let place = game();
    fs::remove_file(place.path("player.licences.txt")).expect("it is there");
    let message = place.refused(&EXPORT);
    assert!(message.contains("`cargo xtask player DIR` writes it"), "{message}");
    fs::remove_file(place.path("player")).expect("it is there");
    let message = place.refused(&EXPORT);
    assert!(message.contains("there is no such program"), "{message}");
    let place = game();
    place.file("island/bad.config", "width = wide");
    let (code, stdout, stderr) = place.run(&EXPORT);
    assert_eq!((code, &*stdout), (1, ""), "{stderr}");
    assert!(stderr.contains("bad.config:"), "{stderr}");
    assert!(!place.path("shipped/data").exists(), "nothing is shipped that is wrong");
}
