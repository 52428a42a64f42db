//! Tests of strategies, of their files and of the code written for them.

use super::*;

fn refusal(text: &str) -> String {
    parse("my.json", text).expect_err("the file is wrong").to_string()
}

/// A file of one strategy, its tree on the second line.
fn file(tree: &str) -> String {
    format!("{{\"strategies\": [{{\"name\": \"a\", \"tree\":\n{tree}}}]}}")
}

fn tree(text: &str) -> Tree {
    parse("tree", &file(text)).expect("a valid tree").remove(0).tree
}

/// A tree with every kind of node.
const EVERY_KIND: &str = r#"{"by-lifetime": {
    "classes": [
        {"lifetime": "brief", "sites": [3, 4], "to": {"frame": {"segment_bytes": 65536, "segments": 4}}},
        {"lifetime": "long", "sizes": [[33, 48]], "to": {"pool": {"bytes": 48, "over": "rest"}}},
        {"lifetime": "odd", "sizes": [[2000, 2100]], "to": {"by-size": {
            "classes": [{"from": 2001, "up_to": 2050, "to": {"pool": {"bytes": 2064}}}],
            "rest": {"heap": {}}}}}
    ],
    "rest": {"by-site": {
        "classes": [{"sites": [7], "to": {"slab": {"classes": "small", "large": {"heap": {}}}}}],
        "rest": {"by-size": {
            "classes": [
                {"up_to": 16, "to": {"pool": {"bytes": 16, "chunk_bytes": 8192, "give_back_percent": 50}}},
                {"from": 25, "up_to": 64, "to": {"buddy": {"leaf": 64, "bytes": 65536, "over": "rest"}}},
                {"from": 200, "up_to": 1200, "to": {"slab": {"classes": "wide", "large": {"heap": {"region_bytes": 65536}}}}},
                {"from": 100000, "up_to": 4000000000, "to": {"page": {}}}
            ],
            "rest": {"proxy": {"name": "others", "budget": 8000000, "of": {"heap": {"region_bytes": 1048576}}}}
        }}
    }}
}}"#;

#[test]
fn files_are_read_and_written_back() {
    let read = parse("my.json", &file(EVERY_KIND).replace("200,", "201,")).expect("a valid file");
    let Tree::ByLifetime(top) = &read[0].tree else { panic!("{:?}", read[0].tree) };
    assert_eq!(top.classes.len(), 3);
    assert_eq!(
        top.classes[1].to,
        Tree::Pool(PoolConfig { over: Over::Rest, ..PoolConfig::of(48) })
    );
    assert_eq!(parse("back", &to_json(&read)).expect("what was written"), read);
}

