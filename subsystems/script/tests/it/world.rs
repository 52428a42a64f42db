//! A world for tests: lamps, cameras, and modules in a table.

use glam::{Mat4, Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_script::{
    ArgumentError, Binding, Call, FieldValue, Function, Host, Id, IdKind, IdType, Kind, Route,
    Script, Settings,
};

pub(crate) const LAMP: IdKind = IdKind::new(16, "Lamp");
pub(crate) const CAMERA: IdKind = IdKind::new(17, "Camera");

/// [`LAMP`] as a type.
pub(crate) struct LampType;

impl IdType for LampType {
    const KIND: IdKind = LAMP;
}

/// [`CAMERA`] as a type.
pub(crate) struct CameraType;

impl IdType for CameraType {
    const KIND: IdKind = CAMERA;
}

/// What bound functions change.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct World {
    pub(crate) modules: Vec<(String, String)>,
    pub(crate) printed: Vec<String>,
    pub(crate) position: Vec3,
    pub(crate) calls: u64,
    pub(crate) name: String,
}

impl World {
    pub(crate) fn with(modules: &[(&str, &str)]) -> Self {
        let modules = modules.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
        Self { modules, ..Self::default() }
    }
}

impl Host for World {
    fn module(&mut self, name: &str) -> Option<&[u8]> {
        assert_ne!(name, "panics", "a host that panics");
        self.modules.iter().find(|module| module.0 == name).map(|module| module.1.as_bytes())
    }

    fn print(&mut self, line: &[u8]) {
        self.printed.push(String::from_utf8_lossy(line).into_owned());
    }
}

type Ended = Result<(), ArgumentError>;

fn set_position(world: &mut World, call: &mut Call<'_>) -> Ended {
    if call.id(0) != 7 {
        return Err(call.refuse(format_args!("there is no camera {}", call.id(0))));
    }
    world.position = call.vector3(1);
    world.calls += 1;
    Ok(())
}

fn mixed(world: &mut World, call: &mut Call<'_>) -> Ended {
    world.calls += 1;
    world.name = call.text(2)?.to_owned();
    let sum = call.number(0) + f64::from(u8::from(call.bool(1)));
    call.return_number(sum);
    call.return_bool(!call.bool(1));
    let echo = format!("<{}>", world.name);
    call.return_text(&echo)
}

/// Returns the lamp of an even camera, and refuses the other ones.
fn echo(
    world: &mut World,
    camera: Option<Id<CameraType>>,
    lamp: Id<LampType>,
    to: Vec3,
    by: f32,
) -> Result<Option<Id<LampType>>, &'static str> {
    world.position = to * by;
    match camera {
        None => Ok(None),
        Some(camera) if camera.bits() == 7 => Ok(Some(lamp)),
        Some(_) => Err("there is no such camera"),
    }
}

/// Adds the numbers of a table to one, and returns how many it has left then.
fn sum(_: &mut World, call: &mut Call<'_>) -> Ended {
    // In pieces that do not divide most counts.
    let (mut piece, mut done, mut sum) = ([0.0; 7], 0, call.number(0));
    loop {
        let count = call.numbers(1, done, &mut piece);
        sum += piece[..count].iter().sum::<f64>();
        done += count;
        if count < piece.len() {
            break;
        }
    }
    call.return_number(sum);
    call.return_number((call.numbers_len(1) - done) as f64);
    Ok(())
}

/// Adds y of the vectors of a table, and a hundred for each plain number.
fn vectors(_: &mut World, call: &mut Call<'_>) -> Ended {
    let mut all = [0.0; 8];
    let count = call.numbers(0, 0, &mut all);
    let vectors = all[..count].iter().filter_map(|number| call.vector3_of(*number));
    let sum = vectors.map(|vector| f64::from(vector.y)).sum::<f64>();
    let plain = all[..count].iter().filter(|number| call.is_plain(**number)).count();
    call.return_number(sum + 100.0 * plain as f64);
    Ok(())
}

/// Shows the values of a few names in a table, and the bytes of a key that has a zero in it.
fn fields(_: &mut World, call: &mut Call<'_>) -> Ended {
    let mut shown = String::new();
    for name in ["name", "count", "is", "", "a\0b", "größe"] {
        shown += &match call.field(0, name) {
            None => "- ".to_owned(),
            Some(FieldValue::Text(bytes)) => format!("{bytes:?} "),
            Some(FieldValue::Number(number)) if !call.is_plain(number) => "id ".to_owned(),
            Some(value) => format!("{value:?} "),
        };
    }
    call.return_text(&shown)
}

