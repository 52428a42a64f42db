//! Lines that games draw to see what they compute.

use loligo_debug_draw::{DrawBox, DrawLine, DrawLines, DrawScreenText, DrawText, LINES_MAX, Line};
use loligo_engine::{BackEndChoice, Engine, EngineOptions, with_engine};
use loligo_ids::id32;
use loligo_interface::EventText;

use crate::support::Game;

pub(crate) fn game(script: &str) -> Game {
    let game = Game::new(1);
    game.start_with(script);
    game
}

/// Runs a frame, and returns how many bytes of lines its last layer draws.
pub(crate) fn bytes(engine: &mut Engine<'_, '_>) -> usize {
    engine.want_text();
    engine.frame(&mut ()).expect("a frame");
    engine.finish().expect("it is drawn");
    let job = format!("job {:#010x}, ", id32!("debug_lines").hash());
    let lines = engine.text().lines().skip_while(|line| !line.contains("layer 2 sky"));
    let sizes = lines.filter_map(|line| line.trim().strip_prefix(&*job)?.split(' ').next());
    let sizes: Vec<usize> = sizes.map(|size| size.parse().expect("a number")).collect();
    assert!(sizes.len() < 2, "one job a view: {sizes:?}");
    sizes.first().copied().unwrap_or(0)
}

const SCRIPT: &str = "
function update()
    local red, frame = Vector3(1, 0, 0), Game.frame()
    if frame == 1 then
        Draw.line(Vector3(0, 0, 0), Vector3(0, 5, 0), red)
    elseif frame == 2 then
        Draw.box(Vector3(0, 1, 0), Vector3(2, 2, 2), red)
        Draw.sphere(Vector3(0, 1, 0), 2, red)
        Draw.cross(Vector3(0, 1, 0), 2, red)
    elseif frame == 4 then
        Command.draw_line(Vector3(0, 0, 0), Vector3(0, 5, 0), red, 0.025)
    end
    if frame == 8 then print(pcall(Draw.line, 1, 2, 3)) end
end";

#[test]
fn what_is_drawn_is_there_for_its_time() {
    const LINE: usize = 32;
    let game = game(SCRIPT);
    let data = game.data();
    for threads in [1, 4] {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            let drawn: Vec<usize> = (0..9).map(|_| bytes(engine) / LINE).collect();
            // A sixtieth of a second is 16.7 ms, so 25 ms are the frame and the next.
            assert_eq!(drawn, [0, 1, 12 + 72 + 3, 0, 1, 1, 0, 0, 0], "with {threads} threads");
        })
        .expect("it boots");
    }
    let log = game.log.all();
    assert!(log.iter().any(|line| line.contains("Draw.line: argument 1")), "{log:#?}");
}

const TEXTS: &str = "
function update()
    local red, frame, at = Vector3(1, 0, 0), Game.frame(), Vector3(0, 1, 0)
    if frame == 1 then
        Draw.text(at, 'A', 1, red)
    elseif frame == 2 then
        Draw.screen_text(8, -20, 'A A\\n?\u{e4}', 12, red)
        Draw.screen_line(0, 0, -1, -1, red)
    elseif frame == 4 then
        Command.draw_text(at, 'A', 1, red, 0.025)
        Command.draw_screen_text(8, 8, '', 12, red, 1)
        Command.draw_screen_line(0, 0, 1, 1, red, 0)
    elseif frame == 7 then
        print(pcall(Command.draw_text, at, ('x'):rep(97), 1, red, 0))
    end
end";

#[test]
fn texts_are_strokes_that_are_there_for_their_time() {
    let game = game(TEXTS);
    let data = game.data();
    let options = EngineOptions { threads: Some(1), ..game.options(&data) };
    with_engine(&options, |engine| {
        let drawn: Vec<usize> = (0..8).map(|_| bytes(engine) / 32).collect();
        // A question mark has seven strokes, a box for what the font lacks four.
        assert_eq!(drawn, [0, 5, 5 + 5 + 7 + 4 + 1, 0, 6, 5, 0, 0]);
    })
    .expect("it boots");
    let log = game.log.all();
    let said = "`text` has 97 bytes where 96 are the most";
    assert!(log.iter().any(|line| line.contains(said)), "{log:#?}");
}

