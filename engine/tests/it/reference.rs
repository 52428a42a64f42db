//! The pages of `docs/reference` that say what scripts and sources may use: they are as the tables
//! of the engine are. `LOLIGO_WRITE=1` writes the page of functions.

use core::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use loligo_allocators::PageAllocator;
use loligo_engine::{World, bindings, with_engine};
use loligo_script::{Kind, Script, Settings};

use crate::support::Game;

fn page(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/reference").join(name)
}

/// What of a table there is to say before its functions.
const ABOUT: [(&str, &str); 18] = [
    ("Camera", "The cameras of entities that have the component `camera`."),
    (
        "Data",
        "What entities keep under keys: the component `data`. A key may be a path, `stats.health`.",
    ),
    (
        "Entity",
        "What there is in the world. An entity is a value that scripts keep; it is gone when it is destroyed.",
    ),
    (
        "Event",
        "Events of one entity. Events of subsystems are sent by functions of this table, too: [scripts](scripts.md).",
    ),
    ("Game", "The game as a whole, and its time."),
    (
        "Input",
        "What the player does in this frame. Names are those of `game.input`: [input](input.md).",
    ),
    ("Level", "Which level there is, and levels in addition to it."),
    ("Light", "The point lights of entities that have the component `light`."),
    ("Matrix4x4", "Matrices. They live for a frame; a `Matrix4x4Box` keeps one."),
    ("Model", "How entities look: the component `model`."),
    (
        "Package",
        "What is loaded and unloaded together: resources of type `package`. The levels and entities of one that is loaded can be spawned.",
    ),
    ("Quaternion", "Rotations. They live for a frame; a `QuaternionBox` keeps one."),
    (
        "Stage",
        "Worlds within the world: what is on one is seen by the views of that [stage](frame.md#a-view) alone.",
    ),
    ("Sun", "The light of the first entity with the component `sun`."),
    ("Tag", "Words attached to entities: the component `tag`."),
    ("Transform", "Where entities are: the component `transform`. Metres, y points up."),
    ("View", "The [views](frame.md#a-view) of the frame, by name; `player` is always there."),
    (
        "Vector3",
        "Vectors. They live for a frame; a `Vector3Box` keeps one. `+`, `-` and `*` are functions: a vector is a number to Lua.",
    ),
];

const BEGINNING: &str = "# Functions for scripts

Generated from the table that the engine binds: `LOLIGO_WRITE=1 cargo test -p loligo-engine --test it reference`. What
the engine calls in a script is in [scripts](scripts.md). A function that is given something of another kind, or an
entity that is gone, stops the script with an error that names the function and the argument; `pcall` catches it.
Angles are in radians where nothing else is said, times in seconds, lengths in metres.
";

/// A row of the page of functions: the name, what is taken, what is returned, and what it is for.
type Row = (&'static str, &'static [Kind], &'static [Kind], &'static str);

/// A function as people read it.
fn signature((name, arguments, results, _): Row) -> String {
    let kinds = |kinds: &[Kind]| {
        let name = |kind: &Kind| match kind {
            Kind::OptionalId(_) => format!("{} or nil", kind.name()),
            _ => kind.name().to_owned(),
        };
        kinds.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    let mut text = format!("{name}({})", kinds(arguments));
    if !results.is_empty() {
        let _ = write!(text, " -> {}", kinds(results));
    }
    text
}

fn functions() -> String {
    let pages = PageAllocator::new("pages");
    let script: Script<'_, World<'_>> =
        Script::try_new(&bindings(), &Settings::default(), &pages).expect("there is memory");
    let own = script.bindings().iter().map(|of| (of.name, of.arguments, of.results, of.help));
    let mut all: Vec<Row> = own.collect();
    let game = Game::new(1);
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        let functions = engine.world().subsystem_functions();
        all.extend(functions.map(|of| (of.name, of.arguments, of.results, of.help)));
    })
    .expect("it boots");
    all.sort_by_key(|row| row.0);
    let mut text = BEGINNING.to_owned();
    let mut table = "";
    for row in all {
        let (of, _) = row.0.split_once('.').expect("each is in a table");
        if of != table {
            let about = ABOUT.iter().find(|(name, _)| *name == of);
            // The functions of a subsystem that joins by a row say enough themselves.
            let about = about.map_or(String::new(), |(_, about)| format!("{about}\n\n"));
            let _ = write!(text, "\n## {of}\n\n{about}| function | what it does |\n|---|---|\n");
            table = of;
        }
        let _ = writeln!(text, "| `{}` | {} |", signature(row), row.3);
    }
    text
}

#[test]
fn the_page_of_functions_is_what_is_bound() {
    let (file, wanted) = (page("lua.md"), functions());
    if std::env::var_os("LOLIGO_WRITE").is_some() {
        fs::write(&file, &wanted).expect("the page may be written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == wanted, "docs/reference/lua.md is another; LOLIGO_WRITE=1 writes it");
}

#[test]
fn the_pages_name_all_that_sources_may_say() {
    let game = fs::read_to_string(page("game.md")).expect("the page is there");
    for key in loligo_engine::compile::GAME_KEYS {
        assert!(game.contains(&format!("| `{key}` |")), "game.md says what `{key}` is");
    }
    let scripts = fs::read_to_string(page("scripts.md")).expect("the page is there");
    for schema in loligo_engine::event_schemas() {
        assert!(
            scripts.contains(&format!("`{}(", schema.name)),
            "scripts.md says `{}`",
            schema.name
        );
        assert!(scripts.contains(&format!("`{}_all(", schema.name)), "and when all are passed");
    }
}
