//! Particle effects whose particles have only the fields that they need, moved by functions that
//! ask for fields and not for types.
//!
//! Run it with `cargo run -p loligo-containers --example particles`.

use core::error::Error;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::{Field, OpenArray, OpenLayout};
use loligo_ids::{IdString32, id32};

const POSITION: Field<[f32; 3]> = Field::new(id32!("position"));
const VELOCITY: Field<[f32; 3]> = Field::new(id32!("velocity"));
const AGE: Field<f32> = Field::new(id32!("age"));
const LIFE: Field<f32> = Field::new(id32!("life"));
const SIZE: Field<f32> = Field::new(id32!("size"));
const DRAG: Field<f32> = Field::new(id32!("drag"));

/// A step of a simulation: it says whether the particles had what it asks for.
type Step = fn(&mut OpenArray<'_>, f32) -> bool;

/// All steps run over all effects; each finds out by itself where it has nothing to do.
const STEPS: [(&str, Step); 5] = [
    ("gravity", fall),
    ("drag", slow_down),
    ("integrate_position", integrate_position),
    ("grow", grow),
    ("age", grow_older),
];

fn integrate_position(particles: &mut OpenArray<'_>, dt: f32) -> bool {
    particles.sweep((POSITION.write(), VELOCITY.read()), |(position, velocity)| {
        for axis in 0..3 {
            position[axis] += velocity[axis] * dt;
        }
    })
}

/// Smoke is lighter than air: what has a size does not fall.
fn fall(particles: &mut OpenArray<'_>, dt: f32) -> bool {
    particles.type_of(SIZE.name()).is_none()
        && particles.sweep((VELOCITY.write(),), |(velocity,)| velocity[2] -= 9.82 * dt)
}

fn slow_down(particles: &mut OpenArray<'_>, dt: f32) -> bool {
    particles.sweep((VELOCITY.write(), DRAG.read()), |(velocity, drag)| {
        for axis in velocity {
            *axis -= *axis * *drag * dt;
        }
    })
}

fn grow(particles: &mut OpenArray<'_>, dt: f32) -> bool {
    particles.sweep((SIZE.write(), AGE.read()), |(size, age)| *size += dt * (1.0 - age))
}

/// Particles with an age die when it exceeds their life, where they have one, or one second.
fn grow_older(particles: &mut OpenArray<'_>, dt: f32) -> bool {
    // Resolved once, as this function goes on to look at rows one by one.
    let Some(age) = particles.field::<f32>(AGE.name()) else { return false };
    let life = particles.field::<f32>(LIFE.name());
    particles.sweep((age.write(),), |(age,)| *age += dt);
    for row in (0..particles.len()).rev() {
        let life = life.and_then(|life| particles.get(row, life)).unwrap_or(1.0);
        if particles.get(row, age).is_some_and(|age| age > life) {
            particles.swap_remove(row);
        }
    }
    true
}

/// Runs all steps and returns the names of those that had something to do.
fn simulate(particles: &mut OpenArray<'_>, dt: f32) -> Vec<&'static str> {
    STEPS.iter().filter(|(_, step)| step(particles, dt)).map(|(name, _)| *name).collect()
}

/// The names for tools; the game itself has their hashes alone.
fn name(id: IdString32) -> Option<&'static str> {
    let names = ["position", "velocity", "age", "life", "size", "drag"];
    names.into_iter().find(|name| IdString32::new(name) == id)
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let memory = HeapAllocator::new("effects", &pages);

    // Sparks fly, fall and die. Smoke comes as data, from a file that an artist made.
    let mut sparks: OpenArray = OpenArray::new(OpenLayout::StructOfArrays, &memory);
    let position = sparks.try_add_field(POSITION)?;
    let velocity = sparks.try_add_field(VELOCITY)?;
    let life = sparks.try_add_field(LIFE)?;
    sparks.try_add_field(AGE)?;
    for number in 0..1000_u16 {
        let row = sparks.push();
        let angle = f32::from(number);
        sparks.set(row, position, [0.0, 0.0, 1.0]);
        sparks.set(row, velocity, [angle % 7.0 - 3.0, angle % 5.0 - 2.0, 4.0]);
        sparks.set(row, life, 0.25 + (angle % 10.0) * 0.1);
    }
    let smoke = br#"[
        {"position": [0, 0, 1], "velocity": [0, 0, 0.5], "size": 0.1, "age": 0.0},
        {"position": [0, 1, 1], "velocity": [0, 0.5, 1], "size": 0.2, "age": 0.0}
    ]"#;
    let mut smokes: OpenArray = OpenArray::new(OpenLayout::ArrayOfStructs, &memory);
    smokes.try_add_field(POSITION)?;
    smokes.try_add_field(VELOCITY)?;
    smokes.try_extend_from_json(smoke)?;

    let dt = 1.0 / 32.0;
    println!("sparks: {}", simulate(&mut sparks, dt).join(", "));
    println!("smoke:  {}", simulate(&mut smokes, dt).join(", "));
    let done = simulate(&mut sparks, dt);
    assert_eq!(done, ["gravity", "integrate_position", "age"], "sparks do not grow");
    let done = simulate(&mut smokes, dt);
    assert_eq!(done, ["integrate_position", "grow", "age"], "smoke does not fall");

    // While the game runs, the artist gives smoke a drag. What flies already gets it, too.
    let drag = smokes.try_add_field(DRAG)?;
    smokes.sweep((drag.write(),), |(drag,)| *drag = 2.0);
    let before = smokes.get(1, VELOCITY);
    println!("smoke:  {} (with drag)", simulate(&mut smokes, dt).join(", "));
    assert_eq!(before, Some([0.0, 0.5, 1.0]), "nothing had slowed it down");
    let after = smokes.get(1, VELOCITY);
    assert_eq!(after, Some([0.0, 0.46875, 0.9375]), "drag takes a sixteenth a step");

    for frame in 0..16 {
        simulate(&mut sparks, dt);
        if frame % 5 == 0 {
            println!("frame {frame:2}: {} sparks fly", sparks.len());
        }
    }
    assert!(sparks.len() < 800, "{} sparks live", sparks.len());

    // Four bytes are a float: a particle is no larger than the native struct would be.
    let words: u32 = sparks.fields().map(|(_, field_type)| field_type.words()).sum();
    println!("a spark is {} bytes", 4 * words);
    let native = size_of::<([f32; 3], [f32; 3], f32, f32)>();
    assert_eq!(4 * words as usize, native, "a spark is as large as the native struct");

    let mut json = String::new();
    smokes.write_json(name, &mut json)?;
    println!("{json}");
    Ok(())
}
