//! The views of the frame, as the game controls them: whose camera each looks through, which part
//! of its targets it draws, and whether it is drawn at all.

use glam::camera::rh::proj::directx::perspective;
use glam::{Affine3A, Quat, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_entities::Entity;
use loligo_ids::IdString64;
use loligo_interface::Viewpoint;
use loligo_render::{PLAYER, ViewFrom, ViewRef};

use super::World;
use super::components::{Camera, Sun};
use super::scene_view::SceneView;
use crate::error::SavedGameError;
use crate::memory::SharedAllocator;
use crate::saved::{long, number};

/// How much wider than high a part of a picture is thought to be at the least.
const WIDEST: f32 = 2.0;

/// The bytes of a view in a saved game.
const SAVED_BYTES: usize = 32;

/// A view, as the frame describes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FrameView {
    name: IdString64,
    from: ViewFrom,
    around: u8,
    stage: u8,
    rectangle: [f32; 4],
}

impl FrameView {
    pub(crate) const fn of(view: &ViewRef<'_>) -> Self {
        let ViewRef { name, from, around, stage, rectangle, .. } = *view;
        Self { name: IdString64::new(name), from, around, stage, rectangle }
    }
}

/// What the game has said of a view.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Control {
    name: IdString64,
    camera: Option<Entity>,
    rectangle: Option<[f32; 4]>,
    is_hidden: bool,
}

impl Control {
    const fn of(name: IdString64) -> Self {
        Self { name, camera: None, rectangle: None, is_hidden: false }
    }
}

/// The views of the frame, by their numbers, and what the game has said of views: of those as well
/// that the frame does not have now, since a frame may change while a game runs.
pub(super) struct Views<'m> {
    frame: Array<'m, FrameView, SharedAllocator<'m>>,
    controls: Array<'m, Control, SharedAllocator<'m>>,
}

impl<'m> Views<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { frame: Array::new_in(memory), controls: Array::new_in(memory) }
    }

    /// Returns what the game has said of a view, which the frame has.
    fn control(&self, name: IdString64) -> Option<&Control> {
        let at = self.controls.binary_search_by_key(&name, |control| control.name).ok()?;
        self.controls.get(at)
    }

    fn control_mut(&mut self, name: IdString64) -> Option<&mut Control> {
        let at = self.controls.binary_search_by_key(&name, |control| control.name).ok()?;
        self.controls.get_mut(at)
    }

    /// Returns the stage that a view sees, 0 where there is no such view.
    fn stage(&self, name: IdString64) -> u8 {
        self.frame.iter().find(|view| view.name == name).map_or(0, |view| view.stage)
    }

    /// Adds what nothing was said of yet: views of a frame, and the player's.
    fn try_add(&mut self, frame: &[FrameView]) -> Result<(), GrowError> {
        let names = frame.iter().map(|view| view.name);
        names.chain([IdString64::new(PLAYER)]).try_for_each(|name| self.try_add_named(name))
    }

    /// Adds what nothing was said of yet, in the order of names: two runs are compared by it.
    fn try_add_named(&mut self, name: IdString64) -> Result<(), GrowError> {
        match self.controls.binary_search_by_key(&name, |control| control.name) {
            Ok(_) => Ok(()),
            Err(at) => self.controls.try_insert(at, Control::of(name)),
        }
    }

    /// Calls `each` with words that are the same where games have said the same.
    pub(super) fn each_word(&self, each: &mut dyn FnMut(u32)) {
        let said = self.controls.iter().filter(|control| **control != Control::of(control.name));
        for Control { name, camera, rectangle, is_hidden } in said {
            each(name.hash() as u32);
            each(camera.map_or(0, Entity::to_bits));
            rectangle.unwrap_or_default().iter().for_each(|part| each(part.to_bits()));
            each((*is_hidden).into());
        }
    }

    /// Appends what the game has said.
    pub(super) fn try_save(
        &self,
        out: &mut Array<'m, u8, SharedAllocator<'m>>,
    ) -> Result<(), GrowError> {
        for control in &self.controls {
            let Control { name, camera, rectangle, is_hidden } = *control;
            let flags = u32::from(is_hidden) | u32::from(rectangle.is_some()) << 1;
            out.try_extend_from_slice(&name.hash().to_ne_bytes())?;
            out.try_extend_from_slice(&camera.map_or(0, Entity::to_bits).to_ne_bytes())?;
            out.try_extend_from_slice(&flags.to_ne_bytes())?;
            let rectangle = rectangle.unwrap_or_default();
            out.try_extend_from_slice(bytemuck::bytes_of(&rectangle))?;
        }
        Ok(())
    }

    /// Returns what was saved, with what is new in the frame that there is now.
    pub(super) fn try_load(&self, bytes: &[u8]) -> Result<Self, SavedGameError> {
        let mut views = Self::new_in(self.controls.memory());
        if !bytes.len().is_multiple_of(SAVED_BYTES) {
            return Err(SavedGameError::File { what: "the section `views` is of another length" });
        }
        for saved in bytes.chunks_exact(SAVED_BYTES) {
            let flags = number(saved, 12);
            let rectangle = [16, 20, 24, 28].map(|at| f32::from_bits(number(saved, at)));
            if flags & 2 != 0 && !is_part(rectangle) {
                return Err(SavedGameError::File { what: "a view draws what is no part" });
            }
            let name = IdString64::from_hash(long(saved, 0));
            views.try_add_named(name)?;
            if let Some(control) = views.control_mut(name) {
                control.camera = Entity::from_bits(number(saved, 8));
                control.rectangle = (flags & 2 != 0).then_some(rectangle);
                control.is_hidden = flags & 1 != 0;
            }
        }
        views.try_add(&self.frame)?;
        Ok(views)
    }

    /// Takes what the game has said from others.
    pub(super) const fn take_controls(&mut self, others: &mut Self) {
        core::mem::swap(&mut self.controls, &mut others.controls);
    }
}

