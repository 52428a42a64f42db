//! Null tests: what must be the same to the bit.

use loligo_ids::IdString32;
use loligo_sound::{Bus, Play, Wave};

use crate::memory::with_memory;
use crate::tones::{RATE, left, mixer, render, sine, wave};

#[test]
fn a_wave_at_its_own_rate_passes_unchanged() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let samples = sine(37.3, 3000);
        let id = mixer.add_wave(wave(&samples, memory)).expect("there is memory");
        mixer.play(&Play::new(id)).expect("it plays");
        let heard = left(&render(&mut mixer, 3000));
        let expected: Vec<f32> = samples.iter().map(|at| f32::from(*at) / 32_768.0).collect();
        assert_eq!(heard, expected, "the samples of the wave");
    });
}

#[test]
fn a_bus_without_effects_passes_its_input_unchanged() {
    with_memory(|memory| {
        let samples = sine(37.3, 3000);
        let heard = [false, true].map(|through_buses| {
            let mut mixer = mixer(memory);
            let names = ["a", "b"].map(IdString32::new);
            mixer.add_bus(&Bus::new(names[0])).expect("it is right");
            mixer.add_bus(&Bus { into: names[0], ..Bus::new(names[1]) }).expect("it is right");
            let id = mixer.add_wave(wave(&samples, memory)).expect("there is memory");
            let play = Play::new(id).with_speed(0.83);
            mixer.play(&if through_buses { play.on(names[1]) } else { play }).expect("it plays");
            render(&mut mixer, 3000)
        });
        assert_eq!(heard[0], heard[1], "through two buses, and through none");
    });
}

#[test]
fn a_loop_is_seamless_to_the_bit() {
    with_memory(|memory| {
        // Fifty periods of 48 frames, and a loop over three of them that begins within.
        let long = sine(48.0, 48 * 200);
        for speed in [1.0, 0.77, 2.9] {
            let heard = [false, true].map(|is_looped| {
                let mut mixer = mixer(memory);
                let looped = wave(&long[..48 * 5], memory).with_loop(72, 72 + 48 * 3);
                let looped = looped.expect("it is within");
                let wave = if is_looped { looped } else { wave(&long, memory) };
                let id = mixer.add_wave(wave).expect("there is memory");
                mixer.play(&Play::new(id).with_speed(speed).looped()).expect("it plays");
                render(&mut mixer, 3000)
            });
            assert_eq!(
                heard[0], heard[1],
                "a sine that is looped, and one that is long, at {speed}"
            );
        }
    });
}

#[test]
fn two_halves_of_a_stream_are_the_whole() {
    with_memory(|memory| {
        let samples = sine(51.0, 9000);
        let play = |pieces: &[usize]| {
            let mut mixer = mixer(memory);
            let id = mixer.add_wave(wave(&samples, memory)).expect("there is memory");
            mixer.play(&Play { fade: 700, ..Play::new(id).with_speed(1.37) }).expect("it plays");
            let mut all = Vec::new();
            for frames in pieces {
                all.extend(render(&mut mixer, *frames));
            }
            all
        };
        let whole = play(&[4000]);
        assert_eq!(play(&[2000, 2000]), whole, "in halves");
        assert_eq!(play(&[1, 127, 129, 1743, 2000]), whole, "in pieces");
    });
}

#[test]
fn channels_stay_apart() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let samples: Vec<i16> = (0..1000).flat_map(|at| [at as i16, -2 * at as i16]).collect();
        let wave = Wave::try_new(&samples, 2, RATE, memory).expect("it is right");
        let id = mixer.add_wave(wave).expect("there is memory");
        mixer.play(&Play::new(id).with_gains([1.0, 0.5])).expect("it plays");
        for (at, frame) in render(&mut mixer, 1000).iter().enumerate() {
            let expected = at as f32 / 32_768.0;
            assert_eq!(*frame, [expected, -expected], "frame {at}");
        }
    });
}
