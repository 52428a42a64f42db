//! The pages of `docs/reference` about sources: what they list is what is read, with the defaults
//! that they state.

use std::fs;
use std::path::PathBuf;

use loligo_allocators::PageAllocator;
use loligo_compiler::Index;
use loligo_render::{FrameDescription, Order, TargetFormat, ViewFrom};

use crate::support::{Game, compilers};

fn page(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/reference");
    fs::read_to_string(folder.join(name)).expect("the page is there")
}

/// Returns a section of a page, up to the next heading.
fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let (_, rest) =
        page.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("{heading}"));
    rest.split_once("\n#").map_or(rest, |(section, _)| section)
}

/// Returns the cells of the rows of a text's tables that begin with a word of code.
fn rows(text: &str) -> Vec<Vec<String>> {
    let row = |line: &str| {
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split('|');
        let cells: Vec<String> = cells.map(|cell| cell.trim().replace('`', "")).collect();
        line.starts_with("| `").then_some(cells)
    };
    text.lines().filter_map(row).collect()
}

/// Returns the first cells of rows, in which several keys may share one.
fn keys(text: &str) -> Vec<String> {
    let first = |row: &Vec<String>| row[0].split(", ").map(str::to_owned).collect::<Vec<_>>();
    rows(text).iter().flat_map(first).collect()
}

/// Compiles an entity with a component, and returns what is wrong, or the hash of what it became.
fn compiled(game: &Game, component: &str, keys: &str) -> Result<String, String> {
    game.write("probe.entity", &format!("components = {{ {component} = {{ {keys} }} }}"));
    if let Some(error) = game.compile().first() {
        return Err(error.clone());
    }
    let index = fs::read(game.data().join("index")).expect("it was compiled");
    let index = Index::from_bytes(&index).expect("it is whole");
    let entry = index.entries.iter().find(|entry| entry.name.name == "probe").expect("it is there");
    Ok(entry.output.expect("nothing was wrong").file.to_string())
}

#[test]
fn the_page_of_components_has_their_keys_and_defaults() {
    let (page, game) = (page("components.md"), Game::new(1));
    let sample = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../samples/30-parade/models");
    fs::copy(sample.join("walker.gltf"), game.sources().join("walker.gltf")).expect("it is there");
    game.write("walker.skeleton", "file = \"walker.gltf\"");
    game.write("game.physics", crate::physics::SETTINGS);
    let floor = "settings = \"game\" shapes = [ { template = \"floor\" box = [ 40 1 40 ] } ]";
    game.write("floor.collision", floor);
    game.write("wind.field", "strength = [ 1 0 0 ]");
    let doll =
        "settings = \"game\" bones = { hips = { shape = { template = \"crate\" sphere = 1 } } }";
    game.write("doll.ragdoll", doll);
    write_hum(&game);
    let mut defaults = 0;
    for compiler in loligo_engine::compile::components() {
        let name = compiler.name();
        let section = section(&page, &format!("### `{name}`"));
        let wrong = compiled(&game, name, "zzz = 1").err().unwrap_or_default();
        let listed = wrong.split_once("; the keys are ").map(|(_, keys)| keys);
        let listed = listed.and_then(|keys| keys.split([';', '[']).next()).unwrap_or_default();
        let listed: Vec<&str> = listed.trim().split(", ").filter(|key| !key.is_empty()).collect();
        assert_eq!(keys(section), listed, "components.md lists the keys of `{name}`");
        // Those that have no default must be there.
        let needed = match name {
            "model" => "mesh = \"box\" material = \"stone\"",
            "animation" => "skeleton = \"walker\"",
            "actor" => "collision = \"floor\"",
            "joint" => "kind = \"ball\"",
            "vehicle" => "wheels = [ { at = [ 0 0 0 ] } ]",
            "field" => "field = \"wind\"",
            "ragdoll" => "ragdoll = \"doll\"",
            "sound" => "play = \"hum\"",
            "sound_zone" => "bus = \"hall\" sphere = 2",
            _ => "",
        };
        for row in rows(section).iter().filter(|row| !row[1].is_empty()) {
            let stated = compiled(&game, name, &format!("{needed} {} = {}", row[0], row[1]));
            assert!(stated.is_ok(), "{name}: {row:?}: {stated:?}");
            assert_eq!(stated, compiled(&game, name, needed), "the default of {name}: {row:?}");
            defaults += 1;
        }
    }
    assert!(defaults > 15, "{defaults} defaults were compared");
}