/// Returns `true` if this is a part of a target: left, top, width and height from 0 to 1.
fn is_part([left, top, width, height]: [f32; 4]) -> bool {
    let is_within = |start: f32, size: f32| start >= 0.0 && size > 0.0 && start + size <= 1.000_001;
    is_within(left, width) && is_within(top, height)
}

impl<'m> World<'m> {
    /// Returns the entity whose camera the player looks through: the one that was set, or else the
    /// first on the stage that the player sees.
    #[must_use]
    pub fn camera(&self) -> Option<Entity> {
        self.view_camera(IdString64::new(PLAYER))
    }

    /// Looks through an entity's camera from now on; `false` if it has none.
    ///
    /// It is [`set_view_camera`](Self::set_view_camera) of the view `player`, for which there is
    /// always room.
    pub fn set_camera(&mut self, entity: Entity) -> bool {
        self.set_view_camera(IdString64::new(PLAYER), entity)
    }

    /// Returns `true` if the frame has a view of that name. The player's is always there; where
    /// nothing is drawn, there is no frame, and a view of any name.
    #[must_use]
    pub fn has_view(&self, name: IdString64) -> bool {
        self.recorder.is_none() || self.views.control(name).is_some()
    }

    /// Returns the entity whose camera a view looks through: the one that was set, or else the
    /// first on the stage that the view sees. `None` if there is none.
    #[must_use]
    pub fn view_camera(&self, view: IdString64) -> Option<Entity> {
        let cameras = &self.managers.cameras;
        let set = self.views.control(view).and_then(|control| control.camera);
        let set = set.filter(|entity| cameras.contains(*entity));
        let stage = self.views.stage(view);
        let is_on_it = |entity: &&Entity| self.stages.of(**entity) == stage;
        set.or_else(|| cameras.entities().iter().find(is_on_it).copied())
    }

    /// Has a view of the frame look through an entity's camera from now on; `false` if the frame
    /// has no such view, or the entity no camera.
    pub fn set_view_camera(&mut self, view: IdString64, entity: Entity) -> bool {
        if !self.managers.cameras.contains(entity) {
            return false;
        }
        self.control(view, |control| control.camera = Some(entity))
    }

    /// Has a view draw this part of its targets from now on, in place of what the frame says: left,
    /// top, width and height, from 0 to 1. `false` if the frame has no such view, or it is no part.
    pub fn set_view_part(&mut self, view: IdString64, part: [f32; 4]) -> bool {
        is_part(part) && self.control(view, |control| control.rectangle = Some(part))
    }

