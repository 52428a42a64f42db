//! The lines on the thread that renders.

use bytemuck::{AnyBitPattern, NoUninit};
use glam::{Vec2, Vec3};
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
    /// 1 if all of them are in the world, else 0.
    pub(crate) are_in_world: u32,
}

/// Draws the lines of the last frame.
struct LineDrawer<'m> {
    lines: Array<'m, Line, SubsystemMemory<'m>>,
    /// Whether all of them are the same in each view.
    are_in_world: bool,
    /// The lines as a view sees them, where they are not.
    seen: Array<'m, Line, SubsystemMemory<'m>>,
}

impl Drawer for LineDrawer<'_> {
    fn read(&mut self, messages: EventReader<'_>) -> Result<(), SubsystemError> {
        for record in messages {
            if let Some((Lines { are_in_world }, lines)) = record.get_with_tail::<Lines, u8>() {
                let bytes = lines.as_bytes();
                // All are overwritten, so those that are there need not be cleared.
                self.lines.try_resize(bytes.len() / size_of::<Line>(), Line::default())?;
                bytemuck::cast_slice_mut(&mut self.lines).copy_from_slice(bytes);
                self.are_in_world = are_in_world != 0;
            }
        }
        Ok(())
    }

    fn draw(&mut self, view: &Viewpoint, to: &mut dyn Drawing) -> Result<(), SubsystemError> {
        if self.lines.is_empty() || view.is_sun || view.stage != 0 {
            return Ok(());
        }
        if self.are_in_world {
            return to.overlay(LINES, bytemuck::cast_slice(&self.lines));
        }
        let axes = view.eye.matrix3;
        let [right, up] = [axes.x_axis, axes.y_axis].map(Vec3::from);
        // What is on the screen is there once, not in each view.
        let pixels = (view.number == 0).then(|| Vec2::from(view.pixels.map(|side| side as f32)));
        let seen = self.lines.iter().filter_map(|line| line.resolve(right, up, pixels));
        self.seen.clear();
        self.seen.try_extend(seen)?;
        to.overlay(LINES, bytemuck::cast_slice(&self.seen))
    }
}

pub(crate) fn make(memory: SharedRef<'_>) -> Result<MadeDrawer<'_>, SubsystemError> {
    let [lines, seen] = [memory, memory].map(Array::new_in);
    let drawer = Own::new_in(LineDrawer { lines, are_in_world: true, seen }, memory)?;
    Ok(own_dyn!(drawer => dyn Drawer + '_))
}

const _: () = assert!(align_of::<Line>() == 4, "the data of jobs are aligned so");
