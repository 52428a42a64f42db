//! Sources in SJSON: what they come to, and what is wrong with them.

use loligo_containers::path_key;
use loligo_entities::compile::compile;
use loligo_entities::{ComponentType, EntityResource, KeptResource, NO_PARENT, Pose};
use loligo_ids::{IdString32, id32};

use crate::memory::{every_refusal, with_memory};
use crate::world::{COMPILERS, HEALTH, World, compiled, no_sources, refused};

const MONSTER: (&str, &[u8]) = (
    "monster",
    br#"components = {
        tag = [ "enemy" ]
        data = { name = "Monster" stats = { health = 10 speed = 2 } path = [ 0 1 ] }
        health = 10
    }
    children = { head = {} tail = { children = { tip = {} } } }"#,
);

#[test]
fn what_is_not_said_is_inherited() {
    let goblin: (&str, &[u8]) = (
        "goblin",
        br#"inherit = "monster"
        components = {
            data = { name = "Goblin" stats = { speed = null "a/b" = true } path = [ 7 ] }
            health = null
            transform = { scale = 2 }
        }
        children = { tail = null hat = { inherit = "hat" } }"#,
    );
    let hat: (&str, &[u8]) = ("hat", br#"components = { tag = "hat" }"#);
    with_memory(|memory| {
        let text = r#"inherit = "goblin" components = { transform = { position = [ 1 2 3 ] } }"#;
        let bytes = compiled(text, &[goblin, MONSTER, hat], memory);
        let resource = EntityResource::open(&bytes).expect("it was compiled");
        assert_eq!(resource.parents(), [NO_PARENT, 0, 0], "the goblin, its head, its hat");
        let names = [IdString32::from_hash(0), id32!("head"), id32!("hat")];
        assert_eq!([0, 1, 2].map(|at| resource.name(at)), names.map(Some));
        assert!(resource.part(HEALTH.name).is_none(), "it was taken away");

        let mut world = World::new(memory);
        let made = world.spawn(&resource, &[Pose::IDENTITY]).expect("there is memory");
        let sheet = world.data.get(made[0]).expect("it has data");
        assert_eq!(sheet.get_str(id32!("name")), Some("Goblin"));
        assert_eq!(sheet.get_f32(path_key(&["stats", "health"])), Some(10.0));
        assert_eq!(sheet.get_f32(path_key(&["stats", "speed"])), None);
        assert_eq!(sheet.get_bool(path_key(&["stats", "a/b"])), Some(true));
        assert_eq!(sheet.get_array(id32!("path")), Some(&[7.0][..]));
        assert_eq!(world.tags.entities(id32!("enemy")), [made[0]]);
        assert_eq!(world.tags.entities(id32!("hat")), [made[2]]);
        let pose = world.transforms.pose(made[0]).expect("it has a transform");
        assert_eq!((pose.position.to_array(), pose.scale.to_array()), ([1.0, 2.0, 3.0], [2.0; 3]));
        assert!(world.transforms.contains(made[1]), "what hangs has a transform");
    });
}

#[test]
fn a_kept_resource_is_as_the_one_that_it_was_made_of() {
    with_memory(|own| {
        let bytes = compiled(r#"inherit = "monster""#, &[MONSTER], own);
        let resource = EntityResource::open(&bytes).expect("it was compiled");
        let kept = KeptResource::try_new_in(&resource, own).expect("there is memory");
        let again = kept.resource();
        assert_eq!(again.as_bytes(), resource.as_bytes());
        assert_eq!(again.parents(), [NO_PARENT, 0, 0, 2]);
        assert!(again.parts().eq(resource.parts()) && again.parts().len() > 2, "{again:?}");
        assert!((0..5).all(|at| again.name(at) == resource.name(at)));
        assert_eq!(again.find(id32!("tail")), resource.find(id32!("tail")));
        assert_eq!(again.part(HEALTH.name), resource.part(HEALTH.name));
        assert_eq!(again.part(id32!("nothing")), None);
        let mut world = World::new(own);
        let made = world.spawn(&again, &[Pose::IDENTITY; 2]).expect("there is memory");
        assert_eq!(made.len(), 8, "it is spawned as the other");
        let refused = every_refusal(|memory| KeptResource::try_new_in(&resource, memory).map(drop));
        assert!(refused > 1, "its bytes and its parts");
    });
}

#[test]
fn children_are_overridden_by_name() {
    with_memory(|memory| {
        let text = r#"inherit = "monster" children = {
            tail = { components = { tag = "poison" } children = { tip = { components = { health = 1 } } } }
            horn = {}
        }"#;
        let bytes = compiled(text, &[MONSTER], memory);
        let resource = EntityResource::open(&bytes).expect("it was compiled");
        let names = ["", "head", "tail", "tip", "horn"];
        let hashes: Vec<_> = (0..5).map(|at| resource.name(at)).collect();
        let wanted = names.map(|name| {
            Some(if name.is_empty() { IdString32::from_hash(0) } else { IdString32::new(name) })
        });
        assert_eq!(hashes, wanted, "inherited ones first, in their order");
        assert_eq!(resource.parents(), [NO_PARENT, 0, 0, 2, 0]);
        assert_eq!(resource.part(ComponentType::TAG.name).expect("two tags").entities, [0, 2]);
        assert_eq!(resource.part(HEALTH.name).expect("two").entities, [0, 3]);
    });
}

#[test]
fn a_level_is_one_resource() {
    with_memory(|memory| {
        let text = r#"entities = {
            boss = { inherit = "monster" components = { transform = { position = [ 0 0 9 ] } } }
            lone = {}
            other = { inherit = "monster" children = { head = null } }
        }"#;
        let bytes = compiled(text, &[MONSTER], memory);
        let level = EntityResource::open(&bytes).expect("it was compiled");
        let none = NO_PARENT;
        assert_eq!(level.parents(), [none, 0, 0, 2, none, none, 5, 6]);
        assert_eq!(level.find(id32!("other")), Some(5));
        assert_eq!(level.part(ComponentType::TAG.name).expect("two").entities, [0, 5]);
        // Equal data are stored once: head, one store, a number for each.
        let data = level.part(ComponentType::DATA.name).expect("two").data;
        assert_eq!((data[0], data[1], data[3..5].to_vec()), (1, 0, vec![0, 0]));
    });
}