/// Writes a sound of 32 silent frames.
fn write_hum(game: &Game) {
    let mut wav = Vec::from(*b"RIFF\x64\0\0\0WAVEfmt \x10\0\0\0");
    // Samples as they are, one channel, 48 000 frames and 96 000 bytes a second, two bytes a frame of 16 bits.
    wav.extend(b"\x01\0\x01\0\x80\xbb\0\0\0\x77\x01\0\x02\0\x10\0data\x40\0\0\0");
    wav.extend([0; 64]);
    fs::write(game.sources().join("hum.wav"), wav).expect("it may be written");
    game.write("hum.wave", "file = \"hum.wav\"");
    game.write("hum.sound", "wave = \"hum\"");
}

/// Compiles a sound and a mixer, and returns what is wrong, or the hashes of what they became.
fn heard(game: &Game, sound: &str, mixer: &str) -> Result<Vec<String>, String> {
    game.write("probe.sound", sound);
    game.write("game.mixer", mixer);
    if let Some(error) = game.compile().first() {
        return Err(error.clone());
    }
    let index = fs::read(game.data().join("index")).expect("it was compiled");
    let index = Index::from_bytes(&index).expect("it is whole");
    let is_one = |name: &str| ["mixer", "sound"].contains(&name);
    let entries = index.entries.iter().filter(|entry| is_one(&entry.name.type_name));
    Ok(entries.map(|entry| entry.output.expect("nothing was wrong").file.to_string()).collect())
}

/// Compares the keys that an error lists with those of sections, and their defaults.
fn compare(
    page: &str,
    headings: &[&str],
    compiled: impl Fn(&str) -> Result<Vec<String>, String>,
) -> usize {
    let wrong = compiled("zzz = 1").err().unwrap_or_default();
    let (_, listed) = wrong.split_once("; the keys are ").unwrap_or_else(|| panic!("{wrong}"));
    let listed = listed.split(" [").next().unwrap_or_default();
    let mut listed: Vec<String> = listed.split(", ").map(|key| key.trim().to_owned()).collect();
    let sections: Vec<&str> = headings.iter().map(|heading| section(page, heading)).collect();
    let mut found: Vec<String> = sections.iter().flat_map(|section| keys(section)).collect();
    // What an effect or a node is has a section for each.
    listed.retain(|key| key != "kind" && !["wave", "random", "switch"].contains(&&**key));
    listed.sort();
    found.sort();
    assert_eq!(found, listed, "{headings:?}");
    let rows = sections.iter().flat_map(|section| rows(section));
    let defaults = rows.filter(|row| row.len() == 3 && !row[1].is_empty());
    defaults.fold(0, |count, row| {
        let stated = compiled(&format!("{} = {}", row[0], row[1]));
        assert!(stated.is_ok(), "{row:?}: {stated:?}");
        assert_eq!(stated, compiled(""), "the default of {row:?}");
        count + 1
    })
}

