//! Input that is recorded and played back, cut off and changed.

use loligo_allocators::Allocator;
use loligo_containers::{Array, EventStream};
use loligo_ids::id32;
use loligo_input::{Input, InputPlayback, InputRecorder, RecordingError, RecordingErrorKind};
use loligo_platform::{KeyCode, KeyInput, KeySymbol, MouseMotion, TextInput};

use crate::memory::{every_refusal, with_memory};
use crate::player::{MAPPING, compiled};

/// A recording of some frames, one without events among them.
fn recorded(memory: &dyn Allocator, has_end: bool) -> Vec<u8> {
    let mut recorder = InputRecorder::try_new(99, memory).expect("there is memory");
    let mut events = EventStream::new(memory);
    for frame in 0..20_u64 {
        events.clear();
        if frame % 5 == 1 {
            let (is_pressed, is_repeat, symbol) = (frame % 10 == 1, false, KeySymbol::NONE);
            events.push(KeyInput { code: KeyCode::Space, is_pressed, is_repeat, symbol });
            events.push(MouseMotion { delta: [frame as f32, 1.0], position: [0.0; 2] });
            events.push(TextInput { character: 'ä' });
        }
        recorder.try_frame(frame * 1_000, events.reader()).expect("there is memory");
    }
    assert_eq!(recorder.frames(), 20, "all of them");
    if has_end {
        recorder.try_finish().expect("there is memory");
    }
    recorder.bytes().to_vec()
}

/// Reads all of a recording.
fn read(bytes: &[u8]) -> Result<u64, RecordingError> {
    let mut playback = InputPlayback::open(bytes)?;
    while playback.next_frame()?.is_some() {}
    assert!(playback.next_frame().expect("it is over").is_none(), "and stays so");
    Ok(playback.frames())
}

#[test]
fn a_game_is_played_again() {
    with_memory(|memory| {
        let bytes = recorded(memory, true);
        let mut input = Input::new(memory);
        input.load(&compiled(MAPPING, memory)).expect("it was compiled");
        let mut playback = InputPlayback::open(&bytes).expect("it is whole");
        assert_eq!(playback.seed(), 99);
        let mut presses = Vec::new();
        while let Some(frame) = playback.next_frame().expect("it is whole") {
            let number = playback.frames() - 1;
            assert_eq!(frame.step_ns, number * 1_000);
            input.begin_frame();
            input.apply(frame.events).expect("there is memory");
            assert_eq!(input.text(), if number % 5 == 1 { "ä" } else { "" });
            if input.pressed(id32!("jump")) {
                presses.push(number);
            }
        }
        assert_eq!(presses, [1, 11]);
        assert_eq!(read(&bytes), Ok(20));
    });
}

#[test]
fn pieces_are_the_whole() {
    with_memory(|memory| {
        let mut recorder = InputRecorder::try_new(99, memory).expect("there is memory");
        let mut file = Array::new(memory);
        let whole = recorded(memory, true);
        let mut playback = InputPlayback::open(&whole).expect("it is whole");
        while let Some(frame) = playback.next_frame().expect("it is whole") {
            recorder.try_frame(frame.step_ns, frame.events).expect("there is memory");
            file.extend_from_slice(recorder.bytes());
            recorder.clear();
        }
        recorder.try_finish().expect("there is memory");
        file.extend_from_slice(recorder.bytes());
        assert_eq!(&file[..], &whole[..]);
    });
}

#[test]
fn every_cut_is_found() {
    with_memory(|memory| {
        let whole = recorded(memory, true);
        for length in 0..whole.len() {
            let error = read(&whole[..length]).expect_err("it was cut off");
            let is_short = matches!(error.kind, RecordingErrorKind::Short { .. });
            assert!(is_short && error.offset <= length as u64, "{length}: {error}");
        }
        let error = read(&recorded(memory, false)).expect_err("it has no end");
        assert_eq!(
            error.to_string(),
            format!(
                "the recording is wrong at byte {}: it needs 16 bytes more and has 0; it was cut off, \
                 and is right up to here",
                whole.len() - 16
            ),
        );
        let mut longer = whole.clone();
        longer.push(0);
        let error = read(&longer).expect_err("a byte too many");
        assert_eq!(error.kind, RecordingErrorKind::Trailing { bytes: 1 });
    });
}

#[test]
fn every_changed_bit_is_found() {
    with_memory(|memory| {
        let whole = recorded(memory, true);
        for at in 0..whole.len() * 8 {
            let mut changed = whole.clone();
            changed[at / 8] ^= 1 << (at % 8);
            let error = read(&changed).expect_err("a bit was changed");
            assert!(error.offset <= at as u64 / 8, "bit {at}: {error}");
        }
    });
}

#[test]
fn frames_stay_in_order() {
    with_memory(|memory| {
        let whole = recorded(memory, true);
        // The first and the third frame are 16 bytes without events.
        let start = InputPlayback::open(&whole).map(|_| 28).expect("it is whole");
        let mut without = whole.clone();
        without.drain(start..start + 16);
        let error = read(&without).expect_err("a frame is missing");
        assert_eq!(error.offset, start as u64, "{error}");
        assert!(matches!(error.kind, RecordingErrorKind::Checksum { .. }), "{error}");
    });
}

#[test]
fn headers_of_others_are_refused() {
    with_memory(|memory| {
        let whole = recorded(memory, true);
        let change = |at: usize, bytes: &[u8]| {
            let mut changed = whole.clone();
            changed[at..at + bytes.len()].copy_from_slice(bytes);
            InputPlayback::open(&changed).map(|_| ()).expect_err("another header")
        };
        assert_eq!(change(0, b"loliblob").kind, RecordingErrorKind::NoRecording);
        assert_eq!(change(8, &[2]).kind, RecordingErrorKind::Version { found: 2 });
        let order = u32::from_ne_bytes(whole[12..16].try_into().expect("four"));
        let other = change(12, &order.swap_bytes().to_ne_bytes());
        assert_eq!(other.kind, RecordingErrorKind::ByteOrder);
        assert!(matches!(change(16, &[7]).kind, RecordingErrorKind::Checksum { .. }));
        assert!(InputPlayback::open(b"").is_err() && InputPlayback::open(b"loli").is_err());
    });
}

#[test]
fn without_memory_nothing_is_recorded_in_half() {
    let count = every_refusal(|memory| {
        let mut recorder = InputRecorder::try_new(1, memory)?;
        let mut events = EventStream::new(memory);
        for _ in 0..40 {
            events.try_push(TextInput { character: 'x' })?;
            let before = (recorder.bytes().len(), recorder.frames());
            if let Err(error) = recorder.try_frame(1, events.reader()) {
                assert_eq!((recorder.bytes().len(), recorder.frames()), before);
                return Err(error);
            }
        }
        recorder.try_finish()
    });
    assert!(count > 4, "{count}");
}