#[test]
fn wrong_files_are_refused_with_line_column_and_key() {
    let by_size = |class: &str| {
        file(&format!("{{\"by-size\": {{\"classes\": [{class}], \"rest\": {{\"heap\": {{}}}}}}}}"))
    };
    let pool = r#"{"pool": {"bytes": 16}}"#;
    for (text, part) in [
        (String::new(), "EOF while parsing a value at line 1 column 0"),
        ("{\n\"strategies\": [\n{]}".to_owned(), "line 3 column 2"),
        ("{\"strategies\": [], \"more\": 1}".to_owned(), "unknown field `more`"),
        ("{\"strategies\": []}".to_owned(), "`strategies` is empty; name one"),
        ("{\"strategies\": [{\"name\": \"a\"}]}".to_owned(), "missing field `tree` at line 1"),
        (file("{\"head\": {}}"), "unknown variant `head`, expected one of `heap`"),
        (file("{\"heap\": {\"x\": 1}}"), "unknown field `x`"),
        (
            file("{\"heap\": {\"region_bytes\": 1}}"),
            "`region_bytes` is 1; it must be between 65536",
        ),
        (file("{\"pool\": {\"bytes\": 0}}"), "`bytes` is 0; it must be between 1 and"),
        (
            file("{\"pool\": {\"bytes\": 24, \"align\": 16}}"),
            "`align` is 16; it must be a power of",
        ),
        (file("{\"pool\": {\"bytes\": 8, \"give_back_percent\": 5}}"), "needs `chunk_bytes`"),
        (file("{\"pool\": {\"bytes\": 8, \"over\": \"rest\"}}"), "leave `over` out"),
        (file("{\"buddy\": {\"leaf\": 24}}"), "`leaf` is 24; it must be a power of two"),
        (file("{\"buddy\": {\"leaf\": 64}}"), "a `buddy` needs `bytes` unless"),
        (file("{\"frame\": {\"segment_bytes\": 100, \"segments\": 2}}"), "`segment_bytes` is 100"),
        (file("{\"frame\": {\"segment_bytes\": 5000, \"segments\": 2}}"), "a multiple of 64"),
        (file("{\"frame\": {\"segment_bytes\": 4096, \"segments\": 1}}"), "`segments` is 1"),
        (file("{\"proxy\": {\"name\": \"\", \"of\": {\"heap\": {}}}}"), "`name` is ``"),
        (
            file("{\"slab\": {\"classes\": \"odd\", \"large\": {\"heap\": {}}}}"),
            "expected one of `default`",
        ),
        (by_size(""), "`classes` has 0 entries"),
        (by_size(&format!("{{\"up_to\": 20, \"to\": {pool}}}")), "a multiple of 8"),
        (
            by_size(&format!("{{\"up_to\": 24, \"to\": {pool}}}")),
            "more than the `bytes` of its `pool`",
        ),
        (by_size(&format!("{{\"from\": 17, \"up_to\": 16, \"to\": {pool}}}")), "`from` is above"),
        (
            by_size(&format!(
                "{{\"up_to\": 16, \"to\": {pool}}}, {{\"up_to\": 8, \"to\": {pool}}}"
            )),
            "`classes` must ascend",
        ),
    ] {
        let error = refusal(&text);
        assert!(error.starts_with("my.json: "), "{error}");
        assert!(error.contains(part), "`{error}` has `{part}`");
        assert!(error.ends_with("; see docs/reference/strategies.md"), "{error}");
        assert!(part.contains("`strategies` is empty") || error.contains(" column "), "{error}");
    }
    let twice = r#"{"strategies": [{"name": "a", "tree": {"heap": {}}}, {"name": "a", "tree": {"heap": {}}}]}"#;
    assert!(refusal(twice).contains("two strategies have the `name` `a`"));
    let region = r#"{"strategies": [{"name": "a", "memory": "region", "tree": {"page": {}}}]}"#;
    assert!(refusal(region).contains("the tree's base must be a `heap` or a `buddy`"));
    let deep = "{\"proxy\": {\"name\": \"p\", \"of\": ".repeat(200);
    assert!(refusal(&file(&deep)).contains("recursion limit"), "a deep tree is no overflow");
}

#[test]
fn files_of_sjson_are_read_and_refused_with_line_column_and_key() {
    let text = r#"
// Nodes of one size, the rest as it comes.
strategies = [
    {
        name = "nodes"
        tree = { by-size = {
            classes = [ { up_to = 48 to = { pool = { bytes = 48 } } } ]
            rest = { heap = {} }
        } }
    }
]
"#;
    let in_json = r#"{"by-size": {"classes": [{"up_to": 48, "to": {"pool": {"bytes": 48}}}], "rest": {"heap": {}}}}"#;
    assert_eq!(parse("my.sjson", text).expect("valid")[0].tree, tree(in_json), "the same tree");
    let every = file(EVERY_KIND).replace("200,", "201,");
    let read = parse("my.json", &every).expect("valid JSON");
    assert_eq!(parse("my.sjson", &every).expect("JSON is SJSON"), read, "every kind of node");
    let refusal = |text: &str| parse("my.sjson", text).expect_err("the file is wrong").to_string();
    for (wrong, place, part) in [
        (text.replace("bytes = 48", "bytes = 0"), " 7:", "`bytes` is 0; it must be between 1 and"),
        (text.replace("rest =", "most ="), " 8:", "unknown field `most`"),
        (text.replace("by-size", "by-sise"), " 6:", "unknown variant `by-sise`, expected one of"),
        (text.replace("up_to = 48", "up_to = 20"), " 7:", "a multiple of 8"),
        (text.replace("= \"nodes\"", "= \"nodes"), " 5:16:", "close it with"),
    ] {
        let error = refusal(&wrong);
        assert!(error.starts_with("my.sjson: "), "{error}");
        assert!(error.contains(part), "`{error}` has `{part}`");
        assert!(error.contains(place), "`{error}` has `{place}`");
        assert!(error.ends_with("; see docs/reference/strategies.md"), "{error}");
    }
    let deep = "{ proxy = { name = \"p\" of = ".repeat(2000);
    let error = refusal(&file(&deep));
    assert!(error.contains("no more objects and arrays within each other"), "{error}");
}

#[test]
fn the_examples_of_the_manual_are_valid() {
    let manual = include_str!("../../../../docs/reference/strategies.md");
    let mut read = 0;
    for example in manual.split("```json\n").skip(1) {
        let end = example.find("```").expect("the example ends");
        parse("docs/reference/strategies.md", &example[..end]).expect("it is valid");
        read += 1;
    }
    assert!(read >= 2, "{read} examples");
    for strategy in built_in() {
        let name = format!("`{}`", strategy.name);
        assert!(manual.contains(&name), "the manual names {name}");
    }
}

