//! Vectors, rotations and matrices that live for a frame.
//!
//! After Niklas Frykholm, "Lightweight Lua Bindings" (2011), which leaves temporaries to a later
//! article: here they are in pools that are emptied each frame, and what a script holds is a number
//! that carries kind, frame and place.

use core::cell::Cell;
use core::fmt;

use glam::{Mat4, Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::handle;
use crate::kind::{IdKind, Kind, MATRIX4X4, QUATERNION, VECTOR3};

/// The most temporaries of one kind in a frame.
pub const TEMPORARIES_MAX: u32 = 1 << 16;

/// The pool is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// Temporaries of all kinds.
///
/// # Memory
///
/// 12 + 16 + 64 bytes for each of the most that a frame may have, taken when it is made.
///
/// # Invariants
///
/// 1. The arrays are full from the start and never grow: nothing is allocated later. `used` of
///    their places are in use.
pub(crate) struct Temporaries<'m> {
    vectors: Pool<'m, Vec3>,
    rotations: Pool<'m, Quat>,
    matrices: Pool<'m, Mat4>,
    /// The number of the frame; it comes back after 65 536 frames.
    stamp: Cell<u16>,
    /// The most that were used in one frame, of any kind.
    peak: Cell<u32>,
    checks: bool,
}

/// Values of one kind.
struct Pool<'m, T> {
    values: Array<'m, Cell<T>>,
    used: Cell<u32>,
}

/// The words for a pool that is full.
pub(crate) struct FullText {
    count: usize,
    kind: Kind,
}

impl fmt::Display for FullText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "this frame has had its {} temporaries of {}; keep fewer, reuse them, or raise \
             `temporaries` in the settings of scripts",
            self.count,
            self.kind.name()
        )
    }
}

/// What is wrong with a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandleError {
    /// It is a plain number, or the sum of handles.
    NoHandle,
    /// It is of another kind, by its code.
    OtherKind(u8),
    /// Its frame is over.
    Stale,
}

impl<'m> Temporaries<'m> {
    pub(crate) fn try_new_in(
        count_max: u32,
        checks: bool,
        memory: &'m dyn Allocator,
    ) -> Result<Self, GrowError> {
        let count = count_max.min(TEMPORARIES_MAX) as usize;
        Ok(Self {
            vectors: Pool::try_new_in(count, Vec3::ZERO, memory)?,
            rotations: Pool::try_new_in(count, Quat::IDENTITY, memory)?,
            matrices: Pool::try_new_in(count, Mat4::IDENTITY, memory)?,
            stamp: Cell::new(0),
            peak: Cell::new(0),
            checks,
        })
    }

    /// Forgets all temporaries.
    pub(crate) fn next_frame(&self) {
        self.peak.set(self.peak_count());
        for used in [&self.vectors.used, &self.rotations.used, &self.matrices.used] {
            used.set(0);
        }
        self.stamp.set(self.stamp.get().wrapping_add(1));
    }

    /// Returns the most that were used in one frame, of any kind.
    pub(crate) fn peak_count(&self) -> u32 {
        let used = [&self.vectors.used, &self.rotations.used, &self.matrices.used];
        used.into_iter().map(Cell::get).fold(self.peak.get(), u32::max)
    }

    pub(crate) fn count_max(&self) -> usize {
        self.vectors.values.len()
    }

    /// Returns why there is no room for one more.
    pub(crate) fn full(&self, kind: Kind) -> FullText {
        FullText { count: self.count_max(), kind }
    }

    /// Returns `true` if handles are checked.
    pub(crate) const fn checks(&self) -> bool {
        self.checks
    }

    /// Reports what is wrong with `number` as a handle of `kind`.
    #[inline]
    pub(crate) fn check(&self, number: f64, kind: IdKind) -> Result<(), HandleError> {
        let (code, bits) = handle::unpack(number).ok_or(HandleError::NoHandle)?;
        if code != kind.code() {
            return Err(HandleError::OtherKind(code));
        }
        let used = match kind {
            VECTOR3 => &self.vectors.used,
            QUATERNION => &self.rotations.used,
            MATRIX4X4 => &self.matrices.used,
            _ => return Ok(()),
        };
        let is_now = bits >> 16 == u32::from(self.stamp.get()) && bits & 0xffff < used.get();
        if is_now { Ok(()) } else { Err(HandleError::Stale) }
    }

    pub(crate) fn add_vector3(&self, vector: Vec3) -> Result<f64, Full> {
        self.vectors.add(vector, VECTOR3, self.stamp.get())
    }

    pub(crate) fn add_quaternion(&self, rotation: Quat) -> Result<f64, Full> {
        self.rotations.add(rotation, QUATERNION, self.stamp.get())
    }

    pub(crate) fn add_matrix(&self, matrix: Mat4) -> Result<f64, Full> {
        self.matrices.add(matrix, MATRIX4X4, self.stamp.get())
    }

    /// Returns a vector; zero where the handle is invalid and was not checked.
    pub(crate) fn vector3(&self, number: f64) -> Vec3 {
        self.vectors.get(number).unwrap_or(Vec3::ZERO)
    }

    pub(crate) fn quaternion(&self, number: f64) -> Quat {
        self.rotations.get(number).unwrap_or(Quat::IDENTITY)
    }

    pub(crate) fn matrix(&self, number: f64) -> Mat4 {
        self.matrices.get(number).unwrap_or(Mat4::IDENTITY)
    }
}

impl<'m, T: Copy> Pool<'m, T> {
    fn try_new_in(count: usize, value: T, memory: &'m dyn Allocator) -> Result<Self, GrowError> {
        let mut values = Array::try_with_capacity_in(count, memory)?;
        values.try_resize_with(count, || Cell::new(value))?;
        Ok(Self { values, used: Cell::new(0) })
    }

    fn add(&self, value: T, kind: IdKind, stamp: u16) -> Result<f64, Full> {
        let place = self.used.get();
        let cell = self.values.get(place as usize).ok_or(Full)?;
        cell.set(value);
        self.used.set(place + 1);
        Ok(handle::pack(kind, u32::from(stamp) << 16 | place))
    }

    fn get(&self, number: f64) -> Option<T> {
        self.values.get((handle::bits(number) & 0xffff) as usize).map(Cell::get)
    }
}
