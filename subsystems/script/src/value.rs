//! Values that the engine hands to scripts.

use glam::{Mat4, Quat, Vec3};

use crate::kind::IdKind;

/// An argument of a callback.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'v> {
    /// `nil`.
    Nil,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text; a new one each time makes garbage.
    Text(&'v str),
    /// An id of a kind.
    Id(IdKind, u32),
    /// A vector that lives for this frame.
    Vector3(Vec3),
    /// A rotation that lives for this frame.
    Quaternion(Quat),
    /// A matrix that lives for this frame.
    Matrix4x4(Mat4),
}
