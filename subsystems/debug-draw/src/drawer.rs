//! The lines on the thread that renders.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Array, Event, EventReader};
use loligo_ids::{IdString32, id32};
use loligo_interface::{Drawer, Drawing, MadeDrawer, SubsystemError, SubsystemMemory, Viewpoint};

use crate::line::Line;

/// The kind of the job that draws lines: its data are [`Line`]s.
pub(crate) const LINES: IdString32 = id32!("debug_lines");

/// The lines of a frame follow.
#[derive(Clone, Copy, Debug, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub(crate) struct Lines {
    pub(crate) count: u32,
}

/// Draws the lines of the last frame.
struct LineDrawer<'m> {
    lines: Array<'m, u8, SubsystemMemory<'m>>,
}

impl Drawer for LineDrawer<'_> {
    fn read(&mut self, messages: EventReader<'_>) -> Result<(), SubsystemError> {
        for record in messages {
            if let Some((_, lines)) = record.get_with_tail::<Lines, u8>() {
                self.lines.clear();
                self.lines.try_extend_from_slice(lines.as_bytes())?;
            }
        }
        Ok(())
    }

    fn draw(&mut self, view: &Viewpoint, to: &mut dyn Drawing) -> Result<(), SubsystemError> {
        if self.lines.is_empty() || view.is_sun || view.stage != 0 {
            return Ok(());
        }
        to.overlay(LINES, &self.lines)
    }
}

pub(crate) fn make(memory: SharedRef<'_>) -> Result<MadeDrawer<'_>, SubsystemError> {
    let drawer = Own::new_in(LineDrawer { lines: Array::new_in(memory) }, memory)?;
    Ok(own_dyn!(drawer => dyn Drawer + '_))
}

const _: () = assert!(align_of::<Line>() == 4, "the data of jobs are aligned so");
