//! Fields: batches give what one place after the other gives, on any number of threads; fields come, change
//! and end.

use glam::{Quat, Vec3};
use loligo_allocators::{Allocator, HeapAllocator, Locked, PageAllocator};
use loligo_containers::{Array, Endian};
use loligo_ids::{IdString32, IdString64};
use loligo_physics::compile::{compile_field, compile_settings};
use loligo_physics::{
    FIELD_ARROWS_MAX, FIELD_BLOCK, FIELD_REGIONS_MAX, Field, FieldGroups, FieldLine, FieldQuery,
    FieldScratch, Fields, FieldsError, Settings,
};
use loligo_tasks::{Settings as TaskSettings, Tasks};

use crate::memory::{every_refusal, with_memory};
use crate::project::{TestProject, aligned};
use crate::settings::GAME;

/// A field of each kind, with every variable.
pub(crate) const SOURCES: [(&str, &str); 6] = [
    ("wind", "wind = { direction = [ 1 0 1 ] speed = 7 }"),
    ("vortex", "vortex = {} region = { box = [ 8 20 8 ] }"),
    ("explosion", "explosion = { radius = 6 }"),
    ("constant", "strength = [ 0 -9.81 0 ]"),
    (
        "waves",
        "parameters = { size = 0.5 } region = { sphere = 12 } strength = [ \"sin(x * size + time)\" \"age * mass / (1 + distance)\" \"vx * vy - vz + z * y\" ]",
    ),
    ("broken", "strength = [ \"sqrt(x)\" \"1 / (y - y)\" 0 ]"),
];

/// Compiles a field that is right.
pub(crate) fn field_bytes(source: &str) -> Vec<u8> {
    compile_field(source.as_bytes(), Endian::NATIVE).unwrap_or_else(|error| panic!("{error}"))
}

fn define<A: Allocator + ?Sized>(
    fields: &mut Fields<'_, A>,
    name: &str,
    source: &str,
) -> Result<(), FieldsError> {
    aligned(&field_bytes(source), |bytes| {
        fields.define(IdString64::new(name), &Field::open(bytes).expect("it is whole"))
    })
}

/// Numbers that look like chance: SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From -`most` to `most`.
    pub(crate) fn number(&mut self, most: f32) -> f32 {
        ((self.next() >> 40) as f32 / (1_u32 << 23) as f32 - 1.0) * most
    }

    fn vector(&mut self, most: f32) -> Vec3 {
        Vec3::new(self.number(most), self.number(most), self.number(most))
    }

    fn rotation(&mut self) -> Quat {
        let axis = self.vector(1.0).try_normalize().unwrap_or(Vec3::Y);
        Quat::from_axis_angle(axis, self.number(3.0))
    }
}

/// Things at places, with everything that a query can have.
struct Things {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    masses: Vec<f32>,
    groups: Vec<u32>,
}

impl Things {
    fn new(count: usize, random: &mut Random) -> Self {
        Self {
            positions: (0..count).map(|_| random.vector(10.0)).collect(),
            velocities: (0..count).map(|_| random.vector(5.0)).collect(),
            masses: (0..count).map(|_| 1.5 + random.number(1.0)).collect(),
            groups: (0..count).map(|_| 1 << (random.next() % 3)).collect(),
        }
    }

    fn query(&self, time: f64) -> FieldQuery<'_> {
        FieldQuery {
            positions: &self.positions,
            velocities: Some(&self.velocities),
            masses: Some(&self.masses),
            groups: FieldGroups::Column(&self.groups),
            time,
        }
    }
}

/// Adds fields of all kinds at places by chance.
fn fill<A: Allocator + ?Sized>(fields: &mut Fields<'_, A>, random: &mut Random) {
    for (name, source) in SOURCES {
        define(fields, name, source).expect("memory");
        for _ in 0..2 {
            let (position, rotation) = (random.vector(6.0), random.rotation());
            let mask = (random.next() % 8) as u32;
            let name = IdString64::new(name);
            fields.add(name, position, rotation, mask, 1.0).expect("it is defined");
        }
    }
}

