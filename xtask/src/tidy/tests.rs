//! A planted violation for every rule: a house in good order has no finding, and each disorder
//! planted in it is found by the rule it breaks, at its place, and by no other.

use super::*;
use crate::workspace::tests::{package, small_house};

/// Returns rule, path and line of what is found after `plant` has been at the small house.
fn found(plant: impl FnOnce(&mut Tree)) -> Vec<(&'static str, String, usize)> {
    let mut tree = small_house();
    plant(&mut tree);
    let workspace = Workspace::read(&tree).expect("the manifests can be read");
    let mut findings = rules(&tree, &workspace);
    findings.sort();
    findings.into_iter().map(|finding| (finding.rule, finding.path, finding.line)).collect()
}

/// Asserts that writing `text` to `path` is found once, as breaking `rule` in line `line`.
#[track_caller]
fn planted(path: &str, text: &str, rule: &'static str, line: usize) {
    let found = found(|tree| tree.insert(path, text.into()));
    assert_eq!(found, [(rule, path.to_owned(), line)], "{path}: {text}");
}

/// Asserts that writing `text` to `path` is not a violation.
#[track_caller]
fn harmless(path: &str, text: &str) {
    let found = found(|tree| tree.insert(path, text.into()));
    assert_eq!(found, [], "{path}: {text}");
}

/// Returns the manifest of `name` with the features and dependencies in `rest`.
fn manifest(name: &str, tier: i64, rest: &str) -> String {
    format!("{}{rest}", package(name, tier))
}

const CLI: &str = "[dependencies]\nloligo-ids.workspace = true\n";

#[test]
fn a_house_in_good_order_has_no_finding() {
    assert_eq!(found(|_| ()), []);
}

#[test]
fn said_once_finds_a_repeated_value() {
    let text = manifest("loligo-cli", 5, CLI);
    let edition = text.replace("edition.workspace = true", "edition = \"2024\"");
    planted("tools/cli/Cargo.toml", &edition, "said-once", 4);
    let older = ("rust-version.workspace = true", "rust-version = \"1.88\"");
    planted("tools/cli/Cargo.toml", &text.replace(older.0, older.1), "said-once", 5);
    let ground = package("loligo-ids", 0).replace(older.0, older.1);
    harmless("ids/Cargo.toml", &ground);
    let version = text.replace("loligo-ids.workspace = true", "loligo-ids = \"0.1\"");
    planted("tools/cli/Cargo.toml", &version, "said-once", 14);
    let lints = text.replace("[lints]\nworkspace = true", "[lints.rust]\ndead_code = \"allow\"");
    planted("tools/cli/Cargo.toml", &lints, "said-once", 11);
    let profile = format!("{text}[profile.release]\nlto = true\n");
    planted("tools/cli/Cargo.toml", &profile, "said-once", 15);
}

#[test]
fn said_once_finds_a_crate_that_is_no_member() {
    planted("tools/lost/Cargo.toml", &package("loligo-lost", 5), "said-once", 1);
    harmless("fuzz/Cargo.toml", "[package]\nname = \"fuzz\"\n[workspace]\n");
}

#[test]
fn virtual_root_finds_a_root_package() {
    let found = found(|tree| {
        let root = tree.text("Cargo.toml").expect("it is there");
        let root = format!("{root}[package]\nname = \"loligo\"\n");
        tree.insert("Cargo.toml", root.into());
    });
    assert_eq!(found, [("virtual-root", "Cargo.toml".to_owned(), 11)]);
}

#[test]
fn folder_is_crate_finds_another_name() {
    let found = found(|tree| {
        tree.insert("tools/cli/Cargo.toml", manifest("loligo-command", 5, "").into());
        tree.insert(
            "ARCHITECTURE.md",
            b"`loligo-allocators` `loligo-ids` `loligo-command`\n".to_vec(),
        );
    });
    assert_eq!(found, [("folder-is-crate", "tools/cli/Cargo.toml".to_owned(), 2)]);
    let library = manifest("loligo-cli", 5, "[lib]\nname = \"command\"\n");
    planted("tools/cli/Cargo.toml", &library, "folder-is-crate", 14);
}

