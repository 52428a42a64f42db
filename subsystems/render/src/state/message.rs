//! What is reported to a render world.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Vec3, Vec4};
use loligo_containers::{Event, EventRecord};

use crate::draw::Geometry;
use crate::frame::STAGES_MAX;
use crate::morph::MorphWeight;
use crate::state::error::StateErrorKind;

/// The flag of a mesh that is not to be drawn.
pub const MESH_HIDDEN: u32 = 1;

/// Returns `true` if all bits mean something.
pub(super) const fn are_flags(flags: u32) -> bool {
    flags & !MESH_HIDDEN == 0
}

/// Where an object is, how it is turned and how large it is: three rows of a matrix whose fourth is
/// 0, 0, 0, 1. Shaders read it in place.
///
/// # Memory
///
/// 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Transform {
    /// The rows; the last column is the position.
    pub rows: [[f32; 4]; 3],
}

impl Transform {
    /// Neither moves nor turns.
    pub const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// Returns where a point of the object is in the world.
    #[must_use]
    pub fn point(&self, point: Vec3) -> Vec3 {
        let [x, y, z] = self.rows.map(|row| Vec4::from_array(row).dot(point.extend(1.0)));
        Vec3::new(x, y, z)
    }

    /// Returns how many times longer the longest axis is than the object's own.
    #[must_use]
    pub fn scale(&self) -> f32 {
        let [x, y, z] = self.rows;
        let lengths = [0, 1, 2].map(|column| Vec3::new(x[column], y[column], z[column]).length());
        lengths[0].max(lengths[1]).max(lengths[2])
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl From<Affine3A> for Transform {
    fn from(from: Affine3A) -> Self {
        let [x, y, z, position] =
            [from.matrix3.x_axis, from.matrix3.y_axis, from.matrix3.z_axis, from.translation];
        Self {
            rows: [
                [x.x, y.x, z.x, position.x],
                [x.y, y.y, z.y, position.y],
                [x.z, y.z, z.z, position.z],
            ],
        }
    }
}

/// A mesh that is drawn.
///
/// # Memory
///
/// 92 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Mesh {
    /// Where it is.
    pub transform: Transform,
    /// The sphere around it, as it is before it is placed: center and radius.
    pub sphere: [f32; 4],
    /// Its triangles.
    pub geometry: Geometry,
    /// The number of the state that it is drawn with.
    pub state: u32,
    /// The number of its layer's name in the frame's description, and its stage, as [`layer_on`]
    /// puts them together. In a view that has no such layer, it is not drawn.
    pub layer: u32,
    /// [`MESH_HIDDEN`], or 0.
    pub flags: u32,
    /// The number of its mesh's details plus 1: levels of detail
    /// ([`RenderWorld::try_set_lods`](crate::RenderWorld::try_set_lods)) and what it hides
    /// ([`RenderWorld::try_set_occluder`](crate::RenderWorld::try_set_occluder)). 0 where it has
    /// neither; a number that was not set is as good as 0.
    pub details: u32,
}

/// What one object has for shaders besides its material: a color by which that of its material is multiplied,
/// and four numbers whose meaning is the shader's.
///
/// # Memory
///
/// 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct InstanceParameters {
    /// Red, green, blue and opacity, linear.
    pub color: [f32; 4],
    /// For the shader to say.
    pub numbers: [f32; 4],
}

impl InstanceParameters {
    /// What objects have that have no parameters: white and zeros.
    pub const NEUTRAL: Self = Self { color: [1.0; 4], numbers: [0.0; 4] };
}

impl Default for InstanceParameters {
    fn default() -> Self {
        Self::NEUTRAL
    }
}

/// The parameters of objects, as shaders read them.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowParameters<'p> {
    /// For each instance the place of its parameters, 0 for none. Instances after these have none.
    pub numbers: &'p [u32],
    /// The parameters; the first are [`InstanceParameters::NEUTRAL`].
    pub values: &'p [InstanceParameters],
}

/// Returns what [`Mesh::layer`] is for an object on a stage: views see one stage each. The first
/// has the number 0.
///
/// # Examples
///
/// ```
/// use loligo_render::layer_on;
///
/// assert_eq!(layer_on(0, 3), 3);
/// assert_eq!(layer_on(2, 3), 0x203);
/// ```
#[must_use]
pub const fn layer_on(stage: u8, layer: u8) -> u32 {
    (stage as u32) << STAGE_SHIFT | layer as u32
}

/// Where the number of the stage begins in [`Mesh::layer`].
pub(crate) const STAGE_SHIFT: u32 = 8;

