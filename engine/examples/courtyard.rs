//! Writes the level of the courtyard and the props that it is made of: 10 000 entities of a few
//! parts.
//!
//! `cargo run -p loligo-engine --example courtyard -- samples/10-courtyard` writes what is there
//! already: the random numbers come from a generator with a fixed seed, so each run gives the same
//! files.

use core::error::Error;
use core::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The number of entities of the level.
const ENTITIES: usize = 10_000;

/// Where the sign is: between the camera and the fountain.
const SIGN: [f32; 3] = [-5.0, 0.0, 10.5];

const USAGE: &str = "\
Writes the sources of the sample 10-courtyard that are made by rule: props/*.entity and courtyard.level.

Usage: cargo run -p loligo-engine --example courtyard -- FOLDER

Example: cargo run -p loligo-engine --example courtyard -- samples/10-courtyard
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("--help" | "-h"), _) => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        (Some(folder), None) if !folder.starts_with('-') => match write(Path::new(folder)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("courtyard: {folder}: {error}");
                ExitCode::from(2)
            }
        },
        _ => {
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Writes all files into a folder.
///
/// # Errors
///
/// What the system says.
pub(crate) fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder.join("props"))?;
    for (path, text) in files() {
        fs::write(folder.join(path), text)?;
    }
    Ok(())
}

/// A prop: its file, and how many entities one of it is.
struct Prop {
    name: &'static str,
    text: String,
    entities: usize,
}

fn files() -> Vec<(PathBuf, String)> {
    let props = [
        wall(),
        tower(),
        paving(),
        orange_tree(),
        cypress(),
        fountain(),
        lantern(),
        lamp_post(),
        sign(),
        bird(),
        meadow(),
    ];
    let mut files = vec![("courtyard.level".into(), level(&props))];
    for Prop { name, text, .. } in props {
        files.push((format!("props/{name}.entity").into(), text));
    }
    files
}

/// An entity that is written.
#[derive(Clone, Copy)]
struct Part<'p> {
    mesh: &'p str,
    material: &'p str,
    position: [f32; 3],
    /// Around the vertical axis, in radians.
    turn: f32,
    scale: [f32; 3],
    tag: Option<&'p str>,
}

impl Part<'_> {
    const fn new<'p>(mesh: &'p str, material: &'p str, position: [f32; 3]) -> Part<'p> {
        Part { mesh, material, position, turn: 0.0, scale: [1.0; 3], tag: None }
    }
}

/// A file that is written.
struct Source {
    text: String,
    entities: usize,
}

impl Source {
    /// Begins an entity with children, whose root has no look.
    fn prop(about: &str, tag: Option<&str>) -> Self {
        let tag = tag.map_or(String::new(), |tag| format!(" tag = \"{tag}\""));
        let text = format!(
            "// {about} Written by `--example courtyard`.\ncomponents = {{{tag} }}\nchildren = {{\n"
        );
        Self { text, entities: 1 }
    }

    fn part(&mut self, name: &str, part: &Part<'_>) {
        let Part { mesh, material, position: [x, y, z], turn, scale: [w, h, d], tag } = *part;
        let _ = write!(
            self.text,
            "{name}={{components={{transform={{position=[{} {} {}]",
            n(x),
            n(y),
            n(z)
        );
        self.turned(turn);
        if [w, h, d] != [1.0; 3] {
            let _ = write!(self.text, " scale=[{} {} {}]", n(w), n(h), n(d));
        }
        let _ = write!(
            self.text,
            "}} model={{mesh=\"meshes/{mesh}\" material=\"materials/{material}\"}}"
        );
        if let Some(tag) = tag {
            let _ = write!(self.text, " tag=\"{tag}\"");
        }
        self.text.push_str("}}\n");
        self.entities += 1;
    }

    /// A light without a look: color, brightness, and how far it shines.
    fn light(&mut self, height: f32, color: [f32; 3], intensity: f32, range: f32) {
        let [red, green, blue] = color.map(n);
        let _ = writeln!(
            self.text,
            "shine={{components={{transform={{position=[0 {} 0]}} light={{color=[{red} {green} {blue}] \
             intensity={} range={}}}}}}}",
            n(height),
            n(intensity),
            n(range)
        );
        self.entities += 1;
    }