#[test]
fn arrows_down_finds_an_arrow_up() {
    let up = "[dependencies]\nloligo-cli.workspace = true\n";
    planted("ids/Cargo.toml", &manifest("loligo-ids", 0, up), "arrows-down", 14);
    let back = "[dev-dependencies]\nloligo-cli.workspace = true\n";
    planted("ids/Cargo.toml", &manifest("loligo-ids", 0, back), "no-dev-back-edge", 14);
}

#[test]
fn arrows_down_holds_the_order_of_tier_zero() {
    let found = found(|tree| {
        let up = "[dependencies]\nloligo-ids.workspace = true\n";
        tree.insert("allocators/Cargo.toml", manifest("loligo-allocators", 0, up).into());
        tree.insert("ids/Cargo.toml", package("loligo-ids", 0).into());
    });
    assert_eq!(found, [("arrows-down", "allocators/Cargo.toml".to_owned(), 14)]);
}

#[test]
fn arrows_down_wants_a_tier() {
    let text = package("loligo-cli", 5).replace("[package.metadata.loligo]\ntier = 5\n", "");
    planted("tools/cli/Cargo.toml", &text, "arrows-down", 1);
}

/// Puts both crates of tier 0 on `tier`, the second naming the first.
fn siblings(tree: &mut Tree, tier: i64) {
    let arrow = "[dependencies]\nloligo-allocators.workspace = true\n";
    tree.insert("allocators/Cargo.toml", package("loligo-allocators", tier).into());
    tree.insert("ids/Cargo.toml", manifest("loligo-ids", tier, arrow).into());
    for path in ["allocators/src/lib.rs", "ids/src/lib.rs"] {
        let text = tree.text(path).expect("it is there");
        let text = format!("//! A crate.\n#![forbid(unsafe_code)]\n{text}");
        tree.insert(path, text.into());
    }
}

#[test]
fn siblings_are_listed_or_silent() {
    let place = "ids/Cargo.toml".to_owned();
    assert_eq!(found(|tree| siblings(tree, 1)), [("arrows-down", place.clone(), 14)]);
    assert_eq!(found(|tree| siblings(tree, 3)), [("no-sibling-talk", place, 14)]);
    let listed = found(|tree| {
        siblings(tree, 1);
        let map = tree.text("ARCHITECTURE.md").expect("it is there");
        let map = format!("{map}`loligo-ids` -> `loligo-allocators`: ids live in memory.\n");
        tree.insert("ARCHITECTURE.md", map.into());
    });
    assert_eq!(listed, []);
}

#[test]
fn few_dependencies_finds_a_library_that_tier_zero_may_not_have() {
    let heavy = "[dependencies]\nserde.workspace = true\n";
    planted("ids/Cargo.toml", &manifest("loligo-ids", 0, heavy), "few-dependencies", 14);
    let tests = "[dev-dependencies]\nserde.workspace = true\n";
    harmless("ids/Cargo.toml", &manifest("loligo-ids", 0, tests));
    let renamed = "[dependencies]\napi.workspace = true\n";
    harmless("ids/Cargo.toml", &manifest("loligo-ids", 0, renamed));
    let reader = "[dependencies]\nsyn.workspace = true\n";
    planted("ids/Cargo.toml", &manifest("loligo-ids", 0, reader), "few-dependencies", 14);
    let macros = format!("{reader}[lib]\nproc-macro = true\n");
    harmless("ids/Cargo.toml", &manifest("loligo-ids", 0, &macros));
}

#[test]
fn features_add_finds_what_takes_away() {
    for name in ["no_std", "disable-checks", "without_stats"] {
        let features = format!("[features]\n{name} = []\n");
        planted("ids/Cargo.toml", &manifest("loligo-ids", 0, &features), "features-add", 14);
    }
    let many = "[features]\ndefault = [\"std\", \"fast\"]\nstd = []\nfast = []\n";
    planted("ids/Cargo.toml", &manifest("loligo-ids", 0, many), "features-add", 14);
    let std = "[features]\ndefault = [\"std\"]\nstd = []\nnode = []\n";
    harmless("ids/Cargo.toml", &manifest("loligo-ids", 0, std));
}

