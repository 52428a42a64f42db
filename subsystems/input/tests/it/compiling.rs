//! Sources: what is wrong with them, and a project.

use std::fs;

use loligo_compiler::{Compilers, Project, Threads};
use loligo_input::compile::{compile, register};

/// Compiles what has one fault, and returns its text.
fn fault(text: &str) -> String {
    compile(text.as_bytes()).expect_err("it has a fault").to_string()
}

fn in_play(text: &str) -> String {
    fault(&format!("contexts = {{ play = {{\n{text}\n}} }}"))
}

/// Contents of a context, and the error of each.
const FAULTS: [(&str, &str); 20] = [
    ("actions = { jump = \"Spcae\" }", ":2:20: \"Spcae\" is no control; is `Space` meant?"),
    (
        "actions = { jump = [ \"KeyA\" \"PadSuoth\" ] }",
        ":2:29: \"PadSuoth\" is no control; is `PadSouth` meant?",
    ),
    ("actions = { jump = \"w\" }", ":2:20: \"w\" is no control; \"'w'\" is the key that types it"),
    (
        "actions = { jump = \"whatnot\" }",
        ":2:20: \"whatnot\" is no control; name a key, such as `KeyW`, `'w'` or `ArrowUp`, a button or an axis",
    ),
    (
        "actions = { jump = 3 }",
        ":2:20: expected a control, found a number; write one, such as \"KeyW\", or `{ control = \"PadLeftX\" }`",
    ),
    (
        "actions = { jump = { threshold = 0.5 } }",
        ":2:20: there is no `control`; name one: `control = \"PadLeftX\"`",
    ),
    (
        "actions = { jump = { control = \"KeyA\" treshold = 1 } }",
        ":2:39: the key `treshold` means nothing here; is `threshold` meant?",
    ),
    (
        "actions = { jump = { control = \"KeyA\" threshold = 1 } }",
        ":2:51: `KeyA` has no threshold; leave it out: sticks and triggers have one",
    ),
    (
        "actions = { jump = { control = \"PadLeftTrigger\" threshold = 0 } }",
        ":2:61: 0 is not in the range; write a number from 0.05 to 1",
    ),
    (
        "actions = { jump = \"-KeyA\" }",
        ":2:20: a key or a button of an action has no direction; leave the minus sign out",
    ),
    (
        "actions = { jump = \"MouseX\" }",
        ":2:20: no action is pressed by the motion of the mouse; bind it to an axis",
    ),
    (
        "actions = { jump = \"MouseX+KeyA\" }",
        ":2:20: `MouseX` is never held: it has a value; hold keys or buttons, and name it last",
    ),
    ("actions = { jump = \"KeyA+KeyB+KeyA\" }", ":2:20: `KeyA` is named twice; name it once"),
    (
        "actions = { jump = \"KeyA+KeyB+KeyC+KeyD+KeyE\" }",
        ":2:20: \"KeyA+KeyB+KeyC+KeyD+KeyE\" are 5 controls; name 4 at most",
    ),
    (
        "actions = { jump = \"KeyA\" } axes = { jump = \"KeyB\" }",
        ":2:45: `jump` is an axis here and an action before; give one of them another name",
    ),
    (
        "actions = { jump = \"KeyA\" jump = \"KeyB\" }",
        ":2:34: `jump` comes twice; name all of its controls in one array",
    ),
    (
        "axes = { x = { control = \"KeyA\" dead_zone = 0.2 } }",
        ":2:45: `KeyA` has no dead zone; leave it out: sticks and triggers have one",
    ),
    (
        "axes = { x = { control = \"PadLeftX\" dead_zone = 1 } }",
        ":2:49: 1 is not in the range; write a number from 0 to 0.9",
    ),
    ("acitons = {}", ":2:1: the key `acitons` means nothing here; is `actions` meant?"),
    ("active = 1", ":2:10: expected true or false, found a number; write one of both"),
];

#[test]
fn faults_have_a_place_a_reason_and_a_remedy() {
    for (text, expected) in FAULTS {
        assert_eq!(in_play(text), expected, "{text}");
    }
    assert_eq!(
        fault("play = {}"),
        ":1:1: the key `play` means nothing here; the keys are contexts"
    );
    assert_eq!(
        fault("contexts = { a = {} a = {} }"),
        ":1:25: the context `a` comes twice; give one of them another name"
    );
    let many: String = (0..33).map(|number| format!("c{number} = {{}} ")).collect();
    assert!(fault(&format!("contexts = {{ {many} }}")).contains("more than 32 contexts"));
}

#[test]
fn an_error_says_what_it_was_about() {
    let text = "contexts = { play = { actions = { jump = \"Spcae\" } } }";
    let error = compile(text.as_bytes()).expect_err("it has a fault");
    let contexts = error.contexts.join("; ");
    assert!(contexts.contains("play") && contexts.contains("jump"), "{contexts}");
}

#[test]
fn the_same_source_is_the_same_payload() {
    let text = crate::player::MAPPING.as_bytes();
    assert_eq!(compile(text), compile(text));
}

#[test]
fn a_project_has_mappings() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sources, data) = (folder.path().join("sources"), folder.path().join("data"));
    fs::create_dir(&sources).expect("a folder");
    fs::write(sources.join("player.input"), crate::player::MAPPING).expect("it can be written");
    fs::write(sources.join("wrong.input"), "contexts = { p = { axes = { x = \"KayA\" } } }")
        .expect("it can be written");
    let mut compilers = Compilers::built_in();
    register(&mut compilers);
    let report =
        Project::new(&sources, &data, &compilers).compile(&Threads::default()).expect("it runs");
    assert_eq!((report.compiled, report.errors.len()), (1, 1), "{report:?}");
    let error = report.errors[0].to_string();
    assert!(
        error.starts_with("wrong.input:1:33: \"KayA\" is no control; is `KeyA` meant?"),
        "{error}"
    );
}
