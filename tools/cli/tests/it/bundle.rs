//! Tests of `loligo bundle`.

use std::fs;

use crate::support::Place;

/// A compiled project with a package.
fn game() -> Place {
    let place = Place::new();
    fs::create_dir_all(place.path("game/signs")).expect("it may be made");
    place.file("game/door.config", "width = 0.9\n");
    place.file("game/signs/exit.data", "EXIT");
    place.file("game/signs/exit.fr.data", "SORTIE");
    place.file("game/signs/all.package", "data = [ \"signs/*\" ]\n");
    compiled(&place, "data");
    place
}

fn compiled(place: &Place, out: &str) {
    let (code, _, stderr) = place.run(&["compile", "game", "--out", out]);
    assert_eq!((code, &*stderr), (0, ""), "it compiles");
}

/// Runs a command that prints nothing to standard error, and returns its status and its output.
fn said(place: &Place, arguments: &[&str]) -> (i32, String) {
    let (code, stdout, stderr) = place.run(arguments);
    assert_eq!(stderr, "", "{arguments:?}: {stdout}");
    (code, stdout)
}

#[test]
fn bundles_are_built_patched_compared_and_extracted() {
    let place = game();
    let (code, stdout) = said(&place, &["bundle", "build", "data", "-o", "shipped"]);
    assert_eq!(code, 0);
    let starts = ["game.bundle: 2 variants", "package.signs.all.bundle: 2 variants"];
    for (line, start) in stdout.lines().zip(starts) {
        assert!(line.starts_with(start), "{stdout}");
    }
    let (code, stdout) = said(&place, &["bundle", "verify", "shipped"]);
    assert_eq!((code, stdout.matches("damaged blocks: 0 of 1\n").count()), (0, 2), "{stdout}");
    assert_eq!(said(&place, &["bundle", "diff", "shipped", "data"]), (0, String::new()));

    place.file("game/door.config", "width = 1.1\n");
    place.file("game/wall.config", "height = 3\n");
    fs::remove_file(place.path("game/signs/exit.fr.data")).expect("it is there");
    compiled(&place, "newer");
    let (code, stdout) = said(&place, &["bundle", "diff", "shipped", "newer"]);
    assert_eq!(code, 1);
    // A package has no variants in it, so it is as it was.
    for (what, name) in [("added", "wall.config"), ("changed", "door.config"), ("removed", "#")] {
        let has = |line: &str| line.trim_start().starts_with(what) && line.contains(name);
        assert!(stdout.lines().any(has), "{what} {name}: {stdout}");
    }
    assert_eq!(stdout.lines().count(), 3, "{stdout}");
    let (code, stdout) = said(&place, &["bundle", "patch", "shipped", "newer"]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("patch.0001.bundle: 3 variants of resources, 2 files"), "{stdout}");
    assert_eq!(said(&place, &["bundle", "diff", "shipped", "newer"]), (0, String::new()));
    let (code, stdout) = said(&place, &["bundle", "list", "shipped", "--names", "newer"]);
    assert_eq!((code, stdout.lines().count()), (0, 4), "{stdout}");
    let has = |line: &str| line.contains("patch.0001.bundle") && line.contains("(door)");
    assert!(stdout.lines().any(has), "{stdout}");
    let (code, stdout) = said(&place, &["bundle", "list", "shipped/patch.0001.bundle"]);
    assert_eq!((code, stdout.matches("removed").count()), (0, 1), "{stdout}");
    assert_eq!(said(&place, &["bundle", "verify", "shipped"]).0, 0);

    let (code, stdout) = said(&place, &["bundle", "extract", "shipped", "-o", "loose"]);
    assert_eq!((code, stdout.starts_with("4 files")), (0, true), "{stdout}");
    let table = |folder: &str| fs::read(place.path(&format!("{folder}/resources"))).expect("there");
    assert_eq!(table("loose"), table("newer"), "the same table");
    let blobs = |folder: &str| {
        let entries = fs::read_dir(place.path(&format!("{folder}/blobs"))).expect("it is there");
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("an entry"))
            .map(|entry| (entry.file_name(), fs::read(entry.path()).expect("it can be read")))
            .collect();
        files.sort();
        files
    };
    assert_eq!(blobs("loose"), blobs("newer"), "the same files");
}

#[test]
fn a_damaged_bundle_is_said_with_what_is_in_it() {
    let place = game();
    said(&place, &["bundle", "build", "data", "-o", "shipped"]);
    let path = place.path("shipped/game.bundle");
    let whole = fs::read(&path).expect("it is there");
    let mut bytes = whole.clone();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&path, &bytes).expect("it may be written");
    let (code, stdout) = said(&place, &["bundle", "verify", "shipped", "--names", "data"]);
    assert_eq!(code, 1);
    let start =
        "bundle `game.bundle`: block 0 is damaged: its checksum is another; it has resource #";
    assert!(stdout.starts_with(start) && stdout.contains("(door)"), "{stdout}");
    let message = place.refused(&["bundle", "extract", "shipped", "-o", "shipped/.."]);
    assert!(message.contains("there are files in it"), "{message}");
    fs::write(&path, &whole[..100]).expect("it may be written");
    let (code, stdout) = said(&place, &["bundle", "verify", "shipped"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("bundle `game.bundle`: it was cut: it has 100 bytes"), "{stdout}");
    let message = place.refused(&["bundle", "list", "shipped"]);
    assert!(message.contains("it was cut: it has 100 bytes"), "{message}");
}

#[test]
fn what_cannot_be_bundled_is_said() {
    let place = game();
    said(&place, &["bundle", "build", "data", "-o", "shipped"]);
    for (arguments, said) in [
        (&["build", "game", "-o", "out"][..], "no bundles and no compiled data"),
        (&["build", "shipped", "-o", "out"], "it is of bundles already"),
        (&["build", "data", "-o", "out", "--platform", "ps3"], "of the other byte order"),
        (&["patch", "shipped", "data"], "nothing differs"),
        (&["patch", "data", "data"], "no bundles and no compiled data"),
        (&["patch", "shipped", "data", "-o", "new"], "the name of a bundle ends in `.bundle`"),
        (&["verify", "nowhere"], "nowhere: cannot be read"),
        (&["verify", "data"], "there are no bundles in it"),
    ] {
        let message = place.refused(&[&["bundle"], arguments].concat());
        assert!(message.contains(said), "{arguments:?}: {message}");
    }
    place.file("game/Door.config", "width = 2\n");
    compiled(&place, "data");
    let message = place.refused(&["bundle", "build", "data", "-o", "shipped"]);
    assert!(message.contains("differs from `Door.config` by case only"), "{message}");
    fs::remove_file(place.path("game/Door.config")).expect("it is there");
    fs::rename(place.path("game/signs/all.package"), place.path("game/signs/some.package"))
        .expect("it is there");
    compiled(&place, "data");
    let message = place.refused(&["bundle", "build", "data", "-o", "shipped"]);
    assert!(message.contains("`package.signs.all.bundle` is there and would not fit"), "{message}");
}