#[test]
fn one_structure_per_file_finds_a_name_that_says_nothing() {
    for name in ["utils", "common", "misc", "helpers"] {
        let found = found(|tree| {
            tree.insert("ids/src/lib.rs", format!("//! Ids.\nmod {name};\n").into());
            let text = "//! Things.\n//!\n//! After Ada Lovelace, \"Notes\" (1843).\n";
            tree.insert(&format!("ids/src/{name}.rs"), text.into());
        });
        assert_eq!(found, [("one-structure-per-file", format!("ids/src/{name}.rs"), 1)]);
    }
}

#[test]
fn file_size_warns_and_then_stops() {
    let cli = small_house().text("tools/cli/src/main.rs").expect("it is there").to_owned();
    let long = |lines: usize| format!("{cli}{}", "// More.\n".repeat(lines - 3));
    harmless("tools/cli/src/main.rs", &long(600));
    planted("tools/cli/src/main.rs", &long(601), "file-size", 601);
    planted("tools/cli/src/main.rs", &long(1_001), "file-size", 1_001);
    harmless("tools/cli/tests/long.rs", &long(1_001));

    let weight = |lines| {
        let mut tree = small_house();
        tree.insert("tools/cli/src/main.rs", long(lines).into());
        let workspace = Workspace::read(&tree).expect("the manifests can be read");
        rules(&tree, &workspace)[0].weight
    };
    assert_eq!(weight(1_000), Weight::Warning);
    assert_eq!(weight(1_001), Weight::Broken);
}

#[test]
fn map_first_finds_a_file_without_a_head() {
    planted("tools/cli/src/main.rs", "#![forbid(unsafe_code)]\nfn main() {}\n", "map-first", 1);
    planted("tools/cli/examples/one.rs", "fn main() {}\n", "map-first", 1);
}

#[test]
fn map_first_finds_code_in_lib_rs() {
    let head = "//! Ids.\n#![no_std]\n#[cfg(feature = \"std\")]\nextern crate std;\n";
    harmless("ids/src/lib.rs", &format!("{head}pub use core::{{mem, ptr}};\n"));
    for code in ["fn f() {}", "struct S;", "pub mod inner { pub use core::mem; }", "use core::mem;"]
    {
        planted("ids/src/lib.rs", &format!("{head}{code}\n"), "map-first", 5);
    }
}

#[test]
fn map_first_lets_macros_begin_a_crate() {
    let root = "//! Ids.\nuse proc_macro::TokenStream;\n";
    let found = found(|tree| {
        let macros = manifest("loligo-ids", 0, "[lib]\nproc-macro = true\n");
        tree.insert("ids/Cargo.toml", macros.into());
        tree.insert("ids/src/lib.rs", root.into());
    });
    assert_eq!(found, []);
    planted("ids/src/lib.rs", root, "map-first", 2);
}

#[test]
fn dead_file_finds_what_no_mod_leads_to() {
    let text = "//! Lost.\n";
    planted("tools/cli/src/lost.rs", text, "dead-file", 1);
    planted("tools/cli/src/deep/lost.rs", text, "dead-file", 1);
    harmless("tools/cli/examples/found.rs", text);
    harmless("tools/cli/src/bin/found/main.rs", "//! Found.\n#![forbid(unsafe_code)]\n");
    let found = found(|tree| {
        let main = "//! The command.\n#![forbid(unsafe_code)]\npub(crate) mod a;\n#[path = \"x/c.rs\"]\n\
            pub(crate) mod b;\nmod f;\n// mod lost;\ninclude!(\"../d.rs\");\n";
        tree.insert("tools/cli/src/main.rs", main.into());
        for path in ["src/a.rs", "src/x/c.rs", "d.rs", "src/lost.rs", "src/b.rs", "src/f.rs"] {
            tree.insert(&format!("tools/cli/{path}"), text.into());
        }
        tree.insert("tools/cli/src/a.rs", b"//! A.\nmod e;\n".to_vec());
        tree.insert("tools/cli/src/a/e.rs", text.into());
    });
    let dead: Vec<_> = found.iter().map(|(rule, path, _)| (*rule, path.as_str())).collect();
    let expected = [("dead-file", "tools/cli/src/b.rs"), ("dead-file", "tools/cli/src/lost.rs")];
    assert_eq!(dead, expected);
}

