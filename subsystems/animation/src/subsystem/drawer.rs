//! Characters on the thread that renders: their meshes, moved by their bones.

use bytemuck::{AnyBitPattern, NoUninit};
use glam::{Affine3A, Vec3, Vec4, Vec4Swizzles};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Array, Event, EventReader};
use loligo_ids::IdString64;
use loligo_interface::{
    Drawer, Drawing, MadeDrawer, SkinnedMesh, Skinner, SubsystemError, SubsystemMemory, Viewpoint,
};

/// The characters of a frame follow.
#[derive(Clone, Copy, Debug, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub(crate) struct FrameBegun {
    pub(crate) characters: u32,
}

/// The names of the bones of a rig, hashed, in the tail.
#[derive(Clone, Copy, Debug, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub(crate) struct RigKnown {
    pub(crate) rig: u32,
}

/// A character, with a matrix for each bone in the tail.
#[derive(Clone, Copy, Debug, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub(crate) struct Posed {
    pub(crate) rig: u32,
    /// The hashes of the names, low half first.
    pub(crate) mesh: [u32; 2],
    pub(crate) material: [u32; 2],
    pub(crate) sphere: [f32; 4],
}

type Memory<'m> = SubsystemMemory<'m>;

/// A character of the frame.
struct Shown {
    posed: Posed,
    first: usize,
    count: usize,
    moved: Option<SkinnedMesh>,
}

/// Draws the characters of the last frame.
struct CharacterDrawer<'m> {
    shown: Array<'m, Shown, Memory<'m>>,
    bones: Array<'m, [f32; 12], Memory<'m>>,
    /// The names of the bones of each rig.
    names: Array<'m, Array<'m, u64, Memory<'m>>, Memory<'m>>,
    /// For each bone of a mesh that of the skeleton, and the rig and mesh that it is for.
    order: Array<'m, u32, Memory<'m>>,
    places: Array<'m, Affine3A, Memory<'m>>,
}

impl CharacterDrawer<'_> {
    /// Learns the names of the bones of a rig.
    fn learn(&mut self, rig: u32, names: &[u8]) -> Result<(), SubsystemError> {
        let memory = self.shown.memory();
        while self.names.len() <= rig as usize {
            self.names.try_push(Array::new_in(memory))?;
        }
        let own = &mut self.names[rig as usize];
        own.clear();
        let (words, _) = names.as_chunks::<8>();
        own.try_extend(words.iter().map(|word| u64::from_ne_bytes(*word)))?;
        Ok(())
    }

    /// Finds for each bone of a mesh that of the skeleton: the first one for what it does not have.
    fn arrange(&mut self, rig: u32, bones: &[u64]) -> Result<(), SubsystemError> {
        self.order.clear();
        let names = self.names.get(rig as usize).map_or(&[][..], |names| names);
        for bone in bones {
            let place = names.iter().position(|name| name == bone);
            self.order.try_push(place.unwrap_or(0) as u32)?;
        }
        Ok(())
    }
}

const fn name_of([low, high]: [u32; 2]) -> IdString64 {
    IdString64::from_hash((high as u64) << 32 | low as u64)
}

impl Drawer for CharacterDrawer<'_> {
    fn read(&mut self, messages: EventReader<'_>) -> Result<(), SubsystemError> {
        for record in messages {
            if let Some(FrameBegun { characters }) = record.get() {
                self.shown.clear();
                self.bones.clear();
                self.shown.try_reserve(characters as usize)?;
            } else if let Some((RigKnown { rig }, names)) = record.get_with_tail::<RigKnown, u8>() {
                self.learn(rig, names.as_bytes())?;
            } else if let Some((posed, rows)) = record.get_with_tail::<Posed, u8>() {
                let (first, bytes) = (self.bones.len(), rows.as_bytes());
                let count = bytes.len() / size_of::<[f32; 12]>();
                self.shown.try_reserve(1)?;
                self.bones.try_resize(first + count, [0.0; 12])?;
                bytemuck::cast_slice_mut(&mut self.bones[first..]).copy_from_slice(bytes);
                self.shown.push(Shown { posed, first, count, moved: None });
            }
        }
        Ok(())
    }

    fn skin(&mut self, to: &mut dyn Skinner) -> Result<(), SubsystemError> {
        let mut arranged = None;
        for at in 0..self.shown.len() {
            let Shown { posed: Posed { rig, mesh, .. }, first, count, .. } = self.shown[at];
            let mesh = name_of(mesh);
            self.shown[at].moved = None;
            if arranged != Some((rig, mesh)) {
                arranged = Some((rig, mesh));
                self.arrange(rig, to.bones(mesh))?;
            }
            let bones = &self.bones[first..first + count];
            let is_whole = self.order.iter().all(|bone| (*bone as usize) < bones.len());
            if self.order.is_empty() || !is_whole {
                continue;
            }
            self.places.clear();
            let matrix = |bone: &u32| Affine3A::from_cols_array(&bones[*bone as usize]);
            self.places.try_extend(self.order.iter().map(matrix))?;
            self.shown[at].moved = to.skin(mesh, &self.places)?;
        }
        Ok(())
    }

    fn draw(&mut self, view: &Viewpoint, to: &mut dyn Drawing) -> Result<(), SubsystemError> {
        if view.stage != 0 {
            return Ok(());
        }
        for shown in &self.shown {
            let sphere = Vec4::from_array(shown.posed.sphere);
            let (center, radius): (Vec3, f32) = (sphere.xyz(), sphere.w);
            if let Some(moved) = shown.moved
                && view.sees(center, radius)
            {
                to.skinned(moved, name_of(shown.posed.material), center)?;
            }
        }
        Ok(())
    }
}

pub(crate) fn make(memory: SharedRef<'_>) -> Result<MadeDrawer<'_>, SubsystemError> {
    let drawer = CharacterDrawer {
        shown: Array::new_in(memory),
        bones: Array::new_in(memory),
        names: Array::new_in(memory),
        order: Array::new_in(memory),
        places: Array::new_in(memory),
    };
    Ok(own_dyn!(Own::new_in(drawer, memory)? => dyn Drawer + '_))
}
