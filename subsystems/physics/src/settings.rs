//! Settings of a game: groups, materials and templates by name.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root          | gravity | stay rate | lists: offset, count | .. | effects  56 bytes
//! groups        | hash of the name | groups that it meets | ..            8 bytes each
//! materials     | name | friction | restitution | density | ..           16 bytes each
//! shapes        | name | material | group | flags | ..                   16 bytes each
//! actors        | name | kind | flags | mass | damping .. | gravity | .. 28 bytes each
//! ```
//!
//! Materials, shapes and actors are ordered by hash, so a name is found by halving. Groups are in the
//! order of their bits.

mod image;
mod template;
mod verify;

pub use image::{SettingsActor, SettingsGroup, SettingsImage, SettingsMaterial, SettingsShape};
pub use template::{ActorKind, ActorTemplate, ShapeTemplate};

use core::fmt;

use glam::Vec3;
use loligo_containers::Blob;
use loligo_ids::{IdString32, IdString64};
use loligo_resources::DataError;

use crate::geometry::{Filter, Surface};

/// The type of settings.
pub const SETTINGS_TYPE: &str = "physics";

/// The version of settings that is compiled and read here.
pub const SETTINGS_VERSION: u32 = 2;

/// The most groups: each is a bit of a filter.
pub const GROUPS_MAX: usize = 32;

/// The most materials, the most shape templates, and the most actor templates.
pub const TEMPLATES_MAX: usize = 4096;

/// Settings that were opened: a view of bytes that were verified once.
///
/// To change settings while a game runs, open another resource and resolve the names again: a name has
/// the same hash in each.
///
/// # Complexity
///
/// Opening is O(bytes), allocates nothing and trusts no length. Finding a name is O(log n), that of a
/// group O(n).
///
/// # Memory
///
/// The bytes are borrowed and read in place. The object is four slices and four numbers.
///
/// # Examples
///
/// ```
/// use loligo_physics::Settings;
///
/// let error = Settings::open(&[0; 16]).expect_err("not settings");
/// assert!(error.to_string().starts_with("no compiled physics: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. There are 1 to [`GROUPS_MAX`] groups, each of another name. If one meets another, so does the other
///    meet it.
/// 2. Other lists are strictly ordered by name, with at most [`TEMPLATES_MAX`] elements.
/// 3. Each index is in its list, each flag is known, and numbers are in the ranges that sources may have.
#[derive(Clone, Copy)]
pub struct Settings<'b> {
    gravity: [f32; 3],
    stay_rate: f32,
    groups: &'b [SettingsGroup],
    materials: &'b [SettingsMaterial],
    shapes: &'b [SettingsShape],
    actors: &'b [SettingsActor],
    impacts: IdString64,
}

impl<'b> Settings<'b> {
    /// Opens the payload of a resource of type `physics`. It must be at a multiple of 16, as that of a
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
        let blob = Blob::<SettingsImage>::open_structure(payload)
            .map_err(|error| DataError::blob(SETTINGS_TYPE, error))?;
        let image = blob.root();
        let settings = Self {
            gravity: image.gravity,
            stay_rate: image.stay_rate,
            groups: blob.array(&image.groups),
            materials: blob.array(&image.materials),
            shapes: blob.array(&image.shapes),
            actors: blob.array(&image.actors),
            impacts: image.impacts,
        };
        settings.verify()?;
        Ok(settings)
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn verify(&self) -> Result<(), DataError> {
        verify::verify(self)
    }

    /// Returns the gravity, in metres per second squared.
    #[must_use]
    pub const fn gravity(&self) -> Vec3 {
        Vec3::from_array(self.gravity)
    }

    /// Returns how many `stay` events a second there are for two shapes that touch; 0 is none.
    #[must_use]
    pub const fn stay_rate(&self) -> f32 {
        self.stay_rate
    }

    /// Returns the name of the game's table of effects, a resource of type `impacts`.
    #[must_use]
    pub fn impacts(&self) -> Option<IdString64> {
        (self.impacts.hash() != 0).then_some(self.impacts)
    }

    /// Returns the groups, in the order of their bits.
    #[must_use]
    pub const fn groups(&self) -> &'b [SettingsGroup] {
        self.groups
    }

    /// Returns the materials, by ascending hash.
    #[must_use]
    pub const fn materials(&self) -> &'b [SettingsMaterial] {
        self.materials
    }

    /// Returns the filter of the shapes of a group.
    ///
    /// # Complexity
    ///
    /// O(groups).
    #[must_use]
    pub fn filter(&self, group: IdString32) -> Option<Filter> {
        self.groups.iter().position(|known| known.name == group).map(|at| self.filter_at(at))
    }

    /// Returns the surface of a material.
    ///
    /// # Complexity
    ///
    /// O(log materials).
    #[must_use]
    pub fn surface(&self, material: IdString32) -> Option<Surface> {
        let found = self.materials.binary_search_by_key(&material.hash(), |of| of.name.hash());
        found.ok().map(|at| self.surface_at(at))
    }

    /// Returns the template of a shape.
    ///
    /// # Complexity
    ///
    /// O(log templates).
    #[must_use]
    pub fn shape(&self, name: IdString32) -> Option<ShapeTemplate> {
        let found = self.shapes.binary_search_by_key(&name.hash(), |shape| shape.name.hash());
        let shape = &self.shapes[found.ok()?];
        Some(ShapeTemplate {
            name,
            filter: self.filter_at(shape.group as usize),
            surface: self.surface_at(shape.material as usize),
            flags: shape.flags,
        })
    }

    /// Returns the template of an actor.
    ///
    /// # Complexity
    ///
    /// O(log templates).
    #[must_use]
    pub fn actor(&self, name: IdString32) -> Option<ActorTemplate> {
        let found = self.actors.binary_search_by_key(&name.hash(), |actor| actor.name.hash());
        let actor = &self.actors[found.ok()?];
        Some(ActorTemplate {
            name,
            kind: ActorKind::of(actor.kind)?,
            flags: actor.flags,
            mass: actor.mass,
            linear_damping: actor.linear_damping,
            angular_damping: actor.angular_damping,
            gravity_scale: actor.gravity_scale,
        })
    }

    fn filter_at(&self, group: usize) -> Filter {
        Filter { groups: 1 << group, meets: self.groups[group].meets }
    }

    fn surface_at(&self, material: usize) -> Surface {
        let material = &self.materials[material];
        Surface {
            material: material.name.hash(),
            friction: material.friction,
            restitution: material.restitution,
            density: material.density,
        }
    }
}

impl fmt::Debug for Settings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("groups", &self.groups.len())
            .field("materials", &self.materials.len())
            .field("shapes", &self.shapes.len())
            .field("actors", &self.actors.len())
            .finish_non_exhaustive()
    }
}
