//! The example that tests three allocators of the registry, run so that it stays true.

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
