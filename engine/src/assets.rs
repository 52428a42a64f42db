//! What the render thread was given of resources: where each mesh is in the shared buffers, which
//! number each material has.

use loligo_allocators::{Allocator, HeapOffsets, OffsetBlock};
use loligo_containers::{Array, GrowError, SortedMap};
use loligo_ids::IdString64;
use loligo_render::{
    Geometry, MaterialResource, MaterialTexture, MeshVertex, PLACEHOLDER_COLOR, PLACEHOLDER_PIXELS,
    PLACEHOLDER_SHADER, PLACEHOLDER_SPHERE, placeholder_cube, placeholder_texture,
};
use loligo_resources::{DebugName, ResourceKey};

use crate::error::EngineError;

mod uploads;

pub(crate) use uploads::{
    FrameData, MaterialData, MeshCounts, MeshData, MeshParts, NO_TEXTURE, Numbered, Prepared,
    Removed, ShaderData, TailFile, TextureData, TextureLevels, Uploads, name_of,
};
use uploads::{append_bytes, words_of};

/// How many vertices and indices all meshes together may have: as many as the graphics card is
/// given room for.
pub(crate) const VERTICES_MAX: u64 = 1 << 19;
const INDICES_MAX: u64 = 1 << 21;

/// A mesh that was loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshAsset {
    /// Its number.
    number: u32,
    pub(crate) geometry: Geometry,
    pub(crate) sphere: [f32; 4],
    /// The number of its details on the render thread plus 1, or 0.
    details: u32,
    place: Place,
}

/// A target of a mesh that was loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetAsset {
    /// The hash of the mesh's name.
    pub(crate) mesh: IdString64,
    /// The hash of the name.
    pub(crate) target: u32,
    /// Its weight in the mesh at rest.
    pub(crate) weight: f32,
}

/// What a mesh has of the two buffers.
#[derive(Clone, Copy, Debug)]
struct Place {
    vertices: OffsetBlock,
    indices: OffsetBlock,
}

/// A material that was loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaterialAsset {
    /// Its number.
    pub(crate) state: u32,
    /// The layer's name, hashed.
    pub(crate) layer: IdString64,
    /// The end of its name.
    pub(crate) debug_name: DebugName,
}

/// How a model is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) geometry: Geometry,
    pub(crate) sphere: [f32; 4],
    pub(crate) details: u32,
    pub(crate) state: u32,
    layer: LookLayer,
}

/// The layer in which a model is drawn.
#[derive(Clone, Copy, Debug)]
enum LookLayer {
    /// Its name, hashed.
    Named(IdString64),
    /// Its number.
    Numbered(u32),
}

impl Look {
    /// Returns the number of the layer, which `find` finds by the hash of its name.
    pub(crate) fn layer(&self, find: impl Fn(IdString64) -> Option<u32>) -> u32 {
        match self.layer {
            LookLayer::Named(name) => find(name).unwrap_or(u32::MAX),
            LookLayer::Numbered(number) => number,
        }
    }
}

/// What is drawn in place of what is missing: all of it has the number 0, but for the material of
/// one color.
#[derive(Clone, Copy)]
struct Placeholder {
    mesh: MeshAsset,
    /// For models without a mesh.
    checkered: u32,
    /// For models without a material.
    plain: u32,
    shader: u32,
    texture: u32,
}

/// What was loaded, and the uploads that the render thread has not received yet.
///
/// # Invariants
///
/// 1. A number is that of one thing, or waits in `free` for the next.
pub(crate) struct Assets<'a, A: Allocator + ?Sized> {
    meshes: SortedMap<'a, ResourceKey, MeshAsset, A>,
    materials: SortedMap<'a, ResourceKey, MaterialAsset, A>,
    textures: SortedMap<'a, ResourceKey, u32, A>,
    shaders: SortedMap<'a, ResourceKey, u32, A>,
    /// The targets of meshes, those of one mesh next to each other.
    targets: Array<'a, TargetAsset, A>,
    /// The numbers that are free again, and the first that was never used, of each kind.
    free: [Array<'a, u32, A>; Numbered::ALL.len()],
    next: [u32; Numbered::ALL.len()],
    /// The owners of the parts of the buffers that all meshes share. The graphics card's side
    /// places meshes by the same rule, in the same order, and looks whether it comes to the same.
    vertex_room: HeapOffsets<'a, A>,
    index_room: HeapOffsets<'a, A>,
    /// Where nothing is drawn there is none.
    placeholder: Option<Placeholder>,
    /// The number of the layer of models whose material is missing.
    placeholder_layer: u32,
    uploads: Uploads<'a, A>,
}