#[test]
fn dead_file_follows_what_the_manifest_names() {
    let found = found(|tree| {
        let text = manifest("loligo-cli", 5, "[[test]]\nname = \"it\"\npath = \"it/main.rs\"\n");
        tree.insert("tools/cli/Cargo.toml", text.into());
        tree.insert("tools/cli/it/main.rs", b"//! Tests.\nmod one;\n".to_vec());
        tree.insert("tools/cli/it/one.rs", b"//! One.\n".to_vec());
    });
    assert_eq!(found, []);
}

#[test]
fn source_named_finds_a_module_without_its_article() {
    let path = "allocators/src/pool.rs";
    for head in [
        "//! Pool.\n",
        "//! After Ada Lovelace, \"Notes\".\n",
        "//! After \"Notes\" (1843).\n",
        "//! After Ada Lovelace (1843).\n",
        "//! Pool.\n\nconst A: &str = r#\"After Ada Lovelace, \"Notes\" (1843)\"#;\n",
    ] {
        planted(path, head, "source-named", 1);
    }
    harmless(
        path,
        "//! Pool.\n//!\n//! After Ada Lovelace, \"Notes upon\n//! a Memoir\" (London, 1843).\n",
    );
    let found = found(|tree| {
        tree.insert(
            "allocators/src/lib.rs",
            b"//! Allocators.\nmod pool;\nmod contract;\n#[cfg(test)]\nmod backing;\n".to_vec(),
        );
        tree.insert("allocators/src/backing.rs", b"//! Backing.\n".to_vec());
        tree.insert("allocators/src/contract.rs", b"//! The contract.\nmod leak;\n".to_vec());
        let leak = b"//! Leaks follow no article.\n".to_vec();
        tree.insert("allocators/src/contract/leak.rs", leak);
    });
    assert_eq!(found, []);
}

#[test]
fn sections_stated_finds_an_allocator_that_keeps_silent() {
    let path = "allocators/src/pool.rs";
    let head = "//! Pool.\n//!\n//! After Ada Lovelace, \"Notes\" (1843).\n\n";
    let pool = |doc: &str, name: &str, rest: &str| {
        let doc: String =
            doc.split(", ").map(|heading| format!("/// # {heading}\n///\n")).collect();
        format!("{head}{doc}/// Ends.\n#[derive(Debug)]\npub struct {name};\n{rest}")
    };
    let serves = "unsafe impl<B: Allocator> Allocator for Pool<'_, B> {}\n";
    let all =
        "Growth, Complexity, Memory, Threads, When not to use it, Panics, Examples, Invariants";
    let line_of_struct =
        |text: &str| text.lines().position(|l| l.starts_with("pub struct")).map(|at| at + 1);
    for doc in [
        "Growth",
        "Memory, Threads, When not to use it",
        "Complexity, Memory, When not to use it",
        "Memory, Complexity, Threads, When not to use it",
        "Complexity, Memory, Threads, When not to use it, Growth",
        "Complexity, Memory, Threads, Panics, When not to use it",
        "Complexity, Memory, Threads, When not to use it, Examples, Panics",
        "Complexity\n/// ```\n/// # Memory\n/// ```, Threads, When not to use it",
    ] {
        for (name, rest) in [
            ("Pool", serves),
            ("Pool", "unsafe impl GlobalAlloc for Pool {}\n"),
            ("Overview", "impl Overview {}\n"),
        ] {
            let text = pool(doc, name, rest);
            planted(path, &text, "sections-stated", line_of_struct(&text).expect("it is there"));
        }
    }
    harmless(path, &pool(all, "Pool", serves));
    harmless(path, &pool("Growth", "Chunk", serves));
    harmless(path, &pool("Growth", "Pool", "// unsafe impl Allocator for Pool {}\n"));
}

/// A container's file: its doc with the headings in `doc`, and `types` after it.
fn container(doc: &str, types: &str) -> String {
    let doc: String = doc.split(", ").map(|heading| format!("/// # {heading}\n///\n")).collect();
    format!("//! Trees.\n\n{doc}/// Ends.\n#[derive(Debug)]\n{types}\n")
}

