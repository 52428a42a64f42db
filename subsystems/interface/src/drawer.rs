//! What of a subsystem draws, on the thread that renders.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Mat4, Vec3, Vec4, Vec4Swizzles};
use loligo_allocators::Own;
use loligo_containers::EventReader;
use loligo_ids::{IdString32, IdString64};

use crate::error::SubsystemError;
use crate::subsystem::SubsystemMemory;

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
    /// passes with colors, after everything else.
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

/// From where a view of the frame sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewpoint {
    /// The number of the view; 0 is the player's.
    pub number: u8,
    /// The stage that it sees: what is on others is not to be drawn.
    pub stage: u8,
    /// Whether it is for a shadow map.
    pub is_sun: bool,
    /// How many pixels it draws.
    pub pixels: [u32; 2],
    /// Where it is: it sees along its -z, and y points up.
    pub eye: Affine3A,
    /// From the eye to the picture, depths from 0 to 1.
    pub projection: Mat4,
    /// The planes between which it sees.
    planes: [Vec4; 6],
}

impl Viewpoint {
    /// Returns the view from a place, which is the player's of the first stage.
    #[must_use]
    pub fn new(eye: Affine3A, projection: Mat4, pixels: [u32; 2]) -> Self {
        let matrix = projection * Mat4::from(eye.inverse());
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| matrix.row(row));
        let planes = [w + x, w - x, w + y, w - y, z, w - z].map(|plane| {
            let length = plane.xyz().length();
            if length > 0.0 { plane / length } else { Vec4::new(0.0, 0.0, 0.0, f32::MAX) }
        });
        let (number, stage, is_sun) = (0, 0, false);
        Self { number, stage, is_sun, pixels, eye, projection, planes }
    }

    /// Returns `true` if a sphere may be seen.
    ///
    /// # Examples
    ///
    /// ```
    /// use glam::camera::rh::proj::directx::perspective;
    /// use glam::{Affine3A, Vec3};
    /// use loligo_interface::Viewpoint;
    ///
    /// let view = Viewpoint::new(Affine3A::IDENTITY, perspective(1.0, 1.5, 0.1, 100.0), [300, 200]);
    /// assert!(view.sees(Vec3::new(0.0, 0.0, -5.0), 1.0));
    /// assert!(!view.sees(Vec3::new(0.0, 0.0, 5.0), 1.0));
    /// ```
    #[must_use]
    pub fn sees(&self, center: Vec3, radius: f32) -> bool {
        self.planes.iter().all(|plane| plane.dot(center.extend(1.0)) >= -radius)
    }

    /// Returns how wide and high something of one metre is at a place, in pixels of the view's
    /// height; 0 where nothing is seen.
    ///
    /// # Examples
    ///
    /// ```
    /// use glam::camera::rh::proj::directx::perspective;
    /// use glam::{Affine3A, Vec3};
    /// use loligo_interface::Viewpoint;
    ///
    /// let upright = std::f32::consts::FRAC_PI_2;
    /// let view = Viewpoint::new(Affine3A::IDENTITY, perspective(upright, 1.5, 0.1, 9.0), [300, 200]);
    /// assert!((view.pixels_a_metre(Vec3::new(0.0, 0.0, -10.0)) - 10.0).abs() < 0.001);
    /// ```
    #[must_use]
    pub fn pixels_a_metre(&self, at: Vec3) -> f32 {
        let seen = self.eye.inverse().transform_point3(at);
        let w = self.projection.row(3).dot(seen.extend(1.0));
        if w > 0.0 { self.projection.y_axis.y / w * self.pixels[1] as f32 * 0.5 } else { 0.0 }
    }
}
