//! A subsystem that the engine does not know joins by a row: its components, resources, events,
//! commands, functions for scripts and memory.

use bytemuck::{AnyBitPattern, NoUninit, Pod, Zeroable};
use glam::{Affine3A, Vec3};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Array, Event, EventRecord, EventStream};
use loligo_engine::{EngineError, EngineOptions, MemoryPlan, OptionalSubsystem, with_engine};
use loligo_entities::compile::{PlainCompiler, PlainField, PlainKind};
use loligo_entities::{ComponentManager, ComponentType, Entity, Plain, Pose};
use loligo_interface::{
    ENTITY, EventSchema, Frame, MadeSubsystem, Phase, ResourceChange, Subsystem, SubsystemError,
    SubsystemFunction, SubsystemMemory, SubsystemRow, Wire, event_schema,
};
use loligo_script::{ArgumentError, Call, Kind};

use crate::support::Game;

/// A balloon rises, until it is as high as the sky, and bursts.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Balloon {
    speed: f32,
}

const BALLOON: ComponentType = ComponentType::new("balloon", 500);

const BALLOON_COMPILER: PlainCompiler = PlainCompiler {
    name: "balloon",
    component: BALLOON,
    fields: &[PlainField { key: "speed", kind: PlainKind::Number(1.0) }],
    known: "speed",
};

/// A balloon has burst.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct Burst {
    at: [f32; 3],
    entity: u32,
}

/// A balloon is to be faster.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct Hurry {
    by: f32,
    times: u32,
}

struct Balloons<'m> {
    balloons: Plain<'m, Balloon, SubsystemMemory<'m>>,
    events: EventStream<'m, SubsystemMemory<'m>>,
    poses: Array<'m, Pose, SubsystemMemory<'m>>,
    /// How high the sky is: a resource.
    sky: f32,
    moved: usize,
    heard: usize,
}

