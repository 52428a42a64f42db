//! Variants of resources that a game prefers: chosen at boot, and changed while it runs by scripts
//! and tools.

use std::fs;
use std::path::Path;

use loligo_engine::{Engine, EngineOptions, with_engine};
use loligo_entities::Pose;
use loligo_ids::{IdString64, id32};
use loligo_resources::PreferenceOrder;
use serde_json::json;

use crate::frames::Turning;
use crate::packages;
use crate::support::{Game, Lines, compile_to, frames, options, sample};
use crate::tools::with_tool_of;

fn order(names: &str) -> PreferenceOrder {
    PreferenceOrder::parse(names).expect("names of properties")
}

/// Returns the line of a frame that has a hash of all materials, and how many entities there are.
fn look(engine: &mut Engine<'_, '_>) -> (String, usize) {
    engine.want_text();
    engine.frame(&mut ()).expect("a frame");
    engine.finish().expect("it is drawn");
    let line = engine.text().lines().find_map(|line| line.split_once("materials "));
    (line.expect("a line").1.to_owned(), engine.world().entities().len())
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it may be made");
    for entry in fs::read_dir(from).expect("it is there") {
        let (entry, kind) = entry.and_then(|one| Ok((one.path(), one.file_type()?))).expect("one");
        let to = to.join(entry.file_name().expect("a name"));
        if kind.is_dir() {
            copy(&entry, &to);
        } else {
            fs::copy(&entry, &to).expect("it may be copied");
        }
    }
}

#[test]
fn the_first_game_is_shown_in_another_language_while_it_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sources, data) = (folder.path().join("sources"), folder.path().join("data"));
    copy(&sample("20-first-game"), &sources);
    let hero = fs::read_to_string(sources.join("materials/hero.material")).expect("it has one");
    let blue = format!("{hero}\nemission = 0.75");
    fs::write(sources.join("materials/hero.fr.material"), blue).expect("it may be written");
    let level = fs::read_to_string(sources.join("start.level")).expect("it has one");
    let more = level.replacen("entities = {", "entities = { another = {}", 1);
    assert_ne!(level, more, "the level has entities");
    fs::write(sources.join("start.de.level"), more).expect("it may be written");
    compile_to(&sources, &data);

    let log = Lines::default();
    let options = options(&data, &log);
    let booted = |names: &str| {
        let options = EngineOptions { prefer: Some(order(names)), ..options };
        with_engine(&options, look).expect("it boots")
    };
    let looks = ["", "fr", "de", "de fr"].map(booted);
    assert_ne!(looks[0].0, looks[1].0, "another material");
    assert_eq!(looks[0].1, looks[1].1, "the same level");
    assert_eq!(looks[2], (looks[0].0.clone(), looks[0].1 + 1), "another level");
    assert_eq!(looks[3], (looks[1].0.clone(), looks[2].1), "both");

    let options = EngineOptions { prefer: None, ..options };
    with_engine(&options, |engine| {
        for (names, swapped, at) in
            [("", 0, 0), ("fr", 1, 1), ("nl", 1, 0), ("nl de", 1, 2), ("fr de", 1, 3), ("fr", 1, 1)]
        {
            let count = engine.prefer(order(names), &mut ()).expect("there is memory");
            let seen = look(engine);
            assert_eq!((count, &seen), (swapped, &looks[at]), "{names}");
            assert_eq!(engine.world().preferred().as_str(), names, "the world knows");
        }
    })
    .expect("it boots");
    assert_eq!(log.errors(), [""; 0]);
    let log = log.all();
    let is_said = |line: &str| log.iter().any(|said| said.contains(line));
    assert!(is_said("preferred are now `nl de`: 1 resources swapped"), "{log:#?}");
}

/// A game whose only box is of another material in French and in German, and prefers German.
fn game(script: &str) -> Game {
    let game = Game::new(1);
    for (language, emission) in [("fr", 0.25), ("de", 0.5)] {
        game.write(
            &format!("stone.{language}.material"),
            &format!("shader = \"plain\" layer = \"opaque\" emission = {emission}"),
        );
    }
    let config = fs::read_to_string(game.sources().join("game.config")).expect("written");
    game.write("game.config", &format!("{config}\nprefer = [ \"de\" ]"));
    if script.is_empty() {
        assert_eq!(game.compile(), [""; 0], "it is right");
    } else {
        game.start_with(script);
    }
    game
}