#[test]
fn pools_take_what_fits_size_and_alignment() {
    let _alone = crate::child::alone();
    let tree = tree(
        r#"{"by-size": {"classes": [
        {"up_to": 8, "to": {"pool": {"bytes": 8}}},
        {"up_to": 24, "to": {"pool": {"bytes": 24}}},
        {"from": 33, "up_to": 104, "to": {"pool": {"bytes": 104}}},
        {"from": 2000, "up_to": 2050, "to": {"pool": {"bytes": 2064}}}
    ], "rest": {"heap": {}}}}"#,
    );
    let mut strategy = Strategy::new(&tree, None);
    for (bytes, align, served) in [
        (0, 1, Some(8)),
        (1, 1, Some(8)),
        (8, 8, Some(8)),
        (9, 1, Some(24)),
        (24, 8, Some(24)),
        (24, 16, None),
        (32, 8, None),
        (33, 4, Some(104)),
        (104, 4, Some(104)),
        (96, 16, None),
        (105, 1, None),
        (1999, 8, None),
        (2000, 16, Some(2064)),
        (2050, 1, Some(2064)),
        (2051, 1, None),
    ] {
        let layout = Layout::from_size_align(bytes, align).expect("a valid layout");
        let block = strategy.allocate(layout);
        assert!(!block.is_null(), "{layout:?}");
        let Node::BySize(node) = &strategy.root else { panic!("it chooses by size") };
        assert_eq!(node.pools_in_use(), Vec::from_iter(served), "{layout:?}");
        // SAFETY: the block was just made with this layout.
        unsafe { strategy.deallocate(block, layout) };
    }
    strategy.check().expect("all is free");
}

#[test]
fn a_ring_reuses_frames_in_order_and_passes_on_what_it_cannot_hold() {
    let _alone = crate::child::alone();
    let frame = r#"{"frame": {"segment_bytes": 4096, "segments": 2, "over": "rest"}}"#;
    let tree = tree(&format!(
        r#"{{"by-size": {{"classes": [{{"up_to": 1024, "to": {frame}}}], "rest": {{"heap": {{}}}}}}}}"#
    ));
    let mut strategy = Strategy::new(&tree, None);
    let layout = Layout::from_size_align(1000, 8).expect("a valid layout");
    let mut blocks: Vec<*mut u8> = (0..10).map(|_| strategy.allocate(layout)).collect();
    assert!(blocks.iter().all(|block| !block.is_null()), "the heap serves what the ring does not");
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
fn a_tree_of_every_kind_keeps_contents() {
    let _alone = crate::child::alone();
    let tree = tree(&EVERY_KIND.replace("200,", "201,"));
    let mut strategy = Strategy::new(&tree, None);
    let mut random = 1_u64;
    let mut live: Vec<(*mut u8, Layout, u8)> = Vec::new();
    for step in 0..20_000_u64 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step | 1);
        let pick = (random >> 33) as usize;
        let bytes = [8, 16, 30, 40, 64, 100, 300, 1000, 2010, 2090, 5000, 150_000][pick % 12];
        strategy.at_site([0, 3, 4, 7, 9][pick / 12 % 5]);
        if live.len() > 200 || (pick / 64 % 5 < 2 && !live.is_empty()) {
            let (block, layout, mark) = live.swap_remove(pick % live.len());
            // SAFETY: the block is live and holds its size.
            assert_eq!(unsafe { block.read() }, mark, "step {step}: {layout:?}");
            if pick.is_multiple_of(3) {
                // SAFETY: the block is live with this layout.
                let moved = unsafe { strategy.reallocate(block, layout, bytes) };
                assert!(!moved.is_null(), "step {step}: {layout:?} to {bytes}");
                // SAFETY: the block is live.
                assert_eq!(unsafe { moved.read() }, mark, "step {step}: {layout:?} to {bytes}");
                let layout = Layout::from_size_align(bytes, layout.align()).expect("a layout");
                live.push((moved, layout, mark));
                continue;
            }
            // SAFETY: the block is live with this layout and not used again.
            unsafe { strategy.deallocate(block, layout) };
            continue;
        }
        let layout = Layout::from_size_align(bytes, 8 << (pick % 4)).expect("a valid layout");
        let zeroed = pick.is_multiple_of(7);
        let block =
            if zeroed { strategy.allocate_zeroed(layout) } else { strategy.allocate(layout) };
        assert!(!block.is_null(), "step {step}: {layout:?}");
        assert!(block.addr().is_multiple_of(layout.align()), "step {step}: {layout:?}");
        // SAFETY: the offset is less than the block's size.
        let last = unsafe { block.add(bytes - 1) };
        // SAFETY: a zeroed block was written, all of it.
        assert!(!zeroed || unsafe { last.read() } == 0, "step {step}");
        // SAFETY: as above.
        unsafe { block.write_bytes(step as u8, bytes) };
        live.push((block, layout, step as u8));
    }
    assert_eq!(strategy.root.stats().live, live.len(), "what is lent is no block");
    for (block, layout, _) in live {
        // SAFETY: the block is live with this layout.
        unsafe { strategy.deallocate(block, layout) };
    }
    strategy.check().expect("all is free");
}

