//! The lines of a game, as a subsystem.

use core::fmt;

use glam::{Vec2, Vec3};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Array, Event, EventRecord, EventStream};
use loligo_interface::{
    EventSchema, Frame, MadeSubsystem, Phase, Subsystem, SubsystemError, SubsystemMemory,
    SubsystemRow,
};

use crate::commands::{
    DrawBox, DrawCross, DrawLine, DrawLines, DrawScreenLine, DrawScreenText, DrawSphere, DrawText,
    SCHEMAS,
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

/// The commands that it knows.
const OBEYED: [u32; 8] = [
    DrawLine::TYPE,
    DrawLines::TYPE,
    DrawBox::TYPE,
    DrawSphere::TYPE,
    DrawCross::TYPE,
    DrawScreenLine::TYPE,
    DrawText::TYPE,
    DrawScreenText::TYPE,
];

const FULL: SubsystemError = SubsystemError::Wrong {
    what: "there are more than 131072 debug lines in a frame, strokes of texts included, and some are left out",
    remedy: "draw fewer, or for a shorter time",
};

/// Lines that are drawn over a game, each until its time is over.
///
/// # Memory
///
/// 32 bytes a line, 16 for each run of lines that end together, and 32 more a line on their way to
/// the thread that renders.
///
/// # Invariants
///
/// 1. The runs have as many lines in all as there are, in their order. None is empty.
/// 2. The first `shown` lines are whole runs.
pub struct DebugDraw<'m> {
    lines: Array<'m, Line, SubsystemMemory<'m>>,
    runs: Array<'m, Run, SubsystemMemory<'m>>,
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

/// Lines that follow each other and end together.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Until when they are drawn, in the game's nanoseconds.
    until: u64,
    len: u32,
    /// Whether all of them are the same in each view.
    are_in_world: bool,
}

impl<'m> DebugDraw<'m> {
    /// Returns one without lines.
    #[must_use]
    pub const fn new(memory: SharedRef<'m>) -> Self {
        Self {
            lines: Array::new_in(memory),
            runs: Array::new_in(memory),
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
        self.lines.try_push(line)?;
        self.end_at(1, line.is_in_world(), seconds)
    }

    /// As [`draw`](Self::draw), for many lines.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw).
    pub fn draw_all(&mut self, lines: &[Line], seconds: f32) -> Result<(), SubsystemError> {
        let first = self.lines.len();
        let taken = &lines[..lines.len().min(LINES_MAX - first)];
        self.is_full |= taken.len() < lines.len();
        let mut are_in_world = true;
        self.lines.try_reserve(taken.len())?;
        // What was copied is looked at while it is in the cache.
        for part in taken.chunks(512) {
            let from = self.lines.len();
            self.lines.try_extend_from_slice(part)?;
            are_in_world &= Line::check(&mut self.lines[from..]);
        }
        self.end_at(taken.len(), are_in_world, seconds)
    }

    /// Notes when the last lines end, which are in no run yet.
    fn end_at(
        &mut self,
        count: usize,
        are_in_world: bool,
        seconds: f32,
    ) -> Result<(), SubsystemError> {
        // What is no time is one frame, as 0 is.
        let until = self.now.saturating_add((f64::from(seconds.max(0.0)) * 1e9) as u64);
        let before = self.lines.len() - count;
        let run = Run { until, len: count as u32, are_in_world };
        match self.runs.last_mut() {
            Some(last)
                if (last.until, last.are_in_world) == (until, are_in_world)
                    && before != self.shown =>
            {
                last.len += run.len;
            }
            _ if count == 0 => {}
            _ => {
                let pushed = self.runs.try_push(run);
                if pushed.is_err() {
                    self.lines.truncate(before);
                }
                pushed?;
            }
        }
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
        let (mut at, mut kept, mut kept_runs) = (0, 0, 0);
        let shown = core::mem::take(&mut self.shown);
        for number in 0..self.runs.len() {
            let run = self.runs[number];
            let end = at + run.len as usize;
            if at >= shown || run.until >= now {
                self.lines.copy_within(at..end, kept);
                self.runs[kept_runs] = run;
                (kept, kept_runs) = (kept + run.len as usize, kept_runs + 1);
                if at < shown {
                    self.shown = kept;
                }
            }
            at = end;
        }
        self.is_changed |= kept < self.lines.len();
        self.lines.truncate(kept);
        self.runs.truncate(kept_runs);
    }

    /// Sends the lines of a frame to the drawer, which keeps them until others come.
    fn show(&mut self) -> Result<(), SubsystemError> {
        self.is_changed |= self.lines.len() > self.shown;
        if self.is_changed {
            let lines: &[u8] = bytemuck::cast_slice(self.lines.as_slice());
            let are_in_world = u32::from(self.runs.iter().all(|run| run.are_in_world));
            self.messages.try_push_with_tail(Lines { are_in_world }, lines)?;
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

    fn obeys(&self, kind: u32) -> bool {
        OBEYED.contains(&kind)
    }

    fn command(&mut self, command: &EventRecord<'_>) -> Result<(), SubsystemError> {
        if let Some(DrawLine { from, to, color, seconds }) = command.get() {
            return self.draw(Line::new(from.into(), to.into(), color.into()), seconds);
        }
        if let Some((DrawLines { seconds }, mut lines)) = command.get_with_tail::<_, Line>() {
            return match lines.as_slice() {
                Some(lines) => self.draw_all(lines, seconds),
                None => lines.try_for_each(|line| self.draw_all(&[line], seconds)),
            };
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

#[cfg(test)]
mod tests;
