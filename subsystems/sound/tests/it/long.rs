//! Long waves that a game reads while it plays them.

use core::time::Duration;

use loligo_allocators::SharedRef;
use loligo_containers::BlobBytes;
use loligo_ids::IdString64;
use loligo_interface::{ResourceChange, Subsystem as _, SubsystemError, TailRead};
use loligo_sound::{BlockRead, HearSounds, PackedWave, PlaySound, SoundStarted, StopSound, Wave};
use proptest::prelude::*;

use crate::memory::with_memory;
use crate::playing::{FRAMES, STEP, project};
use crate::project::TestProject;
use crate::subsystem::{Play, TestDevice, play};
use crate::tones::sine;
use crate::waves::wav;

/// Five seconds and a half: nine pieces, the last of which is not whole.
const LENGTH: usize = 264_000;

/// The first frame of the loop and the one after its last, whole periods apart: neither is where a piece begins.
const LOOP: [usize; 2] = [40_000, 263_155];

fn song(more: &str) -> TestProject {
    let samples = sine(51.3, LENGTH);
    let range = format!("loop = [ {} {} ] {more}", LOOP[0], LOOP[1]);
    let song = "wave = \"song\" loop = true";
    project(&[("song", song)], &[("song", &samples[..], &range)], "buses = { main = {} }")
}

fn begin<'m>(project: &TestProject, memory: SharedRef<'m>) -> Play<'m> {
    let mut play = Play::new(project, memory);
    play.plain(HearSounds { is_on: 1 });
    play.plain(ask_for_song());
    play
}

fn ask_for_song() -> PlaySound {
    let sound = IdString64::new("song").hash();
    PlaySound { sound, entity: 0, is_placed: 0, at: [0.0; 3], volume: 0.0 }
}

/// Hands a game what it asks for, after `change` has seen it. Returns what was asked for.
fn serve(
    play: &mut Play<'_>,
    tail: &[u8],
    mut change: impl FnMut(&mut Vec<u8>),
) -> (Vec<TailRead>, Result<(), SubsystemError>) {
    let mut asked = Vec::new();
    play.sound.tails(&mut |read| {
        asked.push(*read);
        true
    });
    let mut done = Ok(());
    for read in &asked {
        let first = tail.len() - read.from_end as usize;
        let mut bytes = tail[first..first + read.bytes as usize].to_vec();
        change(&mut bytes);
        done = done.and(play.sound.take_tail(read, Some(&bytes)));
    }
    (asked, done)
}

/// Plays some updates, and returns the left side of what is heard.
fn updates(play: &mut Play<'_>, tail: &[u8], count: usize) -> Vec<f32> {
    let mut heard = Vec::new();
    for _ in 0..count {
        serve(play, tail, |_| {}).1.expect("it is right");
        play.update(1);
        heard.extend(play.heard().iter().map(|frame| frame[0]));
    }
    heard
}

fn is_loud(heard: &[f32]) -> bool {
    heard.iter().any(|sample| sample.abs() > 0.4)
}

/// The largest step from a sample to the next, but in the first milliseconds, where packing follows a sine badly.
fn steepest(heard: &[f32]) -> f32 {
    heard[500..].windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max)
}

#[test]
fn a_long_wave_is_heard_as_one_in_memory() {
    let (packed, streamed) = (song("packed = true"), song("streamed = true"));
    let tail = streamed.parts("wave", "song").1;
    play(|memory| {
        // Past the end of the loop twice.
        let mut whole = begin(&packed, memory);
        let expected = updates(&mut whole, &[], 700);
        let mut long = begin(&streamed, memory);
        let heard = updates(&mut long, &tail, 700);
        assert_eq!(heard.len(), 700 * FRAMES);
        let differs = heard.iter().zip(&expected).position(|(long, whole)| long != whole);
        assert_eq!(differs, None, "to the bit");
        assert!(is_loud(&heard), "and it is heard");
    });
}

#[test]
fn a_long_update_is_no_late_one() {
    let streamed = song("streamed = true");
    let tail = streamed.parts("wave", "song").1;
    play(|memory| {
        let mut long = begin(&streamed, memory);
        let heard = updates(&mut long, &tail, 8);
        assert!(is_loud(&heard[8 * FRAMES - 100..]), "it is heard");
        for _ in 0..6 {
            serve(&mut long, &tail, |_| {}).1.expect("it is right");
            // Half a second.
            long.steps(1, 30 * STEP).expect("all is right");
            let heard = long.heard();
            assert!(heard.len() > 23_000, "{}", heard.len());
            let pieces = heard.chunks(1000).filter(|piece| piece.len() == 1000);
            for (at, piece) in pieces.enumerate() {
                let loud = piece.iter().any(|frame| frame[0].abs() > 0.4);
                assert!(loud, "it is silent after {at} thousand frames");
            }
        }
    });
}