#[test]
fn batches_are_what_one_after_the_other_gives() {
    let seed = 11;
    println!("seed {seed}");
    let mut random = Random(seed);
    with_memory(|memory| {
        let mut fields = Fields::new(memory);
        fill(&mut fields, &mut random);
        let mut scratch = FieldScratch::try_new(memory).expect("memory");
        let mut strong = 0;
        for count in [0, 1, 3, 31, FIELD_BLOCK - 1, FIELD_BLOCK, FIELD_BLOCK + 1, 1500] {
            let things = Things::new(count, &mut random);
            // The explosions are over in the second.
            for time in [1.05, 2.5] {
                let query = things.query(time);
                let mut out = vec![Vec3::NAN; count];
                fields.query(&query, &mut out, &mut scratch);
                for (at, found) in out.iter().enumerate() {
                    let expected = fields.one(&query, at);
                    assert_eq!(
                        found.to_array().map(f32::to_bits),
                        expected.to_array().map(f32::to_bits),
                        "place {at} of {count}: {found} for {expected}"
                    );
                    assert!(found.is_finite(), "{found}");
                    strong += usize::from(*found != Vec3::ZERO);
                }
            }
        }
        assert!(strong > 3000, "{strong} places have a strength");
    });
}

#[test]
fn threads_change_nothing() {
    let mut random = Random(5);
    let pages = PageAllocator::new("test pages");
    let heap = Locked::new(HeapAllocator::new_in("test heap", &pages));
    {
        let memory: &(dyn Allocator + Sync) = &heap;
        let mut fields = Fields::new_in(memory);
        fill(&mut fields, &mut random);
        let things = Things::new(10_000, &mut random);
        let query = things.query(1.05);
        let mut alone = vec![Vec3::ZERO; 10_000];
        let mut scratches: Vec<_> =
            (0..5).map(|_| FieldScratch::try_new_in(memory).expect("memory")).collect();
        fields.query(&query, &mut alone, &mut scratches[0]);
        for workers in [0, 3] {
            let settings = TaskSettings { workers: Some(workers), ..TaskSettings::default() };
            let mut tasks = Tasks::try_new(&settings, &heap).expect("memory");
            let mut out = vec![Vec3::NAN; 10_000];
            let query = &query;
            let done = tasks.run(|main| {
                let nothing = FieldQuery::at(&[], 0.0);
                fields.query_on(main, &nothing, &mut [], &mut scratches)?;
                fields.query_on(main, query, &mut out, &mut scratches)
            });
            done.expect("no task panics");
            assert!(out == alone, "with {workers} workers");
        }
    }
    assert_eq!(heap.stats().live, 0, "blocks were never given back");
}

/// Returns the strength of one field at a place.
fn strength(source: &str, position: Vec3, rotation: Quat, at: Vec3, time: f64) -> Vec3 {
    with_memory(|memory| {
        let mut fields = Fields::new(memory);
        define(&mut fields, "one", source).expect("memory");
        let name = IdString64::new("one");
        fields.add(name, position, rotation, u32::MAX, 0.0).expect("it is defined");
        fields.one(&FieldQuery::at(&[at], time), 0)
    })
}

#[test]
fn ready_made_fields_do_what_they_are_called() {
    let none = Quat::IDENTITY;
    // At the beginning of a period there is no gust.
    let wind = strength("wind = { speed = 5 drag = 2 }", Vec3::ZERO, none, Vec3::Y, 0.0);
    assert_eq!(wind, Vec3::X * 10.0);
    let gust = strength("wind = { speed = 5 drag = 2 }", Vec3::ZERO, none, Vec3::Y, 1.0);
    assert!((gust.x - 13.0).abs() < 1.0e-4, "a quarter of the period: {gust}");
    let turned = Quat::from_rotation_y(core::f32::consts::FRAC_PI_2);
    let wind = strength("wind = { speed = 5 drag = 2 }", Vec3::ZERO, turned, Vec3::Y, 0.0);
    assert!((wind - Vec3::NEG_Z * 10.0).length() < 1.0e-4, "x of the field is -z here: {wind}");

    let vortex = "vortex = { spin = 10 pull = 4 lift = 3 core = 2 }";
    let at = |place| strength(vortex, Vec3::ZERO, none, place, 0.0);
    assert_eq!(at(Vec3::X * 2.0), Vec3::new(-4.0, 3.0, -10.0), "strongest at the core's rim");
    let far = at(Vec3::X * 8.0);
    assert!((far - Vec3::new(-1.0, 3.0 / 16.0, -2.5)).length() < 1.0e-5, "{far}");
    assert_eq!(at(Vec3::X), Vec3::new(-2.0, 3.0, -5.0), "half as strong halfway to the axis");

    let explosion = "explosion = { strength = 100 radius = 4 }";
    let at = |place, time| strength(explosion, Vec3::X, none, place, time);
    assert_eq!(at(Vec3::new(3.0, 0.0, 0.0), 0.05), Vec3::X * 50.0);
    assert_eq!(at(Vec3::new(1.0, -3.0, 0.0), 0.05), Vec3::NEG_Y * 25.0);
    assert_eq!(at(Vec3::new(6.0, 0.0, 0.0), 0.05), Vec3::ZERO, "out of the sphere");
    assert_eq!(at(Vec3::new(3.0, 0.0, 0.0), 0.15), Vec3::ZERO, "it is over");
}

