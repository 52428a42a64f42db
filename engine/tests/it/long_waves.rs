//! Waves that are read while they play: from files and bundles, waited for and in the background, damaged and gone.

use std::fs;
use std::path::{Path, PathBuf};

use loligo_engine::{EngineOptions, with_engine};

use crate::first_game::ship;
use crate::sound::{Ears, FRAMES, frames, game, wav};
use crate::support::Game;

/// Plays a song of five seconds, and after two seconds goes on a second before its end.
const SCRIPT: &str = r#"
    local song
    function start() song = Sound.play("song") end
    function update()
        if Game.frame() == 120 then Sound.seek(song, 4) end
    end
"#;

fn song(script: &str, more: &str) -> Game {
    let game = game(script);
    let samples: Vec<i16> =
        (0..240_000_i32).map(|at| (at % 40_009 * (at % 40_009) % 20_011 - 10_005) as i16).collect();
    fs::write(game.sources().join("song.wav"), wav(&samples)).expect("it may be");
    game.write("song.wave", &format!("file = \"song.wav\" {more}"));
    game.write("song.sound", "wave = \"song\"");
    // The song's file is the largest one.
    game.write("ramp.wave", "file = \"ramp.wav\" packed = true");
    // Nothing else is heard.
    game.write(
        "yard.level",
        "entities = { eye = { components = { transform = {} camera = {} } } }",
    );
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

fn hear(options: &EngineOptions<'_>, count: usize) -> Vec<[f32; 2]> {
    with_engine(options, |engine| {
        let mut ears = Ears::asking();
        frames(engine, &mut ears, count);
        ears.heard
    })
    .expect("it boots")
}

fn is_loud(heard: &[[f32; 2]]) -> bool {
    heard.iter().any(|frame| frame[0].abs() > 0.1)
}

/// Returns the largest blob of a data folder, which is that of the song.
fn largest_blob(data: &Path) -> PathBuf {
    let blobs = fs::read_dir(data.join("blobs")).expect("it was compiled");
    let blobs = blobs.map(|blob| blob.expect("it is there").path());
    blobs.max_by_key(|blob| fs::metadata(blob).map_or(0, |of| of.len())).expect("there are some")
}

#[test]
fn a_song_is_the_same_from_memory_from_files_and_from_bundles() {
    let (packed, streamed) = (song(SCRIPT, "packed = true"), song(SCRIPT, "streamed = true"));
    let data = packed.data();
    let whole = hear(&packed.options(&data), 200);
    let folder = tempfile::tempdir().expect("a folder");
    let (loose, shipped) = (streamed.data(), folder.path().join("shipped"));
    ship(&loose, &shipped);
    let mut first: Option<Vec<[f32; 2]>> = None;
    for data in [&loose, &shipped] {
        for (threads, background_loading) in [(1, None), (3, None), (3, Some(true))] {
            let options = EngineOptions {
                threads: Some(threads),
                background_loading,
                ..streamed.options(data)
            };
            let heard = hear(&options, 200);
            assert!(heard[..118 * FRAMES] == whole[..118 * FRAMES], "to the bit");
            assert!(is_loud(&heard[..100 * FRAMES]) && is_loud(&heard[150 * FRAMES..170 * FRAMES]));
            assert!(first.as_ref().is_none_or(|first| *first == heard), "and the same each time");
            first = Some(heard);
        }
    }
    assert_eq!(streamed.log.errors(), [""; 0]);
}

#[test]
fn a_song_whose_file_is_damaged_or_gone_is_silent_there_and_that_is_said() {
    for is_damaged in [true, false] {
        let game = song("function start() Sound.play('song') end", "streamed = true");
        let data = game.data();
        let blob = largest_blob(&data);
        let mut bytes = fs::read(&blob).expect("it is there");
        // In piece 3 of 7: it is read after the change.
        let at = bytes.len() - 60_000;
        bytes[at] ^= 1;
        let shorter = &bytes[..bytes.len() - 100];
        let options = game.options(&data);
        let heard = with_engine(&options, |engine| {
            let mut ears = Ears::asking();
            frames(engine, &mut ears, 2);
            // What is loaded is right: the file is changed under it.
            fs::write(&blob, if is_damaged { &bytes[..] } else { shorter }).expect("it may be");
            frames(engine, &mut ears, 180);
            ears.heard
        })
        .expect("it boots");
        let said = game.log.errors();
        let expected = match is_damaged {
            true => "not as it was compiled",
            false => "a part of a resource cannot be read: ",
        };
        assert!(said.iter().any(|line| line.contains(expected)), "{said:#?}");
        assert!(is_loud(&heard[40 * FRAMES..60 * FRAMES]), "it is heard until there");
        assert!(!is_loud(&heard[130 * FRAMES..160 * FRAMES]), "there it is silent");
        assert_eq!(is_loud(&heard[170 * FRAMES..]), is_damaged, "the next piece is right");
    }
}