impl<'m> Balloons<'m> {
    fn make(memory: SharedRef<'m>) -> Result<MadeSubsystem<'m>, SubsystemError> {
        let balloons = Self {
            balloons: Plain::new_in(BALLOON, memory),
            events: EventStream::new_in(memory),
            poses: Array::new_in(memory),
            sky: f32::MAX,
            moved: 0,
            heard: 0,
        };
        Ok(own_dyn!(Own::new_in(balloons, memory)? => dyn Subsystem<'m> + 'm))
    }

    fn rise(&mut self, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        let seconds = frame.step as f32 / 1e9;
        self.poses.clear();
        for (entity, balloon) in self.balloons.entities().iter().zip(self.balloons.values()) {
            let mut pose = frame.places.pose(*entity).unwrap_or(Pose::IDENTITY);
            let below = pose.position.y < self.sky;
            pose.position.y = (pose.position.y + balloon.speed * seconds).min(self.sky);
            if below && pose.position.y == self.sky {
                let at = pose.position.to_array();
                self.events.try_push(Burst { at, entity: entity.to_bits() })?;
            }
            self.poses.try_push(pose)?;
        }
        frame.places.set_poses(self.balloons.entities(), &self.poses);
        Ok(())
    }
}

impl<'m> Subsystem<'m> for Balloons<'m> {
    fn managers<'s>(&'s mut self, each: &mut dyn FnMut(&'s mut (dyn ComponentManager + 's))) {
        each(&mut self.balloons);
    }

    fn resource_types(&self) -> &'static [&'static str] {
        &["sky"]
    }

    fn resource(&mut self, change: &ResourceChange<'_>) -> Result<(), SubsystemError> {
        let text = core::str::from_utf8(change.payload).unwrap_or_default();
        let remedy = "write a number of metres";
        let wrong = SubsystemError::Wrong { what: "the height of the sky is no number", remedy };
        self.sky = text.trim().parse().map_err(|_| wrong)?;
        Ok(())
    }

    fn step(&mut self, phase: Phase, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        match phase {
            Phase::Simulate => self.rise(frame),
            Phase::Listen => {
                self.heard += self.moved;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn hears_of_moves(&self) -> bool {
        true
    }

    fn moved(&mut self, entities: &[Entity], matrices: &[Affine3A]) {
        assert_eq!(entities.len(), matrices.len(), "a matrix for each");
        self.moved = entities.iter().filter(|entity| self.balloons.contains(**entity)).count();
    }

    fn schemas(&self) -> &'static [EventSchema] {
        const { &[event_schema!(Burst, "burst", "a balloon burst", { entity: Entity, at: Vector3 })] }
    }

    fn events(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(&mut self.events)
    }

    fn commands(&self) -> &'static [EventSchema] {
        const {
            &[
                event_schema!(Hurry, "hurry", "makes all of them faster", { by: Number, times: Count }),
            ]
        }
    }

    fn command(&mut self, command: &EventRecord<'_>) -> Result<(), SubsystemError> {
        if let Some(Hurry { by, times }) = command.get() {
            let by = by * times as f32;
            self.balloons.values_mut().iter_mut().for_each(|balloon| balloon.speed += by);
        }
        Ok(())
    }

    fn state_version(&self) -> u32 {
        3
    }

    fn save(&self, out: &mut Array<'m, u8, SubsystemMemory<'m>>) -> Result<(), SubsystemError> {
        out.try_extend_from_slice(&(self.heard as u64).to_ne_bytes())?;
        Ok(self.balloons.try_save(out)?)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), SubsystemError> {
        let wrong =
            SubsystemError::Wrong { what: "the balloons are torn", remedy: "save the game again" };
        let (heard, balloons) = state.split_first_chunk().ok_or(wrong)?;
        let memory = self.poses.memory();
        self.balloons = Plain::try_load(BALLOON, balloons, memory).map_err(|_| wrong)?;
        self.heard = u64::from_ne_bytes(*heard) as usize;
        Ok(())
    }

    fn state_hash(&self) -> u64 {
        self.balloons.values().iter().map(|of| u64::from(of.speed.to_bits())).sum::<u64>() + 1
    }

    fn functions(&self) -> &'static [SubsystemFunction] {
        &[
            SubsystemFunction {
                name: "Balloon.speed",
                arguments: &[Kind::Id(ENTITY)],
                results: &[Kind::Number],
                help: "how fast it rises, in metres a second",
            },
            SubsystemFunction {
                name: "Balloon.heard",
                arguments: &[],
                results: &[Kind::Number],
                help: "how often one has moved",
            },
        ]
    }

    fn call(&mut self, function: usize, call: &mut Call<'_>) -> Result<(), ArgumentError> {
        if function == 1 {
            call.return_number(self.heard as f64);
            return Ok(());
        }
        let entity = Entity::from_bits(call.id(0));
        match entity.and_then(|entity| self.balloons.get(entity)) {
            Some(balloon) => call.return_number(balloon.speed.into()),
            None => return Err(call.refuse(format_args!("the entity is no balloon"))),
        }
        Ok(())
    }
}

pub(crate) const ROW: SubsystemRow = SubsystemRow::new("balloons", |memory| Balloons::make(memory));

/// A game with two balloons and a script that hears of them.
pub(crate) fn game(script: &str) -> Game {
    let game = Game::new(1);
    game.write(
        "yard.level",
        "entities = {
            red = { components = { transform = { position = [ 1 0 0 ] } balloon = { speed = 2 } } }
            blue = { components = { transform = { position = [ 2 0 0 ] } balloon = {} } }
        }",
    );
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    game.write("game.config", &format!("{config}\nscript = \"main\""));
    game.write("main.lua", script);
    game.write("high.sky", "1");
    assert_eq!(game.compile_with(&[BALLOON_COMPILER], &["sky"]), [""; 0], "it is right");
    game
}

const SCRIPT: &str = "
function burst(entity, at)
    print('burst', entity == Entity.find('red'), Vector3.y(at))
end
function update()
    if Game.frame() == 1 then print(Balloon.speed(Entity.find('red')), pcall(Balloon.speed, 1)) end
    if Game.frame() == 40 then print('heard', Balloon.heard() > 30) end
end
";

