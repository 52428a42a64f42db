//! Tests of what is kept, what is drawn and what is compared.

use std::collections::BTreeSet;

use super::*;
use crate::workspace::tests::{small_house, workspace};

fn line(hash: u64, counts: &str, seconds: u64) -> Line {
    Line { hash, counts: counts.into(), seconds, commit: "1234567".into() }
}

/// Proofs of the steps named, each with its line or none, all of the same hash.
fn proofs(lines: &[(&'static str, Option<Line>)], commit: &str) -> Proofs {
    let kept = lines.iter().filter_map(|(step, line)| Some(((*step).to_owned(), line.clone()?)));
    let lines: BTreeMap<String, Line> = kept.collect();
    let steps = lines.iter().filter_map(|(step, line)| {
        let proof = proof::PROOFS.iter().find(|proof| proof.step == *step)?;
        (line.hash == 7).then_some((proof.step, line.seconds))
    });
    let drawn = draw::draw(commit, steps.collect());
    let hashes = proof::PROOFS.iter().map(|proof| (proof.step, 7)).collect();
    Proofs { lines, hashes, inputs: BTreeMap::new(), drawn }
}

#[test]
fn lines_are_read_as_they_were_written() {
    let lines = BTreeMap::from([
        ("fuzz".to_owned(), line(0xfeed, "30 fuzz targets", 422)),
        ("loom".to_owned(), line(1, "25 models", 97)),
    ]);
    let text = line::text(&lines);
    assert_eq!(line::read(PATH, &text).expect("it is right"), lines);
    for wrong in ["loom\t1\t25 models\t97", "loom\tx\t25 models\t97\ta", "loom\t1\ta\tb\tc\td"] {
        let failure = line::read(PATH, &format!("{text}{wrong}\n")).expect_err("it is wrong");
        assert!(failure.to_string().contains("checks.tsv:4"), "{failure}");
    }
}

#[test]
fn what_changed_is_run_and_what_did_not_is_not_unless_it_is_drawn_or_asked_for() {
    let proofs = proofs(
        &[("loom", Some(line(7, "25 models", 400))), ("fuzz", Some(line(8, "30", 400)))],
        "one",
    );
    assert!(matches!(proofs.verdict("clippy", false), Verdict::Plain));
    assert!(matches!(proofs.verdict("valgrind", false), Verdict::Due(..)), "never proven");
    assert!(matches!(proofs.verdict("fuzz", false), Verdict::Due(..)), "of another hash");
    let Verdict::Due(due, why) = proofs.verdict("loom", false) else { panic!("it is drawn") };
    assert!(why.contains("drawn") && due.before.is_some(), "{why}");
    assert_eq!(due.seconds(), Some(400), "it takes as long as it took");
    let proofs = Proofs { drawn: Vec::new(), ..proofs };
    let Verdict::Proven(how) = proofs.verdict("loom", false) else { panic!("it is not drawn") };
    assert_eq!(how, "unchanged since 1234567: 25 models, 400 s");
    assert!(matches!(proofs.verdict("loom", true), Verdict::Due(..)));
}

#[test]
fn a_line_is_kept_although_files_of_others_are_changed() {
    let files = ["ids/src/lib.rs".to_owned(), "a b.rs".to_owned()];
    let status = |paths: &[&str]| {
        paths.iter().fold(String::new(), |status, path| format!("{status} M {path}\0"))
    };
    assert_eq!(among(&status(&[]), &files), None);
    assert_eq!(among(&status(&["ids/src/lib.rs.txt", "sound/src/lib.rs"]), &files), None);
    assert_eq!(among(&status(&["x.rs", "a b.rs"]), &files).as_deref(), Some("a b.rs"));
}

#[test]
fn no_step_is_drawn_that_takes_longer_than_all_others() {
    for commit in ["one", "two", "three", "four"] {
        assert_eq!(draw::draw(commit, vec![("short", 20), ("long", 5373)]), ["short"]);
    }
}

#[test]
fn steps_of_five_minutes_are_drawn_by_the_commit() {
    let steps = vec![("a", 100), ("b", 100), ("c", 100), ("d", 100), ("e", 100)];
    let mut seen = BTreeSet::new();
    for commit in 0..64 {
        let drawn = draw::draw(&commit.to_string(), steps.clone());
        assert_eq!(drawn.len(), 3, "of a hundred seconds each");
        assert_eq!(drawn, draw::draw(&commit.to_string(), steps.clone()), "by the commit alone");
        seen.extend(drawn);
    }
    assert_eq!(seen.len(), 5, "each has its turn");
    assert_eq!(draw::draw("x", vec![("a", 10)]), ["a"], "if there are no more");
}

#[test]
fn a_line_that_was_changed_by_hand_fails_when_its_step_is_drawn() {
    let failure = compare("loom", "26 models", "25 models").expect_err("they differ");
    let text = failure.to_string();
    for part in [PATH, "`loom`", "26 models", "25 models", "cargo xtask ci loom"] {
        assert!(text.contains(part), "{text}");
    }
    compare("loom", "25 models", "25 models").expect("they agree");
}

#[test]
fn counts_are_read_from_what_steps_print() {
    let said = "$ cargo test\ntest result: ok. 12 passed; 0 failed\ntest result: ok. 3 passed; 0\n\
                shared_pool::growth: 824 interleavings at preemption bound 2\n\
                shared_pool::growth: the planted fault is caught after 5 interleavings\n\
                AddressSanitizer: 5 planted faults and a leak reported\n\
                targets: i686: loligo-ids: 164 tests passed\n\
                $ valgrind --quiet TEST: 305 tests, 2 at a time\n\
                30 targets, 90000 executions, 0 findings\n\
                as they are:\nproject 2640 0 0 10 MiB 10.0\ndata 6590 1 0 11 MiB 10.0\n";
    assert_eq!(
        counts::read(said),
        "2 commands, 15 tests, 164 tests of other machines, 305 tests under Valgrind, 824 \
         interleavings, 1 models, 1 faults of models, 5 planted faults, 30 fuzz targets, 1 surfaces"
    );
    assert_eq!(counts::read("nothing"), "");
}

#[test]
fn a_step_depends_on_its_crates_its_own_code_and_what_builds_them() {
    let mut tree = small_house();
    for (path, text) in [
        ("xtask/src/loom.rs", "use crate::command;\nuse crate::{outcome::Failure, workspace};"),
        ("xtask/src/command.rs", ""),
        ("xtask/src/outcome.rs", ""),
        ("xtask/src/workspace.rs", ""),
        ("xtask/src/workspace/tests.rs", ""),
        ("xtask/src/fuzz.rs", ""),
        ("Cargo.lock", ""),
        ("README.md", ""),
    ] {
        tree.insert(path, text.into());
    }
    let workspace = workspace(&tree);
    let step = Proof { step: "loom", packages: &["loligo-ids"], paths: &["samples"], tools: &[] };
    let files = inputs::files(&step, &tree, &workspace);
    for path in [
        "Cargo.lock",
        "Cargo.toml",
        "xtask/src/loom.rs",
        "xtask/src/command.rs",
        "xtask/src/outcome.rs",
        "xtask/src/workspace.rs",
    ] {
        assert!(files.contains(path), "{path}: {files:?}");
    }
    for path in ["ids/src/lib.rs", "allocators/src/pool.rs"] {
        assert!(files.contains(path), "what it depends on as well: {files:?}");
    }
    assert!(!files.contains("tools/cli/src/main.rs"), "{files:?}");
    assert!(!files.contains("xtask/src/fuzz.rs") && !files.contains("README.md"), "{files:?}");
}

const LOCK: &str = r#"
[[package]]
name = "loligo-ids"
version = "0.1.0"
dependencies = [ "libc 0.2.1" ]

[[package]]
name = "libc"
version = "0.2.1"
checksum = "ab"
dependencies = [ "loligo-ids" ]

[[package]]
name = "libc"
version = "1.0.0"
checksum = "cd"

[[package]]
name = "loligo-cli"
version = "0.1.0"
dependencies = [ "libc 1.0.0", "loligo-ids" ]
"#;

#[test]
fn of_the_lock_file_a_step_depends_on_what_its_packages_need() {
    let part = |lock: &str| shared::of_lock(lock, &BTreeSet::from(["loligo-ids"]));
    let before = part(LOCK);
    assert_eq!(before.text, "loligo-ids 0.1.0 \nlibc 0.2.1 ab\n", "a circle ends");
    assert_eq!(before.names, ["libc", "loligo-ids"].map(String::from).into(), "by name");
    let other = part(&LOCK.replace("cd", "ef").replace("loligo-cli", "loligo-run"));
    assert_eq!(other, before, "what others need");
    assert_ne!(part(&LOCK.replace("\"ab\"", "\"ac\"")), before, "what it needs");
    assert_eq!(part("no lock file").text, "no lock file", "all of it");
    let all = shared::of_lock(LOCK, &BTreeSet::from(["loligo-cli"]));
    assert_eq!(all.text.lines().count(), 4, "{}", all.text);
}

#[test]
fn of_the_manifest_a_step_depends_on_what_it_says_of_its_packages() {
    let tree = small_house();
    let root = workspace(&tree).root;
    let names: BTreeSet<String> = ["libc", "allocator-api2"].map(String::from).into();
    let part = shared::of_manifest(&root, &names);
    for kept in ["libc", "allocator-api2", "unsafe_code"] {
        assert!(part.contains(kept), "{kept}: {part}");
    }
    assert!(!part.contains("members") && !part.contains("loligo-cli"), "{part}");
    let profiles = "[profile.dev.package.libc]\nopt-level = 3\n[profile.dev.package.gltf]\nopt-level = 1\n\
        [profile.dev.package.\"*\"]\nopt-level = 2\n";
    let part = shared::of_manifest(&profiles.parse().expect("a table"), &names);
    assert!(part.contains("libc") && part.contains('*') && !part.contains("gltf"), "{part}");
}

#[test]
fn a_step_has_the_packages_of_its_folders() {
    let tree = small_house();
    let workspace = workspace(&tree);
    let step = Proof { step: "loom", packages: &["loligo-ids"], paths: &["tools"], tools: &[] };
    let packages = inputs::packages(&inputs::files(&step, &tree, &workspace), &workspace);
    assert_eq!(packages, ["loligo-allocators", "loligo-cli", "loligo-ids"].into(), "by folder");
}

#[test]
fn a_hash_changes_with_every_byte_and_with_the_order() {
    let of = |parts: &[&[u8]]| {
        let mut hash = inputs::Hash::default();
        parts.iter().for_each(|part| hash.add(part));
        hash.value()
    };
    let all =
        [of(&[b"ab", b"c"]), of(&[b"a", b"bc"]), of(&[b"abc"]), of(&[b"abd"]), of(&[b"c", b"ab"])];
    let different: BTreeSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len());
}

#[test]
fn fuzzing_depends_on_all_crates_that_its_manifest_names() {
    let path = workspace::root().join("fuzz/Cargo.toml");
    let text = std::fs::read_to_string(path).expect("the manifest of the fuzz targets");
    let manifest: toml::Table = text.parse().expect("TOML");
    let named = manifest["dependencies"].as_table().expect("a table").keys();
    let ours = named.map(String::as_str).filter(|name| name.starts_with("loligo-"));
    assert_eq!(ours.collect::<BTreeSet<_>>(), proof::FUZZED.iter().copied().collect());
}

#[test]
fn every_proof_is_of_a_step_with_a_module_of_its_own() {
    for proof in proof::PROOFS {
        let file = workspace::root().join(format!("xtask/src/{}.rs", proof.step));
        assert!(
            file.is_file(),
            "{}: what it does would not be among what it depends on",
            proof.step
        );
        assert!(crate::ci::has_step(proof.step), "{}", proof.step);
    }
}
