//! A fountain of particles in one array: born in bulk, moved in place, and swapped out when they
//! have burnt.
//!
//! ```sh
//! cargo run -p loligo-containers --example array_particles
//! ```
#![forbid(unsafe_code)]

use core::error::Error;

use loligo_allocators::{Allocator, FrameAllocator, HeapAllocator, PageAllocator};
use loligo_containers::{Array, GrowError};

/// Seconds of a frame.
const STEP: f32 = 1.0 / 60.0;

/// Particles that are born in a frame.
const BORN: usize = 50;

#[derive(Clone, Copy, Debug)]
struct Particle {
    position: [f32; 3],
    velocity: [f32; 3],
    seconds_left: f32,
}

/// Adds the particles of a frame. Each is written once, where it stays.
fn emit(particles: &mut Array<Particle>, frame: u32) -> Result<(), GrowError> {
    particles.try_extend_with(BORN, |index| {
        let turn = (frame as usize * BORN + index) as f32 * 2.4;
        let (side, ahead) = ((turn % 2.0) - 1.0, (turn * 1.7 % 2.0) - 1.0);
        let seconds_left = 0.5 + (turn % 1.0);
        Particle { position: [0.0; 3], velocity: [side, 9.0, ahead], seconds_left }
    })
}

/// Moves all particles and takes out those that have burnt. Their order does not matter, so the
/// last one fills the gap and nothing else moves.
fn simulate(particles: &mut Array<Particle>) -> usize {
    let before = particles.len();
    let mut index = 0;
    while let Some(particle) = particles.get_mut(index) {
        particle.velocity[1] -= 9.81 * STEP;
        for (place, speed) in particle.position.iter_mut().zip(particle.velocity) {
            *place += speed * STEP;
        }
        particle.seconds_left -= STEP;
        if particle.seconds_left <= 0.0 {
            particles.swap_remove(index);
        } else {
            index += 1;
        }
    }
    before - particles.len()
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("effects", &pages);
    let mut scratch = [core::mem::MaybeUninit::uninit(); 64 << 10];
    let mut frame_memory = FrameAllocator::from_region("frame", &mut scratch);

    let mut particles: Array<Particle> = Array::new(&heap);
    println!("frame  alive  burnt  above 2 m  room for  bytes in use");
    for frame in 0..=180_u32 {
        emit(&mut particles, frame)?;
        let burnt = simulate(&mut particles);

        // What is drawn lives as long as the frame: gathered, leaked as a plain slice, and gone
        // with the rest.
        let mut visible = Array::new(&frame_memory);
        visible.try_extend(
            particles.iter().map(|particle| particle.position).filter(|at| at[1] > 2.0),
        )?;
        let visible: &[[f32; 3]] = visible.leak();
        if frame % 30 == 0 {
            let bytes = heap.stats().granted;
            let (alive, above, room) = (particles.len(), visible.len(), particles.capacity());
            println!("{frame:5} {alive:6} {burnt:6} {above:10} {room:9} {bytes:13}");
        }
        frame_memory.reset();
    }

    // As many burn as are born once the first have reached their greatest age.
    let alive = particles.len();
    assert!((40 * BORN..=70 * BORN).contains(&alive), "{alive} particles are alive");
    assert_eq!(heap.stats().live, 1, "all particles are in one block");

    // The effect ends: the rest is let burn out, and the memory goes back.
    particles.retain(|particle| particle.seconds_left > 0.8);
    particles.try_shrink_to_fit()?;
    println!(
        "after the effect {} are left, with room for {}",
        particles.len(),
        particles.capacity()
    );
    assert!(particles.capacity() < alive / 2, "room for {} was kept", particles.capacity());
    Ok(())
}