#[test]
fn scripts_see_and_change_what_is_preferred() {
    let game = game(
        "function update()
            if Game.frame() == 1 then
                print('at first', Game.preferred())
                Game.prefer('fr, nl')
                print('asked', Game.preferred())
            elseif Game.frame() == 4 then
                print('refused', pcall(Game.prefer, 'a.b'))
                print('still', Game.preferred())
            elseif Game.frame() == 6 then
                Game.prefer('')
            end
        end",
    );
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        let looks: Vec<String> = (0..9).map(|_| look(engine).0).collect();
        let changes: Vec<usize> = (1..9).filter(|at| looks[*at] != looks[*at - 1]).collect();
        assert_eq!(changes, [2, 7], "in the frame after it was asked for: {looks:?}");
        assert_ne!(looks[0], looks[8], "German and none");
    })
    .expect("it boots");
    let log = game.log.all();
    for line in [
        "at first\tde",
        "asked\tfr nl",
        "refused\tfalse\tGame.prefer: no file name can have the property",
        "still\tfr nl",
    ] {
        assert!(log.iter().any(|said| said.contains(line)), "{line}: {log:#?}");
    }
}

#[test]
fn texts_are_shown_in_the_language_that_is_preferred() {
    let game = Game::new(1);
    game.write("menu.strings", ENGLISH);
    game.write("menu.pl.strings", POLISH);
    game.start_with(TEXTS);
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 6);
        let texts = engine.memory().subsystem("text").expect("it has memory").stats();
        assert!(texts.requested > 0, "the copies of its resources");
    })
    .expect("it boots");
    // What is printed in a frame is one line of the log.
    let log = game.log.all().join("\n");
    let mut lines = log.lines();
    for line in [
        "en\tHello, Ada!\t1 coin",
        "en\tHello, Ada!\t3 coins",
        "lacks\t?menu.stop?\tHello, {name}!\ttrue\tfalse",
        "missing\tmenu.stop",
        "wrong\tfalse\tmain.lua:12: Text.get: argument 2 must be a table of names and values, and is a number",
        "more\tHello, true!\tHello, {name}!",
        "pl\tCześć, Ada!\t1 moneta",
        "pl\tCześć, Ada!\t3 monety",
        "pl\tCześć, Ada!\t5 monet",
        "missing\t",
        "long\tfalse\tmain.lua:20: Text.get: the text has more than 4096 bytes with its values; shorten it",
    ] {
        assert!(lines.any(|said| said.contains(line)), "{line}, in its place:\n{log}");
    }
}

const ENGLISH: &str = r#"texts = {
    greeting = "Hello, {name}!"
    coins = { by = "count" one = "{count} coin" other = "{count} coins" }
}"#;

const POLISH: &str = r#"texts = {
    greeting = "Cześć, {name}!"
    coins = {
        by = "count" one = "{count} moneta" few = "{count} monety" many = "{count} monet" other = "{count} monety"
    }
}"#;

const TEXTS: &str = r#"
    local function show(count)
        local coins = Text.get("menu.coins", { count = count })
        print(Text.language("menu"), Text.get("menu.greeting", { name = "Ada" }), coins)
    end
    function update()
        local frame = Game.frame()
        if frame == 1 then
            show(1) show(3)
            print("lacks", Text.get("menu.stop"), Text.get("menu.greeting"), Text.has("menu.coins"), Text.has("menu"))
            print("missing", Text.missing())
            print("wrong", pcall(function() Text.get("menu.greeting",
                3) end))
            print("more", Text.get("menu.greeting", { name = true }), Text.get("menu.greeting", { name = {} }))
            Game.prefer("pl")
        elseif frame == 3 then
            show(1) show(3) show(5)
            print("missing", Text.missing())
            print("long", pcall(function()
                Text.get("menu.greeting", { name = string.rep("x", 5000) }) end))
        end
    end
