//! Tests of strategies and of their files.

use super::*;

fn refusal(text: &str) -> String {
    parse("my.json", text).expect_err("the file is wrong").to_string()
}

fn file(layers: &str) -> String {
    format!(
        "{{\"strategies\": [\n {{\"name\": \"a\", \"layers\": [{layers}], \"base\": \"heap\"}}]}}"
    )
}

#[test]
fn files_are_read() {
    let text = r#"{"strategies": [
        {"name": "bare", "base": "heap-region"},
        {"name": "full", "base": "buddy", "layers": [
            {"pools": {"sizes": [8, 24, 100]}},
            {"frame": {"up_to": 512, "segment_bytes": 65536, "segments": 4}},
            {"pages": {"from": 1000000}}
        ]}
    ]}"#;
    let read = parse("my.json", text).expect("a valid file");
    assert_eq!(read[0].base, Base::HeapRegion);
    assert_eq!(read[1].layers.len(), 3);
    let pools = PoolsConfig { sizes: vec![8, 24, 100] };
    assert_eq!(read[1].layers[0], LayerConfig::Pools(pools));
}

#[test]
fn wrong_files_are_refused_with_line_and_column() {
    for (text, part) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{\n\"strategies\": [\n{]}", "line 3 column 2"),
        ("{\"strategies\": [], \"more\": 1}", "unknown field `more`"),
        ("{\"strategies\": []}", "`strategies` is empty"),
        ("{\"strategies\": [{\"name\": \"a\"}]}", "missing field `base` at line 1 column"),
        ("{\"strategies\": [{\"name\": \"a,b\", \"base\": \"heap\"}]}", "no comma"),
        ("{\"strategies\": [\n{\"name\": \"a\", \"base\": \"head\"}]}", "unknown variant `head`"),
        (&file("{\"pool\": {\"sizes\": [8]}}"), "unknown variant `pool`"),
        (&file("{\"pools\": {\"sizes\": [8], \"x\": 1}}"), "unknown field `x`"),
        (&file("{\"pools\": {\"sizes\": []}}"), "1 to 255 sizes at line 2 column"),
        (&file("{\"pools\": {\"sizes\": [16, 8]}}"), "must ascend at line 2 column"),
        (&file("{\"pools\": {\"sizes\": [0]}}"), "between 1 and 65536"),
        (
            &file("{\"frame\": {\"up_to\": 1, \"segment_bytes\": 100, \"segments\": 2}}"),
            "multiple of 64",
        ),
        (
            &file("{\"frame\": {\"up_to\": 4096, \"segment_bytes\": 4096, \"segments\": 2}}"),
            "a quarter",
        ),
        (
            &file("{\"frame\": {\"up_to\": 16, \"segment_bytes\": 4096, \"segments\": 1}}"),
            "between 2 and 4096",
        ),
        (&file("{\"pages\": {\"from\": -1}}"), "line 2 column"),
    ] {
        let error = refusal(text);
        assert!(error.starts_with("my.json: "), "{error}");
        assert!(error.contains(part), "`{error}` has `{part}`");
    }
    let twice =
        r#"{"strategies": [{"name": "a", "base": "heap"}, {"name": "a", "base": "buddy"}]}"#;
    assert!(refusal(twice).contains("two strategies are named `a`"));
}

#[test]
fn the_example_of_the_manual_is_valid() {
    let manual = include_str!("../../../../docs/strategies.md");
    let from = manual.find("```json\n").expect("the manual has an example") + 8;
    let length = manual[from..].find("```").expect("the example ends");
    let read = parse("docs/strategies.md", &manual[from..from + length]).expect("it is valid");
    assert!(!read.is_empty());
    for strategy in built_in() {
        let name = format!("`{}`", strategy.name);
        assert!(manual.contains(&name), "the manual names {name}");
    }
}

#[test]
fn pools_take_what_fits_size_and_alignment() {
    let config = PoolsConfig { sizes: vec![8, 24, 32, 100] };
    let _alone = crate::child::alone();
    let mut strategy = Strategy::new(ours::heap(), &[LayerConfig::Pools(config)]);
    for (bytes, align, served) in [
        (1, 1, Some(8)),
        (8, 8, Some(8)),
        (9, 1, Some(24)),
        (24, 8, Some(24)),
        (24, 16, Some(32)),
        (33, 4, Some(100)),
        (100, 4, Some(100)),
        (96, 8, None),
        (101, 1, None),
        (8, 64, None),
    ] {
        let layout = Layout::from_size_align(bytes, align).expect("a valid layout");
        let block = strategy.allocate(layout);
        assert!(!block.is_null(), "{layout:?}");
        let Layer::Pools(pools) = &strategy.0.front()[0] else { panic!("one layer of pools") };
        let live = pools.pools.iter().filter(|pool| pool.stats().live == 1);
        let live: Vec<usize> = live.map(|pool| pool.block_layout().size()).collect();
        assert_eq!(live, Vec::from_iter(served), "{layout:?}");
        // SAFETY: the block was just made with this layout.
        unsafe { strategy.deallocate(block, layout) };
    }
    strategy.check().expect("all is free");
}

#[test]
fn a_ring_reuses_segments_in_order_and_passes_on_what_it_cannot_hold() {
    let config = FrameConfig { up_to: 1024, segment_bytes: 4096, segments: 2 };
    let _alone = crate::child::alone();
    let mut strategy = Strategy::new(ours::heap(), &[LayerConfig::Frame(config)]);
    let layout = Layout::from_size_align(1000, 8).expect("a valid layout");
    let in_ring = |strategy: &Strategy<_>, block| strategy.0.front()[0].holds(block, layout);
    let mut blocks: Vec<*mut u8> = (0..10).map(|_| strategy.allocate(layout)).collect();
    let held = blocks.iter().filter(|block| in_ring(&strategy, **block)).count();
    assert!((6..=8).contains(&held), "two frames of 4096 hold {held} blocks of 1000");
    for _ in 0..100 {
        // SAFETY: each block is live and freed once, the oldest first.
        unsafe { strategy.deallocate(blocks.remove(0), layout) };
        blocks.push(strategy.allocate(layout));
    }
    for block in blocks {
        // SAFETY: as above.
        unsafe { strategy.deallocate(block, layout) };
    }
    strategy.check().expect("all is free");
}

#[test]
fn reallocation_moves_between_layers_and_keeps_contents() {
    let layers = [
        LayerConfig::Pools(PoolsConfig { sizes: vec![16, 64] }),
        LayerConfig::Frame(FrameConfig { up_to: 1000, segment_bytes: 4096, segments: 2 }),
        LayerConfig::Pages(PagesConfig { from: 100_000 }),
    ];
    let _alone = crate::child::alone();
    let mut strategy = Strategy::new(ours::heap(), &layers);
    let mut old = Layout::from_size_align(10, 8).expect("a valid layout");
    let mut block = strategy.allocate_zeroed(old);
    // SAFETY: the block has ten bytes.
    unsafe { block.write(77) };
    for bytes in [12, 16, 60, 300, 900, 5000, 6000, 200_000, 300_000, 3000, 500, 40, 8] {
        // SAFETY: the block is live with the layout `old`.
        block = unsafe { strategy.reallocate(block, old, bytes) };
        // SAFETY: a block that is there has at least eight bytes.
        assert_eq!(unsafe { block.read() }, 77, "{bytes}");
        old = Layout::from_size_align(bytes, 8).expect("a valid layout");
    }
    // SAFETY: the block is live with the layout `old`.
    unsafe { strategy.deallocate(block, old) };
    strategy.check().expect("all is free");
}
