//! The parameters of sounds against a model, and what they take.

use std::collections::BTreeMap;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_ids::IdString32;
use loligo_sound::{Parameter, Parameters, SoundParameters};
use proptest::prelude::*;

use crate::memory::with_memory;

#[test]
fn the_parameters_of_512_sounds_are_in_40_kib() {
    let pages = PageAllocator::new("test pages");
    let heap = HeapAllocator::new("test heap", &pages);
    let before = heap.stats().granted;
    let mut parameters = Parameters::new(&heap);
    let mut sounds: Vec<SoundParameters> = (0..512).map(|_| SoundParameters::default()).collect();
    for round in 0..3 {
        for (at, sound) in sounds.iter_mut().enumerate() {
            for name in 0..[32, 4][usize::from(at % 16 != 0)] * u32::from(at % 2 == 0) {
                let parameter = Parameter::number(IdString32::from_hash(1 + name), round as f32);
                parameters.try_set(sound, parameter).expect("there is memory");
            }
        }
    }
    let bytes = heap.stats().granted - before + size_of_val(&sounds[..]);
    assert!(bytes <= 40 * 1024, "{bytes} bytes");
}

/// What is done to the parameters of a sound.
#[derive(Clone, Debug)]
enum Step {
    Set { sound: usize, name: u32, value: f32 },
    Remove { sound: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let set = (0_usize..6, 0_u32..12, -100.0_f32..100.0)
        .prop_map(|(sound, name, value)| Step::Set { sound, name, value });
    let remove = (0_usize..6).prop_map(|sound| Step::Remove { sound });
    proptest::collection::vec(prop_oneof![19 => set, 1 => remove], 1..300)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn parameters_are_those_of_a_map(steps in steps()) {
        with_memory(|memory| follows_a_map(memory, &steps))?;
    }
}

fn follows_a_map(memory: &dyn Allocator, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut parameters = Parameters::new(memory);
    let mut sounds: Vec<SoundParameters> = (0..6).map(|_| SoundParameters::default()).collect();
    let mut models = vec![BTreeMap::new(); 6];
    for step in steps {
        match *step {
            Step::Set { sound, name, value } => {
                let parameter = Parameter::number(IdString32::from_hash(name), value);
                parameters.try_set(&mut sounds[sound], parameter).expect("there is memory");
                models[sound].insert(name, value);
            }
            Step::Remove { sound } => {
                parameters.remove(core::mem::take(&mut sounds[sound]));
                models[sound].clear();
            }
        }
        for (sound, model) in sounds.iter().zip(&models) {
            let of = |at: Parameter| (at.name.hash(), at.as_number());
            let found: BTreeMap<u32, f32> = parameters.iter(sound).map(of).collect();
            prop_assert_eq!(&found, model);
        }
    }
    Ok(())
}