#[test]
fn fields_are_changed_end_and_go() {
    with_memory(|memory| {
        let mut fields = Fields::new(memory);
        let pull = "parameters = { pull = 2 other = 1 } strength = [ \"pull * other\" 0 0 ]";
        define(&mut fields, "pull", pull).expect("memory");
        let name = IdString64::new("pull");
        let unknown = IdString64::new("push");
        let add = |fields: &mut Fields<'_>, name, mask| {
            fields.add(name, Vec3::ZERO, Quat::IDENTITY, mask, 0.0)
        };
        assert_eq!(add(&mut fields, unknown, 1), Err(FieldsError::Unknown { name: unknown }));
        let far = fields.add(name, Vec3::INFINITY, Quat::IDENTITY, 1, 0.0);
        assert_eq!(far, Err(FieldsError::Place { name }));
        let id = add(&mut fields, name, 0b10).expect("it is defined");
        let parameter = IdString32::new("pull");
        let at = |fields: &Fields<'_>, groups| {
            let groups = FieldGroups::Same(groups);
            fields.one(&FieldQuery { groups, ..FieldQuery::at(&[Vec3::ZERO], 0.0) }, 0).x
        };
        assert_eq!((at(&fields, 0b10), at(&fields, 0b01)), (2.0, 0.0), "masked by group");
        assert!(fields.set_mask(id, 0b01), "it is there");
        assert_eq!((at(&fields, 0b10), at(&fields, 0b01)), (0.0, 2.0));
        assert!(fields.set(id, parameter, 5.0), "it is there");
        assert!(!fields.set(id, parameter, f32::NAN) && !fields.set(id, IdString32::new("x"), 1.0));
        assert_eq!((fields.get(id, parameter), at(&fields, 1)), (Some(5.0), 5.0));
        // Defined again, it keeps what was set by name.
        let again = "parameters = { other = 3 fresh = 7 pull = 4 } strength = [ \"pull + other + fresh\" 0 0 ]";
        define(&mut fields, "pull", again).expect("memory");
        assert_eq!(at(&fields, 1), 5.0 + 1.0 + 7.0);
        define(&mut fields, "flash", "strength = [ 1 0 0 ] seconds = 2").expect("memory");
        add(&mut fields, IdString64::new("flash"), 1).expect("it is defined");
        assert_eq!((fields.expire(1.9), fields.expire(2.0), fields.len()), (0, 1, 1));
        assert!(fields.place(id, Vec3::X, Quat::IDENTITY), "it is there");
        assert!(!fields.place(id, Vec3::NAN, Quat::IDENTITY), "no place");
        assert!(fields.undefine(name) && !fields.undefine(name), "it was there once");
        assert!(fields.is_empty() && !fields.remove(id) && !fields.set_mask(id, 1));
    });
}

