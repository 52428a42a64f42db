//! Tests of the names that scripts ask for.

use loligo_allocators::{Allocator, HeapAllocator, Locked, PageAllocator};
use loligo_ids::IdString64;
use loligo_resources::ResourceKey;

use super::{LUA, MISSING_MAX, Modules};

fn key(name: &str) -> ResourceKey {
    ResourceKey { type_hash: IdString64::new(LUA), name: IdString64::new(name) }
}

/// A script that asks for ever new names takes no more memory for them than for a few.
#[test]
fn names_that_no_script_has_are_not_kept_for_ever() {
    let pages = PageAllocator::new("pages");
    let memory = Locked::new(HeapAllocator::new_in("scripts", &pages));
    let mut modules = Modules::new_in(&memory);
    modules.put(key("main"), b"return 1").expect("there is memory");
    assert_eq!(modules.ask("main"), Some(&b"return 1"[..]), "a script");
    let ask = |modules: &mut Modules<'_>, from: usize| {
        for number in from..from + 1000 {
            assert_eq!(modules.ask(&std::format!("missing {number:06}")), None, "no script");
        }
    };
    ask(&mut modules, 0);
    let live = memory.stats().live;
    ask(&mut modules, 1000);
    assert_eq!(memory.stats().live, live, "no name more is kept");
    assert_eq!(modules.names.len(), 1 + MISSING_MAX, "the script's name and the last ones");
    assert_eq!(modules.name(key("main")), Some("main"), "the script is known by its name");
    assert_eq!(modules.name(key("missing 001999")), Some("missing 001999"), "one of the last");
    assert_eq!(modules.name(key("missing 001000")), None, "long ago");
}

/// A script that is missing when it is asked for and comes later keeps its name, by which it is
/// reloaded.
#[test]
fn a_script_that_comes_later_keeps_its_name() {
    let pages = PageAllocator::new("pages");
    let memory = Locked::new(HeapAllocator::new_in("scripts", &pages));
    let mut modules = Modules::new_in(&memory);
    assert_eq!(modules.ask("door"), None, "not yet");
    modules.put(key("door"), b"return 2").expect("there is memory");
    for number in 0..3 * MISSING_MAX {
        modules.ask(&std::format!("missing {number}"));
    }
    assert_eq!(modules.name(key("door")), Some("door"), "it has come meanwhile");
    modules.put(key("door"), b"return 3").expect("there is memory");
    assert_eq!(modules.ask("door"), Some(&b"return 3"[..]), "the newer text");
}