    fn placed(&mut self, name: &str, prop: &Prop, position: [f32; 3], turn: f32, scale: f32) {
        let [x, y, z] = position;
        let _ = write!(
            self.text,
            "{name}={{inherit=\"props/{}\" components={{transform={{position=[{} {} {}]",
            prop.name,
            n(x),
            n(y),
            n(z)
        );
        self.turned(turn);
        if scale != 1.0 {
            let _ = write!(self.text, " scale={}", n(scale));
        }
        self.text.push_str("}}}\n");
        self.entities += prop.entities;
    }

    fn turned(&mut self, turn: f32) {
        if turn != 0.0 {
            let (sin, cos) = (turn * 0.5).sin_cos();
            let _ = write!(self.text, " rotation=[0 {} 0 {}]", n6(sin), n6(cos));
        }
    }

    fn finish(mut self, name: &'static str) -> Prop {
        self.text.push_str("}\n");
        Prop { name, text: self.text, entities: self.entities }
    }
}

/// A number to the millimetre.
fn n(number: f32) -> String {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn n6(number: f32) -> String {
    format!("{number:.6}")
}

/// Numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }
}

/// 48 m of blocks with battlements and banners.
fn wall() -> Prop {
    let mut source = Source::prop("A wall.", None);
    let mut numbers = Numbers(1);
    for row in 0..8 {
        for at in 0..32 {
            let shift = if row % 2 == 0 { 0.0 } else { 0.75 };
            let x = at as f32 * 1.5 - 23.25 + shift;
            let depth = numbers.within(0.92, 1.06);
            let part = Part {
                scale: [1.47, 0.73, depth],
                ..Part::new("block", "stone", [x, row as f32 * 0.75 + 0.375, 0.0])
            };
            source.part(&format!("b{row}_{at}"), &part);
        }
    }
    for at in 0..32 {
        let part = Part::new("merlon", "stone", [at as f32 * 1.5 - 23.25, 6.0, 0.0]);
        source.part(&format!("m{at}"), &part);
    }
    for at in 0..7 {
        let part = Part {
            scale: [1.5; 3],
            turn: core::f32::consts::PI,
            tag: Some("banner"),
            ..Part::new("banner", "cloth", [at as f32 * 6.0 - 18.0, 5.6, -0.75])
        };
        source.part(&format!("f{at}"), &part);
    }
    source.finish("wall")
}

/// A tower with a roof, and a clock on each side.
fn tower() -> Prop {
    let mut source = Source::prop("A tower with clocks.", None);
    for ring in 0..9 {
        let scale = if ring % 3 == 2 { [5.2, 0.5, 5.2] } else { [4.8, 1.6, 4.8] };
        let height = (ring / 3) as f32 * 3.7 + [0.8, 2.4, 3.45][ring % 3];
        let material = if ring % 3 == 2 { "stone" } else { "plaster_rose" };
        let part = Part { scale, ..Part::new("block", material, [0.0, height, 0.0]) };
        source.part(&format!("r{ring}"), &part);
    }
    source.part("roof", &Part::new("roof_tower", "tiles", [0.0, 11.1, 0.0]));
    for side in 0..4 {
        let turn = side as f32 * core::f32::consts::FRAC_PI_2;
        let out = |away: f32, up: f32| [turn.sin() * away, up, turn.cos() * away];
        for (name, up) in [("low", 1.4), ("middle", 5.1)] {
            let part = Part { turn, ..Part::new("window_frame", "marble", out(2.42, up)) };
            source.part(&format!("{name}{side}"), &part);
        }
        for (name, mesh, material, away, scale, tag) in [
            ("dial", "clock_dial", "dial", 2.46, 1.0, None),
            ("marks", "clock_marks", "ink", 2.46, 1.0, None),
            ("hour", "clock_hand", "ink", 2.62, 0.75, Some("hour_hand")),
            ("minute", "clock_hand", "ink", 2.64, 1.0, Some("minute_hand")),
        ] {
            let part = Part {
                turn,
                scale: [scale, scale, 1.0],
                tag,
                ..Part::new(mesh, material, out(away, 9.1))
            };
            source.part(&format!("{name}{side}"), &part);
        }
    }
    source.finish("tower")
}

/// 12 m by 12 m of slabs.
fn paving() -> Prop {
    let mut source = Source::prop("Slabs.", None);
    let mut numbers = Numbers(2);
    for at in 0..64 {
        let (x, z) = ((at % 8) as f32 * 1.5 - 5.25, (at / 8) as f32 * 1.5 - 5.25);
        let part = Part {
            turn: numbers.within(-0.012, 0.012),
            scale: [1.47, 0.2, 1.47],
            ..Part::new("block", "paving", [x, numbers.within(-0.07, -0.045), z])
        };
        source.part(&format!("s{at}"), &part);
    }
    source.finish("paving")
}