"#;

#[test]
fn a_tool_changes_what_is_preferred_and_hears_what_was_swapped() {
    let game = game("");
    with_tool_of(&game, |engine, tool| {
        let logic = &mut Turning::default();
        let before = look(engine).0;
        let mut ask = |engine: &mut Engine<'_, '_>, properties: &str| {
            let answer =
                tool.ask(&json!({ "type": "prefer", "properties": properties }), engine, logic);
            (answer["value"]["reloaded"].clone(), answer["message"].as_str().map(str::to_owned))
        };
        assert_eq!(ask(engine, "fr"), (json!(1), None));
        assert_ne!(look(engine).0, before, "it is drawn");
        assert_eq!(ask(engine, "de"), (json!(1), None));
        assert_eq!(look(engine).0, before, "as it was");
        let (value, message) = ask(engine, "de de");
        assert_eq!(value, json!(null));
        assert_eq!(message.as_deref(), Some("the property comes twice; remove one"));
    });
}

#[test]
fn settings_that_prefer_something_else_are_followed_unless_the_program_says_so() {
    for has_own in [false, true] {
        let game = game("");
        let data = game.data();
        let prefer = has_own.then(|| order("fr"));
        with_engine(&EngineOptions { prefer, ..game.options(&data) }, |engine| {
            let before = look(engine).0;
            let config = fs::read_to_string(game.sources().join("game.config")).expect("written");
            game.write("game.config", &config.replace("\"de\"", "\"fr\" \"de\""));
            assert_eq!(game.compile(), [""; 0], "it is right");
            engine.reload(&mut ()).expect("it is loaded");
            engine.frame(&mut ()).expect("a frame");
            assert_eq!(look(engine).0 == before, has_own, "fr in place of de");
        })
        .expect("it boots");
    }
}

#[test]
fn settings_that_no_file_name_can_have_are_refused_with_their_place() {
    let game = Game::new(1);
    for (setting, said) in [
        ("prefer = \"fr\"", ":1:52: expected an array, found a string"),
        ("prefer = [ \"fr\" \"a.b\" ]", ":1:59: no file name can have the property"),
        ("prefer = [ \"fr\" \"fr\" ]", ":1:59: the property comes twice; remove one"),
    ] {
        game.write(
            "game.config",
            &format!("level = \"yard\" frame = \"yard\" title = \"a\" {setting}"),
        );
        let errors = game.compile();
        assert!(errors.len() == 1 && errors[0].contains(said), "{setting}: {errors:?}");
        // What another tool has compiled is checked when it is read.
        assert_eq!(game.compile_unchecked(), [""; 0], "any settings");
        let data = game.data();
        let error = with_engine(&game.options(&data), |_| ()).expect_err("it is wrong").to_string();
        assert!(error.starts_with("game.config: `prefer` is missing or wrong; name"), "{error}");
    }
}

#[test]
fn what_was_being_read_when_the_language_changed_is_read_in_the_new_one() {
    let game = packages::game(
        "function update()
            if Game.frame() == 1 then Package.load('night') end
            if Game.frame() == 2 then Game.prefer('fr') end
        end",
    );
    game.write("ghost.fr.entity", "components = { tag = [ \"french\" ] }");
    game.write("spectre.entity", "components = { tag = [ \"french\" ] }");
    game.write("night.fr.package", "entity = [ \"ghost\" \"spectre\" ]");
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    for background in [false, true] {
        let threads = Some(if background { 3 } else { 1 });
        let background_loading = Some(background);
        let options = EngineOptions { threads, background_loading, ..game.options(&data) };
        with_engine(&options, |engine| {
            frames(engine, 4);
            engine.world_mut().flush_packages();
            frames(engine, 2);
            for name in ["ghost", "spectre"] {
                let hash = IdString64::new(name);
                let spawned = engine.world_mut().spawn_named(hash, &Pose::IDENTITY);
                assert!(matches!(spawned, Ok(Some(_))), "{name} can be spawned");
            }
            let french = engine.world().tags().entities(id32!("french")).len();
            assert_eq!(french, 2, "in the background: {background}");
        })
        .expect("it boots");
    }
}