#[test]
fn sections_stated_finds_a_container_that_keeps_silent() {
    let all = "Growth, Complexity, Memory, Threads, When not to use it, Examples, Invariants";
    let one_line = "pub struct Tree<'a, T, A: Allocator + ?Sized = dyn Allocator + 'a> { t: T }";
    let lines = "pub struct Tree<\n    'a,\n    T,\n    A: Allocator + ?Sized = dyn Allocator + 'a,\n\
        > {\n    t: T,\n}";
    let line_of_struct =
        |text: &str| text.lines().position(|l| l.starts_with("pub struct")).map(|at| at + 1);
    for path in ["containers/src/maps/tree.rs", "containers/src/maps/tree/leaves.rs"] {
        for types in [one_line, lines, "pub struct Blob<'b, R> { bytes: &'b [u8] }"] {
            for doc in [
                "Growth",
                "Memory, Threads, Examples",
                "Complexity, Threads, When not to use it",
                "Complexity, Memory, When not to use it",
                "Memory, Complexity, Threads",
                "Complexity, Memory, Threads, Growth",
                "Complexity, Memory, Threads, Examples, When not to use it",
            ] {
                let text = container(doc, types);
                planted(path, &text, "sections-stated", line_of_struct(&text).expect("a struct"));
            }
            harmless(path, &container(all, types));
            harmless(path, &container("Complexity, Memory, Threads", types));
        }
    }
    let table = container("Growth", one_line);
    let found = found(|tree| {
        tree.insert("ids/src/lib.rs", b"//! Ids.\nmod sync;\n".to_vec());
        tree.insert("ids/src/sync.rs", table.as_bytes().into());
    });
    let line = line_of_struct(&table).expect("a struct");
    assert_eq!(found, [("sections-stated", "ids/src/sync.rs".to_owned(), line)]);
}

#[test]
fn sections_stated_does_not_ask_what_holds_no_memory() {
    for types in [
        "pub struct TreeId(u32);",
        "pub struct TreeError { at: usize }",
        "pub struct TreeIter<'t, T> { nodes: &'t [T] }",
        "pub struct TreeIntoIter<'a, T, A: Allocator + ?Sized = dyn Allocator + 'a>(T);",
        "pub struct TreeDrain<'d, 'a, T, A: Allocator + ?Sized = dyn Allocator + 'a> { t: &'d T }",
        "pub struct Drain<\n    'd,\n    'a,\n    T,\n    A: Allocator + ?Sized,\n> {\n    t: T,\n}",
        "pub(crate) struct Buffer<'a, T, A: Allocator + ?Sized> { t: T }",
        "// pub struct Tree<'a, T, A: Allocator + ?Sized> { t: T }",
    ] {
        harmless("containers/src/maps/tree.rs", &container("Growth", types));
    }
}

#[test]
fn modules_in_a_group_are_held_to_the_rules_of_modules() {
    let path = "allocators/src/blocks/pool.rs";
    let found_with = |map: &str, text: &str| {
        found(|tree| {
            tree.insert("allocators/src/lib.rs", b"//! Allocators.\nmod blocks;\n".to_vec());
            tree.insert("allocators/src/pool.rs", Vec::new());
            tree.insert("allocators/src/blocks.rs", map.into());
            tree.insert(path, text.into());
        })
        .into_iter()
        .filter(|(_, path, _)| path != "allocators/src/pool.rs")
        .collect::<Vec<_>>()
    };
    let map = "//! Blocks.\n\n#[cfg(unix)]\npub(crate) mod pool;\n";
    let head = "//! Pool.\n//!\n//! After Ada Lovelace, \"Notes\" (1843).\n\n";
    let silent = "/// Ends.\npub struct Pool;\nunsafe impl Allocator for Pool {}\n";
    assert_eq!(found_with(map, head), [], "the map follows no article");
    let source_named = ("source-named", path.to_owned(), 1);
    assert_eq!(found_with(map, "//! Pool.\n"), [source_named]);
    let sections_stated = ("sections-stated", path.to_owned(), 6);
    assert_eq!(found_with(map, &format!("{head}{silent}")), [sections_stated]);
    let tests_only = "//! Blocks.\n\n#[cfg(test)]\npub(crate) mod pool;\n";
    assert_eq!(found_with(tests_only, "//! Pool.\n"), [], "what tests use follows no article");
    let module = "//! Blocks.\n\npub(crate) mod pool;\n\nfn f() {}\n";
    let is_module = ("source-named", "allocators/src/blocks.rs".to_owned(), 1);
    assert_eq!(found_with(module, "//! Pool.\n"), [is_module], "it is more than a map");
}

