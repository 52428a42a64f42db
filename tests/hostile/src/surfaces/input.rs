//! Mappings of players' keys, as sources and compiled, and recordings of what players did.

use std::io;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::{BlobBytes, EventReader, EventStream};
use loligo_input::compile::compile;
use loligo_input::{Input, InputPlayback, InputRecorder};
use loligo_platform::{KeyCode, KeyInput, KeySymbol, PadAxis, PadAxisInput, TextInput};

use super::{Seeds, Surface};

const SOURCE: &str = "contexts = {
    play = {
        actions = { jump = [ \"Space\" \"PadSouth\" ] save = \"ControlLeft+KeyS\" }
        axes = { x = [ \"-KeyA\" { control = \"PadLeftX\" dead_zone = 0.2 } ] turn = \"MouseX\" }
    }
    menu = { active = false actions = { back = [ \"'q'\" \"PadRightTrigger\" ] } }
}";

/// A mapping and a recording.
pub(crate) struct Inputs {
    real: Vec<(String, Vec<u8>)>,
}

impl Inputs {
    pub(crate) fn try_new() -> io::Result<Self> {
        let compiled = compile(SOURCE.as_bytes());
        let compiled = compiled.map_err(|error| io::Error::other(error.to_string()))?;
        let pages = PageAllocator::new("seeds");
        let recording = recording(&pages).map_err(|error| io::Error::other(error.to_string()))?;
        let real = [
            ("source", SOURCE.as_bytes().to_vec()),
            ("mapping", compiled),
            ("recording", recording),
        ];
        Ok(Self { real: real.map(|(what, bytes)| (what.to_owned(), bytes)).into() })
    }
}

impl Surface for Inputs {
    fn seeds(&self) -> Seeds {
        let nested = format!("contexts = {}", "{ a = ".repeat(9_000));
        let long =
            format!("contexts = {{ a = {{ axes = {{ x = \"{}\" }} }} }}", "'+".repeat(9_000));
        let harmful = [nested, long].map(|text| ("source".to_owned(), text.into_bytes()));
        Seeds { harmful: harmful.into(), real: self.real.clone() }
    }

    fn feed(&mut self, what: &str, input: &[u8]) {
        // Errors are right.
        let _ = match what {
            "source" => compile(input).map(|payload| play(&payload, &self.real[2].1)).is_ok(),
            "mapping" => play(input, &self.real[2].1),
            _ => play(&self.real[1].1, input),
        };
    }
}

/// Records all keys, pressed and released.
fn recording(pages: &PageAllocator) -> Result<Vec<u8>, loligo_containers::GrowError> {
    let mut recorder = InputRecorder::try_new_in(1, pages)?;
    let mut events = EventStream::new_in(pages);
    for code in KeyCode::ALL.iter().take(40) {
        events.clear();
        for is_pressed in [true, false] {
            let symbol = KeySymbol::from_char('q');
            events.try_push(KeyInput { code: *code, is_pressed, is_repeat: false, symbol })?;
            let value = f32::from(u8::from(is_pressed));
            events.try_push(PadAxisInput { pad: 1, axis: PadAxis::LeftX, value })?;
        }
        events.try_push(TextInput { character: 'q' })?;
        recorder.try_frame(16_666_667, events.reader())?;
    }
    recorder.try_finish()?;
    Ok(recorder.bytes().to_vec())
}

/// Plays a recording by a mapping; returns `true` if both are right. First without looking at
/// checksums, so that spoiled events are played.
fn play(mapping: &[u8], recording: &[u8]) -> bool {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("input", &pages);
    let mut input = Input::new_in(&heap);
    let Ok(mapping) = BlobBytes::try_copy_in(mapping, &heap) else { return false };
    if input.load(&mapping).is_err() {
        return false;
    }
    let mut frame = |events: EventReader<'_>| {
        input.begin_frame();
        let applied = input.apply(events).is_ok();
        input.validate();
        applied
    };
    // Events whose checksum is wrong are events.
    let mut rest = recording.get(28..).unwrap_or_default();
    while let Some((head, tail)) = rest.split_first_chunk::<16>() {
        let length = u32::from_le_bytes([head[8], head[9], head[10], head[11]]) as usize;
        let Some((events, tail)) = tail.split_at_checked(length) else { break };
        rest = tail;
        if let Ok(events) = EventReader::open(events) {
            frame(events);
        }
    }
    let Ok(mut playback) = InputPlayback::open(recording) else { return false };
    loop {
        match playback.next_frame() {
            Ok(Some(recorded)) => _ = frame(recorded.events),
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}
