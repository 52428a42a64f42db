//! Tests of `loligo compile`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::support::Place;

fn game() -> Place {
    let place = Place::new();
    fs::create_dir_all(place.path("game/signs")).expect("it may be made");
    place.file("game/door.config", "width = 0.9\n");
    place.file("game/signs/exit.data", "EXIT");
    place.file("game/signs/exit.fr.data", "SORTIE");
    place.file("game/signs/exit.android.data", "BACK");
    place.file("game/signs/all.package", "data = [ \"signs/*\" ]\nconfig = [ \"door\" ]\n");
    place.file("game/notes.txt", "no resource");
    place
}

/// Returns the sum without the time.
fn sum(stdout: &str) -> &str {
    stdout.split(", in ").next().unwrap_or_default()
}

#[test]
fn only_what_has_changed_is_compiled() {
    let place = game();
    let (code, stdout, stderr) = place.run(&["compile", "game"]);
    assert_eq!((code, &*stderr, sum(&stdout)), (0, "", "4 compiled, 0 as they were, 0 gone"));
    assert!(
        stdout.trim_end().ends_with("game/.loligo/linux") || !cfg!(target_os = "linux"),
        "{stdout}"
    );
    let (code, stdout, _) = place.run(&["compile", "game", "--jobs", "1"]);
    assert_eq!((code, sum(&stdout)), (0, "0 compiled, 4 as they were, 0 gone"));
    place.file("game/door.config", "width = 1.1\n");
    let (code, stdout, _) = place.run(&["compile", "game"]);
    assert_eq!((code, sum(&stdout)), (0, "1 compiled, 3 as they were, 0 gone"));
    let (_, stdout, _) = place.run(&["compile", "game", "--languages", "en"]);
    assert_eq!(
        sum(&stdout),
        "1 compiled, 2 as they were, 1 gone",
        "the package asks for languages"
    );
    let android =
        ["compile", "game", "--platform", "android", "--as-platform", "linux", "--out", "out"];
    let (code, stdout, _) = place.run(&android);
    assert_eq!((code, sum(&stdout)), (0, "3 compiled, 0 as they were, 0 gone"));
    assert!(place.path("out/resources").is_file(), "{stdout}");
    let (code, stdout, _) =
        place.run(&["compile", "game", "--release", "--option", "quality=high"]);
    assert_eq!((code, sum(&stdout)), (0, "4 compiled, 0 as they were, 0 gone"));
}

#[test]
fn what_is_wrong_is_told_and_all_else_compiled() {
    let place = game();
    place.file("game/bad.config", "a = 1\n\tb = door\n");
    let (code, stdout, stderr) = place.run(&["compile", "game"]);
    assert_eq!((code, sum(&stdout)), (1, "4 compiled, 0 as they were, 0 gone, 1 wrong"));
    let expected = "loligo: bad.config:2:6: expected a value, found `d`; put text in quotes \
        [resource bad of type config]\n    When compiling: bad.config\n";
    assert_eq!(stderr, expected);
    place.file("game/door.config", "width = ");
    place.file("game/signs/all.package", "data = [ \"nowhere\" ]");
    let (code, stdout, stderr) = place.run(&["compile", "game"]);
    assert_eq!(
        (code, sum(&stdout)),
        (1, "2 compiled, 2 as they were, 0 gone, 2 wrong"),
        "{stderr}"
    );
    assert!(stderr.contains("signs/all.package:1:10: there is no resource `nowhere`"), "{stderr}");
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is() {
    let place = game();
    place.file("photo", "");
    let refused = |arguments: &[&str], why: &str| {
        let message = place.refused(arguments);
        assert!(message.contains(why), "{arguments:?}: {message}");
    };
    refused(&["compile", "nowhere"], "nowhere: cannot be compiled: there is no such folder");
    refused(&["compile", "game", "--out", "."], "it is no data folder; name an empty folder");
    refused(&["compile", "game", "--out", "photo"], "photo: ");
    refused(&["compile", "game", "--platform", "amiga"], "one of android, ios, linux");
    refused(&["compile", "game", "--languages", "french"], "as `fr` or `pt-br`");
    refused(&["compile", "game", "--option", "quality"], "NAME=VALUE");
    refused(&["compile", "game", "--jobs", "0"], "--jobs");
}

#[test]
fn help_has_examples() {
    let (code, stdout, stderr) = Place::new().run(&["compile", "--help"]);
    assert_eq!((code, &*stderr), (0, ""));
    assert!(stdout.contains("loligo compile game --out data --watch"), "{stdout}");
    assert!(stdout.contains("Exit status: 0"), "{stdout}");
}

#[test]
fn a_watch_compiles_what_is_saved() {
    let place = game();
    let mut child = place
        .loligo(&["compile", "game", "--watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut next = || lines.next().expect("it goes on").expect("text");
    let first = next();
    // A line is written when its compile is done, so what is saved now comes with a later one.
    place.file("game/door.config", "width = 1.25\n");
    let second = next();
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    assert_eq!(sum(&first), "4 compiled, 0 as they were, 0 gone");
    assert_eq!(sum(&second), "1 compiled, 3 as they were, 0 gone");
}