#[test]
fn unsafe_in_the_cellar_finds_an_exception_upstairs() {
    let path = "tools/cli/src/main.rs";
    planted(path, "//! The command.\nfn main() {}\n", "unsafe-in-the-cellar", 1);
    let text = "//! The command.\n#![forbid(unsafe_code)]\nmod a;\n";
    let found = found(|tree| {
        tree.insert(path, text.into());
        let code = "//! A.\n#![expect(\n    unsafe_code,\n    reason = \"speed\"\n)]\n";
        tree.insert("tools/cli/src/a.rs", code.into());
    });
    assert_eq!(found, [("unsafe-in-the-cellar", "tools/cli/src/a.rs".to_owned(), 2)]);
    harmless("ids/src/lib.rs", "//! Ids.\n#![expect(unsafe_code, reason = \"tier 0\")]\n");
}

#[test]
fn unsafe_in_the_cellar_finds_a_root_that_does_not_deny() {
    let root = small_house().text("Cargo.toml").expect("it is there").replace("deny", "warn");
    planted("Cargo.toml", &root, "unsafe-in-the-cellar", 10);
}

#[test]
fn tidy_bans_finds_unfinished_work() {
    let main = "//! The command.\n#![forbid(unsafe_code)]\n";
    for code in ["dbg!(1)", "todo!()", "unimplemented!(\"x\")", "std::todo!()"] {
        let text = format!("{main}fn main() {{ {code} }}\n");
        planted("tools/cli/src/main.rs", &text, "tidy-bans", 3);
    }
    harmless("tools/cli/src/main.rs", &format!("{main}// No todo!() here.\nfn todo() {{}}\n"));
}

#[test]
fn tidy_bans_finds_a_note_without_owner() {
    for note in [concat!("TO", "DO: later"), concat!("FIX", "ME"), concat!("TO", "DO(): x")] {
        planted("notes.md", &format!("# Notes\n{note}\n"), "tidy-bans", 2);
    }
    harmless("notes.md", concat!("TO", "DO(ada): after the engine runs.\n"));
}

#[test]
fn tidy_bans_finds_a_large_file() {
    let found = |bytes| found(|tree| tree.insert("trace.zst", vec![0xff; bytes]));
    assert_eq!(found(2 << 20), []);
    assert_eq!(found((2 << 20) + 1), [("tidy-bans", "trace.zst".to_owned(), 1)]);
}

#[test]
fn tidy_bans_finds_white_space_out_of_place() {
    for text in ["a\nb \n", "a\n\tb\n", "a\nb\r\n", "a\nb"] {
        planted("notes.md", text, "tidy-bans", 2);
    }
    harmless("notes.md", "");
    harmless("table.tsv", "a\tb\n");
}

#[test]
fn tidy_bans_finds_a_path_of_one_machine() {
    for path in [concat!("/ho", "me/ada/x"), concat!("/tm", "p/x"), concat!("C:", "\\Users\\ada")] {
        planted("notes.md", &format!("See\n`{path}`.\n"), "tidy-bans", 2);
    }
    harmless("notes.md", concat!("https://example.org/ho", "me/ and target/tm", "p/x\n"));
}

#[test]
fn examples_run_finds_an_example_that_nothing_runs() {
    let example = "# Ids\n\n```rust\nlet id = 1;\n```\n";
    planted("tools/cli/README.md", example, "examples-run", 3);
    planted("README.md", example, "examples-run", 3);
    let included = |root: &str| {
        found(|tree| {
            let lib = "//! Ids.\n#![doc = include_str!(\"../README.md\")]\n";
            tree.insert("ids/src/lib.rs", lib.into());
            tree.insert("ids/README.md", example.into());
            tree.insert("README.md", root.into());
        })
    };
    assert_eq!(included(example), []);
    let other = example.replace("= 1", "= 2");
    assert_eq!(included(&other), [("examples-run", "README.md".to_owned(), 3)]);
}

