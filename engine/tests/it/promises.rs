//! What the engine promises to those who add to it: how many files a subsystem edits, and that
//! scripts can call what games in Rust can.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use loligo_allocators::PageAllocator;
use loligo_engine::{World, bindings, with_engine};
use loligo_script::{Script, Settings};

use crate::support::Game;

mod exported;

use exported::{EXPORTED, Reach, TYPES};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files that are edited by hand for a subsystem of the engine's own.
const BY_HAND: [&str; 5] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "Cargo.toml",
    "engine/Cargo.toml",
    "engine/src/subsystems.rs",
];

/// The other files that name `input`, each with why a subsystem like any other needs no such file.
const OTHERS: [(&str, &str); 9] = [
    ("Cargo.lock", "it is generated"),
    ("docs/security.md", "a page that lists what is read of files from elsewhere"),
    ("engine/src/frame/player.rs", "the engine records what players do, and plays it back"),
    ("engine/src/error.rs", "a recording that cannot be read keeps a game from booting"),
    ("engine/src/frame/run.rs", "Escape ends a game whose mapping does not have that key"),
    ("engine/src/world/steps.rs", "`World::input`: games in Rust may ask it by its type"),
    ("subsystems/platform/README.md", "a page that says who reads its events"),
    ("tests/hostile/Cargo.toml", "recordings and mappings are read of files from elsewhere"),
    ("tests/hostile/src/surfaces/input.rs", "the attacks on both"),
];

/// Calls `each` with the path and the text of every file that people write.
fn each_file(folder: &Path, each: &mut dyn FnMut(&str, &str)) {
    let mut waiting = vec![folder.to_owned()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(&at).expect("it can be read") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("it has one").to_string_lossy().into_owned();
            if path.is_dir() {
                let is_made = name.starts_with('.') || name == "target" || name == "shared";
                if !is_made {
                    waiting.push(path);
                }
            } else if let Ok(text) = fs::read_to_string(&path) {
                let path = path.strip_prefix(folder).expect("it is in the folder");
                each(&path.to_string_lossy(), &text);
            }
        }
    }
}

/// The files that are edited by hand for a subsystem that the engine knows by its row alone.
const BY_A_ROW: [&str; 5] =
    ["ARCHITECTURE.md", "CHANGELOG.md", "Cargo.toml", "engine/Cargo.toml", "engine/src/rows.rs"];

/// The other files that name `debug-draw`.
const OTHERS_OF_A_ROW: [(&str, &str); 4] = [
    ("Cargo.lock", "it is generated"),
    ("benches/Cargo.toml", "how long its lines take"),
    ("benches/src/work/engine/lines.rs", "how long its lines take"),
    ("engine/tests/it/debug_draw.rs", "what it does in a game"),
];

/// Returns the files outside of a crate that name it.
fn files_naming(crate_name: &str, folder: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    each_file(&root(), &mut |path, text| {
        let is_own = path.starts_with(folder) || path.ends_with("promises.rs");
        let names = text.contains(crate_name) || text.contains(&crate_name.replace('-', "_"));
        if !is_own && names {
            found.insert(path.to_owned());
        }
    });
    found
}

#[test]
fn a_subsystem_of_the_engine_is_named_in_five_files() {
    for (crate_name, folder, by_hand, others) in [
        ("loligo-input", "subsystems/input/", BY_HAND, &OTHERS[..]),
        ("loligo-debug-draw", "subsystems/debug-draw/", BY_A_ROW, &OTHERS_OF_A_ROW),
    ] {
        let found = files_naming(crate_name, folder);
        let others = others.iter().map(|(path, _)| *path);
        let wanted: BTreeSet<String> =
            by_hand.into_iter().chain(others).map(str::to_owned).collect();
        let more: Vec<_> = found.difference(&wanted).collect();
        assert!(
            more.is_empty(),
            "{more:?} name `{crate_name}`: let the table in engine/src/rows.rs do it, or say in the \
             list of others why no other subsystem needs such a file"
        );
        let less: Vec<_> = wanted.difference(&found).collect();
        assert!(less.is_empty(), "{less:?} do not name it any more: take them out of the list");
    }
}