#[test]
fn a_piece_that_is_late_is_no_click_and_the_song_goes_on_by_its_time() {
    let streamed = song("streamed = true");
    let tail = streamed.parts("wave", "song").1;
    play(|memory| {
        let mut on_time = begin(&streamed, memory);
        let expected = updates(&mut on_time, &tail, 280);
        let mut long = begin(&streamed, memory);
        let mut heard = updates(&mut long, &tail, 20);
        for _ in 20..200 {
            // Nothing is read for three seconds; two are there.
            long.update(1);
            heard.extend(long.heard().iter().map(|frame| frame[0]));
        }
        heard.extend(updates(&mut long, &tail, 80));
        let silent = heard[140 * FRAMES..199 * FRAMES].iter().all(|sample| *sample == 0.0);
        assert!(silent, "what is not there is not heard");
        let [late, right] = [&heard, &expected].map(|heard| steepest(heard));
        assert!(late < right + 0.005, "it clicks: {late} instead of {right}");
        let last = 230 * FRAMES;
        assert!(heard[last..] == expected[last..], "it is where it would be");
        assert!(is_loud(&heard[..20 * FRAMES]) && is_loud(&heard[last..]), "and it is heard");
    });
}

#[test]
fn a_damaged_piece_is_read_again_said_once_and_silent() {
    let streamed = song("streamed = true");
    let tail = streamed.parts("wave", "song").1;
    play(|memory| {
        let mut long = begin(&streamed, memory);
        let (mut errors, mut reads) = (0, 0);
        for _ in 0..150 {
            let (asked, done) = serve(&mut long, &tail, |bytes| bytes[77] ^= 4);
            reads += asked.iter().filter(|read| read.tag == 1).count();
            errors += usize::from(asked.iter().any(|read| read.tag == 1) && done.is_err());
            if let Err(error) = done {
                assert!(error.to_string().contains("not as it was compiled"), "{error}");
            }
            long.update(1);
        }
        assert_eq!((reads, errors), (2, 1), "the piece after the first one");
        let heard = long.heard();
        assert!(heard[100 * FRAMES..].iter().all(|frame| frame[0] == 0.0), "it is silent");
        // It is compiled again: what comes now is right.
        long.give(&streamed, "wave", "song");
        let heard = updates(&mut long, &tail, 10);
        assert!(is_loud(&heard), "it is heard again");
    });
}

#[test]
fn a_device_hears_long_waves_and_gives_them_back() {
    let streamed = song("streamed = true");
    let tail = streamed.parts("wave", "song").1;
    play(|memory| {
        let mut play = Play::new(&streamed, memory);
        let device = TestDevice::default();
        let mut thread = play.sound.play_on(Box::new(device.clone())).expect("there is memory");
        for round in 0..40 {
            (0..3).for_each(|_| play.plain(ask_for_song()));
            let mut loudest = 0.0_f32;
            for _ in 0..10 {
                serve(&mut play, &tail, |_| {}).1.expect("it is right");
                loudest = loudest.max(device.heard(&mut play, &mut thread, 1).abs());
            }
            assert!(loudest > 1000.0, "round {round}: {loudest}");
            for SoundStarted { sound, .. } in play.events() {
                play.plain(StopSound { sound, seconds: 0.0 });
            }
            device.heard(&mut play, &mut thread, 12);
            assert_eq!(play.sound.stats().sounds, 0, "all have ended");
        }
        thread.step(Duration::from_nanos(STEP));
        drop((thread, play));
    });
}

#[test]
fn a_long_wave_is_compiled_into_a_piece_and_a_tail() {
    let (packed, streamed) = (song("packed = true"), song("streamed = true"));
    let (payload, tail) = streamed.parts("wave", "song");
    let (whole, none) = packed.parts("wave", "song");
    assert!(none.is_empty() && payload.len() < 17_500, "{} bytes are loaded", payload.len());
    let both = payload.len() + tail.len();
    assert!(both.abs_diff(whole.len()) < 200, "{both} and {} bytes", whole.len());
    with_memory(|memory| {
        let bytes = BlobBytes::try_copy(&payload, memory).expect("there is memory");
        let wave = PackedWave::open(&bytes).expect("it is right");
        assert!(wave.is_streamed());
        assert_eq!(wave.tail_piece(0), None, "the first is no part of it");
        assert_eq!(wave.tail_piece(1), Some((tail.len() as u64, 32 * 516)));
        assert_eq!(wave.tail_piece(8), Some((2 * 516, 2 * 516)), "the last has what is left");
        assert_eq!(wave.tail_piece(9), None);
        assert_eq!(wave.read(32, &mut [0; 516]), BlockRead::Failed, "it is elsewhere");
        let error = Wave::open_in(&bytes, memory).expect_err("it is not whole").to_string();
        assert!(
            error.contains("`tail` must be the bytes of all pieces after the first"),
            "{error}"
        );
        let read = Wave::open_whole_in(&bytes, &tail, memory).expect("it is whole");
        assert_eq!(read.frames() as usize, LENGTH);
        let mut bad = tail.clone();
        bad[20_000] ^= 1;
        let error = Wave::open_whole_in(&bytes, &bad, memory).expect_err("damaged").to_string();
        assert!(error.contains("pieces with their sums, and is 2"), "{error}");
        let error = Wave::open_whole_in(&bytes, &tail[1..], memory).expect_err("short").to_string();
        assert!(error.contains("the bytes of all pieces"), "{error}");
    });
}

