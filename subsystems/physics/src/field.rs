//! Fields: where they are, and how strong, as formulas.
//!
//! After Niklas Frykholm, "A Tiny Expression Language" (2011), which names fields of forces for tornadoes,
//! explosions and whirlwinds as a use of its expressions. Here a field is three expressions, run over
//! columns of places, and knows neither bodies nor particles.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root          | region | size | seconds | lists: offset, count | ..     60 bytes
//! groups        | hash of the name | ..                                    4 bytes each
//! parameters    | hash of the name | default | ..                          8 bytes each
//! x, y, z       | bytecode | ..                                            4 bytes a word
//! ```

mod image;

pub use image::{FieldImage, FieldParameter};

use core::fmt;

use glam::Vec3;
use loligo_containers::Blob;
use loligo_expressions::{Bytecode, BytecodeError, Symbols};
use loligo_ids::IdString32;
use loligo_resources::DataError;

use crate::ranges::{PARAMETER, SECONDS, SIDE};
use crate::settings::Settings;

/// The type of fields.
pub const FIELD_TYPE: &str = "field";

/// The version of fields that is compiled and read here.
pub const FIELD_VERSION: u32 = 1;

/// The most parameters of a field.
pub const FIELD_PARAMETERS_MAX: usize = 16;

/// The most values that a formula of a field has on its stack.
pub const FIELD_DEPTH_MAX: usize = 16;

/// The variables that a formula has besides the parameters of its field: the place as seen from the field
/// and how far it is, the seconds of the world and those since the field was added; how fast what is there
/// moves, as seen from the field, and its mass.
pub const FIELD_VARIABLES: [&str; 10] =
    ["x", "y", "z", "distance", "time", "age", "vx", "vy", "vz", "mass"];

/// How many variables come before the parameters.
pub(crate) const VARIABLES_BEFORE: usize = 6;

/// All variables of bytecode, by index. Parameters have no names there.
pub(crate) const VARIABLES: [&str; FIELD_VARIABLES.len() + FIELD_PARAMETERS_MAX] = [
    "x", "y", "z", "distance", "time", "age", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8",
    "p9", "p10", "p11", "p12", "p13", "p14", "p15", "vx", "vy", "vz", "mass",
];

/// Where a field is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldRegion {
    /// In all places.
    Everywhere,
    /// In a box around its origin.
    Box {
        /// Half of its sides.
        half: Vec3,
    },
    /// In a sphere around its origin.
    Sphere {
        /// Its radius.
        radius: f32,
    },
}

impl FieldRegion {
    /// Returns `true` if a place, as seen from the field, is in it.
    #[inline]
    #[must_use]
    pub fn contains(&self, place: Vec3, distance: f32) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Box { half } => place.abs().cmple(*half).all(),
            Self::Sphere { radius } => distance <= *radius,
        }
    }
}

/// A field that was opened: a view of bytes that were verified once.
///
/// # Complexity
///
/// Opening is O(bytes), allocates nothing and trusts no length.
///
/// # Memory
///
/// The bytes are borrowed and read in place.
///
/// # Examples
///
/// ```
/// use loligo_physics::Field;
///
/// let error = Field::open(&[0; 16]).expect_err("not a field");
/// assert!(error.to_string().starts_with("no compiled field: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. Formulas are verified bytecode over [`FIELD_VARIABLES`] and the parameters, at most
///    [`FIELD_DEPTH_MAX`] deep.
/// 2. Sizes are above 0 where the region has them; numbers are finite.
/// 3. There are at most [`FIELD_PARAMETERS_MAX`] parameters, each of another name.
#[derive(Clone, Copy)]
pub struct Field<'b> {
    pub(crate) region: FieldRegion,
    pub(crate) seconds: f32,
    pub(crate) groups: &'b [IdString32],
    pub(crate) parameters: &'b [FieldParameter],
    pub(crate) formulas: [&'b [u32]; 3],
}

impl<'b> Field<'b> {
    /// Opens the payload of a resource of type `field`. It must be at a multiple of 16, as that of a
    /// loaded resource is.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<FieldImage>::open_structure(payload)
            .map_err(|error| DataError::blob(FIELD_TYPE, error))?;
        let image = blob.root();
        let size = Vec3::from_array(image.size);
        let region = match image.region {
            0 => FieldRegion::Everywhere,
            1 => FieldRegion::Box { half: size },
            2 => FieldRegion::Sphere { radius: size.x },
            other => {
                return Err(DataError::part(FIELD_TYPE, "region", "0, 1 or 2", other.into()));
            }
        };
        let field = Self {
            region,
            seconds: image.seconds,
            groups: blob.array(&image.groups),
            parameters: blob.array(&image.parameters),
            formulas: [blob.array(&image.x), blob.array(&image.y), blob.array(&image.z)],
        };
        field.verify()?;
        Ok(field)
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn verify(&self) -> Result<(), DataError> {
        let wrong =
            |field, must, found: usize| Err(DataError::part(FIELD_TYPE, field, must, found as u64));
        let is_sized = match self.region {
            FieldRegion::Everywhere => true,
            FieldRegion::Box { half } => half.to_array().iter().all(|side| SIDE.contains(side)),
            FieldRegion::Sphere { radius } => SIDE.contains(&radius),
        };
        if !is_sized {
            return wrong("size", "above 0 and finite", 0);
        }
        if !SECONDS.contains(&self.seconds) {
            return wrong("seconds", "0 or more", self.seconds as usize);
        }
        if self.parameters.len() > FIELD_PARAMETERS_MAX {
            return wrong("parameters", "16 at the most", self.parameters.len());
        }
        for (at, parameter) in self.parameters.iter().enumerate() {
            let is_twice = self.parameters[..at].iter().any(|other| other.name == parameter.name);
            if is_twice || !PARAMETER.contains(&parameter.default) {
                return wrong("parameters", "finite, and each of another name", at);
            }
        }
        for (at, words) in self.formulas.iter().enumerate() {
            let is_right = bytecode(words).is_ok_and(|code| code.depth() <= FIELD_DEPTH_MAX);
            if !is_right {
                return wrong(["x", "y", "z"][at], "bytecode, at most 16 deep", at);
            }
        }
        Ok(())
    }

    /// Returns where it is.
    #[must_use]
    pub const fn region(&self) -> FieldRegion {
        self.region
    }

    /// Returns how many seconds it lasts; 0 is for ever.
    #[must_use]
    pub const fn seconds(&self) -> f32 {
        self.seconds
    }

    /// Returns the names of the groups that it is for, hashed; none is for all.
    #[must_use]
    pub const fn groups(&self) -> &'b [IdString32] {
        self.groups
    }

    /// Returns the bits of its groups.
    ///
    /// # Errors
    ///
    /// The name of a group that the settings do not have.
    pub fn mask(&self, settings: &Settings<'_>) -> Result<u32, IdString32> {
        if self.groups.is_empty() {
            return Ok(u32::MAX);
        }
        self.groups.iter().try_fold(0, |bits, group| {
            let filter = settings.filter(*group).ok_or(*group)?;
            Ok(bits | filter.groups)
        })
    }
}

impl fmt::Debug for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Field").field("region", &self.region).finish_non_exhaustive()
    }
}

/// Verifies the words of a formula.
pub(crate) fn bytecode(words: &[u32]) -> Result<Bytecode<'_>, BytecodeError> {
    Bytecode::verify(words, &symbols())
}

/// Returns what bytecode of fields names.
pub(crate) const fn symbols() -> Symbols<'static> {
    Symbols { variables: &VARIABLES, constants: &[], functions: &[] }
}
