//! What is done with voices that play.

use loligo_allocators::PageAllocator;
use loligo_ids::IdString32;
use loligo_sound::{BLOCK, Control, Mixer, MixerEvent, MixerSettings, Pipe, Play, PlayError, Wave};

use crate::memory::{every_refusal, with_memory};
use crate::tones::{left, mixer, render, sine, wave};

/// A wave that is louder in each frame, so that a sample says where it is from.
fn stairs(frames: i16) -> Vec<i16> {
    (1..=frames).collect()
}

#[test]
fn a_voice_begins_at_the_frame_that_was_said() {
    with_memory(|memory| {
        for wait in [0, 1, 77, 128, 300] {
            let mut mixer = mixer(memory);
            let id = mixer.add_wave(wave(&stairs(500), memory)).expect("there is memory");
            mixer.play(&Play { wait, from: 10, ..Play::new(id) }).expect("it plays");
            let heard = left(&render(&mut mixer, 700));
            let first = heard.iter().position(|sample| *sample != 0.0);
            assert_eq!(first, Some(wait as usize), "it waits for {wait} frames");
            assert_eq!(heard[wait as usize] * 32_768.0, 11.0, "and begins at frame 10");
        }
    });
}

#[test]
fn what_has_ended_is_said_once_and_its_id_is_stale() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let id = mixer.add_wave(wave(&stairs(100), memory)).expect("there is memory");
        let voice = mixer.play(&Play::new(id)).expect("it plays");
        render(&mut mixer, BLOCK);
        assert!(mixer.is_playing(voice) || mixer.stats().playing == 0, "within a block of its end");
        render(&mut mixer, BLOCK);
        assert!(!mixer.is_playing(voice), "it has ended");
        let mut events = Vec::new();
        mixer.take_events(|event| events.push(event));
        assert_eq!(events, [MixerEvent::Ended { voice }], "once");
        mixer.take_events(|event| panic!("{event:?} again"));
        assert!(!mixer.set_speed(voice, 2.0) && !mixer.stop(voice, 0), "nothing is done");
        assert_eq!(mixer.stats().stale, 2, "and counted");
    });
}

#[test]
fn a_voice_that_is_stopped_fades_and_ends() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let id = mixer.add_wave(wave(&[16_384; 9000], memory)).expect("there is memory");
        let voice = mixer.play(&Play::new(id)).expect("it plays");
        render(&mut mixer, BLOCK);
        assert!(mixer.stop(voice, 4 * BLOCK as u32), "it plays");
        mixer.set_paused(voice, false);
        let heard = left(&render(&mut mixer, 6 * BLOCK));
        assert!(heard.windows(2).all(|pair| pair[1] <= pair[0]), "it only falls");
        assert!(heard[3 * BLOCK] > 0.0, "over four blocks");
        assert_eq!(heard[4 * BLOCK..], [0.0; 2 * BLOCK], "then there is silence");
        assert!(!mixer.is_playing(voice), "and it has ended");
    });
}

#[test]
fn a_voice_that_is_paused_goes_on_where_it_was() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let id = mixer.add_wave(wave(&stairs(9000), memory)).expect("there is memory");
        let voice = mixer.play(&Play::new(id)).expect("it plays");
        render(&mut mixer, BLOCK);
        mixer.set_paused(voice, true);
        render(&mut mixer, BLOCK);
        let at = mixer.frame_of(voice);
        assert_eq!(left(&render(&mut mixer, 10 * BLOCK)), [0.0; 10 * BLOCK], "nothing is heard");
        assert_eq!(mixer.frame_of(voice), at, "nor played");
        mixer.set_paused(voice, false);
        render(&mut mixer, BLOCK);
        let heard = left(&render(&mut mixer, BLOCK));
        let expected = at.expect("it waits") as usize + BLOCK + 1;
        assert_eq!((heard[0] * 32_768.0) as usize, expected, "after the fade of a block");
    });
}

#[test]
fn a_voice_goes_on_where_it_was_sent() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let id = mixer.add_wave(wave(&stairs(9000), memory)).expect("there is memory");
        let voice = mixer.play(&Play::new(id)).expect("it plays");
        render(&mut mixer, BLOCK);
        assert!(mixer.seek(voice, 5000), "it plays");
        render(&mut mixer, 2 * BLOCK);
        let heard = left(&render(&mut mixer, BLOCK));
        assert_eq!((heard[0] * 32_768.0) as usize, 5000 + BLOCK + 1, "a block later");
        mixer.seek(voice, u32::MAX);
        render(&mut mixer, 3 * BLOCK);
        assert!(!mixer.is_playing(voice), "after its end there is nothing");
    });
}