fn orange_tree() -> Prop {
    let mut source = Source::prop("An orange tree.", None);
    let mut numbers = Numbers(3);
    source.part("trunk", &Part::new("trunk", "wood", [0.0; 3]));
    source.part("crown", &Part::new("orange_crown", "leaves", [0.0; 3]));
    for at in 0..14 {
        let (angle, up) = (at as f32 * 2.4, numbers.within(-0.55, 0.5));
        let reach = 1.05 * (1.0 - up * up).sqrt();
        let position = [angle.cos() * reach, 2.4 + up, angle.sin() * reach - 0.1];
        let part = Part { scale: [0.17; 3], ..Part::new("ball", "orange", position) };
        source.part(&format!("o{at}"), &part);
    }
    source.finish("orange_tree")
}

fn cypress() -> Prop {
    let mut source = Source::prop("A cypress.", None);
    source.part("trunk", &Part::new("trunk", "wood", [0.0; 3]));
    source.part("leaves", &Part::new("cypress_leaves", "leaves_dark", [0.0; 3]));
    source.finish("cypress")
}

/// A basin, a squid of bronze, water, and rings of lights that turn around them.
fn fountain() -> Prop {
    let mut source = Source::prop("A fountain.", None);
    for (name, mesh, material, position, scale) in [
        ("step", "drum", "stone", [0.0, 0.1, 0.0], [11.5, 0.2, 11.5]),
        ("basin", "basin", "marble", [0.0, 0.2, 0.0], [1.6; 3]),
        ("water", "water", "water", [0.0, 1.25, 0.0], [1.6; 3]),
        ("plinth", "plinth", "marble", [0.0, 0.2, 0.0], [1.4; 3]),
        ("squid", "squid", "bronze", [0.0, 2.4, 0.0], [1.45; 3]),
    ] {
        source.part(name, &Part { scale, ..Part::new(mesh, material, position) });
    }
    for at in 0..8 {
        let angle = at as f32 / 8.0 * core::f32::consts::TAU;
        let part = Part {
            turn: -angle,
            scale: [1.3, 1.5, 1.3],
            tag: Some("jet"),
            ..Part::new("jet", "water", [angle.cos() * 1.3, 1.5, angle.sin() * 1.3])
        };
        source.part(&format!("jet{at}"), &part);
    }
    for ring in 0..3 {
        let (height, reach) = (3.6 + ring as f32 * 1.3, 3.8 - ring as f32 * 0.7);
        let _ = writeln!(
            source.text,
            "ring{ring}={{components={{transform={{position=[0 {} 0]}} tag=\"ring\"}} children={{",
            n(height)
        );
        source.entities += 1;
        for at in 0..16 {
            let angle = at as f32 / 16.0 * core::f32::consts::TAU;
            let part = Part {
                turn: -angle,
                scale: [0.14, 0.34, 0.14],
                ..Part::new("crystal", "crystal", [angle.cos() * reach, 0.0, angle.sin() * reach])
            };
            source.part(&format!("c{at}"), &part);
        }
        source.text.push_str("}}\n");
    }
    source.light(3.4, [0.25, 0.75, 0.95], 30.0, 9.0);
    source.finish("fountain")
}

fn lantern() -> Prop {
    let mut source = Source::prop("A lantern in the air.", Some("lantern"));
    let glow = Part { scale: [0.32, 0.45, 0.32], ..Part::new("drum", "lamp", [0.0, 0.0, 0.0]) };
    source.part("glow", &glow);
    for (name, height) in [("cap", 0.28), ("foot", -0.26)] {
        let part =
            Part { scale: [0.4, 0.08, 0.4], ..Part::new("drum", "brass", [0.0, height, 0.0]) };
        source.part(name, &part);
    }
    source.finish("lantern")
}

fn lamp_post() -> Prop {
    let mut source = Source::prop("A lantern on a post.", None);
    source.part("post", &Part::new("lantern", "iron", [0.0; 3]));
    source.part("light", &Part::new("lantern_light", "lamp", [0.0; 3]));
    source.light(2.65, [1.0, 0.55, 0.2], 26.0, 10.0);
    source.finish("lamp_post")
}

