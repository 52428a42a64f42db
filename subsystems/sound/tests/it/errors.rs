//! What is said of wrong data.

use loligo_ids::IdString32;
use loligo_sound::{Bus, Compression, Echo, Effect, FilterKind, Filtering, Send, Wave};

use crate::memory::with_memory;
use crate::tones::mixer;

#[test]
fn wrong_waves_are_refused_by_what_is_wrong() {
    with_memory(|memory| {
        let make = |samples: &[i16], channels, rate| {
            Wave::try_new(samples, channels, rate, memory).expect_err("it is wrong").to_string()
        };
        assert_eq!(
            make(&[0; 6], 3, 48_000),
            "a wave has one or two channels, not 3; mix it down first"
        );
        assert_eq!(
            make(&[0; 6], 1, 10),
            "a wave has from 1000 to 768000 samples a second, not 10; resample it first"
        );
        assert!(make(&[], 1, 48_000).starts_with("0 samples do not make a wave"), "there are none");
        let wave = Wave::try_new(&[0; 6], 1, 48_000, memory).expect("it is right");
        let error = wave.with_loop(3, 7).expect_err("it is too long");
        assert_eq!(
            error.to_string(),
            "the loop from frame 3 to 7 is not within the 6 frames of the wave; correct its ends"
        );
        let wave = Wave::try_new(&[0; 6], 1, 48_000, memory).expect("it is right");
        wave.with_loop(3, 3).expect_err("it is empty");
    });
}

#[test]
fn wrong_buses_are_refused_by_name_and_change_nothing() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let [a, b] = ["a", "b"].map(IdString32::new);
        let mut add = |bus: &Bus<'_>| mixer.add_bus(bus).expect_err("it is wrong").to_string();
        let in_none = Bus { into: b, ..Bus::new(a) };
        let shown = |name: IdString32| name.to_string();
        assert_eq!(
            add(&in_none),
            format!(
                "bus `{}`: it flows into `{}`, which is not before it; put that one first",
                shown(a),
                shown(b)
            )
        );
        let sends = [Send { into: b, gain: 1.0 }];
        assert!(add(&Bus::new(a).with_sends(&sends)).contains("it sends to"), "to nothing");
        let compression = Compression {
            threshold: -10.0,
            ratio: 2.0,
            knee: 0.0,
            attack: 0.01,
            release: 0.1,
            makeup: 0.0,
            listen: Some(b),
        };
        let effects = [Effect::Compressor(compression)];
        assert!(add(&Bus::new(a).with_effects(&effects)).contains("listens to"), "to nothing");
        let echo = Echo { seconds: 100.0, feedback: 0.5, damping: 0.0, wet: 1.0, dry: 1.0 };
        let filtering =
            Filtering { kind: FilterKind::Peak, frequency: f32::NAN, quality: 1.0, decibels: 0.0 };
        let effects = [Effect::Echo(echo), Effect::Filter(filtering)];
        assert!(
            add(&Bus::new(a).with_effects(&effects))
                .ends_with("`seconds` of effect 0 must be from 0.001 to 4; correct it"),
            "by effect and field"
        );
        assert!(
            add(&Bus::new(a).with_effects(&effects[1..]))
                .ends_with("`frequency` of effect 0 must be from 10 to 20000 hertz; correct it"),
            "what is no number is in no range"
        );
        let master = IdString32::new("master");
        assert!(add(&Bus::new(master)).contains("there is one of this name"), "twice");
        assert_eq!(mixer.buses().count(), 1, "none was added");
        for number in 0..63 {
            mixer.add_bus(&Bus::new(IdString32::from_hash(number))).expect("there is room");
        }
        let error = mixer.add_bus(&Bus::new(a)).expect_err("there are 64").to_string();
        assert!(error.contains("64 buses at the most"), "{error}");
    });
}