/// Returns the functions `Type::name` of a source that games in Rust can call: those of `TYPES`,
/// as rustfmt writes them.
fn exported(text: &str) -> Vec<String> {
    let mut of = None;
    let mut functions = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("impl") {
            // Of a trait's functions the trait is what is exported.
            let own = rest[generics(rest)..].trim_start();
            let name = own.split(['<', ' ']).next().unwrap_or_default();
            of = TYPES.iter().find(|(of, _)| *of == name && !line.contains(" for "));
        } else if line == "}" {
            of = None;
        } else if let Some((of, _)) = of {
            let rest = ["    pub fn ", "    pub const fn "]
                .iter()
                .find_map(|start| line.strip_prefix(start));
            if let Some(name) = rest.and_then(|rest| rest.split(['<', '(']).next()) {
                functions.push(format!("{of}::{name}"));
            }
        }
    }
    functions
}

/// Returns how many bytes the generics at the start of a text have: `<'a, A: Into<B>>`.
fn generics(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.bytes().enumerate() {
        match letter {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { 0 } else { at + 1 };
        }
    }
    0
}

/// Returns the names of all functions that scripts can call.
fn bound() -> BTreeSet<String> {
    let pages = PageAllocator::new("pages");
    let script: Script<'_, World<'_>> =
        Script::try_new(&bindings(), &Settings::default(), &pages).expect("there is memory");
    let mut names: BTreeSet<String> =
        script.bindings().iter().map(|of| of.name.to_owned()).collect();
    let game = Game::new(1);
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        let functions = engine.world().subsystem_functions();
        names.extend(functions.map(|of| of.name.to_owned()));
    })
    .expect("it boots");
    names
}

#[test]
fn scripts_can_call_what_games_in_rust_can() {
    let mut found = BTreeSet::new();
    for (of, folder) in TYPES {
        let before = found.len();
        each_file(&root().join(folder), &mut |path, text| {
            if path.ends_with(".rs") {
                let own = exported(text);
                found.extend(own.into_iter().filter(|name| name.starts_with(&format!("{of}::"))));
            }
        });
        assert!(found.len() > before + 2, "{folder} has the functions of `{of}`");
    }
    let bound = bound();
    let mut listed = BTreeSet::new();
    for (function, reach) in EXPORTED {
        assert!(listed.insert((*function).to_owned()), "`{function}` has two rows");
        match reach {
            Reach::Bound(names) => {
                for name in names.split(' ') {
                    assert!(bound.contains(name), "`{function}`: scripts have no `{name}`");
                }
            }
            Reach::Not(why) => assert!(why.contains(' '), "`{function}`: say why"),
        }
    }
    let missing: Vec<_> = found.difference(&listed).collect();
    assert!(
        missing.is_empty(),
        "scripts may not be able to call {missing:?}: bind them (engine/src/scripts/bindings.rs, or the \
         `functions` of the subsystem) and name the binding in engine/tests/it/promises/exported.rs, or \
         say there why scripts do without"
    );
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "{gone:?} are not there any more: take their rows out");
}

#[test]
fn exported_functions_are_found_in_a_source() {
    let text = "impl<'m> World<'m> {\n    pub fn one(&self) {\n    }\n    fn own() {}\n    pub(crate) fn inner() {}\n\
        }\n\nimpl<'a, A: Into<B> + ?Sized> Tags<'a, A> {\n    pub const fn two<B>(\n    ) {}\n}\n\
        impl<A: Allocator + ?Sized> Manager for Tags<'_, A> {\n    pub fn three() {}\n}\n\
        impl Other {\n    pub fn four() {}\n}\n";
    assert_eq!(exported(text), ["World::one", "Tags::two"]);
}