#[test]
fn the_same_source_gives_the_same_bytes() {
    with_memory(|memory| {
        let text = r#"entities = { a = { inherit = "monster" } b = { inherit = "monster" } }"#;
        let [a, b] = [(); 2].map(|()| compiled(text, &[MONSTER], memory));
        assert_eq!(a[..], b[..]);
        // In another order of compilers, too: only the order of spawning counts.
        let mut turned = COMPILERS;
        turned.reverse();
        let sources: &[(&str, &[u8])] = &[MONSTER];
        let c = compile("x", text.as_bytes(), sources, &turned, memory).expect("it is right");
        assert_eq!(a[..], c[..]);
    });
}

/// Sources that are wrong in themselves.
const WRONG_SOURCES: &[(&str, &[u8])] = &[
    MONSTER,
    ("self", br#"inherit = "self""#),
    ("ring", br#"children = { a = { inherit = "ring2" } }"#),
    ("ring2", b"\n\n  inherit = \"ring\""),
    ("broken", b"components = {\n  tag = [ \"a\" b ]\n}"),
    ("list", b"[ 1 2 ]"),
];

/// Sources, and how the error for each begins.
const MISTAKES: &[(&str, &str)] = &[
    ("components = {", "test:1:15: expected"),
    ("[ ]", "test:1:1: expected an object, found `[ ]`"),
    (
        "components = 3",
        "test:1:14: expected an object with the names of component types, found `3`",
    ),
    (
        "\n\ncomponents = {\n  mesh = {}\n}",
        "test:4:3: there is no component type `mesh`; register a compiler for it",
    ),
    (
        "components = { heath = 3 }",
        "test:1:16: there is no component type `heath`; is `health` meant?",
    ),
    (
        "component = {}",
        "test:1:1: the key `component` means nothing here; the keys are inherit, components, children",
    ),
    (
        "entities = {} children = {}",
        "test:1:15: the key `children` means nothing here; the keys are entities",
    ),
    (
        "children = { a = {} b = {} a = {} }",
        "test:1:28: the key `a` comes twice in this object; remove one",
    ),
    ("children = { a = 4 }", "test:1:18: expected an entity in braces, or null, found `4`"),
    (
        "inherit = 4",
        "test:1:11: expected the name of a source in quotes, without escapes, found `4`",
    ),
    (
        "inherit = \"nobody\"",
        "test:1:11: there is no source `nobody` to inherit; is the name right?",
    ),
    ("inherit = \"self\"", "self:1:11: `self` would inherit or contain itself without end"),
    ("inherit = \"ring2\"", "ring:1:30: `ring2` would inherit or contain itself without end"),
    ("inherit = \"list\"", "list:1:1: expected an object, found `[ 1 2 ]`"),
    ("children = { x = { inherit = \"broken\" } }", "broken:2:15: expected a value, found `b`"),
    (
        "components = { transform = { positon = [ 0 0 0 ] } }",
        "test:1:30: the key `positon` means nothing here; the keys are position, rotation, scale",
    ),
    (
        "components = { transform = { position = [ 0 0 ] } }",
        "test:1:41: expected a position `[ x y z ]`, found `[ 0 0 ]`",
    ),
    (
        "components = { transform = { position = [ 0 true 0 ] } }",
        "test:1:45: expected a number, found `true`",
    ),
    (
        "components = { transform = { position = [ 0 1e39 0 ] } }",
        "test:1:45: expected a number that 32 bits hold, found `1e39`",
    ),
    (
        "components = { transform = { rotation = [ 0 0 0 2 ] } }",
        "test:1:41: the rotation is a quaternion",
    ),
    (
        "components = { transform = { scale = \"big\" } }",
        "test:1:38: expected a scale `[ x y z ]` or one number, found `\"big\"`",
    ),
    ("components = { tag = 7 }", "test:1:22: expected an array of strings, or a string, found `7`"),
    ("components = { tag = [ \"a\" \"a\" ] }", "test:1:28: the tag comes twice; remove one"),
    ("components = { data = [ 1 ] }", "test:1:23: expected an object in braces, found `[ 1 ]`"),
    ("components = { data = { a = [ 1 \"b\" ] } }", "test:1:33: expected a number, found `\"b\"`"),
    ("components = { health = {} }", "test:1:25: expected a number, found `{}`"),
];

#[test]
fn mistakes_are_told_with_file_line_and_column() {
    for (text, wanted) in MISTAKES {
        let told = refused(text, WRONG_SOURCES);
        assert!(told.starts_with(wanted), "{text}\n  is told   {told}\n  should be {wanted}");
    }
}

#[test]
fn sources_that_never_end_are_refused() {
    let deep = "children = { a = {".repeat(64) + &"} }".repeat(64);
    let told = refused(&deep, no_sources());
    assert!(told.contains("more than 64 deep"), "{told}");
    with_memory(|memory| {
        let just = "children = { a = {".repeat(63) + &"} }".repeat(63);
        let bytes = compiled(&just, no_sources(), memory);
        let resource = EntityResource::open(&bytes).expect("it was compiled");
        let mut world = World::new(memory);
        assert_eq!(world.spawn(&resource, &[Pose::IDENTITY]).expect("it fits").len(), 64);
    });
}

/// Each level ten of the next: a million entities and more, from a few hundred bytes.
#[test]
fn sources_that_grow_without_measure_are_refused() {
    let ten = |of: &str| {
        let children: String =
            (0..10).map(|at| format!("c{at} = {{ inherit = \"{of}\" }} ")).collect();
        format!("children = {{ {children} }}")
    };
    let texts: Vec<String> = (0..7).map(|at| ten(&format!("l{}", at + 1))).collect();
    let names: Vec<String> = (0..8).map(|at| format!("l{at}")).collect();
    let mut sources: Vec<(&str, &[u8])> =
        names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    sources.push(("l7", b""));
    let told = refused("inherit = \"l0\"", &sources);
    assert!(told.contains("more than 1048576 entities"), "{told}");
}
