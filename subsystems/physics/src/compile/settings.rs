//! Compilers of settings.

use std::format;
use std::string::String;
use std::vec::Vec;

use loligo_allocators::Allocator;
use loligo_compiler::{CompileError, Compiler, Context, Property, build_blob};
use loligo_containers::{BlobBuilder, BlobBytes, Endian, GrowError, blob_field};
use loligo_ids::{IdString32, IdString64};

use super::names::{hash_order, index_of, keys_of, members_of, unknown};
use crate::impacts::IMPACTS_TYPE;
use crate::ranges::{DAMPING, DENSITY, FRICTION, GRAVITY, GRAVITY_SCALE, MASS, PART, STAY_RATE};
use crate::settings::{
    ActorKind, ActorTemplate, GROUPS_MAX, SETTINGS_TYPE, SETTINGS_VERSION, SettingsActor,
    SettingsGroup, SettingsImage, SettingsMaterial, SettingsShape, ShapeTemplate, TEMPLATES_MAX,
};

/// Compiles settings: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `gravity` | `[ 0 -9.81 0 ]` | in metres per second squared |
/// | `stay_rate` | 4 | `stay` events a second of two shapes that touch; 0 is none |
/// | `impacts` | none | the game's table of effects: the name of a resource of type `impacts` |
/// | `groups` | | names, and whom each meets: `{ crate = { meets = [ "crate" "ground" ] } .. }`, or `meets = "*"` |
/// | `materials` | none | names, and `friction` (0.5), `restitution` (0), `density` (1000) |
/// | `shapes` | none | names, and `material`, `group`, `trigger`, `continuous`, `silent` (all false) |
/// | `actors` | none | names, and what is below |
///
/// Groups meet mutually: what one says the other says as well.
///
/// An actor:
///
/// | key | default | meaning |
/// |---|---|---|
/// | `kind` | | `"static"`, `"kinematic"` or `"dynamic"` |
/// | `mass` | 0 | kilograms; 0 where the densities of its shapes decide |
/// | `linear_damping`, `angular_damping` | 0 | which part of the speed is lost in a second |
/// | `gravity_scale` | 1 | what gravity is multiplied by |
/// | `sleeps` | true | whether it is not stepped while it rests |
/// | `asleep` | false | whether it sleeps when it is made |
#[derive(Clone, Copy, Debug, Default)]
pub struct SettingsCompiler;

impl Compiler for SettingsCompiler {
    fn version(&self) -> u32 {
        SETTINGS_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        let draft = SettingsDraft::read(&source)?;
        for name in draft.names() {
            context.name(name);
        }
        if let (Some(name), Some(named)) = (&draft.impacts, source.get("impacts")) {
            if context.source_of(IMPACTS_TYPE, name)?.is_none() {
                let reason = format!("there is no table of effects `{name}`");
                return Err(named.error(reason, format!("add `{name}.impacts` to the project")));
            }
            context.refer(IMPACTS_TYPE, name, named.place());
        }
        build_blob(|memory| draft.build(context.endian(), memory))
    }
}

/// Compiles the source of settings.
///
/// # Errors
///
/// [`CompileError`] has line and column, what is wrong, and what to do.
///
/// # Examples
///
/// ```
/// use loligo_containers::Endian;
/// use loligo_physics::compile::compile_settings;
///
/// let source = br#"
///     groups = { crate = { meets = "*" } ground = { meets = [ "crate" ] } }
///     materials = { wood = { friction = 0.6 density = 600 } }
///     shapes = { crate = { material = "wod" group = "crate" } }
/// "#;
/// let error = compile_settings(source, Endian::NATIVE).expect_err("a slip");
/// assert_eq!(error.to_string(), ":4:37: there is no material `wod`; is `wood` meant?");
/// ```
pub fn compile_settings(source: &[u8], endian: Endian) -> Result<Vec<u8>, CompileError> {
    let draft = SettingsDraft::read(&Property::read(source)?)?;
    build_blob(|memory| draft.build(endian, memory))
}

