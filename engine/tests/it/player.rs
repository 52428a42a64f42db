//! The program that a game is shipped with, over the bundles of the sample `20-first-game`.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::first_game::bundle;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it is there");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn a_game_is_played_from_where_it_was_copied_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    bundle(folder.path());
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("the folder may be written");
    let program = elsewhere.join("first");
    fs::copy(env!("CARGO_BIN_EXE_loligo-player"), &program).expect("the folder may be written");
    fs::rename(folder.path().join("shipped"), elsewhere.join("data")).expect("it was made");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(folder.path()).env("XDG_DATA_HOME", folder.path());
        let output = loop {
            match command.output() {
                // Another test began a process while the copy was open for writing; it ends with that.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
                output => break output.expect("it starts"),
            }
        };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let before = [names(&elsewhere), names(&elsewhere.join("data"))];
    let (code, said) = run(&["--frames", "20"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("level 1: 3 targets") && !said.contains("error"), "{said}");
    assert_eq!([names(&elsewhere), names(&elsewhere.join("data"))], before);
    let (code, said) = run(&["--frames", "20", "--prefer", "fr, noblood", "--text", "last.txt"]);
    assert_eq!(code, Some(0), "{said}");
    let text = fs::read_to_string(folder.path().join("last.txt")).expect("it is written");
    assert!(text.starts_with("frame 19: ") && text.contains("pass 0"), "{text}");
    let (code, said) = run(&["--frames", "20", "--data", "nowhere"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("there is none"), "{said}");
    for (arguments, reason) in [
        (&["--frames"][..], "--frames: a value is missing"),
        (&["--frames", "x"], "--frames x: give a number"),
        (&["--text", "last.txt"], "--text: give --frames as well"),
        (&["--prefer", "a.b"], "--prefer a.b: no file name can have the property"),
        (&["--compile"], "--compile: there is no such option"),
    ] {
        let (code, said) = run(arguments);
        assert_eq!((code, said.contains(reason)), (Some(2), true), "{said}");
    }
}