#[test]
fn a_subsystem_of_a_game_joins_by_one_row() {
    let game = game(SCRIPT);
    let data = game.data();
    let options = EngineOptions { subsystems: &[ROW], ..game.options(&data) };
    with_engine(&options, |engine| {
        for _ in 0..45 {
            engine.frame(&mut ()).expect("a frame");
        }
        let names: Vec<_> = engine.memory().subsystems().collect();
        assert_eq!(names.last(), Some(&"balloons"), "it has a separate proxy");
        let memory = engine.memory().subsystem("balloons").expect("it is in the list");
        assert!(memory.stats().live > 0, "its memory is from there");
    })
    .expect("it boots");
    let log = game.log.all();
    let has = |line: &str| log.iter().any(|said| said.contains(line));
    assert!(has("2\tfalse\tBalloon.speed: argument 1 must be a Entity"), "{log:#?}");
    assert!(has("burst\ttrue\t1"), "it rises 2 m a second, to a sky of 1 m: {log:#?}");
    assert!(has("heard\ttrue"), "it hears of what moves: {log:#?}");
}

#[test]
fn all_events_of_a_kind_are_passed_in_one_call() {
    let game = game(
        "function burst_all(entities, x, y, z)
            for i = 1, #entities do print('burst', #entities, x[i], y[i], z[i]) end
        end
        function burst() print('never') end",
    );
    let data = game.data();
    let options = EngineOptions { subsystems: &[ROW], ..game.options(&data) };
    with_engine(&options, |engine| {
        for _ in 0..35 {
            engine.frame(&mut ()).expect("a frame");
        }
    })
    .expect("it boots");
    let log = game.log.all();
    let has = |line: &str| log.iter().any(|said| said.contains(line));
    assert!(has("burst\t1\t1\t1\t0"), "a column for each number: {log:#?}");
    assert!(!has("never"), "none is passed by itself: {log:#?}");
}

#[test]
fn the_frames_are_the_same_with_one_thread_and_with_more() {
    let game = game("function onBurst() end");
    let data = game.data();
    let places = |threads| {
        let options =
            EngineOptions { subsystems: &[ROW], threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            (0..40)
                .map(|_| {
                    engine.frame(&mut ()).expect("a frame");
                    let transforms = engine.world().transforms();
                    let all = transforms.worlds().flat_map(|(_, matrices)| matrices);
                    all.map(|matrix| Vec3::from(matrix.translation)).collect::<Vec<_>>()
                })
                .collect::<Vec<_>>()
        })
        .expect("it boots")
    };
    let alone = places(1);
    assert!(alone[0] != alone[39], "something moves");
    assert_eq!(places(3), alone, "as alone");
    let log = game.log.all();
    let warned = log.iter().any(|line| line.contains("nobody calls; the engine calls `burst`"));
    assert!(warned, "its script has a function that only looks like it: {log:#?}");
}

#[test]
fn a_wire_makes_a_command_of_an_event() {
    /// The first that bursts hurries the others.
    const WIRE: Wire =
        Wire { from: Burst::TYPE, to: |_, commands| commands.send(Hurry { by: 6.0, times: 1 }) };
    let game = game("function burst(entity) print('burst', Game.frame()) end");
    let data = game.data();
    let frames = |wires: &[Wire]| {
        let options = EngineOptions { subsystems: &[ROW], wires, ..game.options(&data) };
        let before = game.log.all().len();
        with_engine(&options, |engine| {
            for _ in 0..70 {
                engine.frame(&mut ()).expect("a frame");
            }
        })
        .expect("it boots");
        let log = game.log.all();
        let bursts = log[before..].iter().filter_map(|line| line.split("burst\t").nth(1));
        bursts.map(|frame| frame.trim().parse::<u32>().expect("a frame")).collect::<Vec<_>>()
    };
    assert_eq!(frames(&[]), [30, 61], "one metre at 2 and at 1 m/s; sixtieths add up to less");
    assert_eq!(frames(&[WIRE]), [30, 35], "half a metre at 7 m/s");
}

#[test]
fn scripts_send_events_and_commands_by_their_schemas() {
    let game = game(
        "function burst(entity, at) print('burst', Game.frame(), entity, Vector3.x(at)) end
        function update()
            if Game.frame() == 1 then
                Event.burst(nil, Vector3(7, 0, 0))
                Event.burst(Entity.find('red'), Vector3(8, 0, 0))
                Command.hurry(3, 2)
                print(pcall(Command.hurry, 3, 1.5))
                print(pcall(Event.burst, 3, Vector3(0, 0, 0)))
            elseif Game.frame() == 2 then
                print('speed', Balloon.speed(Entity.find('red')))
            end
        end",
    );
    let data = game.data();
    let options = EngineOptions { subsystems: &[ROW], ..game.options(&data) };
    with_engine(&options, |engine| (0..4).for_each(|_| engine.frame(&mut ()).expect("a frame")))
        .expect("it boots");
    let log = game.log.all();
    let has = |line: &str| log.iter().any(|said| said.contains(line));
    assert!(has("burst\t1\tnil\t7") && has("burst\t1\tEntity "), "both are heard: {log:#?}");
    assert!(has("speed\t8"), "2 and twice 3 more: {log:#?}");
    assert!(has("Command.hurry: `times` is 1.5; give a whole number from 0"), "{log:#?}");
    assert!(has("Event.burst: argument 1 must be"), "{log:#?}");
}

