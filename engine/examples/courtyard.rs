//! Writes the sources of the courtyard: 10 000 entities of a few parts, and the pictures on them.
//!
//! `cargo run -p loligo-engine --example courtyard -- samples/10-courtyard` writes what is there already: numbers are
//! drawn from a generator of its own, so each run gives the same files.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// So many entities the level has.
const ENTITIES: usize = 10_000;

const USAGE: &str = "\
Writes the sources of the sample 10-courtyard that are made by rule: props/*.entity, courtyard.level, textures/*.png.

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
    fs::create_dir_all(folder.join("textures"))?;
    for (path, text) in files() {
        fs::write(folder.join(path), text)?;
    }
    for (name, picture) in [("stone", stone as fn(u32, u32) -> [u8; 3]), ("ground", ground)] {
        write_picture(&folder.join("textures").join(format!("{name}.png")), picture)?;
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
    let props =
        [wall(), tower(), paving(), column(), tree(), fountain(), lantern(), bird(), meadow()];
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

/// 48 m of blocks with battlements.
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
    for at in 0..16 {
        let part = Part {
            scale: [1.6, 0.9, 0.9],
            ..Part::new("block", "stone", [at as f32 * 3.0 - 22.5, 6.45, 0.0])
        };
        source.part(&format!("m{at}"), &part);
    }
    source.finish("wall")
}

fn tower() -> Prop {
    let mut source = Source::prop("A tower with a roof.", None);
    for ring in 0..8 {
        let part = Part {
            scale: [5.0, 1.2, 5.0],
            turn: ring as f32 * 0.13,
            ..Part::new("drum", "stone", [0.0, ring as f32 * 1.2 + 0.6, 0.0])
        };
        source.part(&format!("r{ring}"), &part);
    }
    for at in 0..12 {
        let angle = at as f32 / 12.0 * core::f32::consts::TAU;
        let part = Part {
            scale: [0.8, 0.9, 0.5],
            turn: -angle + core::f32::consts::FRAC_PI_2,
            ..Part::new("block", "stone", [angle.cos() * 2.4, 10.0, angle.sin() * 2.4])
        };
        source.part(&format!("m{at}"), &part);
    }
    let part = Part { scale: [5.6, 4.2, 5.6], ..Part::new("cone", "roof", [0.0, 12.5, 0.0]) };
    source.part("roof", &part);
    source.finish("tower")
}

/// 12 m by 12 m of slabs.
fn paving() -> Prop {
    let mut source = Source::prop("Slabs.", None);
    let mut numbers = Numbers(2);
    for at in 0..64 {
        let (x, z) = ((at % 8) as f32 * 1.5 - 5.25, (at / 8) as f32 * 1.5 - 5.25);
        let part = Part {
            turn: numbers.within(-0.02, 0.02),
            scale: [1.44, 0.2, 1.44],
            ..Part::new("block", "slab", [x, numbers.within(-0.075, -0.04), z])
        };
        source.part(&format!("s{at}"), &part);
    }
    source.finish("paving")
}

fn column() -> Prop {
    let mut source = Source::prop("A column.", None);
    let base = Part { scale: [1.1, 0.4, 1.1], ..Part::new("block", "marble", [0.0, 0.2, 0.0]) };
    source.part("base", &base);
    let shaft = Part { scale: [0.75, 3.4, 0.75], ..Part::new("drum", "marble", [0.0, 2.1, 0.0]) };
    source.part("shaft", &shaft);
    let top = Part { scale: [1.05, 0.35, 1.05], ..Part::new("block", "marble", [0.0, 3.97, 0.0]) };
    source.part("capital", &top);
    source.finish("column")
}

fn tree() -> Prop {
    let mut source = Source::prop("A tree.", None);
    let mut numbers = Numbers(3);
    let trunk = Part { scale: [0.45, 2.6, 0.45], ..Part::new("drum", "bark", [0.0, 1.3, 0.0]) };
    source.part("trunk", &trunk);
    for at in 0..10 {
        let angle = at as f32 * 2.4;
        let (reach, size) = (numbers.within(0.2, 1.1), numbers.within(1.2, 1.9));
        let position = [
            angle.cos() * reach,
            2.6 + at as f32 * 0.2 + numbers.within(0.0, 0.3),
            angle.sin() * reach,
        ];
        let part = Part { scale: [size, size * 0.85, size], ..Part::new("ball", "leaf", position) };
        source.part(&format!("l{at}"), &part);
    }
    source.finish("tree")
}

