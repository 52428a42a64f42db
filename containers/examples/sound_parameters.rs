//! Parameters of playing sounds: thousands of short lists that are set, changed and ended, in one
//! array.
//!
//! Run it with `cargo run --release -p loligo-containers --example sound_parameters`.
//!
//! After Niklas Frykholm, "An Example in Data-Oriented Design: Sound Parameters" (2011).

use core::error::Error;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{Array, List, ListError, ListPool};
use loligo_ids::{IdString32, id32};

/// A parameter: a hashed name, and either a number or another hashed name. Its reader knows which.
#[derive(Clone, Copy)]
struct Parameter {
    key: IdString32,
    bits: u32,
}

impl Parameter {
    fn number(key: IdString32, value: f32) -> Self {
        Self { key, bits: value.to_bits() }
    }

    fn name(key: IdString32, value: IdString32) -> Self {
        Self { key, bits: value.hash() }
    }
}

/// A sound that plays: plain data, 12 bytes.
struct Sound {
    frames_left: u32,
    volume: f32,
    parameters: List<Parameter>,
}

struct SoundSystem<'a> {
    sounds: Array<'a, Sound>,
    parameters: ListPool<'a, Parameter>,
}

const FORCE: IdString32 = id32!("force");
const MATERIAL: IdString32 = id32!("material");
const DISTANCE: IdString32 = id32!("distance");

impl<'a> SoundSystem<'a> {
    fn new(memory: &'a dyn Allocator) -> Self {
        Self { sounds: Array::new(memory), parameters: ListPool::new(memory) }
    }

    /// Starts a sound with the parameters that are known at once; those become contiguous.
    fn play(&mut self, frames: u32, known: &[Parameter]) -> Result<(), Box<dyn Error>> {
        let parameters = self.parameters.try_create()?;
        self.parameters.try_extend_from_slice(parameters, known)?;
        self.sounds.try_push(Sound { frames_left: frames, volume: 1.0, parameters })?;
        Ok(())
    }

    /// Sets a parameter of a sound, whether or not it was set before.
    fn set(&mut self, sound: usize, parameter: Parameter) -> Result<(), ListError> {
        let list = self.sounds[sound].parameters;
        match self.parameters.find_mut(list, |other| other.key == parameter.key) {
            Some(there) => *there = parameter,
            None => self.parameters.try_push(list, parameter)?,
        }
        Ok(())
    }

    /// Evaluates the curves of all sounds and ends those that are over.
    fn update(&mut self) {
        for sound in self.sounds.as_mut_slice() {
            let number = |key| {
                let found = self.parameters.find(sound.parameters, |other| other.key == key);
                found.map(|parameter| f32::from_bits(parameter.bits))
            };
            let force = number(FORCE).unwrap_or(1.0);
            sound.volume = force.min(4.0) / (1.0 + number(DISTANCE).unwrap_or(0.0));
            sound.frames_left -= 1;
        }
        for at in (0..self.sounds.len()).rev() {
            if self.sounds[at].frames_left == 0 {
                self.parameters.destroy(self.sounds[at].parameters);
                let last = self.sounds.len() - 1;
                self.sounds.as_mut_slice().swap(at, last);
                self.sounds.pop();
            }
        }
        // A little sorting in each frame keeps the lists together.
        self.parameters.settle(512);
    }
}

/// Returns the numbers of an example: the same in each run.
fn numbers() -> impl FnMut(u32) -> u32 {
    let mut state = 7_u32;
    move |bound| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % bound
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let memory = HeapAllocator::new("sounds", &pages);
    let mut system = SoundSystem::new(&memory);
    let mut number = numbers();
    let materials = [id32!("wood"), id32!("steel"), id32!("flesh")];
    for frame in 0..600 {
        for _ in 0..20 {
            let material = materials[number(3) as usize];
            let force = number(100) as f32 / 20.0;
            let known = [Parameter::number(FORCE, force), Parameter::name(MATERIAL, material)];
            system.play(60 + number(120), &known)?;
        }
        // Game code moves some of them, and gives a few a parameter of their own.
        for _ in 0..30 {
            let sound = number(system.sounds.len() as u32) as usize;
            system.set(sound, Parameter::number(DISTANCE, number(50) as f32))?;
            let own = IdString32::new(&format!("switch_{}", number(12)));
            system.set(sound, Parameter::number(own, 1.0))?;
        }
        system.update();
        if frame % 100 == 99 {
            let stats = system.parameters.stats();
            println!(
                "frame {:3}: {:4} sounds, {:5} parameters, {:4} of {:4} links adjacent, {:2} bytes a parameter",
                frame + 1,
                system.sounds.len(),
                stats.items,
                stats.adjacent,
                stats.links,
                stats.bytes / stats.items,
            );
            assert!(stats.adjacent * 10 >= stats.links * 9, "settling keeps up: {stats:?}");
            assert_eq!(stats.lists, system.sounds.len() as u64, "no list outlives its sound");
        }
    }
    let loudest = system.sounds.iter().map(|sound| sound.volume).fold(0.0, f32::max);
    println!("the loudest sound plays at {loudest}");
    assert!(loudest > 1.0 && loudest <= 4.0, "curves were evaluated");
    system.parameters.validate()?;
    drop(system);
    assert_eq!(memory.stats().live, 0, "all blocks went back");
    Ok(())
}