#[test]
fn groups_are_bits_of_the_settings() {
    let settings = compile_settings(GAME.as_bytes(), Endian::NATIVE).expect("it is right");
    let source = "settings = \"game\" groups = [ \"crate\" \"player\" ] strength = [ 0 1 0 ]";
    aligned(&settings, |settings| {
        let settings = Settings::open(settings).expect("it is whole");
        aligned(&field_bytes(source), |bytes| {
            let field = Field::open(bytes).expect("it is whole");
            assert_eq!(field.mask(&settings), Ok(0b110));
        });
        aligned(&field_bytes(&source.replace("player", "dust")), |bytes| {
            let field = Field::open(bytes).expect("it is whole");
            assert_eq!(field.mask(&settings), Err(IdString32::new("dust")));
        });
        aligned(&field_bytes("strength = [ 0 1 0 ]"), |bytes| {
            assert_eq!(Field::open(bytes).expect("whole").mask(&settings), Ok(u32::MAX));
        });
    });
    let project =
        TestProject::new(&[("game.physics", GAME.as_bytes()), ("a.field", source.as_bytes())]);
    project.compile().expect("it is right");
    project.write("a.field", source.replace("player", "plyer").as_bytes());
    let error = project.compile().expect_err("a slip");
    assert!(
        error.starts_with("a.field:1:38: there is no group `plyer`; is `player` meant?"),
        "{error}"
    );
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let cases = [
        ("strength = [ 0 \"1 +\" 0 ]", ":1:"),
        ("strength = [ 0 0 ]", "expected three formulas, found an array of 2"),
        (
            "wind = {} strength = [ 0 0 0 ]",
            "the field has a `wind` and `strength`; remove one of both",
        ),
        ("wind = {} vortex = {}", "the field is a `wind` and a `vortex`; make two fields of it"),
        ("wind = { sped = 1 }", "the key `sped` means nothing here; is `speed` meant?"),
        ("wind = { direction = [ 0 0 0 ] }", "a direction has a length"),
        ("vortex = { core = 0 }", "0 is not in the range"),
        (
            "parameters = { time = 1 } strength = [ 0 0 0 ]",
            "`time` is a variable of every field; rename the parameter",
        ),
        ("region = {} strength = [ 0 0 0 ]", "a region is a sphere or a box"),
        ("region = { sphere = -1 } strength = [ 0 0 0 ]", "-1 is not in the range"),
        (
            "groups = [ \"a\" ] strength = [ 0 0 0 ]",
            "there is no `settings`; name the settings that have the groups",
        ),
        ("settings = \"a\" groups = [] strength = [ 0 0 0 ]", "it is for no group; name one"),
        ("", "there is no `strength`; add `strength = [ 0"),
    ];
    for (source, expected) in cases {
        let error = compile_field(source.as_bytes(), Endian::NATIVE).expect_err(source).to_string();
        assert!(error.contains(expected), "{source}: {error}");
    }
    // Two arguments wait for the third.
    let deep = (0..12).fold("x".to_owned(), |text, _| format!("clamp(x, y, {text})"));
    let source = format!("strength = [ \"{deep}\" 0 0 ]");
    let error = compile_field(source.as_bytes(), Endian::NATIVE).expect_err("too deep").to_string();
    assert!(error.contains("values at once; 16 are possible; nest it less"), "{error}");
    let many: String = (0..17).map(|at| format!("p{at} = 0 ")).collect();
    let source = format!("parameters = {{ {many} }} strength = [ 0 0 0 ]");
    let error = compile_field(source.as_bytes(), Endian::NATIVE).expect_err("one too many");
    assert!(error.to_string().contains("there are 17 `parameters`; 16 are possible"), "{error}");
}

#[test]
fn saved_fields_are_the_same_fields() {
    let mut random = Random(21);
    with_memory(|memory| {
        let mut fields = Fields::new(memory);
        fill(&mut fields, &mut random);
        let gone = fields.iter().nth(3).expect("there are twelve").0;
        assert!(fields.remove(gone), "it was there");
        let mut saved = Array::new(memory);
        fields.try_save(&mut saved).expect("memory");
        let things = Things::new(100, &mut random);
        let all = |fields: &Fields<'_>| {
            let query = things.query(1.05);
            (0..100).map(|at| fields.one(&query, at)).collect::<Vec<_>>()
        };
        let mut loaded = Fields::new(memory);
        assert!(
            matches!(loaded.try_load(&saved), Err(FieldsError::Unknown { .. })),
            "no resources"
        );
        for (name, source) in SOURCES {
            define(&mut loaded, name, source).expect("memory");
        }
        loaded.try_load(&saved).expect("it is whole");
        assert_eq!((loaded.len(), all(&loaded)), (11, all(&fields)));
        let name = IdString64::new("wind");
        let add = |fields: &mut Fields<'_>| {
            fields.add(name, Vec3::ZERO, Quat::IDENTITY, 1, 0.0).expect("it is defined")
        };
        assert_eq!(add(&mut loaded), add(&mut fields), "the same ids follow");
        for at in 0..saved.len() {
            let mut spoiled = saved.to_vec();
            spoiled[at] ^= 0x40;
            let error = loaded.try_load(&spoiled).expect_err("a checksum is over all");
            assert!(error.to_string().contains("; load another saved game"), "{error}");
        }
        assert_eq!(loaded.len(), 12, "nothing has changed");
    });
}

#[test]
fn refused_memory_changes_nothing() {
    let bytes = field_bytes(SOURCES[4].1);
    let count = aligned(&bytes, |bytes| {
        let field = Field::open(bytes).expect("it is whole");
        every_refusal(|memory| {
            let mut fields = Fields::new(memory);
            let name = IdString64::new("waves");
            let outcome = fields.define(name, &field);
            assert_eq!(fields.is_defined(name), outcome.is_ok());
            outcome?;
            let id = fields.add(name, Vec3::ZERO, Quat::IDENTITY, 1, 0.0);
            assert_eq!(fields.len(), usize::from(id.is_ok()));
            id?;
            fields.define(name, &field)?;
            assert_eq!(fields.len(), 1);
            FieldScratch::try_new(memory)?;
            Ok::<_, FieldsError>(())
        })
    });
    assert!(count > 8, "{count} requests were refused");
}