/// A basin, and above it rings of crystals that turn.
fn fountain() -> Prop {
    let mut source = Source::prop("A fountain.", None);
    for (name, mesh, material, position, scale) in [
        ("step", "drum", "marble", [0.0, 0.15, 0.0], [11.0, 0.3, 11.0]),
        ("basin", "drum", "marble", [0.0, 0.5, 0.0], [9.0, 0.7, 9.0]),
        ("water", "drum", "water", [0.0, 0.82, 0.0], [8.4, 0.1, 8.4]),
        ("pillar", "drum", "marble", [0.0, 2.0, 0.0], [1.0, 3.0, 1.0]),
        ("bowl", "ball", "gold", [0.0, 3.7, 0.0], [1.5, 1.5, 1.5]),
    ] {
        source.part(name, &Part { scale, ..Part::new(mesh, material, position) });
    }
    for ring in 0..3 {
        let (height, reach) = (3.2 + ring as f32 * 1.1, 3.4 - ring as f32 * 0.8);
        let _ = writeln!(
            source.text,
            "ring{ring}={{components={{transform={{position=[0 {} 0]}} tag=\"ring\"}} children={{",
            n(height)
        );
        source.entities += 1;
        for at in 0..12 {
            let angle = at as f32 / 12.0 * core::f32::consts::TAU;
            let part = Part {
                turn: -angle,
                scale: [0.3, 0.75, 0.3],
                ..Part::new("crystal", "crystal", [angle.cos() * reach, 0.0, angle.sin() * reach])
            };
            source.part(&format!("c{at}"), &part);
        }
        source.text.push_str("}}\n");
    }
    source.finish("fountain")
}

fn lantern() -> Prop {
    let mut source = Source::prop("A lantern in the air.", Some("lantern"));
    let glow = Part { scale: [0.42, 0.55, 0.42], ..Part::new("drum", "glow", [0.0, 0.0, 0.0]) };
    source.part("glow", &glow);
    for (name, height) in [("cap", 0.33), ("foot", -0.31)] {
        let part = Part { scale: [0.5, 0.1, 0.5], ..Part::new("drum", "gold", [0.0, height, 0.0]) };
        source.part(name, &part);
    }
    source.finish("lantern")
}

fn bird() -> Prop {
    let mut source = Source::prop("A bird.", Some("bird"));
    let body = Part { scale: [0.24, 0.2, 0.7], ..Part::new("ball", "feather", [0.0, 0.0, 0.0]) };
    source.part("body", &body);
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let part = Part {
            scale: [0.75, 0.04, 0.3],
            tag: Some(if side < 0.0 { "left_wing" } else { "right_wing" }),
            ..Part::new("block", "feather", [side * 0.42, 0.04, 0.0])
        };
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
                Part { scale: [wide, high, wide], ..Part::new("tuft", "grass", [x, high * 0.5, z]) }
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
    // The head has four: the camera, the sun, the lawn, the player's way home.
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
        for at in 0..10 {
            let x = at as f32 * 4.0 - 18.0;
            source.placed(
                &format!("column{side}_{at}"),
                prop("column"),
                around(x, -19.0),
                turn,
                1.0,
            );
            let part = Part {
                turn,
                scale: [4.0, 0.45, 1.2],
                ..Part::new("block", "marble", around(x, -19.0))
            };
            let [px, _, pz] = part.position;
            source.part(&format!("beam{side}_{at}"), &Part { position: [px, 4.37, pz], ..part });
        }
        for at in 0..6 {
            let (x, z) = (at as f32 * 4.6 - 11.5, -13.0 + numbers.within(-0.6, 0.6));
            let size = numbers.within(0.8, 1.25);
            let name = format!("tree{side}_{at}");
            source.placed(&name, prop("tree"), around(x, z), numbers.within(0.0, 6.0), size);
        }
    }
    for at in 0..16 {
        let position = [(at % 4) as f32 * 12.0 - 18.0, 0.0, (at / 4) as f32 * 12.0 - 18.0];
        let turn = (at * 7 % 4) as f32 * quarter;
        source.placed(&format!("paving{at}"), prop("paving"), position, turn, 1.0);
    }
    source.placed("fountain", prop("fountain"), [0.0; 3], 0.0, 1.0);
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
    assert_eq!(source.entities, ENTITIES, "so many the level is to have");
    source.text
}

