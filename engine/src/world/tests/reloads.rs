//! Reloads where memory runs out, at each place in turn.

use std::fs;

use loligo_allocators::{
    Allocator, FailingAllocator, HeapAllocator, Locked, MemoryGlobals, MemoryOptions,
    PageAllocator, Refusals, SharedRef, StaticHeap,
};
use loligo_compiler::{Compilers, Project, Threads};
use loligo_diagnostics::Log;
use loligo_ids::IdString64;
use loligo_render::compile::FRAME_TYPE;
use loligo_render::{MATERIAL_TYPE, MESH_TYPE, RenderWorld};
use loligo_resources::{DataFolder, ResourceKey};
use loligo_tasks::{Settings, Tasks, Worker};

use crate::assets::Uploads;
use crate::error::EngineError;
use crate::loading::{Content, Owners};
use crate::memory::{MemoryPlan, Room, SharedAllocator, memory_of, with_memory_of};
use crate::subsystems::SUBSYSTEMS;
use crate::world::World;
use crate::world::objects::{OBJECTS_MAX, WORLD};

/// The number of models: their messages make the stream grow several times.
const MODELS: usize = 100;

const CONFIG: &str = "
title = \"Yard\"
level = \"yard\"
frame = \"yard\"
window = [ 640 360 ]
time_step = { policy = \"smoothed\" longest = 0.1 }
";

const SHADER: &str = "
@vertex fn vs_main(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> { return vec4(position, 1.0); }
@vertex fn vs_shadow(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> { return vec4(position, 1.0); }
@fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(1.0); }
";

/// A resource that is recompiled: its file, and both its texts.
type Change = (&'static str, [&'static str; 2]);

/// The second mesh is larger, so it moves to another range of the shared buffers.
const MESH: Change = ("box.mesh", ["shape = \"box\"", "shape = \"sphere\""]);

const MATERIAL: Change = (
    "stone.material",
    ["shader = \"plain\" layer = \"opaque\"", "shader = \"plain\" layer = \"sky\""],
);

/// The second frame has the same layers and one more, under other numbers.
const FRAME: Change = (
    "yard.frame",
    [
        "targets = { depth = { format = \"depth32f\" } }
passes = [ { name = \"main\" color = [ \"window\" ] depth = \"depth\" layers = [
    { name = \"opaque\" order = \"by_state\" } { name = \"sky\" order = \"by_state\" }
] } ]",
        "targets = { depth = { format = \"depth32f\" } }
passes = [ { name = \"main\" color = [ \"window\" ] depth = \"depth\" layers = [
    { name = \"ground\" order = \"by_state\" } { name = \"sky\" order = \"by_state\" }
    { name = \"opaque\" order = \"by_state\" } { name = \"haze\" order = \"by_state\" }
    { name = \"rain\" order = \"by_state\" } { name = \"snow\" order = \"by_state\" }
] } ]",
    ],
);

/// A project in a folder that goes away.
struct Yard {
    folder: tempfile::TempDir,
}

impl Yard {
    fn new() -> Self {
        let yard = Self { folder: tempfile::tempdir().expect("a folder") };
        yard.write("game.config", CONFIG);
        yard.write("plain.shader", SHADER);
        for (path, [first, _]) in [MESH, MATERIAL, FRAME] {
            yard.write(path, first);
        }
        let mut level = String::from("entities = {\n");
        for number in 0..MODELS {
            level.push_str(&format!(
                "box{number} = {{ components = {{ transform = {{}} model = {{ mesh = \"box\" \
                 material = \"stone\" }} }} }}\n"
            ));
        }
        level.push('}');
        yard.write("yard.level", &level);
        yard
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.folder.path().join(path), text).expect("the folder may be written");
    }

    fn compile(&self) {
        let mut compilers = Compilers::built_in();
        loligo_render::compile::register(&mut compilers);
        crate::compile::register(&mut compilers);
        let data = self.folder.path().join("data");
        let project = Project::new(self.folder.path(), &data, &compilers);
        let report = project.compile(&Threads::new(core::num::NonZeroUsize::MIN));
        let errors = report.expect("it can be compiled").errors;
        assert!(errors.is_empty(), "{errors:?}");
    }
}

/// Runs what wants a thread of tasks, whose memory is not that which is refused.
fn on_one_thread<R>(work: impl FnOnce(&Worker<'_>) -> R) -> R {
    let pages = PageAllocator::new("tasks of a test");
    let settings = Settings { workers: Some(0), ..Settings::default() };
    let mut tasks = Tasks::try_new(&settings, &pages).expect("there is memory");
    tasks.run(|main| work(main))
}

/// Ends a frame and applies its messages to the render world; an error leaves them to the next.
fn show<'m>(
    world: &mut World<'m>,
    content: &mut Content<'_, 'm>,
    seen: &mut RenderWorld<'_, impl Allocator>,
    memory: SharedRef<'m>,
) -> Result<(), EngineError> {
    let ended =
        on_one_thread(|worker| world.end(&content.assets, |layer| content.layer(layer), worker));
    let stream = world.recorder().expect("it is drawn").finish();
    seen.try_apply(&stream).expect("it is the next one");
    // Uploads go with each frame, in exchange for a stream without a block.
    drop(content.assets.exchange(Uploads::new_in(memory)));
    ended
}

/// Asserts that the render world has each model as the engine has it.
fn assert_same(
    world: &World<'_>,
    content: &Content<'_, '_>,
    seen: &RenderWorld<'_, impl Allocator>,
    what: &str,
) {
    for entity in world.models() {
        let model = world.model(*entity).expect("it has one");
        let object = seen.mesh(model.handle().expect("it is drawn")).expect("it was sent");
        let mesh = content.assets.mesh(model.mesh()).expect("it was loaded");
        let material = content.assets.material(model.material()).expect("it was loaded");
        assert_eq!(object.geometry, mesh.geometry, "{what}: the range of the mesh");
        assert_eq!(object.sphere, mesh.sphere, "{what}: the sphere of the mesh");
        assert_eq!(object.state, material.state, "{what}: the material");
        assert_eq!(Some(object.layer), content.layer(material.layer), "{what}: the layer");
        let style = world.styles.get(model.material().name).expect("it was learned");
        assert_eq!((object.state, object.layer), (style.state, style.layer), "{what}: the style");
    }
    assert_eq!(seen.mesh_count(), MODELS, "{what}");
}

/// Notifies the users of a resource that was recompiled, as the engine does, which logs an error.
fn notify<'m>(
    world: &mut World<'m>,
    content: &mut Content<'_, 'm>,
    log: &Log<'_, SharedAllocator<'m>>,
    key: ResourceKey,
) -> Result<(), EngineError> {
    if key.type_hash == IdString64::new(FRAME_TYPE) {
        content.replace_frame()?;
        return world.refresh_layers(&content.assets, |layer| content.layer(layer));
    }
    let owners = &mut Owners { world: Some(world), log };
    let renewed = on_one_thread(|worker| content.renew(key, owners, worker));
    renewed.map(|is_used| assert!(is_used, "it is drawn with"))
}

/// Recompiles and reloads a resource where requests are refused; returns whether any was.
fn reloaded(
    yard: &Yard,
    (path, [first, second]): Change,
    key: ResourceKey,
    refusals: Refusals,
) -> bool {
    yard.write(path, first);
    yard.compile();
    let what = format!("{path}, {refusals:?}");
    let pages = PageAllocator::new("test pages");
    let heap = Locked::new(HeapAllocator::new_in("test heap", &pages));
    let failing: Locked<FailingAllocator<'_, _>> =
        Locked::new(FailingAllocator::new_in("test memory", Refusals::None, &heap));
    let boot = StaticHeap::<{ MemoryGlobals::BOOT_BYTES }>::new("boot");
    let globals = MemoryGlobals::init(&boot, &MemoryOptions::new()).expect("there is memory");
    let data = yard.folder.path().join("data");
    with_memory_of(&globals, Some(&failing), &MemoryPlan::new(), &SUBSYSTEMS, |memory| {
        let folder = DataFolder::new(&data).expect("the path is UTF-8");
        let log = Log::try_new_in(memory_of(&memory, Room::Engine)).expect("there is memory");
        let load = |worker: &Worker<'_>| {
            Content::try_load(
                folder,
                (true, None, None),
                core::iter::empty(),
                &memory,
                &log,
                worker,
            )
        };
        let mut content = on_one_thread(load).expect("it can be loaded");
        let render = memory_of(&memory, Room::Render);
        let mut world = World::new_in(true, &memory);
        let mut seen = RenderWorld::new_in(WORLD, OBJECTS_MAX, &heap);
        content.hand_over(&mut world, &log).expect("there is memory");
        content.spawn(&mut world).expect("there is memory");
        show(&mut world, &mut content, &mut seen, render).expect("there is memory");
        assert_same(&world, &content, &seen, &what);

        yard.write(path, second);
        yard.compile();
        failing.with(|failing| failing.refuse(refusals));
        let has_memory = || failing.with(|failing| failing.refuse(Refusals::None));
        // Where the swap itself is refused nothing has changed, and the next reload does it.
        let mut swap = || content.resources.reload(&mut |_| {}).unwrap_or(0);
        if swap() != 1 {
            has_memory();
            assert_eq!(swap(), 1, "{what}");
        }
        let notified = notify(&mut world, &mut content, &log, key);
        // Where the frame's messages are refused, too, the next frame sends them.
        let shown = show(&mut world, &mut content, &mut seen, render);
        has_memory();
        if notified.is_err() || shown.is_err() {
            show(&mut world, &mut content, &mut seen, render).expect("there is memory");
        }
        assert_same(&world, &content, &seen, &what);
        if notified.is_err() {
            notify(&mut world, &mut content, &log, key).expect("there is memory");
            show(&mut world, &mut content, &mut seen, render).expect("there is memory");
            assert_same(&world, &content, &seen, &format!("{what}, again"));
        }
    })
    .expect("there is memory");
    assert_eq!(failing.stats().live, 0, "{what}: blocks are left");
    failing.with(|failing| failing.refused()) > 0
}

/// Refuses each request of a reload in turn: it alone, and with all after it.
fn refuse_each(change: Change, type_name: &str, name: &str) {
    let yard = Yard::new();
    let key = ResourceKey { type_hash: IdString64::new(type_name), name: IdString64::new(name) };
    for refusals in [Refusals::Nth, Refusals::From] {
        let refused = (0..10_000).take_while(|nth| reloaded(&yard, change, key, refusals(*nth)));
        let refused = refused.count();
        assert!((5..10_000).contains(&refused), "{refused} requests were made");
    }
}

#[test]
fn a_refused_reload_of_a_mesh_is_sent_with_the_next_frame() {
    refuse_each(MESH, MESH_TYPE, "box");
}

#[test]
fn a_refused_reload_of_a_material_is_sent_with_the_next_frame() {
    refuse_each(MATERIAL, MATERIAL_TYPE, "stone");
}

#[test]
fn a_refused_reload_of_a_frame_is_sent_with_the_next_frame() {
    refuse_each(FRAME, FRAME_TYPE, "yard");
}