#[test]
fn a_short_wave_has_no_tail_and_what_is_streamed_is_packed() {
    let compile = |more: &str, frames| {
        let source = format!("file = \"tone.wav\" {more}");
        let recording = wav(2, 48_000, &sine(48.0, frames));
        let project =
            TestProject::new(&[("tone.wave", source.as_bytes()), ("tone.wav", &recording)]);
        project.compile().map(|()| project.parts("wave", "tone"))
    };
    let (short, tail) = compile("streamed = true", 32_768).expect("it is right");
    assert!(tail.is_empty(), "a piece is all of it");
    with_memory(|memory| {
        let bytes = BlobBytes::try_copy(&short, memory).expect("there is memory");
        assert_eq!(Wave::open_in(&bytes, memory).expect("it is whole").frames(), 32_768);
    });
    let (_, tail) = compile("streamed = true", 32_769).expect("it is right");
    assert_eq!(tail.len(), 2 * 516, "a block more");
    let error = compile("streamed = true packed = false", 100).expect_err("it is wrong");
    assert!(error.contains("what is streamed is packed") && error.contains("remove"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 12, ..ProptestConfig::default() })]

    /// However late pieces are, nothing clicks, nothing fails, and in the end all is heard as if none had been.
    #[test]
    fn pieces_come_whenever_they_come(waits in proptest::collection::vec(0_usize..40, 8)) {
        let streamed = song("streamed = true");
        let tail = streamed.parts("wave", "song").1;
        play(|memory| {
            let mut on_time = begin(&streamed, memory);
            let expected = updates(&mut on_time, &tail, 480);
            let mut long = begin(&streamed, memory);
            let (mut heard, mut at) = (Vec::new(), 0);
            for wait in &waits {
                for _ in 0..*wait {
                    long.update(1);
                    at += 1;
                    heard.extend(long.heard().iter().map(|frame| frame[0]));
                }
                heard.extend(updates(&mut long, &tail, 3));
                at += 3;
            }
            heard.extend(updates(&mut long, &tail, 480 - at));
            let [late, right] = [&heard, &expected].map(|heard| steepest(heard));
        assert!(late < right + 0.005, "it clicks: {late} instead of {right}");
            let last = 440 * FRAMES;
            assert!(heard[last..] == expected[last..], "it is where it would be");
            assert!(is_loud(&heard[last..]), "and it is heard");
        });
    }

    /// A payload with wrong bytes is refused, or plays something; what it asks for is within the file or is refused.
    #[test]
    fn damaged_long_waves_are_refused_or_harmless(
        places in proptest::collection::vec((0_usize..400, any::<u8>()), 1..4),
    ) {
        static SONG: std::sync::LazyLock<TestProject> =
            std::sync::LazyLock::new(|| song("streamed = true"));
        let (mut payload, tail) = SONG.parts("wave", "song");
        let last = payload.len() - 1;
        for (place, byte) in places {
            // The head and the sums, which are at the end.
            let at = if place < 200 { place } else { last - (place - 200).min(last) };
            payload[at] = byte;
        }
        play(|memory| {
            let mut long = begin(&SONG, memory);
            let bytes = BlobBytes::try_copy(&payload, memory).expect("there is memory");
            let change = ResourceChange {
                type_hash: IdString64::new("wave"),
                name: IdString64::new("song"),
                debug_name: "song",
                payload: &bytes,
                is_changed: true,
            };
            let _ = long.sound.resource(&change);
            for _ in 0..40 {
                let mut asked = Vec::new();
                long.sound.tails(&mut |read| {
                    asked.push(*read);
                    true
                });
                for read in asked {
                    let first = (tail.len() as u64).checked_sub(read.from_end);
                    let part = first.and_then(|first| {
                        let first = first as usize;
                        tail.get(first..first + read.bytes as usize)
                    });
                    // One that is damaged is said, and silent.
                    let _ = long.sound.take_tail(&read, part);
                }
                long.update(1);
            }
            let heard = long.heard();
            assert!(heard.as_flattened().iter().all(|sample| sample.is_finite()));
        });
    }
}
