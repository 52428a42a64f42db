//! Entities that are spawned by name: by a script in one call or one by one, or by logic in one call.

use glam::Vec3;
use loligo_engine::{FrameMemory, Logic, World};
use loligo_entities::{Entity, Pose};
use loligo_ids::{id32, id64};

use super::Game;
use crate::clock;
use crate::contender::{Contender, Pass};

const ENTITIES: usize = 10_000;
const WARM_FRAMES: u64 = 8;
const FRAMES: u64 = 16;

const LEVEL: &str = "entities = { eye = { components = { transform = {} } } }";

/// All in one call.
const MANY: &str = "local spawn_many, positions = Entity.spawn_many, {}
    function update()
        for i = 1, 30000, 3 do
            positions[i], positions[i + 1], positions[i + 2] = i, 0, 0
        end
        spawn_many('leaf', positions)
    end";

/// A call for each.
const EACH: &str = "local spawn, vector = Entity.spawn, Vector3.new
    function update()
        local at = vector(1, 0, 0)
        for i = 1, 10000 do spawn('leaf', at) end
    end";

/// Stops the clock after the scripts of a frame, or spawns itself, and removes what was spawned.
struct Spawning {
    poses: Vec<Pose>,
    is_logic: bool,
    began: u64,
    ns: u64,
}

impl<'m> Logic<'m> for Spawning {
    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        if self.is_logic {
            self.began = clock::thread_cpu_ns();
            let spawned = world.spawn_all_named(id64!("leaf"), &self.poses);
            assert!(spawned.is_ok_and(|count| count == Some(ENTITIES)), "they are spawned");
        }
        if world.frame() >= WARM_FRAMES {
            self.ns += clock::thread_cpu_ns() - self.began;
        }
        let leaves: Vec<Entity> = world.tags().entities(id32!("leaf")).to_vec();
        assert_eq!(leaves.len(), ENTITIES, "they are there");
        for leaf in leaves {
            assert!(world.destroy(leaf).is_ok(), "it is removed");
        }
    }
}

fn contender(name: &'static str, script: &str, is_logic: bool) -> Contender {
    let game = Game::with_level(script, LEVEL);
    Contender::new(name, move || {
        let poses = (0..ENTITIES).map(|x| Pose::at(Vec3::new(x as f32, 0.0, 0.0))).collect();
        let mut spawning = Spawning { poses, is_logic, began: 0, ns: 0 };
        game.boot(&[], |engine| {
            while engine.frames() < WARM_FRAMES + FRAMES {
                spawning.began = clock::thread_cpu_ns();
                let done = engine.frame(&mut spawning);
                assert!(done.is_ok(), "a frame: {done:?}");
            }
            assert_eq!(engine.script_failures().count, 0, "the script is right");
            0
        });
        Pass { ns: spawning.ns, operations: FRAMES * ENTITIES as u64 }
    })
}

/// Returns a contender whose operation is one entity of those that a script spawns in one call.
pub(crate) fn by_script() -> Contender {
    contender("loligo", MANY, false)
}

/// Returns a contender whose operation is one entity that a script spawns, in a call for each.
pub(crate) fn one_by_one() -> Contender {
    contender("loligo", EACH, false)
}

/// Returns a contender whose operation is one entity of those that logic spawns in one call.
pub(crate) fn by_logic() -> Contender {
    contender("one call", "function update() end", true)
}
