//! Tests of `loligo depends` and `loligo rename`.

use std::fs;

use crate::support::Place;

const SHADER: &str = "@vertex fn vs_main() -> @builtin(position) vec4f { return vec4f(0.0); }
@fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }
";

const FRAME: &str = r#"passes = [ { name = "main" color = [ "window" ] layers = [ { name = "opaque" order = "by_state" } ] } ]"#;

/// A project whose level has a rock of a material, which has a texture of a picture.
fn game() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("game")).expect("it may be made");
    let mut picture = Vec::new();
    let mut writer = png::Encoder::new(&mut picture, 2, 2).write_header().expect("a sound header");
    writer.write_image_data(&[0, 85, 170, 255]).expect("four samples");
    drop(writer);
    place.file("game/stone.png", &picture);
    for (path, text) in [
        ("plain.shader", SHADER),
        ("main.frame", FRAME),
        ("stone.texture", "wrap = \"mirror\""),
        (
            "stone.material",
            "// gray \"stone\"\nshader = \"plain\" texture = \"stone\" // as it is\n",
        ),
        ("stones.material", "shader = \"plain\" texture = \"stone\""),
        ("ball.mesh", "shape = \"sphere\""),
        (
            "rock.entity",
            "components = { transform = {} model = { mesh = \"ball\" material = \"stone\" } }",
        ),
        ("yard.level", "instances = [ { inherit = \"rock\" positions = [ [ 0 0 0 ] ] } ]"),
        ("game.config", "title = \"Rocks\" frame = \"main\" level = \"yard\""),
        ("all.package", "level = [ \"*\" ] material = [ \"*\" ]"),
        ("note.lua", "-- a name?\nlocal name = 'stone'"),
    ] {
        place.file(&format!("game/{path}"), text);
    }
    place
}

fn text(place: &Place, path: &str) -> String {
    fs::read_to_string(place.path(path)).expect("it is there")
}

#[test]
fn what_a_resource_names_is_listed_and_what_names_it() {
    let place = game();
    let (code, stdout, stderr) = place.run(&["depends", "game", "rock.entity"]);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert_eq!(
        stdout,
        "rock.entity\n  stone.material  rock.entity:1:66\n  ball.mesh  rock.entity:1:48\n"
    );
    let (code, stdout, _) = place.run(&["depends", "game", "yard.level", "--all"]);
    assert_eq!(code, 0);
    // A level has what its entities name, at no place of its source.
    for line in [
        "  file rock.entity\n",
        "  stone.material  yard.level\n",
        "    stone.texture  stone.material:2:28\n      file stone.png\n",
    ] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
    let (code, stdout, _) = place.run(&["depends", "game", "stone.texture", "--reverse"]);
    assert_eq!(code, 0);
    assert_eq!(
        stdout,
        "stone.texture\n  stone.material  stone.material:2:28\n  stones.material  stones.material:1:28\n"
    );
}

#[test]
fn a_name_that_is_none_is_an_error_with_a_remedy() {
    let place = game();
    for (name, said) in [
        ("stome.material", "did you mean `stone.material`?"),
        ("stone", "`stone` has no type; write it as its file is named"),
        ("stone.fr.material", "all variants of a resource have one name: `stone.material`"),
        (".material", "the name is empty"),
        ("../stone.material", "is no path within a project"),
    ] {
        let (code, stdout, stderr) = place.run(&["depends", "game", name]);
        assert_eq!((code, &*stdout), (2, ""), "{name}");
        assert!(stderr.contains(said), "{name}: {stderr}");
    }
    place.file(
        "game/rock.entity",
        "components = { model = { mesh = \"ball\" material = \"gone\" } }",
    );
    let (code, stdout, _) = place.run(&["depends", "game", "rock.entity"]);
    assert_eq!(code, 1, "{stdout}");
}

#[test]
fn a_resource_is_renamed_with_all_that_name_it() {
    let place = game();
    let before = text(&place, "game/stone.material");
    let arguments = ["rename", "game", "stone.texture", "rocks/granite.texture"];
    let (code, stdout, stderr) = place.run(&arguments);
    assert_eq!(code, 1, "a script is left: {stdout}{stderr}");
    for line in [
        "stone.material:2:28: stone becomes rocks/granite\n",
        "stones.material:1:28: stone becomes rocks/granite\n",
        "stone.texture becomes rocks/granite.texture\n",
        "stone.png becomes rocks/granite.png\n",
        "by hand: note.lua:2:14: a script has this text; it may be this name\n",
        "nothing is changed; with --write it is\n",
    ] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
    assert_eq!(text(&place, "game/stone.material"), before, "nothing is changed");
    let (code, stdout, stderr) = place.run(&[&arguments[..], &["--write"]].concat());
    assert_eq!((code, &*stderr), (1, ""), "{stdout}");
    assert_eq!(
        text(&place, "game/stone.material"),
        "// gray \"stone\"\nshader = \"plain\" texture = \"rocks/granite\" // as it is\n"
    );
    assert!(
        place.path("game/rocks/granite.png").exists() && !place.path("game/stone.png").exists()
    );
    let (code, _, stderr) = place.run(&["compile", "game"]);
    assert_eq!((code, &*stderr), (0, ""), "all is right as before");
    let (code, stdout, _) = place.run(&["depends", "game", "rocks/granite.texture", "--reverse"]);
    assert_eq!((code, stdout.lines().count()), (0, 3), "{stdout}");
}

#[test]
fn an_entity_is_renamed_where_it_is_inherited() {
    let place = game();
    place.file("game/big.entity", "inherit = \"rock\" // a rock\ncomponents = { tag = \"rock\" }");
    let (code, stdout, _) = place.run(&["depends", "game", "rock.entity", "--reverse"]);
    assert_eq!(code, 0);
    assert!(stdout.ends_with("  yard.level  yard.level, made of it\n"), "{stdout}");
    let (code, stdout, stderr) =
        place.run(&["rename", "game", "rock.entity", "boulder.entity", "--write"]);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(stdout.contains("big.entity:1:12: rock becomes boulder\n"), "{stdout}");
    let big = "inherit = \"boulder\" // a rock\ncomponents = { tag = \"rock\" }";
    assert_eq!(text(&place, "game/big.entity"), big);
    let level = "instances = [ { inherit = \"boulder\" positions = [ [ 0 0 0 ] ] } ]";
    assert_eq!(text(&place, "game/yard.level"), level);
    let (code, _, stderr) = place.run(&["compile", "game"]);
    assert_eq!((code, &*stderr), (0, ""), "all is right as before");
}

#[test]
fn names_that_are_taken_are_said() {
    let place = game();
    for (old, new, said) in [
        ("stone.material", "stones.material", "is there, as stones.material; give another name"),
        ("stone.material", "stone.texture", "a resource keeps its type"),
        ("stone.material", "../stone.material", "is no path within a project"),
    ] {
        let (code, _, stderr) = place.run(&["rename", "game", old, new, "--write"]);
        assert_eq!(code, 2, "{new}: {stderr}");
        assert!(stderr.contains(said), "{new}: {stderr}");
    }
    let (code, stdout, _) = place.run(&["rename", "game", "stone.material", "a.material"]);
    assert_eq!(code, 1);
    assert!(!stdout.contains("all.package"), "a package of all has it by any name: {stdout}");
    assert!(stdout.contains("rock.entity:1:66: stone becomes a\n"), "{stdout}");
    assert!(!stdout.contains("yard.level"), "it inherits the name and has it nowhere: {stdout}");
}