#[test]
fn what_is_too_much_is_left_out_and_said_once() {
    let game = game("function update() end");
    let data = game.data();
    let without = |name: &str| {
        let mut options = game.options(&data);
        options.without.add(name).expect("it may be left out");
        options
    };
    let boxed = DrawBox { center: [0.0; 3], size: [1.0; 3], color: [1.0; 3], seconds: f32::NAN };
    with_engine(&game.options(&data), |engine| {
        for frame in 0..3 {
            for _ in 0..LINES_MAX / 12 + 2 {
                engine.world_mut().command(boxed).expect("there is memory");
            }
            assert_eq!(bytes(engine), LINES_MAX * 32, "frame {frame}");
        }
        assert_eq!(bytes(engine), 0, "no number of seconds is one frame");
    })
    .expect("it boots");
    let said = |game: &Game| {
        game.log.all().iter().filter(|line| line.contains("131072 debug lines")).count()
    };
    assert_eq!(said(&game), 1, "{:#?}", game.log.all());
    for name in ["debug_draw", "render"] {
        with_engine(&without(name), |engine| {
            for _ in 0..LINES_MAX / 12 + 2 {
                engine.world_mut().command(boxed).expect("there is memory");
            }
            assert_eq!(bytes(engine), 0, "without {name}");
        })
        .expect("it boots");
    }
}

#[test]
fn many_lines_of_one_command_are_drawn_like_those_of_many() {
    let game = game("function update() end");
    let data = game.data();
    let at = |number: u16| glam::Vec3::new(f32::from(number), 0.0, -5.0);
    let red = glam::Vec3::X;
    let text = |act: &dyn Fn(&mut Engine<'_, '_>)| {
        with_engine(&game.options(&data), |engine| {
            assert_eq!(bytes(engine), 0, "none yet");
            act(engine);
            assert_eq!(bytes(engine), 1000 * 32, "all are drawn");
            let text = engine.text().to_owned();
            assert_eq!(bytes(engine), 0, "for one frame");
            text
        })
        .expect("it boots")
    };
    let one = text(&|engine| {
        let lines: Vec<Line> =
            (0..1000).map(|number| Line::new(at(number), at(number) + red, red)).collect();
        let world = engine.world_mut();
        world.command_with_tail(DrawLines { seconds: 0.0 }, &lines).expect("there is memory");
    });
    let many = text(&|engine| {
        for number in 0..1000 {
            let [from, to] = [at(number), at(number) + red].map(|at| at.to_array());
            let line = DrawLine { from, to, color: red.to_array(), seconds: 0.0 };
            engine.world_mut().command(line).expect("there is memory");
        }
    });
    assert_eq!(one, many);
}