#[test]
fn the_pages_of_sounds_and_mixers_have_their_keys_and_defaults() {
    let game = Game::new(1);
    write_hum(&game);
    let (sounds, mixers) = (page("sound.md"), page("mixer.md"));
    let node = ["## A node", "## A sound"];
    let of = |more: &[&'static str]| [&node[..], more].concat();
    let mut defaults = 0;
    for (headings, source) in [
        (of(&["## A wave"]), "wave = \"hum\" @"),
        (of(&["## A switch"]), "switch = \"p\" cases = { a = \"hum\" } @"),
        (vec!["## A node", "## A wave", "## A choice"], "random = [ { wave = \"hum\" @ } ]"),
    ] {
        let compiled = |keys: &str| heard(&game, &source.replace('@', keys), "");
        defaults += compare(&sounds, &headings, compiled);
    }
    let kinds = keys(section(&sounds, "## Kinds")).join("`, `");
    let error = heard(&game, "volume = 0", "").expect_err("it is nothing");
    assert!(error.contains(&format!("add one of `{kinds}`")), "{error}");
    let mut mixer = |heading: &str, source: &str| {
        let compiled = |keys: &str| heard(&game, "wave = \"hum\"", &source.replace('@', keys));
        defaults += compare(&mixers, &[heading], compiled);
    };
    mixer("## A mixer", "@");
    mixer("## Space", "space = { @ }");
    mixer("## A bus", "buses = { a = { @ } }");
    for effect in ["filter", "compressor", "limiter", "echo", "reverb"] {
        let form = if effect == "filter" { "form = \"peak\"" } else { "" };
        let source =
            format!("buses = {{ a = {{ effects = [ {{ kind = \"{effect}\" {form} @ }} ] }} }}");
        mixer(&format!("### `{effect}`"), &source);
    }
    assert!(defaults > 45, "{defaults} defaults were compared");
    let example = |page: &str| {
        let (_, example) = page.split_once("```text\n").expect("it has one");
        example.split("```").next().unwrap_or_default().to_owned()
    };
    heard(&game, "wave = \"hum\"", &example(&mixers)).expect("the example of mixer.md is right");
    let sound = example(&sounds);
    let names = sound.split('"').filter(|text| text.starts_with("steps/"));
    fs::create_dir_all(game.sources().join("steps")).expect("it may be written");
    names.for_each(|name| game.write(&format!("{name}.wave"), "file = \"hum.wav\""));
    heard(&game, &sound, &example(&mixers)).expect("the example of sound.md is right");
}

/// Returns the keys that a frame's reader lists where it finds one that it does not know.
fn frame_keys(text: &str) -> Vec<String> {
    let pages = PageAllocator::new("pages");
    let Err(error) = FrameDescription::try_read(text.as_bytes(), &pages) else {
        panic!("zzz is no key");
    };
    let text = error.to_string();
    let (_, keys) = text.split_once("; it has ").expect("it lists the keys");
    keys.split(", ").map(str::to_owned).collect()
}

#[test]
fn the_page_of_frames_has_their_keys_formats_and_orders() {
    let page = page("frame.md");
    let pass =
        |more: &str| format!("passes = [ {{ name = \"a\" color = [ \"window\" ] {more} }} ]");
    for (heading, text, words) in [
        ("## A frame", "zzz = 1".to_owned(), vec![]),
        (
            "## A target",
            "targets = { a = { zzz = 1 } }".to_owned(),
            TargetFormat::ALL.map(TargetFormat::name).to_vec(),
        ),
        (
            "## A view",
            "views = { a = { zzz = 1 } }".to_owned(),
            ViewFrom::ALL.map(ViewFrom::name).to_vec(),
        ),
        ("## A pass", "passes = [ { zzz = 1 } ]".to_owned(), vec![]),
        ("## Clear", pass("clear = { zzz = 1 }"), vec![]),
        ("## A layer", pass("layers = [ { zzz = 1 } ]"), Order::ALL.map(Order::name).to_vec()),
    ] {
        let mut wanted = frame_keys(&text);
        wanted.extend(words.into_iter().map(str::to_owned));
        let mut found = keys(section(&page, heading));
        wanted.sort();
        found.sort();
        assert_eq!(found, wanted, "frame.md: {heading}");
    }
    let pages = PageAllocator::new("pages");
    let mut examples = 0;
    for example in page.split("```text\n").skip(1) {
        let text = example.split("```").next().unwrap_or_default();
        let frame = FrameDescription::try_read(text.as_bytes(), &pages);
        assert!(frame.is_ok(), "frame.md: {:?}", frame.err().map(|error| error.to_string()));
        examples += 1;
    }
    assert_eq!(examples, 1);
}

#[test]
fn the_page_of_built_in_resources_lists_them_all() {
    let mut found = keys(&page("core.md"));
    found.sort();
    let compilers = compilers();
    let wanted: Vec<&str> = compilers.sources().map(|(path, _)| path).collect();
    assert_eq!(found, wanted, "core.md lists what comes with the program");
}
