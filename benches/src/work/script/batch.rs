//! Ten thousand entities that a script moves: in one call with arrays in place, or in a call for
//! each.

use loligo_script::{Binding, Host, Id, IdKind, IdType, Script, Settings, Value, View};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::HEAP;

const ENTITIES: u32 = 10_000;

/// What moves.
struct Entity;

impl IdType for Entity {
    const KIND: IdKind = IdKind::new(16, "Entity");
}

/// The columns of all entities.
struct World {
    ids: Vec<u32>,
    heights: Vec<f32>,
    speeds: Vec<f32>,
}

impl Host for World {}

impl World {
    fn new() -> Self {
        let count = ENTITIES as usize;
        Self { ids: (0..ENTITIES).collect(), heights: vec![1e6; count], speeds: vec![0.0; count] }
    }
}

/// The same work both ways: two numbers read, two written.
const CODE: &str = "local set_height, set_speed = set_height, set_speed
    function fall_all(ids, heights, speeds, dt)
        for i = 1, #ids do
            local speed = speeds[i] - 10 * dt
            speeds[i] = speed
            heights[i] = heights[i] + speed * dt
        end
    end
    function fall(id, height, speed, dt)
        speed = speed - 10 * dt
        set_speed(id, speed)
        set_height(id, height + speed * dt)
    end";

fn set_height(world: &mut World, id: Id<Entity>, height: f32) -> Result<(), &'static str> {
    *world.heights.get_mut(id.bits() as usize).ok_or("there is no such entity")? = height;
    Ok(())
}

fn set_speed(world: &mut World, id: Id<Entity>, speed: f32) -> Result<(), &'static str> {
    *world.speeds.get_mut(id.bits() as usize).ok_or("there is no such entity")? = speed;
    Ok(())
}

const BINDINGS: &[Binding<World>] = &[
    Binding::direct("set_height", "moves an entity", set_height),
    Binding::direct("set_speed", "changes how an entity moves", set_speed),
];

fn machine(settings: &Settings, world: &mut World) -> Script<'static, World> {
    let made = Script::try_new(BINDINGS, settings, &HEAP);
    let mut script = made.unwrap_or_else(|error| unreachable!("the machine is right: {error}"));
    let run = script.evaluate(world, CODE);
    assert!(run.is_ok(), "it is Lua: {run:?}");
    script
}

/// Returns a contender whose operation is the update of all entities by one call.
pub(crate) fn batch(settings: &Settings) -> Contender {
    let mut world = World::new();
    let mut script = machine(settings, &mut world);
    let found = script.callback("fall_all");
    let fall_all = found.unwrap_or_else(|error| unreachable!("there is memory: {error}"));
    let mut nothing = World { ids: Vec::new(), heights: Vec::new(), speeds: Vec::new() };
    Contender::new("loligo", move || {
        let World { ids, heights, speeds } = &mut world;
        let ns = clock::time(|| {
            let mut views =
                [View::Ids(Entity::KIND, ids), View::FloatsMut(heights), View::FloatsMut(speeds)];
            let called =
                script.call_batch(&mut nothing, fall_all, &mut views, &[Value::Number(0.01)]);
            assert!(matches!(called, Ok(true)), "the batch runs: {called:?}");
        });
        Pass { ns, operations: 1 }
    })
}

/// Returns a contender whose operation is the update of all entities by a call for each.
pub(crate) fn calls() -> Contender {
    let mut world = World::new();
    let mut script = machine(&Settings::default(), &mut world);
    let found = script.callback("fall");
    let fall = found.unwrap_or_else(|error| unreachable!("there is memory: {error}"));
    Contender::new("a call each", move || {
        let ns = clock::time(|| {
            for id in 0..ENTITIES {
                let (height, speed) = (world.heights[id as usize], world.speeds[id as usize]);
                let arguments = [
                    Value::Id(Entity::KIND, id),
                    Value::Number(f64::from(height)),
                    Value::Number(f64::from(speed)),
                    Value::Number(0.01),
                ];
                let called = script.call(&mut world, fall, &arguments);
                assert!(matches!(called, Ok(true)), "the call runs: {called:?}");
            }
        });
        Pass { ns, operations: 1 }
    })
}
