//! The lines of a game, as a subsystem.

use core::fmt;

use glam::{Vec2, Vec3};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Array, EventRecord, EventStream};
use loligo_interface::{
    EventSchema, Frame, MadeSubsystem, Phase, Subsystem, SubsystemError, SubsystemMemory,
    SubsystemRow,
};

use crate::commands::{
    DrawBox, DrawCross, DrawLine, DrawScreenLine, DrawScreenText, DrawSphere, DrawText, SCHEMAS,
};
use crate::drawer::{self, Lines};
use crate::line::{LINES_MAX, Line};
use crate::shapes::{circles, cross, edges, screen_text, text};

#[cfg(feature = "script")]
mod functions;

/// The row by which it joins an engine.
pub const ROW: SubsystemRow = row();

#[cfg(feature = "gpu")]
const fn row() -> SubsystemRow {
    SubsystemRow::new("debug_draw", make).with_drawer(drawer::make).with_jobs(&crate::card::JOBS)
}

#[cfg(not(feature = "gpu"))]
const fn row() -> SubsystemRow {
    SubsystemRow::new("debug_draw", make).with_drawer(drawer::make)
}

const FULL: SubsystemError = SubsystemError::Wrong {
    what: "there are more than 131072 debug lines in a frame, strokes of texts included, and some are left out",
    remedy: "draw fewer, or for a shorter time",
};

/// Lines that are drawn over a game, each until its time is over.
///
/// # Memory
///
/// 40 bytes a line, and 32 more on their way to the thread that renders.
pub struct DebugDraw<'m> {
    lines: Array<'m, Line, SubsystemMemory<'m>>,
    /// Until when each is drawn, in the game's nanoseconds.
    ends: Array<'m, u64, SubsystemMemory<'m>>,
    messages: EventStream<'m, SubsystemMemory<'m>>,
    /// The game's time.
    now: u64,
    /// How many of the lines the drawer has had.
    shown: usize,
    /// Whether it has others.
    is_changed: bool,
    /// Whether lines were left out.
    is_full: bool,
}

impl<'m> DebugDraw<'m> {
    /// Returns one without lines.
    #[must_use]
    pub const fn new(memory: SharedRef<'m>) -> Self {
        Self {
            lines: Array::new_in(memory),
            ends: Array::new_in(memory),
            messages: EventStream::new_in(memory),
            now: 0,
            shown: 0,
            is_changed: false,
            is_full: false,
        }
    }

    /// Returns the lines that are drawn with the next frame.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Draws a line for some seconds of the game's time, 0 for one frame. One that is too many is
    /// left out, which the end of the frame reports.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory.
    pub fn draw(&mut self, line: Line, seconds: f32) -> Result<(), SubsystemError> {
        if self.lines.len() >= LINES_MAX {
            self.is_full = true;
            return Ok(());
        }
        // What is no time is one frame, as 0 is.
        let nanoseconds = (f64::from(seconds.max(0.0)) * 1e9) as u64;
        self.ends.try_reserve(1)?;
        self.lines.try_push(line)?;
        // There is room.
        self.ends.push(self.now.saturating_add(nanoseconds));
        Ok(())
    }

    /// Draws a shape: what calls `draw` with its lines.
    pub(crate) fn draw_shape(
        &mut self,
        seconds: f32,
        shape: impl FnOnce(&mut dyn FnMut(Line)),
    ) -> Result<(), SubsystemError> {
        let mut drawn = Ok(());
        shape(&mut |line| drawn = drawn.and_then(|()| self.draw(line, seconds)));
        drawn
    }

    /// Begins an update: forgets lines that were shown and whose time is over.
    fn begin(&mut self, now: u64) {
        self.now = now;
        let mut kept = 0;
        for at in 0..self.lines.len() {
            if at >= self.shown || self.ends[at] >= now {
                (self.lines[kept], self.ends[kept]) = (self.lines[at], self.ends[at]);
                kept += 1;
            }
        }
        self.is_changed |= kept < self.lines.len();
        self.lines.truncate(kept);
        self.ends.truncate(kept);
    }

    /// Sends the lines of a frame to the drawer, which keeps them until others come.
    fn show(&mut self) -> Result<(), SubsystemError> {
        self.is_changed |= self.lines.len() > self.shown;
        if self.is_changed {
            let lines: &[u8] = bytemuck::cast_slice(self.lines.as_slice());
            let count = self.lines.len() as u32;
            self.messages.try_push_with_tail(Lines { count }, lines)?;
        }
        (self.shown, self.is_changed) = (self.lines.len(), false);
        if core::mem::take(&mut self.is_full) { Err(FULL) } else { Ok(()) }
    }
}

impl<'m> Subsystem<'m> for DebugDraw<'m> {
    fn step(&mut self, phase: Phase, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        match phase {
            Phase::Input => self.begin(frame.now),
            Phase::Listen => return self.show(),
            _ => {}
        }
        Ok(())
    }

    fn commands(&self) -> &'static [EventSchema] {
        &SCHEMAS
    }

    fn command(&mut self, command: &EventRecord<'_>) -> Result<(), SubsystemError> {
        if let Some(DrawLine { from, to, color, seconds }) = command.get() {
            return self.draw(Line::new(from.into(), to.into(), color.into()), seconds);
        }
        if let Some(DrawBox { center, size, color, seconds }) = command.get() {
            let [center, size, color] = [center, size, color].map(Vec3::from);
            return self.draw_shape(seconds, |each| edges(center, size, color, each));
        }
        if let Some(DrawSphere { center, radius, color, seconds }) = command.get() {
            let [center, color] = [center, color].map(Vec3::from);
            return self.draw_shape(seconds, |each| circles(center, radius, color, each));
        }
        if let Some(DrawCross { at, size, color, seconds }) = command.get() {
            let [at, color] = [at, color].map(Vec3::from);
            return self.draw_shape(seconds, |each| cross(at, size, color, each));
        }
        if let Some(DrawScreenLine { x, y, to_x, to_y, color, seconds }) = command.get() {
            let [from, to] = [[x, y], [to_x, to_y]].map(Vec2::from);
            return self.draw(Line::on_screen(from, to, color.into()), seconds);
        }
        if let Some(DrawText { at, size, color, seconds, text: letters }) = command.get() {
            let ([at, color], letters) = ([at, color].map(Vec3::from), letters.as_str());
            return self.draw_shape(seconds, |each| text(at, letters, size, color, each));
        }
        if let Some(DrawScreenText { x, y, size, color, seconds, text: letters }) = command.get() {
            let (at, color, letters) = (Vec2::new(x, y), color.into(), letters.as_str());
            return self.draw_shape(seconds, |each| screen_text(at, letters, size, color, each));
        }
        Ok(())
    }

    fn drawn(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(&mut self.messages)
    }

    #[cfg(feature = "script")]
    fn functions(&self) -> &'static [loligo_interface::SubsystemFunction] {
        &functions::FUNCTIONS
    }

    #[cfg(feature = "script")]
    fn call(
        &mut self,
        function: usize,
        call: &mut loligo_script::Call<'_>,
    ) -> Result<(), loligo_script::ArgumentError> {
        functions::call(self, function, call)
    }
}

impl fmt::Debug for DebugDraw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DebugDraw").field("lines", &self.lines.len()).finish_non_exhaustive()
    }
}

fn make(memory: SharedRef<'_>) -> Result<MadeSubsystem<'_>, SubsystemError> {
    let made = Own::new_in(DebugDraw::new(memory), memory)?;
    Ok(own_dyn!(made => dyn Subsystem<'_> + '_))
}