/// All kinds, one by one and together.
pub(crate) fn bindings() -> Vec<Binding<World>> {
    fn bind(
        name: &'static str,
        arguments: &'static [Kind],
        results: &'static [Kind],
        function: loligo_script::CallFunction<World>,
    ) -> Binding<World> {
        Binding { name, arguments, results, help: "for tests", function: Function::Call(function) }
    }
    vec![
        bind("nothing", &[], &[], |world, _| {
            world.calls += 1;
            Ok(())
        }),
        bind("Camera.main", &[], &[Kind::Id(CAMERA)], |_, call| {
            call.return_id(7);
            Ok(())
        }),
        bind("Camera.set_position", &[Kind::Id(CAMERA), Kind::Vector3], &[], set_position),
        bind("Camera.position", &[Kind::Id(CAMERA)], &[Kind::Vector3], |world, call| {
            call.return_vector3(world.position)
        }),
        bind("Camera.lamp", &[Kind::OptionalId(CAMERA)], &[Kind::OptionalId(LAMP)], |_, call| {
            let lamp = call.optional_id(0).map(|camera| camera.wrapping_add(u32::MAX - 100));
            call.return_optional_id(lamp);
            Ok(())
        }),
        bind("Lamp.number", &[Kind::Id(LAMP)], &[Kind::Number], |_, call| {
            call.return_number(f64::from(call.id(0)));
            Ok(())
        }),
        bind(
            "mixed",
            &[Kind::Number, Kind::Bool, Kind::Text],
            &[Kind::Number, Kind::Bool, Kind::Text],
            mixed,
        ),
        bind("add", &[Kind::Number, Kind::Number], &[Kind::Number], |_, call| {
            call.return_number(call.number(0) + call.number(1));
            Ok(())
        }),
        bind("bytes", &[Kind::Text], &[Kind::Number], |_, call| {
            call.return_number(call.bytes(0).iter().fold(0.0, |sum, byte| sum + f64::from(*byte)));
            Ok(())
        }),
        bind("sum", &[Kind::Number, Kind::Numbers], &[Kind::Number, Kind::Number], sum),
        bind("vectors", &[Kind::Numbers], &[Kind::Number], vectors),
        bind("fields", &[Kind::Fields], &[Kind::Text], fields),
        bind("not_a_number", &[], &[Kind::Number], |_, call| {
            call.return_number(f64::from_bits(0xffff_8000_0000_1234));
            Ok(())
        }),
        bind("long_text", &[], &[Kind::Text], |_, call| call.return_text(&"x".repeat(5000))),
        bind("panics", &[], &[], |_, _| panic!("on purpose")),
        bind("returns_nothing", &[], &[Kind::Number], |_, _| Ok(())),
        bind("wrong_kind", &[Kind::Number], &[], |_, call| {
            let _ = call.bool(0);
            Ok(())
        }),
        Binding::direct("direct.echo", "for tests", echo),
        Binding::direct("direct.both", "for tests", |_: &mut World, a: bool, b: bool| a && b),
        Binding::direct("direct.count", "for tests", |world: &mut World| world.calls += 1),
        Binding::direct("direct.not_a_number", "for tests", |_: &mut World| -f64::NAN),
        Binding::direct("direct.panics", "for tests", |_: &mut World| assert_eq!(1, 2, "wrong")),
        bind("pose", &[Kind::Quaternion, Kind::Vector3], &[Kind::Matrix4x4], |_, call| {
            call.return_matrix(Mat4::from_rotation_translation(call.quaternion(0), call.vector3(1)))
        }),
        bind("turn", &[Kind::Number], &[Kind::Quaternion], |_, call| {
            call.return_quaternion(Quat::from_rotation_y(call.number(0) as f32))
        }),
    ]
}

/// A machine with all bindings.
pub(crate) fn machine(route: Route, memory: &dyn Allocator) -> Script<'_, World> {
    let settings = Settings { route, checks: true, temporaries: 64, ..Settings::default() };
    Script::try_new(&bindings(), &settings, memory).unwrap()
}

/// Runs code and returns what it gives, or the error's message.
pub(crate) fn shown(script: &mut Script<'_, World>, world: &mut World, code: &str) -> String {
    let text = match script.evaluate(world, code) {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(error) => format!("error: {}", error.message()),
    };
    script.validate();
    text
}
