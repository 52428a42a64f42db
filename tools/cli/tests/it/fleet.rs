//! `loligo replay --shard`, `--merge` and `loligo bench` from outside.

use std::fs;

use crate::support::{Place, recording};

/// Arguments that keep a run short.
const SHORT: [&str; 5] = ["replay", "--rounds", "1", "--peers=system", "--strategies=none"];

fn short<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SHORT, more].concat()
}

#[test]
fn two_processes_and_a_merge_show_distributions() {
    let place = Place::new();
    fs::create_dir(place.path("fleet")).expect("made");
    for name in ["a", "b", "c"] {
        place.file(&format!("fleet/{name}.altrace"), recording());
    }
    for (shard, measured) in [("1/2", 2), ("2/2", 1)] {
        let (code, stdout, stderr) =
            place.run(&short(&["fleet", "--shard", shard, "--json", "out"]));
        assert_eq!(code, 0, "{stdout}{stderr}");
        assert!(stdout.starts_with(&format!("{measured} measured, 0 done before, 0 failed; ")));
        assert!(stderr.starts_with(&format!("loligo: 1 of {measured}: ")), "{stderr}");
    }
    let (code, stdout, _) = place.run(&short(&["fleet", "--shard", "1/1", "--json", "out"]));
    assert_eq!(code, 0);
    assert!(stdout.starts_with("0 measured, 3 done before, 0 failed; "), "{stdout}");
    let (code, stdout, stderr) = place.run(&["replay", "--merge", "out", "--report", "page"]);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(stdout.starts_with("3 recordings\nReplayed by one thread, 1 round. "), "{stdout}");
    assert!(stdout.ends_with("The page is page/merged.html.\n"), "{stdout}");
    let page = fs::read_to_string(place.path("page/merged.html")).expect("the page");
    assert!(page.contains("<h1>3 recordings</h1>"), "the page has its title");
}

#[test]
fn what_is_not_a_result_is_refused_by_name() {
    let place = Place::new();
    place.recording("game.altrace");
    fs::create_dir(place.path("out")).expect("made");
    place.file("out/game.json", "{}");
    let stderr = place.refused(&["replay", "--merge", "out"]);
    assert!(stderr.starts_with("loligo: out/game.json: not a result of "), "{stderr}");
    let (code, stdout, stderr) =
        place.run(&short(&["game.altrace", "--shard", "1/1", "--json", "out"]));
    assert_eq!(code, 2, "{stdout}");
    assert!(stdout.starts_with("0 measured, 0 done before, 1 failed; "), "{stdout}");
    assert!(stderr.contains("loligo: out/game.json: not a result of "), "{stderr}");
    let stderr = place.refused(&short(&["game.altrace", "--shard", "3/2", "--json", "out"]));
    assert!(stderr.contains("`3/2` is not a share I/N"), "{stderr}");
}

#[test]
fn a_project_is_written_where_a_checkout_is_known() {
    let place = Place::new();
    let (code, stdout, stderr) = place.run(&["bench", "--new", "mine", "--checkout", checkout()]);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(stdout.contains("\n  cd mine\n  cargo run --release -- --quick"), "{stdout}");
    let program = fs::read_to_string(place.path("mine/src/main.rs")).expect("the program");
    assert!(program.contains("Bench::new().global(\"mine\", || Mine).run()"), "{program}");
    // An installed command is in no checkout, and knows the one that it was built from.
    let (code, _, stderr) = place.run(&["bench", "--new", "installed"]);
    assert_eq!(code, 0, "{stderr}");
    let stderr = place.refused(&["bench", "--new", "mine", "--checkout", checkout()]);
    assert!(stderr.contains("mine/Cargo.toml: is there already"), "{stderr}");
    let stderr = place.refused(&["bench", "--new", "other", "--checkout", "."]);
    assert!(stderr.contains("not a checkout of Loligo"), "{stderr}");
}

/// Returns the root of this workspace.
const fn checkout() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../..")
}