/// Settings with their names.
#[derive(Debug, Default)]
pub(super) struct SettingsDraft {
    gravity: [f32; 3],
    stay_rate: f32,
    impacts: Option<String>,
    pub(super) groups: Vec<String>,
    meets: Vec<u32>,
    pub(super) materials: Vec<String>,
    /// Friction, restitution, density.
    surfaces: Vec<[f32; 3]>,
    pub(super) shapes: Vec<String>,
    /// Material, group, flags.
    shape_words: Vec<[u32; 3]>,
    pub(super) actors: Vec<String>,
    actor_values: Vec<ActorValues>,
}

/// Kind and flags, and the numbers of an actor.
type ActorValues = ([u32; 2], [f32; 4]);

impl SettingsDraft {
    /// Reads a source.
    pub(super) fn read(source: &Property) -> Result<Self, CompileError> {
        source.allow(&[
            "gravity",
            "stay_rate",
            "impacts",
            "groups",
            "materials",
            "shapes",
            "actors",
        ])?;
        let impacts = source.get("impacts").map(Property::string).transpose()?;
        let mut draft = Self {
            gravity: source.numbers_or("gravity", GRAVITY, [0.0, -9.81, 0.0])?,
            stay_rate: source.number_or("stay_rate", STAY_RATE, 4.0)?,
            impacts: impacts.map(String::from),
            ..Self::default()
        };
        draft.read_groups(source)?;
        let materials = members_of(source, "materials", TEMPLATES_MAX)?;
        draft.materials = keys_of(materials);
        draft.surfaces = materials.iter().map(read_surface).collect::<Result<_, _>>()?;
        let shapes = members_of(source, "shapes", TEMPLATES_MAX)?;
        draft.shapes = keys_of(shapes);
        draft.shape_words =
            shapes.iter().map(|shape| draft.read_shape(shape)).collect::<Result<_, _>>()?;
        let actors = members_of(source, "actors", TEMPLATES_MAX)?;
        draft.actors = keys_of(actors);
        draft.actor_values = actors.iter().map(read_actor).collect::<Result<_, _>>()?;
        Ok(draft)
    }