#[test]
fn a_line_is_two_pixels_wide_over_all_else() {
    let game = game("function update() end");
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
        // Through the middle of the picture, from where the camera is to the far end and back past
        // the eye, and one that is not before the eye at all.
        let eye = engine.world().camera().expect("the level has one");
        let matrix = *engine.world().transforms().world(eye).unwrap_or(&glam::Affine3A::IDENTITY);
        let at =
            |x: f32, y: f32, z: f32| matrix.transform_point3(glam::Vec3::new(x, y, z)).to_array();
        let line = |from, to, color| DrawLine { from, to, color, seconds: 1.0 };
        engine.frame(&mut ()).expect("a frame");
        let world = engine.world_mut();
        world
            .command(line(at(-9.0, 0.0, -5.0), at(9.0, 0.0, -5.0), [1.0, 0.0, 0.0]))
            .expect("memory");
        world
            .command(line(at(0.5, 0.5, -5.0), at(0.5, 0.5, 5.0), [0.0, 1.0, 0.0]))
            .expect("memory");
        world
            .command(line(at(0.0, -9.0, 5.0), at(0.0, 9.0, 5.0), [0.0, 0.0, 1.0]))
            .expect("memory");
        engine.frame(&mut ()).expect("a frame");
        engine.want_picture();
        engine.frame(&mut ()).expect("a frame");
        engine.finish().expect("it is drawn");
        let picture = engine.picture();
        if picture.is_empty() {
            return println!("there is no driver: {:?}", game.log.all());
        }
        let count =
            |color: [u8; 3]| picture.chunks_exact(4).filter(|pixel| pixel[..3] == color).count();
        let (red, green, blue) = (count([255, 0, 0]), count([0, 255, 0]), count([0, 0, 255]));
        assert!((2 * 640 - 8..=2 * 640).contains(&red), "a line across: {red}");
        assert!(green > 100, "from a point before the eye to the edge of the picture: {green}");
        assert_eq!(blue, 0, "nothing of what is behind is seen");
        let column = (0..360).filter(|y| picture[(y * 640 + 100) * 4..][..3] == [255, 0, 0]);
        assert_eq!(column.count(), 2, "two pixels wide");
    })
    .expect("it boots");
}

/// The letter H of both kinds of texts: each stroke is where it is to be, two pixels wide.
#[test]
fn letters_are_where_they_are_to_be() {
    let game = game("function update() end");
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
        engine.frame(&mut ()).expect("a frame");
        let eye = engine.world().camera().expect("the level has one");
        let matrix = *engine.world().transforms().world(eye).unwrap_or(&glam::Affine3A::IDENTITY);
        let at = matrix.transform_point3(glam::Vec3::new(0.0, 0.0, -5.0)).to_array();
        let text = EventText::new("H");
        let [red, green, blue] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let on_screen =
            |x, y, color| DrawScreenText { x, y, size: 60.0, color, seconds: 1.0, text };
        let world = engine.world_mut();
        world.command(on_screen(100.0, 100.0, red)).expect("there is memory");
        world.command(on_screen(-100.0, -100.0, blue)).expect("there is memory");
        let above = DrawText { at, size: 1.5, color: green, seconds: 1.0, text };
        world.command(above).expect("there is memory");
        engine.frame(&mut ()).expect("a frame");
        engine.want_picture();
        engine.frame(&mut ()).expect("a frame");
        engine.finish().expect("it is drawn");
        let picture = engine.picture();
        if picture.is_empty() {
            return println!("there is no driver: {:?}", game.log.all());
        }
        let is = |x: usize, y: usize, color: [u8; 3]| picture[(y * 640 + x) * 4..][..3] == color;
        let column = |x, color| (0..360).filter(|y| is(x, *y, color)).count();
        let row = |y, color| (0..640).filter(|x| is(*x, y, color)).count();
        for (left, top, color) in [(100, 100, [255, 0, 0]), (540, 260, [0, 0, 255])] {
            // Two uprights of 60 pixels, 40 apart, and a bar between them.
            let columns: Vec<usize> =
                (0..640).filter(|x| column(*x, color) == 60).map(|x| x + 1 - left).collect();
            assert_eq!(columns, [0, 1, 40, 41], "uprights of {color:?}");
            let rows: Vec<usize> = (0..360).filter(|y| row(*y, color) > 4).collect();
            assert_eq!(rows, [top + 29, top + 30], "the bar of {color:?}");
        }
        let uprights: Vec<usize> = (0..640).filter(|x| column(*x, [0, 255, 0]) > 40).collect();
        assert_eq!(uprights.len(), 4, "uprights of one in the world face the eye: {uprights:?}");
        assert_eq!(uprights[0] + uprights[3], 639, "it is in the middle of the picture");
        let high: Vec<usize> = (0..360).filter(|y| row(*y, [0, 255, 0]) > 0).collect();
        assert!(high.last().is_some_and(|y| (178..=181).contains(y)), "it is above its place");
    })
    .expect("it boots");
}
