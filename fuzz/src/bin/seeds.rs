//! Writes the inputs that the targets begin with into `fuzz/corpus`: a few for each, all valid, so
//! that the fuzzer need not guess what a file begins with. Inputs of findings are in the same folders
//! and are left alone.
//!
//! `cargo run --manifest-path fuzz/Cargo.toml --bin seeds`, after a format has changed.

use std::io;
use std::path::Path;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_compiler::{Compilers, Index, Project, Stamp, Threads};
use loligo_containers::{
    Array, BlobBytes, EventStream, GrowError, KeyValues, KeyValuesJsonError, OpenArray, OpenError,
    OpenLayout, StreamError, StreamFormat,
};
use loligo_entities::compile::compile;
use loligo_expressions::Expression;
use loligo_fuzz::events::{Fell, Ground, Shot};
use loligo_fuzz::{
    animation, bundle, cache, effect, entities::COMPILERS, entities::SOURCES, formula, knight,
    physics, sound, strings,
};
use loligo_ids::{Fifo, FreeList, GenerationEnd, Holes, IdString, IdString32, IdString64, Lifo};
use loligo_ids::{Id, Packed, Retire, ReverseLookupBuilder, Shape, SmallId, Table, TableId, Wrap};
use loligo_render::{Geometry, Light, MESH_HIDDEN, Mesh, StateRecorder, Transform};
use loligo_replay::trace::{Details, Event, Op, TraceWriter, write_trace};
use loligo_resources::{HEADER_BYTES, ResourceHeader};
use loligo_tests::programs::*;

/// What may go wrong on the way.
type Failure = Box<dyn std::error::Error>;

/// The most bytes of a seed: a fuzzer that changes one of many finds little.
const SEED_BYTES_MAX: usize = 16 << 10;

/// Objects as they come in levels.
const ROWS: &[u8] =
    br##"[{"name": "door \u00e9\n", "at": [1.0, -2.5e3, 0.0], "turn": [0.0, 0.0, 0.0, 1.0]},
 {"hits": -7, "is_open": true, "parts": [1, "x", [], {"deep": [0.5]}], "of": {"#89abcdef": 1}},
 {}, {"hits": 2147483647, "none": null}]
"##;

/// A character sheet.
const SHEET: &[u8] =
    br##"{"name": "The One", "stats": {"health": 100, "mana": 1e2, "rank": {"old": -0.5}},
 "drunk": false, "path": [0, 1.5, 2], "\ud83e\udd80": "\"\\\/\b\f\n\r\t", "#89abcdef": true}
"##;

/// A file as people write them, with all that SJSON has.
const DOOR: &str = "// A door.\nname = \"d\\u00f3or\" /* in the\n  hall */\n\nsize: { width = 0.9, height: 2.1 }\n\
    position = [ 0 -1.5e3\n7, ] // metres\n\"display name\" = null open = true\n\
    code = \"\"\"\n  if (a) { \"b\" } \\n // no comment\n\"\"\"\n#23db-f1.x = [ [ 1 2 ] {} [] ]\nlast =\n";

/// A model that targets move, one of them by a sparse accessor.
const TARGETS: &str = include_str!("../../../engine/tests/it/golden/totem.gltf");

/// A frame's description, with all that one has.
const FRAME: &str = r#"targets = {
    shadow = { format = "depth32f" size = [ 64 64 ] }
    hdr = { format = "rgba16f" scale = 0.5 }
}
passes = [
    { name = "shadow" depth = "shadow" clear = { depth = 1 } }
    { name = "scene" color = [ "hdr" ] reads = [ "shadow" ] clear = { color = [ 0 0.5 1 1 ] }
        layers = [ { name = "solid" order = "front_to_back" } { name = "glass" order = "back_to_front" } ] }
    { name = "out" color = [ "window" ] reads = [ "hdr" ] layers = [ { name = "all" order = "by_state" } ] }
]
"#;

fn main() -> Result<(), Failure> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    readers(&heap)?;
    tables(&heap)?;
    entities(&heap)?;
    expressions(&heap)?;
    rendering(&heap)?;
    programs()?;
    content(&heap)?;
    rendered()?;
    let seeds = animation::seeds().into_iter().chain(physics::seeds()).chain(sound::seeds(&heap)?);
    let seeds = seeds.chain(bundle::seeds(&heap)?).chain(strings::seeds(&heap)?);
    for (target, name, bytes) in seeds.chain(cache::seeds()?) {
        write(target, name, &bytes)?;
    }
    shapes()
}