/// A plate on two posts, whose texture has a French variant.
fn sign() -> Prop {
    let mut source = Source::prop("A sign with the name of the court.", None);
    for (name, x) in [("left", -2.3), ("right", 2.3)] {
        let part = Part { scale: [0.2, 4.8, 0.2], ..Part::new("block", "iron", [x, 2.4, -0.12]) };
        source.part(name, &part);
    }
    let plate = Part { scale: [5.0, 2.5, 0.08], ..Part::new("block", "sign", [0.0, 3.5, 0.02]) };
    source.part("plate", &plate);
    source.finish("sign")
}

fn bird() -> Prop {
    let mut source = Source::prop("A bird.", Some("bird"));
    source.part("body", &Part::new("bird_body", "bird", [0.0; 3]));
    for (name, turn, tag) in
        [("right", 0.0, "right_wing"), ("left", core::f32::consts::PI, "left_wing")]
    {
        let part = Part { turn, tag: Some(tag), ..Part::new("bird_wing", "bird", [0.0; 3]) };
        source.part(name, &part);
    }
    source.finish("bird")
}

/// 12 m by 12 m of grass and flowers.
fn meadow() -> Prop {
    let mut source = Source::prop("Grass and flowers.", None);
    let mut numbers = Numbers(4);
    for at in 0..100 {
        let x = (at % 10) as f32 * 1.2 - 5.4 + numbers.within(-0.5, 0.5);
        let z = (at / 10) as f32 * 1.2 - 5.4 + numbers.within(-0.5, 0.5);
        let turn = numbers.within(0.0, 6.0);
        let part = match at % 10 {
            0 => Part { scale: [0.22; 3], ..Part::new("ball", "poppy", [x, 0.3, z]) },
            5 => Part { scale: [0.2; 3], ..Part::new("ball", "daisy", [x, 0.26, z]) },
            _ => {
                let (wide, high) = (numbers.within(0.35, 0.6), numbers.within(0.35, 0.95));
                Part { scale: [wide, high, wide], ..Part::new("tuft", "tuft", [x, high * 0.5, z]) }
            }
        };
        source.part(&format!("g{at}"), &Part { turn, ..part });
    }
    source.finish("meadow")
}

fn level(props: &[Prop]) -> String {
    let prop = |name: &str| {
        props.iter().find(|prop| prop.name == name).unwrap_or_else(|| panic!("there is no {name}"))
    };
    let text = String::from(LEVEL_HEAD);
    let mut source = Source { text, entities: LEVEL_HEAD.matches("components =").count() };
    let mut numbers = Numbers(5);
    let quarter = core::f32::consts::FRAC_PI_2;
    for side in 0..4 {
        let turn = side as f32 * quarter;
        let around = |x: f32, z: f32| {
            [x * turn.cos() + z * turn.sin(), 0.0, z * turn.cos() - x * turn.sin()]
        };
        source.placed(&format!("wall{side}"), prop("wall"), around(0.0, -25.0), turn, 1.0);
        source.placed(&format!("tower{side}"), prop("tower"), around(-25.0, -25.0), turn, 1.0);
        arcade(&mut source, side, &around);
        for at in 0..6 {
            let (x, z) = (at as f32 * 4.6 - 11.5, -13.0 + numbers.within(-0.6, 0.6));
            let size = numbers.within(0.85, 1.2);
            let tree = if at % 2 == 0 { "orange_tree" } else { "cypress" };
            let spin = numbers.within(0.0, 6.0);
            source.placed(&format!("tree{side}_{at}"), prop(tree), around(x, z), spin, size);
            let part = Part { turn, ..Part::new("pot", "terracotta", around(x + 1.4, -15.6)) };
            source.part(&format!("pot{side}_{at}"), &part);
        }
        for at in 0..4 {
            let x = at as f32 * 5.0 - 7.5;
            let name = format!("post{side}_{at}");
            source.placed(&name, prop("lamp_post"), around(x, -9.0), turn, 1.0);
            let part = Part { turn, ..Part::new("bench", "wood", around(x + 2.5, -9.4)) };
            source.part(&format!("bench{side}_{at}"), &part);
        }
    }
    for at in 0..16 {
        let position = [(at % 4) as f32 * 12.0 - 18.0, 0.0, (at / 4) as f32 * 12.0 - 18.0];
        let turn = (at * 7 % 4) as f32 * quarter;
        source.placed(&format!("paving{at}"), prop("paving"), position, turn, 1.0);
    }
    source.placed("fountain", prop("fountain"), [0.0; 3], 0.0, 1.0);
    source.placed("sign", prop("sign"), SIGN, -0.28, 1.0);
    for at in 0..60 {
        let angle = at as f32 * 2.4;
        let reach = 6.0 + at as f32 * 0.24;
        let position = [angle.cos() * reach, numbers.within(3.5, 9.0), angle.sin() * reach];
        source.placed(&format!("lantern{at}"), prop("lantern"), position, 0.0, 1.0);
    }
    for at in 0..150 {
        let angle = numbers.within(0.0, core::f32::consts::TAU);
        let reach = numbers.within(12.0, 40.0);
        let position = [angle.cos() * reach, numbers.within(11.0, 22.0), angle.sin() * reach];
        source.placed(&format!("bird{at}"), prop("bird"), position, -angle, 1.0);
    }
    meadows(&mut source, prop("meadow"), &mut numbers);
    source.text.push_str("}\n");
    assert_eq!(source.entities, ENTITIES, "the number of entities is wrong");
    source.text
}

