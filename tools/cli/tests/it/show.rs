//! `loligo show` from the outside.

use crate::support::{Place, recording};

#[test]
fn a_recording_is_shown_as_text_json_and_picture() {
    let place = Place::new();
    place.recording("run.altrace");
    let arguments = ["show", "run.altrace", "--json", "run.json", "--flame", "run.svg"];
    let (code, stdout, stderr) = place.run(&arguments);
    assert_eq!((code, &*stderr), (0, ""));
    for part in
        ["recording        run", "events           600 of 1 thread\n", "Lifetimes in events"]
    {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let read = |name| std::fs::read_to_string(place.path(name)).expect("it is there");
    let json: serde_json::Value = serde_json::from_str(&read("run.json")).expect("it is JSON");
    assert_eq!((&json["totals"]["frees"], &json["totals"]["end_bytes"]), (&200.into(), &0.into()));
    assert!(read("run.svg").starts_with("<svg "));
}

#[test]
fn what_cannot_be_shown_is_an_error_with_its_place() {
    let place = Place::new();
    let stderr = place.refused(&["show", "missing.altrace"]);
    assert!(stderr.contains("missing.altrace: cannot read"), "{stderr}");
    let mut damaged = recording();
    damaged[8] = 9;
    place.file("damaged.altrace", damaged);
    let stderr = place.refused(&["show", "damaged.altrace", "--json", "figures.json"]);
    assert!(stderr.contains("damaged.altrace: record 0 (counted from 0, at byte 8)"), "{stderr}");
    place.recording("run.altrace");
    let stderr = place.refused(&["show", "run.altrace", "--flame", "none/run.svg"]);
    assert!(stderr.contains("none/run.svg: cannot write"), "{stderr}");
}
