//! A world with one manager of each kind, for tests.

use loligo_allocators::Allocator;
use loligo_containers::{Array, BlobBytes};
use loligo_entities::compile::{
    CompileError, ComponentCompiler, Config, DataCompiler, Sources, TagCompiler, TransformCompiler,
    compile,
};
use loligo_entities::{
    ComponentManager, ComponentType, Components, Data, Entities, Entity, EntityResource, Plain,
    Pose, SpawnError, Tags, Transforms, Unknown,
};

/// Health in points, a component of one number.
pub(crate) const HEALTH: ComponentType = ComponentType::new("health", 300);

/// Compiles `health = 40`.
pub(crate) struct HealthCompiler;

impl ComponentCompiler for HealthCompiler {
    fn name(&self) -> &'static str {
        "health"
    }

    fn component(&self) -> ComponentType {
        HEALTH
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        let points = config.value().map_or(Ok(100.0), |value| value.number())?;
        Ok(words.try_push(points.to_bits())?)
    }
}

/// All compilers.
pub(crate) const COMPILERS: [&dyn ComponentCompiler; 4] =
    [&DataCompiler, &HealthCompiler, &TagCompiler, &TransformCompiler];

/// Compiles a source that is right.
pub(crate) fn compiled<'a>(
    text: &str,
    sources: &[(&str, &[u8])],
    memory: &'a dyn Allocator,
) -> BlobBytes<'a> {
    match compile("test", text.as_bytes(), sources, &COMPILERS, memory) {
        Ok(bytes) => bytes,
        Err(error) => panic!("{error}"),
    }
}

/// Compiles a source that is wrong and returns the error as it is shown.
pub(crate) fn refused(text: &str, sources: &[(&str, &[u8])]) -> String {
    crate::memory::with_memory(|memory| {
        match compile("test", text.as_bytes(), sources, &COMPILERS, memory) {
            Ok(_) => panic!("it was compiled: {text}"),
            Err(error) => error.to_string(),
        }
    })
}

/// Entities, and a manager of each kind.
pub(crate) struct World<'a> {
    pub(crate) entities: Entities<'a>,
    pub(crate) transforms: Transforms<'a>,
    pub(crate) tags: Tags<'a>,
    pub(crate) data: Data<'a>,
    pub(crate) health: Plain<'a, f32>,
}

impl<'a> World<'a> {
    pub(crate) fn new(memory: &'a dyn Allocator) -> Self {
        Self {
            entities: Entities::new_in(memory),
            transforms: Transforms::new_in(memory),
            tags: Tags::new_in(memory),
            data: Data::new_in(memory),
            health: Plain::new_in(HEALTH, memory),
        }
    }

    /// Does something with the entities and all managers.
    pub(crate) fn with<R>(
        &mut self,
        work: impl FnOnce(&mut Entities<'a>, &mut Components<'_, '_>) -> R,
    ) -> R {
        let Self { entities, transforms, tags, data, health } = self;
        let mut managers: [&mut dyn ComponentManager; 4] = [health, data, tags, transforms];
        let mut components = Components::new(&mut managers).expect("all are of different types");
        work(entities, &mut components)
    }

    /// Spawns copies of a resource.
    pub(crate) fn spawn(
        &mut self,
        resource: &EntityResource<'_>,
        poses: &[Pose],
    ) -> Result<Vec<Entity>, SpawnError> {
        self.with(|entities, components| {
            entities.spawn(resource, poses, components, Unknown::Refuse).map(<[Entity]>::to_vec)
        })
    }

    pub(crate) fn destroy(&mut self, gone: &[Entity]) -> usize {
        self.with(|entities, components| entities.destroy(gone, components))
    }

    /// Panics unless all is whole.
    pub(crate) fn validate(&self) {
        let whole = [
            self.entities.validate(),
            self.transforms.validate(),
            self.tags.validate(),
            self.data.validate(),
            self.health.validate(),
        ];
        for result in whole {
            result.unwrap_or_else(|damage| panic!("{damage}"));
        }
    }
}

/// Wraps a slice as sources.
pub(crate) fn no_sources() -> &'static [(&'static str, &'static [u8])] {
    &[]
}

/// Holds that a slice of sources can be handed on as a trait object.
#[test]
fn sources_may_be_of_any_kind() {
    let texts: [(&str, &[u8]); 1] = [("a", b"")];
    let from_slice: &[(&str, &[u8])] = &texts;
    assert_eq!(from_slice.source("a"), Some(&b""[..]), "by name");
    let closure = |name: &str| (name == "b").then_some(&b"x"[..]);
    assert_eq!((closure.source("b"), closure.source("a")), (Some(&b"x"[..]), None), "by a closure");
    assert_eq!(no_sources().source("a"), None, "there is none");
}
