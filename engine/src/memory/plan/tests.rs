//! Plans that are read, and texts that are refused.

use loligo_allocators::{Allocator as _, HeapAllocator, PageAllocator};

use super::{MemoryPlan, SubsystemAllocator, SubsystemMemory};

const SUBSYSTEMS: [&str; 3] = ["render", "script", "sound"];

fn with_heap(act: impl FnOnce(&HeapAllocator<'_, PageAllocator>)) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    act(&heap);
    assert_eq!(heap.stats().live, 0, "reading keeps nothing");
}

#[test]
fn a_plan_says_who_serves_whom() {
    with_heap(|heap| {
        let text = "
            subsystems = {
                render = { allocator = \"buddy\" bytes = 65536 leaf = 256 budget = 4096 }
                script = { allocator = \"guard\" }
            }
            default = { allocator = heap = 1 }";
        assert!(MemoryPlan::try_read(text, &SUBSYSTEMS, heap).is_err(), "two values for one key");
        let text = text.replace("heap = 1", "\"heap\" budget = 7");
        let plan = MemoryPlan::try_read(&text, &SUBSYSTEMS, heap).expect("a plan");
        let buddy = SubsystemAllocator::Buddy { bytes: 65536, leaf: 256 };
        assert_eq!(
            plan.subsystem(0),
            SubsystemMemory { allocator: buddy, budget: Some(4096) },
            "render"
        );
        let guard = SubsystemAllocator::Guard;
        assert_eq!(plan.subsystem(1), SubsystemMemory { allocator: guard, budget: None }, "script");
        let heap = SubsystemAllocator::Heap;
        assert_eq!(
            plan.subsystem(2),
            SubsystemMemory { allocator: heap, budget: Some(7) },
            "the default"
        );
    });
}

#[test]
fn an_empty_text_and_each_allocator_are_plans() {
    with_heap(|heap| {
        assert_eq!(MemoryPlan::try_read("", &SUBSYSTEMS, heap), Ok(MemoryPlan::new()), "all share");
        for (name, allocator) in [
            ("shared", SubsystemAllocator::Shared),
            ("heap", SubsystemAllocator::Heap),
            ("page", SubsystemAllocator::Page),
            ("guard", SubsystemAllocator::Guard),
            ("system", SubsystemAllocator::System),
        ] {
            let text = format!("subsystems = {{ sound = {{ allocator = \"{name}\" }} }}");
            let plan = MemoryPlan::try_read(&text, &SUBSYSTEMS, heap).expect("a plan");
            assert_eq!(plan.subsystem(2).allocator, allocator, "{name}");
        }
        let text = "default = { allocator = \"buddy\" bytes = 4096 }";
        let plan = MemoryPlan::try_read(text, &SUBSYSTEMS, heap).expect("a plan");
        let buddy = SubsystemAllocator::Buddy { bytes: 4096, leaf: 64 };
        assert_eq!(plan.subsystem(1).allocator, buddy, "the usual leaf");
    });
}

#[test]
fn what_is_no_plan_is_refused_with_its_place() {
    with_heap(|heap| {
        for (text, said) in [
            ("a = 1", "1:1: expected `default` or `subsystems` as a key, found `a = 1`"),
            (
                "subsystems = {\n  rendr = { allocator = \"page\" } }",
                "2:3: expected the name of a subsystem of the engine as a key, found `rendr = { \
                 allocator = \"page\" } }`",
            ),
            (
                "subsystems = { sound = { allocator = \"best\" } }",
                "1:26: expected \"shared\", \"heap\", \"buddy\", \"page\", \"guard\" or \"system\", \
                 found `allocator = \"best\" } }`",
            ),
            (
                "subsystems = { sound = { budget = 1 } }",
                "1:16: expected an object with `allocator`, found `sound = { budget = 1 } }`",
            ),
            (
                "subsystems = { sound = 3 }",
                "1:16: expected an object with `allocator`, found `sound = 3 }`",
            ),
            (
                "default = { allocator = \"heap\" budget = -1 }",
                "1:32: expected a whole number of bytes, from 1 to 1099511627776, found `budget = \
                 -1 }`",
            ),
            (
                "default = { allocator = \"heap\" leaf = 64 }",
                "1:1: expected `bytes` and `leaf` beside `allocator = \"buddy\"` alone, found \
                 `default = { allocator = \"heap\" leaf = 64 }`",
            ),
            (
                "default = { allocator = \"buddy\" bytes = 4096 leaf = 48 }",
                "1:46: expected a power of two from 16 up to `bytes`, found `leaf = 48 }`",
            ),
            (
                "default = { allocator = \"buddy\" }",
                "1:1: expected `bytes` beside `allocator = \"buddy\"`, found `default = { allocator \
                 = \"buddy\" }`",
            ),
            (
                "subsystems = [ 1 ]",
                "1:1: expected an object with a key for each subsystem, found `subsystems = [ 1 ]`",
            ),
        ] {
            let error = MemoryPlan::try_read(text, &SUBSYSTEMS, heap).expect_err(text);
            assert_eq!(error.to_string(), said, "{text}");
        }
        let broken = MemoryPlan::try_read("subsystems = {", &SUBSYSTEMS, heap).expect_err("open");
        assert!(broken.to_string().starts_with("1:15: "), "{broken}");
    });
}