/// Returns the lines of regions, and those from the places to the tips of arrows.
fn lines(fields: &Fields<'_>, time: f64) -> [Vec<[Vec3; 2]>; 2] {
    let (mut regions, mut arrows) = (Vec::new(), Vec::new());
    fields.lines(time, |of, from, to| {
        assert!(from.is_finite() && to.is_finite(), "{of:?} from {from} to {to}");
        match of {
            FieldLine::Region => regions.push([from, to]),
            FieldLine::Arrow { share } => {
                assert!(share > 0.0 && share <= 1.0, "{share}");
                arrows.push([from, to]);
            }
        }
    });
    [regions, arrows.into_iter().step_by(3).collect()]
}

#[test]
fn fields_are_seen_as_regions_and_arrows() {
    with_memory(|memory| {
        let mut fields = Fields::new(memory);
        for (name, source) in [
            ("lift", "region = { box = [ 2 4 8 ] } strength = [ 0 \"y + 9\" 0 ]"),
            ("ball", "region = { sphere = 3 } seconds = 2 strength = [ 1 0 0 ]"),
            ("wind", "strength = [ 0 0 -3 ]"),
            ("none", "region = { box = [ 1 1 1 ] } strength = [ 0 0 0 ]"),
            ("wrong", "region = { box = [ 1 1 1 ] } strength = [ \"1 / (y - y)\" 0 0 ]"),
        ] {
            define(&mut fields, name, source).expect("there is memory");
        }
        let at = Vec3::new(10.0, 0.0, 0.0);
        // A quarter turn around z: its y is the x of the world, backwards.
        let turn = Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
        let mut add = |name, turn| {
            fields.add(IdString64::new(name), at, turn, 1, 0.0).expect("it is defined")
        };
        let lift = add("lift", turn);
        let [regions, arrows] = lines(&fields, 0.0);
        assert_eq!((regions.len(), arrows.len()), (12, 64), "a box, and a grid of four");
        let half = Vec3::new(2.0, 1.0, 4.0);
        for [from, to] in regions {
            for corner in [from, to] {
                assert!(((corner - at).abs() - half).length() < 1e-4, "{corner}");
            }
        }
        let mut longest: f32 = 0.0;
        for [from, to] in &arrows {
            let way = *to - *from;
            assert!(((*from - at).abs() - half).max_element() < 0.0, "{from} is in the region");
            assert!(way.normalize().dot(Vec3::NEG_X) > 0.999, "{way}");
            longest = longest.max(way.length());
        }
        assert!(longest > 0.3 && longest < 0.5, "{longest} of a cell of half a metre");
        // Where it is stronger they are longer: with its y, against the x of the world.
        let length = |far: f32| {
            let [from, to] =
                arrows.iter().find(|[from, _]| from.x * far > 10.0 * far).expect("one");
            from.distance(*to)
        };
        assert!(length(-1.0) > length(1.0), "{} {}", length(-1.0), length(1.0));
        fields.remove(lift);
        let mut add = |name| {
            let turn = Quat::IDENTITY;
            fields.add(IdString64::new(name), at, turn, 1, 0.0).expect("it is defined")
        };
        let ball = add("ball");
        let [circles, arrows] = lines(&fields, 1.0);
        assert_eq!(circles.len(), 48, "three circles");
        assert!((8..64).contains(&arrows.len()), "{} within the sphere", arrows.len());
        assert!(lines(&fields, 2.0).iter().all(Vec::is_empty), "it is over");
        fields.remove(ball);
        let turn = Quat::IDENTITY;
        for (name, count) in [("wind", [0, 64]), ("none", [12, 0]), ("wrong", [12, 0])] {
            let id = fields.add(IdString64::new(name), at, turn, 1, 0.0).expect("it is defined");
            assert_eq!(lines(&fields, 0.0).map(|lines| lines.len()), count, "{name}");
            fields.remove(id);
        }
        for _ in 0..300 {
            fields.add(IdString64::new("lift"), at, turn, 1, 0.0).expect("it is defined");
        }
        let [regions, arrows] = lines(&fields, 0.0);
        assert_eq!(regions.len(), 12 * FIELD_REGIONS_MAX);
        assert_eq!(arrows.len(), FIELD_ARROWS_MAX);
    });
}
