//! What of a subsystem draws, on the thread that renders.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Vec3};
use loligo_allocators::Own;
use loligo_containers::EventReader;
use loligo_ids::{IdString32, IdString64};

use crate::error::SubsystemError;
use crate::subsystem::SubsystemMemory;
use crate::viewpoint::Viewpoint;

/// A drawer that was made, in the subsystem's memory.
pub type MadeDrawer<'m> = Own<'m, dyn Drawer + 'm, SubsystemMemory<'m>>;

/// Draws what a subsystem has to show. It shares nothing with its subsystem, which sends it
/// messages ([`Subsystem::drawn`](crate::Subsystem::drawn)): the two are on different threads, and
/// the drawer works on a frame while the subsystem is at the next.
///
/// # Threads
///
/// It is on the thread that renders.
pub trait Drawer: Send {
    /// Reads what the subsystem has sent for this frame. Each message comes once, in order, also
    /// where a frame before was not drawn.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`]: what it could not keep is not drawn.
    fn read(&mut self, messages: EventReader<'_>) -> Result<(), SubsystemError>;

    /// Has meshes moved by bones: called once for each frame, before its views are drawn.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`]: what it could not have moved is not drawn.
    fn skin(&mut self, to: &mut dyn Skinner) -> Result<(), SubsystemError> {
        let _ = to;
        Ok(())
    }

    /// Draws what a view of the frame sees: called once for each view that is drawn.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`]: a part is not drawn.
    fn draw(&mut self, view: &Viewpoint, to: &mut dyn Drawing) -> Result<(), SubsystemError>;
}

/// What moves meshes by bones for a drawer. Meshes go by the hashes of their names.
pub trait Skinner {
    /// Returns the hashes of the names of a mesh's bones, in the order in which
    /// [`skin`](Self::skin) takes their places: nothing where it is not loaded, or bones do not move
    /// it. They may be others in another frame, as it may have been compiled again.
    fn bones(&self, mesh: IdString64) -> &[u64];

    /// Moves a mesh by bones at these places of the world. Nothing is returned where it is not
    /// loaded, or bones do not move it.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory, no room for its vertices, or the bones are more or
    /// fewer than the mesh has.
    fn skin(
        &mut self,
        mesh: IdString64,
        places: &[Affine3A],
    ) -> Result<Option<SkinnedMesh>, SubsystemError>;
}

/// A mesh as bones have moved it, for the frame in which it was returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkinnedMesh {
    /// Its number in the frame.
    pub number: u32,
}

/// What a drawer may ask for. Meshes, materials and layers go by the hashes of their names; what is
/// not loaded, and what has no layer in the view, is left out.
pub trait Drawing {
    /// Draws triangles that are made for this frame: three vertices each, counter-clockwise where
    /// they are seen from, in places of the world. They are sorted by `at`.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory; nothing of them is drawn.
    fn triangles(
        &mut self,
        material: IdString64,
        at: Vec3,
        vertices: &[DrawnVertex],
    ) -> Result<(), SubsystemError>;

    /// Draws a mesh with a material for each matrix.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory; some may be drawn.
    fn meshes(
        &mut self,
        mesh: IdString64,
        material: IdString64,
        matrices: &[Affine3A],
    ) -> Result<(), SubsystemError>;

    /// Draws a mesh that bones have moved, with a material. It is sorted by `at`.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory, or there is no such mesh in this frame.
    fn skinned(
        &mut self,
        mesh: SkinnedMesh,
        material: IdString64,
        at: Vec3,
    ) -> Result<(), SubsystemError>;

    /// Asks the back end for work of a kind over all that the view draws: in the last layer of its
    /// passes with colors, after everything else. Nothing is done in a view, other than the player's,
    /// that draws no objects.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory.
    fn overlay(&mut self, kind: IdString32, data: &[u8]) -> Result<(), SubsystemError>;

    /// Asks the back end for work of a kind, in a layer, sorted by `at`. A back end that does not
    /// know the kind reports it.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory.
    fn job(
        &mut self,
        layer: IdString64,
        at: Vec3,
        kind: IdString32,
        data: &[u8],
    ) -> Result<(), SubsystemError>;
}

/// A vertex of triangles that are made for a frame: what shaders see of a mesh's vertex.
///
/// # Memory
///
/// 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct DrawnVertex {
    /// Where it is in the world.
    pub position: [f32; 3],
    /// The normal, or what else the shader takes it for: a color, say.
    pub normal: [f32; 3],
    /// Where it is in the texture.
    pub uv: [f32; 2],
}
