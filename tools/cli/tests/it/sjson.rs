//! Tests of `loligo sjson`.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Output, Stdio};

use crate::support::Place;

const DOOR: &str =
    "// A door.\nname   = \"door\"\nsize = [ 0.9,\n2.1 ] // metres\nparts = [ { id = 7 } ]\n";
const FORMATTED: &str = "// A door.\nname = \"door\"\nsize = [ 0.9 2.1 ] // metres\nparts = [\n\t{\n\t\tid = 7\n\t}\n]\n";

/// Runs the command with bytes on its standard input.
fn piped(place: &Place, arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = place
        .loligo(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("it is piped").write_all(input).expect("the command reads");
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the child is ours");
    let text = |bytes| String::from_utf8(bytes).expect("text in UTF-8");
    (status.code().expect("it ended by itself"), text(stdout), text(stderr))
}

#[test]
fn help_has_an_example_for_each() {
    let place = Place::new();
    for command in ["", "check", "format", "to-json", "from-json", "get", "set"] {
        let arguments: Vec<&str> =
            ["sjson", command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        let (code, stdout, stderr) = place.run(&arguments);
        assert_eq!((code, &*stderr), (0, ""), "{command}");
        let example = format!("loligo sjson {command}");
        let (_, examples) = stdout.split_once("Example").expect("there are examples");
        assert!(examples.contains(&example), "{command}: {stdout}");
    }
}

#[test]
fn check_tells_all_that_is_wrong_at_once() {
    let place = Place::new();
    place.file("door.sjson", DOOR);
    place.file("bad.sjson", "a = 1\n\tb = door\n");
    place.file("worse.sjson", "a = [");
    assert_eq!(place.run(&["sjson", "check", "door.sjson"]), (0, String::new(), String::new()));
    let (code, stdout, stderr) =
        place.run(&["sjson", "check", "bad.sjson", "door.sjson", "worse.sjson"]);
    assert_eq!((code, &*stdout), (1, ""));
    let expected = "loligo: bad.sjson:2:6: expected a value, found `d`; put text in quotes\n  \tb = door\n  \t    ^\n\
        loligo: worse.sjson:1:6: expected a value, found the end of the text\n  a = [\n       ^\n";
    assert_eq!(stderr, expected);
    let (code, _, stderr) = place.run(&["sjson", "check", "none.sjson", "bad.sjson"]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("loligo: none.sjson: cannot read: "), "{stderr}");
    assert!(stderr.contains("bad.sjson:2:6"), "{stderr}");
    let (code, _, stderr) = place.run(&["sjson", "check", "--json", "door.sjson"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("JSON has no comments"), "{stderr}");
    let (code, _, stderr) = piped(&place, &["sjson", "check", "-"], b"a = \xff");
    assert_eq!(code, 1);
    assert!(stderr.starts_with("loligo: standard input:1:5: expected UTF-8"), "{stderr}");
}

#[test]
fn format_prints_or_writes() {
    let place = Place::new();
    place.file("door.sjson", DOOR);
    place.file("window.sjson", "b=2");
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(place.path("window.sjson"), mode(0o640)).expect("the file is ours");
    assert_eq!(place.run(&["sjson", "format", "door.sjson"]), (0, FORMATTED.into(), String::new()));
    assert_eq!(std::fs::read_to_string(place.path("door.sjson")).expect("it is there"), DOOR);
    let files = ["sjson", "format", "--write", "door.sjson", "window.sjson"];
    for _ in 0..2 {
        assert_eq!(place.run(&files), (0, String::new(), String::new()));
        let read = |name| std::fs::read_to_string(place.path(name)).expect("it is there");
        assert_eq!((&*read("door.sjson"), &*read("window.sjson")), (FORMATTED, "b = 2\n"));
    }
    assert_eq!(place.names(), ["door.sjson", "window.sjson"]);
    let window = std::fs::metadata(place.path("window.sjson")).expect("it is there");
    assert_eq!(window.permissions().mode() & 0o777, 0o640, "who may read it still may");
    assert!(
        place
            .refused(&files[..2].iter().chain(&files[3..]).copied().collect::<Vec<_>>())
            .contains("--write")
    );
    // Nothing is written if one cannot be read.
    place.file("window.sjson", "b=2");
    place.file("z.sjson", "c = ]");
    let stderr = place.refused(&["sjson", "format", "--write", "window.sjson", "z.sjson"]);
    assert!(stderr.starts_with("loligo: z.sjson:1:5: "), "{stderr}");
    let window = std::fs::read_to_string(place.path("window.sjson")).expect("it is there");
    assert_eq!(window, "b=2");
    let (code, stdout, _) = piped(&place, &["sjson", "format", "-"], DOOR.as_bytes());
    assert_eq!((code, &*stdout), (0, FORMATTED));
    let (code, _, stderr) = piped(&place, &["sjson", "format", "--write", "-"], DOOR.as_bytes());
    assert_eq!(code, 2);
    assert!(stderr.contains("standard input cannot be written"), "{stderr}");
}

#[test]
fn json_and_back() {
    let place = Place::new();
    place.file("door.sjson", DOOR);
    let (code, json, stderr) = place.run(&["sjson", "to-json", "door.sjson"]);
    assert_eq!((code, &*stderr), (0, ""));
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(value["size"][1], 2.1);
    let (_, compact, _) = place.run(&["sjson", "to-json", "--compact", "door.sjson"]);
    assert_eq!(compact, "{\"name\":\"door\",\"size\":[0.9,2.1],\"parts\":[{\"id\":7}]}\n");
    let (code, sjson, _) = piped(&place, &["sjson", "from-json", "-"], json.as_bytes());
    let without_comments = FORMATTED.replace("// A door.\n", "").replace(" // metres", "");
    assert_eq!((code, sjson), (0, without_comments));
    let stderr = place.refused(&["sjson", "from-json", "door.sjson"]);
    assert!(stderr.starts_with("loligo: door.sjson:1:1: expected a value"), "{stderr}");
    let stderr = place.refused(&["sjson", "to-json", "none.sjson"]);
    assert!(stderr.starts_with("loligo: none.sjson: cannot read"), "{stderr}");
}

#[test]
fn get_and_set_by_path() {
    let place = Place::new();
    place.file("door.sjson", DOOR);
    for (path, value) in [("size/1", "2.1\n"), ("name", "\"door\"\n"), ("parts/0", "{ id = 7 }\n")]
    {
        let (code, stdout, stderr) = place.run(&["sjson", "get", "door.sjson", path]);
        assert_eq!((code, &*stdout, &*stderr), (0, value, ""), "{path}");
    }
    let (code, stdout, _) = place.run(&["sjson", "get", "door.sjson", "name", "--text"]);
    assert_eq!((code, &*stdout), (0, "door\n"));
    let (code, stdout, _) = place.run(&["sjson", "get", "door.sjson", ""]);
    assert_eq!((code, &*stdout), (0, &DOOR["// A door.\n".len()..]));

    let (code, stdout, stderr) = place.run(&["sjson", "set", "door.sjson", "size/0", "-1.5e3"]);
    assert_eq!((code, &*stdout, &*stderr), (0, &*DOOR.replace("0.9", "-1.5e3"), ""));
    let (code, stdout, _) =
        piped(&place, &["sjson", "set", "-", "name", "\"gate\""], DOOR.as_bytes());
    assert_eq!((code, stdout), (0, DOOR.replace("\"door\"", "\"gate\"")));
    let (code, stdout, _) =
        place.run(&["sjson", "set", "--write", "door.sjson", "parts/0/id", "[ 8 ]"]);
    assert_eq!((code, &*stdout), (0, ""));
    let door = std::fs::read_to_string(place.path("door.sjson")).expect("it is there");
    assert_eq!(door, DOOR.replace('7', "[ 8 ]"));

    for (arguments, message) in [
        (
            &["get", "door.sjson", "colour"][..],
            "door.sjson: the root has no key `colour`; its keys are name, size, parts",
        ),
        (
            &["set", "door.sjson", "size/2", "1"],
            "door.sjson: `size` has no item `2`; its items are 0 to 1",
        ),
        (
            &["set", "door.sjson", "name", "gate"],
            "door.sjson: the new value is none, at 1:1: expected a value, found `g`; put text in quotes",
        ),
        (&["get", "none.sjson", "a"], "none.sjson: cannot read: "),
    ] {
        let stderr = place.refused(&[&["sjson"], arguments].concat());
        assert!(stderr.starts_with(&format!("loligo: {message}")), "{stderr}");
    }
}

#[test]
fn set_adds_what_is_not_there_on_demand() {
    let place = Place::new();
    place.file("door.sjson", DOOR);
    let inserted = |path, value, behind: &str, new: &str| {
        let (code, stdout, stderr) =
            piped(&place, &["sjson", "set", "--insert", "-", path, value], DOOR.as_bytes());
        assert_eq!((code, &*stderr), (0, ""), "{path}");
        assert_eq!(stdout, DOOR.replace(behind, &[behind, new].concat()), "{path}");
    };
    inserted("colour", "3", "id = 7 } ]\n", "colour = 3\n");
    inserted("parts/0/colour", "3", "id = 7", " colour = 3");
    inserted("size/-", "3", "2.1", ",\n3");
    inserted("size/2", "3", "2.1", ",\n3");
    let (_, stdout, _) =
        piped(&place, &["sjson", "set", "--insert", "-", "size/0", "3"], DOOR.as_bytes());
    assert_eq!(stdout, DOOR.replace("0.9", "3"), "what is there is set");

    for (arguments, message) in [
        (
            &["set", "door.sjson", "colour", "1"][..],
            "door.sjson: the root has no key `colour`; its keys are name, size, parts; --insert adds it\n",
        ),
        (
            &["set", "--insert", "door.sjson", "a/b", "1"],
            "door.sjson: the root has no key `a`; its keys are name, size, parts\n",
        ),
    ] {
        let stderr = place.refused(&[&["sjson"], arguments].concat());
        assert_eq!(stderr, format!("loligo: {message}"));
    }
}
