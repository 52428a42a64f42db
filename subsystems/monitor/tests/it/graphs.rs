//! Graphs: the lines that make them, and what they show.

use loligo_allocators::Allocator;
use loligo_monitor::{GraphErrorKind, GraphLimits, Graphs, Point, Recorder, Source, name, ticks};
use proptest::prelude::*;

use crate::seen::{Debug, small, with_heap};

const LIMITS: GraphLimits = GraphLimits { graphs: 3, series: 4, history_max: 1000 };

/// Returns graphs after these lines, all of which are right.
fn graphs<'h, 'p>(lines: &[&str], heap: &'h Debug<'p>) -> Graphs<'h, Debug<'p>> {
    let mut graphs = Graphs::try_new_in(&LIMITS, heap).expect("there is memory");
    for line in lines {
        graphs.command(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    graphs
}

/// Feeds graphs with what `record` records.
fn feed(graphs: &mut Graphs<'_, Debug<'_>>, heap: &Debug<'_>, record: impl FnOnce(&Recorder<'_>)) {
    let monitor = small(heap);
    let main = monitor.try_recorder("main").expect("there is memory");
    record(&main);
    main.flush();
    let before = heap.stats().allocations_total;
    assert_eq!(monitor.drain(&mut [graphs]).lost, 0, "it is few");
    assert_eq!(heap.stats().allocations_total, before, "events allocate nothing");
}

fn values(graphs: &Graphs<'_, Debug<'_>>, graph: &str, series: usize) -> Vec<f32> {
    let graph = graphs.get(graph).expect("there is such a graph");
    graph.series()[series].points().map(|point| point.value).collect()
}

#[test]
fn the_graph_of_the_article() {
    with_heap(|heap| {
        let mut graphs = graphs(
            &[
                "graph make mousegraph",
                "  graph   add_vector3 mousegraph mouse ",
                "graph range mousegraph -20 20",
            ],
            heap,
        );
        feed(&mut graphs, heap, |main| {
            main.vector3(name!("mouse"), [10.0, -40.0, f32::NAN]);
            main.vector3(name!("another"), [1.0; 3]);
            main.vector3(name!("mouse"), [-20.0, 20.0, 0.0]);
        });
        let graph = graphs.get("mousegraph").expect("it was made");
        assert_eq!(graph.range(), -20.0..=20.0);
        let sources: Vec<_> = graph.series().iter().map(|series| series.source()).collect();
        assert_eq!(sources, [Source::Part(0), Source::Part(1), Source::Part(2)]);
        let step = 1.0 / 255.0;
        let places = |series| graph.places(series).collect::<Vec<_>>();
        assert_eq!(places(0), [[1.0 - step, 0.75], [1.0, 0.0]]);
        assert_eq!(places(1), [[1.0 - step, 0.0], [1.0, 1.0]], "what is beyond is on the edge");
        assert_eq!(places(2), [[1.0, 0.5]], "what is no number is left out");
    });
}

#[test]
fn series_of_each_kind() {
    with_heap(|heap| {
        let lines = [
            "graph make a",
            "graph add a wind",
            "graph add a units",
            "graph add_scope a \"animate units\"",
            "graph add_heap a heap",
        ];
        let mut graphs = graphs(&lines, heap);
        let now = ticks() * 2;
        feed(&mut graphs, heap, |main| {
            main.float(name!("wind"), 0.5);
            main.counter(name!("units"), -3);
            main.allocated(name!("heap"), 1, 100);
            main.allocated(name!("heap"), 2, 50);
            main.freed(name!("heap"), 1, 100);
            main.counter(name!("heap"), 70);
            main.allocated(name!("heap"), 3, 5);
            main.begin_at(name!("animate units"), now);
            main.end_at(name!("animate units"), now + 2_000_000);
            main.begin_at(name!("animate units"), now + 3_000_000);
            main.end_at(name!("animate units"), now + 6_000_000);
            main.frame();
            main.frame();
        });
        assert_eq!(values(&graphs, "a", 0), [0.5]);
        assert_eq!(values(&graphs, "a", 1), [-3.0]);
        assert_eq!(values(&graphs, "a", 2), [5.0, 0.0], "milliseconds of two frames");
        assert_eq!(values(&graphs, "a", 3), [100.0, 150.0, 50.0, 70.0, 75.0]);
        assert_eq!(graphs.get("a").expect("it was made").range(), -3.0..=150.0);
    });
}

#[test]
fn histories_have_a_length() {
    with_heap(|heap| {
        let mut graphs = graphs(&["graph make a", "graph history a 5", "graph add a x"], heap);
        feed(&mut graphs, heap, |main| (0..20).for_each(|value| main.counter(name!("x"), value)));
        assert_eq!(values(&graphs, "a", 0), [15.0, 16.0, 17.0, 18.0, 19.0]);
        graphs.command("graph history a 2").expect("it is right");
        assert_eq!(values(&graphs, "a", 0), [0.0; 0], "what was there is dropped");
        feed(&mut graphs, heap, |main| main.counter(name!("x"), 7));
        let graph = graphs.get("a").expect("it was made");
        assert_eq!(graph.range(), 6.5..=7.5, "half above and below a single value");
        let point: Vec<&Point> = graph.series()[0].points().collect();
        assert_eq!((point.len(), graph.history()), (1, 2));
        graphs.command("graph remove a").expect("it is right");
        assert!(graphs.all().is_empty(), "it is gone");
    });
}

#[test]
fn series_have_colors_and_graphs_are_hidden() {
    with_heap(|heap| {
        let lines = [
            "graph make a",
            "graph add a x orange",
            "graph add_scope a y #0aFf80",
            "graph add_heap a z",
            "graph make b",
            "graph hide a",
            "graph hide b",
            "graph show b",
        ];
        let mut graphs = graphs(&lines, heap);
        let colors: Vec<_> = graphs.all()[0].series().iter().map(|series| series.color()).collect();
        assert_eq!(colors, [Some([255, 160, 32]), Some([10, 255, 128]), None]);
        let hidden: Vec<_> = graphs.all().iter().map(|graph| graph.is_hidden()).collect();
        assert_eq!(hidden, [true, false]);
        feed(&mut graphs, heap, |main| main.float(name!("x"), 2.0));
        assert_eq!(values(&graphs, "a", 0), [2.0], "a hidden graph goes on");
    });
}

#[test]
fn wrong_lines_are_refused_with_their_place() {
    let long = format!("graph make {}", "x".repeat(129));
    let cases = [
        ("", 1, GraphErrorKind::Missing),
        ("grph make a", 1, GraphErrorKind::Command),
        ("graph", 6, GraphErrorKind::Missing),
        ("graph mak a", 7, GraphErrorKind::Command),
        ("graph make", 11, GraphErrorKind::Missing),
        ("graph make a b", 14, GraphErrorKind::TooMany),
        ("graph make \"a", 12, GraphErrorKind::Quote),
        ("graph make \"\"", 12, GraphErrorKind::Name),
        (&long, 12, GraphErrorKind::Name),
        ("graph make old", 12, GraphErrorKind::Exists),
        ("graph add new x", 11, GraphErrorKind::Unknown),
        ("graph range old 1 x", 19, GraphErrorKind::Number),
        ("graph range old inf 2", 17, GraphErrorKind::Number),
        ("graph range old 2 2", 17, GraphErrorKind::Range),
        ("graph add old x purple", 17, GraphErrorKind::Color),
        ("graph add old x #12345", 17, GraphErrorKind::Color),
        ("graph add old x #+12345", 17, GraphErrorKind::Color),
        ("graph add old x red green", 21, GraphErrorKind::TooMany),
        ("graph add_vector3 old x red", 25, GraphErrorKind::TooMany),
        ("graph hide new", 12, GraphErrorKind::Unknown),
        ("graph show old old", 16, GraphErrorKind::TooMany),
        ("graph history old 0", 19, GraphErrorKind::Number),
        ("graph history old 1001", 19, GraphErrorKind::Number),
        ("graph history old 99999999999", 19, GraphErrorKind::Number),
        ("graph add_vector3 old x", 23, GraphErrorKind::Series),
        ("graph remove new", 14, GraphErrorKind::Unknown),
    ];
    with_heap(|heap| {
        let mut graphs = graphs(&["graph make old", "graph add old y", "graph add old z"], heap);
        for (line, column, kind) in cases {
            let error = graphs.command(line).expect_err("the line is wrong");
            assert_eq!((error.column, error.kind), (column, kind), "{line}: {error}");
        }
        assert_eq!(
            (graphs.all().len(), graphs.all()[0].series().len()),
            (1, 2),
            "nothing has changed"
        );
        graphs.command("graph make b").expect("there is room");
        graphs.command("graph make \"c d\"").expect("there is room");
        let error = graphs.command("graph make e").expect_err("three are the most");
        assert_eq!(error.kind, GraphErrorKind::Graphs);
    });
}

proptest! {
    #[test]
    fn no_line_breaks_anything(
        lines in prop::collection::vec(
            prop_oneof![
                "\\PC{0,40}",
                "graph (make|add|add_vector3|add_scope|range|history|hide|show|remove) [ab\"]{1,3}( [-0-9a-z\"]{1,4}){0,3}",
            ],
            0..20,
        ),
    ) {
        with_heap(|heap| {
            let mut graphs = Graphs::try_new_in(&LIMITS, heap).expect("there is memory");
            for line in &lines {
                if let Err(error) = graphs.command(line) {
                    assert!(error.column as usize <= line.len() + 1, "{line:?}: {error}");
                }
            }
            feed(&mut graphs, heap, |main| {
                main.float(name!("a"), f32::MAX);
                main.float(name!("a"), f32::MIN);
            });
            for graph in graphs.all() {
                for series in 0..graph.series().len() {
                    for [x, y] in graph.places(series) {
                        assert!((0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y), "{x}, {y}");
                    }
                }
            }
        });
    }
}
