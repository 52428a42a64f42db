//! Compiled resources of animation, physics, sound and texts, each given to its reader, and their sources.

use std::fs;
use std::io;
use std::path::Path;

use glam::{Quat, Vec3};
use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_animation::compile::{
    ClipKeys, CompressOptions, RawClip, RawEvent, RawSkeleton, compile_machine, compress,
};
use loligo_animation::{
    BoneGroup, ClipTable, Machine, MachineTable, Machines, Players, Skeleton, StoredClip, groups_of,
};
use loligo_compiler::{Compilers, Index, Project, Property, Threads};
use loligo_containers::{BlobBytes, Endian};
use loligo_entities::Pose;
use loligo_ids::{IdString32, IdString64};
use loligo_physics::compile::{compile_field, compile_settings};
use loligo_physics::{
    Collision, Field, FieldQuery, FieldScratch, Fields, Geometry, ImpactKind, ImpactTable, NO_BONE,
    Ragdoll, Settings,
};
use loligo_resources::HEADER_BYTES;
use loligo_text::compile::SourceTexts;
use loligo_text::{Strings, TextValue};

use super::{Seeds, Surface};

mod sounds;

use sounds::Sounds;

/// Resources of physics that name each other, and texts.
const SOURCES: [(&str, &str, &str); 6] = [
    (
        "physics",
        "game.physics",
        "groups = { crate = { meets = \"*\" } ground = { meets = [ \"crate\" ] } }
         materials = { wood = { friction = 0.6 density = 600 } stone = {} }
         shapes = { crate = { material = \"wood\" group = \"crate\" } floor = { material = \"stone\" group = \"ground\" trigger = true } }
         actors = { crate = { kind = \"dynamic\" mass = 4 } }",
    ),
    (
        "collision",
        "all.collision",
        "settings = \"game\"
         shapes = [
             { template = \"crate\" box = [ 1 2 3 ] } { template = \"crate\" sphere = 1 }
             { template = \"crate\" capsule = { radius = 0.5 height = 2 } }
             { template = \"crate\" convex = { points = [ [ 0 0 0 ] [ 1 0 0 ] [ 0 1 0 ] [ 0 0 1 ] ] } }
             { template = \"floor\" mesh = { vertices = [ [ 0 0 0 ] [ 1 0 0 ] [ 0 0 1 ] ] triangles = [ [ 0 1 2 ] ] } }
             { template = \"floor\" heights = { size = [ 9 1 9 ] rows = [ [ 0 1 ] [ 1 0 ] ] } }
         ]",
    ),
    (
        "field",
        "waves.field",
        "parameters = { size = 0.5 } region = { sphere = 12 }
         strength = [ \"sin(x * size + time)\" \"age * mass / (1 + distance)\" \"vx * vy - vz\" ]",
    ),
    (
        "impacts",
        "all.impacts",
        "settings = \"game\"
         rows = [
             { kind = \"impact\" materials = [ \"wood\" \"stone\" ] least = 2 effect = \"knock\" strength = [ [ 2 0.1 ] [ 9 1 ] ] }
             { kind = \"impact\" materials = [ \"*\" \"*\" ] effect = \"bump\" }
         ]",
    ),
    (
        "ragdoll",
        "doll.ragdoll",
        "settings = \"game\" actor = \"crate\"
         bones = {
             hips = { shape = { template = \"crate\" box = [ 1 1 1 ] } }
             head = { parent = \"hips\" joint = \"hinge\" limits = [ -20 20 ] shape = { template = \"crate\" sphere = 1 } }
         }",
    ),
    (
        "strings",
        "menu.strings",
        "language = \"pl\"
         texts = {
             start = \"Zacznij, {name}! {{}}\"
             inner = { files = {
                 by = \"n\" one = \"{n} plik\" few = \"{n} pliki\" many = \"{n} plików\" other = \"{n} pliku\"
             } }
         }",
    ),
];

const MACHINE: &str =
    "skeleton = \"chain\" variables = { speed = 0 } clips = { a = \"a\" b = \"a\" }
layers = [ {
    name = \"base\"
    states = {
        idle = { clip = \"a\" }
        move = { along = \"speed\" points = [ { clip = \"a\" at = 0 } { clip = \"b\" at = 2 } ] }
    }
    transitions = [ { from = \"idle\" to = \"move\" if = \"speed > 0.5\" seconds = 0.2 } ]
} ]";

const BONES: usize = 5;

/// Resources that are right.
pub(crate) struct Blobs {
    real: Vec<(String, Vec<u8>)>,
    skeleton: Vec<u8>,
    clip: Vec<u8>,
    raw: RawSkeleton,
    sounds: Sounds,
}

impl Blobs {
    pub(crate) fn try_new() -> io::Result<Self> {
        let mut raw = RawSkeleton::default();
        for at in 0..BONES {
            raw.add(&format!("bone {at}"), at.checked_sub(1), Pose::at(Vec3::Y * 0.2));
        }
        let samples =
            (0..20 * BONES).map(|at| Pose::at(Vec3::new(0.01 * (at % 7) as f32, 0.2, 0.0)));
        let events = vec![RawEvent { frame: 3.0, name: "step".into(), bone: Some(2) }];
        let clip = RawClip { rate: 30.0, samples: samples.collect(), events, jumps: Vec::new() };
        let options = CompressOptions { rounds: 1, jump_ratio: 1, ..CompressOptions::default() };
        let dense = CompressOptions { keys: ClipKeys::Dense, ..options };
        let packed = compress(&raw, &clip, &dense).map_err(io::Error::other)?.packed;
        let clip = compress(&raw, &clip, &options).map_err(io::Error::other)?.bytes;
        let skeleton = raw.build(Endian::NATIVE).map_err(io::Error::other)?;
        let machine = compile_machine(MACHINE.as_bytes(), &raw, Endian::NATIVE);
        let machine = machine.map_err(|error| io::Error::other(error.to_string()))?.bytes;
        let mut real = vec![
            ("skeleton".to_owned(), skeleton.clone()),
            ("clip".to_owned(), clip.clone()),
            ("machine".to_owned(), machine),
            ("machine source".to_owned(), MACHINE.as_bytes().to_vec()),
            ("settings source".to_owned(), SOURCES[0].2.as_bytes().to_vec()),
            ("field source".to_owned(), SOURCES[2].2.as_bytes().to_vec()),
            ("strings source".to_owned(), SOURCES[5].2.as_bytes().to_vec()),
        ];
        real.extend(packed.map(|packed| ("clip".to_owned(), packed)));
        real.extend(compiled()?);
        let sounds = Sounds::try_new()?;
        real.extend(sounds.seeds()?);
        Ok(Self { real, skeleton, clip, raw, sounds })
    }
}

/// Compiles the resources of physics and the texts in a project.
fn compiled() -> io::Result<Vec<(String, Vec<u8>)>> {
    let folder = tempfile::tempdir()?;
    for (_, name, text) in SOURCES {
        fs::write(folder.path().join(name), text)?;
    }
    let data = folder.path().join("data");
    let mut compilers = Compilers::built_in();
    loligo_physics::compile::register(&mut compilers);
    loligo_text::compile::register(&mut compilers);
    let project = Project::new(folder.path(), &data, &compilers);
    let report = project.compile(&Threads::default()).map_err(io::Error::other)?;
    if let Some(error) = report.errors.first() {
        return Err(io::Error::other(error.to_string()));
    }
    let index = Index::from_bytes(&fs::read(data.join("index"))?).map_err(io::Error::other)?;
    SOURCES.iter().map(|(type_name, ..)| payload(&index, &data, type_name)).collect()
}

/// Reads the payload of the resource of a type.
fn payload(index: &Index, data: &Path, type_name: &str) -> io::Result<(String, Vec<u8>)> {
    let entry = index.entries.iter().find(|entry| &*entry.name.type_name == type_name);
    let output = entry.and_then(|entry| entry.output.as_ref());
    let file = output.ok_or_else(|| io::Error::other("it was not compiled"))?.file;
    let bytes = fs::read(data.join(format!("blobs/{file}")))?;
    Ok((type_name.to_owned(), bytes.get(HEADER_BYTES..).unwrap_or_default().to_vec()))
}

impl Surface for Blobs {
    fn seeds(&self) -> Seeds {
        Seeds { harmful: Vec::new(), real: self.real.clone() }
    }

    fn feed(&mut self, what: &str, input: &[u8]) {
        // Errors are right.
        if let Some(type_name) = what.strip_suffix(" source") {
            match type_name {
                "machine" => _ = compile_machine(input, &self.raw, Endian::NATIVE),
                "settings" => _ = compile_settings(input, Endian::NATIVE),
                "strings" => {
                    _ = Property::read(input).and_then(|of| SourceTexts::read(&of, &["fr"]));
                }
                _ => _ = compile_field(input, Endian::NATIVE),
            }
            return;
        }
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new_in("blobs", &pages);
        let memory: &dyn Allocator = &heap;
        if self.sounds.feed(what, input, memory) {
            return;
        }
        let aligned = |bytes| BlobBytes::try_copy(bytes, memory);
        let Ok(bytes) = aligned(input) else { return };
        let (Ok(skeleton), Ok(clip)) = (aligned(&self.skeleton), aligned(&self.clip)) else {
            return;
        };
        match what {
            "skeleton" => _ = play(&bytes, &clip, None, memory),
            "clip" => _ = play(&skeleton, &bytes, None, memory),
            "machine" => _ = play(&skeleton, &clip, Some(&bytes), memory),
            "physics" => _ = Settings::open(&bytes).map(|settings| find(&settings)),
            "collision" => _ = Collision::open(&bytes).map(|collision| walk(&collision)),
            "field" => _ = Field::open(&bytes).map(|field| ask(&field, memory)),
            "strings" => _ = Strings::open(&bytes).map(|strings| show(&strings)),
            "ragdoll" => _ = Ragdoll::open(&bytes).map(|doll| hold(&doll)),
            _ => _ = ImpactTable::open(&bytes).map(|table| look_up(&table)),
        }
    }
}

/// Plays a clip on a skeleton, by a machine if there is one.
fn play(
    skeleton: &[u8],
    clip: &[u8],
    machine: Option<&BlobBytes<'_>>,
    memory: &dyn Allocator,
) -> Option<()> {
    let skeleton = Skeleton::open(skeleton).ok()?;
    let clip = StoredClip::try_new(clip, memory).ok()?;
    let table = ClipTable::try_new(clip.clip()?, &skeleton, memory).ok()?;
    let mut players = Players::try_new(1, &table, memory).ok()?;
    let mut pose = vec![BoneGroup::IDENTITY; groups_of(skeleton.len())];
    for frame in [0.0, 7.5, 3.0] {
        players.sample(&table, 0, frame, &mut pose);
    }
    let machine = Machine::open(machine?).ok()?;
    if machine.clips().len() > 16 {
        return None;
    }
    let clips = vec![&table; machine.clips().len()];
    let table = MachineTable::try_new(machine, &skeleton, &clips, memory).ok()?;
    let mut machines = Machines::try_new(1, &table, memory).ok()?;
    for step in 0..20_u8 {
        for variable in 0..machine.variable_count() {
            machines.set(0, variable, f32::from(step % 5) * 0.6);
        }
        machines.step(&table, 0.1, |_| {});
    }
    Some(())
}

/// Resolves names in settings.
fn find(settings: &Settings<'_>) {
    for name in ["crate", "floor", "wood"].map(IdString32::new) {
        let friction = settings.shape(name).map_or(0.0, |shape| shape.surface.friction);
        let mass = settings.actor(name).map_or(0.0, |actor| actor.mass);
        assert!(friction >= 0.0 && mass >= 0.0, "{friction} {mass}");
    }
}

/// Looks effects up.
fn look_up(table: &ImpactTable<'_>) {
    let pair = ["wood", "stone"].map(IdString32::new);
    for amount in [0.0, 3.0, 1.0e9] {
        let found = table.find(ImpactKind::Impact, pair, amount);
        assert!(found.is_none_or(|found| found.strength.is_finite()), "{found:?}");
    }
}

/// Shows all texts.
fn show(strings: &Strings<'_>) {
    for key in strings.keys() {
        for value in [None, Some(TextValue::Number(3.0)), Some(TextValue::Text("21"))] {
            let mut shown = String::new();
            let is_there = strings.write(*key, &|_| value, &mut shown);
            assert_eq!(is_there, Ok(true), "each key has a text");
        }
    }
}

/// Reads all bones.
fn hold(doll: &Ragdoll<'_>) {
    for (at, bone) in doll.bones().iter().enumerate() {
        assert_eq!(doll.find(bone.name), Some(at), "each has another name");
        assert!(bone.parent == NO_BONE || (bone.parent as usize) < at, "parents come first");
        assert!(doll.shape(at).position.is_finite(), "bone {at}");
    }
}

/// Reads all points of all shapes.
fn walk(collision: &Collision<'_>) {
    for part in collision.parts() {
        if let Geometry::Mesh { vertices, triangles } = part.geometry {
            for corner in triangles.as_flattened() {
                let finite = vertices[*corner as usize].iter().all(|number| number.is_finite());
                assert!(finite, "a corner of a collision mesh is not a number");
            }
        }
    }
}

/// Asks a field for some places.
fn ask(field: &Field<'_>, memory: &dyn Allocator) -> Option<()> {
    let mut fields = Fields::new(memory);
    let name = IdString64::new("a");
    fields.define(name, field).ok()?;
    fields.add(name, Vec3::X, Quat::IDENTITY, u32::MAX, 0.0).ok()?;
    let mut scratch = FieldScratch::try_new(memory).ok()?;
    let mut out = [Vec3::ZERO; 4];
    let places = [Vec3::ZERO, Vec3::ONE, Vec3::splat(9.0), Vec3::splat(-50.0)];
    fields.query(&FieldQuery::at(&places, 0.5), &mut out, &mut scratch);
    assert!(out.iter().all(|strength| strength.is_finite()), "{out:?}");
    Some(())
}
