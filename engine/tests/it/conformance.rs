//! What every subsystem does: the engine's own, each by its row here, and one of a game.

use std::collections::BTreeSet;

use loligo_allocators::{Allocator as _, HeapAllocator, Locked, PageAllocator, SharedRef};
use loligo_containers::{Array, EventStream};
use loligo_engine::{DisabledSubsystems, SUBSYSTEMS, each_built_in};
use loligo_entities::ComponentManager;
use loligo_ids::IdString64;
use loligo_interface::{ResourceChange, Subsystem};

use crate::socket;

/// Parts of the engine that are no `Subsystem`: they make the frame in which others are stepped.
const FRAME: [&str; 8] =
    ["engine", "entities", "monitor", "render", "resources", "script", "tasks", "tools"];

/// Makes each subsystem, shows it to `act` with its name and its memory, and looks whether it gives
/// all memory back.
fn each(
    mut act: impl for<'m> FnMut(&'static str, &mut (dyn Subsystem<'m> + 'm), SharedRef<'m>),
) -> BTreeSet<&'static str> {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("heap", &pages));
    let mut names = BTreeSet::new();
    each_built_in(&heap, |name, made| {
        assert!(names.insert(name), "{name} is made twice");
        act(name, made, &heap);
    });
    assert_eq!(heap.stats().live, 0, "{names:?}: blocks are left");
    let row = &socket::ROW;
    let mut made = row.make(&heap).expect("there is memory");
    act(row.name(), &mut *made, &heap);
    drop(made);
    assert_eq!(heap.stats().live, 0, "{}: blocks are left", row.name());
    names
}

/// Returns what a subsystem saves.
fn saved<'m>(made: &(dyn Subsystem<'m> + 'm), memory: SharedRef<'m>) -> Vec<u8> {
    let mut out = Array::new_in(memory);
    made.save(&mut out).expect("there is memory");
    out.to_vec()
}

#[test]
fn each_subsystem_of_the_engine_is_made() {
    let made = each(|_, _, _| {});
    assert!(!made.is_empty(), "each test walks over some");
    for name in &made {
        let left_out = DisabledSubsystems::default().add(name);
        assert!(left_out.is_ok(), "each of the engine's own can be left out: {name}");
    }
    let known: BTreeSet<_> = made.into_iter().chain(FRAME).collect();
    let missing: Vec<_> = SUBSYSTEMS.iter().filter(|name| !known.contains(*name)).collect();
    assert!(missing.is_empty(), "neither made nor part of the frame: {missing:?}");
}

#[test]
fn what_it_says_of_itself_is_whole() {
    each(|_, made, _| {
        let mut names = BTreeSet::new();
        for of in made.functions() {
            let (table, function) = of.name.split_once('.').expect("it is in a table");
            assert!(!table.is_empty() && !function.is_empty(), "{}", of.name);
            assert!(names.insert(of.name), "{} is there twice", of.name);
            assert!(!of.help.is_empty(), "{} says nothing of itself", of.name);
        }
        for schema in made.schemas().iter().chain(made.commands()) {
            assert!(!schema.help.is_empty(), "{} says nothing of itself", schema.name);
            let ends = schema.fields.iter().map(|field| field.offset + field.kind.bytes());
            assert!(ends.max().unwrap_or(0) <= schema.bytes, "{}", schema.name);
        }
        let mut types = BTreeSet::new();
        let mut see = |manager: &mut dyn ComponentManager| {
            assert!(types.insert(manager.component().name.hash()), "a type is there twice");
        };
        made.managers(&mut |manager| see(manager));
    });
}

#[test]
fn a_state_that_is_saved_is_loaded_and_a_damaged_one_does_no_harm() {
    each(|name, made, memory| {
        let (state, hash) = (saved(made, memory), made.state_hash());
        made.load(&state).expect("it is its own");
        assert_eq!((saved(made, memory), made.state_hash()), (state.clone(), hash), "{name}");
        let damaged = (0..state.len()).map(|end| state[..end].to_vec());
        let flipped = (0..8 * state.len()).map(|bit| {
            let mut bytes = state.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        });
        for bytes in damaged.chain(flipped).chain([vec![0xA5; 64]]) {
            let before = saved(made, memory);
            if made.load(&bytes).is_err() {
                assert_eq!(saved(made, memory), before, "{name}: all, or nothing");
            }
        }
    });
}

#[test]
fn a_resource_that_is_none_is_refused_and_given_up() {
    each(|name, made, _| {
        for type_name in made.resource_types() {
            let (type_hash, game) = (IdString64::new(type_name), IdString64::new("game"));
            for payload in [&b""[..], b"\xff\xfe nonsense", &[0; 256]] {
                let change = ResourceChange {
                    type_hash,
                    name: game,
                    debug_name: "game",
                    payload,
                    is_changed: false,
                };
                assert!(made.resource(&change).is_err(), "{}: {payload:?}", name);
            }
            made.drop_resource(type_hash, game);
            made.drop_resource(type_hash, IdString64::new("none"));
        }
    });
}

#[test]
fn a_command_of_another_is_passed_over() {
    each(|name, made, _| {
        let pages = PageAllocator::new("pages");
        let mut commands: EventStream<'_> = EventStream::new(&pages);
        commands.try_push_bytes(0xDEAD_BEEF, &[1; 12]).expect("there is memory");
        for command in commands.iter() {
            made.command(&command).expect("it is for another");
        }
        let events = made.events().map_or(0, |events| events.iter().count());
        assert_eq!(events, 0, "{}: nothing has happened", name);
    });
}
