//! Settings: what a source says is what is read, and what is wrong is named.

use glam::Vec3;
use loligo_containers::Endian;
use loligo_ids::IdString32;
use loligo_physics::compile::compile_settings;
use loligo_physics::{ActorKind, ActorTemplate, Filter, Settings, ShapeTemplate, Surface};

use crate::project::{TestProject, aligned};

/// Settings with everything that they can have.
pub(crate) const GAME: &str = r#"
gravity = [ 0 -10 0 ]
stay_rate = 2.5
groups = {
    ground = { meets = [ "crate" "player" ] }
    crate = { meets = "*" }
    player = { meets = [ "ground" "crate" ] }
}
materials = {
    stone = { friction = 0.8 restitution = 0.1 density = 2600 }
    wood = { density = 600 }
    ice = { friction = 0 }
}
shapes = {
    floor = { material = "stone" group = "ground" }
    crate = { material = "wood" group = "crate" continuous = true }
    door_zone = { material = "ice" group = "player" trigger = true silent = true }
}
actors = {
    crate = { kind = "dynamic" mass = 12 linear_damping = 0.1 angular_damping = 0.2 gravity_scale = 0.5 asleep = true }
    lift = { kind = "kinematic" sleeps = false }
    floor = { kind = "static" }
}
"#;

/// Compiles settings that are right.
pub(crate) fn settings_bytes(source: &str) -> Vec<u8> {
    compile_settings(source.as_bytes(), Endian::NATIVE).expect("it is right")
}

#[test]
fn a_source_is_read_back() {
    aligned(&settings_bytes(GAME), |bytes| {
        let settings = Settings::open(bytes).expect("it is whole");
        assert_eq!(settings.gravity(), Vec3::new(0.0, -10.0, 0.0));
        assert_eq!(settings.stay_rate(), 2.5);
        let name = IdString32::new;
        assert_eq!(settings.filter(name("ground")), Some(Filter { groups: 1, meets: 6 }));
        assert_eq!(settings.filter(name("crate")), Some(Filter { groups: 2, meets: 7 }));
        assert_eq!(settings.filter(name("player")), Some(Filter { groups: 4, meets: 3 }));
        assert_eq!(settings.filter(name("nobody")), None);
        let wood = Surface {
            material: name("wood").hash(),
            friction: 0.5,
            restitution: 0.0,
            density: 600.0,
        };
        assert_eq!(settings.surface(name("wood")), Some(wood));
        assert_eq!(settings.surface(name("crate")), None);
        let shape = ShapeTemplate {
            name: name("crate"),
            filter: Filter { groups: 2, meets: 7 },
            surface: wood,
            flags: ShapeTemplate::CONTINUOUS,
        };
        assert_eq!(settings.shape(name("crate")), Some(shape));
        let zone = settings.shape(name("door_zone")).expect("there is one");
        assert!(zone.has(ShapeTemplate::TRIGGER | ShapeTemplate::SILENT), "{zone:?}");
        let actor = ActorTemplate {
            name: name("crate"),
            kind: ActorKind::Dynamic,
            flags: ActorTemplate::ASLEEP,
            mass: 12.0,
            linear_damping: 0.1,
            angular_damping: 0.2,
            gravity_scale: 0.5,
        };
        assert_eq!(settings.actor(name("crate")), Some(actor));
        let lift = settings.actor(name("lift")).expect("there is one");
        assert_eq!((lift.kind, lift.flags), (ActorKind::Kinematic, ActorTemplate::SLEEPLESS));
        assert_eq!(settings.actor(name("door_zone")), None);
    });
}

#[test]
fn names_mean_the_same_in_other_settings() {
    let changed = GAME
        .replace("groups = {", "groups = { dust = { meets = [ \"crate\" ] }")
        .replace("materials = {", "materials = { mud = {}")
        .replace("friction = 0.8", "friction = 0.4");
    aligned(&settings_bytes(GAME), |before| {
        aligned(&settings_bytes(&changed), |after| {
            let [before, after] =
                [before, after].map(|bytes| Settings::open(bytes).expect("whole"));
            let name = IdString32::new("floor");
            let [old, new] = [before, after].map(|of| of.shape(name).expect("there is one"));
            assert_eq!(old.surface.material, new.surface.material, "a name is a hash");
            assert_eq!((old.surface.friction, new.surface.friction), (0.8, 0.4));
            // The new group took the first bit.
            assert_eq!((old.filter.groups, new.filter.groups), (1, 2));
            assert_eq!((old.filter.meets, new.filter.meets), (6, 12));
        });
    });
}

