//! How large materials are in pictures.

use glam::Vec3;
use loligo_allocators::Allocator;

use super::{RenderWorld, View};
use crate::state::STAGE_SHIFT;

impl<A: Allocator + ?Sized> RenderWorld<'_, A> {
    /// Raises the sizes of the materials of those meshes of `rows` that are on the view's stage:
    /// `sizes` has one for each state, in pixels, which is at least the diameter of the sphere around
    /// the mesh in a picture that is `height` pixels high. It is infinite around the camera.
    ///
    /// # Complexity
    ///
    /// O(rows).
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn measure(&self, rows: &[u32], view: &View, height: f32, sizes: &mut [f32]) {
        let (meshes, stage) = (&self.meshes, u32::from(view.stage));
        for row in rows.iter().map(|row| *row as usize) {
            let material = meshes.materials[row];
            if material.layer >> STAGE_SHIFT != stage {
                continue;
            }
            if let Some(size) = sizes.get_mut(material.state as usize) {
                let center = Vec3::new(meshes.x[row], meshes.y[row], meshes.z[row]);
                let share = view.lods.size(center, meshes.radius[row]);
                // No number is not larger.
                *size = size.max(share * height);
            }
        }
    }
}
