//! Waves that come in pieces.

use loligo_allocators::Allocator;
use loligo_sound::{
    BLOCK, BlockRead, Feeder, Mixer, MixerSettings, PACKED_FRAMES, Packer, Play, PlayError, Stream,
    StreamIn, Wave, packed_bytes, unpack,
};
use proptest::prelude::*;

use crate::memory::{every_refusal, with_memory};
use crate::tones::{RATE, distance_from_sine, left, loudness, mixer, render, sine, wave};

/// Packs samples of one channel or two.
fn packed(samples: &[i16], channels: u32) -> Vec<u8> {
    let mut packer = Packer::default();
    let blocks = samples.chunks(PACKED_FRAMES * channels as usize).flat_map(|block| {
        let mut out = vec![0; packed_bytes(channels)];
        packer.pack(block, channels, &mut out);
        out
    });
    blocks.collect()
}

fn unpacked(packed: &[u8], channels: u32) -> Vec<i16> {
    let blocks = packed.chunks(packed_bytes(channels)).flat_map(|block| {
        let mut out = vec![0; PACKED_FRAMES * channels as usize];
        assert!(unpack(block, channels, &mut out), "it is a block");
        out
    });
    blocks.collect()
}

/// Plays a stream at a speed, fed before each piece by `feed`.
fn play(
    memory: &dyn Allocator,
    channels: u32,
    speed: f32,
    pieces: &[usize],
    mut feed: impl FnMut(&mut StreamIn<'_>),
) -> (Vec<[f32; 2]>, u32) {
    let mut stream = Stream::try_new(32_768, channels, memory).expect("there is memory");
    let (mut input, output) = stream.split();
    let mut mixer = mixer(memory);
    let wave = Wave::streamed(output, RATE).expect("it is right");
    let id = mixer.add_wave(wave).expect("there is memory");
    mixer.play(&Play::new(id).with_speed(speed)).expect("it plays");
    let mut heard = Vec::new();
    for frames in pieces {
        feed(&mut input);
        heard.extend(render(&mut mixer, *frames));
    }
    (heard, input.underruns())
}

#[test]
fn a_stream_is_the_wave_to_the_bit() {
    with_memory(|memory| {
        for (channels, speed) in [(1, 1.0), (1, 1.37), (2, 0.8), (2, 3.0)] {
            let samples = sine(51.0, 30_000 * channels as usize);
            let whole = {
                let mut mixer = mixer(memory);
                let wave = Wave::try_new(&samples, channels, RATE, memory).expect("it is right");
                let id = mixer.add_wave(wave).expect("there is memory");
                mixer.play(&Play::new(id).with_speed(speed)).expect("it plays");
                render(&mut mixer, 9000)
            };
            for pieces in [&[256; 36][..], &[1, 127, 129, 743, 1000, 2000, 3000, 2000]] {
                let mut rest = &samples[..];
                let (heard, underruns) = play(memory, channels, speed, pieces, |stream| {
                    // In odd pieces, as they come from a disk.
                    for length in (0..).map(|at| 1 + at * 37 % 501) {
                        let length = (length * channels as usize).min(rest.len());
                        let taken = stream.push(&rest[..length]);
                        rest = &rest[taken * channels as usize..];
                        if rest.is_empty() {
                            stream.finish();
                        }
                        if taken * (channels as usize) < length || rest.is_empty() {
                            break;
                        }
                    }
                });
                let len = heard.len().min(whole.len());
                assert!(heard[..len] == whole[..len], "{channels} channels at {speed}");
                assert_eq!(underruns, 0, "nothing was late");
            }
        }
    });
}

#[test]
fn a_stream_ends_after_its_last_frame() {
    with_memory(|memory| {
        let mut stream = Stream::try_new(4096, 1, memory).expect("there is memory");
        let (mut input, output) = stream.split();
        let mut mixer = mixer(memory);
        let id = mixer.add_wave(Wave::streamed(output, RATE).expect("right")).expect("memory");
        let voice = mixer.play(&Play::new(id)).expect("it plays");
        assert_eq!(mixer.play(&Play::new(id)), Err(PlayError::Streaming), "it is heard once");
        assert_eq!(input.push(&[8192; 1000]), 1000, "there is room");
        input.finish();
        let heard = left(&render(&mut mixer, 1000));
        assert_eq!(heard, [0.25; 1000], "all of it");
        let rest = left(&render(&mut mixer, 12 * BLOCK - 1000));
        assert!(rest.iter().all(|at| *at == 0.0), "and then nothing");
        assert!(!mixer.is_playing(voice), "it has ended");
        // And once more, with the same ring.
        let wave = mixer.remove_wave(id).expect("it is there");
        let mut output = wave.into_stream().expect("it is streamed");
        assert!(input.rewind(&mut output), "both ends are of one stream");
        let id = mixer.add_wave(Wave::streamed(output, RATE).expect("right")).expect("memory");
        mixer.play(&Play::new(id)).expect("it plays");
        input.push(&[4096; 3000]);
        assert_eq!(left(&render(&mut mixer, 500)), [0.125; 500], "from its begin");
    });
}

#[test]
fn a_ring_begins_again_only_when_its_other_end_is_gone() {
    crate::subsystem::play(|memory| {
        let mut input = StreamIn::shared(memory);
        assert_eq!(input.room(), 0, "it has no memory yet");
        for (frames, channels, level) in [(4096, 1, 8192), (16_384, 2, 4096), (4096, 1, 2048)] {
            let begun = input.begin(frames, channels).expect("there is memory");
            let output = begun.expect("no other end is there");
            assert!(input.begin(4096, 1).expect("memory").is_none(), "its end would be another's");
            assert!(input.room() >= frames as usize && input.channels() == channels);
            let mut mixer = Mixer::try_new_in(&MixerSettings::default(), memory).expect("memory");
            let wave = Wave::streamed_in(output, RATE).expect("it is right");
            let id = mixer.add_wave(wave).expect("there is memory");
            mixer.play(&Play::new(id)).expect("it plays");
            assert_eq!(input.push(&vec![level; 3000 * channels as usize]), 3000, "there is room");
            assert_eq!(input.waiting(), 3000, "nothing was played");
            let mut heard = [[0.0; 2]; 500];
            mixer.render(&mut heard);
            assert_eq!(left(&heard), [f32::from(level) / 32_768.0; 500], "from its begin");
            assert!(input.begin(4096, 1).expect("memory").is_none(), "it plays");
        }
        let mut lent = Stream::try_new_in(4096, 1, memory).expect("there is memory");
        assert!(lent.split().0.begin(4096, 1).expect("memory").is_none(), "it is not its own");
    });
}

#[test]
fn a_stream_that_is_late_fades_is_silent_and_fades_in() {
    with_memory(|memory| {
        let mut pushed = 0;
        let mut piece = 0;
        let pieces = [BLOCK; 160];
        let (heard, underruns) = play(memory, 1, 1.0, &pieces, |stream| {
            // Nothing comes for a while in the middle.
            if !(30..90).contains(&piece) {
                while pushed < (piece + 1) * 300 && stream.push(&[8192; 100]) == 100 {
                    pushed += 100;
                }
            }
            piece += 1;
        });
        let heard = left(&heard);
        assert_eq!(underruns, 1, "it was late once");
        let jump = heard.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(jump <= 0.25 / BLOCK as f32 + 1e-6 || first_step(&heard, jump), "by {jump}");
        let silent = heard.iter().skip(2000).filter(|sample| **sample == 0.0).count();
        assert!(silent > 10 * BLOCK, "{silent} frames are silent");
        assert_eq!(heard[heard.len() - BLOCK..], [0.25; BLOCK], "and then it is heard again");
    });
}

/// Whether a jump is the first frame of the wave, which is as it is.
fn first_step(heard: &[f32], jump: f32) -> bool {
    let first = heard.iter().position(|sample| *sample != 0.0).unwrap_or(0);
    let others = heard[first..].windows(2).map(|pair| (pair[1] - pair[0]).abs());
    jump == 0.25 && others.fold(0.0, f32::max) <= 0.25 / BLOCK as f32 + 1e-6
}

#[test]
fn a_loop_of_a_stream_is_exact() {
    with_memory(|memory| {
        for (begin, end) in [(0, 5000), (1500, 1501), (700, 3072), (1024, 2048)] {
            let samples = unpacked(&packed(&sine(48.0, 5000), 1), 1);
            let bytes = packed(&sine(48.0, 5000), 1);
            let mut feeder = Feeder::new(1, 5000, Some([begin, end]), 0);
            let pieces = [1000; 14];
            let (heard, underruns) = play(memory, 1, 1.0, &pieces, |stream| {
                let goes_on = feeder.feed(stream, |block, out| {
                    let first = block as usize * out.len();
                    out.copy_from_slice(&bytes[first..first + out.len()]);
                    BlockRead::Done
                });
                assert!(goes_on, "a loop has no end");
            });
            assert_eq!(underruns, 0, "nothing was late");
            for (at, sample) in left(&heard).iter().enumerate() {
                let (begin, end) = (begin as usize, end as usize);
                let frame = if at < end { at } else { begin + (at - begin) % (end - begin) };
                assert_eq!(*sample, f32::from(samples[frame]) / 32_768.0, "frame {at}");
            }
        }
    });
}

#[test]
fn a_feeder_ends_where_the_wave_does_or_cannot_be_read() {
    with_memory(|memory| {
        let bytes = packed(&sine(48.0, 3000), 1);
        for readable in [3, 1] {
            let mut feeder = Feeder::new(1, 3000, None, 100);
            let mut goes_on = true;
            let (heard, _) = play(memory, 1, 1.0, &[1000; 5], |stream| {
                goes_on = feeder.feed(stream, |block, out| {
                    let first = block as usize * out.len();
                    out.copy_from_slice(&bytes[first..first + out.len()]);
                    if block < readable { BlockRead::Done } else { BlockRead::Failed }
                });
            });
            assert!(!goes_on, "there is no more");
            let last = left(&heard).iter().rposition(|sample| *sample != 0.0).unwrap_or(0);
            let expected = (readable as usize * PACKED_FRAMES).min(3000) - 100;
            assert!(last < expected && last + 30 > expected, "{last} of {expected}");
        }
    });
}

#[test]
fn packed_waves_are_a_quarter_and_near() {
    for (period, least) in [(480.0, 45.0), (48.0, 36.0), (12.0, 24.0)] {
        let samples = sine(period, 20_000);
        let bytes = packed(&samples, 1);
        assert_eq!(bytes.len(), 20 * 516, "half a byte a sample, and four a block");
        let found: Vec<f32> =
            unpacked(&bytes, 1).iter().map(|sample| f32::from(*sample) / 32_768.0).collect();
        let found = distance_from_sine(&found[2000..20_000], 1.0 / period);
        assert!(found > least, "{period}: {found:.1} dB");
    }
    // Channels stay apart.
    let both: Vec<i16> = sine(48.0, 2048).into_iter().flat_map(|at| [at, 0]).collect();
    let found = unpacked(&packed(&both, 2), 2);
    let side = |side: usize| {
        let samples: Vec<f32> =
            found.iter().skip(side).step_by(2).map(|at| f32::from(*at) / 32_768.0).collect();
        loudness(&samples)
    };
    assert!(side(0) > 0.3 && side(1) < 1e-3, "{} and {}", side(0), side(1));
}

#[test]
fn streams_without_memory_are_refused() {
    let refused = every_refusal(|memory| Stream::try_new(4096, 2, memory).map(drop));
    assert!(refused >= 1, "{refused} refusals");
    with_memory(|memory| {
        let mut stream = Stream::try_new(1, 1, memory).expect("there is memory");
        let (input, output) = stream.split();
        assert_eq!(input.room(), 4096, "that is the least");
        let error = Wave::streamed(output, 10).expect_err("no rate").to_string();
        assert!(error.contains("from 1000 to 768000 samples a second, not 10"), "{error}");
        let _ = wave(&[0; 4], memory);
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn blocks_of_any_bytes_are_refused_or_harmless(
        bytes in proptest::collection::vec(any::<u8>(), 0..1100),
        channels in 0_u32..4,
    ) {
        let mut out = vec![0; 2 * PACKED_FRAMES];
        let is_block = unpack(&bytes, channels, &mut out);
        prop_assert!(!is_block || bytes.len() == packed_bytes(channels));
    }

    #[test]
    fn a_stream_is_whole_in_pieces_of_any_length(
        fed in proptest::collection::vec(1_usize..3000, 1..40),
        heard in proptest::collection::vec(1_usize..700, 1..40),
        speed in 0.1_f32..3.0,
    ) {
        with_memory(|memory| {
            let samples = sine(51.0, 60_000);
            let (mut rest, mut lengths) = (&samples[..], fed.iter().cycle());
            let (found, underruns) = play(memory, 1, speed, &heard, |stream| {
                while stream.room() > 0 && !rest.is_empty() {
                    let length = (*lengths.next().expect("it is a cycle")).min(rest.len());
                    let taken = stream.push(&rest[..length]);
                    rest = &rest[taken..];
                }
            });
            let mut mixer = mixer(memory);
            let id = mixer.add_wave(wave(&samples, memory)).expect("there is memory");
            mixer.play(&Play::new(id).with_speed(speed)).expect("it plays");
            assert_eq!(found, render(&mut mixer, heard.iter().sum()), "at {speed}");
            assert_eq!(underruns, 0, "nothing was late");
        });
    }
}
