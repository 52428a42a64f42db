//! A guide whose code is that of an example.

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
