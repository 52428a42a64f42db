//! The example that tests three allocators of the registry, run so that it stays true, and a guide
//! whose code is that of an example.

#[path = "../examples/your_allocator.rs"]
mod your_allocator;

#[test]
fn three_allocators_of_the_registry_pass_and_the_wrong_one_does_not() {
    your_allocator::main();
    let three = [your_allocator::dlmalloc(), your_allocator::mimalloc(), your_allocator::bumpalo()];
    for outcomes in three {
        assert_eq!(outcomes.len(), 17, "every check was made: {outcomes:#?}");
        assert!(outcomes.iter().all(|outcome| outcome.result.is_ok()), "{outcomes:#?}");
    }
    let faulty = your_allocator::faulty();
    let found = faulty.iter().find(|outcome| outcome.check == "zeroed");
    assert!(found.is_some_and(|outcome| outcome.result.is_err()), "{faulty:#?}");
}

/// `cargo xtask examples` runs the example.
#[test]
fn the_guide_to_types_shows_its_example() {
    let guide = include_str!("../../docs/guide/types-you-will-write.md");
    let example = include_str!("../../containers/examples/types_you_will_write.rs");
    let blocks: Vec<&str> = guide.split("```rust\n").skip(1).collect();
    assert_eq!(blocks.len(), 6, "the guide has six pieces of code");
    for block in blocks {
        let code = block.split("```").next().unwrap_or_default();
        assert!(example.contains(code), "the example does not have:\n{code}");
    }
}
