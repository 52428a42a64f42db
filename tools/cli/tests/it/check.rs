//! `loligo check` from outside. That programs run under what it builds is tested in loligo-replay.

use crate::support::Place;

#[test]
fn what_cannot_be_checked_is_refused() {
    let place = Place::new();
    for (arguments, part) in [
        (&["check"][..], "<COMMAND|PROJECT>"),
        (&["check", "true", "--rounds", "3"], "3 is not in 9..=1000"),
        (&["check", "true", "--strategies", "no.json"], "no.json: cannot read the strategies"),
        (&["check", "true", "--crate", "."], "has `{}` in place of the program"),
        (&["check", "true", "--json", "no/figures.json"], "no/figures.json: cannot write"),
    ] {
        let stderr = place.refused(arguments);
        assert!(stderr.contains(part), "no `{part}` in {stderr}");
    }
    let (code, stdout, stderr) = place.run(&["check", "true", "--allocators", "nowhere"]);
    assert_eq!((code, &*stdout), (2, ""), "{stderr}");
    let expected = "the sources of loligo-allocators are not in nowhere, where they were as this command was \
                    built; name them with --allocators DIR";
    assert!(stderr.contains(expected), "{stderr}");
}

#[test]
fn what_chooses_by_call_site_is_left_out() {
    let place = Place::new();
    place.file(
        "sites.json",
        r#"{"strategies": [{"name": "sites", "tree": {"by-site": {
            "classes": [{"sites": [1], "to": {"heap": {}}}], "rest": {"heap": {}}}}}]}"#,
    );
    let arguments = ["check", "true", "--strategies", "sites.json", "--allocators", "nowhere"];
    let (code, _, stderr) = place.run(&arguments);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.starts_with("loligo: `sites` chooses by call site, or "), "{stderr}");
}