impl<'a, A: Allocator + ?Sized> Assets<'a, A> {
    pub(crate) fn try_new_in(memory: &'a A) -> Result<Self, EngineError> {
        let room =
            |name, max| HeapOffsets::new_in(name, 0..max, 0, memory).map_err(EngineError::Boot);
        Ok(Self {
            meshes: SortedMap::new_in(memory),
            materials: SortedMap::new_in(memory),
            textures: SortedMap::new_in(memory),
            shaders: SortedMap::new_in(memory),
            targets: Array::new_in(memory),
            free: Numbered::ALL.map(|_| Array::new_in(memory)),
            next: [0; Numbered::ALL.len()],
            vertex_room: room("vertices of meshes", VERTICES_MAX)?,
            index_room: room("indices of meshes", INDICES_MAX)?,
            placeholder: None,
            placeholder_layer: u32::MAX,
            uploads: Uploads::new_in(memory),
        })
    }

    /// Makes what is drawn in place of what is missing.
    pub(crate) fn make_placeholder(&mut self) -> Result<(), EngineError> {
        let memory = self.uploads.blocks.memory();
        let (vertices, indices) = placeholder_cube();
        let cube = Prepared::of_mesh(&vertices, &indices, PLACEHOLDER_SPHERE, None, memory)?;
        let Prepared::Mesh { words, counts, sphere } = cube else {
            return Ok(());
        };
        let mesh = self.placed(IdString64::new(""), None, words, counts, sphere)?;
        let made = self.try_placeholder(mesh);
        if made.is_err() {
            // Nobody else knows its place.
            self.free_place(&mesh.place);
        }
        self.placeholder = Some(made?);
        Ok(())
    }

    /// Returns the placeholders with a mesh that was placed.
    fn try_placeholder(&mut self, mesh: MeshAsset) -> Result<Placeholder, EngineError> {
        let memory = self.uploads.blocks.memory();
        let (width, height) = (PLACEHOLDER_PIXELS, PLACEHOLDER_PIXELS);
        let pixels = placeholder_texture();
        let mut words = Array::new_in(memory);
        append_bytes(&mut words, pixels.as_flattened())?;
        let texture = self.number(Numbered::Texture)?;
        let (levels, wrap, is_linear, packing, whole) = (1, 0, 0, 0, [width, height]);
        let data = TextureData { texture, width, height, levels, wrap, is_linear, packing, whole };
        self.uploads.try_push(data, words)?;
        let shader = self.number(Numbered::Shader)?;
        self.push_shader(shader, "placeholder", PLACEHOLDER_SHADER)?;
        let mut material = |texture, color| {
            let state = self.number(Numbered::Material)?;
            let values = [color, [1.0, 0.0, 0.0, 0.0], [0.0; 4]];
            // It has no name by which it could be asked for.
            let (name, layer, target) = ([0; 2], [0; 2], [0; 2]);
            let textures = [texture, NO_TEXTURE, NO_TEXTURE, NO_TEXTURE];
            let (casts_shadow, two_sided) = (1, 0);
            let data = MaterialData {
                state,
                shader,
                textures,
                casts_shadow,
                two_sided,
                values,
                target,
                name,
                layer,
            };
            self.uploads.records.try_push(data)?;
            Ok::<_, GrowError>(state)
        };
        let checkered = material(texture, [1.0; 4])?;
        let plain = material(NO_TEXTURE, PLACEHOLDER_COLOR)?;
        Ok(Placeholder { mesh, checkered, plain, shader, texture })
    }

    /// Says in which layer models are drawn whose material is missing.
    pub(crate) const fn set_placeholder_layer(&mut self, layer: u32) {
        self.placeholder_layer = layer;
    }

