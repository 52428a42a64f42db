//! Entities under the suite for subsystems: spawned, linked, changed and removed, with every
//! request refused in turn.

use core::convert::Infallible;

use loligo_allocators::Allocator;
use loligo_entities::compile::{
    ComponentCompiler, DataCompiler, TagCompiler, TransformCompiler, compile,
};
use loligo_entities::{
    ComponentManager, Components, Data, Entities, Entity, EntityResource, Plain, Pose, SpawnError,
    Tags, Transforms, Unknown,
};
use loligo_ids::{IdString32, id32};

use crate::subsystems::conforms;

const SOURCE: &str = r#"entities = {
    hall = { components = { tag = [ "a" "b" ] data = { k = 1 } } children = { bell = {} } }
    shop = { inherit = "shop" components = { tag = [ "b" "c" ] data = { k = 1 } } }
}"#;

const SHOP: (&str, &[u8]) = ("shop", br#"children = { door = { children = { lock = {} } } }"#);

const COMPILERS: [&dyn ComponentCompiler; 3] = [&DataCompiler, &TagCompiler, &TransformCompiler];

/// A world, and the entities that were spawned into it last.
struct World<'a> {
    entities: Entities<'a>,
    transforms: Transforms<'a>,
    tags: Tags<'a>,
    data: Data<'a>,
    last: [Option<Entity>; 12],
}

impl<'a> World<'a> {
    fn new(memory: &'a dyn Allocator) -> Result<Self, Infallible> {
        Ok(Self {
            entities: Entities::new_in(memory),
            transforms: Transforms::new_in(memory),
            tags: Tags::new_in(memory),
            data: Data::new_in(memory),
            last: [None; 12],
        })
    }

    fn with<R>(&mut self, work: impl FnOnce(&mut Entities<'a>, &mut Components<'_, '_>) -> R) -> R {
        let mut managers: [&mut dyn ComponentManager; 3] =
            [&mut self.data, &mut self.tags, &mut self.transforms];
        let mut components = Components::new(&mut managers).expect("all are of different types");
        work(&mut self.entities, &mut components)
    }

    fn spawn(&mut self, resource: &EntityResource<'_>, copies: usize) -> Result<(), SpawnError> {
        let poses = [Pose::IDENTITY; 20];
        let mut last = [None; 12];
        self.with(|entities, components| {
            let made = entities.spawn(resource, &poses[..copies], components, Unknown::Refuse)?;
            last.iter_mut().zip(made).for_each(|(place, entity)| *place = Some(*entity));
            Ok::<(), SpawnError>(())
        })?;
        self.last = last;
        Ok(())
    }

    fn destroy(&mut self, number: usize) -> usize {
        let gone = self.last[number].expect("it was spawned");
        self.with(|entities, components| entities.destroy(&[gone], components))
    }

    /// What may not change when something is refused: all but which ids entities have.
    fn seen(&self) -> String {
        let tags = ["a", "b", "c", "d"].map(|tag| self.tags.entities(IdString32::new(tag)).len());
        let sheets = self.data.entities().iter().map(|entity| self.data.get(*entity));
        let sheets: Vec<_> = sheets.map(|sheet| format!("{sheet:?}")).collect();
        let levels: Vec<_> = self.transforms.worlds().map(|(entities, _)| entities.len()).collect();
        let levels = levels.iter().filter(|count| **count > 0).collect::<Vec<_>>();
        for result in [
            self.entities.validate(),
            self.transforms.validate(),
            self.tags.validate(),
            self.data.validate(),
        ] {
            result.unwrap_or_else(|damage| panic!("{damage}"));
        }
        format!("{} entities {levels:?} {tags:?} {sheets:?}", self.entities.len())
    }
}

#[test]
fn worlds_of_entities_conform() {
    conforms(|watch| {
        let sources: &[(&str, &[u8])] = &[SHOP];
        let bytes = watch.make(
            |memory| compile("town", SOURCE.as_bytes(), sources, &COMPILERS, memory),
            |bytes| bytes.to_vec(),
        )?;
        let town = EntityResource::open(&bytes).expect("it was compiled");
        let mut world = watch
            .make(World::new, World::seen)?
            .claiming(|world| world.transforms.bytes() + world.tags.bytes() + world.data.bytes());
        world.call(|world| world.spawn(&town, 1))?;
        world.call(|world| world.spawn(&town, 20))?;
        world.change(|world| world.transforms.update(|_, _| {}))?;
        let (hall, lock) = (world.last[0].expect("a hall"), world.last[4].expect("a lock"));
        world.call(|world| world.transforms.link(hall, Some(lock)))?;
        world.call(|world| world.tags.try_add(hall, id32!("d")))?;
        world.call(|world| world.data.try_set(lock, id32!("is locked"), true))?;
        world.change(|world| world.destroy(2))?;
        world.call(|world| world.spawn(&town, 3))?;
        world.change(|world| world.destroy(0)).map(drop)
    });
}

#[test]
fn plain_components_conform() {
    conforms(|watch| {
        let mut entities =
            watch.make(|memory| Ok::<_, Infallible>(Entities::new_in(memory)), Entities::len)?;
        let mut health = watch
            .make(
                |memory| {
                    let component = loligo_entities::ComponentType::new("health", 1);
                    Ok::<_, Infallible>(Plain::<[f32; 3]>::new_in(component, memory))
                },
                |health| health.values().to_vec(),
            )?
            .claiming(Plain::bytes);
        for number in 0..40 {
            let entity = entities.call(Entities::create)?;
            health.call(|health| health.try_insert(entity, [number as f32; 3]))?;
            if number % 3 == 0 {
                health.change(|health| health.remove(&[entity]))?;
            }
        }
        Ok(())
    });
}