    /// Draws a view from now on, or does not; `false` if the frame has no such view.
    pub fn show_view(&mut self, view: IdString64, is_shown: bool) -> bool {
        self.control(view, |control| control.is_hidden = !is_shown)
    }

    /// Changes what the game has said of a view. Where nothing is drawn, any view is there.
    fn control(&mut self, view: IdString64, change: impl FnOnce(&mut Control)) -> bool {
        if self.recorder.is_none() && self.views.try_add_named(view).is_err() {
            return false;
        }
        self.views.control_mut(view).map(change).is_some()
    }

    /// Learns which views the frame has. What the game has said of views stays.
    pub(crate) fn learn_views(&mut self, frame: &[FrameView]) -> Result<(), GrowError> {
        self.views.try_add(frame)?;
        let known = &mut self.views.frame;
        known.try_reserve(frame.len())?;
        known.clear();
        known.extend_from_slice(frame);
        Ok(())
    }

    /// Appends what each view of the frame sees, by its number.
    pub(crate) fn look(
        &self,
        out: &mut Array<'m, SceneView, SharedAllocator<'m>>,
    ) -> Result<(), GrowError> {
        out.clear();
        for view in &self.views.frame {
            let of = self.views.frame.get(usize::from(view.around)).unwrap_or(view);
            let (eye, camera) = self.eye_of(of.name);
            let (sun, sun_direction) = self.sun_on(view.stage);
            let control = self.views.control(view.name);
            let rectangle = control.and_then(|control| control.rectangle);
            let is_drawn = control.is_none_or(|control| !control.is_hidden);
            let rectangle = rectangle.unwrap_or(view.rectangle);
            out.try_push(SceneView { eye, camera, sun, sun_direction, rectangle, is_drawn })?;
        }
        Ok(())
    }

    /// Appends from where players see a picture of a size in pixels; each sees as much as the view that
    /// is drawn, or more, as the targets of other passes may be wider.
    pub(crate) fn watch(
        &self,
        [width, height]: [u32; 2],
        out: &mut Array<'m, Viewpoint, SharedAllocator<'m>>,
    ) -> Result<(), GrowError> {
        out.clear();
        for (number, view) in (0..).zip(&self.views.frame) {
            let control = self.views.control(view.name);
            if view.from == ViewFrom::Sun || control.is_some_and(|control| control.is_hidden) {
                continue;
            }
            let (eye, Camera { field_of_view, near, far }) = self.eye_of(view.name);
            let wide = (width as f32 / height.max(1) as f32).max(WIDEST);
            let projection = perspective(field_of_view, wide, near, far);
            let mut point = Viewpoint::new(eye, projection, [width, height]);
            (point.number, point.stage) = (number, view.stage);
            out.try_push(point)?;
        }
        Ok(())
    }

    /// Returns where the camera of a view is, and how it projects.
    fn eye_of(&self, view: IdString64) -> (Affine3A, Camera) {
        let Some(entity) = self.view_camera(view) else {
            // Of a world without a camera, its middle from outside.
            let eye = Affine3A::from_rotation_translation(
                Quat::from_rotation_x(-0.5),
                Vec3::new(0.0, 10.0, 20.0),
            );
            return (eye, Camera::default());
        };
        let world = self.managers.transforms.world(entity).copied().unwrap_or(Affine3A::IDENTITY);
        (world, self.managers.cameras.get(entity).copied().unwrap_or_default())
    }

    /// Returns the light of the sun on a stage, and where it shines.
    fn sun_on(&self, stage: u8) -> (Sun, Vec3) {
        let suns = &self.managers.suns;
        let all = suns.entities().iter().zip(suns.values());
        let found = all.into_iter().find(|(entity, _)| self.stages.of(**entity) == stage);
        let Some((entity, sun)) = found else {
            return (Sun::default(), Vec3::new(-0.4, -0.8, -0.45).normalize());
        };
        let matrix = self.managers.transforms.world(*entity);
        let along = matrix.map(|matrix| -Vec3::from(matrix.matrix3.z_axis));
        (*sun, along.unwrap_or(Vec3::NEG_Y).normalize_or(Vec3::NEG_Y))
    }
}
