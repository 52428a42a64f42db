//! Tests of `loligo cache`, and of the cache of `loligo compile`.

use std::fs;

use crate::support::Place;

fn game() -> Place {
    let place = Place::new();
    fs::create_dir_all(place.path("game")).expect("it may be made");
    for number in 0..12 {
        place.file(&format!("game/door{number}.config"), format!("width = {number}\n"));
    }
    place.file("game/long.data", "long ".repeat(20_000));
    place
}

/// Returns the bytes of all compiled files, by name.
fn data(place: &Place, folder: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(place.path(folder).join("blobs")).expect("it is there");
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().expect("it has one").to_string_lossy().into_owned();
            (name, fs::read(path).expect("it can be read"))
        })
        .collect();
    files.sort();
    let table = fs::read(place.path(folder).join("resources")).expect("it is there");
    files.push(("resources".to_owned(), table));
    files
}

#[test]
fn what_one_has_compiled_another_takes() {
    let place = game();
    let write = ["compile", "game", "--out", "a", "--cache", "cache", "--cache-mode", "write"];
    let (code, stdout, stderr) = place.run(&write);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(stdout.contains("cache: 0 of 13 resources from it (0 %), 0 bytes read"), "{stdout}");
    assert!(stdout.contains(", 13 resources and "), "{stdout}");
    let (code, stdout, stderr) = place.run(&["compile", "game", "--out", "b", "--cache", "cache"]);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(
        stdout.starts_with("0 compiled, 0 as they were, 0 gone, 13 from the cache"),
        "{stdout}"
    );
    assert!(stdout.contains("cache: 13 of 13 resources from it (100 %)"), "{stdout}");
    assert_eq!(data(&place, "a"), data(&place, "b"), "the same bytes");
}

#[test]
fn shards_fill_a_cache_and_the_merge_compiles_nothing() {
    let place = game();
    place.run(&["compile", "game", "--out", "alone"]);
    let children: Vec<_> = (1..=3)
        .map(|number| {
            let shard = format!("{number}/3");
            let cache = ["--cache", "cache", "--cache-mode", "write", "--shard", &*shard];
            place.loligo(&[&["compile", "game"], &cache[..]].concat()).spawn().expect("it starts")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("it is ours");
        assert!(output.status.success(), "{output:?}");
    }
    let (code, stdout, stderr) = place.run(&["compile", "game", "--out", "m", "--cache", "cache"]);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(
        stdout.starts_with("0 compiled, 0 as they were, 0 gone, 13 from the cache"),
        "{stdout}"
    );
    assert_eq!(data(&place, "alone"), data(&place, "m"), "the same bytes");
}

#[test]
fn a_cache_that_cannot_be_used_is_a_note_and_the_game_is_compiled() {
    let place = game();
    place.file("photo", "");
    for cache in ["nowhere", "photo", "game"] {
        let (code, stdout, stderr) = place.run(&["compile", "game", "--cache", cache]);
        assert_eq!(code, 0, "{stdout}{stderr}");
        assert!(stderr.contains("it is left out of this compile"), "{cache}: {stderr}");
        assert!(!place.path("nowhere").exists(), "a reader makes nothing");
    }
}

#[test]
fn a_cache_is_shown_verified_and_made_smaller() {
    let place = game();
    let write = ["compile", "game", "--out", "a", "--cache", "cache", "--cache-mode", "write"];
    assert_eq!(place.run(&write).0, 0);
    let (code, stdout, _) = place.run(&["cache", "show", "cache"]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("records") && stdout.contains("blobs            1"), "{stdout}");
    assert_eq!(place.run(&["cache", "verify", "cache"]).0, 0);
    let blobs = fs::read_dir(place.path("cache/blobs")).expect("it is there");
    let group = blobs.map(|entry| entry.expect("an entry").path()).next().expect("there is one");
    let blob = fs::read_dir(group).expect("it is there").next().expect("one").expect("an entry");
    fs::write(blob.path(), "damaged").expect("it may be written");
    let (code, stdout, stderr) = place.run(&["cache", "verify", "cache"]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stderr.contains("does not have the bytes that it is named after"), "{stderr}");
    let (code, stdout, _) = place.run(&["cache", "verify", "cache", "--repair"]);
    assert_eq!((code, &*stdout), (1, "1 damaged entries removed\n"));
    assert_eq!(place.run(&["cache", "verify", "cache"]).0, 0);
    let (code, stdout, _) = place.run(&["cache", "trim", "cache", "--to", "0"]);
    assert_eq!(code, 0, "{stdout}");
    assert!(
        stdout.starts_with("13 entries removed, ") && stdout.contains("; 0 bytes left"),
        "{stdout}"
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = game();
    let refused = |arguments: &[&str], why: &str| {
        let message = place.refused(arguments);
        assert!(message.contains(why), "{arguments:?}: {message}");
    };
    refused(
        &["compile", "game", "--cache", "ftp://host/c"],
        "name a folder, or a s3://, gs://, az://",
    );
    if cfg!(not(feature = "object-store")) {
        refused(&["compile", "game", "--cache", "s3://bucket/c"], "--features object-store");
    }
    refused(&["compile", "game", "--cache-mode", "write"], "--cache");
    refused(&["compile", "game", "--shard", "1/2"], "--cache");
    refused(&["compile", "game", "--cache", "c", "--shard", "1/2"], "add `--cache-mode write`");
    refused(&["compile", "game", "--cache", "c", "--shard", "3/2"], "is not a share I/N");
    refused(&["cache", "show", "nowhere"], "nowhere");
    refused(&["cache", "trim", "nowhere", "--to", "1GiB"], "nowhere");
    refused(&["cache", "trim", "game", "--to", "1GiB"], "it is not a cache");
    refused(&["cache", "trim", "game", "--to", "many"], "is not a size");
}

#[test]
fn help_has_examples() {
    for command in [&["cache", "--help"][..], &["cache", "trim", "--help"]] {
        let (code, stdout, stderr) = Place::new().run(command);
        assert_eq!((code, &*stderr), (0, ""));
        assert!(stdout.contains("loligo cache trim /mnt/team/cache --to 20GiB"), "{stdout}");
        assert!(stdout.contains("Exit status: 0"), "{stdout}");
    }
}
