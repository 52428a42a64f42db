//! Particles that are moved: open arrays and native structs. An operation is a particle.

use core::hint::black_box;

use loligo_containers::{Field, OpenArray, OpenLayout};
use loligo_ids::id32;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

const POSITION: Field<[f32; 3]> = Field::new(id32!("position"));
const VELOCITY: Field<[f32; 3]> = Field::new(id32!("velocity"));
const MASS: Field<f32> = Field::new(id32!("mass"));
const AGE: Field<f32> = Field::new(id32!("age"));

/// About how many particles a pass moves.
const OPERATIONS: u32 = 1_000_000;

const DT: f32 = 1.0 / 64.0;

/// Returns an open array of structs at work.
pub(crate) fn our_structs(rows: u32) -> Contender {
    ours("OpenArray", OpenLayout::ArrayOfStructs, rows)
}

/// Returns an open array of columns at work.
pub(crate) fn our_columns(rows: u32) -> Contender {
    ours("OpenArray", OpenLayout::StructOfArrays, rows)
}

/// Returns a vector of native structs at work.
pub(crate) fn native_structs(rows: u32) -> Contender {
    let mut particles: Vec<Particle> = (0..rows).map(Particle::new).collect();
    passes("Vec of structs", rows, move || move_structs(&mut particles, black_box(DT)))
}

/// Returns a native struct of vectors at work.
pub(crate) fn native_columns(rows: u32) -> Contender {
    let mut particles = Particles {
        position: (0..rows).map(|row| Particle::new(row).position).collect(),
        velocity: (0..rows).map(|row| Particle::new(row).velocity).collect(),
    };
    passes("struct of Vecs", rows, move || move_columns(&mut particles, black_box(DT)))
}

/// Returns an open array of columns at work on two of floats.
pub(crate) fn our_floats(rows: u32) -> Contender {
    let mut particles = filled(OpenLayout::StructOfArrays, rows);
    let fields = (particles.field::<f32>(AGE.name()), particles.field::<f32>(MASS.name()));
    let (Some(age), Some(mass)) = fields else { unreachable!("both were added") };
    passes("OpenArray", rows, move || {
        age_open(&mut particles, age, mass, black_box(DT));
    })
}

/// Returns a native struct of vectors at work on two of floats.
pub(crate) fn native_floats(rows: u32) -> Contender {
    let mut ages = Ages { age: vec![0.0; rows as usize], mass: vec![1.0; rows as usize] };
    passes("struct of Vecs", rows, move || age_columns(&mut ages, black_box(DT)))
}

#[derive(Clone, Copy)]
struct Particle {
    position: [f32; 3],
    velocity: [f32; 3],
    mass: f32,
    age: f32,
}

impl Particle {
    fn new(row: u32) -> Self {
        let speed = (row % 8) as f32 - 3.5;
        let velocity = [speed, -speed, speed / 2.0];
        Self { position: [row as f32, 0.0, 1.0], velocity, mass: 1.0, age: 0.0 }
    }
}

struct Particles {
    position: Vec<[f32; 3]>,
    velocity: Vec<[f32; 3]>,
}

struct Ages {
    age: Vec<f32>,
    mass: Vec<f32>,
}

fn ours(name: &'static str, layout: OpenLayout, rows: u32) -> Contender {
    let mut particles = filled(layout, rows);
    passes(name, rows, move || move_open(&mut particles, black_box(DT)))
}

fn filled(layout: OpenLayout, rows: u32) -> OpenArray<'static, Heap> {
    let mut particles: OpenArray<'static, Heap> = OpenArray::new_in(layout, &HEAP);
    let added = (
        particles.try_add_field(POSITION),
        particles.try_add_field(VELOCITY),
        particles.try_add_field(MASS),
        particles.try_add_field(AGE),
    );
    let (Ok(position), Ok(velocity), Ok(mass), Ok(age)) = added else {
        unreachable!("there is memory for four fields");
    };
    for row in 0..rows {
        let particle = Particle::new(row);
        let row = particles.push();
        particles.set(row, position, particle.position);
        particles.set(row, velocity, particle.velocity);
        particles.set(row, mass, particle.mass);
        particles.set(row, age, particle.age);
    }
    particles
}

/// Returns a contender whose pass moves all of `rows` particles by `work`, time and again.
fn passes(name: &'static str, rows: u32, mut work: impl FnMut() + 'static) -> Contender {
    let times = OPERATIONS.div_ceil(rows);
    Contender::new(name, move || {
        // An untimed run first, so that the caches do not hold the data of the contender before.
        work();
        let ns = clock::time(|| (0..times).for_each(|_| work()));
        Pass { ns, operations: u64::from(times) * u64::from(rows) }
    })
}

#[inline(never)]
fn move_open(particles: &mut OpenArray<'_, Heap>, dt: f32) {
    particles.sweep((POSITION.write(), VELOCITY.read()), |(position, velocity)| {
        step(position, velocity, dt);
    });
}

#[inline(never)]
fn move_structs(particles: &mut [Particle], dt: f32) {
    for particle in particles {
        step(&mut particle.position, &particle.velocity, dt);
    }
}

#[inline(never)]
fn move_columns(particles: &mut Particles, dt: f32) {
    for (position, velocity) in particles.position.iter_mut().zip(&particles.velocity) {
        step(position, velocity, dt);
    }
}

#[inline(never)]
fn age_open(particles: &mut OpenArray<'_, Heap>, age: Field<f32>, mass: Field<f32>, dt: f32) {
    particles.sweep((age.write(), mass.read()), |(age, mass)| *age += *mass * dt);
}

#[inline(never)]
fn age_columns(particles: &mut Ages, dt: f32) {
    for (age, mass) in particles.age.iter_mut().zip(&particles.mass) {
        *age += *mass * dt;
    }
}

#[inline(always)]
fn step(position: &mut [f32; 3], velocity: &[f32; 3], dt: f32) {
    for (position, velocity) in position.iter_mut().zip(velocity) {
        *position += velocity * dt;
    }
}
