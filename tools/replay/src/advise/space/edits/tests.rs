//! Edits give strategies that are sound, and new ones.

use super::*;
use crate::strategies::{Memory, StrategyConfig, heap_alone, parse, to_json};
use crate::trace::Trace;

fn profile() -> Profile {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/traces/lua.altrace.zst");
    let trace = Trace::open(std::path::Path::new(path)).expect("the bundled trace");
    Profile::of(&trace.first(20_000).expect("it is longer"))
}

fn class(from: u32, up_to: u32) -> SizeClass {
    SizeClass { from: Some(from), up_to, to: Tree::Page(PageConfig {}) }
}

#[test]
fn a_class_goes_where_no_other_is() {
    let mut classes = vec![class(17, 32), class(65, 128)];
    for (from, up_to) in [(1, 17), (32, 40), (33, 65), (100, 110), (128, 256), (1, 300)] {
        insert(&mut classes, class(from, up_to));
        assert_eq!(classes.len(), 2, "{from} to {up_to} overlaps one");
    }
    for (from, up_to) in [(1, 16), (33, 64), (129, 256)] {
        insert(&mut classes, class(from, up_to));
    }
    let ends: Vec<u32> = classes.iter().map(|class| class.up_to).collect();
    assert_eq!(ends, [16, 32, 64, 128, 256], "in order");
}

/// Each edit of an edit, many deep, is a strategy that its own text is read back as.
#[test]
fn edits_of_edits_are_sound() {
    let profile = profile();
    let mut edits = Edits::new(&profile, 7);
    assert!(edits.sizes.len() >= 4, "{:?}", edits.sizes);
    let mut parents = vec![heap_alone().tree];
    let mut forms = [0; 4];
    for step in 0..2000 {
        let of = parents[step % parents.len()].clone();
        let Some(tree) = edits.next(&of, &parents) else { continue };
        let (before, after) =
            (classes_of(&of).expect("a parent"), classes_of(&tree).expect("a child"));
        forms[match after.len().cmp(&before.len()) {
            core::cmp::Ordering::Less => 0,
            core::cmp::Ordering::Greater => 1,
            core::cmp::Ordering::Equal if tree == of => 2,
            core::cmp::Ordering::Equal => 3,
        }] += 1;
        let name = "edited".to_owned();
        let strategy = StrategyConfig { name, memory: Memory::Pages, tree: tree.clone() };
        let text = to_json(core::slice::from_ref(&strategy));
        let read = parse("edited.json", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read, [strategy], "read back");
        if parents.len() < 40 {
            parents.push(tree);
        } else {
            parents[step % 40] = tree;
        }
    }
    assert!(forms.iter().all(|times| *times > 20), "less, more, the same, another: {forms:?}");
}

#[test]
fn what_is_no_heap_behind_classes_is_left_alone() {
    let slab = parse(
        "s.json",
        r#"{"strategies": [{"name": "s", "tree": {"slab": {"large": {"heap": {}}}}}]}"#,
    );
    let slab = slab.expect("a strategy").remove(0).tree;
    let profile = profile();
    let mut edits = Edits::new(&profile, 7);
    assert!((0..50).all(|_| edits.next(&slab, core::slice::from_ref(&slab)).is_none()), "{slab:?}");
}
