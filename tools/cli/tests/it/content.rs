//! Tests of `loligo compile` with a project that has a resource of each type, right and wrong.

use std::fs;

use crate::support::Place;

const SHADER: &str = "@vertex fn vs_main() -> @builtin(position) vec4f { return vec4f(0.0); }
@fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }
";

const FRAME: &str = r#"passes = [ { name = "main" color = [ "window" ] layers = [ { name = "opaque" order = "by_state" } ] } ]"#;

/// A triangle of three vertices in a separate file.
const MODEL: &str = r#"{
  "asset": { "version": "2.0" }, "scenes": [ { "nodes": [ 0 ] } ], "nodes": [ { "mesh": 0 } ],
  "meshes": [ { "primitives": [ { "attributes": { "POSITION": 0 } } ] } ],
  "accessors": [ { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [1,1,0] } ],
  "bufferViews": [ { "buffer": 0, "byteLength": 36 } ], "buffers": [ { "byteLength": 36, "uri": "model.bin" } ]
}"#;

fn bytes(place: &Place, path: &str, contents: &[u8]) {
    fs::write(place.path(path), contents).expect("it may be made");
}

fn picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = png::Encoder::new(&mut bytes, 2, 2).write_header().expect("a sound header");
    writer.write_image_data(&[0, 85, 170, 255]).expect("four samples");
    drop(writer);
    bytes
}

/// A project with one of each, and a picture and a model.
fn game() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("game")).expect("it may be made");
    bytes(&place, "game/stone.png", &picture());
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let corners: Vec<u8> = corners.iter().flat_map(|number| number.to_le_bytes()).collect();
    bytes(&place, "game/model.bin", &corners);
    for (path, text) in [
        ("model.gltf", MODEL),
        ("plain.shader", SHADER),
        ("main.frame", FRAME),
        ("stone.texture", "wrap = \"mirror\""),
        ("stone.material", "shader = \"plain\" texture = \"stone\""),
        ("model.mesh", "file = \"model.gltf\""),
        ("ball.mesh", "shape = \"sphere\""),
        ("rock.entity", "components = { tag = \"rock\" data = { weight = 2 } }"),
        ("yard.level", "instances = [ { inherit = \"rock\" grid = { count = [ 100 1 100 ] } } ]"),
        ("game.config", "title = \"Rocks\" frame = \"main\""),
        ("all.package", "level = [ \"*\" ] mesh = [ \"*\" ]"),
        ("note.data", "text"),
    ] {
        place.file(&format!("game/{path}"), text);
    }
    place
}

/// Returns the sum without the time.
fn sum(stdout: &str) -> &str {
    stdout.split(", in ").next().unwrap_or_default()
}

#[test]
fn one_of_each_type_is_compiled_and_again_where_its_files_change() {
    let place = game();
    let (code, stdout, stderr) = place.run(&["compile", "game"]);
    assert_eq!((code, &*stderr, sum(&stdout)), (0, "", "11 compiled, 0 as they were, 0 gone"));
    let (_, stdout, _) = place.run(&["compile", "game"]);
    assert_eq!(sum(&stdout), "0 compiled, 11 as they were, 0 gone");
    let changes: [(&str, &[u8], &str); 3] = [
        ("game/stone.png", &{ picture() }, "0 compiled, 11 as they were, 0 gone"),
        ("game/model.bin", &[0; 36], "1 compiled, 10 as they were, 0 gone"),
        (
            "game/rock.entity",
            b"components = { tag = \"pebble\" }",
            "2 compiled, 9 as they were, 0 gone",
        ),
    ];
    for (path, contents, wanted) in changes {
        bytes(&place, path, contents);
        let (code, stdout, stderr) = place.run(&["compile", "game"]);
        assert_eq!((code, &*stderr, sum(&stdout)), (0, "", wanted), "{path}");
    }
}

#[test]
fn each_fault_of_each_type_is_told_with_its_place_and_what_was_done() {
    let place = game();
    place.run(&["compile", "game"]);
    let mut cut = picture();
    cut.truncate(50);
    bytes(&place, "game/stone.png", &cut);
    for (path, text) in [
        ("model.bin", "short"),
        ("plain.shader", "fn vs_main() {\n  let x = y;\n}"),
        ("main.frame", "passes = [\n { nam = 1 } ]"),
        ("stone.material", "shader = \"plain\"\nroughnes = 1"),
        ("ball.mesh", "shape = \"sphere\"\n  radius = -1"),
        ("rock.entity", "components = {\n  transform = { scale = \"big\" } }"),
        ("game.config", "title = Rocks"),
    ] {
        place.file(&format!("game/{path}"), text);
    }
    let (code, stdout, stderr) = place.run(&["compile", "game"]);
    let kept = "the last good one stays]";
    let lines: Vec<&str> = stderr.lines().collect();
    let wanted = [
        "loligo: ball.mesh:2:12: -1 is not in the range; write a number from 0.000001 to 1000000",
        "    When compiling: ball.mesh",
        "    In making the shape: sphere",
        "loligo: game.config:1:9: expected a value, found `R`; put text in quotes",
        "    When compiling: game.config",
        "loligo: main.frame:2:4: a pass has no `nam`; it has name, view, color, depth, clear, reads, layers",
        "    When compiling: main.frame",
        "loligo: model.gltf: buffer 0 is to have 36 bytes, and has 5; export the model again",
        "    When compiling: model.mesh",
        "    In the model: model.gltf",
        "loligo: plain.shader:2:11: no definition in scope for identifier: `y`",
        "    When compiling: plain.shader",
        "loligo: rock.entity:2:25: expected a scale `[ x y z ]` or one number, found `\"big\"`",
        "    When compiling: rock.entity",
        "    In the component: transform",
        "loligo: rock.entity:2:25: expected a scale `[ x y z ]` or one number, found `\"big\"`",
        "    When compiling: yard.level",
        "    In the instances: 0",
        "    In the component: transform",
        "loligo: stone.material:2:1: the key `roughnes` means nothing here; is `roughness` meant?",
        "    When compiling: stone.material",
        "loligo: stone.png: the PNG is damaged: ",
        "    When compiling: stone.texture",
        "    In the picture: stone.png",
    ];
    for (line, wanted) in lines.iter().zip(wanted) {
        assert!(line.starts_with(wanted), "{line}\nnot: {wanted}\n{stderr}");
        assert!(line.starts_with(' ') || line.ends_with(kept), "{line}");
    }
    assert_eq!(lines.len(), wanted.len(), "{stderr}");
    assert_eq!(
        (code, sum(&stdout)),
        (1, "0 compiled, 2 as they were, 0 gone, 9 wrong"),
        "{stderr}"
    );
}