    /// Returns all names that the payload has hashes of.
    fn names(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.groups, &self.materials, &self.shapes, &self.actors];
        lists.into_iter().flatten().map(String::as_str)
    }

    fn read_groups(&mut self, source: &Property) -> Result<(), CompileError> {
        let remedy = "add `groups = { default = { meets = \"*\" } }`";
        let groups = source.need("groups", remedy)?;
        let members = members_of(source, "groups", GROUPS_MAX)?;
        if members.is_empty() {
            return Err(groups.error("there are no groups", remedy));
        }
        self.groups = keys_of(members);
        for member in members {
            member.allow(&["meets"])?;
            let meets = member.need("meets", "say whom it meets: `meets = \"*\"` or `[ .. ]`")?;
            let bits = match meets.string() {
                Ok("*") => u32::MAX >> (GROUPS_MAX - members.len()),
                Ok(_) => return Err(meets.expected("names in brackets, or \"*\"", "add brackets")),
                Err(_) => self.bits_of(meets)?,
            };
            self.meets.push(bits);
        }
        let has = |a: usize, b: usize| self.meets[a] >> b & 1 != 0;
        for (at, member) in members.iter().enumerate() {
            let Some(other) = (0..members.len()).find(|other| has(at, *other) && !has(*other, at))
            else {
                continue;
            };
            let [one, two] = [&self.groups[at], &self.groups[other]];
            let reason = format!("`{one}` meets `{two}`, and `{two}` does not meet `{one}`");
            let remedy = format!("add `{one}` to those of `{two}`, or remove `{two}` here");
            return Err(member.get("meets").unwrap_or(member).error(reason, remedy));
        }
        Ok(())
    }

    /// Returns the bits of groups that are named, each once.
    pub(super) fn bits_of(&self, names: &Property) -> Result<u32, CompileError> {
        let mut bits = 0;
        for item in names.items()? {
            let at = index_of(item, "group", self.groups.iter().map(String::as_str))?;
            if bits >> at & 1 != 0 {
                let reason = format!("the group `{}` comes twice", self.groups[at]);
                return Err(item.error(reason, "remove one"));
            }
            bits |= 1 << at;
        }
        Ok(bits)
    }

    fn read_shape(&self, shape: &Property) -> Result<[u32; 3], CompileError> {
        shape.allow(&["material", "group", "trigger", "continuous", "silent"])?;
        let need = |key: &str| shape.need(key, &format!("name one: `{key} = \"..\"`"));
        let material =
            index_of(need("material")?, "material", self.materials.iter().map(String::as_str))?;
        let group = index_of(need("group")?, "group", self.groups.iter().map(String::as_str))?;
        let flag =
            |key, flag| shape.bool_or(key, false).map(|is_set| if is_set { flag } else { 0 });
        let flags = flag("trigger", ShapeTemplate::TRIGGER)?
            | flag("continuous", ShapeTemplate::CONTINUOUS)?
            | flag("silent", ShapeTemplate::SILENT)?;
        Ok([material as u32, group as u32, flags])
    }

    /// Checks that a template of shapes is known.
    pub(super) fn check_shape(&self, named: &Property) -> Result<IdString32, CompileError> {
        let name = named.string()?;
        let names = self.shapes.iter().map(String::as_str);
        match names.clone().any(|known| known == name) {
            true => Ok(IdString32::new(name)),
            false => Err(unknown(named, "shape template", name, names)),
        }
    }

    /// Writes the blob.
    pub(super) fn build<'a>(
        &self,
        endian: Endian,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<BlobBytes<'a>, GrowError> {
        let mut builder = BlobBuilder::<SettingsImage>::try_new(endian, memory)?;
        let root = builder.root();
        builder.set(root.at(blob_field!(SettingsImage, gravity)), self.gravity);
        builder.set(root.at(blob_field!(SettingsImage, stay_rate)), self.stay_rate);
        if let Some(impacts) = &self.impacts {
            builder.set(root.at(blob_field!(SettingsImage, impacts)), IdString64::new(impacts));
        }
        let groups = root.at(blob_field!(SettingsImage, groups));
        let places = builder.array(groups, self.groups.len())?;
        for (place, (name, meets)) in places.iter().zip(self.groups.iter().zip(&self.meets)) {
            builder.set(place.at(blob_field!(SettingsGroup, name)), IdString32::new(name));
            builder.set(place.at(blob_field!(SettingsGroup, meets)), *meets);
        }
        let (order, material_places) = hash_order(&self.materials);
        let materials = root.at(blob_field!(SettingsImage, materials));
        let places = builder.array(materials, order.len())?;
        for (place, at) in places.iter().zip(order) {
            let [friction, restitution, density] = self.surfaces[at];
            let name = IdString32::new(&self.materials[at]);
            builder.set(place.at(blob_field!(SettingsMaterial, name)), name);
            builder.set(place.at(blob_field!(SettingsMaterial, friction)), friction);
            builder.set(place.at(blob_field!(SettingsMaterial, restitution)), restitution);
            builder.set(place.at(blob_field!(SettingsMaterial, density)), density);
        }
        let (order, _) = hash_order(&self.shapes);
        let shapes = root.at(blob_field!(SettingsImage, shapes));
        let places = builder.array(shapes, order.len())?;
        for (place, at) in places.iter().zip(order) {
            let [material, group, flags] = self.shape_words[at];
            let material = material_places[material as usize];
            let name = IdString32::new(&self.shapes[at]);
            builder.set(place.at(blob_field!(SettingsShape, name)), name);
            builder.set(place.at(blob_field!(SettingsShape, material)), material);
            builder.set(place.at(blob_field!(SettingsShape, group)), group);
            builder.set(place.at(blob_field!(SettingsShape, flags)), flags);
        }
        self.build_actors(&mut builder)?;
        Ok(builder.finish())
    }

    fn build_actors(&self, builder: &mut BlobBuilder<'_, SettingsImage>) -> Result<(), GrowError> {
        let (order, _) = hash_order(&self.actors);
        let actors = builder.root().at(blob_field!(SettingsImage, actors));
        let places = builder.array(actors, order.len())?;
        for (place, at) in places.iter().zip(order) {
            let ([kind, flags], [mass, linear, angular, gravity]) = self.actor_values[at];
            let name = IdString32::new(&self.actors[at]);
            builder.set(place.at(blob_field!(SettingsActor, name)), name);
            builder.set(place.at(blob_field!(SettingsActor, kind)), kind);
            builder.set(place.at(blob_field!(SettingsActor, flags)), flags);
            builder.set(place.at(blob_field!(SettingsActor, mass)), mass);
            builder.set(place.at(blob_field!(SettingsActor, linear_damping)), linear);
            builder.set(place.at(blob_field!(SettingsActor, angular_damping)), angular);
            builder.set(place.at(blob_field!(SettingsActor, gravity_scale)), gravity);
        }
        Ok(())
    }
}