#[test]
fn what_a_rest_lends_is_counted_by_nobody() {
    let _alone = crate::child::alone();
    let pool = |bytes| {
        format!(
            r#"{{"pool": {{"bytes": {bytes}, "chunk_bytes": 4096, "give_back_percent": 50, "over": "rest"}}}}"#
        )
    };
    let frame = r#"{"frame": {"segment_bytes": 4096, "segments": 4, "over": "rest"}}"#;
    let (pool_16, pool_48) = (pool(16), pool(48));
    // Every size is one that its allocator does not round.
    let sizes = [16, 48, 304, 1000, 102_400];
    for text in [
        format!(
            r#"{{"by-size": {{"classes": [
                {{"up_to": 16, "to": {pool_16}}},
                {{"from": 33, "up_to": 48, "to": {pool_48}}},
                {{"from": 897, "up_to": 1000, "to": {frame}}},
                {{"from": 100000, "up_to": 4000000000, "to": {{"page": {{}}}}}}
            ], "rest": {{"heap": {{}}}}}}}}"#
        ),
        format!(
            r#"{{"by-lifetime": {{"classes": [
                {{"lifetime": "a", "sizes": [[1, 16]], "to": {pool_16}}},
                {{"lifetime": "b", "sizes": [[304, 304]], "to": {frame}}},
                {{"lifetime": "c", "sizes": [[100000, 200000]], "to": {{"page": {{}}}}}}
            ], "rest": {{"proxy": {{"name": "others", "of": {{"heap": {{}}}}}}}}}}}}"#
        ),
    ] {
        let mut strategy = Strategy::new(&tree(&text), None);
        let mut live: Vec<(*mut u8, Layout)> = Vec::new();
        for step in 0..4000_usize {
            let bytes = sizes[step * step % 7 % sizes.len()];
            let layout = Layout::from_size_align(bytes, 8).expect("a layout");
            live.push((strategy.allocate(layout), layout));
            // It grows for a while and then shrinks, so that chunks come and go.
            while live.len() > if step % 1000 < 500 { 300 } else { 20 } {
                let (block, layout) = live.swap_remove(step * 31 % live.len());
                // SAFETY: the block is live with this layout.
                unsafe { strategy.deallocate(block, layout) };
            }
            let bytes: usize = live.iter().map(|(_, layout)| layout.size()).sum();
            let stats = strategy.root.stats();
            assert_eq!(
                (stats.live, stats.requested),
                (live.len(), bytes),
                "step {step}: {stats:?}"
            );
            assert!(stats.reserved >= stats.granted, "step {step}: {stats:?}");
        }
        for (block, layout) in live {
            // SAFETY: as above.
            unsafe { strategy.deallocate(block, layout) };
        }
        assert_eq!(strategy.root.stats().live, 0, "all is free");
        strategy.check().expect("all is free");
    }
}

#[test]
fn code_names_what_the_tree_has() {
    let mut strategy = parse("tree", &file(&EVERY_KIND.replace("200,", "201,"))).expect("valid");
    let code = emit_rust(&strategy.remove(0));
    for part in [
        "pub type Strategy<'a> = ByLifetime",
        "PoolAllocator::new_in(\"blocks of 16\", block(16, 16), pages).with_chunk_bytes(8192).with_give_back(50)",
        "FrameRing::new(65536, 4, pages)",
        "BuddyAllocator::new_in(\"buddy\", 65536, 64, lent_",
        "SlabAllocator::with_classes_in(\"slab\", 1048576, large_",
        "ProxyAllocator::new_in(\"others\", inner_",
        ".with_budget(8000000)",
        "100000..=4000000000 => ",
        "3 | 4 => 0",
    ] {
        assert!(code.contains(part), "no `{part}` in\n{code}");
    }
    assert!(!code.contains('@'), "a place was left unfilled");
    for strategy in built_in() {
        assert!(emit_rust(&strategy).contains("pub fn with_strategy"), "{}", strategy.name);
    }
}