#[test]
fn ids_of_voices_do_not_run_out() {
    with_memory(|memory| {
        let settings = MixerSettings { voices: 1, ..MixerSettings::default() };
        let mut mixer = Mixer::try_new(&settings, memory).expect("there is memory");
        let id = mixer.add_wave(wave(&[8192], memory)).expect("there is memory");
        let first = mixer.play(&Play::new(id)).expect("it plays");
        // More than there are generations of 12 bits, in one place.
        for count in 0..5000 {
            render(&mut mixer, BLOCK);
            mixer.play(&Play::new(id)).unwrap_or_else(|error| panic!("play {count}: {error}"));
            mixer.take_events(|_| {});
        }
        assert!(!mixer.is_playing(first), "the first is still another");
        let settings = MixerSettings { voices: 2, ..settings };
        let (mut commands, mut events) =
            (Pipe::try_new(1, memory).expect("memory"), Pipe::try_new(1, memory).expect("memory"));
        let ((commands, _), (_, events)) = (commands.split(), events.split());
        let mut control = Control::new(&settings, commands, events, memory);
        control.play(&Play::new(id)).expect("there is room for a command");
        for count in 0..5000 {
            assert_eq!(control.play(&Play::new(id)), Err(PlayError::Busy), "play {count}");
        }
    });
}

#[test]
fn what_cannot_be_played_is_refused_by_name() {
    with_memory(|memory| {
        let settings = MixerSettings { voices: 2, ..MixerSettings::default() };
        let mut mixer = Mixer::try_new(&settings, memory).expect("there is memory");
        let id = mixer.add_wave(wave(&sine(40.0, 900), memory)).expect("there is memory");
        let nowhere = IdString32::new("nowhere");
        assert_eq!(mixer.play(&Play::new(id).on(nowhere)), Err(PlayError::NoBus(nowhere)));
        let first = mixer.play(&Play::new(id)).expect("it plays");
        mixer.play(&Play::new(id)).expect("it plays");
        assert_eq!(mixer.play(&Play::new(id)), Err(PlayError::Full { voices: 2 }));
        mixer.remove_wave(id).expect("it is there");
        assert!(!mixer.is_playing(first), "without its wave it ends");
        assert_eq!(mixer.play(&Play::new(id)), Err(PlayError::NoWave));
        let mut ended = 0;
        mixer.take_events(|_| ended += 1);
        assert_eq!(ended, 2, "and that is said");
    });
}

#[test]
fn numbers_that_are_none_change_nothing() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let id = mixer.add_wave(wave(&sine(40.0, 9000), memory)).expect("there is memory");
        let voice = mixer.play(&Play::new(id)).expect("it plays");
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            mixer.set_gains(voice, [wrong; 2]);
            mixer.set_speed(voice, wrong);
            mixer.set_low_pass(voice, wrong);
            mixer.set_bus_gain(Mixer::<dyn loligo_allocators::Allocator>::MASTER, wrong);
        }
        let heard = left(&render(&mut mixer, 2000));
        let expected: Vec<f32> =
            sine(40.0, 2000).iter().map(|at| f32::from(*at) / 32_768.0).collect();
        assert_eq!(heard, expected, "it plays as before");
    });
}

#[test]
fn a_mixer_without_memory_is_refused_and_leaks_nothing() {
    let refused = every_refusal(|memory| {
        let mixer = Mixer::try_new(&MixerSettings::default(), memory);
        mixer.map(drop).map_err(|error| error.to_string())
    });
    assert!(refused > 4, "{refused} refusals");
}