#[test]
fn architecture_finds_what_is_not_there() {
    let map = small_house().text("ARCHITECTURE.md").expect("it is there").to_owned();
    for line in ["`tools/nowhere`", "`allocators/src/lost.rs`", "`LOST.md`", "[a](b)"] {
        planted("ARCHITECTURE.md", &format!("{map}{line}\n"), "architecture", 3);
    }
    let names = "`tools/NAME`, `docs/decisions/NNNN-title.md`, `cargo xtask tidy`, `Allocator`\n";
    harmless("ARCHITECTURE.md", &format!("{map}{names}"));
    planted("ARCHITECTURE.md", &map.replace("`loligo-cli`", "the command"), "architecture", 1);
    let long = format!("{map}{}", "More.\n".repeat(150));
    planted("ARCHITECTURE.md", &long, "architecture", 150);
}

#[test]
fn a_finding_says_where_and_what() {
    let finding = Finding::new("rule", "a.rs", 3, "do this".into());
    assert_eq!(finding.to_string(), "a.rs:3: rule: do this");
    let warning = Finding::warning("rule", "a.rs", 3, "think".into());
    assert_eq!(warning.to_string(), "a.rs:3: warning: rule: think");
}

#[test]
fn tidy_takes_no_arguments() {
    let failure = run(&["--fix".to_owned()]).expect_err("there is no such option");
    assert_eq!(failure.status(), 2);
}

#[test]
fn figures_agree_finds_what_two_pages_state_differently() {
    let table = "| type | adds |\n|---|---|\n| `Proxy` | 1.8 ns, see [it](a.md) |\n";
    let of_front = |text: &str| {
        let text = text.to_owned();
        found(|tree| {
            tree.insert("README.md", table.into());
            tree.insert("ids/README.md", text.into());
        })
    };
    assert_eq!(of_front(&table.replace("a.md", "https://b/a.md")), [], "links may lead elsewhere");
    let finding = ("figures-agree", "ids/README.md".to_owned(), 3);
    assert_eq!(of_front(&table.replace("1.8", "1.9")), [finding]);
    assert_eq!(of_front(&table.replace("adds", "bytes")), [], "another table");

    planted("docs/fast.md", "as in\n`2026-11-22-6990263`\n", "figures-agree", 2);
    harmless("docs/fast.md", "on `2026-11-22`, by `2026-11-22-host`\n");
    let kept = found(|tree| {
        tree.insert("docs/fast.md", "`2026-11-22-6990263`\n".into());
        tree.insert("benches/record/2026-11-22-6990263.json", "{}\n".into());
    });
    assert_eq!(kept, []);

    let mutants = |caught: &str| {
        let row = format!(
            "| figure | value |\n|---|---|\n| mutants | {caught} of 30 are caught, 90 % |\n"
        );
        found(|tree| {
            tree.insert(
                "docs/evidence/mutants.md",
                "**27 of 30 mutants are caught: 90 %.**\n".into(),
            );
            tree.insert("docs/evidence/verification.md", row.into());
        })
    };
    assert_eq!(mutants("27"), []);
    assert_eq!(mutants("26"), [("figures-agree", "docs/evidence/verification.md".to_owned(), 3)]);
}

#[test]
fn voice_refuses_some_words_and_counts_others() {
    let refused = concat!("Run it.\nIt is built an", "ew.\n");
    planted("docs/fast.md", refused, "voice", 2);
    planted("ids/src/lib.rs", concat!("//! Who", "ever asks.\n"), "voice", 1);
    harmless("docs/fast.md", "Run it an_ew, renewed.\n");
    harmless("benches/record/a.md", refused);
    let counted = |most: &str, text: &str| {
        found(|tree| {
            tree.insert("docs/evidence/voice.tsv", format!("# Words\nso many\t{most}\n").into());
            tree.insert("docs/fast.md", text.into());
        })
    };
    assert_eq!(counted("1", "So many blocks.\n"), []);
    let more = [("voice", "docs/evidence/voice.tsv".to_owned(), 2)];
    assert_eq!(counted("1", "So many, and so many more.\n"), more);
    let mut tree = small_house();
    tree.insert("docs/evidence/voice.tsv", b"so many\t3\nbeside\t0\n".to_vec());
    tree.insert("docs/fast.md", b"So many, beside each other.\n".to_vec());
    let lowered = voice::lowered(&tree);
    assert!(lowered.contains("so many\t1\n"), "it fell: {lowered}");
    assert!(lowered.contains("beside\t0\n"), "it may not rise: {lowered}");
}