#[test]
fn a_resource_of_it_is_replaced_while_the_game_runs_and_a_wrong_one_is_not() {
    let game = game("");
    let data = game.data();
    let options = EngineOptions { subsystems: &[ROW], ..game.options(&data) };
    with_engine(&options, |engine| {
        let mut height = |text: &str| {
            game.write("high.sky", text);
            let errors = game.compile_with(&[BALLOON_COMPILER], &["sky"]);
            assert_eq!(errors, [""; 0], "it is right");
            engine.reload(&mut ()).expect("there is memory");
            for _ in 0..200 {
                engine.frame(&mut ()).expect("a frame");
            }
            let (_, matrices) = engine.world().transforms().worlds().next().expect("two");
            matrices[0].translation.y
        };
        assert_eq!(height("3"), 3.0);
        assert_eq!(height("4"), 4.0);
        assert_eq!(height("blue"), 4.0, "as it was");
    })
    .expect("it boots");
    let log = game.log.all();
    let said = log.iter().find(|line| line.contains("the height of the sky")).expect("it is said");
    assert!(said.contains("subsystem `balloons`: resource high "), "{said}");
    assert!(said.contains("write a number of metres"), "{said}");
}

#[test]
fn rows_that_clash_are_named() {
    let game = game("");
    let data = game.data();
    let refused = |rows: &[SubsystemRow]| {
        let options = EngineOptions { subsystems: rows, ..game.options(&data) };
        let error = with_engine(&options, |_| panic!("must not boot")).expect_err("it clashes");
        assert!(matches!(error, EngineError::Rows { .. }), "{error}");
        error.to_string()
    };
    assert_eq!(
        refused(&[ROW, ROW]),
        "subsystem `balloons`: two subsystems have this name; give one another"
    );
    let other = SubsystemRow::new("others", |memory| Balloons::make(memory));
    assert_eq!(
        refused(&[ROW, other]),
        "subsystem `others`: a component type has a manager already; give the type another name"
    );
    let engine = SubsystemRow::new("engine", |memory| Balloons::make(memory));
    assert!(refused(&[engine]).contains("two subsystems have this name"));
}

#[test]
fn what_fails_when_it_is_made_is_named() {
    let game = game("");
    let data = game.data();
    let plan = "subsystems = { balloons = { allocator = \"shared\" budget = 8 } }";
    let names = ["balloons"];
    let heap = loligo_allocators::PageAllocator::new("plan");
    // The plan is by place: that of the row comes after the engine's own.
    let mut all = loligo_engine::SUBSYSTEMS.to_vec();
    all.extend(names);
    let plan = MemoryPlan::try_read(plan, &all, &heap).expect("it is right");
    let options = EngineOptions { subsystems: &[ROW], plan, ..game.options(&data) };
    let error = with_engine(&options, |_| panic!("must not boot")).expect_err("too little");
    assert!(error.to_string().starts_with("subsystem `balloons`: "), "{error}");
}

#[test]
fn every_subsystem_that_may_be_left_out_can_be_left_out() {
    let game = game(SCRIPT);
    let data = game.data();
    for subsystem in OptionalSubsystem::ALL {
        let mut options = EngineOptions { subsystems: &[ROW], ..game.options(&data) };
        options.without.add(subsystem.name()).expect("it may be left out");
        with_engine(&options, |engine| {
            for _ in 0..5 {
                engine.frame(&mut ()).unwrap_or_else(|error| panic!("{subsystem:?}: {error}"));
            }
            assert_eq!(engine.world().entities().len(), 2, "{subsystem:?}");
        })
        .unwrap_or_else(|error| panic!("without {subsystem:?}: {error}"));
    }
}