fn read_surface(material: &Property) -> Result<[f32; 3], CompileError> {
    material.allow(&["friction", "restitution", "density"])?;
    Ok([
        material.number_or("friction", FRICTION, 0.5)?,
        material.number_or("restitution", PART, 0.0)?,
        material.number_or("density", DENSITY, 1000.0)?,
    ])
}

fn read_actor(actor: &Property) -> Result<ActorValues, CompileError> {
    actor.allow(&[
        "kind",
        "mass",
        "linear_damping",
        "angular_damping",
        "gravity_scale",
        "sleeps",
        "asleep",
    ])?;
    let kind = actor.need("kind", "say how it moves: `kind = \"dynamic\"`")?;
    let kind = kind.word_index(&ActorKind::NAMES)? as u32;
    let sleeps = actor.bool_or("sleeps", true)?;
    let asleep = actor.bool_or("asleep", false)?;
    if asleep && !sleeps {
        let reason = "it sleeps at first, and never sleeps";
        return Err(actor.error(reason, "remove `asleep` or `sleeps`"));
    }
    let flag = |is_set, flag| if is_set { flag } else { 0 };
    let flags = flag(!sleeps, ActorTemplate::SLEEPLESS) | flag(asleep, ActorTemplate::ASLEEP);
    let numbers = [
        actor.number_or("mass", MASS, 0.0)?,
        actor.number_or("linear_damping", DAMPING, 0.0)?,
        actor.number_or("angular_damping", DAMPING, 0.0)?,
        actor.number_or("gravity_scale", GRAVITY_SCALE, 1.0)?,
    ];
    Ok(([kind, flags], numbers))
}

/// Reads the settings that a source names under `settings`, and reports the reference to the project.
pub(super) fn settings_of(
    context: &mut Context<'_>,
    source: &Property,
) -> Result<SettingsDraft, CompileError> {
    let named = source.need("settings", "name the game's settings: `settings = \"game\"`")?;
    let name = named.string()?;
    let Some(path) = context.source_of(SETTINGS_TYPE, name)? else {
        let reason = format!("there is no physics `{name}`");
        return Err(named.error(reason, format!("add `{name}.physics` to the project")));
    };
    context.refer(SETTINGS_TYPE, name, named.place());
    let bytes = context.read(&path)?;
    let draft = Property::read(&bytes).and_then(|source| SettingsDraft::read(&source));
    draft.map_err(|error| error.in_file(&*path))
}