#[test]
fn a_mixer_obeys_from_another_thread() {
    let pages = PageAllocator::new("test pages");
    let settings = MixerSettings { voices: 8, ..MixerSettings::default() };
    let mut mixer = Mixer::try_new_in(&settings, &pages).expect("there is memory");
    let samples = [8192; 640];
    let wave = Wave::try_new_in(&samples, 1, 48_000, &pages).expect("it is right");
    let wave = mixer.add_wave(wave).expect("there is memory");
    let mut commands = Pipe::try_new_in(4, &pages).expect("there is memory");
    let mut events = Pipe::try_new_in(4, &pages).expect("there is memory");
    let (commands, mut to_obey) = commands.split();
    let (mut said, events) = events.split();
    let mut control = Control::new_in(&settings, commands, events, &pages);
    std::thread::scope(|scope| {
        let rendering = scope.spawn(move || {
            // Until all hundred were heard: each is five blocks, and more play at a time.
            let mut heard = 0.0_f64;
            let mut out = [[0.0; 2]; 77];
            while heard < 100.0 * 640.0 * 0.25 {
                mixer.render_for(&mut to_obey, &mut said, &mut out);
                heard += out.iter().map(|frame| f64::from(frame[0])).sum::<f64>();
            }
            // And until the last events have found room.
            for _ in 0..64 {
                mixer.render_for(&mut to_obey, &mut said, &mut out);
            }
            (heard, mixer)
        });
        let (mut played, mut ended) = (0, 0);
        while played < 100 {
            match control.play(&Play::new(wave)) {
                Ok(_) => played += 1,
                Err(PlayError::Full { voices: 8 } | PlayError::Busy) => std::thread::yield_now(),
                Err(error) => panic!("{error}"),
            }
            control.take_events(|_| ended += 1);
        }
        let (heard, _mixer) = rendering.join().expect("it does not panic");
        control.take_events(|_| ended += 1);
        assert_eq!(heard, 100.0 * 640.0 * 0.25, "each was heard once, and whole");
        assert!(ended >= 92, "{ended} have ended, and the pipe of events has room for four");
    });
}

#[test]
fn what_follows_begins_at_the_frame_after_the_last() {
    with_memory(|memory| {
        // Lengths within a block, of a whole block, and over several.
        for lengths in [[10, 20, 30], [128, 128, 128], [300, 5, 700], [1, 1, 1]] {
            let mut mixer = mixer(memory);
            let (mut last, mut expected) = (None, Vec::new());
            for (at, length) in lengths.into_iter().enumerate() {
                let samples = vec![1000 * (at as i16 + 1); length];
                expected.extend(samples.iter().map(|sample| f32::from(*sample) / 32_768.0));
                let id = mixer.add_wave(wave(&samples, memory)).expect("there is memory");
                let play = Play { after: last, wait: [5, 0, 0][at], ..Play::new(id) };
                last = Some(mixer.play(&play).expect("it plays"));
            }
            let heard = left(&render(&mut mixer, expected.len() + 200));
            assert_eq!(heard[5..5 + expected.len()], expected[..], "{lengths:?}");
            assert!(
                heard[5 + expected.len()..].iter().all(|sample| *sample == 0.0),
                "then nothing"
            );
            assert_eq!(mixer.stats().playing, 0, "all have ended");
        }
    });
}

#[test]
fn what_follows_a_voice_that_is_stopped_begins_or_is_stopped_as_well() {
    with_memory(|memory| {
        let mut mixer = mixer(memory);
        let endless = wave(&[8192; 640], memory).with_loop(0, 640).expect("it is within");
        let endless = mixer.add_wave(endless).expect("there is memory");
        let short = mixer.add_wave(wave(&[16_384; 1280], memory)).expect("there is memory");
        let first = mixer.play(&Play::new(endless).looped()).expect("it plays");
        let second = mixer.play(&Play::new(short).after(first)).expect("it waits");
        let never = mixer.play(&Play::new(short).after(first)).expect("it waits");
        assert_eq!(left(&render(&mut mixer, 2000)), [0.25; 2000], "the first goes on");
        mixer.stop(never, 0);
        mixer.stop(first, 0);
        render(&mut mixer, 2 * BLOCK);
        assert!(!mixer.is_playing(first) && !mixer.is_playing(never), "both have ended");
        assert!(mixer.is_playing(second), "the other has begun");
        let heard = left(&render(&mut mixer, BLOCK));
        assert!(heard.iter().all(|sample| *sample == 0.5), "and is heard alone");
        let late = mixer.play(&Play::new(short).after(first)).expect("it plays");
        render(&mut mixer, 2 * BLOCK);
        assert!(mixer.frame_of(late).is_some_and(|frame| frame > 0), "nothing is waited for");
    });
}