/// Columns, arches on them, and a roof that leans on the wall.
fn arcade(source: &mut Source, side: usize, around: &dyn Fn(f32, f32) -> [f32; 3]) {
    let turn = side as f32 * core::f32::consts::FRAC_PI_2;
    let raised = |[x, _, z]: [f32; 3], y: f32| [x, y, z];
    for at in 0..13 {
        let x = at as f32 * 3.0 - 18.0;
        let part = Part { turn, ..Part::new("column", "marble", around(x, -19.0)) };
        source.part(&format!("column{side}_{at}"), &part);
    }
    for at in 0..12 {
        let x = at as f32 * 3.0 - 16.5;
        let part = Part { turn, ..Part::new("arch", "plaster", raised(around(x, -19.0), 4.0)) };
        source.part(&format!("arch{side}_{at}"), &part);
        let roof = Part {
            turn,
            scale: [1.0, 1.0, 1.6],
            ..Part::new("roof_lean", "tiles", raised(around(x, -21.3), 5.6))
        };
        source.part(&format!("roof{side}_{at}"), &roof);
    }
}

/// Surrounds the walls with grass, and lays pebbles until there are as many entities as there are
/// to be.
fn meadows(source: &mut Source, meadow: &Prop, numbers: &mut Numbers) {
    let mut places: Vec<[f32; 2]> = (0..81)
        .map(|at| [(at % 9) as f32 * 12.0 - 48.0, (at / 9) as f32 * 12.0 - 48.0])
        .filter(|[x, z]| x.abs() > 30.0 || z.abs() > 30.0)
        .collect();
    // Those that the camera sees over the far wall come first.
    let away = |[x, z]: &[f32; 2]| (x - 6.0).hypot(z + 40.0);
    places.sort_by(|one, other| away(one).total_cmp(&away(other)));
    for (at, [x, z]) in places.into_iter().enumerate() {
        if source.entities + meadow.entities > ENTITIES {
            break;
        }
        let turn = (at % 4) as f32 * core::f32::consts::FRAC_PI_2;
        source.placed(&format!("meadow{at}"), meadow, [x, 0.0, z], turn, 1.0);
    }
    let mut at = 0;
    while source.entities < ENTITIES {
        let (angle, reach) =
            (numbers.within(0.0, core::f32::consts::TAU), numbers.within(27.5, 36.0));
        let size = numbers.within(0.15, 0.5);
        let part = Part {
            turn: angle,
            scale: [size, size * 0.6, size * 0.8],
            ..Part::new("ball", "stone", [angle.cos() * reach, 0.05, angle.sin() * reach])
        };
        source.part(&format!("pebble{at}"), &part);
        at += 1;
    }
}

const LEVEL_HEAD: &str = "\
// The courtyard in the evening: written by `cargo run -p loligo-engine --example courtyard --
// samples/10-courtyard`.
entities = {
eye = { components = {
    transform = { position = [ -9 13.5 30 ] rotation = [ -0.155194 -0.151514 -0.024095 0.975898 ] }
    camera = { field_of_view = 56 near = 0.3 far = 400 }
} }
sun = { components = {
    transform = { rotation = [ -0.076322 0.846969 0.126580 0.510682 ] }
    sun = {
        color = [ 1 0.45 0.2 ] intensity = 1.6 sky = [ 0.11 0.15 0.3 ] ground = [ 0.08 0.065 0.06 ]
        fog = [ 0.42 0.3 0.34 ] fog_density = 0.0035 shadow_distance = 110
    }
} }
lawn = { components = {
    transform = { position = [ 0 -0.12 0 ] }
    model = { mesh = \"meshes/lawn\" material = \"materials/grass\" }
} }
";
