//! What is heard while a game runs, as a WAV file.

use std::io::Cursor;
use std::path::Path;

use loligo_containers::EventRecord;
use loligo_engine::{FrameMemory, Library, Logic, World};
use loligo_sound::{HearSounds, SoundsHeard, WavFile, WavSamples};

use crate::output::Output;

/// Asks for what is heard where a file is to be written, and keeps it until the end.
#[derive(Default)]
pub(super) struct Heard {
    output: Option<Output>,
    is_asked: bool,
    /// The frames a second, once there are any.
    rate: Option<u32>,
    frames: Vec<[f32; 2]>,
    /// Why nothing could be asked for.
    error: Option<String>,
}

impl Heard {
    /// Makes sure that the file can be written, where there is to be one.
    pub(super) fn prepare(path: Option<&Path>) -> Result<Self, String> {
        let output = path.map(Output::prepare).transpose().map_err(|error| error.to_string())?;
        Ok(Self { output, ..Self::default() })
    }

    /// Writes the file.
    pub(super) fn finish(self) -> Result<(), String> {
        let Some(output) = self.output else { return Ok(()) };
        if let Some(error) = self.error {
            return Err(format!("what is heard could not be asked for: {error}"));
        }
        let none = "--sound: the game has run no frame that could be heard; give it more --frames";
        let rate = self.rate.ok_or(none)?;
        let mut bytes = Cursor::new(Vec::new());
        WavFile::<_, 2>::create(&mut bytes, rate, WavSamples::Whole16)
            .and_then(|mut file| file.write(&self.frames).and_then(|()| file.finish()))
            .map_err(|error| error.to_string())?;
        output.write(bytes.get_ref()).map_err(|error| error.to_string())
    }
}

impl<'m> Logic<'m> for Heard {
    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        if self.output.is_some() && !self.is_asked {
            self.is_asked = true;
            let asked = world.command(HearSounds { is_on: 1 });
            self.error = asked.err().map(|error| error.to_string());
        }
    }

    fn event(&mut self, _: &mut World<'m>, event: &EventRecord<'_>, _: &FrameMemory<'m>) {
        if self.output.is_none() {
            return;
        }
        if let Some((SoundsHeard { rate, .. }, tail)) = event.get_with_tail::<_, [f32; 2]>() {
            self.rate = Some(rate);
            let frames = (0..tail.len()).filter_map(|at| tail.get(at));
            Library::Std.run(|| self.frames.extend(frames));
        }
    }
}