/// Surrounds the walls with grass, and lays pebbles until there are as many entities as there are to be.
fn meadows(source: &mut Source, meadow: &Prop, numbers: &mut Numbers) {
    let mut places: Vec<[f32; 2]> = (0..81)
        .map(|at| [(at % 9) as f32 * 12.0 - 48.0, (at / 9) as f32 * 12.0 - 48.0])
        .filter(|[x, z]| x.abs() > 30.0 || z.abs() > 30.0)
        .collect();
    // Those that are nearest to the camera come first.
    let away = |[x, z]: &[f32; 2]| (x - 30.0).hypot(z - 38.0);
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
        let (angle, reach) = (numbers.within(0.0, 6.28), numbers.within(27.5, 36.0));
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
// The courtyard: written by `cargo run -p loligo-engine --example courtyard -- samples/10-courtyard`.
entities = {
eye = { components = {
    transform = { position = [ 31 19 41 ] rotation = [ -0.138340 0.314668 0.046413 0.937919 ] }
    camera = { field_of_view = 50 near = 0.3 far = 400 }
} }
sun = { components = {
    transform = { rotation = [ -0.157275 0.815684 0.260843 0.491818 ] }
    sun = {
        color = [ 1 0.86 0.66 ] intensity = 2.6 sky = [ 0.34 0.46 0.68 ] ground = [ 0.2 0.17 0.12 ]
        fog = [ 0.66 0.72 0.8 ] fog_density = 0.0022 shadow_distance = 110
    }
} }
lawn = { components = {
    transform = { position = [ 0 -0.12 0 ] }
    model = { mesh = \"meshes/lawn\" material = \"materials/lawn\" }
} }
";

/// The pixels on a side of a picture.
const SIDE: u32 = 128;

fn write_picture(path: &Path, picture: fn(u32, u32) -> [u8; 3]) -> Result<(), Box<dyn Error>> {
    let file = std::io::BufWriter::new(fs::File::create(path)?);
    let mut encoder = png::Encoder::new(file, SIDE, SIDE);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let pixels: Vec<u8> = (0..SIDE * SIDE).flat_map(|at| picture(at % SIDE, at / SIDE)).collect();
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}

/// Noise from 0 to 1 that repeats after the picture: squares of `cell` pixels, smoothed.
fn noise(x: u32, y: u32, cell: u32, seed: u32) -> f32 {
    let cells = SIDE / cell;
    let corner = |dx: u32, dy: u32| {
        let (cx, cy) = ((x / cell + dx) % cells, (y / cell + dy) % cells);
        let bits = (cx.wrapping_mul(0x9E37_79B1) ^ cy.wrapping_mul(0x85EB_CA77) ^ seed)
            .wrapping_mul(0xC2B2_AE3D);
        ((bits ^ bits >> 15).wrapping_mul(0x27D4_EB2F) >> 8) as f32 / 16_777_216.0
    };
    let smooth = |at: u32| {
        let part = (at % cell) as f32 / cell as f32;
        part * part * (3.0 - 2.0 * part)
    };
    let (sx, sy) = (smooth(x), smooth(y));
    let low = corner(0, 0) * (1.0 - sx) + corner(1, 0) * sx;
    let high = corner(0, 1) * (1.0 - sx) + corner(1, 1) * sx;
    low * (1.0 - sy) + high * sy
}

fn layered(x: u32, y: u32, seed: u32) -> f32 {
    0.45 * noise(x, y, 32, seed) + 0.3 * noise(x, y, 8, seed + 1) + 0.25 * noise(x, y, 2, seed + 2)
}

fn stone(x: u32, y: u32) -> [u8; 3] {
    let bright = 150.0 + 95.0 * layered(x, y, 7);
    [bright, bright * 0.97, bright * 0.92].map(|channel| (channel as u8) & !3)
}

fn ground(x: u32, y: u32) -> [u8; 3] {
    let (bright, dry) = (95.0 + 100.0 * layered(x, y, 31), noise(x, y, 16, 63));
    [bright * (0.62 + 0.3 * dry), bright, bright * 0.42].map(|channel| (channel as u8) & !3)
}
