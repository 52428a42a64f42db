//! The page of four views, one more within them, and texts, lines and a graph in the world and on
//! the screen, compared with the one that is kept; and faults, which the comparison finds.

use loligo_engine::{BackEndChoice, EngineOptions, with_engine};

use crate::golden_page::{Fault, Page};
use crate::support::Game;

const FRAME: &str = include_str!("../../../samples/06-views/four.frame");
const LEVEL: &str = include_str!("../../../samples/06-views/yard.level");
/// A camera that sees nothing of the world.
const AWAY: &str = "entities = {
    away = { components = { transform = { position = [ 0 -500 0 ] } camera = {} } }";
const SCRIPT: &str = include_str!("golden_views/main.lua");

const PAGE: Page = Page {
    kept: "golden_views/picture.png",
    size: [480, 272],
    frames: 6,
    faults: &FAULTS,
    project,
    sources,
};

const FAULTS: [Fault; 20] = [
    (
        "the part of a view",
        "four.frame",
        "player = { rectangle = [ 0 0 0.5 0.5 ] }",
        "player = { rectangle = [ 0 0 0.5 0.4 ] }",
    ),
    (
        "the camera of a view",
        "main.lua",
        "\"above\", Entity.find(\"above\")",
        "\"above\", Entity.find(\"eye\")",
    ),
    ("what a view is around", "four.frame", "around = \"aside\"", "around = \"above\""),
    (
        "the shadows of a view",
        "four.frame",
        "reads = [ \"shadow_above\" ]",
        "reads = [ \"shadow_aside\" ]",
    ),
    (
        "the part of another",
        "four.frame",
        "normals = { rectangle = [ 0.5 0.5 0.5 0.5 ] }",
        "normals = { rectangle = [ 0.55 0.5 0.45 0.5 ] }",
    ),
    (
        "the sky of a view",
        "four.frame",
        "reads = [ \"shadow_aside\" ]
        layers = [
            { name = \"opaque\" order = \"by_state\" }
            { name = \"sky\" takes = \"picture\" material = \"core/materials/sky\" }",
        "reads = [ \"shadow_aside\" ]
        layers = [
            { name = \"opaque\" order = \"by_state\" }",
    ),
    (
        "the picture in the picture",
        "four.frame",
        "inset = { rectangle = [ 0.375 0.375 0.25 0.25 ] }",
        "inset = { rectangle = [ 0.4 0.375 0.25 0.25 ] }",
    ),
    ("what is in front in it", "four.frame", "clear = { depth = 1 } // inset", ""),
    ("a text in the world", "main.lua", "Draw.text", "-- Draw.text"),
    ("its height", "main.lua", "\"ball 42\", 0.6", "\"ball 42\", 0.45"),
    ("its place", "main.lua", "Vector3(0, 1.2, 0), \"ball", "Vector3(0.4, 1.2, 0), \"ball"),
    ("a sphere of lines", "main.lua", "0.9, Vector3(0, 1, 1)", "0.5, Vector3(0, 1, 1)"),
    ("a cross", "main.lua", "Draw.cross", "-- Draw.cross"),
    ("a line in the world", "main.lua", "Draw.line", "-- Draw.line"),
    ("a text from the right", "main.lua", "Draw.screen_text(-100, 78", "Draw.screen_text(100, 78"),
    ("its digits", "main.lua", "right 17", "right 84"),
    ("a text from below", "main.lua", "Draw.screen_text(6, -22", "Draw.screen_text(6, -32"),
    ("a line on the screen", "main.lua", "Draw.screen_line", "-- Draw.screen_line"),
    ("the range of a graph", "main.lua", "\"heights\", 0, 10", "\"heights\", 0, 30"),
    ("the color of a graph", "main.lua", "#ff8000", "#0080ff"),
];

/// The frame of the sample, with another view in the middle, over the others.
fn frame() -> String {
    let views = "screen = {}\n    inset = { rectangle = [ 0.375 0.375 0.25 0.25 ] }";
    let pass = "
    {
        name = \"inset\"
        view = \"inset\"
        color = [ \"window\" ]
        depth = \"depth\"
        clear = { depth = 1 } // inset
        layers = [ { name = \"opaque\" order = \"by_state\" material = \"core/materials/normals\" } ]
    }
]";
    let text =
        FRAME.replace("screen = {}", views).replace("size = [ 1024 1024 ]", "size = [ 512 512 ]");
    format!("{}{pass}", text.trim_end().strip_suffix(']').expect("it ends with its passes"))
}

fn sources() -> Vec<(String, String)> {
    let config = "title = \"Views\" level = \"yard\" frame = \"four\" script = \"main\" window = [ 480 272 ] \
                  time_step = { policy = \"each_frame\" step = 0.02 }";
    let texts = [
        ("four.frame", frame()),
        ("yard.level", LEVEL.replacen("entities = {", AWAY, 1)),
        ("main.lua", SCRIPT.to_owned()),
        ("game.config", config.to_owned()),
    ];
    texts.map(|(name, text)| (name.to_owned(), text)).into()
}

fn project() -> Game {
    let game = Game::new(1);
    sources().iter().for_each(|(name, text)| game.write(name, text));
    game
}

#[test]
fn the_picture_is_the_one_that_is_kept() {
    PAGE.check();
}

#[test]
fn each_fault_is_found() {
    PAGE.check_faults();
}

/// A line in the world is once in each view of the world, and not over the picture that the last
/// view makes of them all.
#[test]
fn a_line_is_once_in_each_view() {
    const WIDTH: usize = 480;
    const HEIGHT: usize = 272;
    let level = "entities = {
        eye = { components = { transform = { position = [ 0 1 6 ] } camera = {} } }
        sun = { components = { transform = {} sun = {} } }
    }";
    let script =
        "function update() Draw.line(Vector3(-3, 1, 0), Vector3(3, 1, 0), Vector3(1, 0, 1)) end";
    let game = Game::new(1);
    for (name, text) in sources() {
        let text = match &*name {
            "four.frame" => FRAME,
            "yard.level" => level,
            "main.lua" => script,
            _ => &text,
        };
        game.write(&name, text);
    }
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    let options = EngineOptions { back_end: BackEndChoice::Auto, ..game.options(&data) };
    with_engine(&options, |engine| {
        for _ in 0..3 {
            engine.want_picture();
            engine.frame(&mut ()).expect("a frame");
            engine.finish().expect("it is drawn");
        }
        if engine.picture().is_empty() {
            return println!("there is no driver: {:?}", game.log.all());
        }
        let is_line = |pixel: &[u8]| pixel[0] > 120 && pixel[1] < 60 && pixel[2] > 120;
        let around = |row: usize| {
            let rows = engine.picture().chunks_exact(WIDTH * 4).skip(row - 4).take(8);
            rows.flat_map(|row| row.chunks_exact(4)).filter(|pixel| is_line(pixel)).count()
        };
        let [upper, middle, lower] = [HEIGHT / 4, HEIGHT / 2, HEIGHT * 3 / 4].map(around);
        // Two views next to each other, half as wide as the picture each.
        assert!(upper > 200 && lower > 200, "{upper}, {lower}");
        assert_eq!(middle, 0, "over the whole picture");
    })
    .expect("it boots");
}