/// Collision shapes and a ragdoll of a project, as they name its settings.
fn shapes() -> Result<(), Failure> {
    let place = tempfile::tempdir()?;
    let (sources, data) = (place.path().join("sources"), place.path().join("data"));
    std::fs::create_dir_all(&sources)?;
    for (path, source) in physics::SOURCES {
        std::fs::write(sources.join(path), source)?;
    }
    let mut compilers = Compilers::new();
    loligo_physics::compile::register(&mut compilers);
    let report = Project::new(&sources, &data, &compilers).compile(&Threads::default())?;
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    let index = Index::from_bytes(&std::fs::read(data.join("index"))?)?;
    for entry in &index.entries {
        let Some(output) = entry.output else { continue };
        let file = std::fs::read(data.join("blobs").join(output.file.to_string()))?;
        let payload = &file[HEADER_BYTES..];
        match &*entry.name.type_name {
            "ragdoll" => write("ragdoll", "doll", payload)?,
            // The first byte says what it is.
            "collision" => write("physics_blobs", "collision", &[&[7], payload].concat())?,
            _ => {}
        }
    }
    Ok(())
}

/// A source of each type that is rendered, behind the byte that says which it is, and what it is
/// compiled into.
fn rendered() -> Result<(), Failure> {
    let place = tempfile::tempdir()?;
    let (sources, data) = (place.path().join("sources"), place.path().join("data"));
    std::fs::create_dir_all(&sources)?;
    // A picture of one grey pixel.
    let png = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\x9cch\x00\x00\x00\x82\x00\x81w\xcdr\xb6\x00\x00\x00\x00IEND\xaeB`\x82";
    let shader = b"@vertex fn vs_main() -> @builtin(position) vec4f { return vec4f(0.0); }
@fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }";
    let all: [(&str, &str, &[u8]); 8] = [
        ("png", "a.png", png),
        ("mesh", "a.mesh", b"shape = \"cylinder\" radius = 0.4 segments = 3 uv_scale = [ 2 3 ]"),
        ("glb", "face.gltf", TARGETS.as_bytes()),
        ("mesh", "face.mesh", b"file = \"face.gltf\""),
        ("texture", "b.texture", b"image = \"a.png\" color = \"linear\" wrap = \"clamp\""),
        (
            "material",
            "a.material",
            b"shader = \"a\" color = [ 1 0 0 1 ] roughness = 0.5 casts_shadow = false",
        ),
        ("shader", "a.shader", shader),
        ("frame", "a.frame", FRAME.as_bytes()),
    ];
    for (end, path, bytes) in all {
        let kind = ["png", "glb", "mesh", "texture", "material", "shader", "frame"];
        let kind = kind.iter().position(|kind| *kind == end).map_or(0, |kind| kind as u8);
        // The second source of a type has another name.
        let name = if path == "face.mesh" { "face" } else { end };
        write("render_sources", name, &[&[kind], bytes].concat())?;
        std::fs::write(sources.join(path), bytes)?;
    }
    let mut compilers = Compilers::new();
    loligo_render::compile::register(&mut compilers);
    let report = Project::new(&sources, &data, &compilers).compile(&Threads::default())?;
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    let index = Index::from_bytes(&std::fs::read(data.join("index"))?)?;
    for entry in index.entries.iter().filter(|entry| entry.name.type_name != "frame") {
        let Some(output) = entry.output else { continue };
        let file = std::fs::read(data.join("blobs").join(output.file.to_string()))?;
        // A tail is read apart, and no part of what is opened.
        let tail = ResourceHeader::read(&file)?.tail as usize;
        let payload = &file[HEADER_BYTES..file.len() - tail];
        assert!(payload.len() <= SEED_BYTES_MAX, "{}: {}", entry.name, payload.len());
        let is_face = entry.name.name == "face";
        let name = if is_face { "face" } else { &entry.name.type_name };
        write("render_content", name, payload)?;
    }
    Ok(())
}

/// What a small project is compiled into, and an index like its own, though without the times of
/// files.
fn content(memory: &dyn Allocator) -> Result<(), Failure> {
    let place = std::env::temp_dir().join(format!("loligo-seeds-{}", std::process::id()));
    let (sources, data) = (place.join("sources"), place.join("data"));
    std::fs::create_dir_all(&sources)?;
    std::fs::write(sources.join("door.fr.config"), DOOR)?;
    std::fs::write(sources.join("exit.data"), "EXIT")?;
    std::fs::write(sources.join("level.package"), "data = [ \"*\" ] config = [ \"door\" ]")?;
    let compilers = Compilers::built_in();
    let report = Project::new(&sources, &data, &compilers).compile(&Threads::default())?;
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    let mut index = Index::from_bytes(&std::fs::read(data.join("index"))?)?;
    for file in &mut index.files {
        file.stamp = Stamp { bytes: file.stamp.bytes, ..Stamp::default() };
    }
    write("resource_index", "level", &index.to_bytes())?;
    write("resource_file", "table", &std::fs::read(data.join("resources"))?)?;
    for entry in &index.entries {
        let Some(output) = entry.output else { continue };
        let file = std::fs::read(data.join("blobs").join(output.file.to_string()))?;
        write("resource_file", &format!("{}_file", entry.name.type_name), &file)?;
        // The payload alone, aligned and opened by itself.
        let payload = BlobBytes::try_copy_in(&file[HEADER_BYTES..], memory)?;
        if entry.name.type_name != "data" {
            write("resource_file", &entry.name.type_name, &payload)?;
        }
    }
    std::fs::remove_dir_all(place)?;
    Ok(())
}

fn write(target: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    std::fs::create_dir_all(&folder)?;
    // A text ends in a newline, as every text of the repository does.
    let is_text = !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok();
    let end: &[u8] = if is_text && !bytes.ends_with(b"\n") { b"\n" } else { b"" };
    std::fs::write(folder.join(name), [bytes, end].concat())
}

/// Writes a description, and two streams of a world's state.
fn rendering(memory: &dyn Allocator) -> Result<(), Failure> {
    write("render_frame", "frame", FRAME.as_bytes())?;
    let mut recorder: StateRecorder = StateRecorder::new_in(0, 4_096, memory);
    let mesh = recorder.create_mesh(&Mesh::default())?;
    let light = recorder.create_light(&Light::default())?;
    let gone = recorder.create_mesh(&Mesh { layer: 3, ..Mesh::default() })?;
    let one = recorder.finish();
    recorder.set_transform(mesh, &Transform::IDENTITY)?;
    recorder.set_material(mesh, 7, 1)?;
    recorder.set_flags(mesh, MESH_HIDDEN)?;
    recorder.set_light(light, &Light { range: 9.0, ..Light::default() })?;
    recorder.set_shape(gone, Geometry::default(), [0.0, 0.0, 0.0, 1.0], 0)?;
    recorder.destroy(gone)?;
    let two = recorder.finish();
    // The first byte says, in words, where the second stream begins.
    let split = u8::try_from(one.as_bytes().len() / 4)?;
    write("render_state", "two", &[&[split][..], one.as_bytes(), two.as_bytes()].concat())?;
    Ok(())
}

fn readers(memory: &dyn Allocator) -> Result<(), Failure> {
    for (name, names) in [("empty", &[][..]), ("two", &["smoke", "f\u{e9}e"])] {
        write("blob", name, &effect::build(names, memory)?)?;
    }
    write("event_stream", "two", &[&[11][..], &events(memory)?, &events(memory)?].concat())?;
    for version in 1..=3 {
        write("stream", &format!("version_{version}"), &knights(version, memory)?)?;
    }
    for (name, layout) in
        [("structs", OpenLayout::ArrayOfStructs), ("columns", OpenLayout::StructOfArrays)]
    {
        write("open_array", name, &rows(layout, memory)?)?;
    }
    write("json", "rows", ROWS)?;
    write("json", "sheet", SHEET)?;
    write("key_values", "sheet", &sheet(memory)?)?;
    write("sjson", "door", DOOR.as_bytes())?;
    write("sjson", "json", SHEET)?;
    let braces = b"\xef\xbb\xbf{ a = 1 // b\n\n c = { d = [\"x\"\"y\"2] } } // e\n";
    write("sjson", "braces", braces)?;
    let event = |op, slot, bytes| Event { op, align_log2: 4, thread: 0, slot, bytes };
    let events = [
        event(Op::Allocate, 0, 100),
        event(Op::AllocateZeroed, 1, 4096),
        event(Op::Reallocate, 0, 300),
        event(Op::Free, 0, 0),
    ];
    let mut trace = Vec::new();
    write_trace(&mut trace, &events)?;
    write("trace", "four", &trace)?;
    let mut writer = TraceWriter::new(Vec::new())?;
    writer.note("program", "game --level 3")?;
    let object = writer.object("heap")?;
    let mut stack = 0;
    for (number, event) in events.into_iter().enumerate() {
        let site =
            writer.site(&format!("src/the/longest/path/of/the/game/sound_{number}.rs:12:9"))?;
        stack = writer.stack(stack, site)?;
        writer.event(event, Details { site, object, time_ns: number as u64, stack })?;
        writer.mark(0, number as u64, number as u64)?;
    }
    Ok(write("trace", "version_2", &writer.finish()?)?)
}

fn events(memory: &dyn Allocator) -> Result<Vec<u8>, GrowError> {
    let mut stream: EventStream = EventStream::new_in(memory);
    stream.try_push(Shot { time_us: 10, by: [1, 2, 3], hit: 1 })?;
    stream.try_push(Fell { time_us: 20, ground: Ground::Stone })?;
    stream.try_push_with_tail(Shot { time_us: 30, by: [4; 3], hit: 0 }, &[7_u16, 8, 9])?;
    stream.try_push_bytes(77, b"unknown")?;
    Ok(stream.as_bytes().to_vec())
}

fn knights(version: u32, memory: &dyn Allocator) -> Result<Vec<u8>, StreamError> {
    let mut bytes: Array<u8> = Array::new_in(memory);
    let mut knight = knight::Knight::with_squires("Gaheris", &[3, -4], memory);
    StreamFormat { version, ..knight::FORMAT }.save(&mut knight, &mut bytes)?;
    Ok(bytes.to_vec())
}

fn rows(layout: OpenLayout, memory: &dyn Allocator) -> Result<Vec<u8>, OpenError> {
    let mut bytes: Array<u8> = Array::new_in(memory);
    OpenArray::try_from_json_in(ROWS, layout, memory)?.try_save(&mut bytes)?;
    Ok(bytes.to_vec())
}

fn sheet(memory: &dyn Allocator) -> Result<Vec<u8>, KeyValuesJsonError> {
    Ok(KeyValues::try_from_json_in(SHEET, memory)?.as_bytes().to_vec())
}

fn tables(memory: &dyn Allocator) -> Result<(), Failure> {
    type Small = SmallId<u32>;
    type Wide = Id<u32>;
    write("id_image", "holes", &table::<Holes, Small, Lifo, Retire>(memory)?)?;
    write("id_image", "packed", &table::<Packed, Small, Lifo, Retire>(memory)?)?;
    write("id_image", "holes_fifo", &table::<Holes, Small, Fifo<2>, Wrap>(memory)?)?;
    write("id_image", "packed_fifo", &table::<Packed, Small, Fifo<2>, Wrap>(memory)?)?;
    write("id_image", "holes_wide", &table::<Holes, Wide, Lifo, Retire>(memory)?)?;
    write("id_image", "packed_fifo_wide", &table::<Packed, Wide, Fifo<2>, Wrap>(memory)?)?;
    write("lookup", "of_32_bits", &names::<IdString32>(memory)?)?;
    Ok(write("lookup", "of_64_bits", &names::<IdString64>(memory)?)?)
}

fn table<S, I, F, E>(memory: &dyn Allocator) -> Result<Vec<u8>, Failure>
where
    S: Shape,
    I: TableId,
    F: FreeList,
    E: GenerationEnd,
{
    // A tag as a table takes it by itself, but the same whenever seeds are written.
    let tag = u64::from(I::TAG_BITS > 0);
    let mut table = Table::<'_, S, u32, I, F, E>::new_in(memory).with_tag(tag);
    let mut ids = Vec::new();
    table.insert_batch(10..18, |id| ids.push(id))?;
    table.remove_batch([ids[1], ids[6], ids[3]]);
    table.reserve_id()?;
    let mut image = vec![0; table.saved_len()];
    table.save(&mut image)?;
    Ok(image)
}

fn names<I: IdString>(memory: &dyn Allocator) -> Result<Vec<u8>, Failure> {
    let mut builder = ReverseLookupBuilder::<I, _>::new_in(memory);
    for name in ["larch", "", "tr\u{e9}e/oak.mesh"] {
        builder.insert(name).map_err(|error| error.to_string())?;
    }
    Ok(builder.save().map_err(|error| error.to_string())?.to_vec())
}

/// Sources, the resources that they are compiled to, and a resource in numbers.
fn entities(memory: &dyn Allocator) -> Result<(), Failure> {
    let house = br#"inherit = "b" components = { transform = { position = [ 0 1.5 -2 ] rotation = [ 0 0 0 1 ] }
 tag = [ "house" "wood" ] data = { people = 4 o = { p = null q = [ 1 2 ] } } }
children = { c = null door = { components = { tag = "door" } children = { lock = {} } } }"#;
    let level = br#"entities = { one = { inherit = "a" } two = { inherit = "d" children = { x = {} } } three = {} }"#;
    for (name, source) in [("house", &house[..]), ("level", &level[..])] {
        write("entities", name, &[&[0], source].concat())?;
        let bytes = compile(name, source, SOURCES, &COMPILERS, memory)
            .map_err(|error| error.to_string())?;
        write("entities", &format!("{name}_resource"), &[&[1], &bytes[..]].concat())?;
    }
    // Three entities, two of them tagged, and all with eight bytes of plain data.
    let tags = [1, 2, 3, 0, 1, 0, 1, 0, 1, 0, 7];
    let plain = [3, 3, 6, 0, 1, 2, 0, 1, 0, 2, 0, 3, 150, 4, 100, 5, 220, 6];
    let numbers = [&[2, 3, 255, 0, 1][..], &tags, &plain].concat();
    Ok(write("entities", "numbers", &numbers)?)
}

/// Sources, and the words of each as they are and as they are saved.
fn expressions(memory: &dyn Allocator) -> Result<(), Failure> {
    let sources = [
        ("article", "sin(t)  + 0.1 * cos(10 * t)"),
        ("choice", "x < 0.5 ? x ^ 2 : t >= 1 && !x || t == x ? -wind.y : 1 - x % 3"),
        ("calls", "mix4(t, half(x), seven(), gravity) - clamp(1 - sqrt(t * t + x * x) / 3, 0, 1)"),
        (
            "curves",
            "smoothstep(0, 1, fract(t)) * lerp(exp(-x), ln(x), 0.25) + atan2(t, min(x, pi))",
        ),
    ];
    for (name, source) in sources {
        write("expressions", name, source.as_bytes())?;
        let expression = Expression::try_compile_in(source, &formula::SYMBOLS, memory)
            .map_err(|error| error.to_string())?;
        let words = expression.bytecode().words();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        write("expressions", &format!("{name}_words"), &bytes)?;
        let mut saved: Array<u8> = Array::new_in(memory);
        expression.bytecode().try_save(&formula::SYMBOLS, &mut saved)?;
        write("expressions", &format!("{name}_saved"), &saved)?;
    }
    Ok(())
}

fn programs() -> io::Result<()> {
    let space = Space::new(16, 14, 6);
    for target in ["buddy", "frame", "heap", "pool", "slab"] {
        for first in 0..3 {
            let program = to_bytes(&sample(&space, 40, first.into()));
            write(target, &format!("base_{first}"), &[&[first], &program[..]].concat())?;
        }
    }
    let program = to_bytes(&sample(&space, 40, 9));
    write("wrappers", "two", &[&[0, 1, 2], &program[..]].concat())?;
    for share in [0, 160] {
        family::<ArrayOp>("array", &[share])?;
        family::<CallbacksOp>("callbacks", &[share])?;
        family::<EventStreamOp>("events", &[share])?;
        family::<HandleHeapOp>("handle_heap", &[share])?;
        family::<HashMapOp>("hash_map", &[share])?;
        family::<KeyValuesOp>("sheet", &[share])?;
        family::<KeyValuesSetOp>("sheets", &[share])?;
        family::<ListPoolOp>("list_pool", &[share])?;
        family::<MultiMapOp>("multi_map", &[share])?;
        family::<OpenArrayOp>("open_rows", &[share])?;
        family::<RingOp>("ring", &[share])?;
        family::<RowOp>("arrays", &[share])?;
        family::<SortedMapOp>("sorted_map", &[share])?;
        family::<ThreadHeapOp>("thread_heap", &[share])?;
        // A table of ids that run out, one of those that do not, and one of the default.
        family::<IdTableOp>("id_table", &[share, 2])?;
        family::<IdTableOp>("id_table", &[share, 15])?;
        family::<IdTableOp>("id_table", &[share, 24])?;
    }
    Ok(())
}

/// A program with every operation of a family, twice.
fn family<O: ModelOp>(target: &str, head: &[u8]) -> io::Result<()> {
    let step = |kind: u8| Step {
        kind: kind.wrapping_mul(37),
        count: kind % 11,
        which: u16::from(kind) * 7,
        at: u16::from(kind) * 3,
    };
    let program: Vec<O> = (0..64).map(|kind| O::of(step(kind))).collect();
    let name: Vec<String> = head.iter().map(u8::to_string).collect();
    write(target, &format!("all_{}", name.join("_")), &[head, &ops_to_bytes(&program)].concat())
}
