//! Graphs that are drawn in the game.

use loligo_engine::{BackEndChoice, EngineOptions, with_engine};

use crate::debug_draw::{bytes, game};

const SCRIPT: &str = "
function start()
    Graph.make('heights') Graph.add('heights', 'height') Graph.range('heights', 0, 10)
end
function update()
    local frame = Game.frame()
    Profiler.record('height', 5)
    if frame == 6 then Graph.hide('heights') end
    if frame == 8 then Graph.show('heights') end
    if frame == 10 then Graph.remove('heights') end
    if frame == 11 then Graph.range('heights', 0, 1) print(pcall(Graph.make, 'a\"b')) end
end";

#[test]
fn scripts_make_graphs_of_what_they_record() {
    let game = game(SCRIPT);
    let data = game.data();
    for threads in [1, 4] {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            let drawn: Vec<usize> = (0..12).map(|_| bytes(engine) / 32).collect();
            assert!(drawn[0] > 20, "its frame and its texts: {drawn:?}");
            // The value of a frame is drawn in the next. The first frame takes no time, so that what is
            // drawn in it is there in the next as well.
            let more: Vec<usize> = drawn[2..6].windows(2).map(|two| two[1] - two[0]).collect();
            assert_eq!(more, [1; 3], "with {threads} threads: {drawn:?}");
            assert_eq!((drawn[6], drawn[7]), (0, 0), "it is hidden: {drawn:?}");
            assert_eq!(drawn[8], drawn[5] + 3, "its values went on: {drawn:?}");
            assert_eq!(drawn[10..], [0, 0], "it is gone: {drawn:?}");
        })
        .expect("it boots");
    }
    let log = game.log.all();
    for said in [
        "`graph range \"heights\" 0 1`: column 13: there is no graph of this name",
        "has a quote; give another name",
    ] {
        assert!(log.iter().any(|line| line.contains(said)), "{said}: {log:#?}");
    }
}

#[test]
fn without_what_draws_or_what_records_nothing_happens() {
    for name in ["debug_draw", "monitor", "render"] {
        let game = game(SCRIPT);
        let data = game.data();
        let mut options = game.options(&data);
        options.without.add(name).expect("it may be left out");
        with_engine(&options, |engine| {
            (0..4).for_each(|_| assert_eq!(bytes(engine), 0, "without {name}"));
        })
        .expect("it boots");
        assert_eq!(
            game.log.all().iter().filter(|line| line.contains("graph")).count(),
            0,
            "{name}"
        );
    }
}

#[test]
fn a_graph_is_seen_where_its_values_are() {
    let game = game("function update() Profiler.record('height', 7.5) end");
    let plain = std::fs::read_to_string(game.sources().join("plain.shader")).expect("written");
    let screen =
        "@vertex fn vs_full_screen(@builtin(vertex_index) n: u32) -> @builtin(position) vec4<f32> {
        return vec4(vec2(f32((n << 1u) & 2u), f32(n & 2u)) * 2.0 - 1.0, 1.0, 1.0);
    }";
    game.write("plain.shader", &format!("{plain}{screen}"));
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    let options = EngineOptions { back_end: BackEndChoice::Auto, ..game.options(&data) };
    with_engine(&options, |engine| {
        let lines = [
            "graph make heights",
            "graph add heights height #ff8000",
            "graph range heights 0 10",
            "graph history heights 8",
        ];
        lines.into_iter().for_each(|line| engine.world_mut().graph(line).expect("memory"));
        (0..12).for_each(|_| engine.frame(&mut ()).expect("a frame"));
        engine.want_picture();
        engine.frame(&mut ()).expect("a frame");
        engine.finish().expect("it is drawn");
        let picture = engine.picture();
        if picture.is_empty() {
            return println!("there is no driver: {:?}", game.log.all());
        }
        let is = |x: usize, y: usize| picture[(y * 640 + x) * 4..][..3] == [255, 128, 0];
        let row = |y| (0..640).filter(|x| is(*x, y)).count();
        // Three tenths of the width, and a fifth of the height, below two rows of text.
        let (top, height, width) = (8 + 2 * 17, 72, 192);
        let rows: Vec<usize> = (0..360).filter(|y| row(*y) >= width - 2).collect();
        let line = top + height / 4;
        assert_eq!(rows, [line - 1, line], "three quarters of the way up, two pixels wide");
        assert!((8..8 + 3 * 17).map(row).sum::<usize>() > 100, "its name and value have its color");
    })
    .expect("it boots");
}

#[test]
fn graphs_show_memory_of_the_allocators_that_they_name() {
    // The lines of a frame more than those of the frame before: one for each value that was recorded.
    let more = |lines: &[&str]| {
        let game = game("");
        let data = game.data();
        let mut more = Vec::new();
        with_engine(&game.options(&data), |engine| {
            for line in ["graph make heaps"].iter().chain(lines) {
                engine.world_mut().graph(line).expect("memory");
            }
            let drawn: Vec<usize> = (0..7).map(|_| bytes(engine) / 32).collect();
            more.extend(drawn[3..].windows(2).map(|two| two[1] as i64 - two[0] as i64));
        })
        .expect("it boots");
        more
    };
    assert_eq!(
        more(&[
            "graph add heaps memory.nothing",
            "graph add heaps memory",
            "graph add heaps unused.",
            "graph add_heap heaps nothing"
        ]),
        [0; 3],
        "there are no such allocators"
    );
    let parts = ["graph add heaps memory.entities", "graph add heaps unused.entities"];
    assert_eq!(more(&parts), [2; 3]);
    assert_eq!(more(&["graph add_heap heaps entities"]), [1; 3]);
}
