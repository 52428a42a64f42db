//! Hashes of the world's state, by which two runs of a game are compared.

use loligo_entities::Entity;

use loligo_render::MorphWeights;

use super::World;

/// Mixes words into a hash: for comparison, not for tables. A word at a time, as there are many.
struct StateHasher(u64);

impl StateHasher {
    const fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    fn add(&mut self, word: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }

    fn floats(&mut self, floats: &[f32]) {
        floats.iter().for_each(|float| self.add(float.to_bits()));
    }

    fn entities(&mut self, entities: &[Entity]) {
        entities.iter().for_each(|entity| self.add(entity.to_bits()));
    }

    const fn end(self) -> u64 {
        self.0
    }
}

impl World<'_> {
    /// Returns hashes of the state of each subsystem, 0 for one that has none, always in the same
    /// order.
    pub(crate) fn state_hashes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let own = [
            ("entities", self.hash_of_entities()),
            ("transforms", self.hash_of_transforms()),
            ("looks", self.hash_of_looks()),
        ];
        own.into_iter()
            .chain(self.joined().all().map(|(name, subsystem)| (name, subsystem.state_hash())))
    }

    fn hash_of_entities(&self) -> u64 {
        let mut hasher = StateHasher::new();
        self.entities.iter().for_each(|entity| hasher.add(entity.to_bits()));
        hasher.end()
    }

    fn hash_of_transforms(&self) -> u64 {
        let mut hasher = StateHasher::new();
        for (entities, matrices) in self.transforms().worlds() {
            hasher.entities(entities);
            for matrix in matrices {
                hasher.floats(&matrix.to_cols_array());
            }
        }
        hasher.end()
    }

    /// Of models, cameras and lights, the stages that they are on, and views.
    fn hash_of_looks(&self) -> u64 {
        let mut hasher = StateHasher::new();
        let managers = &self.managers;
        hasher.entities(managers.models.entities());
        for model in managers.models.values() {
            hasher.add(model.material().name.hash() as u32);
            hasher.add(model.flags);
        }
        hasher.entities(managers.parameters.entities());
        for parameters in managers.parameters.values() {
            hasher.floats(&parameters.color);
            hasher.floats(&parameters.numbers);
        }
        hasher.entities(managers.weights.entities());
        for weight in managers.weights.values().iter().flat_map(MorphWeights::as_slice) {
            hasher.add(weight.target);
            hasher.floats(&[weight.weight]);
        }
        hasher.entities(managers.cameras.entities());
        for camera in managers.cameras.values() {
            hasher.floats(&[camera.field_of_view, camera.near, camera.far]);
        }
        hasher.entities(managers.lights.entities());
        for light in managers.lights.values() {
            hasher.floats(&light.color);
            hasher.floats(&[light.intensity, light.range]);
        }
        let seen = [managers.models.entities(), managers.lights.entities()];
        let seen = seen.into_iter().chain([managers.cameras.entities(), managers.suns.entities()]);
        seen.flatten().for_each(|entity| hasher.add(self.stages.of(*entity).into()));
        self.views.each_word(&mut |word| hasher.add(word));
        hasher.end()
    }
}