/// A light.
///
/// # Memory
///
/// 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Light {
    /// Where it is.
    pub position: [f32; 3],
    /// How far it shines, in metres.
    pub range: f32,
    /// Its color.
    pub color: [f32; 3],
    /// How bright it is.
    pub intensity: f32,
}

/// What a render object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Mesh,
    Light,
}

/// A message; its type distinguishes it from others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Message {
    CreateMesh(Mesh),
    CreateLight(PlacedLight),
    Destroy,
    SetTransform(Transform),
    SetShape(Shape),
    SetMaterial(Material),
    SetFlags(u32),
    SetLight(PlacedLight),
    SetParameters(InstanceParameters),
    SetWeight(MorphWeight),
}

/// A light, and the stage that it lights.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PlacedLight {
    pub(crate) light: Light,
    pub(crate) stage: u32,
}

/// What a mesh looks like.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Shape {
    pub(crate) geometry: Geometry,
    pub(crate) sphere: [f32; 4],
    pub(crate) details: u32,
}

/// What a mesh is drawn with, and when.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Material {
    pub(crate) state: u32,
    pub(crate) layer: u32,
}

/// Declares the struct of each message: the bits of a handle, and the new values of the object.
macro_rules! messages {
    ($($name:ident: $what:ty;)+) => {$(
        #[derive(Clone, Copy, Debug, Pod, Zeroable, Event)]
        #[repr(C)]
        pub(super) struct $name {
            pub(super) handle: u32,
            pub(super) what: $what,
        }
    )+};
}

messages! {
    CreateMesh: Mesh;
    CreateLight: PlacedLight;
    Destroy: [u32; 0];
    SetTransform: Transform;
    SetShape: Shape;
    SetMaterial: Material;
    SetFlags: u32;
    SetLight: PlacedLight;
    SetParameters: InstanceParameters;
    SetWeight: MorphWeight;
}

impl Message {
    /// Reads a message and the bits of the handle that it is about.
    pub(crate) fn read(record: &EventRecord<'_>) -> Result<(u32, Self), StateErrorKind> {
        Ok(match record.kind() {
            CreateMesh::TYPE => {
                let CreateMesh { handle, what } = sized(record)?;
                (handle, Self::CreateMesh(what))
            }
            CreateLight::TYPE => {
                let CreateLight { handle, what } = sized(record)?;
                (handle, Self::CreateLight(what))
            }
            Destroy::TYPE => (sized::<Destroy>(record)?.handle, Self::Destroy),
            SetTransform::TYPE => {
                let SetTransform { handle, what } = sized(record)?;
                (handle, Self::SetTransform(what))
            }
            SetShape::TYPE => {
                let SetShape { handle, what } = sized(record)?;
                (handle, Self::SetShape(what))
            }
            SetMaterial::TYPE => {
                let SetMaterial { handle, what } = sized(record)?;
                (handle, Self::SetMaterial(what))
            }
            SetFlags::TYPE => {
                let SetFlags { handle, what } = sized(record)?;
                (handle, Self::SetFlags(what))
            }
            SetLight::TYPE => {
                let SetLight { handle, what } = sized(record)?;
                (handle, Self::SetLight(what))
            }
            SetParameters::TYPE => {
                let SetParameters { handle, what } = sized(record)?;
                (handle, Self::SetParameters(what))
            }
            SetWeight::TYPE => {
                let SetWeight { handle, what } = sized(record)?;
                (handle, Self::SetWeight(what))
            }
            kind => return Err(StateErrorKind::Type { kind }),
        })
    }

    /// Returns the kind of object that the message is about, if it is about one kind only.
    pub(crate) const fn about(&self) -> Option<Kind> {
        match self {
            Self::Destroy => None,
            Self::CreateLight(_) | Self::SetLight(_) => Some(Kind::Light),
            _ => Some(Kind::Mesh),
        }
    }

    /// Checks what not every number can be.
    pub(crate) fn check(&self) -> Result<(), StateErrorKind> {
        let (flags, stage) = match self {
            Self::CreateMesh(mesh) => (mesh.flags, 0),
            Self::SetFlags(flags) => (*flags, 0),
            Self::CreateLight(light) | Self::SetLight(light) => (0, light.stage),
            _ => (0, 0),
        };
        if !are_flags(flags) {
            return Err(StateErrorKind::Flags { flags });
        }
        if stage as usize >= STAGES_MAX {
            return Err(StateErrorKind::Stage { stage });
        }
        Ok(())
    }
}

fn sized<E: Event>(record: &EventRecord<'_>) -> Result<E, StateErrorKind> {
    let (size, expected) = (record.payload().len() as u32, size_of::<E>() as u32);
    record.get().ok_or(StateErrorKind::Size { size, expected })
}