    /// Returns the memory of what goes to the render thread.
    pub(crate) const fn memory(&self) -> &'a A {
        self.uploads.blocks.memory()
    }

    /// Returns whether a mesh or a material is there.
    pub(crate) fn has(&self, key: ResourceKey) -> bool {
        self.meshes.contains_key(&key) || self.materials.contains_key(&key)
    }

    /// Returns whether a mesh and a material are there.
    pub(crate) fn has_both(&self, mesh: ResourceKey, material: ResourceKey) -> bool {
        self.meshes.contains_key(&mesh) && self.materials.contains_key(&material)
    }

    #[cfg(all(test, feature = "compile"))]
    pub(crate) fn mesh(&self, key: ResourceKey) -> Option<&MeshAsset> {
        self.meshes.get(&key)
    }

    #[cfg(all(test, feature = "compile"))]
    pub(crate) fn material(&self, key: ResourceKey) -> Option<&MaterialAsset> {
        self.materials.get(&key)
    }

    /// Returns how a model of a mesh and a material is drawn: by placeholders where one of them is
    /// not there. `None` where nothing is drawn at all.
    pub(crate) fn look(&self, mesh: ResourceKey, material: ResourceKey) -> Option<Look> {
        let Placeholder { mesh: cube, checkered, plain, .. } = self.placeholder.as_ref()?;
        let (mesh, material) = (self.meshes.get(&mesh), self.materials.get(&material));
        let state = match (mesh, material) {
            (None, _) => *checkered,
            (Some(_), None) => *plain,
            (Some(_), Some(material)) => material.state,
        };
        let layer = match material {
            Some(material) => LookLayer::Named(material.layer),
            None => LookLayer::Numbered(self.placeholder_layer),
        };
        let MeshAsset { geometry, sphere, details, .. } = *mesh.unwrap_or(cube);
        Some(Look { geometry, sphere, details, state, layer })
    }

    /// Returns all materials, sorted by the hashes of their names.
    pub(crate) fn materials(&self) -> impl ExactSizeIterator<Item = (IdString64, &MaterialAsset)> {
        self.materials.keys().iter().map(|key| key.name).zip(self.materials.values())
    }

    /// Returns the targets of all meshes, those of one mesh next to each other.
    pub(crate) fn targets(&self) -> &[TargetAsset] {
        &self.targets
    }

    /// Sends the render thread the description of a frame.
    pub(crate) fn put_frame(&mut self, text: &[u8]) -> Result<(), GrowError> {
        self.uploads.records.try_push_with_tail(FrameData { zero: 0 }, text)
    }

    /// Hands over the uploads for the render thread, in exchange for none.
    pub(crate) const fn exchange(&mut self, empty: Uploads<'a, A>) -> Uploads<'a, A> {
        let number = self.uploads.number;
        let full = core::mem::replace(&mut self.uploads, empty);
        self.uploads.number = number + 1;
        full
    }

    /// Sends a texture other large levels. Returns the number of the uploads that they are among.
    pub(crate) fn resize_texture(
        &mut self,
        levels: TextureLevels,
        words: Array<'a, u32, A>,
    ) -> Result<u64, GrowError> {
        self.uploads.try_push(levels, words)?;
        Ok(self.uploads.number)
    }

    /// Returns the number of a texture.
    pub(crate) fn texture(&self, key: ResourceKey) -> Option<u32> {
        self.textures.get(&key).copied()
    }

    /// Adds a mesh or a texture that was made ready, or replaces the one of that key. A mesh that
    /// changes stays where it is, if it fits there.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory or no room; nothing has changed.
    pub(crate) fn put(
        &mut self,
        key: ResourceKey,
        prepared: Prepared<'a, A>,
    ) -> Result<(), EngineError> {
        match prepared {
            Prepared::Mesh { words, counts, sphere } => {
                self.meshes.try_reserve(1)?;
                let old = self.meshes.get(&key).copied();
                let mesh = self.placed(key.name, old, words, counts, sphere)?;
                // There is room.
                self.meshes.insert(key, mesh);
            }
            Prepared::Texture { words, data, .. } => {
                self.textures.try_reserve(1)?;
                let known = self.textures.get(&key).copied();
                let texture = known.map_or_else(|| self.number(Numbered::Texture), Ok)?;
                let pushed = self.uploads.try_push(TextureData { texture, ..data }, words);
                self.keep(Numbered::Texture, texture, known, pushed)?;
                self.textures.insert(key, texture);
            }
            Prepared::Other => {}
        }
        Ok(())
    }

    /// Adds a shader, or replaces it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory; nothing has changed.
    pub(crate) fn put_shader(
        &mut self,
        key: ResourceKey,
        name: &str,
        text: &str,
    ) -> Result<(), EngineError> {
        self.shaders.try_reserve(1)?;
        let known = self.shaders.get(&key).copied();
        let shader = known.map_or_else(|| self.number(Numbered::Shader), Ok)?;
        let pushed = self.push_shader(shader, name, text);
        self.keep(Numbered::Shader, shader, known, pushed)?;
        self.shaders.insert(key, shader);
        Ok(())
    }

    /// Adds a material, or replaces it. A shader or a texture that is not there is a placeholder.
    /// Returns its number and those of its textures.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory; nothing has changed.
    pub(crate) fn put_material(
        &mut self,
        key: ResourceKey,
        debug_name: DebugName,
        material: &MaterialResource,
    ) -> Result<(u32, [u32; 4]), EngineError> {
        let missing = |of: fn(&Placeholder) -> u32| self.placeholder.as_ref().map_or(0, of);
        let shader = self.shaders.get(&material.shader).copied();
        let shader = shader.unwrap_or_else(|| missing(|placeholder| placeholder.shader));
        // What is missing is seen by its color; a pattern of bumps would only puzzle.
        let instead = [missing(|placeholder| placeholder.texture), NO_TEXTURE];
        let textures = MaterialTexture::ALL.map(|which| {
            let found = material.textures[which as usize].map(|key| self.textures.get(&key));
            let instead = instead[usize::from(which != MaterialTexture::Color)];
            found.map_or(NO_TEXTURE, |found| found.copied().unwrap_or(instead))
        });
        self.materials.try_reserve(1)?;
        let known = self.materials.get(&key).map(|material| material.state);
        let state = known.map_or_else(|| self.number(Numbered::Material), Ok)?;
        let MaterialResource { color, roughness, metallic, emission, cutout, custom, .. } =
            *material;
        let layer = material.layer;
        let data = MaterialData {
            state,
            shader,
            textures,
            casts_shadow: material.casts_shadow.into(),
            two_sided: material.two_sided.into(),
            values: [color, [roughness, metallic, emission, cutout], custom],
            target: words_of(material.target.unwrap_or_default()),
            name: words_of(key.name),
            layer: words_of(layer),
        };
        let pushed = self.uploads.records.try_push(data);
        self.keep(Numbered::Material, state, known, pushed)?;
        // There is room.
        self.materials.insert(key, MaterialAsset { state, layer, debug_name });
        Ok((state, textures))
    }

    /// Removes what was added under a key, if anything was, and gives its room back. Returns `true`
    /// if models may be drawn with it.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for the message to the render thread; nothing has
    /// changed.
    pub(crate) fn remove(&mut self, key: ResourceKey) -> Result<bool, GrowError> {
        let found = [
            (Numbered::Mesh, self.meshes.get(&key).map(|mesh| mesh.number)),
            (Numbered::Material, self.materials.get(&key).map(|material| material.state)),
            (Numbered::Texture, self.textures.get(&key).copied()),
            (Numbered::Shader, self.shaders.get(&key).copied()),
        ];
        let Some((what, number)) =
            found.into_iter().find_map(|(what, number)| Some((what, number?)))
        else {
            return Ok(false);
        };
        let record = Removed { what: what as u32, number };
        self.uploads.records.try_push(record)?;
        match what {
            Numbered::Mesh => {
                self.targets.retain(|target| target.mesh != key.name);
                if let Some(mesh) = self.meshes.remove(&key) {
                    self.free_place(&mesh.place);
                }
            }
            Numbered::Material => drop(self.materials.remove(&key)),
            Numbered::Texture => drop(self.textures.remove(&key)),
            Numbered::Shader => drop(self.shaders.remove(&key)),
        }
        // There has been room since the number was given out.
        self.free[what as usize].push(number);
        Ok(matches!(what, Numbered::Mesh | Numbered::Material))
    }

    /// Returns a number that nothing has, for which there is room among the free ones.
    fn number(&mut self, what: Numbered) -> Result<u32, GrowError> {
        let (free, next) = (&mut self.free[what as usize], &mut self.next[what as usize]);
        if let Some(number) = free.pop() {
            return Ok(number);
        }
        free.try_reserve(*next as usize + 1)?;
        *next += 1;
        Ok(*next - 1)
    }

    /// Gives a number that was new back where its message could not be sent.
    fn keep(
        &mut self,
        what: Numbered,
        number: u32,
        known: Option<u32>,
        pushed: Result<(), GrowError>,
    ) -> Result<(), GrowError> {
        if pushed.is_err() && known.is_none() {
            self.free[what as usize].push(number);
        }
        pushed
    }

    fn push_shader(&mut self, shader: u32, known_as: &str, text: &str) -> Result<(), GrowError> {
        let mut name = [0; 32];
        let known_as = known_as.as_bytes();
        name[..known_as.len()].copy_from_slice(known_as);
        self.uploads.records.try_push_with_tail(ShaderData { shader, name }, text.as_bytes())
    }

    /// Sends a mesh, in the place of an old one if it fits there.
    fn placed(
        &mut self,
        name: IdString64,
        old: Option<MeshAsset>,
        words: Array<'a, u32, A>,
        counts: MeshCounts,
        sphere: [f32; 4],
    ) -> Result<MeshAsset, EngineError> {
        let MeshCounts {
            vertices,
            indices: index_count,
            finest,
            bones,
            lods,
            targets,
            hysteresis,
            occluder,
        } = counts;
        self.targets.try_reserve(targets as usize)?;
        let (vertex_room, index_room) = (u64::from(vertices), u64::from(index_count));
        let kept = old.filter(|old| {
            vertex_room <= self.vertex_room.len_of(old.place.vertices)
                && index_room <= self.index_room.len_of(old.place.indices)
        });
        let number = old.map_or_else(|| self.number(Numbered::Mesh), |old| Ok(old.number))?;
        let place = match kept {
            Some(old) => Ok(old.place),
            None => self.place(vertex_room, index_room),
        };
        let place = match place {
            Ok(place) => place,
            Err(error) => {
                if old.is_none() {
                    self.free[Numbered::Mesh as usize].push(number);
                }
                return Err(error);
            }
        };
        // Both rooms are smaller than that.
        let base_vertex = place.vertices.offset() as i32;
        let first_index = place.indices.offset() as u32;
        let geometry = Geometry { index_count: finest, first_index, base_vertex };
        let vertex_words = vertices * (size_of::<MeshVertex>() / size_of::<u32>()) as u32;
        let data = MeshData {
            mesh: number,
            vertex_words,
            index_count,
            first_index,
            base_vertex,
            name: words_of(name),
            bones,
            finest,
            lods,
            targets,
            hysteresis,
            occluder,
        };
        let pushed = self.uploads.try_push(data, words);
        if pushed.is_err() && kept.is_none() {
            // The render thread does not know the new place, so it can be freed.
            self.free_place(&place);
        }
        self.keep(Numbered::Mesh, number, old.map(|old| old.number), pushed)?;
        if let Some(old) = old.filter(|_| kept.is_none()) {
            self.free_place(&old.place);
        }
        self.targets.retain(|target| target.mesh != name);
        let words = self.uploads.blocks.last().map_or(&[][..], |words| words);
        let morph = data.parts(words).morph;
        // There is room.
        self.targets.extend(
            morph.targets.iter().zip(morph.weights).map(|(target, weight)| TargetAsset {
                mesh: name,
                target: *target,
                weight: *weight,
            }),
        );
        // Objects whose mesh has none of them pay nothing for it.
        let has_details = lods != 0 || targets != 0 || occluder[0] != occluder[1];
        let details = if has_details { number + 1 } else { 0 };
        Ok(MeshAsset { number, geometry, sphere, details, place })
    }

    fn place(&self, vertices: u64, indices: u64) -> Result<Place, EngineError> {
        let vertices = self.vertex_room.allocate(vertices, 1).map_err(|_| EngineError::MeshRoom)?;
        let Ok(indices) = self.index_room.allocate(indices, 1) else {
            self.vertex_room.free(vertices);
            return Err(EngineError::MeshRoom);
        };
        Ok(Place { vertices, indices })
    }

    fn free_place(&self, place: &Place) {
        self.vertex_room.free(place.vertices);
        self.index_room.free(place.indices);
    }
}

impl<A: Allocator + ?Sized> Drop for Assets<'_, A> {
    fn drop(&mut self) {
        // The rooms report what is never given back.
        self.meshes.values().iter().for_each(|mesh| self.free_place(&mesh.place));
        if let Some(placeholder) = &self.placeholder {
            self.free_place(&placeholder.mesh.place);
        }
    }
}
