//! Tests of the lists.

use std::fs;

use super::*;

fn names(strategies: &[StrategyConfig]) -> Vec<&str> {
    strategies.iter().map(|strategy| &*strategy.name).collect()
}

const MINE: &str = r#"{"strategies": [{"name": "mine", "tree": {"heap": {}}}]}"#;

#[test]
fn strategies_are_chosen_by_name_and_by_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mine.json");
    fs::write(&file, MINE).expect("writing");
    let file = file.to_str().expect("a name in UTF-8");
    let all = strategies::built_in();
    let choose = |list: Option<&str>| choose_strategies(list).expect("a good list");
    assert_eq!(choose(None), all);
    assert_eq!(names(&choose(Some("none"))), Vec::<&str>::new());
    let two = choose(Some("frame+heap,pools+heap,frame+heap"));
    assert_eq!(names(&two), ["frame+heap", "pools+heap"]);
    assert_eq!(choose(Some(file)).len(), all.len() + 1);
    assert_eq!(names(&choose(Some(&format!("{file},none")))), ["mine"]);
    assert_eq!(names(&choose(Some(&format!("{file},pools+heap")))), ["pools+heap", "mine"]);
}

#[test]
fn wrong_lists_name_what_is_known() {
    let error = choose_strategies(Some("pools+heap,pool")).expect_err("unknown");
    assert!(error.starts_with("unknown strategy `pool`; known are pools+heap, "), "{error}");
    let error = choose_strategies(Some("missing.json")).expect_err("missing");
    assert!(error.starts_with("missing.json: cannot read"), "{error}");
    let error = choose_peers("system,gclib").map(|_| ()).expect_err("unknown");
    assert!(error.starts_with("unknown peer `gclib`; known are system, mimalloc, "), "{error}");
}

#[test]
fn peers_are_chosen_by_name() {
    let named = |list: &str| {
        let peers = choose_peers(list).expect("a good list");
        peers.iter().map(|row| row.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(named("talc,system"), ["system", "talc"]);
    assert!(named("none").is_empty());
    assert_eq!(named("all").len(), if cfg!(feature = "peers-all") { 9 } else { 7 });
}

#[cfg(not(feature = "peers-all"))]
#[test]
fn peers_that_are_not_compiled_in_name_the_feature() {
    let error = choose_peers("snmalloc").map(|_| ()).expect_err("not there");
    assert!(error.contains("--features peers-all"), "{error}");
}

#[test]
fn names_of_rows_are_distinct() {
    let count = rows(&strategies::built_in(), rows::peers()).expect("distinct").len();
    assert_eq!(count, 1 + 5 + strategies::built_in().len() + rows::peers().len());
    for taken in ["heap", "null", "snmalloc", "pools+heap"] {
        let text = MINE.replace("mine", taken);
        let mut chosen = strategies::built_in();
        chosen.extend(strategies::parse("mine.json", &text).expect("a good file"));
        let error = rows(&chosen, Vec::new()).map(|_| ()).expect_err("taken");
        assert!(error.contains(&format!("`{taken}` is taken")), "{error}");
    }
}

#[test]
fn rows_that_serve_threads_are_chosen() {
    let named = |strategies, peers| {
        let rows = shared_rows(strategies, peers).expect("good lists");
        rows.iter().map(|row| row.name().to_owned()).collect::<Vec<_>>()
    };
    let ours = ["null", "locked-heap", "thread-heap", "page"];
    assert_eq!(named(None, "none"), ours);
    assert_eq!(named(Some("none"), "mimalloc"), [&ours[..], &["mimalloc"]].concat());
    let all = named(None, "all");
    assert_eq!(all[4..6], ["system", "mimalloc"]);
    assert_eq!(all.len(), if cfg!(feature = "peers-all") { 8 } else { 6 });
}

#[test]
fn what_serves_one_thread_is_refused_and_names_what_serves_more() {
    let shared = "locked-heap, thread-heap, page, system, mimalloc";
    for (strategies, peers, start) in [
        (Some("frame+heap"), "all", "strategy `frame+heap` serves one thread"),
        (None, "system,talc", "peer `talc` serves one thread"),
    ] {
        let error = shared_rows(strategies, peers).map(|_| ()).expect_err("for one thread");
        assert!(error.starts_with(start) && error.contains(shared), "{error}");
    }
    let error = shared_rows(None, "gclib").map(|_| ()).expect_err("unknown");
    assert!(error.starts_with("unknown peer `gclib`"), "{error}");
    let error = shared_rows(Some("pond"), "all").map(|_| ()).expect_err("unknown");
    assert!(error.starts_with("unknown strategy `pond`"), "{error}");
}