/// Compiles the source with a text replaced, and returns the error.
fn error_of(from: &str, to: &str) -> String {
    assert!(GAME.contains(from), "`{from}` is not in the source");
    let source = GAME.replacen(from, to, 1);
    let error = compile_settings(source.as_bytes(), Endian::NATIVE).expect_err(to);
    let text = error.to_string();
    assert!(error.line > 0 && !error.remedy.is_empty(), "{text}");
    text
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let cases = [
        (
            "[ \"crate\" \"player\" ]",
            "[ \"crate\" \"playr\" ]",
            "there is no group `playr`; is `player` meant?",
        ),
        (
            "[ \"crate\" \"player\" ]",
            "[ \"crate\" ]",
            "`player` meets `ground`, and `ground` does not meet `player`",
        ),
        (
            "[ \"crate\" \"player\" ]",
            "[ \"crate\" \"crate\" ]",
            "the group `crate` comes twice; remove one",
        ),
        ("[ \"crate\" \"player\" ]", "\"all\"", "expected names in brackets, or \"*\""),
        ("meets = \"*\"", "", "there is no `meets`; say whom it meets"),
        ("player = {", "crate = {", "two of `groups` are called `crate`; rename or remove one"),
        ("friction = 0.8", "friction = -1", "-1 is not in the range; write a number from 0 to 10"),
        ("restitution = 0.1", "restitution = 2", "2 is not in the range"),
        ("density = 600", "density = 0", "0 is not in the range"),
        (
            "material = \"wood\"",
            "material = \"would\"",
            "there is no material `would`; is `wood` meant?",
        ),
        (
            "group = \"crate\"",
            "group = \"crates\"",
            "there is no group `crates`; is `crate` meant?",
        ),
        (
            "trigger = true",
            "triger = true",
            "the key `triger` means nothing here; is `trigger` meant?",
        ),
        ("kind = \"dynamic\"", "kind = \"dynamik\"", "\"dynamik\" means nothing here"),
        ("sleeps = false", "sleeps = false asleep = true", "it sleeps at first, and never sleeps"),
        ("ice = {", "wood = {", "two of `materials` are called `wood`"),
        ("gravity = [ 0 -10 0 ]", "gravity = [ 0 -10 ]", "expected 3 numbers, found an array of 2"),
        ("gravity = [ 0 -10 0 ]", "gravity = [ 0 -1e9 0 ]", "is not in the range"),
        ("mass = 12", "mass = -12", "-12 is not in the range"),
    ];
    for (from, to, expected) in cases {
        let text = error_of(from, to);
        assert!(text.contains(expected), "{to}: {text}");
    }
    assert_eq!(
        error_of("friction = 0.8", "friction = 80"),
        ":10:26: 80 is not in the range; write a number from 0 to 10"
    );
    let error = compile_settings(b"groups = {}", Endian::NATIVE).expect_err("none");
    assert!(error.to_string().contains("there are no groups; add `groups"), "{error}");
}

#[test]
fn more_groups_than_bits_are_refused() {
    let groups = |count: usize| {
        let names: String = (0..count).map(|at| format!("g{at} = {{ meets = \"*\" }} ")).collect();
        compile_settings(format!("groups = {{ {names} }}").as_bytes(), Endian::NATIVE)
    };
    aligned(&groups(32).expect("as many as bits"), |bytes| {
        let settings = Settings::open(bytes).expect("it is whole");
        let last = settings.filter(IdString32::new("g31")).expect("there is one");
        assert_eq!(last, Filter { groups: 1 << 31, meets: u32::MAX });
    });
    let error = groups(33).expect_err("one too many").to_string();
    assert!(error.contains("there are 33 `groups`; 32 are possible"), "{error}");
}

#[test]
fn a_project_compiles_them_and_names_the_file() {
    let project = TestProject::new(&[("game.physics", GAME.as_bytes())]);
    project.compile().expect("it is right");
    aligned(&project.payload("physics", "game"), |bytes| {
        assert!(Settings::open(bytes).is_ok(), "it is whole");
    });
    project.write("game.physics", GAME.replace("\"stone\"", "\"stome\"").as_bytes());
    let error = project.compile().expect_err("a slip");
    let expected = "game.physics:15:26: there is no material `stome`; is `stone` meant?";
    assert!(error.starts_with(expected), "{error}");
}
