//! A mixer that obeys commands.

use loligo_allocators::Allocator;

use super::{Command, Notice};
use crate::block::BLOCK;
use crate::mixer::Mixer;
use crate::pipe::{PipeIn, PipeOut};

impl<A: Allocator + ?Sized> Mixer<'_, A> {
    /// As [`render`](Self::render), for a [`Control`](crate::Control) on another thread: obeys its commands
    /// before each block, and hands it what happened after it.
    pub fn render_for<const CHANNELS: usize>(
        &mut self,
        commands: &mut PipeOut<'_>,
        events: &mut PipeIn<'_>,
        out: &mut [[f32; CHANNELS]],
    ) {
        let mut rest = out;
        while !rest.is_empty() {
            if self.left_of_block() == 0 {
                self.obey_all(commands);
            }
            let left = if self.left_of_block() == 0 { BLOCK } else { self.left_of_block() };
            let (now, later) = rest.split_at_mut(rest.len().min(left));
            self.render(now);
            self.hand_events(|event| events.push(&Notice(event).write()));
            rest = later;
        }
    }

    /// Obeys what has come. Of a mixer that another one is to replace, and of one that has replaced another, only what
    /// is for it: see `Command::Restart`.
    fn obey_all(&mut self, commands: &mut PipeOut<'_>) {
        while self.restarts_due() >= 0 {
            let Some(command) = commands.take() else { return };
            match Command::read(&command) {
                Some(Command::Restart) => self.note_restart(-1),
                Some(command) if self.restarts_due() == 0 => self.obey(&command),
                _ => {}
            }
        }
    }

    /// Does what a command says. A voice that has ended meanwhile is counted as stale.
    fn obey(&mut self, command: &Command) {
        match *command {
            Command::Play { voice, mut play, at } => {
                let due = at.map_or(0, |at| at.wrapping_sub(self.frames()) as i32);
                play.wait = play.wait.saturating_add(due.max(0) as u32);
                self.play_as(voice, &play);
            }
            Command::Stop { voice, frames } => _ = self.stop(voice, frames),
            Command::Pause { voice, is_paused } => _ = self.set_paused(voice, is_paused),
            Command::Gains { voice, gains } => _ = self.set_gains(voice, gains),
            Command::Speed { voice, speed } => _ = self.set_speed(voice, speed),
            Command::LowPass { voice, frequency } => _ = self.set_low_pass(voice, frequency),
            Command::Seek { voice, frame } => _ = self.seek(voice, frame),
            Command::BusGain { bus, gain } => _ = self.set_bus_gain(bus, gain),
            Command::Place { voice, placement } => _ = self.place(voice, &placement),
            Command::Send { bus, into, gain } => _ = self.set_send(bus, into, gain),
            Command::Restart => {}
            Command::Effect { bus, index, effect } => {
                let _ = self.set_effect(bus, index as usize, &effect);
            }
        }
    }
}
